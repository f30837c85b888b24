"""Documents of every kind: what is read of them, on which page, and what a reader never sees."""

from __future__ import annotations

import copy
import hashlib
import importlib.util
import json
import pickle
import zlib
from pathlib import Path

import documents
import gatewright
import pytest

CASES_FILE = Path(__file__).parents[1] / "documents" / "cases.py"


def cases():
    spec = importlib.util.spec_from_file_location("document_cases", CASES_FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.CASES


def test_every_document_case_holds(run, tmp_path):
    """One room for all of them: a document that cannot be read spoils its own quotes alone."""
    entries, findings, wanted = [], [], {}
    listed = cases()
    assert len(listed) >= 60
    for number, (name, file_name, data, quotes) in enumerate(listed):
        path = tmp_path / "room" / str(number) / file_name
        path.parent.mkdir(parents=True)
        # Two cases may share their bytes; ids of the manifest may not.
        path.write_bytes(data)
        doc = "sha256:" + hashlib.sha256(data).hexdigest()[:12]
        if all(entry["id"] != doc for entry in entries):
            entries.append({"id": doc, "path": f"{number}/{file_name}", "readability": "native"})
        for quote, want in quotes.items():
            finding = {"finding_id": f"q{len(findings)}/{doc}", "issue_id": f"q{len(findings)}"}
            finding |= {"lens_id": "l", "unit_id": doc, "doc_id": doc, "status": "present"}
            finding |= {"section": "1", "quote": quote, "characterization": "c"}
            findings.append(finding)
            wanted[finding["finding_id"]] = (name, quote, want)
    (tmp_path / "m.json").write_text(json.dumps({"documents": entries, "counts": {}}))
    ledger = {"framework_version": 1, "parked": [], "findings": findings}
    (tmp_path / "f.json").write_text(json.dumps(ledger))
    arguments = ["--findings", "f.json", "--manifest", "m.json", "--room-root", "room"]
    done = run("ledger", "quotes", *arguments, "--out", "o.json")
    assert (tmp_path / "o.json").exists(), done.stdout + done.stderr
    wrong = []
    for finding in json.loads((tmp_path / "o.json").read_text())["findings"]:
        name, quote, want = wanted[finding["finding_id"]]
        is_confirmed = finding["quote_verification"]["status"] == "confirmed"
        if want is not None and is_confirmed != want:
            wrong.append((name, quote, finding["quote_verification"]))
    assert wrong == []


def lease(tmp_path):
    path = tmp_path / "lease.pdf"
    pages = [
        documents.shown(72, 700, "The rent is due on the first of"),
        documents.shown(72, 700, "each month. It's paid in advance."),
    ]
    path.write_bytes(documents.pdf(pages))
    return path


def test_a_document_has_text_pages_and_reader(tmp_path):
    document = gatewright.read(lease(tmp_path))
    assert (
        document.text == "The rent is due on the first of\n\feach month. It's paid in advance.\n\f"
    )
    assert document.pages == 2
    assert document.reader.startswith("pdfium ")
    assert document.unread_pages == ()
    assert document.hidden_count == 0
    assert document.page_text(2) == "each month. It's paid in advance.\n"
    with pytest.raises(IndexError, match="page 3 of a document with 2 pages"):
        document.page_text(3)
    assert pickle.loads(pickle.dumps(document)) == document == copy.deepcopy(document)
    assert hash(document) == hash(copy.copy(document))
    assert document != gatewright.read(Path(__file__))
    assert repr(document).startswith("Document(path=")


def test_a_place_in_a_document_names_its_page(tmp_path):
    document = gatewright.read(lease(tmp_path))
    over, behind = gatewright.ground(
        ["due on the first of each month", "paid in advance"], document
    )
    assert (over.grade, over.flags, over.page) == ("reflowed", ("crosses_page",), 1)
    assert (behind.at.line, behind.page, behind.text) == (2, 2, "paid in advance")
    # A path is read as a document too, and its text can be handed on.
    assert gatewright.ground("paid in advance", lease(tmp_path)).page == 2


def test_what_cannot_be_read_is_an_error(tmp_path):
    for name, data, told in [
        ("a.pdf", b"no PDF", "not a PDF"),
        ("b.docx", b"PK", "zip"),
        ("c.xyz", b"\xff\xfe\xff", "not UTF-8"),
    ]:
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(gatewright.GatewrightError) as caught:
            gatewright.read(path)
        assert told in caught.value.message.lower() or told in caught.value.message
        assert "\n" not in caught.value.message
        assert caught.value.source == str(path)
    with pytest.raises(gatewright.GatewrightError, match="cannot read"):
        gatewright.read(tmp_path / "absent.pdf")
    with pytest.raises(ValueError, match="no reader is called"):
        gatewright.read(lease(tmp_path), extractor="acrobat")


def test_words_around_a_quote_choose_its_place(tmp_path):
    text = "The fee is 5 %.\nThe tax is 5 %.\n"
    assert gatewright.ground("5 %", text).occurrences == 2
    found = gatewright.ground("5 %", text, prefix="tax is")
    assert (found.at.line, found.occurrences, found.grade) == (2, 1, "identical")
    found = gatewright.ground("5 %", text, suffix=".\nThe tax")
    assert found.at.line == 1
    found = gatewright.ground("5 %", text, prefix="toll is ")
    assert (found.grade, found.flags, found.at) == ("absent", ("other_context",), None)
    assert "stands on line 1 and at one more place, but not behind `toll is`" in found.difference
    with pytest.raises(TypeError, match="belong to one quote"):
        gatewright.ground(["5 %"], text, prefix="tax")


def test_the_command_narrows_a_quote_and_names_pages(run, tmp_path):
    lease(tmp_path)
    done = run("evidence", "find", "--source", "lease.pdf", "--quote", "paid in advance")
    assert done.returncode == 0
    assert "paid in advance` is identical, page 2" in done.stdout
    quotes = [{"exact": "month", "prefix": "each "}, {"quote": "month", "suffix": " later"}]
    (tmp_path / "q.json").write_text(json.dumps(quotes))
    arguments = ["evidence", "find", "--source", "lease.pdf", "--quotes", "q.json"]
    done = run(*arguments, "--format", "json")
    first, second = json.loads(done.stdout)["results"]
    assert first["at"]["page"] == 2
    assert (second["grade"], second["flags"]) == ("absent", ["other_context"])
    done = run(*arguments, "--quote", "x", "--prefix", "y")
    assert done.returncode == 2
    two = ["--quote", "a", "--quote", "b", "--prefix", "c"]
    done = run("evidence", "find", "--source", "lease.pdf", *two)
    assert done.returncode == 2
    assert "belong to one quote" in done.stderr


@pytest.mark.parametrize("form", ["compact", "sarif", "html", "markdown", "github", "junit"])
def test_every_report_names_the_page(run, tmp_path, form):
    lease(tmp_path)
    arguments = ["--source", "lease.pdf", "--quote", "It’s paid in advance."]
    done = run("evidence", "find", *arguments, "--format", form)
    assert done.returncode == 1
    if form == "sarif":
        (result,) = json.loads(done.stdout)["runs"][0]["results"]
        region = result["locations"][0]["physicalLocation"]["region"]
        assert region["properties"] == {"page": 2}
    else:
        assert "page 2" in done.stdout.lower()


def test_a_page_without_text_is_not_a_missing_quote(run, tmp_path):
    picture = "q 400 0 0 400 72 200 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x00 EI Q\n"
    data = documents.pdf([documents.shown(72, 700, "The rent is due."), picture])
    (tmp_path / "a.pdf").write_bytes(data)
    document = gatewright.read(tmp_path / "a.pdf")
    assert document.unread_pages == (2,)
    found = gatewright.ground("The deposit is paid back.", document)
    assert found.flags == ("unread",)
    assert "page 2 could not be read" in found.difference
    done = run("evidence", "find", "--source", "a.pdf", "--quote", "The deposit is paid back.")
    assert done.returncode == 1
    assert "could not be read: quote 1" in done.stdout
    assert "not found" not in done.stdout
    assert "GWE006" in done.stdout


def test_a_pdf_that_unpacks_to_gigabytes_is_one_line(tmp_path):
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b" " * (1 << 20)) for _ in range(700)) + packer.flush()
    packed = zlib.compress(packed)
    stream = b"<< /Filter [/FlateDecode /FlateDecode] /Length %d >>\nstream\n" % len(packed)
    whole = documents.pdf(["BT ET"])
    at = whole.index(b"<< /Filter")
    end = whole.index(b"endobj", at)
    data = whole[:at] + stream + packed + b"\nendstream\n" + whole[end:]
    (tmp_path / "bomb.pdf").write_bytes(data)
    with pytest.raises(gatewright.GatewrightError) as caught:
        gatewright.read(tmp_path / "bomb.pdf")
    assert "\n" not in caught.value.message
    # The next document gets a reader of its own.
    assert gatewright.read(lease(tmp_path)).pages == 2


