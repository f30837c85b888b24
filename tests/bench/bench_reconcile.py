#!/usr/bin/env python3
"""Time reconcile_counts.py against reading the same ledger with json and orjson.

    python3 tests/bench/bench_reconcile.py [--units N] [--issues N] [--rounds N] [--data FOLDER]

Whole processes, run in turn, best of the rounds each; peak memory is that of the process. The data
are generated into a temporary folder unless --data names one that holds them. Needs the installed
package; orjson is timed when it is there.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import gatewright

HERE = Path(__file__).parent
SCRIPT = Path(gatewright.__file__).parent / "shims" / "reconcile_counts.py"


def measure(command: list[str]) -> tuple[float, float, float]:
    """Run ``command``: seconds on the wall, seconds of processor, peak bytes."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--units", type=int, default=10_000)
    parser.add_argument("--issues", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.data or Path(temporary)
        if arguments.data is None:
            sizes = [str(arguments.units), str(arguments.issues)]
            subprocess.run([sys.executable, HERE / "gen_ledger.py", *sizes, folder], check=True)
        ledger = str(folder / "findings.json")
        paths = [f"--{name}={folder / name}.json" for name in ("manifest", "findings", "framework")]
        load = f"import json; json.load(open({ledger!r}, encoding='utf-8'))"
        commands = {
            "reconcile_counts.py": [sys.executable, str(SCRIPT), *paths],
            "json.load": [sys.executable, "-c", load],
            "python3 -c pass": [sys.executable, "-c", "pass"],
        }
        if find_spec("orjson") is not None:
            load = f"import orjson; orjson.loads(open({ledger!r}, 'rb').read())"
            commands["orjson.loads"] = [sys.executable, "-c", load]
        size = Path(ledger).stat().st_size
        results = {name: [] for name in commands}
        for _ in range(arguments.rounds):
            for name, command in commands.items():
                results[name].append(measure(command))
    best = {name: [min(column) for column in zip(*rows)] for name, rows in results.items()}
    reference = best["json.load"]
    print(f"findings.json: {size / 1e6:.0f} MB\n")
    print("| process | wall, s | of json.load | processor, s | of json.load | peak, of the file |")
    print("|---|---|---|---|---|---|")
    for name, (wall, processor, peak) in best.items():
        print(
            f"| {name} | {wall:.3f} | {wall / reference[0]:.3f} | {processor:.3f} "
            f"| {processor / reference[1]:.3f} | {peak / size:.2f} |"
        )


if __name__ == "__main__":
    main()
