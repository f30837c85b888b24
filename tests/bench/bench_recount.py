"""The palette recount of a large blueprint against ``json.load`` of the same file.

    python tests/bench/bench_recount.py [BLUEPRINT.json] [ROUNDS]

Without a file a blueprint of 5,000 screens is made. Wanted: at most 0.25 of ``json.load``,
better 0.12.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import gatewright
from blueprints import blueprint
from side_by_side import measure, table

LOAD = "import json,sys; json.load(open(sys.argv[1], encoding='utf-8'))"


def main():
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 1:
            path = sys.argv[1]
        else:
            path = str(Path(folder) / "blueprint.json")
            Path(path).write_text(json.dumps(blueprint(5000), ensure_ascii=False), encoding="utf-8")
        script = str(Path(gatewright.__file__).parent / "shims" / "recount-palette-orphans.py")
        commands = {
            "json.load": [sys.executable, "-c", LOAD, path],
            "recount-palette-orphans.py": [sys.executable, script, "--blueprint", path],
            "gatewright blueprint recount": [
                sys.executable,
                "-m",
                "gatewright",
                "blueprint",
                "recount",
                path,
            ],
        }
        print(f"{Path(path).stat().st_size / 1e6:.0f} MB, {rounds} rounds\n")
        print(table(measure(commands, rounds), "json.load"))


if __name__ == "__main__":
    main()
