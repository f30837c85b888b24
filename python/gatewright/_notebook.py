"""Results as small HTML tables, for notebooks: text only, everything escaped, no script."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gatewright._native import Match
    from gatewright.outcome import Outcome

#: Rows shown before the rest is counted.
SHOWN_ROWS = 100


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a caption; rows beyond ``SHOWN_ROWS`` are counted."""
    rows = list(rows)
    shown = [
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>"
        for row in rows[:SHOWN_ROWS]
    ]
    if len(rows) > SHOWN_ROWS:
        shown.append(f'<tr><td colspan="{len(head)}">and {len(rows) - SHOWN_ROWS} more</td></tr>')
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    return (
        f"<table><caption>{escape(title)}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{''.join(shown)}</tbody></table>"
    )


def outcome_html(outcome: Outcome) -> str:
    """Verdict and summary, and a row per finding."""
    title = f"{outcome.gate} {outcome.verdict}: {outcome.summary}"
    if not outcome.findings:
        return f"<p>{escape(title)}</p>"
    rows = [
        (finding.severity, finding.code, finding.at, finding.message, finding.remedy)
        for finding in outcome.findings
    ]
    return table(title, ("severity", "rule", "where", "what", "remedy"), rows)


def match_html(match: Match) -> str:
    """The match, member by member."""
    at = "" if match.at is None else f"{match.at.line}:{match.at.column}"
    rows = [
        ("quote", match.quote),
        ("at", at),
        ("flags", ", ".join(match.flags)),
        ("difference", match.difference or ""),
    ]
    return table(match.grade, ("member", "value"), [row for row in rows if row[1]])
