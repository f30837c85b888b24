#!/usr/bin/env python3
# /// script
# requires-python = ">=3.9"
# dependencies = ["gatewright"]
# ///
"""Entry script of gatewright for merge_checker_results.py."""

# It holds no logic on purpose: the gate is in the package gatewright, tested and
# updated there, so that every skill that commits this file runs the same gate.
# `gatewright shims` writes it; docs/adopting.md of gatewright answers its linters.

import os
import sys

try:
    from gatewright._native import run_script
except ImportError as fault:
    if __name__ != "__main__":
        raise ImportError(
            f"merge_checker_results.py needs the package gatewright: {fault}"
        ) from fault
    # Another interpreter, or an installed command, may have the package.
    _call = [__file__, *sys.argv[1:]]
    _python = os.environ.pop("GATEWRIGHT_PYTHON", "")
    _found = [os.path.join(d, "gatewright") for d in os.get_exec_path()]
    _found = [p for p in _found if os.path.isabs(p) and os.access(p, os.X_OK)]
    if _python:
        _call = [_python, *_call]
    elif _found:
        _call = [_found[0], "run-script", *_call]
    _why = f"no gatewright in {sys.executable} ({fault})"
    if _python or _found:
        try:
            os.execvp(_call[0], _call)
        except OSError as error:
            _why = f"cannot run {_call[0]} ({error.strerror})"
    _line = f"merge_checker_results.py: {_why}; run: {sys.executable} -m pip install gatewright"
    sys.stderr.write(_line.replace("\n", " ") + "\n")
    sys.exit(1)

if __name__ == "__main__":
    _status = run_script("merge_checker_results", sys.argv[1:], globals().get("__file__"))
    if _status is not None:
        sys.exit(_status)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatewright.scripts.merge_checker_results import RESULT_KEYS as RESULT_KEYS
    from gatewright.scripts.merge_checker_results import VERDICTS as VERDICTS
    from gatewright.scripts.merge_checker_results import canonical_digest as canonical_digest
    from gatewright.scripts.merge_checker_results import load as load
    from gatewright.scripts.merge_checker_results import main as main
else:
    from gatewright.scripts import bind

    bind("merge_checker_results", globals())

if __name__ == "__main__":
    main()
