"""The uncommon calls of the drop-in commands: help, usage errors, abbreviations.

The native module parses the common call itself. Whatever it does not take comes here and meets
Python's own argparse, built from the same description, so that every word is argparse's.
"""

from __future__ import annotations

import argparse
import os
import sys

from gatewright._native import dropin_spec


def build(name: str, script: str | None = None, schema: object = None) -> argparse.ArgumentParser:
    """The parser of the command ``name``.

    Args:
        name: command name, e.g. ``emit-verdict``.
        script: its entry script when one was run.
        schema: the schema that help names; the one beside the script when it is ``None``.
    """
    spec = dropin_spec(name)
    program = os.path.basename(sys.argv[0]) if sys.argv else ""  # noqa: PTH119 - as argparse does
    if program.removesuffix(".exe") in ("", name):
        # The console command speaks as the script does.
        program = spec["script"]
    parser = argparse.ArgumentParser(prog=program, description=spec["description"])
    for option in spec["options"]:
        help_text = option["help"]
        if help_text is not None and "{schema}" in help_text:
            path = default_schema(script) if schema is None else str(schema)
            help_text = help_text.replace("{schema}", path.replace("%", "%%"))
        if option["kind"] == "switch":
            parser.add_argument(option["flag"], action="store_true", help=help_text)
        elif option["kind"] == "required":
            parser.add_argument(option["flag"], required=True, help=help_text)
        else:
            parser.add_argument(
                option["flag"],
                default=option["default"],
                choices=option["choices"],
                help=help_text,
            )
    return parser


def default_schema(script: str | None) -> str:
    """Path of the framework schema that an entry script uses, or the package's own."""
    anchor = (
        script if script is not None else os.path.join(os.path.dirname(__file__), "scripts", "_")
    )
    folder = os.path.dirname(os.path.abspath(anchor))
    return os.path.join(os.path.dirname(folder), "references", "framework.schema.json")


def parse(name: str, arguments: list[str], script: str | None = None) -> int | list[str | None]:
    """Parse a call.

    Args:
        name: command name, e.g. ``emit-verdict``.
        arguments: the arguments as text.
        script: path of the entry script, if one was run.

    Returns:
        The values in the order of the command's options (a switch that is on is an empty text),
        or the exit status when argparse has printed help or an error.
    """
    spec = dropin_spec(name)
    try:
        found = vars(build(name, script).parse_args(arguments))
    except SystemExit as stop:
        return spec["help_status"] if stop.code == 0 else 2
    values: list[str | None] = []
    for option in spec["options"]:
        value = found[option["flag"].lstrip("-").replace("-", "_")]
        if option["kind"] == "switch":
            value = "" if value else None
        values.append(value)
    return values
