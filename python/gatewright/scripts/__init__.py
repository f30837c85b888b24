"""What the drop-in scripts are to Python: the modules that sibling scripts and tests import.

``python/gatewright/shims`` holds the entry scripts under their original file names. Run by a
process of its own, such a script hands over to the native module at once. Everybody else (an
importer, ``runpy``, ``exec``, coverage, a prompt) gets the module of the same name in this package,
run by :func:`bind` in the entry script's own namespace: its functions look up the script's names.

A function asks the native gate as long as nothing that the recorded steps look up was replaced
(:func:`is_as_written`). Where a name was replaced, or the native gate does not take a value, it
does the recorded steps in Python, so that the replaced name is used and Python raises its own
exception. ``tests/fuzz/drop_ins.py`` holds the two ways together.
"""

from __future__ import annotations

import argparse
import builtins
import json
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, cast


def bind(name: str, namespace: dict[str, Any]) -> None:
    """Run the module of the script ``name`` in ``namespace``.

    Args:
        name: command name, e.g. ``emit-verdict``.
        namespace: the entry script's ``globals()``; its ``__file__`` tells where the script lies.
    """
    # The import system caches the compiled code; run in the script's namespace, it is the script's.
    # Found on the path itself: pytest's own loader, which comes before it, gives no code.
    spec = PathFinder.find_spec("gatewright.scripts." + name.replace("-", "_"), __path__)
    if spec is None or spec.loader is None:
        raise ImportError(f"gatewright has no script {name}")
    code = cast("Any", spec.loader).get_code(spec.name)
    about = namespace.get("__doc__")
    exec(code, namespace)
    namespace["__doc__"] = about


def written(namespace: dict[str, Any]) -> dict[str, Any]:
    """What the names of a script are before anybody has replaced or changed one."""
    return {name: _fixed(value) for name, value in namespace.items() if not name.startswith("__")}


def is_as_written(namespace: dict[str, Any]) -> bool:
    """Whether nothing that the recorded steps of the script look up was replaced.

    That is every name of the script with these globals, and what tests replace in Python itself.
    """
    recorded: dict[str, Any] = namespace["_WRITTEN"]
    return (
        all(
            name in namespace and bool(_fixed(namespace[name]) == value)
            for name, value in recorded.items()
        )
        and not _SHADOWING.intersection(namespace)
        and _of_python() == _OF_PYTHON
    )


def _fixed(value: Any) -> Any:  # noqa: ANN401 - anything may stand on a module
    if isinstance(value, set):
        return frozenset(value)
    if isinstance(value, dict):
        return dict(value)
    return value


def _of_python() -> tuple[object, ...]:
    return (
        builtins.open,
        builtins.print,
        argparse.ArgumentParser.parse_args,
        json.load,
        json.loads,
        json.dump,
        json.dumps,
        Path.open,
        Path.read_text,
        Path.write_text,
        Path.mkdir,
    )


#: Names of Python that a test may put on a script's module.
_SHADOWING = {"open", "print"}
_OF_PYTHON = _of_python()
