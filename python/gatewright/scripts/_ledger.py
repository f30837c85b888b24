"""What the modules of the ledger scripts share."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Callable

from gatewright._native import run_command


def main_of(name: str, namespace: dict[str, object]) -> Callable[[], int]:
    """The ``main`` of the entry script with these globals.

    Args:
        name: command name, e.g. ``build_checker_plan``.
        namespace: globals of the entry script, or of the module that stands in for it.

    Returns:
        A function that runs the command with the process's arguments, returns 0 when it
        succeeded and otherwise exits through ``sys.exit`` with the command's status.
    """

    def main() -> int:
        """Run the command with the process's arguments."""
        script = namespace.get("__file__")
        status = run_command(name, sys.argv[1:], script if isinstance(script, str) else None)
        if status:
            sys.exit(status)
        return 0

    return main


def canonical_digest(value: object) -> str:
    """SHA-256 over the canonical JSON of a value.

    The digest is defined over what Python's own ``json.dumps`` writes, so that writes it here.

    Args:
        value: plain Python objects, as ``json.loads`` returns them.

    Returns:
        64 hex digits.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
