"""What somebody who writes a draft, a receipt or an assessment may try: each test says what."""

from __future__ import annotations

import base64
import json
import os
import shutil
import sys
from pathlib import Path

import attestations
import gatewright
import pytest
from assessments import HASH, passing
from draft_builder import Draft

PASS = '{"status": "pass", "violations": []}'


class Site:
    """A clean draft, results of both gates, and the commands that judge and accept it."""

    def __init__(self, folder, run):
        self.folder = folder
        self.command = run
        self.draft = Draft().write(folder / "draft")
        self.gates = []
        for gate in ("mermaid", "doc-emit"):
            (folder / f"{gate}.json").write_text(PASS)
            self.gates += ["--gate-result", f"{gate}={gate}.json"]

    def verdict(self, *options, draft="draft", gates=None, **more):
        gates = self.gates if gates is None else gates
        return self.command(
            "blueprint", "verdict", draft, "--lang", "en", *gates, "--verdict-dir", "v", *options,
            **more,
        )  # fmt: skip

    def accept(self, draft="draft"):
        return self.command("blueprint", "accept", draft, "--verdict-dir", "v")

    def judged(self):
        done = self.verdict()
        assert done.returncode == 0, done.stdout + done.stderr
        assert self.accept().returncode == 0
        return json.loads((self.draft / "sink-status.json").read_text())["draft_hash"]

    def programs(self, body_of_mermaid="sys.exit(1)"):
        """Gate programs that refuse whatever they see."""
        gates = self.folder / "gates"
        gates.mkdir()
        (gates / "mermaid-validate.py").write_text(
            "import sys\nprint('MISSING DIAGRAM TYPE: x (slug=data-model)', file=sys.stderr)\n"
            + body_of_mermaid
        )
        (gates / "doc-emit.py").write_text(
            "import json, sys\nprint(json.dumps({'status': 'fail', 'violations': ['real']}))\n"
            "sys.exit(1)\n"
        )
        return [
            "--gate=mermaid-validate=gates/mermaid-validate.py",
            "--gate=doc-emit=gates/doc-emit.py",
        ]


@pytest.fixture
def site(tmp_path, run):
    return Site(tmp_path, run)


def test_a_sound_draft_is_accepted_and_its_files_are_listed(site):
    name = site.judged()
    listed = json.loads((site.folder / f"v/{name}.files.json").read_text())["files"]
    present = {
        path.relative_to(site.draft).as_posix() for path in site.draft.rglob("*") if path.is_file()
    }
    assert set(listed) == present


def test_a_draft_that_was_emptied_after_the_verdict(site):
    site.judged()
    (site.draft / "blueprint.json").write_text("{}")
    for path in [*site.draft.glob("0*.md"), site.draft / "design-tokens.json"]:
        path.unlink()
    done = site.accept()
    assert (done.returncode, "GWV049" in done.stdout) == (1, True)


def test_a_good_draft_under_the_hash_of_another(site):
    other = Draft().put("pages[0].title", "Another library").write(site.folder / "other")
    shutil.copy(other / "sink-status.json", site.draft)
    done = site.verdict()
    assert (done.returncode, "CL0-STALE" in done.stdout) == (1, True)
    assert not (site.folder / "v").exists()
    assert site.accept("other").returncode == 1


@pytest.mark.parametrize("change", ["replaced", "removed", "added"])
def test_a_file_outside_the_hash_that_changed_after_the_verdict(site, change):
    site.judged()
    victim = next(path for path in sorted(site.draft.rglob("*.png")))
    if change == "replaced":
        victim.write_bytes(victim.read_bytes() + b"x")
    elif change == "removed":
        victim.unlink()
    else:
        (site.draft / "extra.txt").write_text("x")
    done = site.accept()
    assert (done.returncode, "GWV052" in done.stdout) == (1, True)


def test_a_file_that_became_a_link_to_the_same_bytes(site):
    site.judged()
    victim = site.draft / "request-ledger.json"
    victim.rename(site.folder / "moved.json")
    victim.symlink_to(site.folder / "moved.json")
    assert "GWV052" in site.accept().stdout


