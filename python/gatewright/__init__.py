"""Deterministic gates for work written by agents.

Importing this package loads nothing else; every public name is loaded at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gatewright._native import __version__
    from gatewright.errors import GatewrightError

#: Public name -> module that defines it.
_HOMES = {
    "GatewrightError": "gatewright.errors",
    "__version__": "gatewright._native",
}

__all__ = ["GatewrightError", "__version__"]


def __getattr__(name: str) -> object:
    """Load a public name at first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Public names, loaded or not."""
    return sorted({*globals(), *__all__})
