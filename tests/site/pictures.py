"""Make the two pictures of README and site from the bundled example, with a headless Chromium.

    python tests/site/pictures.py

writes ``docs/images/report.png`` (the HTML report of ``gatewright demo``) and ``docs/images/terminal.png`` (what
the terminal shows). Run it when the look of either has changed, and look at what came out.
"""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))

from chromium import Browser  # noqa: E402 - lies in a folder of its own

IMAGES = ROOT / "docs" / "images"
COLOURS = {"31": "#ff8a80", "32": "#8fdcae", "33": "#f5cf7a", "1": "", "2": "#a7aebb"}
PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: #14161a; color: #e8eaee; }}
pre {{ margin: 0; padding: 24px 28px; font: 15px/1.5 "DejaVu Sans Mono", monospace; white-space: pre-wrap; }}
.prompt {{ color: #9dbdff; }}</style><pre>{body}</pre>"""


def gatewright(*words: str, folder: Path) -> str:
    """Standard output of a command, coloured."""
    done = subprocess.run(
        [sys.executable, "-m", "gatewright", *words],
        cwd=folder,
        env={**os.environ, "FORCE_COLOR": "1", "NO_COLOR": "", "COLUMNS": "100"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"gatewright {' '.join(words)}: {done.stderr}")
    return done.stdout


def painted(text: str) -> str:
    """A terminal's text as HTML: the few colours that reports use."""
    out, is_open = "", False
    for part in re.split(r"(\x1b\[[0-9;]*m)", text):
        match = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if not match:
            out += html.escape(part)
            continue
        out += "</span>" if is_open else ""
        is_open = match[1] not in ("", "0")
        if is_open:
            color = COLOURS.get(match[1], "")
            style = f"color: {color}" if color else "font-weight: 700"
            out += f'<span style="{style}">'
    return out + ("</span>" if is_open else "")


def main() -> None:
    """Write both pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    example = ROOT / "python" / "gatewright" / "examples"
    with tempfile.TemporaryDirectory() as name, Browser() as browser:
        folder = Path(name)
        command = ["blueprint", "recount", "blueprint.json"]
        for file in example.iterdir():
            if file.is_file():
                (folder / file.name).write_bytes(file.read_bytes())
        body = "".join(
            f'<span class="prompt">$ gatewright {" ".join(words)}</span>\n'
            + painted(gatewright(*words, folder=folder))
            for words in (
                command,
                ["evidence", "find", "--source", "lease.txt", "--quotes", "quotes.json"],
            )
        )
        page = folder / "terminal.html"
        page.write_text(PAGE.format(body=body), encoding="utf-8")
        browser.open(page, width=1000, height=200)
        browser.screenshot(IMAGES / "terminal.png")
        report = folder / "report.html"
        report.write_text(gatewright("demo", "--format", "html", folder=folder), encoding="utf-8")
        browser.open(report, width=1200, height=900)
        browser.screenshot(IMAGES / "report.png", full=False)


if __name__ == "__main__":
    main()