def test_a_receipt_typed_by_hand(site):
    name = json.loads((site.draft / "sink-status.json").read_text())["draft_hash"]
    receipt = {
        "schema_version": "1.0.0",
        "verdict": "PASS",
        "draft_hash": name,
        "evaluated_at": "t",
        "evaluator": "assign-blueprint-fidelity-evaluator",
        **passing(),
    }
    (site.folder / "v").mkdir()
    (site.folder / f"v/{name}.verdict.json").write_text(json.dumps(receipt))
    done = site.accept()
    assert (done.returncode, "GWV050" in done.stdout) == (1, True)


@pytest.mark.parametrize("file", ["verdict", "assessment", "files"])
def test_a_part_of_the_verdict_that_was_edited(site, file):
    name = site.judged()
    path = site.folder / f"v/{name}.{file}.json"
    if file == "files":
        path.write_text(path.read_text().replace('"1.0.0"', '"1.0.1"'))
    else:
        path.write_text(path.read_text().replace('"reasoned_gaps": ', '"reasoned_gaps": 1'))
    done = site.accept()
    assert (done.returncode, "GWV051" in done.stdout) == (1, True)


def test_a_list_and_a_receipt_without_their_assessment(site):
    name = site.judged()
    (site.folder / f"v/{name}.assessment.json").unlink()
    assert "GWV051" in site.accept().stdout


def test_an_assessment_alone_gives_no_acceptance(site):
    name = json.loads((site.draft / "sink-status.json").read_text())["draft_hash"]
    (site.folder / "a.json").write_text(json.dumps(passing()))
    done = site.verdict("--draft-hash", name, draft="a.json", gates=[])
    assert (done.returncode, "GWV053" in done.stdout) == (0, True)
    assert "GWV050" in site.accept().stdout


def spoiled(part, **members):
    assessment = passing()
    target = assessment
    for key in part.split("."):
        target = target[key]
    target.update(members)
    return json.dumps(assessment)


CONTRADICTIONS = {
    "pass with exit status 1": spoiled("gate_results.mermaid_validate", exit_code=1),
    "pass with a violation": spoiled("gate_results.doc_emit_check_screens", violations=["x"]),
    "nine observed, none in the palette, no orphan": spoiled(
        "recount", observed_count=9, palette_count=0
    ),
    "more orphans than colours": spoiled("recount", orphan_count=9),
}


@pytest.mark.parametrize("what", CONTRADICTIONS)
def test_an_assessment_that_contradicts_itself(site, what):
    (site.folder / "a.json").write_text(CONTRADICTIONS[what])
    done = site.verdict("--draft-hash", HASH, draft="a.json", gates=[])
    assert (done.returncode, "GWV005" in done.stdout) == (1, True)
    assert not (site.folder / "v").exists()


AMBIGUOUS = {
    "orphan_count": ('"orphan_count": 0', '"orphan_count": 9, "orphan_count": 0'),
    "recount": ('"recount"', '"recount": {}, "recount"'),
    "a number too small for a float": ('"silent_gaps": 0', '"silent_gaps": 1e-400'),
}


@pytest.mark.parametrize("what", AMBIGUOUS)
def test_an_assessment_that_two_readers_take_differently(site, what):
    (site.folder / "a.json").write_text(json.dumps(passing()).replace(*AMBIGUOUS[what]))
    done = site.verdict("--draft-hash", HASH, draft="a.json", gates=[])
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot use `a.json`" in done.stderr


def test_a_receipt_with_two_verdicts(site):
    name = site.judged()
    path = site.folder / f"v/{name}.verdict.json"
    path.write_text(
        path.read_text().replace('"verdict": "PASS"', '"verdict": "FAIL", "verdict": "PASS"')
    )
    assert "GWV044" in site.accept().stdout


@pytest.mark.parametrize(
    "status",
    [
        '{"draft_hash": "%s", "sinks": {"local_draft": "failure"}}',
        '{"draft_hash": "%s", "sinks": {"local_draft": true}}',
        '{"draft_hash": "' + "cd" * 32 + '", "draft_hash": "%s"}',
    ],
)
def test_a_sink_status_that_says_something_else(site, status):
    name = site.judged()
    (site.draft / "sink-status.json").write_text(status % name)
    assert "GWV041" in site.accept().stdout
    assert site.verdict().returncode == 2


