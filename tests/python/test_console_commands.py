"""The console commands: each drop-in under its name without ending."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
DECLARED = dict(re.findall(r'^(\S+) = "gatewright\._commands:(\w+)"$', PROJECT, re.MULTILINE))


def test_every_entry_script_has_its_command(shims):
    assert sorted(DECLARED) == sorted(path.stem for path in shims.glob("*.py"))


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_a_command_is_its_script(name, shims, tmp_path):
    function = DECLARED[name]
    call = f"import sys; from gatewright._commands import {function}; sys.exit({function}())"
    words = {"cwd": tmp_path, "capture_output": True, "timeout": 60}
    command = subprocess.run([sys.executable, "-c", call, "--nonsense"], **words)
    script = subprocess.run([sys.executable, shims / f"{name}.py", "--nonsense"], **words)
    assert (command.returncode, command.stdout, command.stderr) == (2, script.stdout, script.stderr)
    assert command.stderr.startswith(f"usage: {name}.py ".encode())
