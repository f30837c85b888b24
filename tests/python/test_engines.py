"""The batch gates inside the engines that people have: equal counts, a bad row, a killed worker.

Dask, DuckDB and Polars come with the test extra; Spark, Ray and Daft run when they are installed.
"""

from __future__ import annotations

import collections
import gc
import importlib.util
import os
import shutil
import signal
from pathlib import Path

import gatewright
import pytest

pa = pytest.importorskip("pyarrow")
from gatewright import batch  # noqa: E402

pytestmark = [
    # Engines warn about themselves.
    pytest.mark.filterwarnings("ignore"),
]

PARTS = 8
BAD = 3


def part(number):
    """Documents with three quotes each; one part has a row that cannot be judged."""
    documents = [f"Clause {number}.{row}: rent is due on day {row}." for row in range(50)]
    quotes = [[f"rent is due on day {row}", "rent  is\ndue", "fees are due"] for row in range(50)]
    if number == BAD:
        documents[7] = None
    return pa.table(
        {"id": [f"{number}/{row}" for row in range(50)], "text": documents, "quotes": quotes}
    )


def table():
    return pa.concat_tables([part(number) for number in range(PARTS)])


def plain_counts():
    """Grades by the plain loop."""
    counts = collections.Counter()
    for row in table().to_pylist():
        if row["text"] is None:
            counts[None] += len(row["quotes"])
        else:
            counts.update(match.grade for match in gatewright.ground(row["quotes"], row["text"]))
    return counts


def counts(found):
    return collections.Counter(found.column("grade").to_pylist())


def needs(name):
    return pytest.mark.skipif(
        importlib.util.find_spec(name) is None, reason=f"{name} is not installed"
    )


def test_the_plain_loop_and_one_batch_agree():
    assert counts(batch.ground(table())) == plain_counts()
    assert plain_counts()[None] == 3


@needs("duckdb")
def test_duckdb():
    import duckdb

    with duckdb.connect() as connection:
        connection.register("given", table())
        reader = connection.sql("FROM given").to_arrow_reader(100)
        found = pa.concat_tables(batch.ground(one) for one in reader)
    assert counts(found) == plain_counts()


@needs("polars")
def test_polars():
    import polars

    frame = polars.from_arrow(table())
    found = polars.concat(polars.from_arrow(batch.ground(one)) for one in frame.iter_slices(100))
    assert counts(found.to_arrow()) == plain_counts()
    # The same inside a lazy plan.
    lazy = frame.lazy().map_batches(
        lambda one: polars.from_arrow(batch.ground(one)),
        schema=dict(polars.from_arrow(batch.GROUND_SCHEMA.empty_table()).schema),
        predicate_pushdown=False,
        projection_pushdown=False,
        slice_pushdown=False,
    )
    graded = lazy.group_by("grade").len().collect()
    assert collections.Counter(dict(graded.iter_rows())) == plain_counts()


def killed_once(number, flag):
    """A part whose first worker is killed in the middle, as a machine that goes away."""
    found = batch.ground(part(number), keep=["id"])
    if number == BAD:
        try:
            os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return found
        os.kill(os.getpid(), signal.SIGKILL)
    return found