@pytest.mark.parametrize(
    "text",
    ['{"status": "fail", "status": "pass", "violations": []}'],
)
def test_a_gate_result_with_two_statuses(site, text):
    (site.folder / "doc-emit.json").write_text(text)
    done = site.verdict()
    assert done.returncode == 2
    assert "stands twice" in done.stderr
    assert not (site.folder / "v").exists()


def test_a_readers_findings_that_stand_twice(site):
    (site.folder / "f.json").write_text('{"open_questions": 3, "open_questions": 0}')
    assert site.verdict("--findings", "f.json").returncode == 2


def test_a_blueprint_with_two_screens_members(run, tmp_path):
    (tmp_path / "b.json").write_text(
        '{"screens": [{"color": "#123456"}], "screens": [], "design_tokens": {"palette": []}}'
    )
    done = run("blueprint", "recount", "b.json")
    assert done.returncode == 2
    assert "`$.screens`" in done.stderr


def test_a_draft_whose_gates_never_ran(site):
    done = site.verdict(gates=[])
    assert (done.returncode, done.stdout) == (2, "")
    assert "not run: give --plugin-root" in done.stderr
    assert not (site.folder / "v").exists()


def test_one_gate_of_two_that_never_ran(site):
    done = site.verdict(gates=site.gates[:2])
    assert done.returncode == 2
    assert "doc-emit.py --check-screens not run" in done.stderr


def fake_python(draft):
    folder = draft / "venv/bin"
    folder.mkdir(parents=True)
    fake = folder / "python"
    fake.write_text(
        '#!/bin/sh\ncase "$1" in *doc-emit*) echo \'' + PASS + "';; *) echo OK;; esac\n"
    )
    fake.chmod(0o755)
    return fake


@pytest.mark.skipif(os.name == "nt", reason="needs scripts that run by their first line")
def test_a_draft_that_brings_the_python_of_a_relative_option(site):
    gates = site.programs()
    (site.folder / "venv/bin").mkdir(parents=True)
    (site.folder / "venv/bin/python").symlink_to(sys.executable)
    fake_python(site.draft)
    done = site.verdict("--python", "venv/bin/python", gates=gates)
    assert done.returncode == 1
    assert "mermaid-validate did not pass" in done.stdout or "GWV021" in done.stdout
    assert "GWV022" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="needs scripts that run by their first line")
@pytest.mark.parametrize("way", ["option", "search path"])
def test_a_python_inside_the_draft(site, way):
    gates = site.programs()
    fake = fake_python(site.draft)
    if way == "option":
        done = site.verdict("--python", fake, gates=gates)
    else:
        (fake.parent / "python3").symlink_to("python")
        path = os.pathsep.join(["venv/bin", str(fake.parent), os.environ["PATH"]])
        done = site.verdict(gates=gates, env={"PATH": path})
    assert done.returncode == 1
    assert "GWV022" in done.stdout


@pytest.mark.parametrize("search", ["", os.pathsep + "/opt/anything", ".", "draft"])
def test_a_module_of_the_draft_that_a_gate_imports(site, search):
    gates = site.programs()
    (site.draft / "json.py").write_text(
        "import os, sys\n"
        f"os.write(1, b'OK' if 'mermaid' in sys.argv[0] else b'{PASS}')\n"
        "os._exit(0)\n"
    )
    done = site.verdict(gates=gates, env={"PYTHONPATH": search})
    assert done.returncode == 1
    assert "GWV022" in done.stdout


def test_gates_import_modules_beside_them(site):
    gates = site.programs()
    (site.folder / "gates/beside.py").write_text("RESULT = '" + PASS + "'\n")
    (site.folder / "gates/doc-emit.py").write_text("import beside\nprint(beside.RESULT)\n")
    done = site.verdict(gates=gates)
    assert "GWV022" not in done.stdout
    assert "GWV021" in done.stdout


def test_a_gate_program_inside_the_draft(site):
    site.programs()
    inside = site.draft / "doc-emit.py"
    inside.write_text(f"print('{PASS}')\n")
    gates = ["--gate-result=mermaid=mermaid.json", "--gate=doc-emit=draft/doc-emit.py"]
    done = site.verdict(gates=gates)
    assert "GWV022" in done.stdout


def test_a_gate_that_changes_the_draft(site):
    gates = site.programs("open('05-site-coverage.md', 'a').write('x')\nsys.exit(1)\n")
    done = site.verdict(gates=gates)
    assert (done.returncode, done.stdout) == (2, "")
    assert "`05-site-coverage.md` has other bytes" in done.stderr
    assert not (site.folder / "v").exists()


