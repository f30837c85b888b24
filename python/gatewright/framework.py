"""The gate of checklist frameworks as a function."""

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
def check_framework(
    framework: Document, *, schema: Document | None = None, allow_approved: bool = False
) -> Outcome:
    """Check a framework against its schema and against itself, as ``gatewright framework check``.

    Args:
        framework: the framework: a path, or the loaded document.
        schema: schema to use instead of the one that ships with the package: a path, or the loaded
            document.
        allow_approved: accept ``approved: true``, as after Gate 2.

    Returns:
        The outcome, findings by place in the document; ``facts`` holds ``lenses``, ``items`` and
        ``framework_version``. A path gives findings lines and columns, a loaded document paths
        alone.

    Raises:
        GatewrightError: a document cannot be read, or the schema cannot be used.

    Example:
        >>> outcome = check_framework({"lenses": [{"lens_id": "a"}, {"lens_id": "a"}]}, schema={})
        >>> print(outcome.findings[0])
        framework: GWF016 the lens_id `'a'` is used twice
    """
    return logged(_native.framework_check(framework, schema, allow_approved))
