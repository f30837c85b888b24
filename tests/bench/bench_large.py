"""The gates on large inputs, against reading the same file with ``json`` and ``orjson``.

    python tests/bench/bench_large.py [--rounds N] [--data FOLDER] [GATE...]

GATE is reconcile, recount or framework; all three without one. The inputs are made in a temporary
folder, or kept in FOLDER for the next run: a ledger of 1,000,000 findings (340 MB), a blueprint of
5,000 screens (80 MB), a framework of 20,000 items (17 MB). Wanted of ``json.load``: reconcile and
recount 0.25, framework 0.50. Needs the installed package; orjson is timed when it is there.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import gatewright
from side_by_side import Command, measure, table

HERE = Path(__file__).parent
SHIMS = Path(gatewright.__file__).parent / "shims"
LOAD = "import json,sys; json.load(open(sys.argv[1], encoding='utf-8'))"
ORJSON_LOADS = "import orjson,sys; orjson.loads(open(sys.argv[1], 'rb').read())"
GATES = ("reconcile", "recount", "framework")


def script(name: str, *arguments: str) -> list[str]:
    """Command line of an entry script."""
    return [sys.executable, str(SHIMS / name), *arguments]


def umbrella(*arguments: str) -> list[str]:
    """Command line of the umbrella command."""
    return [sys.executable, "-m", "gatewright", *arguments]


def ledger(folder: Path, units: int, issues: int) -> Path:
    """A review run of that size, made unless it is there."""
    run = folder / f"ledger-{units}-{issues}"
    if not (run / "findings.json").exists():
        sizes = [str(units), str(issues)]
        subprocess.run([sys.executable, HERE / "gen_ledger.py", *sizes, run], check=True)
    return run


def reconcile(folder: Path) -> tuple[Path, dict[str, Command]]:
    """The file that counts and the commands on it."""
    run = ledger(folder, 10_000, 100)
    paths = [f"--{name}={run / name}.json" for name in ("manifest", "findings", "framework")]
    return run / "findings.json", {
        "reconcile_counts.py": Command(script("reconcile_counts.py", *paths), words="RECONCILED"),
    }


def recount(folder: Path) -> tuple[Path, dict[str, Command]]:
    """The file that counts and the commands on it."""
    path = folder / "blueprint.json"
    if not path.exists():
        # Not in this process: what it holds would count as memory of the commands it starts.
        subprocess.run([sys.executable, HERE / "blueprints.py", "5000", path], check=True)
    drop_in = script("recount-palette-orphans.py", "--blueprint", str(path))
    return path, {
        "recount-palette-orphans.py": Command(drop_in, words='"orphan_count": 0'),
        "gatewright blueprint recount": Command(umbrella("blueprint", "recount", str(path))),
    }


def framework(folder: Path) -> tuple[Path, dict[str, Command]]:
    """The file that counts and the commands on it."""
    path = ledger(folder, 10, 20_000) / "framework.json"
    allow = "--allow-approved"
    drop_in = script("validate_framework.py", "--framework", str(path), allow)
    return path, {
        "validate_framework.py": Command(drop_in, words="OK: "),
        "gatewright framework check": Command(umbrella("framework", "check", str(path), allow)),
    }


def main() -> None:
    """Print a table for each gate."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path)
    parser.add_argument("gates", nargs="*", metavar="GATE", help=", ".join(GATES))
    arguments = parser.parse_args()
    unknown = set(arguments.gates) - set(GATES)
    if unknown:
        parser.error(f"no gate {', '.join(sorted(unknown))}; there are {', '.join(GATES)}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.data or Path(temporary)
        for gate in arguments.gates or GATES:
            path, commands = {"reconcile": reconcile, "recount": recount, "framework": framework}[
                gate
            ](folder)
            size = path.stat().st_size
            commands["json.load"] = Command([sys.executable, "-c", LOAD, str(path)])
            if find_spec("orjson") is not None:
                commands["orjson.loads"] = Command([sys.executable, "-c", ORJSON_LOADS, str(path)])
            commands["python -c pass"] = Command([sys.executable, "-c", "pass"])
            print(f"{gate}: {path.name}, {size / 1e6:.0f} MB, {arguments.rounds} rounds\n")
            print(table(measure(commands, arguments.rounds), "json.load"), "\n")


if __name__ == "__main__":
    main()
