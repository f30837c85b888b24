"""What ``render_readback.py`` offers to scripts that import it."""

from __future__ import annotations

from typing import Any

from gatewright import _native
from gatewright.scripts._ledger import main_of

__all__ = ["build_readback", "hit_rule_line", "materiality_line"]


def build_readback(framework: object) -> dict[str, Any]:
    """The read-back of a valid framework.

    Args:
        framework: the framework as a plain dict.

    Returns:
        ``{"approved", "framework_version", "items"}`` with a row per item, in framework order.

    Raises:
        GatewrightError: a part that a row needs is missing.
    """
    return _native.ledger_readback(framework)


def hit_rule_line(item: object) -> str:
    """The hit rule of an item and what does not count.

    Args:
        item: a framework item as a plain dict.
    """
    return _native.ledger_hit_rule_line(item)


def materiality_line(item: object) -> str:
    """The materiality of an item in one line, ``not requested`` when there is none.

    Args:
        item: a framework item, or its ``materiality``, as a plain dict.
    """
    return _native.ledger_materiality_line(item)


def bind(namespace: dict[str, object]) -> None:
    """Put the script's names into ``namespace``, the entry script's globals."""
    namespace.update(
        build_readback=build_readback,
        hit_rule_line=hit_rule_line,
        materiality_line=materiality_line,
        main=main_of("render_readback", namespace),
    )
