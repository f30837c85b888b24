#!/usr/bin/env python3
"""Entry script of gatewright: build_checker_plan.py. Imported, it offers the functions of that script."""

import sys

if __name__ == "__main__":
    from gatewright._native import run_script

    sys.exit(run_script("build-checker-plan", sys.argv[1:], __file__))

from gatewright.scripts import bind

bind("build-checker-plan", globals())
