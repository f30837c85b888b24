"""Console commands of the drop-in scripts, under their names without ``.py``."""

import sys

from gatewright._native import run_command


def build_checker_plan() -> int:
    """Run ``build_checker_plan`` with the process's arguments."""
    return run_command("build_checker_plan", sys.argv[1:])


def dc_validate_scorecard() -> int:
    """Run ``dc-validate-scorecard`` with the process's arguments, also where no shell is."""
    return run_command("dc-validate-scorecard", sys.argv[1:], sys.argv[0])


def emit_verdict() -> int:
    """Run ``emit-verdict`` with the process's arguments."""
    return run_command("emit-verdict", sys.argv[1:])


def merge_checker_results() -> int:
    """Run ``merge_checker_results`` with the process's arguments."""
    return run_command("merge_checker_results", sys.argv[1:])


def reconcile_counts() -> int:
    """Run ``reconcile_counts`` with the process's arguments."""
    return run_command("reconcile_counts", sys.argv[1:])


def recount_palette_orphans() -> int:
    """Run ``recount-palette-orphans`` with the process's arguments."""
    return run_command("recount-palette-orphans", sys.argv[1:])


def render_readback() -> int:
    """Run ``render_readback`` with the process's arguments."""
    return run_command("render_readback", sys.argv[1:])


def validate_framework() -> int:
    """Run ``validate_framework`` with the process's arguments."""
    return run_command("validate_framework", sys.argv[1:])


def verify_finding_quotes() -> int:
    """Run ``verify_finding_quotes`` with the process's arguments."""
    return run_command("verify_finding_quotes", sys.argv[1:])
