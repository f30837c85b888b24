"""The native ``gatewright`` on small work against ``python -c pass``.

    python tests/bench/bench_start.py [PROGRAM] [ROUNDS]

PROGRAM is the installed command unless named; it must be the native one, of a release build. Wanted:
``--version`` in at most 4 ms, ``framework check`` of a small file in at most 5 ms, a hook that
fails in at most 20 ms.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

import gatewright
from side_by_side import Command, measure

EXAMPLES = Path(gatewright.__file__).parent / "examples"
CONFIGURATION = '[[gate]]\ngate = "framework check"\ninputs = ["framework.json"]\n'

#: Milliseconds.
WANTED = {"--version": 4, "framework check": 5, "evidence find": 5, "hook, failing": 20}


def repository(folder: Path) -> Path:
    """A repository with a faulty framework; the event of an agent that wrote it."""
    framework = json.loads((EXAMPLES / "framework.json").read_text("utf-8"))
    framework["lenses"][0]["items"][0]["question"] = " "
    (folder / "framework.json").write_text(json.dumps(framework), "utf-8")
    (folder / "gatewright.toml").write_text(CONFIGURATION, "utf-8")
    (folder / "source.txt").write_text("The Tenant may terminate this Lease.\n" * 200, "utf-8")
    event = {"cwd": str(folder), "tool_input": {"file_path": str(folder / "framework.json")}}
    (folder / "event.json").write_text(json.dumps(event), "utf-8")
    return folder / "event.json"


def main() -> None:
    """Print a row for each command."""
    program = sys.argv[1] if len(sys.argv) > 1 else shutil.which("gatewright")
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    if program is None or Path(program).read_bytes()[:2] == b"#!":
        raise SystemExit(f"{program} is not the native command: install a wheel, or name a program")
    with tempfile.TemporaryDirectory() as name:
        event = repository(Path(name))
        source = str(Path(name, "source.txt"))
        hook = 'exec "$0" hook < "$1"'
        figures = measure(
            {
                "python3 -c pass": Command([sys.executable, "-c", "pass"]),
                "--version": Command([program, "--version"]),
                "framework check": Command(
                    [program, "framework", "check", str(EXAMPLES / "framework.json")]
                ),
                "evidence find": Command(
                    [program, "evidence", "find", "--source", source, "--quote=may terminate this"]
                ),
                "sh -c :": Command(["sh", "-c", ":"]),
                "hook, failing": Command(["sh", "-c", hook, program, str(event)], 2),
            },
            rounds,
        )
    print(f"{'command':<18}{'best ms':>9}{'median ms':>11}{'CPU ms':>9}{'wanted':>8}")
    for label, found in figures.items():
        times = [f"{seconds * 1000:.1f}" for seconds in found[:3]]
        wanted = WANTED.get(label, "")
        print(f"{label:<18}{times[0]:>9}{times[1]:>11}{times[2]:>9}{wanted:>8}")


if __name__ == "__main__":
    main()
