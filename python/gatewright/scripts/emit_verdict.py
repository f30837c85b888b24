"""What ``emit-verdict.py`` offers to scripts that import it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from gatewright._native import decide_assessment, run_command

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = [
    "EVALUATOR",
    "JST",
    "SCHEMA_VERSION",
    "UsageError",
    "build_receipt",
    "decide",
    "main",
    "run",
]

NAME = "emit-verdict"
#: ``schema_version`` of a receipt.
SCHEMA_VERSION = "1.0.0"
#: ``evaluator`` of a receipt.
EVALUATOR = "assign-blueprint-fidelity-evaluator"
#: The time zone of ``evaluated_at``.
JST = timezone(timedelta(hours=9))
#: The parts of an assessment that a receipt carries.
PARTS = (
    "findings",
    "observation_completeness",
    "load_policy_result",
    "gate_results",
    "recount",
    "reconstruction",
)


class UsageError(Exception):
    """An assessment of the wrong structure: nothing can be decided."""


def decide(assessment: dict[str, Any]) -> tuple[str, list[str]]:
    """Decide from an assessment alone.

    Args:
        assessment: the six parts as plain Python objects.

    Returns:
        ``"PASS"`` or ``"FAIL"``, and the reasons against a PASS in their fixed order.

    Raises:
        UsageError: when a part is missing or of the wrong shape.
    """
    verdict, reasons = decide_assessment(assessment)
    if verdict is None:
        raise UsageError(reasons[0])
    return verdict, reasons


def build_receipt(
    assessment: dict[str, Any], draft_hash: str, evaluated_at: str | None
) -> dict[str, Any]:
    """Build the receipt, deciding its verdict.

    Args:
        assessment: the six parts as plain Python objects.
        draft_hash: 64 lower-case hex digits.
        evaluated_at: time as text; now in +09:00 when empty or ``None``.

    Returns:
        The receipt; its parts are the objects of the assessment themselves.

    Raises:
        UsageError: when a part is missing or of the wrong shape.
    """
    verdict, _ = decide(assessment)
    receipt: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "verdict": verdict,
        "draft_hash": draft_hash,
        "evaluated_at": evaluated_at or datetime.now(JST).isoformat(timespec="seconds"),
        "evaluator": EVALUATOR,
    }
    for part in PARTS:
        receipt[part] = assessment[part]
    return receipt


def run(args: Namespace) -> int:
    """Run the command with parsed arguments.

    Args:
        args: has ``assessment``, ``draft_hash``, ``out_dir`` and ``evaluated_at``.

    Returns:
        The exit status: 0 PASS, 1 FAIL, 2 nothing written.
    """
    words = [f"--assessment={args.assessment}", f"--draft-hash={args.draft_hash}"]
    if args.out_dir is not None:
        words.append(f"--out-dir={args.out_dir}")
    if args.evaluated_at is not None:
        words.append(f"--evaluated-at={args.evaluated_at}")
    return run_command(NAME, words)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: arguments without the program's name; those of the process when ``None``.

    Returns:
        The exit status.
    """
    return run_command(NAME, list(sys.argv[1:] if argv is None else argv))


def bind(namespace: dict[str, object]) -> None:
    """Put the script's names into ``namespace``, the entry script's globals."""
    for name in __all__:
        namespace[name] = globals()[name]
