"""The console commands: each drop-in under its name without ending."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
DECLARED = dict(re.findall(r'^(\S+) = "gatewright\._commands:(\w+)"$', PROJECT, re.MULTILINE))


def test_every_entry_script_has_its_command(shims):
    assert sorted(DECLARED) == sorted(
        path.stem for path in shims.iterdir() if path.suffix in (".py", ".sh")
    )


@pytest.mark.parametrize("name", sorted(set(DECLARED) - {"dc-validate-scorecard"}))
def test_a_command_is_its_script(name, shims, tmp_path):
    function = DECLARED[name]
    # As an installed command sees itself.
    call = f"import sys; sys.argv[0] = {f'bin/{name}'!r}; "
    call += f"from gatewright._commands import {function}; sys.exit({function}())"
    words = {"cwd": tmp_path, "capture_output": True, "timeout": 60}
    command = subprocess.run([sys.executable, "-c", call, "--nonsense"], **words)
    script = subprocess.run([sys.executable, shims / f"{name}.py", "--nonsense"], **words)
    assert (command.returncode, command.stdout, command.stderr) == (2, script.stdout, script.stderr)
    assert command.stderr.startswith(f"usage: {name}.py ".encode())


@pytest.mark.parametrize("arguments", [[], ["rev", "nowhere"], ["a/b", "."]])
def test_the_command_of_the_shell_script_needs_no_shell(shims, tmp_path, arguments):
    code = "import sys; from gatewright._commands import dc_validate_scorecard as f; sys.exit(f())"
    words = {"cwd": tmp_path, "capture_output": True, "timeout": 60}
    command = subprocess.run([sys.executable, "-c", code, *arguments], **words)
    environment = {**os.environ, "GATEWRIGHT_PYTHON": sys.executable}
    script = shims / "dc-validate-scorecard.sh"
    script = subprocess.run(["sh", script, *arguments], env=environment, **words)
    assert command.returncode == script.returncode == (1 if arguments else 2)
    assert (command.stdout, command.stderr) == (script.stdout, script.stderr)
