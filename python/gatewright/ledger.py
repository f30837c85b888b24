"""The gates of the findings ledger as functions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Union

from gatewright import _native
from gatewright._stack import deep
from gatewright.outcome import Outcome, logged

#: A document: the path of a JSON file, or the loaded document.
Document = Union[str, "os.PathLike[str]", Mapping[str, Any]]


@deep
def reconcile(
    manifest: Document,
    findings: Document,
    framework: Document,
    families: Document | None = None,
) -> Outcome:
    """Check that every issue has exactly one result for every reviewable unit.

    Args:
        manifest: the corpus: ``documents`` with ``id``, ``readability`` and ``review_role``.
        findings: the ledger: ``framework_version``, ``findings``, ``parked``.
        framework: ``framework_version`` and ``lenses`` with their ``items``.
        families: the map of document families, when documents belong together.

    Returns:
        The outcome; ``facts`` holds the totals, ``details`` the matrix of issues and units. Files
        and loaded documents give the same findings; only files give them lines and columns.

    Raises:
        GatewrightError: a document cannot be read or used.
        TypeError: some documents are paths and others are loaded.

    Example:
        >>> outcome = reconcile(
        ...     {"documents": [{"id": "d", "readability": "native"}], "counts": {}},
        ...     {"framework_version": 1, "findings": []},
        ...     {
        ...         "framework_version": 1,
        ...         "lenses": [{"lens_id": "l", "items": [{"issue_id": "i"}]}],
        ...     },
        ... )
        >>> print(outcome.findings[0])
        framework: GWC019 issue `i` has no result for 1 of 1 reviewable units: `d`
    """
    given = [manifest, findings, framework] + ([] if families is None else [families])
    paths = [document for document in given if isinstance(document, (str, os.PathLike))]
    if not paths:
        return logged(_native.ledger_reconcile_values(manifest, findings, framework, families))
    if len(paths) < len(given):
        raise TypeError("give either paths or loaded documents, not both")
    return logged(_native.ledger_reconcile_files(*paths))
