"""Random ledgers with their manifest, framework and families: mostly in order, with faults.

Members are texts or missing, as Arrow columns hold them. Run as a program it compares `Coverage`
with `ledger reconcile` on as many ledgers as asked: ``python random_ledgers.py 20000``.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path

import gatewright
from gatewright.batch import Coverage

STATUSES = ["present", "absent", "unresolved"]
QUOTES = ["The tenant pays.", "the tenant", "Rent is due.", " ", "", None]


def case(seed):
    """``(manifest, ledger, framework, families or None)``."""
    dice = random.Random(seed)
    documents = [f"d{n}" for n in range(dice.randint(0, 5))]
    manifest = {
        "documents": [
            {
                "id": name,
                "readability": dice.choice(["native", "native", "scanned", "corrupt"]),
                **({"review_role": "runner-control"} if dice.random() < 0.1 else {}),
            }
            for name in documents
        ],
        "counts": {},
    }
    families, units = None, {name: name for name in documents}
    if dice.random() < 0.4 and len(documents) > 1:
        members = documents[:2]
        families = {"families": [{"family_id": "F", "members": [{"id": m} for m in members]}]}
        if dice.random() < 0.2:
            families["families"].append({"family_id": "G", "members": [{"id": "d1"}]})
        units.update(dict.fromkeys(members, "F"))
    lenses = []
    for number in range(dice.randint(1, 3)):
        items = []
        for place in range(dice.randint(0, 3)):
            item = {"issue_id": f"i{number}{place}"}
            if dice.random() < 0.3:
                item["answer_shape"] = {"characterization_max_words": dice.randint(0, 3)}
            if dice.random() < 0.3:
                item["materiality"] = {"default": "low"}
            if dice.random() < 0.15:
                item["overlap_owner"] = f"l{dice.randint(0, 2)}"
            items.append(item)
        lenses.append({"lens_id": f"l{number}", "items": items})
    framework = {"framework_version": 1, "lenses": lenses}
    issues = [(item["issue_id"], lens["lens_id"]) for lens in lenses for item in lens["items"]]
    findings = [
        finding(dice, issue, lens, document, units)
        for issue, lens in issues
        for document in documents
        if dice.random() < 0.9
    ]
    findings += [dict(dice.choice(findings)) for _ in range(dice.randint(0, 2)) if findings]
    dice.shuffle(findings)
    ledger = {"framework_version": dice.choice([1, 1, 1, 2]), "findings": findings}
    if dice.random() < 0.3:
        ledger["parked"] = [{"doc_id": dice.choice([*documents, "nowhere"])}]
    return manifest, ledger, framework, families


def finding(dice, issue, lens, document, units):
    status = dice.choice(STATUSES)
    out = {
        "finding_id": f"{issue}/{document}",
        "issue_id": issue,
        "lens_id": lens,
        "doc_id": document,
        "unit_id": units[document],
        "status": status,
    }
    if status == "present":
        out |= {
            "quote": dice.choice(QUOTES),
            "section": dice.choice(["1", "1", "1", "\u2003"]),
            "characterization": dice.choice(["one", "one two\u00a0three four", ""]),
            "current_position": dice.random() < 0.7,
            "quote_verification": receipt(dice, "deterministic-text-match"),
            "verification": receipt(dice, "independent"),
        }
    if dice.random() < 0.1:
        out["band"] = "B1"
    if dice.random() < 0.2:
        key = dice.choice(list(out))
        if key not in ("current_position", "quote_verification", "verification"):
            out[key] = dice.choice(["", "d0", "i00", "l1", "F", "odd", "i00/d1", None])
    return {key: value for key, value in out.items() if value is not None}


def receipt(dice, checker):
    if dice.random() < 0.1:
        return {}
    return {
        "status": "confirmed" if dice.random() < 0.9 else "rejected",
        "checker": checker if dice.random() < 0.9 else "me",
    }


def told(outcome):
    """Verdict, counts and findings, without what depends on the order within the file: which of
    two findings for one cell comes first."""
    masked = []
    for one in outcome.findings:
        message = one.message
        if "gives a second result" in message:
            message = message[message.index("gives") :]
        if one.code == "GWL117":
            message = message.split(" quotes the passage of ")[0]
        masked.append((one.code, one.severity, message, one.remedy))
    return outcome.verdict, dict(outcome.facts), outcome.summary, sorted(masked)


def commanded(folder, manifest, ledger, framework, families):
    """What the command says of the files."""
    paths = []
    for name, value in [
        ("manifest", manifest),
        ("findings", ledger),
        ("framework", framework),
        ("families", families),
    ]:
        if value is not None:
            paths.append(Path(folder) / f"{name}.json")
            paths[-1].write_text(json.dumps(value))
    return gatewright.reconcile(*paths)


def in_parts(dice, ledger, framework):
    """A ``Coverage`` of the findings in random parts, pickled and merged in random order."""
    import pickle

    findings = list(ledger["findings"])
    dice.shuffle(findings)
    parts = [Coverage(framework) for _ in range(dice.randint(1, 4))]
    for one in findings:
        dice.choice(parts).update([one])
    parts = [pickle.loads(pickle.dumps(part)) for part in parts]
    dice.shuffle(parts)
    total = parts[0]
    for part in parts[1:]:
        total.merge(part)
    assert len(total) == len(findings)
    return total


def compare(folder, seed):
    manifest, ledger, framework, families = case(seed)
    expected = commanded(folder, manifest, ledger, framework, families)
    dice = random.Random(seed)
    answers = [
        in_parts(dice, ledger, framework).outcome(
            manifest,
            framework,
            families,
            parked=ledger.get("parked", ()),
            framework_version=ledger["framework_version"],
        )
        for _ in range(2)
    ]
    assert told(answers[0]) == told(expected), f"ledger {seed}"
    # Whatever the parts and their order, the answer is the same to the letter.
    assert answers[0] == answers[1], f"ledger {seed}"
    return expected


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        verdicts = {}
        for number in range(int(sys.argv[1])):
            verdict = compare(place, number).verdict
            verdicts[verdict] = verdicts.get(verdict, 0) + 1
    print(verdicts)
