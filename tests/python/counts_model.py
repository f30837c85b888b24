"""The reconcile contract as plain Python, for comparison: written from the contract page alone.

In: manifest, ledger, framework, family map as loaded documents. Out: the dict that
``reconcile_counts.reconcile`` returns, or whatever exception plain Python code meets.
"""

from __future__ import annotations

REVIEWABLE = {"native", "scanned"}
STATUSES = ("present", "absent", "unresolved")
RECEIPTS = {
    "quote_verification": "lacks a confirmed deterministic quote receipt",
    "verification": "lacks a confirmed independent checker receipt",
}


def controls_of(manifest):
    return {
        entry["id"]
        for entry in manifest.get("documents", [])
        if entry.get("review_role", "substantive") == "runner-control"
    }


def unit_map(manifest, families):
    controls = controls_of(manifest)
    units = {entry["id"]: entry["id"] for entry in manifest.get("documents", [])}
    units = {key: value for key, value in units.items() if key not in controls}
    for family in families["families"] if families else []:
        for member in family.get("members", []):
            if member["id"] in units:
                units[member["id"]] = family.get("family_id", "")
    return units


class Ledger:
    """Faults and accepted pairs, gathered finding by finding."""

    def __init__(self, manifest, families):
        self.known = {entry["id"] for entry in manifest.get("documents", [])}
        self.controls = controls_of(manifest)
        self.units = unit_map(manifest, families)
        self.errors = []
        self.seen = set()
        self.pairs = {}

    def fault_families(self, families):
        for family in families["families"] if families else []:
            listed = [m["id"] for m in family.get("members", []) if m["id"] in self.controls]
            if listed:
                name = family.get("family_id", "")
                self.errors.append(
                    f"family {name} contains runner-control document(s): "
                    + ", ".join(sorted(listed))
                )

    def park(self, entries):
        parked = set()
        for entry in entries:
            doc = entry.get("doc_id", "")
            if doc not in self.known:
                self.errors.append(f"parked entry references doc {doc} absent from the manifest")
            elif doc in self.controls:
                self.errors.append(f"parked entry references runner-control document {doc}")
            else:
                parked.add(self.units[doc])
        return parked

    def judge(self, finding, lenses, issue_lens):
        fid = finding.get("finding_id", "<no id>")
        if fid in self.seen:
            self.errors.append(f"duplicate finding_id {fid}")
        self.seen.add(fid)
        doc = finding.get("doc_id", "")
        if doc not in self.known:
            return f"finding {fid} references doc {doc} absent from the manifest"
        if doc in self.controls:
            return f"finding {fid} references runner-control document {doc}"
        status = finding.get("status", "")
        if status not in set(STATUSES):
            return f"finding {fid} has unsupported status {status!r}"
        if status == "present":
            for key, words in (("quote", "quote"), ("section", "section locator")):
                if not (finding.get(key) or "").strip():
                    self.errors.append(f"finding {fid} has status present with an empty {words}")
            for key, words in RECEIPTS.items():
                if (finding.get(key) or {}).get("status") != "confirmed":
                    self.errors.append(f"finding {fid} {words}")
        unit = finding.get("unit_id")
        if not isinstance(unit, str) or not unit:
            return f"finding {fid} has no unit_id"
        if unit != self.units[doc]:
            self.errors.append(
                f"finding {fid} claims unit {unit} but doc {doc} maps to {self.units[doc]}"
            )
        lens = finding.get("lens_id", "")
        if lens not in lenses:
            return f"finding {fid} references unknown lens '{lens}'"
        issue = finding.get("issue_id", "")
        if issue not in issue_lens:
            return f"finding {fid} references unknown issue '{issue}'"
        if issue_lens[issue] != lens:
            return (
                f"finding {fid} places issue {issue} in lens {lens}; expected {issue_lens[issue]}"
            )
        if (issue, unit) in self.pairs:
            return f"duplicate issue/unit result for {issue} and {unit}"
        self.pairs[issue, unit] = status
        return None


