"""`gatewright.batch`: the gates over Arrow tables, and the reconcile gate in parts."""

from __future__ import annotations

import doctest
import json
import multiprocessing
import pickle
import random

import gatewright
import pytest
import random_ledgers
from documents import pdf, shown
from gatewright import GatewrightError

pa = pytest.importorskip("pyarrow")
from gatewright import batch  # noqa: E402

DOCUMENTS = ["The landlord is not liable.\nRent is due.", "Löwe\U0001f600 und Tier", ""]
QUOTES = [
    ["the landlord is liable", "Rent is due.", "landlord\nis"],
    ["Tier", "\U0001f600 und"],
    ["x"],
]


def rows():
    return pa.table({"id": ["a", "b", "c"], "text": DOCUMENTS, "quotes": QUOTES})


def expected_matches():
    return [
        match
        for text, quotes in zip(DOCUMENTS, QUOTES)
        for match in gatewright.ground(quotes, text)
    ]


def test_ground_gives_what_the_plain_loop_gives():
    found = batch.ground(rows(), keep=["id"])
    assert found.schema == batch.schema(batch.GROUND_SCHEMA, rows().schema, ["id"])
    found.validate(full=True)
    for row, match in zip(found.to_pylist(), expected_matches()):
        want = match.to_dict()
        place = want.pop("at") or dict.fromkeys(
            ["byte_start", "byte_end", "line", "column", "end_line", "end_column"]
        )
        want |= place | {"is_accepted": match.is_accepted, "error": None}
        # A table holds what can be held in columns; pages and parts are a Match's own.
        for name in ("text", "page", "parts"):
            want.pop(name, None)
        assert {name: row[name] for name in want} == want
    assert found["id"].to_pylist() == ["a", "a", "a", "b", "b", "c"]
    assert found["index"].to_pylist() == [0, 1, 2, 0, 1, 0]
    assert batch.ground(rows(), keep=["id"], threads=3) == found


def test_any_layout_of_the_same_rows_gives_the_same_answers():
    plain = rows()
    found = batch.ground(plain)
    layouts = [
        plain.to_batches()[0],
        plain.to_reader(),
        plain.to_pylist(),
        pa.concat_tables([plain.slice(0, 1), plain.slice(1)]),
        pa.concat_tables([plain, plain]).slice(3),
        plain.set_column(1, "text", plain["text"].dictionary_encode()),
        plain.set_column(1, "text", plain["text"].cast(pa.large_binary())),
        plain.set_column(2, "quotes", plain["quotes"].cast(pa.large_list(pa.large_string()))),
    ]
    for layout in layouts:
        assert batch.ground(layout) == found
    assert batch.ground(plain.slice(0, 0)).num_rows == 0
    one_a_row = pa.table({"text": ["a b", "a b"], "quotes": ["a\nb", "c"]})
    assert batch.ground(one_a_row)["grade"].to_pylist() == ["reflowed", "absent"]


def test_bad_rows_become_rows_with_an_error():
    bad = pa.table(
        {
            "text": pa.array([b"a b", None, b"\xff", b"a b", b"a b"], pa.binary()),
            "quotes": pa.array(
                [[b"a", None, b"\xc3"], [b"a"], [b"a"], None, []], pa.list_(pa.binary())
            ),
        }
    )
    found = batch.ground(bad).select(["row", "grade", "error"]).to_pylist()
    assert [(row["row"], row["grade"], row["error"]) for row in found] == [
        (0, "identical", None),
        (0, None, "the quote is null"),
        (0, None, "the quote is not UTF-8: byte 0 does not belong"),
        (1, None, "the document is null"),
        (2, None, found[4]["error"]),
        (3, None, "the quotes are null"),
    ]
    assert "UTF-8" in found[4]["error"]