def typographic_room(tmp_path):
    data = "“Rent” means what it’s called.\nThe landlord is not liable.\n".encode()
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "a.txt").write_bytes(data)
    doc = "sha256:" + hashlib.sha256(data).hexdigest()[:12]
    quotes = [
        '"Rent" means what it\'s called.',
        "The landlord is liable.",
        "landlord is not liable.",
    ]
    findings = [
        {"finding_id": f"q{at}/{doc}", "issue_id": f"q{at}", "lens_id": "l", "unit_id": doc}
        | {"doc_id": doc, "status": "present", "section": "1", "quote": quote}
        | {"characterization": "c"}
        for at, quote in enumerate(quotes)
    ]
    manifest = {"documents": [{"id": doc, "path": "a.txt", "readability": "native"}], "counts": {}}
    (tmp_path / "m.json").write_text(json.dumps(manifest))
    ledger = {"framework_version": 1, "parked": [], "findings": findings}
    (tmp_path / "f.json").write_text(json.dumps(ledger, indent=1))
    return ["--findings", "f.json", "--manifest", "m.json", "--room-root", "room"]


def test_repair_changes_typographic_quotes_alone_and_lists_them(run, tmp_path):
    arguments = typographic_room(tmp_path)
    done = run("ledger", "quotes", *arguments, "--repair", "--out", "o.json")
    assert done.returncode == 1  # the near quote stays as it is
    rows = json.loads((tmp_path / "o.json").read_text(encoding="utf-8"))["findings"]
    assert [row["quote"] for row in rows] == [
        "“Rent” means what it’s called.",
        "The landlord is liable.",
        "landlord is not liable.",
    ]
    statuses = [row["quote_verification"]["status"] for row in rows]
    assert statuses == ["confirmed", "rejected", "confirmed"]
    assert "GWL125" in done.stdout
    assert "is now `“Rent” means what it’s called.`" in done.stdout
    receipt = json.loads((tmp_path / "o.receipt.json").read_text())
    assert receipt["options"]["repair"] == "typographic"
    # What was repaired derives again.
    done = run("ledger", "verify", ".")
    assert "does not follow from its inputs" not in done.stdout


