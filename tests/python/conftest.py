"""Shared fixtures: the installed entry scripts and a way to run them as a user would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import gatewright
import pytest

PACKAGE = Path(gatewright.__file__).parent


@pytest.fixture(scope="session")
def shims() -> Path:
    """Folder of the installed entry scripts."""
    return PACKAGE / "shims"


@pytest.fixture(scope="session")
def command() -> list[str]:
    """The umbrella command, run by this interpreter."""
    return [sys.executable, "-m", "gatewright"]


@pytest.fixture
def run(command, tmp_path):
    """Run ``gatewright ARGUMENTS`` in a fresh folder; returns the completed process."""

    def run_gatewright(*arguments, cwd=tmp_path, **options):
        env = {**os.environ, "NO_COLOR": "1", **options.pop("env", {})}
        return subprocess.run(
            [*command, *map(str, arguments)],
            cwd=cwd,
            env=env,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=options.pop("timeout", 120),
            **options,
        )

    return run_gatewright
