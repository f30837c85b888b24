"""How long ``gatewright scorecard check`` takes on many scorecards, on inputs made here.

In: a number of run folders (default 10,000), each with a 20 KB INPUT.md and one scorecard of ten
findings. Out: milliseconds for each scorecard by the clock and on the processor, on one core and
on all, and peak memory; the limits stand beside each figure. Once every quote stands in its
source, once a word is missing from one quote in ten. Run with
``python tests/bench/scorecards.py``; needs an installed release build. Status 1 when the command
did not answer what the inputs were made for, so that no figure stands for work that was not done.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LINE_WIDTH = 72
FINDINGS = 10
SOURCE_BYTES = 20_000
LIMIT_MS = 1
LIMIT_MB = 300


def prose(noise: random.Random, words: list[str]) -> str:
    """About 20 KB of words in lines."""
    lines: list[str] = []
    line = ""
    size = 0
    while size < SOURCE_BYTES:
        line += noise.choice(words) + " "
        if len(line) > LINE_WIDTH:
            lines.append(line.rstrip())
            size += len(lines[-1]) + 1
            line = ""
    return "\n".join(lines) + "\n"


def card(noise: random.Random, source: str, spoils: bool) -> str:
    """A scorecard whose evidence stands in the source, every second time across a line end.

    With ``spoils`` the last finding lacks a word.
    """
    lines = source.splitlines()
    parts = ["---", "persona: rev", "run_id: r1", "findings:"]
    for number in range(FINDINGS):
        at = noise.randrange(len(lines) - 1)
        evidence = lines[at] if number % 2 else f"{lines[at][20:]} {lines[at + 1][:30]}"
        if spoils and number == FINDINGS - 1:
            words = evidence.split()
            evidence = " ".join(words[:3] + words[4:])
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


def refuse(said: str, errors: bytes) -> None:
    """End with what went wrong instead of a figure."""
    sys.exit(f"NO FIGURE: {said}; stderr: {errors[-500:].decode(errors='replace')!r}")


def verify_one(runs: Path, dropped: int) -> None:
    """The command judges the first scorecard as it was made to be judged."""
    command = [sys.executable, "-m", "gatewright", "scorecard", "check", "--format", "json"]
    done = subprocess.run([*command, str(runs / "00000")], capture_output=True, check=False)
    if done.returncode != min(dropped, 1):
        refuse(f"status {done.returncode}, not {min(dropped, 1)}", done.stderr)
    (outcome,) = json.loads(done.stdout)["outcomes"]
    facts = outcome["facts"]
    found = (facts["findings_kept"], facts["findings_dropped"])
    if found != (FINDINGS - dropped, dropped):
        refuse(f"kept and dropped {found} of the first scorecard", done.stderr)


def measure(runs: Path, count: int, threads: int, dropped: int) -> None:
    """Check all run folders with so many threads and print the figures."""
    command = [sys.executable, "-m", "gatewright", "scorecard", "check", str(runs)]
    env = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
    output = runs.parent / "out.txt"
    start = time.perf_counter()
    with output.open("wb") as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, env=env)
    with child:
        errors = child.stderr.read() if child.stderr else b""
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    took = time.perf_counter() - start
    if child.returncode != min(dropped, 1):
        refuse(f"status {child.returncode}, not {min(dropped, 1)}", errors)
    printed = output.read_text(encoding="utf-8")
    judged = len(re.findall(rf"\b{FINDINGS - dropped} kept, {dropped} dropped", printed))
    if judged != count:
        refuse(f"{judged} of {count} scorecards were judged as they were made", errors)
    processor = used.ru_utime + used.ru_stime
    peak = used.ru_maxrss // 1024
    over = "" if peak < LIMIT_MB and processor / count * 1000 <= LIMIT_MS else "  OVER THE LIMIT"
    print(
        f"{count} scorecards, {dropped} of {FINDINGS} findings dropped, {threads} threads: "
        f"{took:.2f} s, {took / count * 1000:.3f} ms each; processor {processor:.2f} s, "
        f"{processor / count * 1000:.3f} ms each (limit {LIMIT_MS} ms on one core); "
        f"peak {peak} MB (limit {LIMIT_MB} MB){over}",
        flush=True,
    )


def main() -> None:
    """Make the run folders and measure."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    noise = random.Random(7)
    letters = "etaoinshrdlucmfwypvbgk"
    words = ["".join(noise.choices(letters, k=noise.randint(2, 9))) for _ in range(5000)]
    for dropped in (0, 1):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "persona-metadata").mkdir()
            (Path(folder) / "persona-metadata/rev.yml").write_text("banned_phrases: [consider]\n")
            runs = Path(folder) / "runs"
            for number in range(count):
                run = runs / f"{number:05}"
                run.mkdir(parents=True)
                source = prose(noise, words)
                (run / "INPUT.md").write_text(source)
                (run / "rev-draft.md").write_text(card(noise, source, spoils=dropped > 0))
            verify_one(runs, dropped)
            for threads in sorted({1, os.cpu_count() or 1}):
                measure(runs, count, threads, dropped)


if __name__ == "__main__":
    main()
