"""What ``recount-palette-orphans.py`` offers to scripts that import it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gatewright import _native
from gatewright._argparse import build
from gatewright.scripts import is_as_written, written

__all__ = ["collect_observed", "collect_palette", "main", "recount"]

NAME = "recount-palette-orphans"
#: Orphans named on standard error at most.
_NAMED = 20


def collect_observed(screens: object) -> set[str]:
    """Colours observed in screens.

    Args:
        screens: the blueprint's ``screens`` as plain Python objects.

    Returns:
        Canonical forms: ``#rrggbbaa`` or the text itself.

    Raises:
        TypeError: when the screens cannot be walked.
    """
    return set(_native.observed_colors(screens))


def collect_palette(design_tokens: object) -> set[str]:
    """Colours that design tokens list.

    Args:
        design_tokens: the blueprint's ``design_tokens`` as plain Python objects.

    Returns:
        Canonical forms.

    Raises:
        TypeError: when the tokens cannot be read.
    """
    return set(_native.palette_colors(design_tokens))


def recount(blueprint: object) -> dict[str, Any]:
    """Count the observed colours that the palette lacks.

    Args:
        blueprint: the blueprint as plain Python objects.

    Returns:
        ``observed_count``, ``palette_count``, ``orphan_count`` and the sorted ``orphans``; zeros
        for anything that is no dict.

    Raises:
        TypeError: when the blueprint cannot be counted.
    """
    if not isinstance(blueprint, dict):
        blueprint = {}
    if is_as_written(globals()):
        return dict(_native.recount_recorded(blueprint))
    observed = collect_observed(blueprint.get("screens"))
    palette = collect_palette(blueprint.get("design_tokens"))
    orphans = sorted(observed - palette)
    return {
        "observed_count": len(observed),
        "palette_count": len(palette),
        "orphan_count": len(orphans),
        "orphans": orphans,
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: arguments without the program's name; those of the process when ``None``.

    Returns:
        The exit status: 0 no orphan, 1 orphans, 2 unusable.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if is_as_written(globals()):
        return _native.run_command(NAME, words)
    try:
        args = build(NAME).parse_args(words)
    except SystemExit:
        return 2
    path = Path(args.blueprint)
    try:
        blueprint = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return _unusable(f"blueprint が存在しない: {path}")
    except (OSError, json.JSONDecodeError) as fault:
        return _unusable(f"blueprint を読めない: {path}: {fault}")
    if not isinstance(blueprint, dict):
        return _unusable("blueprint のルートが object でない")
    result = recount(blueprint)
    print(json.dumps(result, ensure_ascii=False, sort_keys=True))
    if not result["orphan_count"]:
        return 0
    orphans = result["orphans"]
    shown = ", ".join(orphans[:_NAMED]) + (" ..." if len(orphans) > _NAMED else "")
    print(f"観測色が palette に不在 (非共有再計数で孤児検出): {shown}", file=sys.stderr)
    return 1


def _unusable(text: str) -> int:
    print(text, file=sys.stderr)
    return 2


_WRITTEN = written(globals())