def test_a_report_over_a_file_of_the_draft(site):
    before = (site.draft / "blueprint.json").read_bytes()
    done = site.verdict("--format", "json", "--output", Path("draft/blueprint.json"))
    assert done.returncode == 2
    assert (site.draft / "blueprint.json").read_bytes() == before


def recount(run, folder, member, palette='[{"canonical_hex8": "#ff0000ff"}]'):
    text = f'{{"screens": [{{"paint": {{{member}}}}}], "design_tokens": {{"palette": {palette}}}}}'
    (folder / "b.json").write_text(text, encoding="utf-8")
    done = run("blueprint", "recount", "b.json", "--format", "json")
    findings = json.loads(done.stdout)["outcomes"][0]["findings"] if done.stdout else []
    return done, [(finding["code"], finding["at"]["path"]) for finding in findings]


@pytest.mark.parametrize(
    "value",
    [
        '"rebeccapurpel"',
        '"#12345"',
        '"rgb(1,2)"',
        '"oklch(0.5 0.1 20);"',
        '"oklch(nonsense)"',
        '"rgba(var(--x), .5)"',
        '"device-cmyk(0 1 1 0)"',
        '{"colorSpace": "srgb", "components": [1, 0, 0]}',
        '{"value": "rebeccapurpel"}',
        "5",
    ],
)
def test_what_stands_in_a_colours_place_and_is_none_is_told_with_its_place(run, tmp_path, value):
    _, findings = recount(run, tmp_path, f'"background_color": {value}')
    place = "$.screens[0].paint.background_color"
    assert any(code == "GWP002" and path.startswith(place) for code, path in findings), findings


@pytest.mark.parametrize(
    "member",
    [
        '"color_scheme": "light"',
        '"background_color": "transparent"',
        '"color": "currentColor"',
        '"color": "#ff000000"',
        '"color_profile": "display-p3"',
        '"border_width_style_color": {"width": "1px", "style": "solid", "color": "#f00"}',
        '"color": {"observation_status": "not_observed", "reason": "r"}',
        '"color": {"canonical_hex8": "#ff0000ff", "original_notation": "var(--x)"}',
        '"color": {"kind": "fact", "value": "#f00", "method": "render"}',
    ],
)
def test_what_is_no_colour_on_purpose_is_not_told(run, tmp_path, member):
    done, findings = recount(run, tmp_path, member)
    assert done.returncode == 0
    assert [code for code, _ in findings if code != "GWP004"] == []


@pytest.mark.parametrize("value", ["hsl(0 100% 50%)", "red", "hwb(0 0% 0%)", "HSL(0,100%,50%)"])
def test_the_same_colour_in_another_notation_is_named(run, tmp_path, value):
    done, _ = recount(run, tmp_path, f'"color": "{value}"')
    assert done.returncode == 1
    assert "it equals palette[0]" in done.stdout


@pytest.mark.parametrize("status", ["[]", "{}", "5", "true"])
def test_a_status_that_is_no_text_stops_the_recount(run, tmp_path, status):
    done, _ = recount(run, tmp_path, f'"observation_status": {status}, "color": "#123456"')
    assert (done.returncode, done.stdout) == (2, "")
    assert "observation_status" in done.stderr


@pytest.fixture
def attested(site):
    """The attestation of the site's draft, and its path."""
    done = site.verdict("--attest")
    assert done.returncode == 0, done.stdout + done.stderr
    name = json.loads((site.draft / "sink-status.json").read_text())["draft_hash"]
    path = site.folder / f"v/{name}.intoto.json"
    assert f"attestation v/{path.name}" in done.stdout
    return path


