"""What ``validate_framework.py`` offers to scripts beside it, on plain Python objects."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable
from typing import Any

from gatewright import _native
from gatewright._argparse import build
from gatewright.scripts import is_as_written, written

__all__ = [
    "DEFAULT_SCHEMA",
    "HANDLED",
    "METADATA",
    "TYPE_CHECKS",
    "check_schema",
    "json_equal",
    "load_json",
    "main",
    "semantic_errors",
    "type_name",
    "validate",
]

NAME = "validate_framework"
_NAMES = _native.framework_names()

#: Schema file that belongs to this script, absolute.
DEFAULT_SCHEMA = _native.framework_sibling_schema(globals().get("__file__", sys.argv[0]))
#: Schema keywords that are enforced.
HANDLED = set(_NAMES["handled"])
#: Schema keywords that describe and are skipped in silence.
METADATA = set(_NAMES["metadata"])
#: Type name -> whether a value is of that type.
TYPE_CHECKS: dict[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def type_name(value: object) -> str:
    """The schema's name for the type of ``value``: null, boolean, integer, number, …."""
    return _native.framework_type_name(value)


def json_equal(a: Any, b: Any) -> bool:  # noqa: ANN401 - anything can be compared
    """Python's equality, except that a boolean equals only a boolean.

    Args:
        a: a plain JSON value.
        b: another.
    """
    if isinstance(a, bool) or isinstance(b, bool):
        return isinstance(a, bool) and isinstance(b, bool) and a == b
    return bool(a == b)


def check_schema(
    value: Any,  # noqa: ANN401
    schema: Any,  # noqa: ANN401
    path: str,
    errors: list[str],
    unknown: set[str],
) -> list[str] | None:
    """Check ``value`` against ``schema``.

    Args:
        value: plain JSON value.
        schema: schema as a plain dict.
        path: how the place of ``value`` is written, ``$`` for a whole document.
        errors: list that the error lines are appended to, in document order.
        unknown: set that keywords are added to that were met and are not enforced.

    Returns:
        ``errors``; ``None`` when the value is of another type than the schema asks for.

    Raises:
        KeyError: the schema names a type that there is not.
        TypeError: a keyword has a value of another type.
        re.error: a pattern cannot be used.
    """
    if is_as_written(globals()):
        try:
            lines, names = _native.framework_check_schema(value, schema, path)
            is_stopped = _has_type_fault(value, schema)
        except Exception:
            pass
        else:
            errors.extend(lines)
            unknown.update(names)
            return None if is_stopped else errors
    # A schema that is no object has no keys and cannot be used.
    unknown.update(key for key, _ in schema.items() if key not in HANDLED and key not in METADATA)
    if "anyOf" in schema:
        _check_any_of(value, schema["anyOf"], path, errors, unknown)
    if _has_type_fault(value, schema):
        wanted = "/".join(_type_names(schema))
        errors.append(f"{path}: expected type {wanted}, got {type_name(value)}")
        return None
    if "enum" in schema and not any(json_equal(value, choice) for choice in schema["enum"]):
        errors.append(f"{path}: {value!r} is not one of {schema['enum']}")
    if "const" in schema and not json_equal(value, schema["const"]):
        errors.append(f"{path}: must be exactly {schema['const']!r}, got {value!r}")
    if isinstance(value, str):
        _check_text(value, schema, path, errors)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        if "minimum" in schema and value < schema["minimum"]:
            errors.append(f"{path}: {value!r} is below minimum {schema['minimum']!r}")
        if "maximum" in schema and value > schema["maximum"]:
            errors.append(f"{path}: {value!r} is above maximum {schema['maximum']!r}")
    elif isinstance(value, list):
        _check_items(value, schema, path, errors, unknown)
    elif isinstance(value, dict):
        _check_members(value, schema, path, errors, unknown)
    return errors


def _has_type_fault(value: Any, schema: Any) -> bool:  # noqa: ANN401
    if "type" not in schema:
        return False
    return not any(TYPE_CHECKS[name](value) for name in _type_names(schema))


