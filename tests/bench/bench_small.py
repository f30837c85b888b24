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
from side_by_side import measure, table

PACKAGE = Path(gatewright.__file__).parent
EXAMPLES = PACKAGE / "examples"


def calls(out):
    """Arguments of each entry script on the bundled examples."""
    example = {path.stem: str(path) for path in EXAMPLES.glob("*.json")}
    return {
        "emit-verdict.py": [
            "--assessment", example["assessment"], "--draft-hash", "ab" * 32, "--out-dir", str(out),
        ],
        "recount-palette-orphans.py": ["--blueprint", example["blueprint"]],
        "validate_framework.py": ["--framework", example["framework"]],
        "reconcile_counts.py": [
            "--manifest", example["manifest"], "--findings", example["findings"],
            "--framework", example["framework"],
        ],
    }  # fmt: skip


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 41
    with tempfile.TemporaryDirectory() as folder:
        commands = {"python -c pass": [sys.executable, "-c", "pass"]}
        for name, arguments in calls(folder).items():
            script = PACKAGE / "shims" / name
            if script.exists():
                commands[name] = [sys.executable, str(script), *arguments]
        print(f"{rounds} rounds\n")
        print(table(measure(commands, rounds), "python -c pass"))


if __name__ == "__main__":
    main()