def test_an_attestation_binds_every_file_to_the_verdict(site, attested):
    statement = attestations.read(attested)
    files = [path for path in site.draft.rglob("*") if path.is_file()]
    assert attestations.digests(statement["subject"]) == {
        path.relative_to(site.draft).as_posix(): attestations.sha256(path) for path in files
    }
    name = attested.name.split(".")[0]
    predicate = statement["predicate"]
    assert predicate["configuration"][0] == {
        "name": "gatewright",
        "uri": f"pkg:pypi/gatewright@{gatewright.__version__}",
    }
    assert attestations.digests(predicate["configuration"]) == {
        receipt: attestations.sha256(site.folder / "v" / receipt)
        for receipt in (f"{name}.verdict.json", f"{name}.assessment.json")
    }
    assert (predicate["result"], predicate["failedTests"]) == ("PASSED", [])
    assert len(predicate["passedTests"]) == 13
    receipt = json.loads((site.folder / f"v/{name}.verdict.json").read_bytes())
    severities = [finding["severity"] for finding in receipt["findings"]]
    assert predicate["gatewright"] == {
        "gate": "blueprint verdict",
        "version": gatewright.__version__,
        "verdict": "PASS",
        "finding_counts": {level: severities.count(level) for level in ("high", "low", "medium")},
        "draft_hash": name,
    }
    done = site.command(
        "blueprint", "accept", "draft", "--verdict-dir", "v", "--attestation", attested
    )
    assert done.returncode == 0, done.stdout
    assert "who signed it is not looked at" in done.stdout
    outcome = gatewright.accept_draft(site.draft, site.folder / "v", attestation=attested)
    assert outcome
    assert outcome.inputs[0]["role"] == "attestation"


def test_an_attestation_of_a_draft_that_fails(site):
    gates = site.programs()
    done = site.verdict("--attest", gates=gates)
    assert done.returncode == 1
    (path,) = (site.folder / "v").glob("*.intoto.json")
    predicate = attestations.read(path)["predicate"]
    assert (predicate["result"], predicate["gatewright"]["verdict"]) == ("FAILED", "FAIL")
    assert {"GWV021", "GWV022"} <= set(predicate["failedTests"])
    assert not set(predicate["failedTests"]) & set(predicate["passedTests"])


def test_a_signed_attestation_is_read_in_its_envelope(site, attested):
    signed = {
        "payloadType": "application/vnd.in-toto+json",
        "payload": base64.b64encode(attested.read_bytes()).decode(),
        "signatures": [{"sig": "MEUC"}],
    }
    for document in (signed, {"mediaType": "bundle", "dsseEnvelope": signed}):
        path = site.folder / "signed.json"
        path.write_text(json.dumps(document))
        assert gatewright.accept_draft(site.draft, site.folder / "v", attestation=path)


def edited(statement, place, value):
    *parents, last = place
    target = statement
    for key in parents:
        target = target[key]
    target[last] = value
    return statement


DISAGREEMENTS = {
    "another type": (["_type"], "https://in-toto.io/Statement/v0.1", "$._type"),
    "another predicate": (["predicateType"], "https://example.com/x", "$.predicateType"),
    "another result": (["predicate", "result"], "FAILED", "$.predicate.result"),
    "a rule left out": (["predicate", "passedTests"], [], "$.predicate.passedTests"),
    "a rule broken": (["predicate", "failedTests"], ["GWV021"], "$.predicate.failedTests"),
    "no receipt": (["predicate", "configuration"], [], "$.predicate.configuration"),
    "another receipt": (
        ["predicate", "configuration", 1, "digest", "sha256"],
        "0" * 64,
        "$.predicate.configuration[1]",
    ),
    "another gate": (["predicate", "gatewright", "gate"], "x", "$.predicate.gatewright.gate"),
    "another verdict": (
        ["predicate", "gatewright", "verdict"],
        "FAIL",
        "$.predicate.gatewright.verdict",
    ),
    "another count": (
        ["predicate", "gatewright", "finding_counts"],
        {"high": 1},
        "$.predicate.gatewright.finding_counts",
    ),
    "another hash": (
        ["predicate", "gatewright", "draft_hash"],
        "0" * 64,
        "$.predicate.gatewright.draft_hash",
    ),
    "another digest of a file": (
        ["subject", 0, "digest", "sha256"],
        "0" * 64,
        "$.subject[0]",
    ),
    "no digest of a file": (["subject", 0, "digest"], {"md5": "0"}, "$.subject[0]"),
    "a file that is not there": (["subject", 0, "name"], "other.json", "$.subject[0]"),
    "a file fewer": (["subject"], [], "$.subject"),
}


