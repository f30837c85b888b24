"""Time whole processes side by side: what stands in a row ran in turns, in one run.

In: commands by name. Out: wall time, processor time and peak memory of each. A command that does
not end with its expected status stops the run: the time of a failure is no figure.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

# Kilobytes everywhere but on macOS.
PEAK_UNIT = 1 if sys.platform == "darwin" else 1024


class Command(NamedTuple):
    """A command line, the status it must end with and words its standard output must hold."""

    arguments: list[str]
    status: int = 0
    words: str = ""


class Run(NamedTuple):
    """One run: seconds on the wall, seconds of processor, peak bytes."""

    wall: float
    processor: float
    peak: int


class Figures(NamedTuple):
    """What the rounds of one command came to; peak is the largest."""

    best: float
    median: float
    processor: float
    peak: int


def once(command: Command) -> Run:
    """Run ``command``; ends the program when it did not do its work."""
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        process = subprocess.Popen(command.arguments, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        if process.returncode != command.status or command.words.encode() not in out.read():
            raise SystemExit(
                f"{' '.join(command.arguments)}: ended with {process.returncode}, wanted "
                f"{command.status} and an answer with {command.words!r}"
            )
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * PEAK_UNIT)


def measure(commands: dict[str, Command], rounds: int) -> dict[str, Figures]:
    """Figures of every command, each round running all of them in turn after one to warm up."""
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for command in commands.values():
        once(command)
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(once(command))
    return {
        name: Figures(
            min(run.wall for run in found),
            statistics.median(run.wall for run in found),
            statistics.median(run.processor for run in found),
            max(run.peak for run in found),
        )
        for name, found in runs.items()
    }


def table(measured: dict[str, Figures], base: str) -> str:
    """A Markdown table with each command's share of ``base``."""
    lines = [
        "| command | best | median | processor | peak | best / base | median / base |",
        "|---|---|---|---|---|---|---|",
    ]
    reference = measured[base]
    for name, found in measured.items():
        lines.append(
            f"| {name} | {found.best * 1000:.1f} ms | {found.median * 1000:.1f} ms "
            f"| {found.processor * 1000:.1f} ms | {found.peak / 1e6:.0f} MB "
            f"| {found.best / reference.best:.3f} | {found.median / reference.median:.3f} |"
        )
    return "\n".join(lines)
