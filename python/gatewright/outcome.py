"""What a gate decided, as typed and frozen objects."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

#: How much a finding counts: an error decides.
Severity = Literal["error", "warning", "note"]
#: What a gate run came to; ``undecided`` could not run.
Verdict = Literal["passed", "failed", "undecided"]

_LOGGER = logging.getLogger("gatewright")


@dataclass(frozen=True)
class Location:
    """A place in one input.

    Attributes:
        source: name of the input: the path as given, or the parameter's name for plain objects.
        path: place of the value, e.g. ``$.findings[3].quote``.
        byte_start: first byte, from 0.
        byte_end: one past the last byte.
        line: line from 1.
        column: column from 1, in code points.
        end_line: line of the end.
        end_column: column of the end, exclusive.
        page: page from 1, in a document with pages.
    """

    source: str
    path: str | None = None
    byte_start: int | None = None
    byte_end: int | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    page: int | None = None

    def __str__(self) -> str:
        """``FILE:LINE:COLUMN (page PAGE)``, as much of it as is known."""
        place = self.source if self.line is None else f"{self.source}:{self.line}:{self.column}"
        return place if self.page is None else f"{place} (page {self.page})"

    def to_dict(self) -> dict[str, Any]:
        """The place as plain data, as in the JSON report."""
        return dict(vars(self))


@dataclass(frozen=True)
class Finding:
    """What is wrong with the work.

    Attributes:
        code: code of the rule, e.g. ``GWC005``; ``gatewright explain CODE`` tells more.
        name: name of the rule.
        severity: ``error`` (decides), ``warning`` or ``note``.
        message: one line.
        remedy: what to do about it, one line.
        at: where.
        related: other places that belong to it.
    """

    code: str
    name: str
    severity: Severity
    message: str
    remedy: str
    at: Location
    related: tuple[Location, ...] = ()

    def __str__(self) -> str:
        """Place, code and message on one line."""
        return f"{self.at}: {self.code} {self.message}"

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain data: an entry of ``findings`` in the JSON report."""
        return {
            "code": self.code,
            "name": self.name,
            "severity": self.severity,
            "message": self.message,
            "remedy": self.remedy,
            "at": self.at.to_dict(),
            "related": [place.to_dict() for place in self.related],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Finding:
        """The finding that :meth:`to_dict` gave ``data`` for."""
        return cls(
            code=data["code"],
            name=data["name"],
            severity=data["severity"],
            message=data["message"],
            remedy=data["remedy"],
            at=Location(**data["at"]),
            related=tuple(Location(**place) for place in data["related"]),
        )


@dataclass(frozen=True)
class Outcome:
    """What one gate run found; true when it passed.

    Attributes:
        gate: the gate as typed on the command line, e.g. ``ledger reconcile``.
        verdict: ``passed``, ``failed`` or ``undecided`` (could not run).
        summary: one line for people.
        findings: what is wrong, in order.
        facts: counts and other measured facts by name.
        inputs: role, name, SHA-256 and size of each input file.
        details: what reports show besides, as in the JSON report.
        subject: what it was run on, for people; empty for a direct call.
    """

    gate: str
    verdict: Verdict
    summary: str
    findings: tuple[Finding, ...] = ()
    # Plain data takes no part in the hash: equal outcomes have equal hashes all the same.
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)
    inputs: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)
    details: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)
    subject: str = ""

    @property
    def passed(self) -> bool:
        """Whether no finding decides against the work."""
        return self.verdict == "passed"

    def __bool__(self) -> bool:
        """Whether the gate passed: ``if reconcile(...)`` means what it reads."""
        return self.passed

    def _repr_html_(self) -> str:
        """The outcome in a notebook."""
        from gatewright._notebook import outcome_html

        return outcome_html(self)

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain data: an entry of ``outcomes`` in the JSON report."""
        return {
            "gate": self.gate,
            "subject": self.subject,
            "verdict": self.verdict,
            "summary": self.summary,
            "inputs": [dict(entry) for entry in self.inputs],
            "findings": [finding.to_dict() for finding in self.findings],
            "facts": dict(self.facts),
            "details": [dict(detail) for detail in self.details],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Outcome:
        """The outcome that :meth:`to_dict` gave ``data`` for.

        Args:
            data: an entry of ``outcomes`` in the JSON report.
        """
        return cls(
            gate=data["gate"],
            verdict=data["verdict"],
            summary=data["summary"],
            findings=tuple(Finding.from_dict(finding) for finding in data["findings"]),
            facts=data["facts"],
            inputs=tuple(data["inputs"]),
            details=tuple(data["details"]),
            subject=data["subject"],
        )


def logged(outcome: Outcome) -> Outcome:
    """``outcome``, after the logger ``gatewright`` was told of it.

    Args:
        outcome: what a gate decided. Its verdict goes out at level INFO, each finding at DEBUG.
    """
    _LOGGER.info("%s %s: %s", outcome.gate, outcome.verdict, outcome.summary)
    if _LOGGER.isEnabledFor(logging.DEBUG):
        for finding in outcome.findings:
            _LOGGER.debug("%s", finding)
    return outcome
