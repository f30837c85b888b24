"""Examples of rules, tried: the failing one fails by its rule, the repaired one does not.

An example is a part of a document. What can be put into a sound document without a reader's help is
put there; the others are prose, and the rules' own tests cover them.
"""

from __future__ import annotations

import json
import re

import gatewright
import pytest
import yaml
from assessments import passing
from gatewright import _native

RULES = json.loads(_native.cli_output(["explain", "--format", "json"])[1])["rules"]
BLUEPRINT = {
    "screens": [{"paint": {"background_color": "#0f766e"}}],
    "design_tokens": {"palette": [{"canonical_hex8": "#0f766eff"}]},
}
FINDING = {
    "id": "placeholder",
    "target": "## Plan",
    "claim": "It cannot be undone.",
    "evidence": "Ship to all accounts on Monday.",
    "ask": "Keep it for two releases.",
    "severity": "major",
    "category": "operability",
}
ARTIFACT = "Ship to all accounts on Monday. The job inserts a row and returns 202.\n"


def members(text):
    """The JSON members that ``text`` gives, bare names allowed; None when it is prose."""
    quoted = re.sub(r"(^|(?<=, ))([a-z_]+): ", r'"\2": ', text)
    try:
        found = json.loads("{" + quoted + "}")
    except ValueError:
        return None
    return found or None


def placed(document, found):
    """``document`` with each member of ``found`` wherever one of that name stands; None if nowhere."""
    left = set(found)

    def put(value):
        if isinstance(value, dict):
            left.difference_update(value)
            return {
                key: found[key] if key in found else put(member) for key, member in value.items()
            }
        return [put(member) for member in value] if isinstance(value, list) else value

    changed = put(document)
    return None if left else changed


def codes(*outcomes):
    return {finding.code for outcome in outcomes for finding in outcome.findings}


def of_framework(text, framework):
    found = members(text)
    document = found and placed(framework, found)
    if not document:
        return None
    # The shipped schema sees some of what the later checks are for.
    lax = gatewright.check_framework(document, schema={})
    return codes(gatewright.check_framework(document), lax)


def of_blueprint(text, _):
    found = members(text)
    document = found and placed(BLUEPRINT, found)
    return codes(gatewright.recount_palette(document)) if document else None


def of_assessment(text, _):
    found = members(text)
    assessment = passing()
    assessment["load_policy_result"]["screenshot_budget_ok"] = True
    document = found and placed(assessment, found)
    return codes(gatewright.decide(document)) if document else None


def of_scorecard(text, _):
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError:
        return None
    artifact = found.pop("artifact", ARTIFACT) if isinstance(found, dict) else None
    if not artifact or not set(found) <= set(FINDING):
        return None
    # As written: the reader of YAML is part of what is tried.
    lines = [line for line in text.splitlines() if not line.startswith("artifact: ")]
    rest = [f"{key}: {json.dumps(value)}" for key, value in FINDING.items() if key not in found]
    body = "\n    ".join([*lines, *rest])
    card = f"---\npersona: rev\nrun_id: r1\nfindings:\n  - {body}\n---\n\nProse.\n"
    return codes(gatewright.check_scorecard(card, artifact, ["consider"]))


GRADES = {
    "absent": "GWE001",
    "near": "GWE002",
    "elided": "GWE003",
    "typographic": "GWE004",
}


def of_quote(text, _):
    parts = re.fullmatch(r"source: (.*)\nquote:  (.*)", text)
    if not parts:
        return None
    (match,) = gatewright.ground([parts.group(2)], parts.group(1).encode())
    return {GRADES.get(match.grade, "GWE005" if match.flags else "")}


#: How the examples of a group are tried, and how many of its rules have examples that can be.
GROUPS = {
    "GWE": (of_quote, 5),
    "GWF": (of_framework, 15),
    "GWP": (of_blueprint, 3),
    "GWS": (of_scorecard, 5),
    "GWV": (of_assessment, 15),
}
# Rules of receipts: an assessment alone breaks none of them.
RECEIPTS = "GWV040"


@pytest.mark.parametrize("group", GROUPS)
def test_the_failing_example_fails_by_its_rule_and_the_repaired_one_does_not(group, framework):
    gate, least = GROUPS[group]
    framework["lenses"][0]["lens_id"] = "term"
    tried = {}
    for rule in RULES:
        if not rule["code"].startswith(group) or RECEIPTS < rule["code"] < "GWW":
            continue
        failing, repaired = (gate(rule[key], framework) for key in ("fails", "repaired"))
        if failing is not None and repaired is not None:
            tried[rule["code"]] = rule["code"] in failing and rule["code"] not in repaired
    assert [code for code, is_as_said in tried.items() if not is_as_said] == []
    assert len(tried) >= least, tried