def _type_names(schema: Any) -> list[Any]:  # noqa: ANN401
    names = schema["type"]
    return names if isinstance(names, list) else [names]


def _check_any_of(
    value: Any,  # noqa: ANN401
    branches: Any,  # noqa: ANN401
    path: str,
    errors: list[str],
    unknown: set[str],
) -> None:
    firsts: list[str] = []
    for branch in branches:
        trial: list[str] = []
        check_schema(value, branch, path, trial, unknown)
        if not trial:
            return
        firsts.append(trial[0])
    errors.append(f"{path}: no anyOf alternative matched ({' | '.join(firsts)})")


def _check_text(value: str, schema: Any, path: str, errors: list[str]) -> None:  # noqa: ANN401
    if "pattern" in schema and re.search(schema["pattern"], value) is None:
        errors.append(f"{path}: {value!r} does not match pattern {schema['pattern']}")
    if "minLength" in schema and len(value) < schema["minLength"]:
        errors.append(f"{path}: string shorter than minLength {int(schema['minLength'])}")
    if "maxLength" in schema and len(value) > schema["maxLength"]:
        errors.append(f"{path}: string longer than maxLength {int(schema['maxLength'])}")


def _check_items(
    value: list[Any],
    schema: Any,  # noqa: ANN401
    path: str,
    errors: list[str],
    unknown: set[str],
) -> None:
    for word in ("minItems", "maxItems"):
        if word not in schema:
            continue
        limit = schema[word]
        if len(value) < limit if word == "minItems" else len(value) > limit:
            errors.append(f"{path}: array has {len(value)} item(s), {word} is {int(limit)}")
    if "items" in schema:
        for index, item in enumerate(value):
            check_schema(item, schema["items"], f"{path}[{index}]", errors, unknown)


def _check_members(
    value: dict[str, Any],
    schema: Any,  # noqa: ANN401
    path: str,
    errors: list[str],
    unknown: set[str],
) -> None:
    for key in schema.get("required", []):
        if key not in value:
            errors.append(f"{path}: missing required property '{key}'")
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for key, member in value.items():
        if key in known:
            check_schema(member, known[key], f"{path}.{key}", errors, unknown)
        elif others is False:
            errors.append(f"{path}: unexpected property '{key}'")
        elif isinstance(others, dict):
            check_schema(member, others, f"{path}.{key}", errors, unknown)


def semantic_errors(fw: Any, allow_approved: object = False) -> list[str]:  # noqa: ANN401
    """The error lines of what a schema cannot say: version, approval, ids.

    Args:
        fw: the framework as a plain value; anything but a dict has no errors here.
        allow_approved: whether ``approved: true`` is in order, by its truth.
    """
    if is_as_written(globals()):
        try:
            return _native.framework_semantic_errors(fw, bool(allow_approved))
        except Exception:
            pass
    errors: list[str] = []
    if not isinstance(fw, dict):
        return errors
    version = fw.get("framework_version")
    if isinstance(version, int) and not isinstance(version, bool) and version < 1:
        errors.append(f"$.framework_version: must be >= 1, got {version}")
    if fw.get("approved") is True and not allow_approved:
        errors.append(
            "$.approved: must be false before Gate 2 approval "
            "(pass --allow-approved to accept an approved framework)"
        )
    lenses = fw.get("lenses")
    if not isinstance(lenses, list):
        return errors
    lens_ids: dict[str, str] = {}
    issue_ids: dict[str, str] = {}
    for place, lens in _objects(lenses, "$.lenses"):
        _note_id(lens.get("lens_id"), f"{place}.lens_id", "lens_id", place, lens_ids, errors)
        for at, item in _objects(lens.get("items"), f"{place}.items"):
            _note_id(item.get("issue_id"), f"{at}.issue_id", "issue_id", at, issue_ids, errors)
    for place, lens in _objects(lenses, "$.lenses"):
        for at, item in _objects(lens.get("items"), f"{place}.items"):
            owner = item.get("overlap_owner")
            if isinstance(owner, str) and owner not in lens_ids:
                errors.append(
                    f"{at}.overlap_owner: {owner!r} is not a lens_id defined in this framework"
                )
    return errors


