"""The public names of the package and where each is defined.

``gatewright/__init__.py`` is compiled and run by every gate call, so it holds nothing: a public
name is looked up here at first use. ``gatewright/__init__.pyi`` declares the names for type
checkers, and a test keeps the two lists equal.
"""

from __future__ import annotations

from importlib import import_module

#: Public name -> module that defines it.
HOMES = {
    "Assessment": "gatewright.draft",
    "DraftFinding": "gatewright.draft",
    "Finding": "gatewright.outcome",
    "Document": "gatewright.evidence",
    "Match": "gatewright.evidence",
    "Place": "gatewright.evidence",
    "Run": "gatewright._run",
    "check_scorecard": "gatewright.scorecard",
    "ground": "gatewright.evidence",
    "read": "gatewright.evidence",
    "GatewrightError": "gatewright.errors",
    "Location": "gatewright.outcome",
    "Outcome": "gatewright.outcome",
    "accept_draft": "gatewright.blueprint",
    "assess": "gatewright.draft",
    "decide": "gatewright.blueprint",
    "recount_palette": "gatewright.blueprint",
    "check_framework": "gatewright.framework",
    "reconcile": "gatewright.ledger",
    "run": "gatewright._run",
    "__version__": "gatewright._native",
}


def load(name: str, namespace: dict[str, object]) -> object:
    """The public name ``name``, kept in ``namespace`` for the next time.

    Raises:
        AttributeError: when the package has no such name.
    """
    if name == "__all__":
        return sorted(HOMES)
    home = HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'gatewright' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    namespace[name] = value
    return value


def names() -> list[str]:
    """Public names, loaded or not, sorted."""
    return sorted(HOMES)
