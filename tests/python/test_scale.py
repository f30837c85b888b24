"""The blocks of docs/scale.md do what the page shows."""

from __future__ import annotations

import collections
import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import gatewright
import pytest

pytest.importorskip("pyarrow")
import random_ledgers

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "scale.md"


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)


def test_python_blocks_print_what_the_page_shows():
    found, shown = blocks("python"), blocks("text")
    assert len(found) == len(shown) == 3
    for code, expected in zip(found, shown):
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(code, str(PAGE), "exec"), {})
        assert printed.getvalue() == expected


def plain_case(seed):
    """A ledger without families, parked or control documents: what the SQL form is about."""
    manifest, ledger, framework, _ = random_ledgers.case(seed)
    for document in manifest["documents"]:
        document.pop("review_role", None)
    findings = [
        finding
        for finding in ledger["findings"]
        if {"finding_id", "issue_id", "lens_id", "doc_id", "unit_id", "status"} <= finding.keys()
    ]
    for finding in findings:
        if finding["unit_id"] == "F":
            finding["unit_id"] = finding["doc_id"]
    return manifest, {"framework_version": 1, "findings": findings}, framework


def test_the_sql_form_agrees_with_the_gate():
    duckdb = pytest.importorskip("duckdb")
    (query,) = blocks("sql")
    seen = collections.Counter()
    with duckdb.connect() as connection:
        for seed in range(120):
            manifest, ledger, framework = plain_case(seed)
            connection.execute(
                "CREATE OR REPLACE TABLE documents (doc_id TEXT, unit_id TEXT, is_reviewable BOOL)"
            )
            connection.execute("CREATE OR REPLACE TABLE items (issue_id TEXT, lens_id TEXT)")
            connection.execute(
                "CREATE OR REPLACE TABLE findings "
                "(issue_id TEXT, lens_id TEXT, doc_id TEXT, unit_id TEXT, status TEXT)"
            )
            inserts = {
                "documents": [
                    (d["id"], d["id"], d["readability"] in ("native", "scanned"))
                    for d in manifest["documents"]
                ],
                "items": [
                    (item["issue_id"], lens["lens_id"])
                    for lens in framework["lenses"]
                    for item in lens["items"]
                ],
                "findings": [
                    tuple(f[k] for k in ("issue_id", "lens_id", "doc_id", "unit_id", "status"))
                    for f in ledger["findings"]
                ],
            }
            for name, rows in inserts.items():
                if rows:
                    marks = ", ".join("?" * len(rows[0]))
                    connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
            faults = connection.execute(query).fetchall()
            if any(fault[0] == "strange" for fault in faults):
                # The gate goes on with a claimed unit; the relations stop at it.
                seen["strange"] += 1
                outcome = gatewright.reconcile(manifest, ledger, framework)
                assert not outcome.passed
                continue
            outcome = gatewright.reconcile(manifest, ledger, framework)
            codes = collections.Counter(finding.code for finding in outcome.findings)
            kinds = collections.defaultdict(set)
            repeated = 0
            for kind, issue, unit, count in faults:
                kinds[kind].add((issue, unit))
                repeated += count - 1 if kind == "repeated" else 0
            assert codes["GWC019"] == len({issue for issue, _ in kinds["missing"]})
            assert codes["GWC020"] == len({issue for issue, _ in kinds["unreadable"]})
            told = [f for f in outcome.findings if "second result" in f.message]
            assert len(told) == repeated
            missing = outcome.facts["expected_results"] - outcome.facts["results"]
            assert missing + len(kinds["unreadable"]) == len(kinds["missing"])
            seen.update(kinds.keys())
    assert {"missing", "repeated", "unreadable", "strange"} <= set(seen)