def reconcile(manifest, findings, framework, families=None):
    ledger = Ledger(manifest, families)
    reviewable = {
        ledger.units[name]
        for name, entry in {entry["id"]: entry for entry in manifest.get("documents", [])}.items()
        if name in ledger.units and entry.get("readability") in REVIEWABLE
    }
    all_units = set(ledger.units.values())
    ledger.fault_families(families)
    version = findings.get("framework_version")
    if version != framework.get("framework_version"):
        ledger.errors.append(
            f"findings carry framework_version {version} "
            f"but framework is version {framework.get('framework_version')}"
        )
    lenses, issue_lens = {}, {}
    for lens in framework.get("lenses", []):
        lenses.setdefault(lens["lens_id"])
        for item in lens.get("items", []):
            issue_lens[item["issue_id"]] = lens["lens_id"]
    parked = ledger.park(findings.get("parked", []))
    for finding in findings.get("findings", []):
        fault = ledger.judge(finding, lenses, issue_lens)
        if fault is not None:
            ledger.errors.append(fault)
    return report(manifest, ledger, all_units, reviewable, parked, lenses, issue_lens)


def report(manifest, ledger, all_units, reviewable, parked, lenses, issue_lens):
    pairs, errors = ledger.pairs, ledger.errors
    reviewed, unreadable = reviewable - parked, all_units - reviewable
    totals = {
        "corpus_files": len(manifest.get("documents", [])),
        "control_inputs": len(ledger.controls),
        "substantive_files": len(ledger.units),
        "units": len(all_units),
        "reviewable": len(reviewable),
        "unreadable": len(unreadable),
        "parked": len(parked),
        "reviewed": len(reviewed),
        "issues": len(issue_lens),
        "expected_results": len(issue_lens) * len(reviewed),
        "results": len(pairs),
    }
    lines = []
    per_issue = {}
    for issue in issue_lens:
        found = {unit: status for (other, unit), status in pairs.items() if other == issue}
        covered = set(found) | parked
        row = per_issue[issue] = {
            "found_units": sorted(found),
            "status_counts": {s: list(found.values()).count(s) for s in STATUSES},
            "missing": sorted(reviewable - covered),
            "extra": sorted(covered - reviewable),
            "overlap": sorted(set(found) & parked),
            "ok": False,
            "parked": len(parked),
        }
        row["ok"] = not (row["missing"] or row["extra"] or row["overlap"])
        tail = "OK" if row["ok"] else "FAIL"
        for key, words in (
            ("missing", "missing"),
            ("extra", "not reviewable"),
            ("overlap", "both found and parked"),
        ):
            if row[key]:
                tail += f" ({words}: {', '.join(row[key])})"
        lines.append(
            f"issue {issue}: {len(found)} result units + {len(parked)} parked = {len(covered)} "
            f"of {len(reviewable)} reviewable units: {tail}"
        )
    per_lens = {}
    for lens in lenses:
        mine = [issue for issue in issue_lens if issue_lens[issue] == lens]
        per_lens[lens] = {
            "found_units": sorted({unit for issue, unit in pairs if issue in mine}),
            "result_pairs": [list(pair) for pair in sorted(p for p in pairs if p[0] in mine)],
            "status_counts": {
                s: sum(per_issue[issue]["status_counts"][s] for issue in mine) for s in STATUSES
            },
            "parked": len(parked),
            "ok": all(per_issue[issue]["ok"] for issue in mine),
        }
    ok = not errors and all(row["ok"] for row in per_issue.values())
    return {
        "ok": ok,
        "lines": lines,
        "errors": errors,
        "totals": totals,
        "per_lens": per_lens,
        "per_issue": per_issue,
        "reviewable_units": sorted(reviewable),
        "unreadable_units": sorted(unreadable),
        "parked_units": sorted(parked),
    }


HEAD = (
    "corpus: {corpus_files} files, {control_inputs} runner-control, {substantive_files} substantive",
    "units: {units} total, {reviewable} reviewable, {unreadable} unreadable",
    "equation: {reviewed} reviewed + {parked} parked + {unreadable} unreadable "
    "= {units} manifest units",
    "matrix: {issues} issues x {reviewed} reviewed units = {expected_results} expected results; "
    "{results} received",
)


def printed(result):
    """The lines that the command prints for a result."""
    return [
        *(line.format(**result["totals"]) for line in HEAD),
        *result["lines"],
        *(f"error: {error}" for error in result["errors"]),
        "RECONCILED" if result["ok"] else "NOT RECONCILED",
    ]
