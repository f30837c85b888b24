"""Time ``gatewright.assess`` on a large draft against Python's ``json.load`` of its blueprint.

Run: ``python tests/bench/bench_assess.py BLUEPRINT.json``, where the file holds many screens (5000
screens of the blueprint generator are about 90 MB). It is extended to a draft with the sections of
the small draft of the tests. Gates are given as results, so their time is not in it. Aim: 0.6.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

import gatewright
from draft_builder import PASS, Draft


def best(work, rounds: int = 3) -> float:
    """Seconds of the fastest of several rounds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print both times and their ratio."""
    given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Draft().write(Path(scratch) / "draft")
        path = folder / "blueprint.json"
        whole = json.loads(path.read_text(encoding="utf-8"))
        whole["screens"] = given.pop("screens")
        whole["design_tokens"]["palette"] += given["design_tokens"]["palette"]
        path.write_text(json.dumps(whole, ensure_ascii=False), encoding="utf-8")
        size = path.stat().st_size
        del whole, given

        def load() -> None:
            with path.open(encoding="utf-8") as handle:
                json.load(handle)

        def assess() -> None:
            gatewright.assess(folder, gate_results={"mermaid-validate": PASS, "doc-emit": PASS})

        loaded, assessed = best(load), best(assess)
        print(f"{size / 1e6:.0f} MB: json.load {loaded:.3f} s, assess {assessed:.3f} s")
        print(f"ratio {assessed / loaded:.2f}")


if __name__ == "__main__":
    main()