@needs("distributed")
def test_dask_with_a_killed_worker(tmp_path):
    import dask
    from distributed import Client, LocalCluster

    # The heartbeat of workers that are gone must not keep the test waiting.
    settings = {
        "distributed.comm.timeouts.connect": "20s",
        "distributed.logging.distributed": "error",
    }
    with (
        dask.config.set(settings),
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        flag = str(tmp_path / "killed")
        found = client.gather(
            client.map(killed_once, range(PARTS), flag=flag, pure=False), errors="raise"
        )
    assert Path(flag).exists()
    assert counts(pa.concat_tables(found)) == plain_counts()


def findings(number):
    """A part of a ledger: document `number` under every issue."""
    ids = [f"i{issue}" for issue in range(20)]
    return [
        {
            "finding_id": f"{issue}/d{number}",
            "issue_id": issue,
            "lens_id": "l",
            "doc_id": f"d{number}",
            "unit_id": f"d{number}",
            "status": "absent",
        }
        for issue in ids
    ]


MANIFEST = {
    "documents": [{"id": f"d{n}", "readability": "native"} for n in range(PARTS)],
    "counts": {},
}
FRAMEWORK = {
    "framework_version": 1,
    "lenses": [{"lens_id": "l", "items": [{"issue_id": f"i{n}"} for n in range(20)]}],
}


def covered(number):
    return batch.Coverage().update(findings(number))


def merged(left, right):
    return batch.Coverage().merge(left).merge(right)


@needs("distributed")
def test_dask_reduces_coverage_in_a_tree():
    from distributed import Client

    with Client(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None
    ) as client:
        parts = client.map(covered, range(PARTS))
        while len(parts) > 1:
            pairs = [
                client.submit(merged, *parts[at : at + 2]) for at in range(0, len(parts) - 1, 2)
            ]
            parts = pairs + (parts[-1:] if len(parts) % 2 else [])
        total = parts[0].result()
    outcome = total.outcome(MANIFEST, FRAMEWORK)
    assert outcome
    assert outcome.facts["results"] == 20 * PARTS


@needs("pyspark")
@pytest.mark.skipif(shutil.which("java") is None, reason="no Java here")
def test_spark_with_a_killed_worker(tmp_path):
    import sys

    from pyspark.sql import SparkSession
    from pyspark.sql.pandas.types import from_arrow_schema

    os.environ["PYSPARK_PYTHON"] = sys.executable
    flag = str(tmp_path / "killed")

    def graded(batches):
        for one in batches:
            found = batch.ground(one)
            if f"{BAD}/7" in one.column("id").to_pylist():
                try:
                    os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    pass
                else:
                    os.kill(os.getpid(), signal.SIGKILL)
            yield from found.to_batches()

    spark = (
        SparkSession.builder.master("local[2,3]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .getOrCreate()
    )
    try:
        frame = spark.createDataFrame(
            [(r["id"], r["text"], r["quotes"]) for r in table().to_pylist()],
            "id string, text string, quotes array<string>",
        ).repartition(PARTS)
        answers = frame.mapInArrow(graded, from_arrow_schema(batch.GROUND_SCHEMA))
        found = {row["grade"]: row["count"] for row in answers.groupBy("grade").count().collect()}
    finally:
        spark.stop()
    assert Path(flag).exists()
    assert collections.Counter(found) == plain_counts()


@needs("ray")
def test_ray_with_a_killed_worker(tmp_path):
    import ray

    flag = str(tmp_path / "killed")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:

        def graded(one):
            if f"{BAD}/7" in one.column("id").to_pylist():
                try:
                    os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    pass
                else:
                    os.kill(os.getpid(), signal.SIGKILL)
            return batch.ground(one)

        data = ray.data.from_arrow([part(number) for number in range(PARTS)])
        blocks = data.map_batches(graded, batch_format="pyarrow", batch_size=None).to_arrow_refs()
        found = pa.concat_tables(ray.get(blocks))
    finally:
        ray.shutdown()
        # Its processes warn when they are collected: here, where it is no fault.
        gc.collect()
    assert Path(flag).exists()
    assert counts(found) == plain_counts()


@needs("daft")
def test_daft():
    import daft

    @daft.udf(
        return_dtype=daft.DataType.from_arrow_type(pa.list_(pa.struct(list(batch.GROUND_SCHEMA))))
    )
    def graded(text, quotes):
        given = pa.table({"text": text.to_arrow(), "quotes": quotes.to_arrow()})
        answers = [[] for _ in range(len(given))]
        for row in batch.ground(given).to_pylist():
            answers[row["row"]].append(row)
        return answers

    frame = daft.from_arrow(table())
    frame = frame.select(graded(frame["text"], frame["quotes"]).alias("answers"))
    frame = frame.explode("answers").select(daft.col("answers").get("grade").alias("grade"))
    assert counts(frame.to_arrow()) == plain_counts()
