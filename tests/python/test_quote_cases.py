"""Graded quote cases: a quote is found when it is there, and what is told does not mislead."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "quotes"


def test_every_graded_case_holds():
    command = f"{shlex.quote(sys.executable)} -m gatewright"
    cases = sorted(FOLDER.glob("*.jsonl"))
    done = subprocess.run(
        [sys.executable, FOLDER / "run.py", *cases, "-v", "--command", command],
        capture_output=True,
        text=True,
    )
    passed = int((done.stdout.splitlines() or ["0"])[-1].split()[0])
    assert done.returncode == 0, done.stdout + done.stderr
    assert passed >= 151
