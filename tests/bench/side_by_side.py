"""Time whole processes side by side: what stands in a row ran in turns, in one run.

In: commands by name. Out: the best and the median wall time of each in seconds.
"""

from __future__ import annotations

import statistics
import subprocess
import time


def once(command, **options):
    """Wall seconds of one run."""
    start = time.perf_counter()
    subprocess.run(
        command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options
    )
    return time.perf_counter() - start


def measure(commands, rounds):
    """Best and median of every command, each round running all of them in turn."""
    times = {name: [] for name in commands}
    for command in commands.values():
        once(command)
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(once(command))
    return {name: (min(found), statistics.median(found)) for name, found in times.items()}


def table(measured, base):
    """A Markdown table with each command's share of ``base``."""
    lines = ["| command | best | median | best / base | median / base |", "|---|---|---|---|---|"]
    best, median = measured[base]
    for name, (quickest, usual) in measured.items():
        lines.append(
            f"| {name} | {quickest * 1000:.1f} ms | {usual * 1000:.1f} ms "
            f"| {quickest / best:.3f} | {usual / median:.3f} |"
        )
    return "\n".join(lines)
