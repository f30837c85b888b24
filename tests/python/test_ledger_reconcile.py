"""``gatewright ledger reconcile`` and ``gatewright.reconcile``: findings, places, strictness."""

from __future__ import annotations

import copy
import json
import os
import pty
import sys
import threading

import gatewright
import pytest
from gatewright import GatewrightError, Outcome, _native, reconcile
from test_reconcile_counts import clean_run, document, finding, large_ledger, present


def write(folder, run):
    for name, value in run.items():
        text = value if isinstance(value, str) else json.dumps(value, indent=1)
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return [word for name in run for word in (f"--{name}", f"{name}.json")]


def spoiled(change):
    run = clean_run()
    del run["families"]
    change(run)
    return run


def set_finding(index, **more):
    def change(run):
        run["findings"]["findings"][index].update(more)

    return change


def drop_finding(index, *keys):
    def change(run):
        target = run["findings"]["findings"]
        if not keys:
            del target[index]
        for key in keys:
            del target[index][key]

    return change


def put(name, key, value):
    def change(run):
        run.setdefault(name, {})[key] = value

    return change


def control(run):
    run["manifest"]["documents"].append(document("ctl", review_role="runner-control"))


def both(*changes):
    def change(run):
        for one in changes:
            one(run)

    return change


def families(*entries):
    return put("families", "families", list(entries))


def family(name, *members):
    return {"family_id": name, "members": [{"id": member} for member in members]}


def unreadable(run):
    run["manifest"]["documents"].append(document("u", "encrypted"))


def append(*entries):
    return lambda run: run["findings"]["findings"].extend(entries)


#: Rule -> what is wrong, and the places that must be named.
RULES = {
    "GWC001": (both(control, families(family("F", "ctl"))), "$.families[0].members"),
    "GWC002": (put("findings", "framework_version", 2), "$.framework_version"),
    "GWC003": (put("findings", "parked", [{"doc_id": "x"}]), "$.parked[0].doc_id"),
    "GWC004": (both(control, put("findings", "parked", [{"doc_id": "ctl"}])), "$.parked[0].doc_id"),
    "GWC005": (set_finding(1, finding_id="i1/a"), "$.findings[1].finding_id"),
    "GWC006": (append(finding("i1", "x")), "$.findings[9].doc_id"),
    "GWC007": (both(control, append(finding("i1", "ctl"))), "$.findings[9].doc_id"),
    "GWC008": (append(finding("i1", "a", finding_id="n", status="no")), "$.findings[9].status"),
    "GWC009": (set_finding(0, quote=" "), "$.findings[0].quote"),
    "GWC010": (set_finding(0, section=None), "$.findings[0].section"),
    "GWC011": (set_finding(0, quote_verification={}), "$.findings[0].quote_verification"),
    "GWC012": (drop_finding(0, "verification"), "$.findings[0].verification"),
    "GWC013": (append(finding("i1", "a", finding_id="n", unit="")), "$.findings[9].unit_id"),
    "GWC014": (both(drop_finding(0), set_finding(0, unit_id="c")), "$.findings[0].unit_id"),
    "GWC015": (append(finding("i1", "a", "x", finding_id="n")), "$.findings[9].lens_id"),
    "GWC016": (append(finding("x", "a")), "$.findings[9].issue_id"),
    "GWC017": (append(finding("i1", "a", "l2", finding_id="n")), "$.findings[9].lens_id"),
    "GWC018": (append(finding("i1", "a", finding_id="n")), "$.findings[9].unit_id"),
    "GWC019": (drop_finding(8), "$.lenses[1].items[0].issue_id"),
    "GWC020": (both(unreadable, append(finding("i1", "u"))), "$.lenses[0].items[0].issue_id"),
    "GWC021": (put("findings", "parked", [{"doc_id": "a"}]), "$.lenses[0].items[0].issue_id"),
    "GWC022": (drop_finding(0, "finding_id"), "$.findings[0]"),
    "GWC023": (
        both(unreadable, put("findings", "parked", [{"doc_id": "u"}])),
        "$.parked[0].doc_id",
    ),
    "GWC024": (lambda run: run["manifest"]["documents"].append(document("a")), "$.documents[3].id"),
    "GWC025": (families(family("a", "a", "x")), "$.families[0].members[1].id"),
    "GWC026": (families(family("a", "a"), family("a", "a")), "$.families[1].members[0].id"),
    "GWC027": (both(put("framework", "lenses", []), put("findings", "findings", [])), "$.lenses"),
}
#: Rules of the umbrella alone: the drop-in passes what breaks only them.
STRICT = {"GWC022", "GWC024", "GWC025", "GWC026", "GWC027"}


