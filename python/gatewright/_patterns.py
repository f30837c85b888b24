"""Python's own ``re`` for the schema patterns that the native module does not translate.

A search that takes longer than :data:`SECONDS` is given up where signals allow it: in the main
thread, on systems with interval timers, when nobody else uses the timer. Elsewhere such a search
ends when it ends; Ctrl-C stops it.
"""

from __future__ import annotations

import re
import signal
import sys
import threading
import warnings
from types import FrameType

#: Longest time for one search.
SECONDS = 5.0


def search(pattern: str, subject: str) -> bool:
    """Whether ``re.search(pattern, subject)`` finds a match.

    Raises:
        re.error: the pattern cannot be used.
        TimeoutError: the search took too long.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = re.compile(pattern)
    if not _may_use_timer():
        return compiled.search(subject) is not None
    before = signal.signal(signal.SIGALRM, _give_up)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        return compiled.search(subject) is not None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _may_use_timer() -> bool:
    return (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    )


def _give_up(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError(f"a search took longer than {SECONDS:g} seconds")


def serve() -> None:
    """Answer the native command's searches until its end: a line of JSON each way.

    In: ``[pattern, subject]``. Out: first ``{"version": ...}``, then for each line
    ``{"found": bool}`` or ``{"error": words}``.
    """
    # Not above: a search inside a Python process needs neither.
    import json

    from gatewright._native import __version__

    def answer(fields: dict[str, object]) -> None:
        sys.stdout.write(json.dumps(fields) + "\n")
        sys.stdout.flush()

    answer({"version": __version__})
    for line in sys.stdin:
        pattern, subject = json.loads(line)
        try:
            answer({"found": search(pattern, subject)})
        except Exception as fault:  # whatever a search raises is its answer
            # A lone surrogate has no place in the answer's text.
            words = str(fault).encode("utf-8", "backslashreplace").decode()
            answer({"error": words})
