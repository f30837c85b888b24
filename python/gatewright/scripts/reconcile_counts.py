"""What ``reconcile_counts.py`` offers to scripts beside it, on plain Python objects."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from gatewright import _native

if TYPE_CHECKING:
    import os

#: Readabilities that make a unit reviewable.
REVIEWABLE = set(_native.counts_reviewable())


def load(path: str | os.PathLike[str], kind: str, required_keys: Sequence[str]) -> dict[str, Any]:
    """The JSON document at ``path``.

    Args:
        path: file.
        kind: what the file is, for the message.
        required_keys: members that the root must have.

    Raises:
        SystemExit: with the message, when the file cannot be read or lacks a member.
    """
    import json

    try:
        with open(path, encoding="utf-8") as handle:  # noqa: PTH123 - pathlib costs start-up time
            data: dict[str, Any] = json.load(handle)
    except (OSError, json.JSONDecodeError) as fault:
        raise SystemExit(f"reconcile_counts: cannot read {kind} at {path}: {fault}") from None
    for key in required_keys:
        if key not in data:
            raise SystemExit(f"reconcile_counts: {kind} missing key {key!r}")
    return data


def unit_map(manifest: object, families: object) -> dict[Any, Any]:
    """The unit of every substantive document.

    Args:
        manifest: the manifest as a plain dict.
        families: the family map as a plain dict, or None.

    Returns:
        ``{document id: unit id}`` in manifest order.
    """
    return _native.counts_unit_map(manifest, families)


def reconcile(
    manifest: object, findings: object, framework: object, families: object = None
) -> dict[str, Any]:
    """Reconcile a ledger.

    Args:
        manifest: the manifest as a plain dict.
        findings: the ledger as a plain dict.
        framework: the framework as a plain dict.
        families: the family map as a plain dict, or None.

    Returns:
        ``ok``, ``lines`` (the report), ``errors``, ``totals``, ``per_lens``, ``per_issue``,
        ``reviewable_units``, ``unreadable_units``, ``parked_units``.

    Raises:
        KeyError: a member that is needed is missing.
        TypeError: a value cannot be an id, a list, or be sorted.
        AttributeError: something else stands where an object or a text is needed.
    """
    return _native.counts_reconcile(manifest, findings, framework, families)


def main() -> NoReturn:
    """Run the command with the process's arguments and exit with its status."""
    sys.exit(_native.run_command("reconcile_counts", sys.argv[1:]))


def bind(namespace: dict[str, object]) -> None:
    """Put the public names into an entry script's ``namespace``."""
    namespace.update(
        REVIEWABLE=REVIEWABLE, load=load, main=main, reconcile=reconcile, unit_map=unit_map
    )
