"""What ``recount-palette-orphans.py`` offers to scripts that import it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from gatewright import _native

__all__ = ["collect_observed", "collect_palette", "main", "recount"]

NAME = "recount-palette-orphans"


def collect_observed(screens: object) -> set[str]:
    """Colours observed in screens.

    Args:
        screens: the blueprint's ``screens`` as plain Python objects.

    Returns:
        Canonical forms: ``#rrggbbaa`` or the text itself.

    Raises:
        TypeError: when the screens cannot be walked.
    """
    return set(_native.observed_colors(screens))


def collect_palette(design_tokens: object) -> set[str]:
    """Colours that design tokens list.

    Args:
        design_tokens: the blueprint's ``design_tokens`` as plain Python objects.

    Returns:
        Canonical forms.

    Raises:
        TypeError: when the tokens cannot be read.
    """
    return set(_native.palette_colors(design_tokens))


def recount(blueprint: object) -> dict[str, Any]:
    """Count the observed colours that the palette lacks.

    Args:
        blueprint: the blueprint as plain Python objects.

    Returns:
        ``observed_count``, ``palette_count``, ``orphan_count`` and the sorted ``orphans``.

    Raises:
        TypeError: when the blueprint cannot be counted.
    """
    return dict(_native.recount_recorded(blueprint))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: arguments without the program's name; those of the process when ``None``.

    Returns:
        The exit status: 0 no orphan, 1 orphans, 2 unusable.
    """
    return _native.run_command(NAME, list(sys.argv[1:] if argv is None else argv))


def bind(namespace: dict[str, object]) -> None:
    """Put the script's names into ``namespace``, the entry script's globals."""
    for name in __all__:
        namespace[name] = globals()[name]
