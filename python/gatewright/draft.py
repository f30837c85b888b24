"""Assess a draft directory: everything computable is computed, the caller adds judgement."""

from __future__ import annotations

import copy
import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from gatewright._stack import deep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class DraftFinding:
    """One finding in a draft.

    Attributes:
        id: rule code, ``#`` and position among the findings of that rule; or the caller's own id.
        severity: ``high`` decides, ``medium`` and ``low`` inform.
        loc: ``blueprint.json#path``, a file of the draft, a prompt file, or the name of a gate.
        reason: one sentence.
        criterion: checklist item, ``CL-1`` to ``CL-10``.
    """

    id: str
    severity: Literal["high", "medium", "low"]
    loc: str
    reason: str
    criterion: str


@dataclass(frozen=True)
class OtherCount:
    """The palette count that did not decide, shown beside the one that did.

    Attributes:
        observed_count: distinct colours observed.
        palette_count: distinct colours of the palette.
        orphans: observed colours that the palette lacks, sorted.
        fault: why this count says nothing, ``None`` when it counted.
    """

    observed_count: int
    palette_count: int
    orphans: tuple[str, ...]
    fault: str | None


@dataclass(frozen=True)
class Assessment:
    """The assessment of a draft and what follows from it.

    Attributes:
        findings: findings of the rules in order, then the caller's.
        silent_gaps: things neither observed nor explained.
        key_screen_gaps: key screens neither captured nor excused.
        reasoned_gaps: gaps with a reason.
        orphan_count: observed colours that the palette lacks.
        agrees_with_gate: whether the palette count and the screen gate agree.
        verdict: ``PASS`` or ``FAIL``.
        reasons: the reasons against a PASS, in their fixed order.
        draft_hash: the hash that ``sink-status.json`` binds.
        stale: why that hash does not fit the files, ``None`` when it does.
        recount: the count that decided, ``corrected`` or ``recorded``.
        other_recount: the other count.
    """

    findings: tuple[DraftFinding, ...]
    silent_gaps: int
    key_screen_gaps: int
    reasoned_gaps: int
    orphan_count: int
    agrees_with_gate: bool
    verdict: Literal["PASS", "FAIL"]
    reasons: tuple[str, ...]
    draft_hash: str
    stale: str | None
    recount: Literal["corrected", "recorded"]
    other_recount: OtherCount
    _parts: dict[str, Any] = field(hash=False, repr=False)

    @property
    def passed(self) -> bool:
        """Whether the verdict is ``PASS``."""
        return self.verdict == "PASS"

    def __bool__(self) -> bool:
        """Whether the verdict is ``PASS``."""
        return self.passed

    def _repr_html_(self) -> str:
        """The assessment in a notebook."""
        from gatewright._notebook import table

        rows = [(f.severity, f.id, f.loc, f.reason) for f in self.findings]
        return table(self.verdict, ("severity", "rule", "where", "what"), rows)

    def to_dict(self) -> dict[str, Any]:
        """The six parts as plain data: what the verdict gate reads, nothing else."""
        return copy.deepcopy(self._parts)


@deep
def assess(
    draft_dir: PathLike,
    *,
    findings: PathLike | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    plugin_root: PathLike | None = None,
    prompts: PathLike | None = None,
    gates: Mapping[str, PathLike] | None = None,
    gate_results: Mapping[str, PathLike | Mapping[str, Any]] | None = None,
    budget: PathLike | None = None,
    recount: Literal["corrected", "recorded"] = "corrected",
    lang: Literal["ja", "en"] = "ja",
    timeout: float = 120.0,
    python: str = "python3",
) -> Assessment:
    """Assess a draft directory.

    Args:
        draft_dir: the draft; it is only read.
        findings: the caller's judgement: a file, a list of findings, or an object with
            ``findings``, ``open_questions``, ``scaffold_derivable``, ``key_screens``.
        plugin_root: the plugin whose ``scripts/`` hold the gate programs and whose ``agents/`` hold
            the prompts.
        prompts: the directory of the five prompt files, when it is not the plugin's.
        gates: gate programs by name (``mermaid-validate``, ``doc-emit``), before the plugin's.
        gate_results: results of gates instead of runs, each a file or the answer itself.
        budget: the budget file; its limits count only with the approval note.
        recount: the palette count that decides.
        lang: language of the reasons.
        timeout: seconds that each gate may take.
        python: the Python that runs gate scripts.

    Returns:
        The assessment.

    Raises:
        GatewrightError: when the draft has no usable ``blueprint.json`` or ``sink-status.json``, or
            what is handed over cannot be used.

    Source: the draft directory page of the contract, sections 11 to 15.
    """
    from gatewright import _native

    path = findings if isinstance(findings, (str, os.PathLike)) else None
    results = [(name, _result_bytes(given)) for name, given in (gate_results or {}).items()]
    found = _native.assess_draft(
        draft_dir,
        None if path is not None or findings is None else _plain(findings),
        {
            "findings_path": path,
            "plugin_root": plugin_root,
            "prompts": prompts,
            "gates": list((gates or {}).items()),
            "gate_results": results,
            "budget": budget,
            "recount": recount,
            "lang": lang,
            "timeout": timeout,
            "python": python,
        },
    )
    parts = found["assessment"]
    other = found["other_recount"]
    completeness = parts["observation_completeness"]
    return Assessment(
        findings=tuple(DraftFinding(**finding) for finding in parts["findings"]),
        silent_gaps=completeness["silent_gaps"],
        key_screen_gaps=completeness["key_screen_gaps"],
        reasoned_gaps=completeness["reasoned_gaps"],
        orphan_count=parts["recount"]["orphan_count"],
        agrees_with_gate=parts["recount"]["agrees_with_gate"],
        verdict=found["verdict"],
        reasons=tuple(found["reasons"]),
        draft_hash=found["draft_hash"],
        stale=found["stale"],
        recount=found["recount"],
        other_recount=OtherCount(
            observed_count=other.get("observed_count", 0),
            palette_count=other.get("palette_count", 0),
            orphans=tuple(other.get("orphans", ())),
            fault=other["fault"],
        ),
        _parts=parts,
    )


def _plain(value: object) -> object:
    """Mappings and sequences of any kind as the plain types that the core reads."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        return value
    if hasattr(value, "items"):
        return {key: _plain(member) for key, member in value.items()}
    return [_plain(item) for item in value]


def _result_bytes(given: PathLike | Mapping[str, Any]) -> bytes:
    """A gate's answer as the bytes of its file."""
    if isinstance(given, (str, os.PathLike)):
        from pathlib import Path

        from gatewright.errors import GatewrightError

        try:
            return Path(given).read_bytes()
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise GatewrightError(f"cannot read gate result: {reason}", os.fspath(given)) from error
    return json.dumps(given, ensure_ascii=False).encode()
