"""README: its example runs and prints what stands there, its commands exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8")


def test_the_example_prints_what_the_readme_shows(tmp_path):
    code, shown = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", TEXT, re.DOTALL).groups()
    script = tmp_path / "example.py"
    script.write_text(code, encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout == shown


def test_every_command_of_the_table_exists(run):
    section = TEXT.split("## The `gatewright` command")[1].split("## Python API")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    commands = []
    for row in rows:
        first, *others = re.findall(r"`([^`]+)`", row)
        group = first.split()[:-1]
        commands += [first.split(), *([*group, name] for name in others)]
    assert len(commands) > 15
    for command in commands:
        assert run(*command, "--help").returncode == 0, command


def test_every_linked_page_exists():
    links = re.findall(r"\]\(((?!https?:)[^)]+)\)", TEXT)
    assert links
    assert [link for link in links if not (README.parent / link).exists()] == []
