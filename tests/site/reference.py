"""A hook of the documentation site: the command reference, made from the help of the commands.

mkdocs calls :func:`on_files` while it builds. Nothing is kept in the tree, so the pages cannot differ from what
the installed ``gatewright`` says of itself.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

#: Page of the reference, as mkdocs.yml names it.
PAGE = "commands.md"


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the command reference to the site."""
    files.append(File.generated(config, PAGE, content=reference()))
    return files


def reference() -> str:
    """The help of every command as one Markdown page."""
    parts = [
        "# Commands",
        "Every command with its options, as its `--help` tells. Exit status: 0 passed, 1 findings, "
        "2 could not run.",
    ]
    for words in commands([]):
        title = " ".join(["gatewright", *words])
        parts.append(f"{'##' if len(words) < 2 else '###'} {title}")
        parts.append(f"```text\n{help_of(words)}```")
    return "\n\n".join(parts) + "\n"


def commands(words: list[str]) -> list[list[str]]:
    """``words`` and every command below, in the order of the help."""
    found = [words]
    for name in re.findall(r"^  ([a-z][a-z-]*)(?:  |$)", _section(help_of(words)), re.MULTILINE):
        if name != "help":
            found += commands([*words, name])
    return found


def help_of(words: list[str]) -> str:
    """What ``gatewright WORDS --help`` prints, 84 columns wide."""
    done = subprocess.run(
        [sys.executable, "-m", "gatewright", *words, "--help"],
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "84"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def _section(text: str) -> str:
    """The list of commands in a help text; empty when there is none."""
    match = re.search(r"^Commands:\n(.*?)(?:\n\n|\Z)", text, re.MULTILINE | re.DOTALL)
    return match.group(1) + "\n" if match else ""
