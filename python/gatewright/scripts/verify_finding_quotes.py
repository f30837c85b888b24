"""What ``verify_finding_quotes.py`` offers to scripts that import it."""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gatewright import _native
from gatewright._argparse import build
from gatewright.scripts import _ledger, is_as_written, written

__all__ = ["hash_id", "load", "main", "source_path", "verify_quotes"]

NAME = "verify_finding_quotes"


def hash_id(path: str | os.PathLike[str]) -> str:
    """The manifest id of a file.

    Args:
        path: the file.

    Returns:
        ``sha256:`` and the first 12 hex digits of SHA-256 over its bytes.
    """
    digest = hashlib.sha256()
    with Path(path).open("rb") as handle:
        while block := handle.read(1 << 20):
            digest.update(block)
    return "sha256:" + digest.hexdigest()[:12]


def source_path(root: str | os.PathLike[str], relative: str) -> Path:
    """Where a path of the manifest leads.

    Args:
        root: folder of the room.
        relative: path under it, with forward slashes.

    Raises:
        ValueError: the path is absolute, holds ``..``, or leaves the room through a link.
    """
    return Path(_native.ledger_source_path(root, relative))


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


def verify_quotes(
    findings: dict[str, Any],
    manifest: dict[str, Any],
    room_root: str | os.PathLike[str],
    extractor: str = "auto",
) -> tuple[int, int]:
    """Put a quote receipt into every present finding of the ledger, in place.

    Args:
        findings: the ledger as a plain dict.
        manifest: the manifest as a plain dict.
        room_root: folder that the manifest's paths lie under.
        extractor: ``auto`` or ``stdlib``.

    Returns:
        How many quotes were confirmed, and how many findings were changed to unresolved.

    Raises:
        ValueError: all faults of documents, joined; or a finding that cites no document.
    """
    root = Path(room_root).expanduser().resolve()
    documents = {entry["id"]: entry for entry in manifest["documents"]}
    faults: list[str] = []
    paths: dict[Any, Path] = {}
    for name, entry in documents.items():
        relative = entry["path"]
        try:
            paths[name] = path = source_path(root, relative)
            if not path.is_file():
                faults.append(f"source document does not exist: {relative}")
            elif hash_id(path) != name:
                faults.append(f"manifest identity changed for {relative}")
        except (OSError, ValueError) as fault:
            faults.append(str(fault))
    if faults:
        raise ValueError("; ".join(sorted(faults)))
    confirmed = rejected = 0
    for finding in findings["findings"]:
        if finding.get("status") != "present":
            continue
        finding.pop("verification", None)
        cited = finding.get("doc_id")
        if cited not in documents:
            shown = finding.get("finding_id", "<no id>")
            raise ValueError(f"finding {shown} cites unknown document {cited}")
        quote = finding.get("quote") or ""
        if not str(quote).strip():
            reason = "empty quote"
        elif isinstance(quote, str) and _native.ledger_quote_is_found(
            paths[cited], documents[cited]["path"], quote, extractor
        ):
            receipt = {"checker": "deterministic-text-match", "status": "confirmed"}
            finding["quote_verification"] = receipt
            confirmed += 1
            continue
        else:
            reason = "quote not found in source text"
        finding["quote_verification"] = {"reason": reason, "status": "rejected"}
        finding["status"] = "unresolved"
        rejected += 1
    return confirmed, rejected


def main() -> None:
    """Run the command with the process's arguments.

    Raises:
        SystemExit: with the text of a refusal.
    """
    if is_as_written(globals()):
        return _ledger.run(NAME, globals())
    args: argparse.Namespace = build(NAME).parse_args(sys.argv[1:])
    findings = load(args.findings, "findings", ["findings"])
    manifest = load(args.manifest, "manifest", ["documents", "counts"])
    root = Path(args.room_root).expanduser().resolve()
    if not root.is_dir():
        raise SystemExit(f"{NAME}: room root is not a directory: {root}")
    try:
        confirmed, rejected = verify_quotes(findings, manifest, root, args.extractor)
    except (OSError, ValueError) as fault:
        raise SystemExit(f"{NAME}: {fault}") from fault
    _ledger.write(args.out, findings)
    print(f"Wrote {args.out}: {confirmed} confirmed, {rejected} changed to unresolved")
    return None


_WRITTEN = written(globals())
