"""What ``emit-verdict.py`` offers to scripts that import it."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from gatewright._argparse import build
from gatewright._native import run_command
from gatewright.scripts import is_as_written, written

__all__ = [
    "EVALUATOR",
    "JST",
    "SCHEMA_VERSION",
    "UsageError",
    "build_receipt",
    "decide",
    "main",
    "run",
]

NAME = "emit-verdict"
#: ``schema_version`` of a receipt.
SCHEMA_VERSION = "1.0.0"
#: ``evaluator`` of a receipt.
EVALUATOR = "assign-blueprint-fidelity-evaluator"
#: The time zone of ``evaluated_at``.
JST = timezone(timedelta(hours=9))
#: The parts of an assessment that must be there, in the order in which missing ones are named.
_REQUIRED = (
    "findings",
    "observation_completeness",
    "load_policy_result",
    "gate_results",
    "recount",
    "reconstruction",
)


class UsageError(Exception):
    """Arguments or an assessment of the wrong structure: nothing can be decided."""


def decide(assessment: dict[str, Any]) -> tuple[str, list[str]]:
    """Decide from an assessment alone.

    Args:
        assessment: the six parts as plain Python objects.

    Returns:
        ``"PASS"`` or ``"FAIL"``, and the reasons against a PASS in their fixed order.

    Raises:
        KeyError: a part is missing.
        UsageError: a part is of the wrong shape.
    """
    reasons: list[str] = []
    gates = _part(assessment, "gate_results", *_GATES)
    for name, label in _GATES.items():
        gate = gates[name]
        status = gate.get("status") if isinstance(gate, dict) else None
        if status != "pass":
            reasons.append(f"{label} が pass でない (status={status})")
    recount = _part(assessment, "recount", "orphan_count", "agrees_with_gate")
    if recount["orphan_count"] != 0:
        reasons.append(f"非共有再計数で palette 孤児 {recount['orphan_count']} 件検出")
    if recount["agrees_with_gate"] is not True:
        reasons.append("非共有再計数が C11 判定と不一致 (common-mode 誤りの疑い)")
    findings = assessment["findings"]
    if not isinstance(findings, list):
        raise UsageError("findings が配列でない")
    high = [entry for entry in findings if isinstance(entry, dict)]
    high = [entry for entry in high if entry.get("severity") == "high"]
    if high:
        ids = ", ".join(str(entry.get("id") or entry.get("criterion") or "?") for entry in high)
        reasons.append(f"high severity finding {len(high)} 件 ({ids})")
    _count(assessment, "observation_completeness", _GAPS, reasons)
    load = _part(assessment, "load_policy_result", "within_budget", "concurrency_ok")
    if load["within_budget"] is not True:
        reasons.append("低負荷 policy 違反: request/byte budget 未充足")
    if load["concurrency_ok"] is not True:
        reasons.append("低負荷 policy 違反: 対象 origin 並列 1 未充足")
    if load.get("screenshot_budget_ok") is False:
        reasons.append("低負荷 policy 違反: screenshot budget 未充足")
    rebuilt = _count(assessment, "reconstruction", _MISSING, reasons, "scaffold_derivable")
    if rebuilt["scaffold_derivable"] is not True:
        reasons.append("最小スカフォールド骨子を追加ヒアリングなしで導出できない")
    return ("FAIL" if reasons else "PASS"), reasons


#: Gate -> how a reason names it.
_GATES = {
    "mermaid_validate": "C10 mermaid-validate",
    "doc_emit_check_screens": "C11 doc-emit --check-screens",
}
#: Count -> the reason when it is not falsy.
_GAPS = {
    "silent_gaps": "無言欠落 {} 件 (not_observed+reason でない未取得 field)",
    "key_screen_gaps": "鍵画面 gap {} 件",
}
_MISSING = {
    "top_level_missing": "最小スカフォールド逆テスト: top-level 必須欠落 {} 件",
    "open_questions": "最小スカフォールド逆テスト: 未回答質問 {} 件",
}


def _part(assessment: dict[str, Any], name: str, *keys: str) -> dict[str, Any]:
    """A part of the assessment that has all of ``keys``."""
    part = assessment[name]
    if not isinstance(part, dict):
        raise UsageError(f"{name} が object でない")
    missing = [key for key in keys if key not in part]
    if missing:
        raise UsageError(f"{name} に必須キーが欠落: {', '.join(missing)}")
    return part


def _count(
    assessment: dict[str, Any], name: str, counts: dict[str, str], reasons: list[str], *keys: str
) -> dict[str, Any]:
    """A part of the assessment with counts, each a reason unless it is falsy."""
    part = _part(assessment, name, *counts, *keys)
    reasons.extend(words.format(part[key]) for key, words in counts.items() if part[key])
    return part


def build_receipt(
    assessment: dict[str, Any], draft_hash: str, evaluated_at: str | None
) -> dict[str, Any]:
    """Build the receipt, deciding its verdict.

    Args:
        assessment: the six parts as plain Python objects.
        draft_hash: 64 lower-case hex digits.
        evaluated_at: time as text; kept as it is, also when it is ``None``.

    Returns:
        The receipt; its parts are the objects of the assessment themselves.

    Raises:
        KeyError: a part is missing.
        UsageError: a part is of the wrong shape.
    """
    verdict, _ = decide(assessment)
    return {
        "schema_version": SCHEMA_VERSION,
        "verdict": verdict,
        "draft_hash": draft_hash,
        "evaluated_at": evaluated_at,
        "evaluator": EVALUATOR,
        **{part: assessment[part] for part in _REQUIRED},
    }


def run(args: argparse.Namespace) -> int:
    """Run the command with parsed arguments.

    Args:
        args: has ``assessment``, ``draft_hash``, ``out_dir`` and ``evaluated_at``.

    Returns:
        The exit status: 0 PASS, 1 FAIL.

    Raises:
        UsageError: the hash or the assessment cannot be used; nothing was written.
    """
    draft_hash = args.draft_hash.strip().lower()
    if not re.fullmatch(r"[0-9a-f]{64}", draft_hash):
        raise UsageError(f"--draft-hash が 64 桁 hex でない: {args.draft_hash}")
    path = Path(args.assessment)
    try:
        assessment = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as fault:
        raise UsageError(f"入力ファイルが存在しない: {path}") from fault
    except (OSError, json.JSONDecodeError) as fault:
        raise UsageError(f"入力 JSON を読めない: {path}: {fault}") from fault
    if not isinstance(assessment, dict):
        raise UsageError("assessment が object でない")
    missing = [part for part in _REQUIRED if part not in assessment]
    if missing:
        raise UsageError(f"assessment に必須キーが欠落: {', '.join(missing)}")
    _, reasons = decide(assessment)
    evaluated_at = args.evaluated_at or datetime.now(JST).isoformat(timespec="seconds")
    receipt = build_receipt(assessment, draft_hash, evaluated_at)
    counts = {"high": 0, "medium": 0, "low": 0}
    for finding in assessment["findings"]:
        severity = finding.get("severity") if isinstance(finding, dict) else None
        if severity in counts:
            counts[severity] += 1
    target = Path(args.out_dir) / f"{draft_hash}.verdict.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(_shown(receipt) + "\n", encoding="utf-8")
    report = {
        "verdict": receipt["verdict"],
        "draft_hash": draft_hash,
        "receipt_path": str(target),
        "fail_reasons": reasons,
        "finding_counts": counts,
    }
    print(_shown(report))
    if receipt["verdict"] == "PASS":
        return 0
    for reason in reasons:
        print(f"FAIL: {reason}", file=sys.stderr)
    return 1


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: arguments without the program's name; those of the process when ``None``.

    Returns:
        The exit status: 0 PASS, 1 FAIL, 2 nothing written.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if is_as_written(globals()):
        return run_command(NAME, words)
    try:
        args = build(NAME).parse_args(words)
    except SystemExit:
        return 2
    try:
        return run(args)
    except UsageError as fault:
        print(fault, file=sys.stderr)
        return 2


_WRITTEN = written(globals())
