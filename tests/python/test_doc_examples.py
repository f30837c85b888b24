"""Every console block of the pages below prints what the page shows, in a fresh demo folder."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(page: str) -> list[tuple[str, str]]:
    """Commands of a page with what each is shown to print."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = []
    for block in BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            found.append((command, shown))
    return found


@pytest.mark.parametrize("page", ["evidence.md", "ledger.md", "blueprints.md"])
def test_console_blocks_print_what_the_page_shows(page, tmp_path):
    gatewright = [sys.executable, "-m", "gatewright"]
    subprocess.run([*gatewright, "demo", "room"], cwd=tmp_path, check=True, capture_output=True)
    found = examples(page)
    assert found
    for command, shown in found:
        name, *arguments = shlex.split(command)
        assert name == "gatewright", command
        done = subprocess.run(
            [*gatewright, *arguments],
            cwd=tmp_path / "room",
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        assert done.stdout + done.stderr == shown, command
        assert done.returncode in (0, 1), command
