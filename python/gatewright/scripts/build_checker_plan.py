"""What ``build_checker_plan.py`` offers to scripts that import it."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gatewright._argparse import build
from gatewright.scripts import _ledger, is_as_written, written

__all__ = ["canonical_digest", "load", "main", "result_name"]

NAME = "build_checker_plan"


def canonical_digest(value: object) -> str:
    """SHA-256 over the canonical JSON of a value.

    The digest is defined over what Python's own ``json.dumps`` writes, so that writes it here.

    Args:
        value: plain Python objects, as ``json.loads`` returns them.

    Returns:
        64 hex digits.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def result_name(finding_id: str) -> str:
    """File name of the checker result for a finding.

    Args:
        finding_id: the finding's id.

    Returns:
        The first 16 hex digits of SHA-256 over the id, and ``.json``.
    """
    return hashlib.sha256(finding_id.encode("utf-8")).hexdigest()[:16] + ".json"


def load(path: str | Path, label: str, required: Sequence[str]) -> Any:  # noqa: ANN401
    """The JSON document at ``path``.

    Args:
        path: the file.
        label: what the file is, for the message.
        required: members that the root must have.

    Raises:
        SystemExit: with the message, when the file cannot be read or lacks a member.
    """
    return _ledger.load(NAME, path, label, required)


def main() -> None:
    """Run the command with the process's arguments.

    Raises:
        SystemExit: with the text of a refusal.
    """
    if is_as_written(globals()):
        return _ledger.run(NAME, globals())
    args: argparse.Namespace = build(NAME).parse_args(sys.argv[1:])
    findings = load(args.findings, "findings", ["framework_version", "findings"])
    framework = load(args.framework, "framework", ["framework_version", "lenses"])
    errors: list[str] = []
    jobs = _jobs(findings, framework, errors)
    if findings["framework_version"] != framework["framework_version"]:
        errors.append("findings and framework versions do not match")
    if errors:
        raise SystemExit(f"{NAME}: " + "; ".join(sorted(errors)))
    plan = {
        "framework_digest": canonical_digest(framework),
        "framework_version": framework["framework_version"],
        "jobs": sorted(jobs, key=lambda job: str(job["job_id"])),
        "selection_rule": "every-present-finding-in-approved-ledger",
        "source_findings_digest": canonical_digest(findings),
        "source_review_plan_id": findings.get("review_plan_id"),
        "version": 1,
    }
    plan["plan_id"] = canonical_digest(plan)[:16]
    _ledger.write(args.out, plan)
    print(f"Wrote {args.out}: {len(jobs)} independent checker job(s)")
    return None


def _jobs(findings: Any, framework: Any, errors: list[str]) -> list[dict[str, Any]]:  # noqa: ANN401
    lenses: dict[Any, Any] = {}
    for lens in framework["lenses"]:
        for item in lens.get("items", []):
            # What has no id can be named by no finding; what is no object has no members.
            if {"issue_id"} <= item.keys() and "lens_id" in lens:
                lenses[item["issue_id"]] = lens["lens_id"]
    seen: set[str] = set()
    jobs: list[dict[str, Any]] = []
    for finding in findings["findings"]:
        if finding.get("status") != "present":
            continue
        name = finding.get("finding_id")
        if not isinstance(name, str) or not name:
            errors.append("present finding has no finding_id")
            continue
        if name in seen:
            errors.append(f"present finding ID repeats: {name}")
            continue
        seen.add(name)
        if lenses.get(finding.get("issue_id")) != finding.get("lens_id"):
            errors.append(f"present finding {name} names the wrong lens or issue")
        if not str(finding.get("quote") or "").strip():
            errors.append(f"present finding {name} has no quote")
        if not str(finding.get("section") or "").strip():
            errors.append(f"present finding {name} has no section locator")
        if (finding.get("quote_verification") or {}).get("status") != "confirmed":
            errors.append(f"present finding {name} lacks a confirmed quote receipt")
        file = result_name(name)
        members = ("finding_id", "issue_id", "lens_id", "doc_id", "unit_id")
        jobs.append(
            {
                "job_id": file[: -len(".json")] if file.endswith(".json") else file,
                "result_file": file,
                **{key: finding.get(key) for key in members},
            }
        )
    return jobs


_WRITTEN = written(globals())
