"""How long ``gatewright scorecard check`` takes on many scorecards, on inputs made here.

In: a number of run folders (default 10,000), each with a 20 KB INPUT.md and one scorecard of ten
findings. Out: milliseconds for each scorecard on one core and on all, and peak memory; the limits
stand beside each figure. Run with ``python tests/bench/scorecards.py``.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LINE_WIDTH = 72
FINDINGS = 10
SOURCE_BYTES = 20_000


def prose(noise: random.Random, words: list[str]) -> str:
    """About 20 KB of words in lines."""
    lines, line = [], ""
    while sum(map(len, lines)) + len(lines) < SOURCE_BYTES:
        line += noise.choice(words) + " "
        if len(line) > LINE_WIDTH:
            lines.append(line.rstrip())
            line = ""
    return "\n".join(lines) + "\n"


def card(noise: random.Random, source: str) -> str:
    """A scorecard whose evidence stands in the source, every second time across a line end."""
    lines = source.splitlines()
    parts = ["---", "persona: rev", "run_id: r1", "findings:"]
    for number in range(FINDINGS):
        at = noise.randrange(len(lines) - 1)
        evidence = lines[at] if number % 2 else f"{lines[at][20:]} {lines[at + 1][:30]}"
        parts += [
            "  - id: placeholder",
            f'    target: "INPUT.md:{at + 1}"',
            f'    claim: "Line {at + 1} promises what step {number} cannot keep."',
            f'    evidence: "{evidence.strip()}"',
            f'    ask: "State the limit of step {number} and what happens beyond it."',
            "    severity: major",
            "    category: operability",
        ]
    return "\n".join([*parts, "---", "", "## Summary", "", "Ten steps, ten promises.", ""])


def measure(runs: Path, count: int, threads: int) -> None:
    """Check all run folders with so many threads and print the figures."""
    command = [sys.executable, "-m", "gatewright", "scorecard", "check", str(runs)]
    env = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
    start = time.perf_counter()
    with (runs.parent / "out.txt").open("wb") as out:
        status = subprocess.run(command, stdout=out, env=env, check=False).returncode
    took = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(
        f"{count} scorecards, {threads} threads: {took:.2f} s, {took / count * 1000:.3f} ms each "
        f"(limit 1 ms on one core), peak {peak} MB (limit 300 MB), status {status}"
    )


def main() -> None:
    """Make the run folders and measure."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    noise = random.Random(7)
    letters = "etaoinshrdlucmfwypvbgk"
    words = ["".join(noise.choices(letters, k=noise.randint(2, 9))) for _ in range(5000)]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "persona-metadata").mkdir()
        (Path(folder) / "persona-metadata/rev.yml").write_text("banned_phrases: [consider]\n")
        runs = Path(folder) / "runs"
        for number in range(count):
            run = runs / f"{number:05}"
            run.mkdir(parents=True)
            source = prose(noise, words)
            (run / "INPUT.md").write_text(source)
            (run / "rev-draft.md").write_text(card(noise, source))
        for threads in (1, os.cpu_count() or 1):
            measure(runs, count, threads)


if __name__ == "__main__":
    main()
