"""Assessments for tests."""

from __future__ import annotations

import copy

HASH = "ab" * 32

_PASSING = {
    "findings": [
        {
            "id": "F1",
            "severity": "low",
            "loc": "blueprint.json#/a",
            "reason": "表記",
            "criterion": "CL-3",
        }
    ],
    "observation_completeness": {"silent_gaps": 0, "key_screen_gaps": 0, "reasoned_gaps": 2},
    "load_policy_result": {"within_budget": True, "concurrency_ok": True, "notes": "ok"},
    "gate_results": {
        "mermaid_validate": {"status": "pass", "exit_code": 0},
        "doc_emit_check_screens": {"status": "pass", "exit_code": 0, "violations": []},
    },
    "recount": {
        "orphan_count": 0,
        "agrees_with_gate": True,
        "observed_count": 5,
        "palette_count": 7,
    },
    "reconstruction": {"top_level_missing": 0, "open_questions": 0, "scaffold_derivable": True},
}


def passing():
    """An assessment that passes and whose receipt is valid."""
    return copy.deepcopy(_PASSING)
