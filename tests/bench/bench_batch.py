#!/usr/bin/env python3
"""Time the batch gates inside engines against the plain loop, and Coverage against the command.

    python3 tests/bench/bench_batch.py [--documents N] [--quotes N] [--engines NAME,...]

Figures are CPU seconds of the process and its children (``user`` and ``system``), without what the
engine takes to start. Every engine must give the grades that the plain loop gives, or the
benchmark ends. Wanted: DuckDB and Polars at most 1.2 of the plain loop, Dask and Spark at most 2;
Coverage at most 1.5 of the streaming reconcile a finding; peak memory flat in the number of parts.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import pickle
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import gatewright
import pyarrow as pa
from gatewright import batch

PART = 1000
WORDS = [
    "rent",
    "landlord",
    "tenant",
    "shall",
    "pay",
    "the",
    "due",
    "day",
    "month",
    "notice",
    "repair",
    "deposit",
    "term",
    "clause",
]


def text(number):
    """About two kilobytes, different for every document."""
    words = [WORDS[(number * 7 + place * place) % len(WORDS)] for place in range(300)]
    words[::10] = [f"{number + place}" for place in range(30)]
    return " ".join(words)


def quotes(number, count):
    """Nine in ten stand in the document as they are or reflowed; the tenth is near or absent."""
    words = text(number).split(" ")
    asked = []
    for place in range(count):
        part = words[place * 12 : place * 12 + 10]
        if place % 10 == 9:
            part[4] = "never"
        asked.append((" " if place % 2 else "\n").join(part))
    return asked


def part(number, count):
    numbers = range(number * PART, (number + 1) * PART)
    return pa.table(
        {"text": [text(n) for n in numbers], "quotes": [quotes(n, count) for n in numbers]}
    )


def grades(found):
    return collections.Counter(found.column("grade").to_pylist())


def cpu():
    """CPU seconds of this process and of the children that have ended."""
    own, children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def plain(table, _):
    counts = collections.Counter()
    for row in table.to_pylist():
        counts.update(match.grade for match in gatewright.ground(row["quotes"], row["text"]))
    return counts


def one_batch(table, _):
    return sum((grades(batch.ground(p)) for p in table.to_batches(PART)), collections.Counter())


def duckdb_(table, _):
    import duckdb

    counts = collections.Counter()
    with duckdb.connect() as connection:
        connection.register("given", table)
        for one in connection.sql("FROM given").to_arrow_reader(2048):
            counts += grades(batch.ground(one))
    return counts


def polars_(table, _):
    import polars

    frame = polars.from_arrow(table)
    counts = collections.Counter()
    for one in frame.iter_slices(PART):
        counts += grades(polars.from_arrow(batch.ground(one)).to_arrow())
    return counts


def counted(one):
    return grades(batch.ground(one))


def dask_(table, started):
    return sum(
        started.gather(started.map(counted, table.to_batches(PART), pure=False)),
        collections.Counter(),
    )


def spark_(table, started):
    from pyspark.sql.pandas.types import from_arrow_schema

    frame = started.createDataFrame(table.to_pandas()).repartition(8)
    answers = frame.mapInArrow(
        lambda parts: (b for p in parts for b in batch.ground(p).to_batches()),
        from_arrow_schema(batch.GROUND_SCHEMA),
    )
    return collections.Counter(
        {r["grade"]: r["count"] for r in answers.groupBy("grade").count().collect()}
    )


def start(name):
    """What an engine needs before it can work, outside the figures, and how to end it."""
    if name == "dask":
        from distributed import Client

        client = Client(n_workers=2, threads_per_worker=1, dashboard_address=None)
        return client, client.shutdown
    if name == "spark":
        from pyspark.sql import SparkSession

        os.environ["PYSPARK_PYTHON"] = sys.executable
        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        session = builder.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
        return session, session.stop
    return None, lambda: None


ENGINES = {
    "plain": plain,
    "batch": one_batch,
    "duckdb": duckdb_,
    "polars": polars_,
    "dask": dask_,
    "spark": spark_,
}


def measure(name, documents, count):
    """Run in a process of its own: CPU seconds, start-up apart, grades, peak memory."""
    table = pa.concat_tables(part(n, count) for n in range(documents // PART))
    began = cpu()
    started, end = start(name)
    ready = cpu()
    before = children_cpu()
    counts = ENGINES[name](table, started)
    working = cpu() - ready + children_cpu() - before
    end()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cpu": working, "start": ready - began, "grades": counts, "peak": peak}))


def children_cpu():
    """CPU seconds of the processes under this one that still run."""
    ticks = os.sysconf("SC_CLK_TCK")
    parents, used = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(folder.name)] = int(fields[1])
        used[int(folder.name)] = sum(map(int, fields[11:15])) / ticks
    total = 0.0
    for process in used:
        at = parents.get(process)
        while at and at != os.getpid():
            at = parents.get(at)
        total += used[process] if at else 0
    return total


def coverage(findings, parts):
    """CPU seconds a million findings: the streaming reconcile, updates, merges; peak and size."""
    issues = 100
    documents = findings // issues
    manifest = {
        "documents": [{"id": f"d{n}", "readability": "native"} for n in range(documents)],
        "counts": {},
    }
    items = [{"issue_id": f"i{n}"} for n in range(issues)]
    framework = {"framework_version": 1, "lenses": [{"lens_id": "l", "items": items}]}

    def rows(numbers):
        ids = [(f"i{i}", f"d{d}") for d in numbers for i in range(issues)]
        return pa.table(
            {
                "finding_id": [f"{i}/{d}" for i, d in ids],
                "issue_id": [i for i, _ in ids],
                "lens_id": ["l"] * len(ids),
                "doc_id": [d for _, d in ids],
                "unit_id": [d for _, d in ids],
                "status": ["absent"] * len(ids),
            }
        )

    step = documents // parts
    tables = [rows(range(at, at + step)) for at in range(0, documents, step)]
    with tempfile.TemporaryDirectory() as place:
        paths = {}
        ledger = {
            "framework_version": 1,
            "findings": [row for table in tables for row in table.to_pylist()],
            "parked": [],
        }
        for name, value in (("manifest", manifest), ("findings", ledger), ("framework", framework)):
            paths[name] = Path(place) / f"{name}.json"
            paths[name].write_text(json.dumps(value))
        del ledger
        words = [word for name, path in paths.items() for word in (f"--{name}", str(path))]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(
            [Path(sys.executable).parent / "reconcile_counts", *words],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        streamed = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    began = cpu()
    made = [batch.Coverage().update(table) for table in tables]
    updated = cpu()
    sent = [pickle.dumps(one) for one in made]
    total = batch.Coverage()
    for one in sent:
        total.merge(pickle.loads(one))
    merged = cpu()
    assert total.outcome(manifest, framework)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"coverage, {findings} findings in {parts} parts: command {streamed:.2f} s, "
        f"update {updated - began:.2f} s ({(updated - began) / streamed:.2f}), "
        f"send and merge {merged - updated:.2f} s, outcome {cpu() - merged:.2f} s; "
        f"whole summary {len(pickle.dumps(total))} bytes; process {peak:.0f} MB"
    )


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--documents", type=int, default=100_000)
    options.add_argument("--quotes", type=int, default=10)
    options.add_argument("--engines", default="plain,batch,duckdb,polars,dask,spark")
    options.add_argument("--findings", type=int, default=1_000_000)
    options.add_argument("--measure")
    options.add_argument("--parts", type=int)
    given = options.parse_args()
    if given.measure:
        measure(given.measure, given.documents, given.quotes)
        return
    if given.parts:
        coverage(given.findings, given.parts)
        return
    own = [sys.executable, __file__, f"--documents={given.documents}", f"--quotes={given.quotes}"]
    base = None
    for name in given.engines.split(","):
        done = subprocess.run([*own, f"--measure={name}"], stdout=subprocess.PIPE, check=True)
        said = json.loads(done.stdout.splitlines()[-1])
        base = base or said
        if said["grades"] != base["grades"]:
            sys.exit(f"{name} gave {said['grades']}, the plain loop {base['grades']}")
        print(
            f"{name}: {said['cpu']:.2f} s CPU, {said['cpu'] / base['cpu']:.2f} of the plain loop, "
            f"start {said['start']:.2f} s, peak {said['peak']:.0f} MB",
            flush=True,
        )
    for parts in (10, 100):
        subprocess.run(
            [sys.executable, __file__, f"--findings={given.findings}", f"--parts={parts}"],
            check=True,
        )


if __name__ == "__main__":
    main()
