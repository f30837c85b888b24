"""What the drop-in scripts offer to scripts beside them.

``python/gatewright/shims`` holds the entry scripts under their original file names. Each is a few
lines: run as a program it hands over to the native module; imported, it takes the functions of
the module of the same name in this package through :func:`bind`.
"""

from __future__ import annotations

from importlib import import_module


def bind(name: str, namespace: dict[str, object]) -> None:
    """Put the public names of the script ``name`` into ``namespace``.

    Args:
        name: command name, e.g. ``emit-verdict``.
        namespace: the entry script's ``globals()``; its ``__file__`` tells where the script lies.
    """
    module = import_module("gatewright.scripts." + name.replace("-", "_"))
    module.bind(namespace)
