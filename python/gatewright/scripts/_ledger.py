"""What the modules of the ledger scripts share."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gatewright._native import run_main


def load(
    name: str,
    path: str | Path,
    label: str,
    required: Sequence[str],
) -> Any:  # noqa: ANN401 - a JSON document
    """The JSON document at ``path``.

    Args:
        name: the script without ``.py``, for the message.
        path: the file.
        label: what the file is, for the message.
        required: members that the root must have.

    Raises:
        SystemExit: with the message, when the file cannot be read or lacks a member.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as fault:
        raise SystemExit(f"{name}: cannot read {label}: {fault}") from fault
    for key in required:
        if key not in data:
            raise SystemExit(f"{name}: {label} missing key {key!r}")
    return data


def write(path: str | Path, value: object) -> None:
    """Write ``value`` to ``path`` as every artifact of the chain; the folder is made."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(value, indent=2, sort_keys=True) + "\n"
    Path(path).write_text(text, encoding="utf-8")


def run(name: str, namespace: dict[str, Any]) -> None:
    """Run the command with the process's arguments in the native gate.

    Args:
        name: command name, e.g. ``build_checker_plan``.
        namespace: globals of the entry script, or of the module that stands in for it.

    Raises:
        SystemExit: with the text of a refusal, which is not printed, or with a status.
    """
    script = namespace.get("__file__")
    status, refusal = run_main(name, sys.argv[1:], script if isinstance(script, str) else None)
    if refusal:
        raise SystemExit(refusal)
    if status:
        raise SystemExit(status)
