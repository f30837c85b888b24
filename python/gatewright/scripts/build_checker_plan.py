"""What ``build_checker_plan.py`` offers to scripts that import it."""

from __future__ import annotations

import hashlib

from gatewright.scripts._ledger import canonical_digest, main_of

__all__ = ["canonical_digest", "result_name"]


def result_name(finding_id: str) -> str:
    """File name of the checker result for a finding.

    Args:
        finding_id: the finding's id.

    Returns:
        The first 16 hex digits of SHA-256 over the id, and ``.json``.
    """
    return hashlib.sha256(finding_id.encode("utf-8")).hexdigest()[:16] + ".json"


def bind(namespace: dict[str, object]) -> None:
    """Put the script's names into ``namespace``, the entry script's globals."""
    namespace["canonical_digest"] = canonical_digest
    namespace["result_name"] = result_name
    namespace["main"] = main_of("build_checker_plan", namespace)
