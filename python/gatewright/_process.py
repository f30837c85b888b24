"""Rare turns of a command's process: an interrupt, a closed standard output."""

from __future__ import annotations

import os
import signal
import sys


def end_by_interrupt() -> None:
    """End this process as Ctrl-C ends one without handlers, so that the caller sees the signal."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)


def silence_stdout() -> None:
    """Point standard output at nothing, so that the interpreter's last flush cannot fail."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (AttributeError, OSError, ValueError):
        return
