"""Scorecards judged by the written contract: ``check_scorecard``."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from gatewright._native import check_scorecard as _check_scorecard
from gatewright._stack import deep
from gatewright.evidence import source_bytes
from gatewright.outcome import Outcome, logged

__all__ = ["check_scorecard"]


@deep
def check_scorecard(
    text: str | bytes | PathLike[str],
    source: str | bytes | PathLike[str],
    banned_phrases: Sequence[str] | None = None,
    *,
    map_severity: bool = False,
) -> Outcome:
    """Judge one scorecard by its artifact and the persona's banned phrases.

    Args:
        text: the scorecard: Markdown with YAML front matter, or a JSON document with a
            ``findings`` list; as ``str``, as UTF-8 ``bytes``, or the ``pathlib.Path`` of its file.
        source: the artifact that evidence must stand in, in the same forms.
        banned_phrases: phrases that may not stand in claim or ask, as whole words in any letter
            case; a list of ``str``. ``None`` means that no list is known, which is a warning.
        map_severity: take high, medium and low for major, minor and nit.

    Returns:
        An ``Outcome``. ``passed`` is true when nothing was dropped and nothing is missing.
        ``facts`` has ``persona``, ``findings_kept``, ``findings_dropped``, ``kept`` (a list of
        ``{"index", "id", "severity", "mapped_from"}``, index from 0, id as stamped) and
        ``dropped`` (a list of ``{"index", "id", "reason", "phrase"}``). Reasons, in the order in
        which they are looked for: ``not_a_mapping``, ``missing_field``, ``field_not_text``,
        ``unknown_severity``, ``evidence_too_short``, ``evidence_not_verbatim``,
        ``banned_phrase_detected``. ``findings`` has rule, place, message and remedy of each.

    Raises:
        GatewrightError: the scorecard or the source cannot be read, or the source is not UTF-8.

    Source: scorecard contract, sections 8, 9 and 15.

    Example:
        >>> from gatewright import check_scorecard
        >>> card = '''---
        ... persona: rev
        ... run_id: r1
        ... findings:
        ...   - id: placeholder
        ...     target: "plan.md:3"
        ...     claim: "The export cannot be undone."
        ...     evidence: "The old endpoint was removed"
        ...     ask: "Keep it for two releases."
        ...     severity: major
        ...     category: operability
        ... ---
        ... '''
        >>> outcome = check_scorecard(card, "The old endpoint is removed.", ["consider"])
        >>> outcome.passed, outcome.facts["dropped"][0]["reason"]
        (False, 'evidence_not_verbatim')
        >>> print(outcome.findings[0].at.line, outcome.findings[0].remedy)
        8 copy the passage at line 1 of the artifact, character for character
    """
    card, card_name = source_bytes(text)
    artifact, artifact_name = source_bytes(source)
    phrases = None if banned_phrases is None else list(banned_phrases)
    outcome = _check_scorecard(
        card, card_name or "scorecard", artifact, artifact_name or "source", phrases, map_severity
    )
    return logged(outcome)
