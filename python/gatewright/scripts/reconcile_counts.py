"""What ``reconcile_counts.py`` offers to scripts beside it, on plain Python objects."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from gatewright import _native
from gatewright._argparse import build
from gatewright.scripts import is_as_written, written

__all__ = ["REVIEWABLE", "load", "main", "reconcile", "unit_map"]

NAME = "reconcile_counts"
#: Readabilities that make a unit reviewable.
REVIEWABLE = set(_native.counts_reviewable())
_STATUSES = ("present", "absent", "unresolved")
_NEEDED = (("quote", "quote"), ("section", "section locator"))
_RECEIPTS = (
    ("quote_verification", "lacks a confirmed deterministic quote receipt"),
    ("verification", "lacks a confirmed independent checker receipt"),
)


def load(path: str | os.PathLike[str], kind: str, required_keys: Sequence[str]) -> dict[str, Any]:
    """The JSON document at ``path``.

    Args:
        path: file.
        kind: what the file is, for the message.
        required_keys: members that the root must have.

    Raises:
        SystemExit: with the message, when the file cannot be read or lacks a member.
    """
    try:
        with open(path, encoding="utf-8") as handle:  # noqa: PTH123 - takes what open() takes
            data: dict[str, Any] = json.load(handle)
    except (OSError, json.JSONDecodeError) as fault:
        raise SystemExit(f"{NAME}: cannot read {kind} at {path}: {fault}") from fault
    for key in required_keys:
        if key not in data:
            raise SystemExit(f"{NAME}: {kind} missing key {key!r}")
    return data


def unit_map(manifest: Any, families: Any) -> dict[Any, Any]:  # noqa: ANN401
    """The unit of every substantive document.

    Args:
        manifest: the manifest as a plain dict.
        families: the family map as a plain dict, or None.

    Returns:
        ``{document id: unit id}`` in manifest order.
    """
    units = _substantive(manifest)
    for family in families.get("families", []) if families else []:
        for member in family.get("members", []):
            if member["id"] in units:
                units[member["id"]] = family.get("family_id", "")
    return units


def _controls(manifest: Any) -> set[Any]:  # noqa: ANN401
    return {
        entry["id"]
        for entry in manifest.get("documents", [])
        if entry.get("review_role", "substantive") == "runner-control"
    }


def _substantive(manifest: Any) -> dict[Any, Any]:  # noqa: ANN401
    controls = _controls(manifest)
    ids = [entry["id"] for entry in manifest.get("documents", [])]
    return {name: name for name in ids if name not in controls}


def reconcile(
    manifest: Any,  # noqa: ANN401
    findings: Any,  # noqa: ANN401
    framework: Any,  # noqa: ANN401
    families: Any = None,  # noqa: ANN401
) -> dict[str, Any]:
    """Reconcile a ledger.

    Args:
        manifest: the manifest as a plain dict.
        findings: the ledger as a plain dict.
        framework: the framework as a plain dict.
        families: the family map as a plain dict, or None.

    Returns:
        ``ok``, ``lines`` (one per issue), ``errors``, ``totals``, ``per_lens``, ``per_issue``,
        ``reviewable_units``, ``unreadable_units``, ``parked_units``.

    Raises:
        KeyError: a member that is needed is missing.
        TypeError: a value cannot be an id, a list, or be sorted.
        AttributeError: something else stands where an object or a text is needed.
    """
    if is_as_written(globals()):
        try:
            return _native.counts_reconcile(manifest, findings, framework, families)
        except Exception:
            pass
    units = unit_map(manifest, families)
    documents = {entry["id"]: entry for entry in manifest.get("documents", [])}
    controls = _controls(manifest)
    reviewable = {
        unit for name, unit in units.items() if documents[name].get("readability") in REVIEWABLE
    }
    errors: list[str] = []
    for family in families.get("families", []) if families else []:
        listed = [member["id"] for member in family.get("members", []) if member["id"] in controls]
        if listed:
            errors.append(
                f"family {family.get('family_id', '')} contains runner-control document(s): "
                + ", ".join(sorted(listed))
            )
    version, wanted = findings.get("framework_version"), framework.get("framework_version")
    if version != wanted:
        errors.append(
            f"findings carry framework_version {version} but framework is version {wanted}"
        )
    issues: dict[Any, Any] = {}
    lenses: dict[Any, None] = {}
    for lens in framework.get("lenses", []):
        lenses.setdefault(lens["lens_id"])
        for item in lens.get("items", []):
            issues[item["issue_id"]] = lens["lens_id"]
    parked: set[Any] = set()
    for entry in findings.get("parked", []):
        name = entry.get("doc_id", "")
        if name not in documents:
            errors.append(f"parked entry references doc {name} absent from the manifest")
        elif name in controls:
            errors.append(f"parked entry references runner-control document {name}")
        else:
            parked.add(units[name])
    pairs: dict[tuple[Any, Any], str] = {}
    seen: set[Any] = set()
    for finding in findings.get("findings", []):
        fid = finding.get("finding_id", "<no id>")
        if fid in seen:
            errors.append(f"duplicate finding_id {fid}")
        seen.add(fid)
        fault = _judge(finding, fid, (documents, controls, units), (lenses, issues), pairs, errors)
        if fault is not None:
            errors.append(fault)
    return _result(manifest, units, reviewable, parked, (lenses, issues), pairs, errors)


def _judge(
    finding: Any,  # noqa: ANN401
    fid: Any,  # noqa: ANN401
    corpus: tuple[dict[Any, Any], set[Any], dict[Any, Any]],
    asked: tuple[dict[Any, None], dict[Any, Any]],
    pairs: dict[tuple[Any, Any], str],
    errors: list[str],
) -> str | None:
    """Count a finding, or say why it does not count; lesser faults go into ``errors``."""
    (documents, controls, units), (lenses, issues) = corpus, asked
    doc = finding.get("doc_id", "")
    if doc not in documents:
        return f"finding {fid} references doc {doc} absent from the manifest"
    if doc in controls:
        return f"finding {fid} references runner-control document {doc}"
    status = finding.get("status", "")
    if status not in set(_STATUSES):
        return f"finding {fid} has unsupported status {status!r}"
    if status == "present":
        for key, words in _NEEDED:
            if not (finding.get(key) or "").strip():
                errors.append(f"finding {fid} has status present with an empty {words}")
        for key, words in _RECEIPTS:
            if (finding.get(key) or {}).get("status") != "confirmed":
                errors.append(f"finding {fid} {words}")
    unit = finding.get("unit_id")
    if not isinstance(unit, str) or not unit:
        return f"finding {fid} has no unit_id"
    if unit != units[doc]:
        errors.append(f"finding {fid} claims unit {unit} but doc {doc} maps to {units[doc]}")
    lens, issue = finding.get("lens_id", ""), finding.get("issue_id", "")
    if lens not in lenses:
        return f"finding {fid} references unknown lens '{lens}'"
    if issue not in issues:
        return f"finding {fid} references unknown issue '{issue}'"
    if issues[issue] != lens:
        return f"finding {fid} places issue {issue} in lens {lens}; expected {issues[issue]}"
    if (issue, unit) in pairs:
        return f"duplicate issue/unit result for {issue} and {unit}"
    pairs[issue, unit] = status
    return None


def _result(
    manifest: Any,  # noqa: ANN401
    units: dict[Any, Any],
    reviewable: set[Any],
    parked: set[Any],
    asked: tuple[dict[Any, None], dict[Any, Any]],
    pairs: dict[tuple[Any, Any], str],
    errors: list[str],
) -> dict[str, Any]:
    lenses, issues = asked
    everything = set(units.values())
    reviewed = reviewable - parked
    per_issue: dict[Any, dict[str, Any]] = {}
    lines: list[str] = []
    for issue in issues:
        found = {unit: status for (other, unit), status in pairs.items() if other == issue}
        covered = set(found) | parked
        row: dict[str, Any] = {
            "found_units": sorted(found),
            "status_counts": {s: list(found.values()).count(s) for s in _STATUSES},
            "missing": sorted(reviewable - covered),
            "extra": sorted(covered - reviewable),
            "overlap": sorted(set(found) & parked),
            "ok": False,
            "parked": len(parked),
        }
        row["ok"] = not (row["missing"] or row["extra"] or row["overlap"])
        per_issue[issue] = row
        notes = "".join(
            f" ({words}: {', '.join(row[key])})"
            for key, words in (
                ("missing", "missing"),
                ("extra", "not reviewable"),
                ("overlap", "both found and parked"),
            )
            if row[key]
        )
        lines.append(
            f"issue {issue}: {len(found)} result units + {len(parked)} parked = {len(covered)} "
            f"of {len(reviewable)} reviewable units: {'OK' if row['ok'] else 'FAIL'}{notes}"
        )
    per_lens: dict[Any, dict[str, Any]] = {}
    for lens in lenses:
        mine = [issue for issue in issues if issues[issue] == lens]
        counted = sorted(pair for pair in pairs if pair[0] in mine)
        per_lens[lens] = {
            "found_units": sorted({unit for _, unit in counted}),
            "result_pairs": [list(pair) for pair in counted],
            "status_counts": {
                s: sum(per_issue[issue]["status_counts"][s] for issue in mine) for s in _STATUSES
            },
            "parked": len(parked),
            "ok": all(per_issue[issue]["ok"] for issue in mine),
        }
    return {
        "ok": not errors and all(row["ok"] for row in per_issue.values()),
        "lines": lines,
        "errors": errors,
        "totals": {
            "corpus_files": len(manifest.get("documents", [])),
            "control_inputs": len(_controls(manifest)),
            "substantive_files": len(units),
            "units": len(everything),
            "reviewable": len(reviewable),
            "unreadable": len(everything - reviewable),
            "parked": len(parked),
            "reviewed": len(reviewed),
            "issues": len(issues),
            "expected_results": len(issues) * len(reviewed),
            "results": len(pairs),
        },
        "per_lens": per_lens,
        "per_issue": per_issue,
        "reviewable_units": sorted(reviewable),
        "unreadable_units": sorted(everything - reviewable),
        "parked_units": sorted(parked),
    }


def main() -> None:
    """Run the command with the process's arguments.

    Raises:
        SystemExit: with the status, or with the text of a refusal.
    """
    if is_as_written(globals()):
        status, refusal = _native.run_main(NAME, sys.argv[1:])
        sys.exit(refusal or status)
    args: argparse.Namespace = build(NAME).parse_args(sys.argv[1:])
    manifest = load(args.manifest, "manifest", ["documents", "counts"])
    findings = load(args.findings, "findings", ["findings"])
    framework = load(args.framework, "framework", ["framework_version", "lenses"])
    families = load(args.families, "families", ["families"]) if args.families else None
    result = reconcile(manifest, findings, framework, families)
    totals = result["totals"]
    head = (
        "corpus: {corpus_files} files, {control_inputs} runner-control, "
        "{substantive_files} substantive\n"
        "units: {units} total, {reviewable} reviewable, {unreadable} unreadable\n"
        "equation: {reviewed} reviewed + {parked} parked + {unreadable} unreadable "
        "= {units} manifest units\n"
        "matrix: {issues} issues x {reviewed} reviewed units = {expected_results} "
        "expected results; {results} received"
    )
    print(head.format(**totals))
    for line in result["lines"]:
        print(line)
    for error in result["errors"]:
        print(f"error: {error}")
    print("RECONCILED" if result["ok"] else "NOT RECONCILED")
    sys.exit(0 if result["ok"] else 1)


_WRITTEN = written(globals())
