"""Every drop-in command on a small input against ``python -c pass``.

    python tests/bench/bench_small.py [ROUNDS]

Wanted: at most 1.20 of ``python -c pass``, better 1.10. The inputs are the examples that
ship with the package.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import gatewright
from side_by_side import Command, measure, table

PACKAGE = Path(gatewright.__file__).parent
EXAMPLES = PACKAGE / "examples"


def calls(out):
    """Each entry script on the bundled examples, two of which hold a planted fault."""
    example = {path.stem: str(path) for path in EXAMPLES.glob("*.json")}

    def command(name, *arguments, status=0):
        return Command([sys.executable, str(PACKAGE / "shims" / name), *arguments], status)

    return {
        "emit-verdict.py": command(
            "emit-verdict.py", "--assessment", example["assessment"],
            "--draft-hash", "ab" * 32, "--out-dir", out, status=1,
        ),
        "recount-palette-orphans.py": command(
            "recount-palette-orphans.py", "--blueprint", example["blueprint"], status=1
        ),
        "validate_framework.py": command(
            "validate_framework.py", "--framework", example["framework"]
        ),
        "reconcile_counts.py": command(
            "reconcile_counts.py", "--manifest", example["manifest"],
            "--findings", example["findings"], "--framework", example["framework"], status=1,
        ),
    }  # fmt: skip


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 41
    with tempfile.TemporaryDirectory() as folder:
        commands = {"python -c pass": Command([sys.executable, "-c", "pass"]), **calls(folder)}
        print(f"{rounds} rounds\n")
        print(table(measure(commands, rounds), "python -c pass"))


if __name__ == "__main__":
    main()
