#!/usr/bin/env python3
"""Time the whole ledger chain against reading and writing the ledger once with json.

    python3 tests/bench/bench_chain.py [--documents N] [--issues N] [--rounds N] [--data FOLDER]
                                       [--umbrella]

Quotes, plan, merge and reconcile run as whole processes, the drop-ins or with --umbrella the
commands of ``gatewright ledger``; best of the rounds each. Wanted, at the default size: wall time
of all four together at most 1.2 of ``json.load`` and ``json.dump`` of the ledger, peak memory at
most 3 times the ledger. A step that fails, prints other counts than the generator knows, or writes
a ledger in which any finding stands otherwise than it must, ends the benchmark. The data are
generated into a temporary folder unless --data names one that holds them.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import gatewright
from gen_chain import OBJECTION, verdicts, write_results
from side_by_side import Command, Run, once

HERE = Path(__file__).parent
SHIMS = Path(gatewright.__file__).parent / "shims"
WANTED_TIME = 1.2
WANTED_PEAK = 3.0


def apart(function, *arguments):
    """Call ``function`` in a process of its own, so that this one stays small."""
    with ProcessPoolExecutor(1) as pool:
        return pool.submit(function, *arguments).result()


def read(path: Path) -> dict:
    """The JSON object in ``path``."""
    return json.loads(path.read_text(encoding="utf-8"))


def check_quoted(before: Path, after: Path, rejected: int) -> None:
    """The ledger with quote receipts is the one before with exactly these receipts."""
    found = read(after)
    for finding in found["findings"]:
        receipt = finding.pop("quote_verification", None)
        if receipt == {"reason": "quote not found in source text", "status": "rejected"}:
            rejected -= 1
            # Only a quote with the changed word may be rejected.
            assert finding["status"] == "unresolved", finding
            assert "notwithstanding" in finding["quote"], finding
            finding["status"] = "present"
        elif finding["status"] == "present":
            assert receipt == {"checker": "deterministic-text-match", "status": "confirmed"}
            assert "notwithstanding" not in finding["quote"], finding
        else:
            assert receipt is None, finding
    assert rejected == 0, f"{rejected} rejected quotes too few"
    assert found == read(before), "quotes changed more than receipts"


def check_plan(quoted: Path, plan: Path) -> None:
    """The plan has a job for every present finding."""
    jobs = {job["finding_id"] for job in read(plan)["jobs"]}
    present = [row["finding_id"] for row in read(quoted)["findings"] if row["status"] == "present"]
    assert len(present) == len(jobs), "jobs and present findings differ"
    assert jobs.issuperset(present), "a present finding has no job"


def check_merged(quoted: Path, plan: Path, merged: Path) -> None:
    """The merged ledger is the quoted one with what the checkers said."""
    said = {job["finding_id"]: verdict for job, verdict in verdicts(read(plan)["jobs"])}
    wanted = read(quoted)
    for finding in wanted["findings"]:
        verdict = said.pop(finding["finding_id"], None)
        if verdict is not None:
            objection = OBJECTION if verdict == "refuted" else ""
            finding["verification"] = {
                "checker": "independent",
                "objection": objection,
                "status": verdict,
            }
            if verdict == "refuted":
                finding["status"] = "unresolved"
    assert not said, "a job of no finding"
    assert wanted == read(merged), "the merged ledger is another"


class Chain:
    """The four steps on one set of data."""

    def __init__(self, data: Path, out: Path, is_umbrella: bool) -> None:
        self.data, self.out, self.is_umbrella = data, out, is_umbrella
        self.findings, self.quoted = data / "findings.json", out / "quoted.json"
        self.plan, self.merged = out / "plan.json", out / "merged.json"
        self.results = out / "results"
        self.refuted = -1
        self.expected = read(data / "expected.json")

    def command(self, script: str, subcommand: str, **options: Path) -> list[str]:
        """The command line of one step."""
        flags = [
            part for name, path in options.items() for part in (f"--{name}".replace("_", "-"), str(path))
        ]  # fmt: skip
        if self.is_umbrella:
            return [sys.executable, "-m", "gatewright", "ledger", subcommand, *flags]
        return [sys.executable, str(SHIMS / script), *flags]

    def round(self, is_checked: bool) -> dict[str, Run]:
        """Run the four steps once."""
        manifest, framework = self.data / "manifest.json", self.data / "framework.json"
        rejected = self.expected["rejected"]
        jobs = self.expected["present"] - rejected
        quotes = self.command(
            "verify_finding_quotes.py",
            "quotes",
            findings=self.findings,
            manifest=manifest,
            room_root=self.data / "room",
            out=self.quoted,
        )
        plan = self.command(
            "build_checker_plan.py",
            "plan",
            findings=self.quoted,
            framework=framework,
            out=self.plan,
        )
        merge = self.command(
            "merge_checker_results.py",
            "merge",
            findings=self.quoted,
            checker_plan=self.plan,
            results_dir=self.results,
            out=self.merged,
        )
        reconcile = self.command(
            "reconcile_counts.py",
            "reconcile",
            manifest=manifest,
            findings=self.merged,
            framework=framework,
        )
        # The umbrella's status tells of the rejected quotes.
        status = int(self.is_umbrella and rejected > 0)
        kind = "quotes " if self.is_umbrella else ""
        words = f"{jobs} {kind}confirmed, {rejected} changed to unresolved"
        runs = {"quotes": once(Command(quotes, status, words))}
        ending = "s" if self.is_umbrella else "(s)"
        runs["plan"] = once(Command(plan, words=f": {jobs} independent checker job{ending}"))
        if not self.results.exists():
            self.refuted = apart(write_results, self.plan, self.results)
        kind = "findings " if self.is_umbrella else ""
        words = f"{jobs - self.refuted} {kind}confirmed, {self.refuted} changed to unresolved"
        runs["merge"] = once(Command(merge, words=words))
        words = "0 issues not covered exactly" if self.is_umbrella else "RECONCILED"
        runs["reconcile"] = once(Command(reconcile, words=words))
        if is_checked:
            apart(check_quoted, self.findings, self.quoted, rejected)
            apart(check_plan, self.quoted, self.plan)
            apart(check_merged, self.quoted, self.plan, self.merged)
        return runs


def main() -> None:
    """Print the table; status 1 when a bar does not hold."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--issues", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--umbrella", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        data = arguments.data or Path(temporary) / "data"
        if arguments.data is None:
            sizes = [str(arguments.documents), str(arguments.issues)]
            subprocess.run([sys.executable, HERE / "gen_chain.py", *sizes, data], check=True)
        out = Path(temporary) / "out"
        out.mkdir()
        chain = Chain(data, out, arguments.umbrella)
        copy = out / "copy.json"
        program = (
            "import json\n"
            f"value = json.load(open({str(chain.findings)!r}, encoding='utf-8'))\n"
            f"json.dump(value, open({str(copy)!r}, 'w', encoding='utf-8'))"
        )
        results: dict[str, list[Run]] = {}
        for round_ in range(arguments.rounds):
            results.setdefault("json.load and json.dump", []).append(
                once(Command([sys.executable, "-c", program]))
            )
            copy.unlink()
            for name, run in chain.round(is_checked=round_ == 0).items():
                results.setdefault(name, []).append(run)
        size = chain.findings.stat().st_size
        shutil.rmtree(out)
    best = {
        name: (
            min(run.wall for run in runs),
            min(run.processor for run in runs),
            min(run.peak for run in runs),
        )
        for name, runs in results.items()
    }
    base = best.pop("json.load and json.dump")
    chained = [sum(times) for times in list(zip(*best.values()))[:2]]
    peak = max(row[2] for row in best.values())
    rows = {"json.load and json.dump": base, **best, "whole chain": (*chained, peak)}
    print(f"findings.json: {size / 1e6:.0f} MB; {arguments.rounds} rounds, best of each\n")
    print("| process | wall, s | of json | processor, s | of json | peak, of the ledger |")
    print("|---|---|---|---|---|---|")
    for name, (wall, processor, most) in rows.items():
        print(
            f"| {name} | {wall:.2f} | {wall / base[0]:.3f} | {processor:.2f} "
            f"| {processor / base[1]:.3f} | {most / size:.2f} |"
        )
    if chained[0] > WANTED_TIME * base[0] or peak > WANTED_PEAK * size:
        raise SystemExit("\nthe bar does not hold")


if __name__ == "__main__":
    main()
