"""What ``merge_checker_results.py`` offers to scripts that import it."""

from __future__ import annotations

from gatewright.scripts._ledger import canonical_digest, main_of

__all__ = ["RESULT_KEYS", "VERDICTS", "canonical_digest"]

#: What a checker may say.
VERDICTS = {"confirmed", "refuted", "unresolved"}
#: The members of a checker result, no more and no less.
RESULT_KEYS = {"checker_plan_id", "finding_id", "objection", "verdict"}


def bind(namespace: dict[str, object]) -> None:
    """Put the script's names into ``namespace``, the entry script's globals."""
    namespace["VERDICTS"] = set(VERDICTS)
    namespace["RESULT_KEYS"] = set(RESULT_KEYS)
    namespace["canonical_digest"] = canonical_digest
    namespace["main"] = main_of("merge_checker_results", namespace)
