"""The assessment of draft directories: one change at a time, and what it must and must not give."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import gatewright
import pytest
from draft_builder import (
    FAIL,
    HOME,
    HOURS,
    ORPHANS,
    PASS,
    Draft,
    claim,
    gap,
    prompt_text,
    write_prompts,
)

TREE = "screens[0].visual_formation_tree"
HEAD = f"{TREE}.children[0]"
B = "blueprint.json#"
L = "request-ledger.json#"


def assess(draft: Draft, tmp_path: Path, screens=PASS, diagrams=PASS, prompts=True, **more):
    folder = draft.write(tmp_path / "draft")
    if prompts is True:
        prompts = write_prompts(tmp_path / "agents")
    return gatewright.assess(
        folder,
        prompts=prompts or None,
        gate_results={"mermaid-validate": diagrams, "doc-emit": screens},
        **more,
    )


def told(assessment) -> list[str]:
    return [
        f"{one.id} {one.severity} {one.loc}"
        for one in assessment.findings
        if "CL9-GATE" not in one.id
    ]


def numbers(assessment) -> dict[str, object]:
    parts = assessment.to_dict()
    merged = {
        **parts["observation_completeness"],
        **parts["load_policy_result"],
        **parts["reconstruction"],
        "agrees_with_gate": parts["recount"]["agrees_with_gate"],
        "orphan_count": parts["recount"]["orphan_count"],
    }
    merged.pop("notes")
    return merged


CLEAN = {
    "silent_gaps": 0,
    "key_screen_gaps": 0,
    "reasoned_gaps": 66,
    "within_budget": True,
    "concurrency_ok": True,
    "screenshot_budget_ok": True,
    "top_level_missing": 0,
    "open_questions": 0,
    "scaffold_derivable": True,
    "agrees_with_gate": True,
    "orphan_count": 0,
}


def test_the_clean_draft_has_no_finding(tmp_path):
    assessment = assess(Draft(), tmp_path)
    assert told(assessment) == []
    assert numbers(assessment) == CLEAN
    assert (assessment.verdict, assessment.reasons, assessment.stale) == ("PASS", (), None)
    assert assessment.recount == "corrected"
    # The recorded count takes the word `light` of the viewport for a colour.
    assert assessment.other_recount.orphans == ("light",)


def P(path, value):
    return lambda draft: draft.put(path, value)


def R(path):
    return lambda draft: draft.drop(path)


def G(path, value):
    return lambda draft: draft.put_ledger(path, value)


def F(name, content):
    return lambda draft: draft.file(name, content)


def both(*changes):
    def change(draft):
        for one in changes:
            one(draft)

    return change


GAP_WITHOUT_REASON = {"observation_status": "not_observed", "reason": " "}

#: change, findings, counters that move
ROWS = [
    (R("snapshot"), ["CL1-MISSING#1 high #snapshot"], {"top_level_missing": 1}),
    (P("essence", None), None, {"top_level_missing": 1}),
    (P("pages", {}), ["CL1-SCHEMA#1 high #pages"], {}),
    (P("redaction_applied.emitter", "x"), ["CL1-SCHEMA#1 high #redaction_applied.emitter"], {}),
    (
        both(P("unknowns[0].blocking", True), P("default_assumptions", [])),
        ["CL1-QUESTION#1 high #unknowns[0]"],
        {"open_questions": 1},
    ),
    (P("unknowns[0].blocking", True), [], {}),
    (
        both(
            P("unknowns[0].id", 3),
            P("unknowns[0].default_assumption", "x"),
            R("unknowns[0].blocking"),
        ),
        [],
        {},
    ),
    (P("unknowns[0]", "who?"), ["CL1-UNLINKED#1 low #unknowns[0]"], {}),
    (
        P("metadata.canonical_url", " "),
        ["CL1-SCAFFOLD#1 high #metadata.canonical_url"],
        {"scaffold_derivable": False},
    ),
    (
        R(f"{HEAD}.motion"),
        [
            "CL2-COVERAGE#1 medium #screens[0].coverage.fields_not_observed",
            f"CL2-SILENT#1 high #{HEAD}.motion",
        ],
        {"silent_gaps": 1, "reasoned_gaps": 65},
    ),
    (
        P(f"{HEAD}.motion", {"observation_status": "observed"}),
        [
            "CL2-COVERAGE#1 medium #screens[0].coverage.fields_not_observed",
            f"CL2-SILENT#1 high #{HEAD}.motion",
        ],
        {"silent_gaps": 1, "reasoned_gaps": 65},
    ),
    (
        P(f"{HEAD}.motion", GAP_WITHOUT_REASON),
        [f"CL2-SILENT#1 high #{HEAD}.motion"],
        {"silent_gaps": 1, "reasoned_gaps": 65},
    ),
    (
        P(f"{HEAD}.paint.caret_color", {"observation_status": "blocked"}),
        [f"CL2-SILENT#1 high #{HEAD}.paint.caret_color"],
        {"silent_gaps": 1},
    ),
    (
        P("screens[1].observation_status", "blocked"),
        [
            "CL2-KEYSCREEN#1 high #site_inventory.layout_template_dedup.pages[1]",
            "CL2-SILENT#1 high #screens[1]",
        ],
        {"silent_gaps": 1, "key_screen_gaps": 1, "reasoned_gaps": 36},
    ),
    (
        both(
            P("screens[1].observation_status", "blocked"),
            P("screens[1].reason", "browser-unavailable"),
        ),
        [f"CL2-KEYSCREEN#1 high {L}browser_render[1]"],
        {"key_screen_gaps": 1, "reasoned_gaps": 37},
    ),
    (
        both(
            P("screens[1].observation_status", "blocked"),
            P("screens[1].reason", "r"),
            G("browser_render", []),
        ),
        [],
        {"reasoned_gaps": 37, "screenshot_budget_ok": None},
    ),
    (
        P("screens[0].coverage.elements_extracted", 9),
        [
            "CL2-COVERAGE#1 high #screens[0].coverage.elements_extracted",
            "CL2-COVERAGE#2 high #screens[0].coverage.elements_targeted",
        ],
        {},
    ),
    (
        P("screens[0].coverage.fields_not_observed", 99),
        ["CL2-COVERAGE#1 medium #screens[0].coverage.fields_not_observed"],
        {},
    ),
    (
        P("screens[0].coverage.fields_not_observed", 3),
        ["CL2-COVERAGE#1 high #screens[0].coverage.fields_not_observed"],
        {},
    ),
    (
        P("screens[0].screenshot_ref", "screens/../screens/desk.png"),
        ["CL2-ESCAPE#1 high #screens[0].screenshot_ref"],
        {},
    ),
    (P("screens[0].screenshot_ref", "screens/..desk.png"), [], {}),
    (F("screens/desk.png", "<html>"), ["CL2-RASTER#1 medium screens/desk.png"], {}),
    (F("layout/desk.layout.json", None), ["CL2-ANNOTATION#1 medium layout/desk.layout.json"], {}),
    (
        F("overlays/desk.layout-overlay.svg", "<svg/>"),
        ["CL2-ANNOTATION#1 medium overlays/desk.layout-overlay.svg"],
        {},
    ),
    (F("design-tokens.json", None), ["CL3-FILE#1 high design-tokens.json"], {}),
    (
        F("site-coverage-manifest.json", None),
        ["CL6-MANIFEST#1 high site-coverage-manifest.json"],
        {},
    ),
    (
        F("site-coverage-manifest.json", "{}"),
        ["CL6-MANIFEST#1 high site-coverage-manifest.json"],
        {},
    ),
    (
        P("design_tokens.theme_variants[1].palette", []),
        ["CL3-THEME#1 high #design_tokens.theme_variants"],
        {"silent_gaps": 1},
    ),
    (P("design_tokens.theme_variants[1]", {"theme": "dark", **gap()}), [], {"reasoned_gaps": 67}),
    (
        P("design_tokens.theme_variants[1].palette[0].canonical_hex8", "#111"),
        ["CL3-CANON#1 medium #design_tokens.theme_variants[1].palette[0]"],
        {},
    ),
    (
        P("design_tokens.palette[1].canonical_hex8", "#224467ff"),
        ["CL3-CANON#1 medium #design_tokens.palette[1]"],
        {},
    ),
    (P("design_tokens.palette[1].canonical_hex8", "#224466FF"), [], {}),
    (
        R("design_tokens.theme_variants[1].palette[0].gamut"),
        ["CL3-GAMUT#1 low #design_tokens.theme_variants[1].palette[0]"],
        {},
    ),
    (
        P("design_tokens.z_layers", None),
        ["CL3-SILENT#1 high #design_tokens.z_layers"],
        {"silent_gaps": 1},
    ),
    (P("design_tokens.z_layers", []), ["CL3-SCALE#1 medium #design_tokens.z_layers"], {}),
    (
        P(
            f"{HEAD}.state",
            {"observation_status": "observed", "hover": {"background_color": "#0b5e57"}},
        ),
        [
            "CL2-COVERAGE#1 medium #screens[0].coverage.fields_not_observed",
            f"CL3-ORPHAN#1 high #{HEAD}.state.hover.background_color",
            "CL9-DISAGREE#1 high recount",
        ],
        {"reasoned_gaps": 65, "agrees_with_gate": False, "orphan_count": 1},
    ),
    (P(f"{HEAD}.paint.background_color", {"canonical_hex8": "#ffffffff", "gamut": "srgb"}), [], {}),
    (
        P("content.headings_outline", []),
        [
            "CL1-SCAFFOLD#1 high #content.headings_outline",
            "CL4-SILENT#1 high #content.headings_outline",
        ],
        {"silent_gaps": 1, "scaffold_derivable": False},
    ),
    (P("content.locales", None), ["CL4-SILENT#1 high #content.locales"], {"silent_gaps": 1}),
    (P("content.meta_seo_og", {}), [], {}),
    (
        P("essence.tone_voice.evidence_refs", ["brand-guide"]),
        ["CL4-UNGROUNDED#1 high #essence.tone_voice"],
        {},
    ),
    (
        P("essence.tone_voice.evidence_refs", ["copy-desk", "brand-guide"]),
        ["CL4-REF#1 medium #essence.tone_voice.evidence_refs[1]"],
        {},
    ),
    (P("essence.tone_voice.evidence_refs", ["essence.key_messages"]), [], {}),
    (
        P("essence.tone_voice.evidence_refs", ["essence.tone_voice"]),
        ["CL4-UNGROUNDED#1 high #essence.tone_voice"],
        {},
    ),
    (P("essence.tone_voice.evidence_refs", ["content"]), [], {}),
    (
        P("essence.tone_voice.evidence_refs", ["design_tokens.breakpoints"]),
        ["CL4-UNGROUNDED#1 high #essence.tone_voice"],
        {},
    ),
    (
        P("essence.tone_voice", claim("copy-desk", "copy-desk", level="high")),
        ["CL4-HIGH#1 high #essence.tone_voice"],
        {},
    ),
    (
        P("essence.tone_voice", claim("copy-desk", "content", level="high")),
        ["CL4-HIGH#1 high #essence.tone_voice"],
        {},
    ),
    (P("essence.tone_voice", claim("copy-desk", "SERVER", level="high")), [], {}),
    (P("inferred_services[0].evidence_refs", []), ["CL7-NOREFS#1 high #inferred_services[0]"], {}),
    (P("inferred_services[0].confidence", "low"), ["CL7-NOCONF#1 high #inferred_services[0]"], {}),
    (
        P("content.meta_seo_og.confidence", {"level": "low", "rationale": "r"}),
        ["CL4-FACTLANE#1 high #content.meta_seo_og"],
        {},
    ),
    (
        P("content.headings_outline[0].kind", "inference"),
        ["CL4-NOREFS#1 high #content.headings_outline[0]"],
        {},
    ),
    (
        P("content.locales", [{"kind": "fact", "value": "en"}]),
        ["CL4-PROVENANCE#1 high #content.locales[0]"],
        {},
    ),
    (R("content.meta_seo_og.method"), ["CL4-PROVENANCE#1 medium #content.meta_seo_og"], {}),
    (R("content.meta_seo_og.snapshot_id"), [], {}),
    (R("content.meta_seo_og.value"), ["CL4-PROVENANCE#1 medium #content.meta_seo_og"], {}),
    (
        P("tech_stack.signals.cookie_names", None),
        [
            "CL5-SILENT#1 high #tech_stack.signals.cookie_names",
            "CL6-UNGROUNDED#1 high #security_design.session_mgmt",
            "CL7-REF#1 medium #inferred_services[0].evidence_refs[1]",
        ],
        {"silent_gaps": 1},
    ),
    (
        P("tech_stack.identified[0].evidence_refs", ["copy-desk"]),
        ["CL5-NAMED#1 high #tech_stack.identified[0]"],
        {},
    ),
    (P("tech_stack.identified[0].evidence_refs", ["SERVER"]), [], {}),
    (
        P("tech_stack.signals.framework", "Shelf"),
        ["CL5-NAMED-IN-FACT#1 high #tech_stack.signals.framework"],
        {},
    ),
    (
        P("nonfunctional_baseline.security_headers.hsts", None),
        [
            "CL6-HIGH#1 high #security_design.adopt_avoid_practices",
            "CL6-REF#1 medium #security_design.adopt_avoid_practices.evidence_refs[0]",
            "CL6-UNGROUNDED#1 high #security_design.csrf_xss",
        ],
        {},
    ),
    (
        P("nonfunctional_baseline.compression", ""),
        ["CL5-SILENT#1 high #nonfunctional_baseline.compression"],
        {"silent_gaps": 1},
    ),
    (
        P("cwv_field_sample.lcp", {"kind": "observation_gap"}),
        ["CL6-SILENT#1 high #cwv_field_sample.lcp"],
        {"silent_gaps": 1, "reasoned_gaps": 65},
    ),
    (
        P("security_design.attack_surface.claim", "no Penetration test"),
        ["CL6-ACTIVE#1 high #security_design.attack_surface.claim"],
        {},
    ),
    (P("security_design.attack_surface.claim", "penetrating tests of patience"), [], {}),
    (
        P("delivery_topology.evidence_refs", ["copy-desk"]),
        ["CL6-TOPOLOGY#1 high #delivery_topology"],
        {},
    ),
    (
        P("user_journeys[0].steps[1].screen_ref", "till"),
        ["CL6-JOURNEY#1 medium #user_journeys[0].steps[1].screen_ref"],
        {},
    ),
    (P("user_journeys[0].steps[1].screen_ref", HOURS), [], {}),
    (
        P(
            "site_inventory.coverage",
            {"discovered": 4, "extracted": 1, "pending": 1, "excluded": 2},
        ),
        [
            "CL6-COUNT#1 high #site_inventory.coverage.excluded",
            "CL6-COUNT#2 high #site_inventory.coverage.extracted",
        ],
        {},
    ),
    (
        P("site_inventory.in_scope[2]", HOME + "news"),
        ["CL6-VANISHED#1 high #site_inventory.in_scope[2]"],
        {},
    ),
    (
        P("site_inventory.coverage.complete", True),
        ["CL6-FULL#1 high #site_inventory.coverage.complete"],
        {},
    ),
    (P("site_inventory.coverage.complete", False), [], {}),
    (P("site_inventory.crawl_mode", "full_site"), [f"CL10-MODE#1 medium {L}crawl_mode"], {}),
    (
        P("site_inventory.layout_template_dedup.pages[2].key_screen", True),
        ["CL2-KEYSCREEN#1 high #site_inventory.layout_template_dedup.pages[2]"],
        {"key_screen_gaps": 1},
    ),
    (
        P("content.locales", ["en", "Kent Beck says so"]),
        ["CL8-PERSONA#1 high #content.locales[1]"],
        {},
    ),
    (
        P("content.headings_outline[0].value", "Meet Kent Beck"),
        ["CL8-NAME#1 medium #content.headings_outline[0].value"],
        {},
    ),
    (P("content.locales", ["en", "Kent and Beck"]), [], {}),
    (
        R("metadata.prompt_contract.content-intent-analyzer"),
        ["CL7-CONTRACT#1 medium #metadata.prompt_contract.content-intent-analyzer"],
        {},
    ),
    (
        G("remaining_after.bytes", -1),
        [f"CL10-BUDGET#1 high {L}cumulative.bytes"],
        {"within_budget": False},
    ),
    (
        G("network_requests", 29),
        [f"CL10-BUDGET#1 high {L}cumulative.requests"],
        {"within_budget": False},
    ),
    (G("network_requests", 28), [], {}),
    (
        G("network_requests", "3"),
        [f"CL10-UNREADABLE#1 high {L}network_requests"],
        {"within_budget": False},
    ),
    (G("retries_used", 5), [f"CL10-RETRY#1 high {L}retries_used"], {}),
    (G("retries_used", 4), [], {}),
    (
        G("budget_reset_on_retry", True),
        [f"CL10-RESET#1 high {L}budget_reset_on_retry"],
        {"within_budget": False},
    ),
    (
        G("instant_load_levers", {"max_concurrency_per_origin": 2}),
        [f"CL10-LEVER#1 high {L}instant_load_levers.max_concurrency_per_origin"],
        {"concurrency_ok": False},
    ),
    (
        G("rate_policy", {"min_interval_ms": 1999, "honor_retry_after": False}),
        [
            f"CL10-LEVER#1 high {L}rate_policy.honor_retry_after",
            f"CL10-LEVER#2 high {L}rate_policy.min_interval_ms",
        ],
        {},
    ),
    (G("events[0].http_status", 429), [f"CL10-STOP#1 high {L}events[0]"], {}),
    (G("events[0].url", "https://cdn.test/a"), [f"CL10-ORIGIN#1 high {L}events[0]"], {}),
    (G("events[0].url", "https://LIBRARY.test:443/a"), [], {}),
    (
        G("", {"https://library.test": {"requests": 31}}),
        [
            f"CL10-BUDGET#1 high {L}https://library.test.requests",
            f"CL10-PARTIAL#1 medium {L}https://library.test.bytes",
            f"CL10-PARTIAL#2 medium {L}https://library.test.pages",
        ],
        {"within_budget": False, "screenshot_budget_ok": None},
    ),
    (
        G("", {}),
        ["CL10-MISSING#1 high request-ledger.json"],
        {"within_budget": False, "concurrency_ok": False, "screenshot_budget_ok": None},
    ),
    (
        G("", {"requests": 3}),
        ["CL10-UNREADABLE#1 high request-ledger.json"],
        {"within_budget": False, "concurrency_ok": False, "screenshot_budget_ok": None},
    ),
    (F("request-ledger.json", None), [], {}),
    (
        F("request-ledger.json", "{"),
        ["CL10-UNREADABLE#1 high request-ledger.json"],
        {"within_budget": False, "concurrency_ok": False, "screenshot_budget_ok": None},
    ),
]


@pytest.mark.parametrize(
    ("change", "findings", "moved"), ROWS, ids=[str(place) for place in range(len(ROWS))]
)
def test_one_change_gives_exactly_its_findings(change, findings, moved, tmp_path):
    draft = Draft()
    change(draft)
    assessment = assess(draft, tmp_path)
    if findings is not None:
        expected = [one.replace(" #", f" {B}") if " #" in one else one for one in findings]
        assert told(assessment) == expected
    found = numbers(assessment)
    found.setdefault("screenshot_budget_ok", None)
    if findings is not None:
        assert found == {**CLEAN, **moved}
    else:
        assert all(found[name] == value for name, value in moved.items())


def test_an_empty_palette_makes_every_colour_an_orphan(tmp_path):
    draft = (
        Draft()
        .put("design_tokens.palette", [])
        .put(
            "design_tokens.theme_variants[0].palette[0]",
            {"role": "x", "canonical_hex8": "#000000ff", "gamut": "srgb"},
        )
    )
    assessment = assess(draft, tmp_path, ORPHANS)
    assert told(assessment) == [
        f"CL1-SCAFFOLD#1 high {B}design_tokens.palette",
        f"CL3-ORPHAN#1 high {B}screens[0].visual_formation_tree.children[0].paint.background_color",
        f"CL3-ORPHAN#2 high {B}screens[0].visual_formation_tree.children[1].paint.background_color",
    ]
    assert assessment.agrees_with_gate


def test_no_screens_need_a_reason(tmp_path):
    draft = Draft().put("screens", []).put_ledger("browser_render", [])
    codes = {one.id.split("#")[0] for one in assess(draft, tmp_path).findings}
    assert "CL2-NOSCREENS" in codes
    draft = Draft().put("screens", []).put_ledger("browser_render", [])
    draft.put("cwv_field_sample.lcp", gap("static-analysis-only"))
    found = assess(draft, tmp_path / "b")
    codes = {one.id.split("#")[0] for one in found.findings}
    assert not codes & {"CL2-NOSCREENS", "CL2-KEYSCREEN"}


def test_a_repeated_member_name_is_found_where_it_stands(tmp_path):
    draft = Draft()
    text = json.dumps(draft.blueprint)
    draft.text = text.replace(
        '"scope_note": "one visit"', '"scope_note": "x", "scope_note": "one visit"'
    )
    assert told(assess(draft, tmp_path)) == [f"CL1-DUPKEY#1 high {B}cwv_field_sample.scope_note"]


def test_ledger_file_and_copy_must_be_equal(tmp_path):
    draft = Draft()
    draft.ledger = {**draft.blueprint["request_ledger"], "retries_used": 1}
    assert told(assess(draft, tmp_path)) == ["CL10-MISMATCH#1 high request-ledger.json"]
    same = Draft()
    same.ledger = {**same.blueprint["request_ledger"], "retries_used": 0.0}
    assert told(assess(same, tmp_path / "b")) == []


def test_rendered_pages_have_a_limit_and_a_budget_file_needs_its_approval(tmp_path):
    pages = [{"url": HOME + str(place), "rendered": True} for place in range(4)]
    draft = Draft().put_ledger("browser_render", pages)
    found = assess(draft, tmp_path)
    assert f"CL10-RENDER#1 high {L}browser_render" in told(found)
    assert found.to_dict()["load_policy_result"]["screenshot_budget_ok"] is False
    budget = tmp_path / "budget.json"
    budget.write_text(json.dumps({"per_run": {"pages": 9}}))
    assert f"CL10-RENDER#1 high {L}browser_render" in told(assess(draft, tmp_path, budget=budget))
    note = "per_run_override applied (approved_by_user=true)"
    budget.write_text(json.dumps({"per_run": {"pages": 9}, "per_run_override_note": note}))
    assert f"CL10-RENDER#1 high {L}browser_render" not in told(
        assess(draft, tmp_path, budget=budget)
    )


FRONT = "frontend-surface-analyzer"
AGENT = f"agents/{FRONT}.md"
LENS = "Lens — Dan Abramov: state"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda text: None, [f"CL7-FILE#1 high {AGENT}"]),
        (
            lambda text: text.replace("#### Neutral synthesis", "Neutral synthesis"),
            [f"CL7-HEADING#1 high {AGENT}#Neutral synthesis"],
        ),
        (
            lambda text: text.replace(f"#### {LENS}", "#### Lens — Dan"),
            [f"CL7-LENS#1 high {AGENT}#{LENS}"],
        ),
        (
            lambda text: text.replace(
                f"#### {LENS}\n\nSay what was seen.\n", f"#### {LENS}\n\n \n"
            ),
            [f"CL7-EMPTY#1 high {AGENT}#{LENS}"],
        ),
        (lambda text: "#### Confidence and gaps\nx\n" + text, [f"CL7-ORDER#1 medium {AGENT}"]),
        (lambda text: text.replace("never imitate", "imitate"), [f"CL7-GUARD#1 high {AGENT}"]),
        (
            lambda text: text.replace("never imitate", "imitate").replace("do not claim", "claim"),
            [f"CL7-GUARD#1 high {AGENT}", f"CL7-GUARD#2 high {AGENT}"],
        ),
        (lambda text: "```\n# Observations\n```\n" + text + "\n## Extra\n", []),
    ],
)
def test_prompt_files_hold_what_the_contract_says(edit, expected, tmp_path):
    changed = {FRONT.replace("-", "_"): edit(prompt_text(FRONT))}
    folder = write_prompts(tmp_path / "agents", **changed)
    found = assess(Draft(), tmp_path, prompts=folder)
    assert told(found) == expected
    if len(expected) == 2:
        reasons = [one.reason for one in found.findings]
        assert "査読" in reasons[0]
        assert "模倣" in reasons[1]


def test_without_prompts_the_notes_say_so(tmp_path):
    found = assess(Draft(), tmp_path, prompts=False)
    assert told(found) == []
    assert "CL-7 left to the caller" in found.to_dict()["load_policy_result"]["notes"]


def test_gates_that_fail_or_cannot_be_read(tmp_path):
    found = assess(Draft(), tmp_path, FAIL, FAIL)
    assert [(one.id, one.loc) for one in found.findings] == [
        ("CL9-GATE#1", "doc-emit.py --check-screens"),
        ("CL9-GATE#2", "mermaid-validate.py"),
    ]
    nothing = gatewright.assess(tmp_path / "draft")
    assert [one.id for one in nothing.findings] == ["CL9-DISAGREE#1", "CL9-GATE#1", "CL9-GATE#2"]
    assert nothing.to_dict()["gate_results"]["mermaid_validate"]["status"] == "fail"


def test_the_callers_judgement_only_adds(tmp_path):
    judged = {
        "findings": [
            {
                "id": "R-1",
                "severity": "high",
                "loc": "essence",
                "reason": "vague",
                "criterion": "CL-4",
            }
        ],
        "open_questions": 2,
        "scaffold_derivable": False,
        "key_screens": [HOURS, HOME],
    }
    found = assess(Draft(), tmp_path, findings=judged)
    assert [one.id for one in found.findings] == ["CL2-KEYSCREEN#1", "R-1"]
    counters = numbers(found)
    assert (
        counters["open_questions"],
        counters["scaffold_derivable"],
        counters["key_screen_gaps"],
    ) == (2, False, 1)
    for bad in (
        [{"id": "CL4-X", "severity": "low", "loc": "x", "reason": "r", "criterion": "CL-4"}],
        {"other": 1},
    ):
        with pytest.raises(gatewright.GatewrightError):
            assess(Draft(), tmp_path, findings=bad)


def test_a_stale_hash_is_told_apart_and_a_missing_one_stops(tmp_path):
    draft = Draft()
    folder = draft.write(tmp_path / "draft")
    changed = json.loads((folder / "blueprint.json").read_text())
    changed["pages"][0]["title"] = "changed afterwards"
    (folder / "blueprint.json").write_text(json.dumps(changed))
    found = gatewright.assess(folder, gate_results={"mermaid": PASS, "doc-emit": PASS})
    assert found.findings == ()
    assert found.stale
    for bad in (None, "{}", '{"draft_hash": "ABC"}', "["):
        sink = folder / "sink-status.json"
        sink.unlink(missing_ok=True)
        if bad is not None:
            sink.write_text(bad)
        with pytest.raises(gatewright.GatewrightError):
            gatewright.assess(folder)


def listing(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path.relative_to(folder)): (
            path.stat().st_mtime_ns,
            path.stat().st_mode,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }


GATES = {
    "mermaid-validate.py": "print('OK')\nprint('diagrams=5')\n",
    "doc-emit.py": (
        "import os, sys\n"
        "words = '--check-screens --extraction blueprint.json --out-dir .'\n"
        "assert sys.argv[1:] == words.split(), sys.argv\n"
        "assert os.environ['PYTHONUTF8'] == '1'\n"
        'print(\'{"check":"screens","status":"pass","violations":[]}\')\n'
    ),
}


def plugin(folder: Path, **scripts: str) -> Path:
    (folder / "scripts").mkdir(parents=True)
    for name, text in GATES.items():
        (folder / "scripts" / name).write_text(scripts.get(name.split("-")[0], text))
    write_prompts(folder / "agents")
    return folder


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "gatewright", *map(str, arguments)]
    return subprocess.run(
        words,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "LC_ALL": "C"},
        check=False,
    )


def test_the_command_reads_only_and_repeats_itself(tmp_path):
    draft = Draft().write(tmp_path / "draft")
    root = plugin(tmp_path / "plugin")
    before = listing(draft)
    first = run("blueprint", "assess", draft, "--plugin-root", root)
    assert (first.returncode, first.stderr) == (0, "")
    parts = json.loads(first.stdout)
    assert sorted(parts) == [
        "findings",
        "gate_results",
        "load_policy_result",
        "observation_completeness",
        "reconstruction",
        "recount",
    ]
    assert parts["findings"] == []
    assert str(tmp_path) not in first.stdout
    out = tmp_path / "a.json"
    second = run("blueprint", "assess", draft, "--plugin-root", root, "--out", out, "--explain")
    assert out.read_text(encoding="utf-8") == first.stdout
    assert "reasoned_gaps: 66" in second.stdout
    assert listing(draft) == before
    inside = run("blueprint", "assess", draft, "--plugin-root", root, "--out", draft / "a.json")
    assert inside.returncode == 2
    assert listing(draft) == before


def test_the_verdict_on_a_draft_is_bound_and_accepted(tmp_path, monkeypatch):
    draft = Draft().write(tmp_path / "draft")
    root, receipts = plugin(tmp_path / "plugin"), tmp_path / "v"
    done = run("blueprint", "verdict", draft, "--plugin-root", root, "--verdict-dir", receipts)
    assert done.returncode == 0, done.stdout + done.stderr
    assert run("blueprint", "accept", draft, "--verdict-dir", receipts).returncode == 0
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", str(root))
    again = run("blueprint", "verdict", draft, "--verdict-dir", receipts)
    assert again.returncode == 0, again.stdout + again.stderr
    monkeypatch.delenv("CLAUDE_PLUGIN_ROOT")
    never = run("blueprint", "verdict", draft, "--verdict-dir", tmp_path / "w")
    assert never.returncode == 2
    assert "not run: give --plugin-root" in never.stderr
    assert not (tmp_path / "w").exists()
    given = ("--draft-hash", "0" * 64, "--plugin-root", root)
    other = run("blueprint", "verdict", draft, *given, "--verdict-dir", receipts)
    assert other.returncode == 2


def test_the_screen_for_people_names_what_to_fix(tmp_path):
    draft = (
        Draft()
        .put("pages", {})
        .put(f"{HEAD}.paint.background_color", "#0b5e57")
        .write(tmp_path / "draft")
    )
    shown = run(
        "blueprint",
        "explain",
        draft,
        "--plugin-root",
        plugin(tmp_path / "plugin"),
        "--lang",
        "en",
        "--color",
        "always",
    )
    assert shown.returncode == 1
    assert "FAIL" in shown.stdout
    assert "CL1-SCHEMA#1 blueprint.json#pages" in shown.stdout
    assert "\x1b[48;2;11;94;87m" in shown.stdout
    gates = ["--plugin-root", tmp_path / "plugin"]
    as_json = run("blueprint", "assess", draft, *gates, "--format", "json", "--lang", "en")
    finding = json.loads(as_json.stdout)["outcomes"][0]["findings"][0]
    assert "CL1-SCHEMA" in json.dumps(finding)
    assert '"line": 1' in json.dumps(finding)


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n", 139, "シグナル 11"),
        ("import sys\nsys.exit(2)\n", 2, "exit 2"),
        ("import time\nprint('OK', flush=True)\ntime.sleep(60)\n", 137, "1 秒"),
        ("print('OKAY')\n", 0, "exit 0"),
    ],
)
def test_a_gate_that_ends_badly_has_failed(body, status, words, tmp_path):
    draft = Draft().write(tmp_path / "draft")
    root = plugin(tmp_path / "plugin", mermaid=body)
    found = gatewright.assess(draft, plugin_root=root, timeout=1.0 if status == 137 else 60.0)
    gate = found.to_dict()["gate_results"]["mermaid_validate"]
    assert (gate["status"], gate["exit_code"]) == ("fail", status)
    assert words in gate["violations"][0]
    assert [one.id for one in found.findings] == ["CL9-GATE#1"]


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_links_that_leave_the_draft_are_not_followed(tmp_path):
    outside = tmp_path / "outside.json"
    draft = Draft().write(tmp_path / "draft")
    for name, code in (
        ("design-tokens.json", "CL3-FILE"),
        ("request-ledger.json", "CL10-UNREADABLE"),
    ):
        (draft / name).replace(outside)
        (draft / name).symlink_to(outside)
        found = gatewright.assess(draft, gate_results={"mermaid": PASS, "doc-emit": PASS})
        assert code in {one.id.split("#")[0] for one in found.findings}
        (draft / name).unlink()
        outside.replace(draft / name)
    (draft / "blueprint.json").replace(outside)
    (draft / "blueprint.json").symlink_to(outside)
    with pytest.raises(gatewright.GatewrightError):
        gatewright.assess(draft)


def test_every_rule_of_a_draft_is_met_by_some_test():
    text = Path(__file__).read_text(encoding="utf-8")
    listed = run("explain", "--format", "json")
    codes = {
        rule["code"] for rule in json.loads(listed.stdout)["rules"] if rule["code"].startswith("CL")
    }
    # The families differ by section alone; each member's checks are the same code.
    shared = (
        "-SILENT",
        "-NOREFS",
        "-NOCONF",
        "-UNGROUNDED",
        "-REF",
        "-HIGH",
        "-FACTLANE",
        "-PROVENANCE",
    )
    missing = {
        code
        for code in codes
        if code not in text and not code.endswith(shared) and not code.startswith("CL0")
    }
    assert missing == set()
    assert all(f"{ending}#" in text for ending in shared)
    assert len(codes) > 60
