#!/usr/bin/env python3
"""Write a clean review run of any size: manifest.json, framework.json, findings.json.

    python3 tests/bench/gen_ledger.py UNITS ISSUES FOLDER

10000 100 gives a million findings, about 340 MB. Findings are written one by one, so that the
generator itself needs little memory; the same arguments give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from pathlib import Path

ISSUES_PER_LENS = 10
SEED = 20


def unit_name(unit: int) -> str:
    """Id of a document: what the manifest of a room has."""
    return "sha256:" + hashlib.sha256(str(unit).encode()).hexdigest()[:12]


def item(issue: int) -> dict[str, object]:
    """One item of the framework."""
    return {
        "issue_id": f"issue-{issue:05d}",
        "question": f"Does the lease say anything on point {issue}?",
        "hit_rule": "The clause must name the point and bind the tenant or whoever takes the lease.",
        "exclusions": ["A bare heading", "A recital that binds nobody"],
        "evidence": {
            "required": "verbatim quote plus section reference",
            "unresolved_when": "The clause refers to a schedule that is not in the room.",
        },
        "answer_shape": {
            "statuses": ["present", "absent", "unresolved"],
            "characterization_max_words": 30,
            "template": "SECTION: state who owes what to whom (QUOTE).",
        },
        "disposition": "report",
        "overlap_owner": None,
    }


def finding(rng: random.Random, issue: int, document: str) -> dict[str, object]:
    """One finding; a quarter of them are present, with quote and receipts."""
    name = f"issue-{issue:05d}"
    made: dict[str, object] = {
        "finding_id": f"{name}/{document}",
        "issue_id": name,
        "lens_id": f"lens-{issue // ISSUES_PER_LENS:04d}",
        "unit_id": document,
        "doc_id": document,
        "status": rng.choice(("present", "absent", "absent", "unresolved")),
    }
    if made["status"] == "present":
        made.update(
            section=f"{issue}.{rng.randrange(9)}",
            quote="the tenant shall give notice in writing not less than ninety days before",
            characterization="Notice of ninety days in writing; no form is prescribed.",
            quote_verification={"status": "confirmed", "checker": "text-match"},
            verification={"status": "confirmed", "checker": "independent"},
            current_position=True,
        )
    return made


def main() -> None:
    """Write the three files."""
    units, issues, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(SEED)
    documents = [unit_name(unit) for unit in range(units)]
    manifest = {
        "counts": {"files": units},
        "documents": [{"id": document, "readability": "native"} for document in documents],
    }
    lenses = [
        {
            "lens_id": f"lens-{first // ISSUES_PER_LENS:04d}",
            "name": f"Points from {first} on",
            "items": [item(k) for k in range(first, min(first + ISSUES_PER_LENS, issues))],
        }
        for first in range(0, issues, ISSUES_PER_LENS)
    ]
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2), encoding="utf-8")
    framework = {
        "framework_version": 1,
        "approved": True,
        "source_inputs": [{"kind": "checklist", "label": "points of the tenant's counsel"}],
        "lenses": lenses,
    }
    (folder / "framework.json").write_text(json.dumps(framework, indent=2), encoding="utf-8")
    encoder = json.JSONEncoder(indent=2, sort_keys=True)
    with (folder / "findings.json").open("w", encoding="utf-8") as ledger:
        ledger.write('{\n  "framework_version": 1,\n  "parked": [],\n  "findings": [')
        separator = "\n    "
        for document in documents:
            for issue in range(issues):
                text = encoder.encode(finding(rng, issue, document))
                ledger.write(separator + text.replace("\n", "\n    "))
                separator = ",\n    "
        ledger.write("\n  ]\n}\n")


if __name__ == "__main__":
    main()
