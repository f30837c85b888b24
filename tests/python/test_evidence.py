"""Quote matching from the command line and from Python."""

from __future__ import annotations

import json
import subprocess
import sys

import gatewright
import pytest

LEASE = "# Lease\n\nThe landlord is not liable\nfor “late” rent.\n"


@pytest.fixture
def lease(tmp_path):
    (tmp_path / "lease.md").write_text(LEASE, encoding="utf-8")
    return "lease.md"


def test_json_has_the_documented_shape(run, lease):
    done = run(
        "evidence", "find", "--source", lease, "--quote", 'for "late" rent', "--format", "json"
    )
    assert (done.returncode, done.stderr) == (1, "")
    document = json.loads(done.stdout)
    assert list(document) == ["version", "results"]
    assert document == {
        "version": 1,
        "results": [
            {
                "quote": 'for "late" rent',
                "grade": "typographic",
                "flags": [],
                "occurrences": 1,
                "at": {
                    "byte_start": LEASE.encode().index(b"for"),
                    "byte_end": LEASE.encode().index(b"."),
                    "line": 4,
                    "column": 1,
                    "end_line": 4,
                    "end_column": 16,
                    "page": None,
                },
                "difference": 'line 4 has `“late”`, the quote has `"late"`',
                "text": "for “late” rent",
                "parts": [],
            }
        ],
    }
    assert list(document["results"][0]) == [
        "quote",
        "grade",
        "flags",
        "occurrences",
        "at",
        "difference",
        "text",
        "parts",
    ]
    assert list(document["results"][0]["at"]) == [
        "byte_start",
        "byte_end",
        "line",
        "column",
        "end_line",
        "end_column",
        "page",
    ]


def test_a_list_of_quotes(run, lease, tmp_path):
    (tmp_path / "q.json").write_text(json.dumps(["not liable for", "# Lease"]), encoding="utf-8")
    done = run("evidence", "find", "--source", lease, "--quotes", "q.json", "--format", "json")
    assert done.returncode == 0
    grades = [result["grade"] for result in json.loads(done.stdout)["results"]]
    assert grades == ["reflowed", "identical"]


def test_several_quotes_on_the_command_line(run, lease):
    done = run(
        "evidence", "find", "--source", lease, "--quote", "-- not there --", "--quote", "Lease"
    )
    assert done.returncode == 1
    assert "quote 1 `-- not there --` is absent" in done.stdout
    assert "quote 2 `Lease` is identical" in done.stdout
    assert "1 of 2 quotes stand in lease.md" in done.stdout


def test_text_shows_passage_and_difference(run, lease):
    done = run("evidence", "find", "--source", lease, "--quote", "The landlord is liable")
    assert done.returncode == 1
    assert "near (omits_negation)" in done.stdout
    assert "lease.md:3:1" in done.stdout
    assert "^^^^^^^^^^^^^^^^^^^^^^^^^^" in done.stdout
    assert "missing after `landlord is`: `not`" in done.stdout
    assert "GWE002" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--source", "none.md", "--quote", "x"], "cannot read source `none.md`"),
        (["--source", ".", "--quote", "x"], "cannot read source `.`"),
        (["--source", "bad.dat", "--quote", "x"], "not UTF-8: invalid byte at offset 2"),
        (["--source", "lease.md", "--quotes", "none.json"], "cannot read quotes `none.json`"),
        (["--source", "lease.md", "--quotes", "lease.md"], "line 1 column 1"),
        (["--source", "lease.md", "--quotes", "map.json"], "$: a list of texts is wanted"),
        (
            ["--source", "lease.md", "--quotes", "mixed.json"],
            "$[1]: a text is wanted, found integer",
        ),
        (["--source", "lease.md"], "--quote"),
        (["--source", "lease.md", "--quote", "x", "--quotes", "map.json"], "cannot be used with"),
    ],
)
def test_what_cannot_be_read_is_an_error(run, lease, tmp_path, arguments, said):
    (tmp_path / "bad.dat").write_bytes(b"ab\xff")
    (tmp_path / "map.json").write_text("{}")
    (tmp_path / "mixed.json").write_text('["a", 1]')
    done = run("evidence", "find", *arguments, "--format", "json")
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_lone_surrogate_is_absent_and_printed_as_an_escape(run, lease, tmp_path):
    (tmp_path / "q.json").write_text('["\\ud83d x"]')
    done = run("evidence", "find", "--source", lease, "--quotes", "q.json", "--format", "json")
    assert done.returncode == 1
    result = json.loads(done.stdout)["results"][0]
    assert (result["quote"], result["grade"]) == ("\ud83d x", "absent")


def test_ground_one_and_many():
    match = gatewright.ground("the landlord is liable", "So the landlord is not liable.")
    assert (match.grade, match.flags, match.occurrences) == ("near", ("omits_negation",), 1)
    assert match.difference == "missing after `landlord is`: `not`"
    assert (match.at.line, match.at.column, match.at.end_column) == (1, 4, 30)
    assert not match.is_accepted
    many = gatewright.ground(["a b", "c"], "a\nb")
    assert [found.grade for found in many] == ["reflowed", "absent"]
    assert many[1].at is None
    assert gatewright.ground([], "a") == []


def test_sources_of_every_kind(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("é a b", encoding="utf-8")
    found = gatewright.ground("a b", path)
    assert found == gatewright.ground("a b", "é a b") == gatewright.ground("a b", "é a b".encode())
    assert found.at.to_dict() == {
        "byte_start": 3,
        "byte_end": 6,
        "line": 1,
        "column": 3,
        "end_line": 1,
        "end_column": 6,
        "page": None,
    }
    assert found.to_dict() == {
        "quote": "a b",
        "grade": "identical",
        "flags": [],
        "occurrences": 1,
        "at": found.at.to_dict(),
        "difference": None,
        "text": "a b",
        "parts": [],
    }
    assert repr(found) == "Match(quote='a b', grade='identical', at=1:3)"


def test_answers_are_frozen():
    match = gatewright.ground("a", "a")
    with pytest.raises(AttributeError):
        match.grade = "absent"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (b"ab\xff", "not UTF-8: invalid byte at offset 2"),
        ("a\ud83d", "a lone surrogate at character 1"),
    ],
)
def test_a_source_that_cannot_be_read_raises(source, said):
    with pytest.raises(gatewright.GatewrightError, match=said):
        gatewright.ground("a", source)


def test_a_missing_file_raises_and_names_it(tmp_path):
    with pytest.raises(gatewright.GatewrightError) as caught:
        gatewright.ground("a", tmp_path / "none.txt")
    assert caught.value.source == str(tmp_path / "none.txt")


def test_a_quote_that_is_no_text_is_a_type_error():
    with pytest.raises(TypeError):
        gatewright.ground([1], "a")


def test_docstring_examples_run():
    code = "import doctest, gatewright.evidence as module; print(doctest.testmod(module))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "failed=0" in out.stdout
    assert "attempted=0" not in out.stdout
