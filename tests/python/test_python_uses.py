"""The scripts as Python modules: the recorded uses, and the cases recorded again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import gatewright
import pytest
from recorded import cases, differences

SHIMS = Path(gatewright.__file__).parent / "shims"
USES = Path(__file__).parents[1] / "conformance" / "python_uses.py"


def test_every_recorded_use_gives_what_the_reference_gives():
    done = subprocess.run([sys.executable, USES, SHIMS], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert lines[-1] == "0 differ", done.stdout + done.stderr
    assert len(lines) == 37


@pytest.mark.parametrize("case", cases("again"), ids=lambda case: case["id"])
def test_recorded_again(case):
    assert differences(case, SHIMS / case["script"]) == []