def test_every_rule_of_the_gate_has_a_case(run):
    listed = json.loads(run("explain", "--format", "json").stdout)["rules"]
    assert [rule["code"] for rule in listed if rule["code"].startswith("GWC")] == sorted(RULES)


def test_a_clean_run_passes(run, tmp_path):
    arguments = write(tmp_path, spoiled(lambda _: None))
    done = run("ledger", "reconcile", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "ledger reconcile passed: 3 reviewed + 0 parked + 0 unreadable = 3 units; "
        "3 issues x 3 reviewed units = 9 expected results, 9 received; "
        "0 issues not covered exactly; on trust: 3 quote receipts and 3 checker receipts\n"
    )


@pytest.mark.parametrize("code", RULES)
def test_each_rule_is_found_at_its_place(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    change, path = RULES[code]
    made = spoiled(change)
    write(tmp_path, made)
    outcome = reconcile(**{name: f"{name}.json" for name in made})
    assert outcome.verdict == "failed"
    assert not outcome.passed
    hits = [finding for finding in outcome.findings if finding.code == code]
    assert hits
    hit = hits[0]
    assert hit.at.path == path
    assert hit.remedy
    assert hit.at.line > 0
    text = (tmp_path / hit.at.source).read_text()
    line = text.splitlines()[hit.at.line - 1]
    value = text.encode()[hit.at.byte_start : hit.at.byte_end].decode()
    assert line[hit.at.column - 1 :].startswith(value.splitlines()[0])
    assert json.loads(value) is not value
    # The same on loaded documents, without lines.
    loaded = reconcile(**copy.deepcopy(made))
    assert [(f.code, f.message, f.at.path) for f in loaded.findings] == [
        (f.code, f.message, f.at.path) for f in outcome.findings
    ]
    assert {finding.at.line for finding in loaded.findings} == {None}


@pytest.mark.parametrize("code", RULES)
def test_what_only_the_umbrella_holds_against_a_run(code):
    from gatewright.scripts.reconcile_counts import reconcile as recorded

    made = spoiled(RULES[code][0])
    codes = {finding.code for finding in reconcile(**made).findings}
    assert recorded(**made)["ok"] == (codes <= STRICT)


def test_the_json_report_and_to_dict_agree(run, tmp_path):
    made = spoiled(set_finding(0, quote=""))
    arguments = write(tmp_path, made)
    done = run("ledger", "reconcile", "--format", "json", *arguments)
    assert done.returncode == 1
    report = json.loads(done.stdout)["outcomes"][0]
    paths = {name: str(tmp_path / f"{name}.json") for name in made}
    outcome = reconcile(**paths)
    for entry in outcome.inputs:
        assert entry["sha256"] in {given["sha256"] for given in report["inputs"]}
    assert Outcome.from_dict(outcome.to_dict()) == outcome
    assert outcome.to_dict()["facts"] == report["facts"]
    assert report["facts"]["expected_results"] == 9
    matrix = report["details"][0]
    assert matrix["kind"] == "matrix"
    assert (matrix["rows"], matrix["columns"]) == (["i1", "i2", "i3"], ["a", "b", "c"])
    names = [state["name"] for state in matrix["states"]]
    assert [[names[cell] for cell in row] for row in matrix["cells"]] == [
        ["present", "absent", "absent"]
    ] * 3


def test_the_matrix_tells_every_state():
    made = clean_run(docs=("a", "b", "c", "d"))
    del made["families"]
    made["manifest"]["documents"] += [document("u", "corrupt"), document("v", None)]
    made["findings"]["parked"] = [{"doc_id": "c"}, {"doc_id": "d"}]
    made["findings"]["findings"] = [
        finding("i1", "a", **present()),
        finding("i1", "b", status="unresolved"),
        finding("i1", "c"),
        finding("i1", "u"),
    ]
    matrix = reconcile(**made).details[0]
    names = [state["name"] for state in matrix["states"]]
    assert [names[cell] for cell in matrix["cells"][0]] == [
        "present",
        "unresolved",
        "found though parked",
        "parked",
        "found though unreadable",
        "unreadable",
    ]
    assert [names[cell] for cell in matrix["cells"][1]][:2] == ["missing", "missing"]


def test_what_cannot_be_read_or_used_is_status_2(run, tmp_path):
    arguments = write(tmp_path, spoiled(lambda _: None))
    done = run("ledger", "reconcile", *arguments[:-1], "nope.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == ("gatewright: error: cannot read framework `nope.json`: no such file\n")
    write(tmp_path, {"findings": {"findings": [{"finding_id": []}]}})
    done = run("ledger", "reconcile", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "gatewright: error: cannot use `findings.json` at $.findings[0].finding_id: "
        "a list cannot be an id\n"
    )


#: Breaks the rules of the written contract alone: the counting has nothing against it.
BEYOND = {
    "GWL111": set_finding(0, finding_id="of-its-own"),
    "GWL112": set_finding(0, characterization="far more words than the item allows"),
    "GWL115": set_finding(0, quote_verification={"status": "confirmed", "checker": "somebody"}),
    "GWL116": set_finding(0, verification={"status": "confirmed", "checker": "somebody"}),
}


def beyond():
    def change(run):
        for one in BEYOND.values():
            one(run)
        item = run["framework"]["lenses"][0]["items"][0]
        item["answer_shape"] = {"characterization_max_words": 3}

    return spoiled(change)


@pytest.mark.parametrize("piped", ["findings", "framework", "manifest"])
def test_a_pipe_is_judged_as_the_file_is(run, tmp_path, piped):
    arguments = write(tmp_path, beyond())
    want = json.loads(run("ledger", "reconcile", *arguments, "--format", "json").stdout)
    (want,) = want["outcomes"]
    assert set(BEYOND) <= {finding["code"] for finding in want["findings"]}
    content = (tmp_path / f"{piped}.json").read_bytes()
    (tmp_path / f"{piped}.json").unlink()
    os.mkfifo(tmp_path / f"{piped}.json")
    writer = threading.Thread(target=(tmp_path / f"{piped}.json").write_bytes, args=(content,))
    writer.start()
    done = run("ledger", "reconcile", *arguments, "--format", "json")
    writer.join()
    (got,) = json.loads(done.stdout)["outcomes"]
    assert done.returncode == 1
    assert (got["findings"], got["inputs"]) == (want["findings"], want["inputs"])


def test_loaded_documents_are_judged_as_files_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = beyond()
    write(tmp_path, made)
    files = reconcile(**{name: f"{name}.json" for name in made})
    loaded = reconcile(**made)

    def told(outcome):
        return [(one.code, one.message, one.at.path, one.severity) for one in outcome.findings]

    assert set(BEYOND) <= {code for code, *_ in told(files)}
    assert told(loaded) == told(files)
    assert loaded.verdict == files.verdict == "failed"
    assert (loaded.facts, loaded.summary) == (files.facts, files.summary)
    assert all(one.at.line is not None for one in files.findings)
    assert all(one.at.line is None for one in loaded.findings)


@pytest.mark.parametrize(
    ("content", "place", "words"),
    [
        (None, "", "no such file"),
        ("folder", "", "it is a folder, not a file"),
        (
            b"\xef\xbb\xbf{}",
            ":1:1",
            "it begins with a byte order mark; save it as UTF-8 without one",
        ),
        (b"{\n\xff}", "", "it is not UTF-8: byte 2 on line 2"),
        (b"[1,]", ":1:3", "Illegal trailing comma before end of array"),
        (b'{"findings": [', ":1:15", "Expecting value"),
    ],
)
def test_every_input_is_refused_in_the_same_words(run, tmp_path, content, place, words):
    arguments = write(tmp_path, spoiled(lambda _: None))
    (tmp_path / "bad.json").unlink(missing_ok=True)
    if content == "folder":
        (tmp_path / "bad.json").mkdir()
    elif content is not None:
        (tmp_path / "bad.json").write_bytes(content)
    for at, name in ((1, "manifest"), (3, "findings"), (5, "framework")):
        given = [*arguments]
        given[at] = "bad.json"
        done = run("ledger", "reconcile", *given)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"gatewright: error: cannot read {name} `bad.json{place}`: {words}\n"
    for command, name in ((("framework", "check"), "framework"),):
        done = run(*command, "bad.json")
        assert done.stderr == f"gatewright: error: cannot read {name} `bad.json{place}`: {words}\n"


def test_errors_carry_their_parts(tmp_path):
    made = clean_run()
    with pytest.raises(GatewrightError) as caught:
        reconcile({"documents": 5, "counts": 0}, made["findings"], made["framework"])
    assert (caught.value.source, caught.value.path) == ("manifest", "$.documents")
    assert caught.value.message == "a number is not a list"
    with pytest.raises(GatewrightError, match="cannot read manifest"):
        reconcile(tmp_path / "no", tmp_path / "no", tmp_path / "no")
    with pytest.raises(TypeError, match="either paths or loaded documents"):
        reconcile({}, "findings.json", {})


def test_outcomes_are_frozen():
    outcome = reconcile(**spoiled(lambda _: None))
    assert outcome.passed
    with pytest.raises(AttributeError):
        outcome.verdict = "failed"


def test_progress_is_drawn_on_a_terminal_alone(run, tmp_path):
    made = spoiled(lambda _: None)
    arguments = write(tmp_path, {**made, "findings": large_ledger()})
    assert run("ledger", "reconcile", *arguments).stderr == ""
    # A pipe is slow to fill, and standard error is a terminal.
    (tmp_path / "findings.json").unlink()
    os.mkfifo(tmp_path / "findings.json")
    leader, follower = pty.openpty()
    import select
    import subprocess

    process = subprocess.Popen(
        [sys.executable, "-m", "gatewright", "ledger", "reconcile", *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=follower,
    )
    os.close(follower)
    with (tmp_path / "findings.json").open("wb") as pipe:
        pipe.write(b'{"findings": ')
        # Bytes come one by one until the bar is there.
        drawn = ""
        while "findings.json [" not in drawn:
            pipe.write(b" ")
            pipe.flush()
            if select.select([leader], [], [], 0.05)[0]:
                drawn += os.read(leader, 100_000).decode()
        pipe.write(b'[], "framework_version": 1}')
    out = process.communicate(timeout=60)[0]
    drawn += os.read(leader, 100_000).decode()
    os.close(leader)
    assert process.returncode == 1
    assert b"ledger reconcile FAILED" in out
    assert "findings.json [" in drawn
    assert drawn.endswith("\r\x1b[K")


def test_public_names():
    assert gatewright.reconcile is reconcile
    assert _native.counts_reviewable() == ["native", "scanned"]


def found_in(run, tmp_path, change):
    """Findings of a run that ``change`` spoils, as data."""
    done = run("ledger", "reconcile", *write(tmp_path, spoiled(change)), "--format", "json")
    (outcome,) = json.loads(done.stdout)["outcomes"]
    return outcome


@pytest.mark.parametrize("verdict", ["refuted", "unresolved"])
def test_an_objection_is_shown_and_the_remedy_is_not_to_ask_again(run, tmp_path, verdict):
    receipt = {"status": verdict, "checker": "independent", "objection": "clause 9 carves it out"}
    outcome = found_in(run, tmp_path, set_finding(0, verification=receipt))
    (found,) = [found for found in outcome["findings"] if found["code"] == "GWC012"]
    assert "although its checker objects: `clause 9 carves it out`" in found["message"]
    assert found["remedy"].startswith("change the finding")
    assert "merging the same result again changes nothing" in found["remedy"]
    # Without an objection nobody has looked yet.
    outcome = found_in(run, tmp_path, set_finding(0, verification={"status": verdict}))
    (found,) = [found for found in outcome["findings"] if found["code"] == "GWC012"]
    assert "run the independent check" in found["remedy"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (set_finding(0, status="refuted"), "GWC008"),
        (set_finding(0, unit_id=None), "GWC013"),
        (set_finding(0, unit_id="c"), "GWC014"),
        (set_finding(0, lens_id="x"), "GWC015"),
        (set_finding(0, lens_id="l2"), "GWC017"),
    ],
)
def test_a_refused_finding_is_not_called_missing_as_well(run, tmp_path, change, code):
    outcome = found_in(run, tmp_path, change)
    codes = {found["code"] for found in outcome["findings"]}
    assert code in codes
    assert "GWC019" not in codes
    assert outcome["verdict"] == "failed"
    # The count is what it was: the unit has no result.
    assert outcome["facts"]["results"] <= outcome["facts"]["expected_results"]
    # Another unit without any finding is missing, and alone.
    outcome = found_in(run, tmp_path, both(change, drop_finding(3)))
    (missing,) = [found for found in outcome["findings"] if found["code"] == "GWC019"]
    assert "no result for 1 of 3 reviewable units: `b`" in missing["message"]


def test_units_are_named_by_the_path_of_the_manifest(run, tmp_path):
    def change(run):
        for entry, path in zip(run["manifest"]["documents"], ("a.txt", "leases/b.txt", None)):
            if path:
                entry["path"] = path
        del run["findings"]["findings"][3]
        run["findings"]["parked"] = [{"doc_id": "a"}]

    outcome = found_in(run, tmp_path, change)
    messages = "\n".join(found["message"] for found in outcome["findings"])
    assert "no result for 1 of 3 reviewable units: `leases/b.txt` (b)" in messages
    assert "has results for parked units: `a.txt` (a)" in messages
    (matrix,) = [detail for detail in outcome["details"] if detail["kind"] == "matrix"]
    assert matrix["columns"] == ["a.txt", "leases/b.txt", "c"]


def test_fix_mends_ids_and_copies_and_nothing_that_decides(run, tmp_path):
    def change(run):
        findings = run["findings"]["findings"]
        findings[3]["finding_id"] = "first"
        del findings[4]["finding_id"]
        findings[0]["finding_id"] = "checked already"
        findings.append(copy.deepcopy(findings[8]))

    arguments = write(tmp_path, spoiled(change))
    before = (tmp_path / "findings.json").read_text(encoding="utf-8")
    done = run("ledger", "reconcile", *arguments, "--fix")
    assert "id `first` is now `i1/b`" in done.stderr
    assert "id `<no id>` is now `i2/b`" in done.stderr
    assert "left the id `checked already`: a checker receipt was given to it" in done.stderr
    assert "dropped `i3/c`, a copy of $.findings[8]" in done.stderr
    after = json.loads((tmp_path / "findings.json").read_text(encoding="utf-8"))["findings"]
    wanted = json.loads(before)["findings"][:9]
    wanted[3]["finding_id"], wanted[4]["finding_id"] = "i1/b", "i2/b"
    assert after == wanted
    # What is left is told as before, and the second time there is nothing to do.
    assert (done.returncode, done.stdout.count("GWL111")) == (1, 1)
    text = (tmp_path / "findings.json").read_text(encoding="utf-8")
    done = run("check", "--fix", "findings.json")
    assert "left the id" in done.stderr
    assert "is now" not in done.stderr
    assert (tmp_path / "findings.json").read_text(encoding="utf-8") == text


def test_fix_leaves_what_it_cannot_read_and_a_run_never_mends(run, tmp_path):
    arguments = write(tmp_path, spoiled(lambda _: None))
    (tmp_path / "findings.json").write_text('{"findings": [', encoding="utf-8")
    done = run("ledger", "reconcile", *arguments, "--fix")
    assert (done.returncode, done.stdout) == (2, "")
    assert "`findings.json:1:15`" in done.stderr
    assert (tmp_path / "findings.json").read_text(encoding="utf-8") == '{"findings": ['
    configuration = '[[gate]]\ngate = "ledger reconcile"\noptions = { fix = true }\n'
    (tmp_path / "gatewright.toml").write_text(configuration, encoding="utf-8")
    done = run("run")
    assert done.returncode == 2
    assert "`ledger reconcile` has no option `fix`" in done.stderr
