"""Run one process and measure it; a failing one ends the benchmark.

In: a command line. Out: its wall and processor seconds, its peak memory and what it printed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


class Run(NamedTuple):
    """What one process took."""

    wall: float
    processor: float
    peak: int
    stdout: str


def measured(command: list[str], status: int = 0) -> Run:
    """Run ``command``, which must end with ``status``.

    A small parent is needed: Linux counts the memory of the parent towards the peak of what it
    starts.
    """
    with tempfile.TemporaryFile() as printed:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=printed)
        _, ended, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(ended)
        printed.seek(0)
        stdout = printed.read().decode()
    if process.returncode != status:
        raise SystemExit(f"{command} ended with {process.returncode}\n{stdout}")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * MAXRSS_UNIT, stdout)
