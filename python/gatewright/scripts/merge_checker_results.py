"""What ``merge_checker_results.py`` offers to scripts that import it."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from gatewright._argparse import build
from gatewright.scripts import _ledger, is_as_written, written

__all__ = ["RESULT_KEYS", "VERDICTS", "canonical_digest", "load", "main"]

NAME = "merge_checker_results"
#: What a checker may say.
VERDICTS = {"confirmed", "refuted", "unresolved"}
#: The members of a checker result, no more and no less.
RESULT_KEYS = {"checker_plan_id", "finding_id", "objection", "verdict"}


def canonical_digest(value: object) -> str:
    """SHA-256 over the canonical JSON of a value.

    Args:
        value: plain Python objects, as ``json.loads`` returns them.

    Returns:
        64 hex digits.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


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
    plan_keys = ["framework_version", "jobs", "plan_id", "source_findings_digest"]
    plan = load(args.checker_plan, "checker plan", plan_keys)
    if findings["framework_version"] != plan["framework_version"]:
        _refuse("findings and checker plan versions differ")
    if canonical_digest(findings) != plan["source_findings_digest"]:
        _refuse("checker plan is stale for this findings ledger")
    rest = {key: value for key, value in plan.items() if key != "plan_id"}
    if canonical_digest(rest)[:16] != plan["plan_id"]:
        _refuse("checker plan ID does not match its contents")
    folder = Path(args.results_dir)
    if not folder.is_dir():
        _refuse(f"results directory not found: {folder}")
    planned = _planned(findings, plan)
    opinions = _opinions(folder, plan, planned)
    counts = {"confirmed": 0, "changed": 0}
    for finding in findings["findings"]:
        name = finding.get("finding_id")
        if name not in planned.values():
            continue
        opinion = opinions[name]
        finding["verification"] = {
            "checker": "independent",
            "objection": opinion["objection"],
            "status": opinion["verdict"],
        }
        if opinion["verdict"] == "confirmed":
            counts["confirmed"] += 1
        else:
            finding["status"] = "unresolved"
            counts["changed"] += 1
    _ledger.write(args.out, findings)
    print(
        f"Wrote {args.out}: {counts['confirmed']} confirmed, "
        f"{counts['changed']} changed to unresolved"
    )
    return None


def _refuse(text: str) -> NoReturn:
    raise SystemExit(f"{NAME}: {text}")


def _planned(findings: Any, plan: Any) -> dict[str, str]:  # noqa: ANN401
    """Result file -> finding id, checked against the ledger."""
    ids = [finding.get("finding_id") for finding in findings["findings"]]
    if len(set(ids)) != len(ids):
        _refuse("findings ledger repeats a finding_id")
    planned = [job.get("finding_id") for job in plan["jobs"]]
    present = [
        finding.get("finding_id")
        for finding in findings["findings"]
        if finding.get("status") == "present"
    ]
    if not all(isinstance(name, str) and name for name in planned):
        _refuse("checker plan has an invalid finding ID")
    if not all(isinstance(name, str) and name for name in present):
        _refuse("present finding has an invalid finding ID")
    if len(set(planned)) != len(planned):
        _refuse("checker plan repeats a finding ID")
    files = [job.get("result_file") for job in plan["jobs"]]
    if not all(isinstance(name, str) and name for name in files):
        _refuse("checker plan has an invalid result filename")
    if any(Path(name).name != name or Path(name).suffix != ".json" for name in files):
        _refuse("checker plan result filename is unsafe")
    if len(set(files)) != len(files):
        _refuse("checker plan repeats a result filename")
    if set(planned) != set(present):
        _refuse("checker plan does not cover every present finding")
    return dict(zip(files, planned))


def _opinions(folder: Path, plan: Any, planned: dict[str, str]) -> dict[str, Any]:  # noqa: ANN401
    found = {path.name for path in folder.glob("*.json")}
    errors: list[str] = []
    if set(planned) - found:
        errors.append("missing result file(s): " + ", ".join(sorted(set(planned) - found)))
    if found - set(planned):
        errors.append("unexpected result file(s): " + ", ".join(sorted(found - set(planned))))
    opinions: dict[str, Any] = {}
    seen: set[Any] = set()
    for file, wanted in planned.items():
        if not (folder / file).is_file():
            continue
        try:
            result = json.loads((folder / file).read_text(encoding="utf-8"))
        except (OSError, json.JSONDecodeError) as fault:
            _refuse(f"cannot read checker result {file}: {fault}")
        if not isinstance(result, dict) or set(result) != RESULT_KEYS:
            errors.append(f"{file} has invalid keys")
            continue
        verdict, objection, name = (result[k] for k in ("verdict", "objection", "finding_id"))
        if result["checker_plan_id"] != plan["plan_id"]:
            errors.append(f"{file} carries a stale checker plan ID")
        if name != wanted:
            errors.append(f"{file} carries the wrong finding ID")
        if verdict not in VERDICTS:
            errors.append(f"{file} has invalid verdict {verdict!r}")
        if not isinstance(objection, str):
            errors.append(f"{file} has a non-string objection")
        if verdict != "confirmed" and not (isinstance(objection, str) and objection.strip()):
            errors.append(f"{file} must explain a non-confirming verdict")
        if name in seen:
            errors.append(f"checker result repeats {name}")
        seen.add(name)
        opinions[wanted] = result
    if errors:
        _refuse("; ".join(sorted(errors)))
    return opinions


_WRITTEN = written(globals())
