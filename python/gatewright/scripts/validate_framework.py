"""What ``validate_framework.py`` offers to scripts beside it, on plain Python objects."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import NoReturn

from gatewright import _native

_NAMES = _native.framework_names()

#: Schema keywords that are enforced.
HANDLED = set(_NAMES["handled"])
#: Schema keywords that describe and are skipped in silence.
METADATA = set(_NAMES["metadata"])


def _checker(name: str) -> Callable[[object], bool]:
    names = {"integer", "number"} if name == "number" else {name}
    return lambda value: type_name(value) in names


#: Type name -> whether a value is of that type.
TYPE_CHECKS: dict[str, Callable[[object], bool]] = {
    name: _checker(name) for name in _NAMES["type_names"]
}


def type_name(value: object) -> str:
    """The schema's name for the type of ``value``: null, boolean, integer, number, …."""
    return _native.framework_type_name(value)


def json_equal(a: object, b: object) -> bool:
    """Python's equality, except that a boolean equals only a boolean.

    Args:
        a: a plain JSON value.
        b: another.
    """
    return _native.framework_json_equal(a, b)


def check_schema(
    value: object, schema: object, path: str, errors: list[str], unknown: set[str]
) -> list[str]:
    """Check ``value`` against ``schema``.

    Args:
        value: plain JSON value.
        schema: schema as a plain dict.
        path: how the place of ``value`` is written, ``$`` for a whole document.
        errors: list that the error lines are appended to, in document order.
        unknown: set that keywords are added to that were met and are not enforced.

    Returns:
        ``errors``.

    Raises:
        GatewrightError: the schema cannot be used.
    """
    lines, names = _native.framework_check_schema(value, schema, path)
    errors.extend(lines)
    unknown.update(names)
    return errors


def semantic_errors(framework: object, allow_approved: bool = False) -> list[str]:
    """The error lines of what a schema cannot say: version, approval, ids.

    Args:
        framework: the framework as a plain value; anything but a dict has no errors here.
        allow_approved: whether ``approved: true`` is in order.
    """
    return _native.framework_semantic_errors(framework, allow_approved)


def validate(
    framework: object, schema: object, allow_approved: bool = False
) -> tuple[list[str], set[str]]:
    """Check a framework against its schema and against itself.

    Args:
        framework: the framework as a plain value.
        schema: schema as a plain dict.
        allow_approved: whether ``approved: true`` is in order.

    Returns:
        Error lines (schema first, then semantic, each in document order), and the schema keywords
        that were met and are not enforced.

    Raises:
        GatewrightError: the schema cannot be used.
    """
    return _native.framework_validate(framework, schema, allow_approved)


def load_json(path: str | os.PathLike[str], kind: str) -> object:
    """The JSON document at ``path``.

    Args:
        path: file.
        kind: what the file is, for the message.

    Raises:
        ValueError: ``cannot read KIND at PATH: …``, or the decoding error alone when the bytes are
            not UTF-8.
    """
    return _native.framework_load_json(path, kind)


def bind(namespace: dict[str, object]) -> None:
    """Put the public names into an entry script's ``namespace``, with its own schema and main."""
    script = str(namespace["__file__"])
    schema = _native.framework_sibling_schema(script)

    def main() -> NoReturn:
        """Run the command with the process's arguments and exit with its status."""
        sys.exit(_native.run_command("validate_framework", sys.argv[1:], script))

    namespace.update(
        DEFAULT_SCHEMA=schema,
        HANDLED=HANDLED,
        METADATA=METADATA,
        TYPE_CHECKS=TYPE_CHECKS,
        check_schema=check_schema,
        json_equal=json_equal,
        load_json=load_json,
        main=main,
        semantic_errors=semantic_errors,
        type_name=type_name,
        validate=validate,
    )
