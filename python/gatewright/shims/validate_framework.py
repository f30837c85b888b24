#!/usr/bin/env python3
"""Entry script of gatewright for validate_framework.py: holds no logic, safe to commit in a skill."""

import sys

try:
    from gatewright._native import run_script
except ImportError as fault:
    sys.stderr.write(
        f"validate_framework.py: the package gatewright is missing or broken ({fault}); run: pip install gatewright\n"
    )
    sys.exit(2)

if __name__ == "__main__":
    sys.exit(run_script("validate_framework", sys.argv[1:], __file__))

from gatewright.scripts import bind

bind("validate_framework", globals())
