#!/usr/bin/env python3
"""Entry script of gatewright: merge_checker_results.py. Imported, it offers the functions of that script."""

import sys

if __name__ == "__main__":
    from gatewright._native import run_script

    sys.exit(run_script("merge-checker-results", sys.argv[1:], __file__))

from gatewright.scripts import bind

bind("merge-checker-results", globals())