def _objects(values: Any, path: str) -> list[tuple[str, dict[str, Any]]]:  # noqa: ANN401
    """The objects of a list, each with its place."""
    values = values if isinstance(values, list) else []
    return [(f"{path}[{at}]", value) for at, value in enumerate(values) if isinstance(value, dict)]


def _note_id(
    value: object, path: str, kind: str, place: str, seen: dict[str, str], errors: list[str]
) -> None:
    if not isinstance(value, str):
        return
    if value not in seen:
        seen[value] = place
        return
    remedy = "; issue_id must be unique across all lenses" if kind == "issue_id" else ""
    errors.append(f"{path}: duplicate {kind} {value!r} (first used at {seen[value]}){remedy}")


def validate(
    framework: Any,  # noqa: ANN401
    schema: Any,  # noqa: ANN401
    allow_approved: object = False,
) -> tuple[list[str], set[str]]:
    """Check a framework against its schema and against itself.

    Args:
        framework: the framework as a plain value.
        schema: schema as a plain dict.
        allow_approved: whether ``approved: true`` is in order, by its truth.

    Returns:
        Error lines (schema first, then semantic, each in document order), and the schema keywords
        that were met and are not enforced.

    Raises:
        KeyError: the schema names a type that there is not.
        TypeError: a keyword has a value of another type.
        re.error: a pattern cannot be used.
    """
    errors: list[str] = []
    unknown: set[str] = set()
    check_schema(framework, schema, "$", errors, unknown)
    errors.extend(semantic_errors(framework, allow_approved))
    return errors, unknown


def load_json(path: str | bytes | os.PathLike[str] | int, kind: str) -> Any:  # noqa: ANN401
    """The JSON document at ``path``.

    Args:
        path: whatever ``open`` takes.
        kind: what the file is, for the message.

    Raises:
        ValueError: ``cannot read KIND at PATH: …``, or the decoding error alone when the bytes are
            not UTF-8.
    """
    try:
        with open(path, encoding="utf-8") as handle:  # noqa: PTH123 - takes what open() takes
            return json.load(handle)
    except (OSError, json.JSONDecodeError) as fault:
        raise ValueError(f"cannot read {kind} at {path!s}: {fault}") from fault


def main() -> None:
    """Run the command with the process's arguments.

    Raises:
        SystemExit: with status 1 for an invalid framework and 2 for unusable input.
    """
    if is_as_written(globals()):
        status = _native.run_command(NAME, sys.argv[1:], globals().get("__file__"))
        if status:
            sys.exit(status)
        return
    parser = build(NAME, globals().get("__file__"), DEFAULT_SCHEMA)
    args: argparse.Namespace = parser.parse_args(sys.argv[1:])
    try:
        framework = load_json(args.framework, "framework")
        schema = load_json(DEFAULT_SCHEMA if args.schema is None else args.schema, "schema")
    except ValueError as fault:
        print(f"FATAL: {fault}", file=sys.stderr)
        sys.exit(2)
    errors, unknown = validate(framework, schema, args.allow_approved)
    if unknown:
        names = ", ".join(sorted(unknown))
        print(
            f"note: schema uses keyword(s) this checker does not enforce: {names}", file=sys.stderr
        )
    if errors:
        print(f"INVALID: {args.framework} ({len(errors)} error(s))")
        for error in errors:
            print(f"  {error}")
        sys.exit(1)
    lenses = framework.get("lenses", [])
    items = sum(len(lens.get("items", [])) for lens in lenses)
    print(
        f"OK: {args.framework} is valid ({len(lenses)} lens(es), {items} item(s), "
        f"version {framework.get('framework_version')})"
    )


_WRITTEN = written(globals())