def test_findings_of_a_ledger_name_line_and_column(run, tmp_path):
    arguments = typographic_room(tmp_path)
    lines = (tmp_path / "f.json").read_text().splitlines()
    done = run("ledger", "quotes", *arguments, "--out", "o.json", "--format", "json")
    findings = json.loads(done.stdout)["outcomes"][0]["findings"]
    assert [finding["code"] for finding in findings] == ["GWL101", "GWL101"]
    for finding in findings:
        at = finding["at"]
        assert '"quote"' in lines[at["line"] - 1]
        assert lines[at["line"] - 1][at["column"] - 1] == '"'


def test_a_confirmed_quote_with_flags_is_told(run, tmp_path):
    data = documents.pdf(
        [documents.shown(72, 700, "The landlord pays."), documents.shown(72, 700, "x")]
    )
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "a.pdf").write_bytes(data)
    doc = "sha256:" + hashlib.sha256(data).hexdigest()[:12]
    finding = {"finding_id": f"q/{doc}", "issue_id": "q", "lens_id": "l", "unit_id": doc}
    finding |= {"doc_id": doc, "status": "present", "section": "1", "quote": "lord pays."}
    manifest = {"documents": [{"id": doc, "path": "a.pdf", "readability": "native"}], "counts": {}}
    (tmp_path / "m.json").write_text(json.dumps(manifest))
    (tmp_path / "f.json").write_text(
        json.dumps({"framework_version": 1, "parked": [], "findings": [finding]})
    )
    arguments = ["--findings", "f.json", "--manifest", "m.json", "--room-root", "room"]
    done = run("ledger", "quotes", *arguments, "--out", "o.json")
    assert done.returncode == 0, done.stdout
    assert "warning GWE005" in done.stdout
    assert "(cuts_word) in `a.pdf` at page 1, line 1, column 9" in done.stdout


