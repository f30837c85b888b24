"""Shared fixtures: the installed entry scripts and a way to run them as a user would."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import gatewright
import pytest

PACKAGE = Path(gatewright.__file__).parent
ROOT = Path(__file__).resolve().parents[2]


def _is_native(path: Path) -> bool:
    return path.exists() and path.read_bytes()[:2] not in (b"#!", b"")


@pytest.fixture(scope="session")
def program() -> Path:
    """The installed program; in an editable install, which has none, the one cargo builds."""
    installed = Path(sys.executable).parent / f"gatewright{'.exe' if os.name == 'nt' else ''}"
    if _is_native(installed):
        return installed
    if shutil.which("cargo") is None:
        pytest.skip("neither a native command nor cargo here")
    words = ["cargo", "build", "--quiet", "--locked", "--bin", "gatewright"]
    words += ["--message-format", "json-render-diagnostics"]
    done = subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    messages = map(json.loads, done.stdout.splitlines())
    return next(Path(told["executable"]) for told in messages if told.get("executable"))


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory):
    """The user's folders of cache, key and settings are the tests' own."""
    folder = tmp_path_factory.mktemp("user")
    for name in ("CACHE", "CONFIG", "STATE"):
        os.environ[f"XDG_{name}_HOME"] = str(folder / name.lower())
    return folder


@pytest.fixture(scope="session")
def shims() -> Path:
    """Folder of the installed entry scripts."""
    return PACKAGE / "shims"


@pytest.fixture(scope="session")
def load_script():
    """Load an entry script by its path, as a file with a hyphen must be, and as siblings do."""

    def load(path):
        spec = importlib.util.spec_from_file_location(path.stem.replace("-", "_"), path)
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        return loaded

    return load


@pytest.fixture
def run_script(tmp_path):
    """Run an entry script with arguments in a fresh folder; both streams are bytes."""

    def run(script, *arguments, cwd=tmp_path, env=None, **options):
        return subprocess.run(
            [sys.executable, script, *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, "PYTHONUTF8": "1", "COLUMNS": "80", **(env or {})},
            capture_output=True,
            timeout=300,
            **options,
        )

    return run


@pytest.fixture(scope="session")
def refused():
    """Check a refusal: one line on standard error with all words, nothing on standard output."""

    def check(done, *words, status=2):
        lines = done.stderr.decode().splitlines()
        assert (done.returncode, done.stdout, len(lines)) == (status, b"", 1), done
        for word in words:
            assert word in lines[0]
        return lines[0]

    return check


@pytest.fixture
def framework():
    """A framework without problems, as a plain value."""
    item = {
        "issue_id": "coc-01",
        "question": "Does it restrict assignment?",
        "hit_rule": "Consent required.",
        "exclusions": [],
        "evidence": {
            "required": "verbatim quote plus section reference",
            "unresolved_when": "The clause points elsewhere",
        },
        "answer_shape": {
            "statuses": ["present", "absent", "unresolved"],
            "characterization_max_words": 30,
            "template": "SECTION: language",
        },
        "disposition": "report",
        "overlap_owner": None,
    }
    return {
        "framework_version": 1,
        "approved": False,
        "source_inputs": [{"kind": "checklist", "label": "list"}],
        "lenses": [{"lens_id": "coc", "name": "Change of control", "items": [item]}],
    }


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
