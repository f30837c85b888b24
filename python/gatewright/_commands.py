"""Console commands of the drop-in scripts, under their names without ``.py``."""

import sys

from gatewright._native import run_script


def build_checker_plan() -> int:
    """Run ``build_checker_plan`` with the process's arguments."""
    return run_script("build_checker_plan", sys.argv[1:])


def emit_verdict() -> int:
    """Run ``emit-verdict`` with the process's arguments."""
    return run_script("emit-verdict", sys.argv[1:])


def merge_checker_results() -> int:
    """Run ``merge_checker_results`` with the process's arguments."""
    return run_script("merge_checker_results", sys.argv[1:])


def reconcile_counts() -> int:
    """Run ``reconcile_counts`` with the process's arguments."""
    return run_script("reconcile_counts", sys.argv[1:])


def recount_palette_orphans() -> int:
    """Run ``recount-palette-orphans`` with the process's arguments."""
    return run_script("recount-palette-orphans", sys.argv[1:])


def render_readback() -> int:
    """Run ``render_readback`` with the process's arguments."""
    return run_script("render_readback", sys.argv[1:])


def validate_framework() -> int:
    """Run ``validate_framework`` with the process's arguments."""
    return run_script("validate_framework", sys.argv[1:])


def verify_finding_quotes() -> int:
    """Run ``verify_finding_quotes`` with the process's arguments."""
    return run_script("verify_finding_quotes", sys.argv[1:])