@pytest.mark.parametrize("what", DISAGREEMENTS)
def test_an_attestation_that_says_something_else(site, attested, what):
    place, value, told = DISAGREEMENTS[what]
    statement = edited(json.loads(attested.read_bytes()), place, value)
    attested.write_text(json.dumps(statement))
    outcome = gatewright.accept_draft(site.draft, site.folder / "v", attestation=attested)
    assert not outcome
    assert {finding.code for finding in outcome.findings} == {"GWV054"}
    assert told in {finding.at.path for finding in outcome.findings}
    assert outcome.facts["accepted"] is False


def test_all_disagreements_are_told_at_once(site, attested):
    statement = json.loads(attested.read_bytes())
    for what in ("another result", "another verdict", "another digest of a file"):
        statement = edited(statement, *DISAGREEMENTS[what][:2])
    attested.write_text(json.dumps(statement))
    outcome = gatewright.accept_draft(site.draft, site.folder / "v", attestation=attested)
    assert [finding.at.path for finding in outcome.findings] == [
        "$.subject[0]",
        "$.predicate.result",
        "$.predicate.gatewright.verdict",
    ]


def test_an_attestation_of_the_draft_before_it_changed(site, attested):
    victim = next(path for path in sorted(site.draft.rglob("*.png")))
    victim.write_bytes(victim.read_bytes() + b"x")
    outcome = gatewright.accept_draft(site.draft, site.folder / "v", attestation=attested)
    assert [finding.code for finding in outcome.findings] == ["GWV052", "GWV054"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "cannot read attestation `a.json`"),
        (b"{}", "no statement about a test result: missing field `_type`"),
        (b'{"_type": "x", "_type": "y"}', "stands twice"),
        (b'{"payloadType": "text/plain", "payload": ""}', "payloadType of the envelope"),
        (
            b'{"payloadType": "application/vnd.in-toto+json", "payload": "%"}',
            "the payload of the envelope is no text in base64",
        ),
        (None, "cannot read attestation `a.json`"),
    ],
)
def test_what_is_no_attestation(site, content, words):
    site.judged()
    if content is not None:
        (site.folder / "a.json").write_bytes(content)
    done = site.command(
        "blueprint", "accept", "draft", "--verdict-dir", "v", "--attestation", "a.json"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_cannot_be_attested_is_refused_before_anything_is_written(site):
    (site.draft / "linked.json").symlink_to(site.folder / "mermaid.json")
    done = site.verdict("--attest")
    assert done.returncode == 2
    assert "cannot use `draft/linked.json`: it is a link" in done.stderr
    assert not (site.folder / "v").exists()
    (site.folder / "a.json").write_text(json.dumps(passing()))
    done = site.verdict("--draft-hash", HASH, "--attest", draft="a.json", gates=[])
    assert done.returncode == 2
    assert "--attest needs the draft directory" in done.stderr
    assert not (site.folder / "v").exists()


def test_a_draft_whose_gates_never_ran_has_no_assessment(site):
    done = site.command("blueprint", "assess", "draft", "--out", "a.json", env={"PLUGIN_ROOT": ""})
    assert done.returncode == 2
    assert "not run: give --plugin-root" in done.stderr
    assert not (site.folder / "a.json").exists()


def test_a_colour_that_nobody_can_read_is_told_by_assess_and_verdict(site):
    path = site.draft / "blueprint.json"
    blueprint = json.loads(path.read_text())
    blueprint["screens"][0]["paint"] = {"background_color": "rebeccapurpel"}
    path.write_text(json.dumps(blueprint))
    for words in (["assess"], ["assess", "--format", "json"]):
        done = site.command("blueprint", *words, "draft", "--lang", "en", *site.gates)
        assert "GWP002" in done.stdout + done.stderr
        assert "rebeccapurpel" in done.stdout + done.stderr


@pytest.mark.parametrize("name", ["blueprint.json", "new.json", "chapters/new.json"])
def test_a_report_into_the_draft(site, name):
    before = {path: path.read_bytes() for path in site.draft.rglob("*") if path.is_file()}
    for words in (["verdict", "draft", *site.gates, "--verdict-dir", "v"], ["accept", "draft"]):
        done = site.command("blueprint", *words, "--output", f"draft/{name}")
        assert done.returncode == 2
        assert "only read" in done.stderr or "is an input" in done.stderr
    after = {path: path.read_bytes() for path in site.draft.rglob("*") if path.is_file()}
    assert after == before
