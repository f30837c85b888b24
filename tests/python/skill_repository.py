"""A skill's repository as its author has it: gates' inputs in their places, all of them sound."""

from __future__ import annotations

import json
from pathlib import Path

import gatewright

PACKAGE = Path(gatewright.__file__).parent
EXAMPLES = PACKAGE / "examples"

FOREIGN = {
    "validate_framework.py": "--framework",
    "reconcile_counts.py": "--findings",
    "recount-palette-orphans.py": "--blueprint",
    "emit-verdict.py": "--assessment",
}
SCRIPT = """#!/usr/bin/env python3
import argparse
import json

parser = argparse.ArgumentParser()
parser.add_argument("{option}", required=True)
print(json.dumps({{"looked_at": vars(parser.parse_args())}}))
"""
ARTIFACT = "# Plan\n\nThe old endpoint is removed in the release. Nothing replaces it.\n"
SCORECARD = """---
persona: {persona}
run_id: {run}
findings:
  - id: placeholder
    target: "# Plan"
    claim: It cannot be undone.
    evidence: The old endpoint is removed in the release.
    ask: Keep it for two releases.
    severity: major
    category: operability
---

Prose of the reviewer.
"""


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content, indent=1)
    path.write_text(text, encoding="utf-8")


def example(name):
    return json.loads((EXAMPLES / name).read_text(encoding="utf-8"))


def sound_ledger():
    """The example's ledger without its two planted faults."""
    ledger = example("findings.json")
    for finding in ledger["findings"]:
        if finding["status"] == "present":
            finding["verification"]["status"] = "confirmed"
    unit, issue = "sha256:bf040b088c4b", "term-convenience"
    ledger["findings"].append(
        {
            "finding_id": f"{issue}/{unit}",
            "issue_id": issue,
            "lens_id": "term",
            "unit_id": unit,
            "doc_id": unit,
            "status": "absent",
        }
    )
    return ledger


def sound_blueprint():
    blueprint = example("blueprint.json")
    blueprint["design_tokens"]["palette"].append({"role": "hover", "value": "#b45309"})
    return blueprint


def make(folder):
    """Write the repository: foreign scripts, frameworks, a ledger, drafts, runs of scorecards."""
    for name, option in FOREIGN.items():
        write(folder / "scripts" / name, SCRIPT.format(option=option))
    # The schema lies where the script of the skill looks for it.
    schema = (PACKAGE / "references/framework.schema.json").read_text(encoding="utf-8")
    write(folder / "references/framework.schema.json", schema)
    framework = example("framework.json")
    write(folder / "references/framework.json", {**framework, "approved": False})
    write(folder / "rooms/lease/framework.json", {**framework, "approved": True})
    write(folder / "rooms/lease/manifest.json", example("manifest.json"))
    write(folder / "rooms/lease/findings.json", sound_ledger())
    write(folder / "drafts/home/blueprint.json", sound_blueprint())
    write(folder / "drafts/home/assessment.json", example("assessment.json"))
    write(folder / "council/persona-metadata/rev.yml", "banned_phrases: [consider]\n")
    for run in ("r1", "r2"):
        home = folder / "council/runs" / run
        write(home / "INPUT.md", ARTIFACT)
        write(home / "MANIFEST.json", {"run_id": run, "personas_run": [{"name": "rev"}]})
        write(home / "rev.md", SCORECARD.format(persona="rev", run=run))
        write(home / "SYNTHESIS.md", "# What the council says\n")
    write(folder / "SKILL.md", "---\nname: example\n---\n\n# A skill\n")
    write(folder / "package.json", {"name": "skill", "private": True})
    return folder
