"""What the verdict page says, as plain Python: the yardstick for generated assessments."""

from __future__ import annotations

PARTS = (
    "findings",
    "observation_completeness",
    "load_policy_result",
    "gate_results",
    "recount",
    "reconstruction",
)


class Fault(Exception):
    pass


def part(assessment, name, keys):
    found = assessment[name]
    if not isinstance(found, dict):
        raise Fault(f"{name} が object でない")
    missing = [key for key in keys if key not in found]
    if missing:
        raise Fault(f"{name} に必須キーが欠落: {', '.join(missing)}")
    return found


def decide(assessment):
    reasons = []
    gates = part(assessment, "gate_results", ("mermaid_validate", "doc_emit_check_screens"))
    labels = {
        "mermaid_validate": "C10 mermaid-validate",
        "doc_emit_check_screens": "C11 doc-emit --check-screens",
    }
    for gate, label in labels.items():
        status = gates[gate].get("status") if isinstance(gates[gate], dict) else None
        if status != "pass":
            reasons.append(f"{label} が pass でない (status={status})")
    recount = part(assessment, "recount", ("orphan_count", "agrees_with_gate"))
    if recount["orphan_count"] != 0:
        reasons.append(f"非共有再計数で palette 孤児 {recount['orphan_count']} 件検出")
    if recount["agrees_with_gate"] is not True:
        reasons.append("非共有再計数が C11 判定と不一致 (common-mode 誤りの疑い)")
    if not isinstance(assessment["findings"], list):
        raise Fault("findings が配列でない")
    found = [entry for entry in assessment["findings"] if isinstance(entry, dict)]
    high = [entry for entry in found if entry.get("severity") == "high"]
    if high:
        ids = ", ".join(str(entry.get("id") or entry.get("criterion") or "?") for entry in high)
        reasons.append(f"high severity finding {len(high)} 件 ({ids})")
    observed = part(assessment, "observation_completeness", ("silent_gaps", "key_screen_gaps"))
    if observed["silent_gaps"]:
        reasons.append(
            f"無言欠落 {observed['silent_gaps']} 件 (not_observed+reason でない未取得 field)"
        )
    if observed["key_screen_gaps"]:
        reasons.append(f"鍵画面 gap {observed['key_screen_gaps']} 件")
    load = part(assessment, "load_policy_result", ("within_budget", "concurrency_ok"))
    if load["within_budget"] is not True:
        reasons.append("低負荷 policy 違反: request/byte budget 未充足")
    if load["concurrency_ok"] is not True:
        reasons.append("低負荷 policy 違反: 対象 origin 並列 1 未充足")
    if load.get("screenshot_budget_ok") is False:
        reasons.append("低負荷 policy 違反: screenshot budget 未充足")
    keys = ("top_level_missing", "open_questions", "scaffold_derivable")
    rebuilt = part(assessment, "reconstruction", keys)
    if rebuilt["top_level_missing"]:
        reasons.append(
            f"最小スカフォールド逆テスト: top-level 必須欠落 {rebuilt['top_level_missing']} 件"
        )
    if rebuilt["open_questions"]:
        reasons.append(f"最小スカフォールド逆テスト: 未回答質問 {rebuilt['open_questions']} 件")
    if rebuilt["scaffold_derivable"] is not True:
        reasons.append("最小スカフォールド骨子を追加ヒアリングなしで導出できない")
    return ("FAIL" if reasons else "PASS"), reasons
