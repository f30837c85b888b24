"""The findings ledger from end to end: drop-ins, stages, receipts, status, calibration."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import attestations
import pytest
from documents import EML, docx, pdf, shown
from recorded import cases, content, differences

LEASE = "12: The tenant shall not assign\n13: this Agreement without consent.\n"
PAGE = (
    "<style>.x{display:none}</style><p>Either party may <b>terminate</b></p><p class=x>at any time"
)


def doc_id(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()[:12]


def item(issue, **more):
    return {
        "issue_id": issue,
        "question": "Does it?",
        "hit_rule": "It does.",
        "exclusions": [],
        "evidence": {
            "required": "verbatim quote plus section reference",
            "unresolved_when": "It is elsewhere.",
        },
        "answer_shape": {
            "statuses": ["present", "absent", "unresolved"],
            "characterization_max_words": 30,
            "template": "SECTION: QUOTE",
        },
        "disposition": "report",
        "overlap_owner": None,
        **more,
    }


def framework(version=2, **more):
    return {
        "framework_version": version,
        "approved": True,
        "source_inputs": [{"kind": "checklist", "label": "list"}],
        "lenses": [{"lens_id": "control", "name": "Control", "items": [item("coc", **more)]}],
    }


@pytest.fixture
def room(tmp_path):
    """A run folder with three documents, a finding on each, and a framework."""
    documents = {
        "lease.txt": LEASE.encode(),
        "page.html": PAGE.encode(),
        "deed.docx": docx(
            "<w:p><w:r><w:t>The ten</w:t></w:r><w:r><w:t>ant pays</w:t></w:r>"
            "<w:del><w:r><w:delText>nothing</w:delText></w:r></w:del></w:p>"
        ),
    }
    quotes = {
        "lease.txt": "shall not assign this Agreement",
        "page.html": "may terminate at any time",
        "deed.docx": "The tenant pays",
    }
    (tmp_path / "room").mkdir()
    findings = []
    entries = []
    for name, data in documents.items():
        (tmp_path / "room" / name).write_bytes(data)
        identity = doc_id(data)
        entries.append({"id": identity, "path": name, "readability": "native"})
        findings.append(
            {
                "finding_id": f"coc/{identity}",
                "issue_id": "coc",
                "lens_id": "control",
                "unit_id": identity,
                "doc_id": identity,
                "status": "present",
                "section": "1",
                "quote": quotes[name],
                "characterization": "1: it does.",
                "verification": {"status": "confirmed"},
            }
        )
    write(tmp_path / "manifest.json", {"documents": entries, "counts": {}})
    write(tmp_path / "framework.json", framework())
    write(
        tmp_path / "findings.json",
        {"framework_version": 2, "findings": findings, "parked": []},
    )
    return tmp_path


def write(path: Path, value) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")


def load(path: Path):
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def script(shims, room):
    def run_script(name, *arguments):
        return subprocess.run(
            [sys.executable, str(shims / name), *map(str, arguments)],
            cwd=room,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run_script


QUOTES = ["--findings", "findings.json", "--manifest", "manifest.json", "--room-root", "room"]


def test_quotes_are_confirmed_where_the_reader_sees_them(script, room):
    done = script("verify_finding_quotes.py", *QUOTES, "--out", "out/quoted.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Wrote out/quoted.json: 2 confirmed, 1 changed to unresolved\n"
    lease, page, deed = load(room / "out" / "quoted.json")["findings"]
    assert lease["quote_verification"] == {
        "checker": "deterministic-text-match",
        "status": "confirmed",
    }
    assert deed["quote_verification"]["status"] == "confirmed"
    assert page["status"] == "unresolved"
    assert page["quote_verification"] == {
        "reason": "quote not found in source text",
        "status": "rejected",
    }
    assert "verification" not in lease
    text = (room / "out" / "quoted.json").read_text()
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True) + "\n"
    assert os.listdir(room / "out") == ["quoted.json"]


def test_documents_are_checked_before_anything_is_written(script, room):
    (room / "room" / "lease.txt").write_text("other")
    manifest = load(room / "manifest.json")
    manifest["documents"] += [
        {"id": "x", "path": "gone.txt"},
        {"id": "y", "path": "../out.txt"},
        {"id": "z", "path": "link.txt"},
    ]
    write(room / "manifest.json", manifest)
    (room / "room" / "link.txt").symlink_to("../manifest.json")
    done = script("verify_finding_quotes.py", *QUOTES, "--out", "out.json")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == (
        "verify_finding_quotes: manifest identity changed for lease.txt; "
        "manifest path escapes room root: link.txt; "
        "source document does not exist: gone.txt; unsafe manifest path: ../out.txt\n"
    )
    assert not (room / "out.json").exists()


def test_an_unreadable_document_is_never_a_missing_quote(script, room):
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 encrypted"
    (room / "room" / "deed.docx").write_bytes(data)
    manifest, ledger = load(room / "manifest.json"), load(room / "findings.json")
    manifest["documents"][2]["id"] = ledger["findings"][2]["doc_id"] = doc_id(data)
    write(room / "manifest.json", manifest)
    write(room / "findings.json", ledger)
    done = script("verify_finding_quotes.py", *QUOTES, "--out", "out.json")
    assert done.returncode == 1
    assert done.stderr == (
        "verify_finding_quotes: cannot read source document deed.docx: "
        "an encrypted or old binary Office file, not a docx package\n"
    )


def test_an_unknown_document_and_a_missing_room_end_the_run(script, room):
    ledger = load(room / "findings.json")
    ledger["findings"][1]["doc_id"] = "sha256:0"
    write(room / "findings.json", ledger)
    done = script("verify_finding_quotes.py", *QUOTES, "--out", "out.json")
    identity = ledger["findings"][1]["finding_id"]
    assert done.stderr == (
        f"verify_finding_quotes: finding {identity} cites unknown document sha256:0\n"
    )
    done = script("verify_finding_quotes.py", *QUOTES[:-1], "nowhere", "--out", "out.json")
    assert done.stderr == (
        f"verify_finding_quotes: room root is not a directory: {room / 'nowhere'}\n"
    )
    assert not (room / "out.json").exists()


@pytest.fixture
def chain(run, room):
    """Runs the stages up to the merged ledger; returns the folder."""
    ledger = load(room / "findings.json")
    ledger["findings"][1]["quote"] = "Either party may terminate"
    write(room / "findings.json", ledger)

    def stage(*arguments):
        done = run("ledger", *arguments, cwd=room)
        assert done.returncode == 0, done.stdout + done.stderr

    stage("quotes", *QUOTES, "--extractor", "stdlib", "--out", "findings.quoted.json")
    stage(
        "plan",
        "--findings",
        "findings.quoted.json",
        "--framework",
        "framework.json",
        "--out",
        "plan.json",
    )
    plan = load(room / "plan.json")
    (room / "results").mkdir()
    for job in plan["jobs"]:
        write(
            room / "results" / job["result_file"],
            {
                "checker_plan_id": plan["plan_id"],
                "finding_id": job["finding_id"],
                "objection": "",
                "verdict": "confirmed",
            },
        )
    return room


MERGE = [
    "merge",
    "--findings",
    "findings.quoted.json",
    "--checker-plan",
    "plan.json",
    "--results-dir",
    "results",
    "--out",
    "findings.checked.json",
]


def test_a_run_is_proved_from_documents_to_report(run, chain):
    assert run("ledger", *MERGE, cwd=chain).returncode == 0
    receipt = load(chain / "findings.checked.receipt.json")
    assert receipt["command"] == "ledger merge"
    assert [entry["name"] for entry in receipt["inputs"]] == [
        "findings.quoted.json",
        "plan.json",
        "results",
    ]
    assert (
        receipt["inputs"][0]["sha256"]
        == hashlib.sha256((chain / "findings.quoted.json").read_bytes()).hexdigest()
    )
    assert str(chain) not in (chain / "findings.checked.receipt.json").read_text()
    done = run("ledger", "verify", chain)
    assert done.returncode == 0, done.stdout
    done = run(
        "ledger",
        "reconcile",
        "--manifest",
        "manifest.json",
        "--framework",
        "framework.json",
        "--findings",
        "findings.checked.json",
        cwd=chain,
    )
    assert done.returncode == 0, done.stdout


def spoil(path: Path) -> None:
    if path.suffix == ".json" and path.parent.name == "results":
        write(path, {**load(path), "objection": "but"})
    else:
        path.write_bytes(path.read_bytes() + b" ")


def test_verify_names_the_first_file_that_does_not_fit(run, chain):
    assert run("ledger", *MERGE, cwd=chain).returncode == 0
    other, results = "other bytes than the receipt", "results"
    files = {
        "findings.json": ("findings.json", other),
        "manifest.json": ("manifest.json", other),
        "framework.json": ("framework.json", other),
        "findings.quoted.json": ("findings.quoted.json", other),
        "plan.json": ("plan.json", other),
        "findings.checked.json": ("findings.checked.json", other),
        "room/lease.txt": ("findings.quoted.json", "`lease.txt` has the id `sha256:"),
        "room/page.html": ("findings.quoted.json", "`page.html` has the id `sha256:"),
        "room/deed.docx": ("findings.quoted.json", "`deed.docx` has the id `sha256:"),
        "findings.quoted.receipt.json": (None, None),
        "plan.receipt.json": (None, None),
        "findings.checked.receipt.json": (None, None),
    }
    for path in (chain / "results").iterdir():
        files[f"results/{path.name}"] = (results, "other files than the receipt")
    everything = {path.relative_to(chain).as_posix() for path in chain.rglob("*") if path.is_file()}
    assert set(files) == everything
    for name, (named, words) in files.items():
        whole = (chain / name).read_bytes()
        spoil(chain / name)
        if named is None:
            # A receipt is what the others are held against: one that says something else.
            (chain / name).write_bytes(whole.replace(b'"sha256": "', b'"sha256": "0', 1))
        done = run("ledger", "verify", ".", cwd=chain)
        assert done.returncode == 1, name
        assert "GWL107" in done.stdout
        if named is not None:
            assert words in done.stdout
            assert f"the chain breaks at {chain.resolve() / named}" in done.stdout, done.stdout
        (chain / name).write_bytes(whole)
    (chain / "plan.receipt.json").write_bytes(b"{")
    done = run("ledger", "verify", ".", cwd=chain)
    assert "no receipt that can be followed" in done.stdout
    assert "the chain breaks at ./plan.receipt.json" in done.stdout


def test_verify_attests_every_file_of_the_run(run, chain):
    assert run("ledger", *MERGE, cwd=chain).returncode == 0
    files = [path for path in chain.rglob("*") if path.is_file()]
    done = run("ledger", "verify", ".", "--attest", cwd=chain)
    assert done.returncode == 0, done.stdout
    path = chain / "findings.checked.intoto.json"
    assert "attestation ./findings.checked.intoto.json" in done.stdout
    statement = attestations.read(path)
    is_receipt = {file: file.name.endswith(".receipt.json") for file in files}
    named = {file: file.relative_to(chain).as_posix() for file in files}
    assert attestations.digests(statement["subject"]) == {
        named[file]: attestations.sha256(file) for file in files if not is_receipt[file]
    }
    predicate = statement["predicate"]
    assert attestations.digests(predicate["configuration"]) == {
        named[file]: attestations.sha256(file) for file in files if is_receipt[file]
    }
    assert (predicate["result"], predicate["passedTests"]) == ("PASSED", ["GWL107"])
    assert predicate["gatewright"]["gate"] == "ledger verify"
    assert predicate["gatewright"]["finding_counts"] == {"error": 0}
    # It is no file of the run, and the same run gives the same bytes.
    before = path.read_bytes()
    assert run("ledger", "verify", ".", "--attest", cwd=chain).returncode == 0
    assert path.read_bytes() == before
    assert run("ledger", "status", ".", cwd=chain).returncode == 0


def test_verify_attests_that_a_run_does_not_hold(run, chain):
    assert run("ledger", *MERGE, cwd=chain).returncode == 0
    spoil(chain / "plan.json")
    done = run("ledger", "verify", ".", "--attest", cwd=chain)
    assert done.returncode == 1, done.stdout
    (path,) = chain.glob("*.intoto.json")
    statement = attestations.read(path)
    predicate = statement["predicate"]
    assert (predicate["result"], predicate["failedTests"]) == ("FAILED", ["GWL107"])
    assert predicate["gatewright"]["finding_counts"] == {"error": 1}
    listed = attestations.digests(statement["subject"])
    # What lies there, not what the receipt says of it.
    assert listed["plan.json"] == attestations.sha256(chain / "plan.json")


def test_verify_of_a_folder_without_receipts_could_not_run(run, tmp_path):
    done = run("ledger", "verify", tmp_path)
    assert done.returncode == 2
    assert "no receipt in it" in done.stderr


def test_merge_refuses_a_result_that_is_a_link_out_of_the_folder(run, chain):
    result = sorted((chain / "results").iterdir())[0]
    outside = chain / "outside.json"
    outside.write_bytes(result.read_bytes())
    result.unlink()
    result.symlink_to(outside)
    done = run("ledger", *MERGE, cwd=chain)
    assert done.returncode == 1
    assert f"cannot read checker result {result.name}: it is a link out of" in done.stdout
    assert not (chain / "findings.checked.json").exists()
    assert not (chain / "findings.checked.receipt.json").exists()


@pytest.mark.parametrize("status", ["present", "absent"])
def test_a_repeated_id_is_named_and_nothing_written(run, chain, status):
    for name in ("findings.json", "findings.quoted.json"):
        ledger = load(chain / name)
        ledger["findings"].append({**ledger["findings"][0], "status": status})
        write(chain / name, ledger)
    before = sorted(path.name for path in chain.iterdir())
    framed = ["--findings", "findings.quoted.json", "--framework", "framework.json"]
    for stage in (
        ["quotes", *QUOTES, "--out", "new.json"],
        ["plan", *framed, "--out", "new.json"],
        MERGE,
    ):
        done = run("ledger", *stage, cwd=chain)
        assert done.returncode == 1
        identity = ledger["findings"][0]["finding_id"]
        assert "GWL108" in done.stdout
        assert f"`{identity}` is the id of an earlier finding too" in done.stdout
    assert sorted(path.name for path in chain.iterdir()) == before


def test_a_folder_of_many_results_is_refused_in_one_line(run, script, chain):
    for number in range(3000):
        (chain / "results" / f"x{number:05}.json").touch()
    done = run("ledger", *MERGE, cwd=chain)
    assert done.returncode == 1
    assert "unexpected result file(s): x00000.json, x00001.json" in done.stdout
    assert " more\n" in done.stdout
    assert len(done.stdout) < 5000
    done = script("merge_checker_results.py", *MERGE[1:])
    # The drop-in names every one, as it always did.
    assert done.stderr.count("\n") == 1
    assert done.stderr.count(", ") == 2999
    assert not (chain / "findings.checked.json").exists()


@pytest.mark.parametrize(
    ("name", "step"), [("findings", "ledger is there"), ("framework", "framework is there")]
)
@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda text: text[: len(text) // 2], "cannot be read: "),
        (lambda text: "\ufeff" + text, "it begins with a byte order mark"),
    ],
)
def test_status_tells_a_broken_file_from_none(run, chain, name, step, spoil, words):
    for path in chain.glob(f"{name}*.json"):
        text = path.read_text(encoding="utf-8")
        path.write_text(spoil(text), encoding="utf-8")
    out = run("ledger", "status", ".", cwd=chain).stdout
    line = next(line for line in out.splitlines() if step in line)
    assert "  NO  " in line
    assert f"{name}.json" in line
    assert words in line
    assert f"no {name}" not in out
    assert "whole again" in out


def test_status_names_the_next_command_at_every_step(run, chain):
    def status():
        done = run("ledger", "status", ".", cwd=chain)
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        return [line for line in lines if line.startswith(("next:", "blocked:"))]

    assert "next: gatewright ledger merge --findings ./findings.quoted.json" in status()[-1]
    result = sorted((chain / "results").iterdir())[0]
    result.rename(chain / "held.txt")
    assert status() == ["blocked: not so: every checker has returned (2 of 3)"]
    (chain / "held.txt").rename(result)
    assert run("ledger", *MERGE, cwd=chain).returncode == 0
    done = run("ledger", "status", ".", cwd=chain)
    assert done.stdout.endswith(
        "every step is there as the ledger has it; whether it is true: gatewright ledger check .\n"
    )
    assert "complete" not in done.stdout
    done = run("ledger", "status", ".", "--format", "json", cwd=chain)
    outcome = json.loads(done.stdout)["outcomes"][0]
    assert outcome["facts"]["next"] is None
    assert outcome["facts"]["results_by_issue"] == {"coc": {"present": 3}}


class Walk:
    """A newcomer who runs what ``ledger status`` says and brings what it says is needed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ran = []
        found = subprocess.run(
            [sys.executable, "-c", "import sysconfig; print(sysconfig.get_path('scripts'))"],
            capture_output=True,
            text=True,
            check=True,
        )
        self.path = os.pathsep.join((found.stdout.strip(), os.environ["PATH"]))

    def shell(self, line: str):
        return subprocess.run(
            line,
            shell=True,
            cwd=self.folder,
            env={**os.environ, "PATH": self.path, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=120,
        )

    def status(self, more: str = "") -> tuple[str, str]:
        """The last line of the table: its first word and the rest."""
        done = self.shell(f"gatewright ledger status 'the run'{more}")
        assert done.returncode == int(not any((self.folder / "the run").iterdir())), done.stderr
        return tuple(done.stdout.splitlines()[-1].split(": ", 1))

    def needed(self, words: str) -> None:
        kind, text = self.status()
        assert kind == "needed", text
        assert words in text

    def next(self, command: str, more: str = "", status: int = 0) -> None:
        """The advice is ``command``, and as pasted it ends with ``status``."""
        kind, line = self.status(more)
        assert kind == "next", line
        assert line.startswith(command + " "), line
        done = self.shell(line)
        assert done.returncode == status, done.stdout + done.stderr


def test_a_newcomer_gets_through_by_status_alone(tmp_path):
    walk = Walk(tmp_path)
    run = tmp_path / "the run"
    run.mkdir()
    walk.needed("the framework compiled from the checklist")
    write(run / "framework.json", {**framework(), "approved": "no"})
    walk.next("gatewright framework check", status=1)
    write(run / "framework.json", {**framework(), "approved": False})
    walk.next("render_readback")
    walk.needed("reads the run/readback.json and `approved` becomes true")
    write(run / "framework.json", framework())
    walk.needed("the run/manifest.json")

    documents = {
        "lease.txt": (LEASE.encode(), "shall not assign this Agreement"),
        "notes/memo.md": (b"# Memo\n\nRent is *paid* monthly.\n", "paid* monthly"),
        "page.html": (PAGE.encode(), "Either party may terminate"),
        "mail.eml": (EML, "effective on the last day of the month"),
        "deed.docx": (docx("<w:p><w:r><w:t>The tenant pays</w:t></w:r></w:p>"), "tenant pays"),
        "deal.pdf": (
            pdf(
                [
                    shown(72, 700, "The parties de\001ne this agree-")
                    + shown(72, 688, "ment as final and")
                    + shown(300, 40, "1"),
                    shown(72, 700, "binding on both.") + shown(300, 40, "2"),
                ]
            ),
            "define this agreement as final and binding on both",
        ),
    }
    entries, findings = [], []
    for name, (data, quote) in documents.items():
        path = tmp_path / "documents" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        entries.append({"id": doc_id(data), "path": name, "readability": "native"})
        findings.append(
            {
                "finding_id": f"coc/{doc_id(data)}",
                "issue_id": "coc",
                "lens_id": "control",
                "unit_id": doc_id(data),
                "doc_id": doc_id(data),
                "status": "present",
                "section": "1",
                "quote": quote,
                "characterization": "1: it does.",
                "current_position": True,
            }
        )
    write(run / "manifest.json", {"documents": entries, "counts": {"files": len(entries)}})
    walk.needed("the run/findings.json")
    ledger = {"framework_version": 2, "findings": findings[1:], "parked": []}
    write(run / "findings.json", ledger)
    walk.next("gatewright ledger reconcile", status=1)
    findings[0]["quote"] = "shall assign"
    write(run / "findings.json", {**ledger, "findings": findings})

    # The room lies where nobody would look: no command that cannot work is shown.
    (tmp_path / "documents").rename(tmp_path.parent / f"{tmp_path.name}-room")
    walk.needed("name it with: gatewright ledger status 'the run' --room DIR")
    given = f" --room ../{tmp_path.name}-room"
    walk.next("gatewright ledger quotes", more=given, status=1)
    assert load(run / "findings.quoted.json")["findings"][0]["status"] == "unresolved"

    # A worker mends the finding: what came from the old ledger is passed over, and the receipt
    # remembers the room.
    findings[0]["quote"] = documents["lease.txt"][1]
    write(run / "findings.json", {**ledger, "findings": findings})
    shown_table = walk.shell("gatewright ledger status 'the run'").stdout
    assert "the run/findings.quoted.json was derived from another findings.json" in shown_table
    kind, line = walk.status()
    assert (kind, f"--room-root 'the run/../../{tmp_path.name}-room'" in line) == ("next", True)
    walk.next("gatewright ledger quotes")
    walk.next("gatewright ledger plan")
    walk.needed("the run/checker-results")
    plan = load(run / "checker-plan.json")
    (run / "checker-results").mkdir()
    for job in plan["jobs"]:
        result = {
            "checker_plan_id": "of an earlier plan",
            "finding_id": job["finding_id"],
            "objection": "",
            "verdict": "confirmed",
        }
        write(run / "checker-results" / job["result_file"], result)
    assert (
        "0 of 6, 6 for an earlier plan" in walk.shell("gatewright ledger status 'the run'").stdout
    )
    for path in (run / "checker-results").iterdir():
        write(path, {**load(path), "checker_plan_id": plan["plan_id"]})
    walk.next("gatewright ledger merge")
    kind, line = walk.status()
    assert kind == "every step is there as the ledger has it; whether it is true", line
    done = walk.shell(line)
    assert done.returncode == 0, done.stdout + done.stderr


def test_status_finds_the_room_in_the_run_or_beside_it(run, room):
    done = run("ledger", "status", ".", cwd=room)
    assert "--room-root ./room --out ./findings.quoted.json" in done.stdout
    (room / "review").mkdir()
    for name in ("findings.json", "manifest.json", "framework.json"):
        (room / name).rename(room / "review" / name)
    done = run("ledger", "status", "review", cwd=room)
    assert "--room-root ./room --out review/findings.quoted.json" in done.stdout
    done = run("ledger", "status", ".", cwd=room / "review")
    assert "--room-root ./../room --out ./findings.quoted.json" in done.stdout
    done = run("ledger", "status", "review", "--room", "review", cwd=room)
    assert "3 of the 3 documents of review/manifest.json are not in review" in done.stdout
    assert "ROOM" not in done.stdout


def test_quotes_tells_what_differs(run, room):
    done = run("ledger", "quotes", *QUOTES, "--out", "q.json", cwd=room)
    assert done.returncode == 1
    assert "GWL101" in done.stdout
    assert "`may terminate at any time`" in done.stdout
    assert (room / "q.receipt.json").exists()


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
@pytest.mark.parametrize(
    ("extractor", "confirmed"),
    [("auto", "ours"), ("stdlib", "ours"), ("pdftotext", "theirs")],
)
def test_pdftotext_reads_only_when_asked_for(run, room, extractor, confirmed):
    """The same ledger gets the same verdict on every machine."""
    data = pdf([shown(72, 700, "ours alone")])
    (room / "room" / "deal.pdf").write_bytes(data)
    (room / "bin").mkdir()
    program = room / "bin" / "pdftotext"
    program.write_text(
        "#!/bin/sh\n[ \"$1\" = -v ] && echo 'pdftotext version 1.2' >&2 && exit\nprintf 'theirs alone\\n\\f'\n"
    )
    program.chmod(0o755)
    entry = {"id": doc_id(data), "path": "deal.pdf"}
    write(room / "manifest.json", {"documents": [entry], "counts": {}})
    finding = load(room / "findings.json")["findings"][0]
    findings = [
        {**finding, "finding_id": quote, "doc_id": doc_id(data), "quote": quote}
        for quote in ["ours alone", "theirs alone"]
    ]
    write(room / "findings.json", {"framework_version": 2, "findings": findings})
    path = os.pathsep.join((str(room / "bin"), os.environ["PATH"]))
    arguments = [*QUOTES, "--extractor", extractor, "--out", "q.json"]
    run("ledger", "quotes", *arguments, cwd=room, env={"PATH": path})
    found = [
        row["quote"] for row in load(room / "q.json")["findings"] if row["status"] == "present"
    ]
    assert found == [f"{confirmed} alone"]
    readers = load(room / "q.receipt.json")["options"]["readers"]
    assert readers.startswith("pdftotext 1.2" if confirmed == "theirs" else "pdfium ")
    receipt = load(room / "q.receipt.json")
    receipt["options"]["readers"] = "pdfium 1.0.0.0"
    write(room / "q.receipt.json", receipt)
    done = run("ledger", "verify", ".", cwd=room, env={"PATH": path})
    # The chain ends before the checkers here; the reader is told all the same.
    assert done.returncode == 1, done.stdout
    assert f"q.json: its documents were read by pdfium 1.0.0.0, here by {readers}" in done.stdout


def test_strict_rules_count_in_reconcile_alone(run, chain):
    assert run("ledger", *MERGE, cwd=chain).returncode == 0
    ledger = load(chain / "findings.checked.json")
    ledger["findings"][0]["characterization"] = "word " * 31
    write(chain / "findings.checked.json", ledger)
    files = [
        "--manifest",
        "manifest.json",
        "--framework",
        "framework.json",
        "--findings",
        "findings.checked.json",
    ]
    done = run("ledger", "reconcile", *files, cwd=chain)
    assert done.returncode == 1
    assert "GWL112" in done.stdout
    assert "characterization has 31 words, the item allows 30" in done.stdout


def module(shims, name):
    spec = importlib.util.spec_from_file_location(name, shims / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_importable_functions(shims, room):
    readback = module(shims, "render_readback")
    rows = readback.build_readback(framework())["items"]
    assert rows == [
        {
            "lens": "Control",
            "issue_id": "coc",
            "question": "Does it?",
            "evidence_required": "verbatim quote plus section reference",
            "hit_rule": "It does.",
            "materiality": "not requested",
        }
    ]
    assert readback.hit_rule_line({"hit_rule": "R", "exclusions": ["x"]}) == "R does not count: x"
    assert readback.materiality_line({"default": "low", "bands": []}) == "default low"
    plan = module(shims, "build_checker_plan")
    assert (
        plan.canonical_digest({"b": 1, "a": "é"})
        == hashlib.sha256(b'{"a":"\\u00e9","b":1}').hexdigest()
    )
    assert plan.result_name("x") == hashlib.sha256(b"x").hexdigest()[:16] + ".json"
    merge = module(shims, "merge_checker_results")
    assert {"confirmed", "refuted", "unresolved"} == merge.VERDICTS
    assert {"checker_plan_id", "finding_id", "objection", "verdict"} == merge.RESULT_KEYS
    quotes = module(shims, "verify_finding_quotes")
    lease = room / "room" / "lease.txt"
    assert quotes.hash_id(lease) == doc_id(LEASE.encode())
    assert quotes.source_path(room / "room", "lease.txt") == lease
    with pytest.raises(ValueError, match=r"unsafe manifest path: \.\./x"):
        quotes.source_path(room / "room", "../x")
    assert all(callable(each.main) for each in (readback, plan, merge, quotes))


def test_diff_names_changes_and_findings_in_doubt(run, room):
    write(room / "new.json", framework(3, hit_rule="It does, or may."))
    done = run(
        "framework", "diff", "framework.json", "new.json", "--findings", "findings.json", cwd=room
    )
    assert done.returncode == 0, done.stderr
    assert "issue `coc`: hit_rule is `It does, or may.`, it was `It does.`" in done.stdout
    assert done.stdout.count("is in doubt: hit_rule of its issue changed") == 3
    write(room / "same.json", framework(2, disposition="queue"))
    done = run("framework", "diff", "framework.json", "same.json", "--format", "json", cwd=room)
    assert done.returncode == 1
    codes = [found["code"] for found in json.loads(done.stdout)["outcomes"][0]["findings"]]
    assert codes == ["GWD001", "GWD004"]


def test_a_changed_document_is_told_with_both_ids_at_its_entry(run, room):
    old = doc_id((room / "room/lease.txt").read_bytes())
    (room / "room/lease.txt").write_text("other words", encoding="utf-8")
    done = run("ledger", "quotes", *QUOTES, "--out", "q.json", "--format", "json", cwd=room)
    (found,) = json.loads(done.stdout)["outcomes"][0]["findings"]
    new = doc_id(b"other words")
    assert found["message"] == f"`lease.txt` has the id `{new}`, the manifest says `{old}`"
    assert (found["code"], found["at"]["source"]) == ("GWL102", "manifest.json")
    assert (found["at"]["path"], found["at"]["line"]) == ("$.documents[0]", 1)


def test_a_quote_is_pointed_at_where_it_is_to_be_mended_with_the_document_beside_it(run, room):
    text = json.dumps(load(room / "findings.json"), indent=1)
    text = text.replace("shall not assign this Agreement", "shall assign this Agreement")
    (room / "findings.json").write_text(text, encoding="utf-8")
    done = run("ledger", "quotes", *QUOTES, "--out", "q.json", "--format", "json", cwd=room)
    found = json.loads(done.stdout)["outcomes"][0]["findings"][0]
    line = next(n for n, line in enumerate(text.splitlines(), 1) if "shall assign" in line)
    assert (found["at"]["source"], found["at"]["line"]) == ("findings.json", line)
    assert [place["source"] for place in found["related"]] == ["room/lease.txt"]


def test_freeze_never_changes_a_version(run, room):
    done = run("framework", "freeze", "framework.json", "--into", "kept/versions", cwd=room)
    assert (done.returncode, done.stderr) == (0, "")
    assert (room / "kept/versions/framework.v2.json").is_file()
    assert run("framework", "freeze", "framework.json", cwd=room).returncode == 0
    frozen = (room / "framework.v2.json").read_bytes()
    assert frozen == (room / "framework.json").read_bytes()
    assert run("framework", "freeze", "framework.json", cwd=room).returncode == 0
    write(room / "framework.json", framework(2, disposition="queue"))
    done = run("framework", "freeze", "framework.json", cwd=room)
    assert done.returncode == 1
    assert "version 2 is frozen already with other content" in done.stdout
    assert (room / "framework.v2.json").read_bytes() == frozen
    write(room / "framework.json", framework(0))
    done = run("framework", "freeze", "framework.json", cwd=room)
    assert done.returncode == 1
    assert not (room / "framework.v0.json").exists()


@pytest.mark.parametrize("name", ["render_readback", "build_checker_plan", "merge_checker_results"])
def test_recorded_cases(shims, name):
    script = str(shims / f"{name}.py")
    recorded = [case for case in cases(name) if not case["expect"].get("crash")]
    assert len(recorded) > 20
    found = {case["id"]: differences(case, script) for case in recorded}
    assert {case: texts for case, texts in found.items() if texts} == {}


@pytest.mark.parametrize("name", ["build_checker_plan", "merge_checker_results"])
def test_recorded_crashes_are_refusals_of_one_line(shims, tmp_path, name):
    crashes = [case for case in cases(name) if case["expect"].get("crash")]
    assert crashes
    for number, case in enumerate(crashes):
        root = tmp_path / str(number)
        for path, recorded in case["files"].items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content(recorded))
        done = subprocess.run(
            [sys.executable, str(shims / f"{name}.py"), *case["argv"]],
            cwd=root,
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stdout) == (1, ""), case["id"]
        assert len(done.stderr.splitlines()) == 1
        assert any(Path(path).name in done.stderr for path in case["files"])
        assert not (root / case["argv"][-1]).exists()