@pytest.mark.parametrize(
    ("name", "data", "found", "missed"),
    [
        (
            "a.xlsx",
            documents.xlsx([["Unit", "Rent"], ["Flat 12", 1250.5], ["Shop", 99]]),
            ["Flat 12", "Unit Rent", "Flat 12 1250.5"],
            ["Flat 121250.5", "Shop 100", "Rent 1250.5"],
        ),
        (
            "a.pptx",
            documents.pptx(["Rent rises by 5 %", "in two years"]),
            ["Rent rises by 5 %", "in two years"],
            ["in three years", "rises by 6 %"],
        ),
        (
            "a.odt",
            documents.odt(["The rent<text:line-break/>is <text:s/>due", "on the first."]),
            ["The rent is due", "due on the first."],
            ["The rent is not due"],
        ),
        (
            "a.epub",
            documents.epub(["Chapter <b>one</b> begins", "and ends in two."]),
            ["Chapter one begins and ends in two."],
            ["ends in two. Chapter one"],
        ),
        (
            "a.rtf",
            documents.RTF,
            ["The rent is 1,200 EUR, café included", "“Rent” is due"],
            ["Arial", "Nobody", "The rent is 1,201 EUR"],
        ),
        (
            "a.mbox",
            documents.MBOX,
            ["Subject: First", "From today on it is 5 EUR.", "The deposit is paid back."],
            ["The deposit is not paid back.", "5 EUR. The deposit"],
        ),
        (
            "a.csv",
            b'unit;rent\n"Flat ""A"", ground";1200\nShop;99\n',
            ['Flat "A", ground', "Shop 99", "Shop;99"],
            ["Shop 9 9", "Shop 98"],
        ),
    ],
)
def test_every_kind_of_document_is_read(tmp_path, run, name, data, found, missed):
    path = tmp_path / name
    path.write_bytes(data)
    document = gatewright.read(path)
    answers = gatewright.ground([*found, *missed], document)
    assert [answer.is_accepted for answer in answers] == [True] * len(found) + [False] * len(missed)
    assert pickle.loads(pickle.dumps(document)) == document
    quotes = [part for quote in found for part in ("--quote", quote)]
    assert run("evidence", "find", "--source", name, *quotes).returncode == 0


@pytest.mark.parametrize(
    "name", ["a.xlsx", "a.pptx", "a.odt", "a.epub", "a.rtf", "a.msg", "a.docx", "a.mbox", "a.pdf"]
)
def test_a_damaged_document_is_one_clear_line(tmp_path, run, name):
    (tmp_path / name).write_bytes(b"\x00\x01 no document")
    done = run("evidence", "find", "--source", name, "--quote", "no document")
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert name in line


def test_a_scorecard_is_repaired_in_its_place(run, tmp_path):
    (tmp_path / "INPUT.md").write_bytes("“Rent” means what it’s called.\n".encode())
    card = (
        "---\npersona: p\nrun_id: r\nfindings:\n- id: a\n  target: t\n  claim: it's unclear\n"
        "  evidence: means what it's called\n  ask: say more\n  severity: minor\n  category: c\n"
        "- id: b\n  target: t\n  claim: wrong\n  evidence: means what it was called\n  ask: mend\n"
        "  severity: minor\n  category: c\n---\nProse of the review.\n"
    )
    path = tmp_path / "p.md"
    path.write_bytes(card.encode())
    done = run(
        "scorecard", "check", "p.md", "--repair", "--banned-phrase", "zzz", "--format", "json"
    )
    assert path.read_bytes().decode() == card.replace(
        "evidence: means what it's called", "evidence: means what it’s called"
    )
    (outcome,) = json.loads(done.stdout)["outcomes"]
    assert outcome["summary"].startswith("1 kept, 1 dropped")
    (note,) = [finding for finding in outcome["findings"] if finding["code"] == "GWS024"]
    assert (note["severity"], note["at"]["line"], note["at"]["column"]) == ("note", 8, 13)
    assert "is now `means what it’s called`" in note["message"]
    # Nothing is left to repair.
    before = path.read_bytes()
    run("scorecard", "check", "p.md", "--repair", "--banned-phrase", "zzz")
    assert path.read_bytes() == before