def test_pages_are_read_from_paths_below_their_root(tmp_path):
    (tmp_path / "room/in").mkdir(parents=True)
    (tmp_path / "room/in/lease.txt").write_text("The rent is due.")
    (tmp_path / "room/two.pdf").write_bytes(
        pdf([shown(72, 700, "First page"), shown(72, 700, "Second page")])
    )
    (tmp_path / "secret.txt").write_text("no")
    (tmp_path / "room/link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "room/odd.xyz").write_bytes(b"\xff\x00")
    names = ["in/lease.txt", "two.pdf", "../secret.txt", "link.txt", "odd.xyz", "none.txt", None]
    found = batch.read(
        pa.table({"id": list("abcdefg"), "path": names}), root=tmp_path / "room", keep=["id"]
    )
    assert found.schema == batch.schema(batch.READ_SCHEMA, pa.schema([("id", pa.string())]), ["id"])
    pages = [
        (row["id"], row["row"], row["page"], row["text"] and row["text"].strip(), row["is_unread"])
        for row in found.to_pylist()
    ]
    assert pages == [
        ("a", 0, None, "The rent is due.", False),
        ("b", 1, 1, "First page", False),
        ("b", 1, 2, "Second page", False),
        *((name, number, None, None, None) for number, name in enumerate("cdefg", start=2)),
    ]
    readers, errors = found.column("reader").to_pylist(), found.column("error").to_pylist()
    assert readers[1].startswith("pdfium ")
    assert readers[1] == readers[2]
    assert errors[:3] == [None] * 3
    for error, words in zip(
        errors[3:],
        (
            "leads out of the folder",
            "leads out of the folder",
            "odd.xyz",
            "none.txt",
            "`path` is null",
        ),
    ):
        assert words in error


def test_pages_are_read_from_bytes_and_graded():
    data = {"path": ["a.html", "b.pdf", "c.txt"], "data": [b"<p>one <b>two</b>", b"%PDF", None]}
    found = batch.read(pa.table(data), content="data")
    text, *errors = zip(found.column("text").to_pylist(), found.column("error").to_pylist())
    assert (text[0].split(), text[1]) == (["one", "two"], None)
    assert "b.pdf" in errors[0][1]
    assert errors[1] == (None, "`data` is null")
    quoted = found.append_column("quotes", pa.array([["one two"], ["x"], ["x"]]))
    grades = batch.ground(quoted).column("grade").to_pylist()
    assert grades[0] in ("identical", "reflowed")
    assert grades[1:] == [None, None]
    with pytest.raises(GatewrightError, match="no column `name`"):
        batch.read(pa.table(data), path="name")


def test_the_examples_of_the_module_run():
    assert doctest.testmod(batch).failed == 0


def test_a_batch_of_the_wrong_shape_is_refused():
    for wrong, words in [
        ({"text": ["a"]}, "no column `quotes`; there are: text"),
        ({"text": [1], "quotes": ["a"]}, "column `text` is int64, expected text"),
        ({"text": ["a"], "quotes": [1]}, "column `quotes` is int64, expected a list of texts"),
    ]:
        with pytest.raises(GatewrightError, match=words):
            batch.ground(pa.table(wrong))
    with pytest.raises(GatewrightError, match="no column `id`"):
        batch.ground(pa.table({"text": ["a"], "quotes": ["a"]}), keep=["id"])
    with pytest.raises(GatewrightError, match="`row` is one of the answer"):
        batch.ground(pa.table({"text": ["a"], "quotes": ["a"], "row": [1]}), keep=["row"])
    with pytest.raises(GatewrightError, match="pyarrow cannot read a int"):
        batch.ground(3)


CARD = """---
persona: rev
run_id: r1
findings:
  - id: placeholder
    target: "plan.md:3"
    claim: "The export cannot be undone."
    evidence: "The old endpoint was removed"
    ask: "Keep it for two releases."
    severity: major
    category: operability
---
"""


def test_scorecards_and_recounts_row_by_row():
    cards = pa.table(
        {
            "card": [CARD, CARD, None],
            "source": pa.array([b"The old endpoint was removed.", b"\xff", b"x"], pa.binary()),
            "phrases": [["consider"], [], []],
        }
    )
    judged = batch.scorecards(cards, banned_phrases="phrases", keep=["phrases"])
    judged.validate(full=True)
    first, second, third = judged.to_pylist()
    assert (first["passed"], first["findings_kept"], first["error"]) == (True, 1, None)
    assert "UTF-8" in second["error"]
    assert third["error"] == "`card` is null"
    drawn = pa.table(
        {"blueprint": ['{"screens": [{"fill": "#123"}], "design_tokens": {}}', "{", None]}
    )
    counted = batch.recount(drawn)
    first, second, third = counted.to_pylist()
    assert (first["passed"], first["orphans"]) == (False, ["#112233ff"])
    assert second["error"]
    assert third["error"] == "`blueprint` is null"


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_batches_run_in_processes(method):
    expected = batch.ground(rows())
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(batch.ground, [rows()] * 3).get(60) == [expected] * 3


def test_polars_and_duckdb_hand_over_their_data_as_it_is():
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    table = rows()
    expected = batch.ground(table)
    assert batch.ground(polars.from_arrow(table)) == expected
    assert polars.DataFrame(expected).height == expected.num_rows
    with duckdb.connect() as connection:
        connection.register("given", table)
        assert batch.ground(connection.sql("FROM given").to_arrow_table()) == expected
        connection.register("found", expected)
        accepted = connection.sql("SELECT count(*) FROM found WHERE is_accepted").fetchall()
    assert accepted == [(sum(match.is_accepted for match in expected_matches()),)]


# Coverage


def test_coverage_says_what_the_command_says_of_random_ledgers(tmp_path):
    verdicts = {random_ledgers.compare(tmp_path, seed).verdict for seed in range(200)}
    assert verdicts == {"passed", "failed"}


def full(issues, documents, status="absent"):
    return pa.table(
        {
            "finding_id": [f"i{i}/d{d}" for i in range(issues) for d in range(documents)],
            "issue_id": [f"i{i}" for i in range(issues) for _ in range(documents)],
            "lens_id": ["l"] * (issues * documents),
            "doc_id": [f"d{d}" for _ in range(issues) for d in range(documents)],
            "unit_id": [f"d{d}" for _ in range(issues) for d in range(documents)],
            "status": [status] * (issues * documents),
        }
    )


def frame(issues, documents):
    items = [{"issue_id": f"i{i}"} for i in range(issues)]
    manifest = {
        "documents": [{"id": f"d{d}", "readability": "native"} for d in range(documents)],
        "counts": {},
    }
    return manifest, {"framework_version": 1, "lenses": [{"lens_id": "l", "items": items}]}


def test_a_summary_takes_bits_for_each_issue_and_document():
    issues, documents = 40, 2000
    coverage = batch.Coverage().update(full(issues, documents))
    ids = 16 * (issues + documents)
    assert len(pickle.dumps(coverage)) < issues * documents // 8 + ids + 500
    # More findings for the same cells change nothing but what is repeated, once for each.
    assert coverage.outcome(*frame(issues, documents))
    # Few findings far apart take no room for the many between.
    few = batch.Coverage().update(full(issues, documents).take([0, 79_999]))
    assert len(pickle.dumps(few)) < 500
    assert len(few) == 2
    assert bool(few)


def test_parts_of_different_frameworks_do_not_merge_and_quotes_are_asked_for():
    manifest, framework = frame(1, 1)
    owned = json.loads(json.dumps(framework))
    owned["lenses"][0]["items"][0]["overlap_owner"] = "m"
    owned["lenses"].append({"lens_id": "m", "items": [{"issue_id": "j"}]})
    present = full(1, 1, "present").to_pylist()
    other = {**present[0], "finding_id": "j/d0", "issue_id": "j", "lens_id": "m"}
    with pytest.raises(GatewrightError, match=r"Coverage\(framework\)"):
        batch.Coverage().update([*present, other]).outcome(manifest, owned)
    kept = batch.Coverage(owned).update([*present, other])
    assert not kept.outcome(manifest, owned)
    with pytest.raises(GatewrightError, match="different frameworks"):
        kept.merge(batch.Coverage(framework).update(present))
    with pytest.raises(GatewrightError, match="different frameworks"):
        kept.outcome(manifest, framework)
    with pytest.raises(GatewrightError, match="expected a struct"):
        batch.Coverage().update([{"verification": "yes"}])


def test_bytes_that_are_no_summary_are_refused():
    data = batch.Coverage().update(full(2, 70)).__reduce__()[1][0]
    for wrong in (b"", b"\x02", data[:-1], data + b"\0"):
        with pytest.raises(ValueError, match="no Coverage"):
            batch._coverage(wrong)
    dice = random.Random(7)
    for _ in range(500):
        broken = bytearray(data)
        broken[dice.randrange(len(broken))] = dice.randrange(256)
        try:
            batch._coverage(bytes(broken)).outcome(*frame(2, 70))
        except (ValueError, GatewrightError):
            continue
