"""What ``render_readback.py`` offers to scripts that import it."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping
from importlib import import_module, util
from pathlib import Path
from types import ModuleType
from typing import Any

from gatewright import _native
from gatewright._argparse import build
from gatewright.scripts import is_as_written, written

__all__ = [
    "UNTUNED",
    "build_readback",
    "hit_rule_line",
    "main",
    "materiality_line",
    "validate_framework",
]

NAME = "render_readback"
#: The line of an item without materiality of its own.
UNTUNED = "not requested"


def _sibling() -> ModuleType:
    """The module ``validate_framework`` beside this script, else the package's own."""
    script = globals().get("__file__")
    beside = Path(script).with_name("validate_framework.py") if script else None
    if __package__ or beside is None or not beside.is_file():
        return import_module("gatewright.scripts.validate_framework")
    try:
        found = import_module("validate_framework")
    except ImportError:
        spec = util.spec_from_file_location("validate_framework", beside)
        if spec is None or spec.loader is None:
            raise
        found = util.module_from_spec(spec)
        spec.loader.exec_module(found)
    return found


validate_framework: Any = _sibling()


def build_readback(framework: Mapping[str, Any]) -> dict[str, Any]:
    """The read-back of a valid framework.

    Args:
        framework: the framework as a plain dict.

    Returns:
        ``{"approved", "framework_version", "items"}`` with a row per item, in framework order.

    Raises:
        KeyError: a part that a row needs is missing.
        TypeError: a part is of a type that has no members.
    """
    # The rows come first: of an empty framework the lenses are what is missed.
    return {
        "items": [
            {
                "lens": lens["name"],
                "issue_id": item["issue_id"],
                "question": item["question"],
                "hit_rule": hit_rule_line(item),
                "materiality": materiality_line(item.get("materiality")),
                "evidence_required": item["evidence"]["required"],
            }
            for lens in framework["lenses"]
            for item in lens["items"]
        ],
        "framework_version": framework["framework_version"],
        "approved": framework["approved"],
    }


def hit_rule_line(item: Mapping[str, Any]) -> str:
    """The hit rule of an item and what does not count.

    Args:
        item: a framework item as a plain dict.

    Raises:
        KeyError: the item has no ``hit_rule``.
    """
    rule: str = item["hit_rule"]
    if not item.get("exclusions"):
        return rule
    return f"{rule} does not count: {'; '.join(item['exclusions'])}"


def materiality_line(materiality: Mapping[str, Any] | None) -> str:
    """The materiality of an item in one line, ``not requested`` when there is none.

    Args:
        materiality: the ``materiality`` of a framework item.

    Raises:
        KeyError: the materiality, or one of its bands, lacks a member.
    """
    if materiality is None:
        return UNTUNED
    default, bands = materiality["default"], materiality.get("bands") or []
    if default == "medium" and not bands:
        return UNTUNED
    parts = [f"default {default}", *(f"{band['band']} when {band['when']}" for band in bands)]
    return "; ".join(parts)


def main() -> None:
    """Run the command with the process's arguments.

    Raises:
        SystemExit: with the status when nothing was written.
    """
    script = globals().get("__file__")
    if is_as_written(globals()) and _is_sibling_as_written(script):
        status = _native.run_command(NAME, sys.argv[1:], script)
        if status:
            sys.exit(status)
        return
    args: argparse.Namespace = build(NAME).parse_args(sys.argv[1:])
    try:
        framework = validate_framework.load_json(args.framework, "framework")
        schema = validate_framework.load_json(validate_framework.DEFAULT_SCHEMA, "schema")
    except ValueError as fault:
        print(f"FATAL: {fault}", file=sys.stderr)
        sys.exit(2)
    errors, unknown = validate_framework.validate(framework, schema, allow_approved=True)
    if unknown:
        names = ", ".join(sorted(unknown))
        print(
            f"note: schema uses keyword(s) the validator does not enforce: {names}", file=sys.stderr
        )
    if errors:
        print(
            f"REFUSED: {args.framework} is not a valid framework ({len(errors)} error(s)); "
            "no read-back written",
            file=sys.stderr,
        )
        for error in errors:
            print(f"  {error}", file=sys.stderr)
        sys.exit(1)
    readback = build_readback(framework)
    text = json.dumps(readback, indent=2, sort_keys=True) + "\n"
    try:
        Path(args.out).write_text(text, encoding="utf-8")
    except OSError as fault:
        print(f"FATAL: cannot write {args.out}: {fault}", file=sys.stderr)
        sys.exit(2)
    print(f"wrote {args.out}: {len(readback['items'])} item(s)")


def _is_sibling_as_written(script: str | None) -> bool:
    names = vars(validate_framework)
    if "_WRITTEN" not in names or not is_as_written(names):
        return False
    own = _native.framework_sibling_schema(script) if script else None
    return own is None or os.fspath(names["DEFAULT_SCHEMA"]) == own or bool(__package__)


_WRITTEN = written(globals())
