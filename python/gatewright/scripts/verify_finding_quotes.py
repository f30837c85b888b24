"""What ``verify_finding_quotes.py`` offers to scripts that import it."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from gatewright import _native
from gatewright.scripts._ledger import main_of

__all__ = ["hash_id", "source_path"]


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


def bind(namespace: dict[str, object]) -> None:
    """Put the script's names into ``namespace``, the entry script's globals."""
    namespace.update(
        hash_id=hash_id,
        source_path=source_path,
        main=main_of("verify_finding_quotes", namespace),
    )
