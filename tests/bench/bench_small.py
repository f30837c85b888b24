"""Every drop-in command on a small input against ``python -c pass``.

    python tests/bench/bench_small.py [ROUNDS]

Wanted: at most 1.20 of ``python -c pass``, better 1.10. The inputs are the examples that
ship with the package; for the ledger chain a run of three documents and a dozen findings.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import gatewright
from gen_chain import generate, write_results
from side_by_side import Command, measure, once, table

PACKAGE = Path(gatewright.__file__).parent
EXAMPLES = PACKAGE / "examples"


def command(name, *arguments, status=0):
    return Command([sys.executable, str(PACKAGE / "shims" / name), *arguments], status)


def calls(out):
    """Each entry script on the bundled examples, two of which hold a planted fault."""
    example = {path.stem: str(path) for path in EXAMPLES.glob("*.json")}

    return {
        "emit-verdict.py": command(
            "emit-verdict.py", "--assessment", example["assessment"],
            "--draft-hash", "ab" * 32, "--out-dir", out, status=1,
        ),
        "recount-palette-orphans.py": command(
            "recount-palette-orphans.py", "--blueprint", example["blueprint"], status=1
        ),
        "validate_framework.py": command(
            "validate_framework.py", "--framework", example["framework"]
        ),
        "reconcile_counts.py": command(
            "reconcile_counts.py", "--manifest", example["manifest"],
            "--findings", example["findings"], "--framework", example["framework"], status=1,
        ),
    }  # fmt: skip


def chain_calls(folder):
    """Each entry script of the ledger chain, on a run in which every step has what it needs."""
    generate(3, 4, folder)

    def at(name):
        return str(folder / name)

    quotes = command(
        "verify_finding_quotes.py", "--findings", at("findings.json"),
        "--manifest", at("manifest.json"), "--room-root", at("room"), "--out", at("quoted.json"),
    )  # fmt: skip
    plan = command(
        "build_checker_plan.py", "--findings", at("quoted.json"),
        "--framework", at("framework.json"), "--out", at("plan.json"),
    )  # fmt: skip
    merge = command(
        "merge_checker_results.py", "--findings", at("quoted.json"),
        "--checker-plan", at("plan.json"), "--results-dir", at("results"),
        "--out", at("checked.json"),
    )  # fmt: skip
    once(quotes)
    once(plan)
    write_results(folder / "plan.json", folder / "results")
    return {
        "render_readback.py": command(
            "render_readback.py", "--framework", str(EXAMPLES / "framework.json"),
            "--out", at("readback.json"),
        ),
        "verify_finding_quotes.py": quotes,
        "build_checker_plan.py": plan,
        "merge_checker_results.py": merge,
    }  # fmt: skip


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 41
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            "python -c pass": Command([sys.executable, "-c", "pass"]),
            **calls(folder),
            **chain_calls(Path(folder) / "run"),
        }
        print(f"{rounds} rounds\n")
        print(table(measure(commands, rounds), "python -c pass"))


if __name__ == "__main__":
    main()
