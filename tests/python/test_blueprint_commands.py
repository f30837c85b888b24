"""``gatewright blueprint recount``, ``verdict``, ``accept``, and the functions of these gates."""

from __future__ import annotations

import json

import gatewright
import pytest
from assessments import HASH, passing
from draft_builder import Draft

RECEIPT = f"{HASH}.verdict.json"

BLUEPRINT = """{
  "screens": [
    {"viewport": {"color_scheme": "light"},
     "hover": {"background_color": "#102030"},
     "paint": {"background_image": "linear-gradient(#102030, #abcdef)", "color": "var(--x)"}}
  ],
  "design_tokens": {"palette": [{"canonical_hex8": "#abcdefff"}]}
}
"""


def report(done):
    (outcome,) = json.loads(done.stdout)["outcomes"]
    return outcome


def codes(outcome):
    return [finding["code"] for finding in outcome["findings"]]


class TestRecount:
    @pytest.fixture
    def recount(self, run, tmp_path):
        def call(*arguments, text=BLUEPRINT):
            (tmp_path / "b.json").write_text(text, encoding="utf-8")
            return run("--format", "json", "blueprint", "recount", "b.json", *arguments)

        return call

    def test_the_corrected_count_decides_and_the_recorded_stands_beside(self, recount):
        done = recount()
        assert done.returncode == 1
        outcome = report(done)
        assert codes(outcome) == ["GWP001", "GWP002"]
        deciding, beside = outcome["facts"]["deciding"], outcome["facts"]["beside"]
        assert (deciding["count"], deciding["orphans"]) == ("corrected", ["#102030ff"])
        assert (beside["count"], beside["orphans"]) == (
            "recorded",
            ["#102030ff", "light", "var(--x)"],
        )
        assert outcome["summary"] == (
            "corrected count: 1 orphan of 2 observed, palette 1 (recorded count: 3 of 4, palette 1)"
        )
        at = outcome["findings"][0]["at"]
        assert (at["path"], at["line"], at["column"]) == (
            "$.screens[0].hover.background_color",
            4,
            36,
        )

    def test_the_recorded_count_can_decide(self, recount):
        outcome = report(recount("--recount", "recorded"))
        assert codes(outcome) == ["GWP001"] * 3
        assert outcome["facts"]["beside"]["count"] == "corrected"

    def test_why_lists_every_place_in_both_counts(self, recount):
        outcome = report(recount("--why"))
        assert codes(outcome) == ["GWP001", "GWP002", "GWP003", "GWP003"]
        first = outcome["findings"][0]
        places = [first["at"]["path"], *(place["path"] for place in first["related"])]
        assert places == [
            "$.screens[0].hover.background_color",
            "$.screens[0].paint.background_image",
        ]
        assert "2 places in the corrected count, 2 in the recorded count" in first["message"]
        light = outcome["findings"][2]
        assert light["severity"] == "note"
        assert "`light` is an orphan of the recorded count only" in light["message"]
        assert light["at"]["path"] == "$.screens[0].viewport.color_scheme"

    def test_no_orphan_passes_and_nothing_observed_is_said(self, recount):
        done = recount(
            text='{"screens": [{"fill": "#123"}], "design_tokens": {"palette": ["#123"]}}'
        )
        assert (done.returncode, codes(report(done))) == (0, [])
        done = recount(text='{"screens": []}')
        assert (done.returncode, codes(report(done))) == (0, ["GWP004"])

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("[]", "the root is no object"),
            ('{"screens": 5}', "$.screens"),
            ('{"design_tokens": [1]}', "$.design_tokens"),
            ("{", "Expecting property name"),
        ],
    )
    def test_what_cannot_be_counted_is_one_line_and_status_two(self, recount, text, words):
        done = recount(text=text)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
        assert "b.json" in done.stderr
        assert words in done.stderr

    def test_the_other_count_never_keeps_this_one_from_deciding(self, recount):
        text = '{"screens": [{"fill": "#123"}], "design_tokens": {"palette": 5}}'
        outcome = report(recount(text=text))
        assert codes(outcome) == ["GWP001"]
        assert "palette" in outcome["facts"]["beside"]["unusable"]

    def test_swatches(self, recount):
        (palette,) = report(recount())["details"]
        assert [swatch["color"] for swatch in palette["swatches"]] == ["#102030ff", "#abcdefff"]
        assert [swatch["is_in_palette"] for swatch in palette["swatches"]] == [False, True]

    def test_the_function(self, tmp_path):
        outcome = gatewright.recount_palette(json.loads(BLUEPRINT))
        assert [finding.code for finding in outcome.findings] == ["GWP001", "GWP002"]
        assert outcome.findings[0].at.line is None
        path = tmp_path / "b.json"
        path.write_text(BLUEPRINT)
        assert gatewright.recount_palette(path, count="recorded").findings[0].at.line == 4
        with pytest.raises(ValueError, match="recorded or corrected"):
            gatewright.recount_palette({}, count="other")
        with pytest.raises(gatewright.GatewrightError) as caught:
            gatewright.recount_palette({"screens": 5})
        assert caught.value.path == "$.screens"


class TestVerdict:
    @pytest.fixture
    def verdict(self, run, tmp_path):
        def call(assessment, *arguments, env=None):
            (tmp_path / "a.json").write_text(json.dumps(assessment, indent=1), encoding="utf-8")
            words = ("--format", "json", "blueprint", "verdict", "a.json", "--draft-hash", HASH)
            return run(*words, *arguments, env=env or {})

        return call

    def test_a_pass_writes_the_receipt(self, verdict, tmp_path):
        done = verdict(passing(), "--evaluated-at", "now")
        outcome = report(done)
        assert (done.returncode, outcome["facts"]["verdict"]) == (0, "PASS")
        receipt = json.loads((tmp_path / ".esb-verdict" / RECEIPT).read_text())
        assert (receipt["verdict"], receipt["evaluated_at"]) == ("PASS", "now")
        (conditions,) = outcome["details"]
        assert [entry["state"] for entry in conditions["conditions"]] == ["met"] * 13

    def test_a_fail_writes_the_receipt_and_places_each_reason(self, verdict, tmp_path):
        assessment = passing()
        assessment["recount"]["orphan_count"] = 2
        assessment["reconstruction"]["scaffold_derivable"] = False
        done = verdict(assessment, env={"LC_ALL": "C"})
        outcome = report(done)
        assert (done.returncode, codes(outcome)) == (1, ["GWV023", "GWV033"])
        at = outcome["findings"][0]["at"]
        assert at["path"] == "$.recount.orphan_count"
        lines = (tmp_path / "a.json").read_text().splitlines()
        assert lines[at["line"] - 1][at["column"] - 1] == "2"
        assert json.loads((tmp_path / ".esb-verdict" / RECEIPT).read_text())["verdict"] == "FAIL"

    def test_reasons_in_either_language(self, verdict):
        assessment = passing()
        assessment["recount"]["orphan_count"] = 2
        message = report(verdict(assessment, "--lang", "ja"))["findings"][0]["message"]
        assert message == "非共有再計数で palette 孤児 2 件検出"
        message = report(verdict(assessment, env={"LC_ALL": "ja_JP.UTF-8"}))["findings"][0][
            "message"
        ]
        assert message.startswith("非共有再計数")
        message = report(verdict(assessment, "--lang", "en"))["findings"][0]["message"]
        assert message == "the recount found `2` palette orphans"

    @pytest.mark.parametrize("flags", [[], ["--strict"], ["--no-strict", "--strict"]])
    def test_an_invalid_receipt_is_refused_with_places(self, verdict, tmp_path, flags):
        assessment = passing()
        assessment["findings"][0]["severity"] = "critical"
        del assessment["recount"]["palette_count"]
        done = verdict(assessment, *flags)
        outcome = report(done)
        assert (done.returncode, codes(outcome)) == (1, ["GWV004", "GWV001"])
        assert outcome["facts"] == {"verdict": None, "receipt_path": None}
        assert outcome["summary"].startswith("refused, no receipt written: 2 values")
        assert outcome["findings"][0]["at"]["path"] == "$.findings[0].severity"
        assert not (tmp_path / ".esb-verdict").exists()

    def test_no_strict_writes_what_the_recorded_command_writes(self, verdict, tmp_path):
        assessment = passing()
        assessment["findings"][0]["severity"] = "critical"
        assert verdict(assessment, "--no-strict").returncode == 0
        assert (tmp_path / ".esb-verdict" / RECEIPT).exists()
        assert verdict({}, "--no-strict").returncode == 2

    def test_the_folder_is_named_by_option_or_environment(self, verdict, tmp_path):
        assert verdict(passing(), env={"ESB_VERDICT_DIR": "there"}).returncode == 0
        assert (tmp_path / "there" / RECEIPT).exists()
        words = ("--verdict-dir", "here")
        assert verdict(passing(), *words, env={"ESB_VERDICT_DIR": "other"}).returncode == 0
        assert (tmp_path / "here" / RECEIPT).exists()
        assert not (tmp_path / "other").exists()

    def test_a_malformed_hash_and_an_unwritable_folder_are_one_line(self, run, verdict, tmp_path):
        done = run("blueprint", "verdict", "a.json", "--draft-hash", "zz")
        assert (done.returncode, done.stdout) == (2, "")
        assert "`zz`, expected 64 hex digits" in done.stderr
        (tmp_path / "file").write_text("")
        done = verdict(passing(), "--verdict-dir", "file")
        assert (done.returncode, done.stdout) == (2, "")
        assert f"cannot write `file/{RECEIPT}`" in done.stderr

    def test_the_function(self):
        outcome = gatewright.decide(passing())
        assert (outcome.passed, outcome.facts["verdict"], outcome.facts["fail_reasons"]) == (
            True,
            "PASS",
            [],
        )
        assessment = passing()
        assessment["findings"][0]["severity"] = "high"
        outcome = gatewright.decide(assessment, language="ja")
        assert outcome.findings[0].message == "high severity finding 1 件 (F1)"
        assert gatewright.decide({}).findings[0].code == "GWV001"
        with pytest.raises(gatewright.GatewrightError, match="lacks required members"):
            gatewright.decide({}, strict=False)


class TestAccept:
    @pytest.fixture
    def draft(self, tmp_path):
        """A draft directory with its receipt; every test spoils one thing."""
        folder = tmp_path / "draft"
        folder.mkdir()
        (folder / "sink-status.json").write_text(json.dumps({"draft_hash": HASH, "sinks": {}}))
        (tmp_path / ".esb-verdict").mkdir(exist_ok=True)
        receipt = {
            "schema_version": "1.0.0",
            "verdict": "PASS",
            "draft_hash": HASH,
            "evaluated_at": "2026-01-02T03:04:05+09:00",
            "evaluator": "assign-blueprint-fidelity-evaluator",
            **passing(),
        }
        (tmp_path / ".esb-verdict" / RECEIPT).write_text(json.dumps(receipt))
        return folder

    @pytest.fixture
    def accept(self, run, draft, tmp_path):
        def call(receipt=None, sink=None, folder="draft", **options):
            path = tmp_path / ".esb-verdict" / RECEIPT
            if receipt is not None:
                changed = receipt(json.loads(path.read_text()))
                path.write_text(changed if isinstance(changed, str) else json.dumps(changed))
            if sink is not None:
                (draft / "sink-status.json").write_text(sink)
            before = {entry: entry.read_bytes() for entry in tmp_path.rglob("*") if entry.is_file()}
            done = run("--format", "json", "blueprint", "accept", folder, **options)
            after = {entry: entry.read_bytes() for entry in tmp_path.rglob("*") if entry.is_file()}
            assert before == after
            return done

        return call

    @pytest.fixture
    def judged(self, run, tmp_path):
        """A draft that was judged, with all that its verdict wrote."""
        for gate in ("mermaid", "doc-emit"):
            (tmp_path / f"{gate}.json").write_text('{"status": "pass", "violations": []}')
        folder = Draft().write(tmp_path / "judged")
        results = [f"--gate-result={gate}={gate}.json" for gate in ("mermaid", "doc-emit")]
        done = run("blueprint", "verdict", folder, *results)
        assert done.returncode == 0, done.stdout + done.stderr
        return folder

    def test_a_valid_pass_for_exactly_this_draft(self, judged, accept):
        done = accept(folder=judged)
        assert (done.returncode, codes(report(done))) == (0, [])
        name = json.loads((judged / "sink-status.json").read_text())["draft_hash"]
        assert report(done)["summary"] == f"accepted on .esb-verdict/{name}.verdict.json"

    @pytest.mark.parametrize(
        ("sink", "code", "words"),
        [
            ("{", "GWV041", "Expecting property name"),
            ("[]", "GWV041", "no object"),
            ("{}", "GWV042", "missing"),
            ('{"draft_hash": 5}', "GWV042", "a int"),
            (json.dumps({"draft_hash": HASH.upper()}), "GWV042", "64 lower-case hex digits"),
            ('{"draft_hash": "../../x"}', "GWV042", "../../x"),
            (json.dumps({"draft_hash": "cd" * 32}), "GWV043", "no receipt"),
        ],
    )
    def test_each_fault_of_the_draft_has_its_reason(self, accept, sink, code, words):
        done = accept(sink=sink)
        (finding,) = report(done)["findings"]
        assert (done.returncode, finding["code"]) == (1, code)
        assert words in finding["message"]

    @pytest.mark.parametrize(
        ("change", "code", "words"),
        [
            (lambda receipt: "{", "GWV044", "Expecting property name"),
            (lambda receipt: "[]", "GWV045", "expected an object"),
            (lambda receipt: {**receipt, "more": 1}, "GWV045", "`more`"),
            (lambda receipt: {**receipt, "draft_hash": "cd" * 32}, "GWV046", "cdcd"),
            (
                lambda receipt: {
                    **receipt,
                    "verdict": "FAIL",
                    "recount": {**receipt["recount"], "orphan_count": 1},
                },
                "GWV047",
                "`1` palette orphan",
            ),
            (
                lambda receipt: {**receipt, "recount": {**receipt["recount"], "orphan_count": 1}},
                "GWV048",
                "says PASS, but its own parts decide FAIL",
            ),
            (
                lambda receipt: {**receipt, "verdict": "FAIL"},
                "GWV048",
                "says FAIL, but its own parts decide PASS",
            ),
        ],
    )
    def test_each_fault_of_the_receipt_has_its_reason(self, accept, change, code, words):
        done = accept(receipt=change)
        (finding,) = report(done)["findings"]
        assert (done.returncode, finding["code"]) == (1, code)
        assert words in finding["message"]
        assert "\n" not in finding["message"]

    def test_a_missing_sink_and_a_missing_draft(self, accept, draft):
        (draft / "sink-status.json").unlink()
        assert codes(report(accept())) == ["GWV041"]
        done = accept(folder="nowhere")
        assert (done.returncode, done.stdout) == (2, "")
        assert "nowhere" in done.stderr

    def test_a_receipt_that_is_a_folder(self, accept, tmp_path):
        path = tmp_path / ".esb-verdict" / RECEIPT
        path.unlink()
        path.mkdir()
        assert codes(report(accept())) == ["GWV044"]

    def test_the_folder_of_the_environment(self, judged, accept, tmp_path):
        (tmp_path / ".esb-verdict").rename(tmp_path / "other")
        assert codes(report(accept(folder=judged))) == ["GWV043"]
        assert accept(folder=judged, env={"ESB_VERDICT_DIR": "other"}).returncode == 0

    def test_the_function(self, judged, tmp_path):
        outcome = gatewright.accept_draft(judged, tmp_path / ".esb-verdict")
        assert (outcome.passed, outcome.facts["accepted"]) == (True, True)
        with pytest.raises(gatewright.GatewrightError):
            gatewright.accept_draft(tmp_path / "nowhere")

    def test_a_receipt_written_from_an_assessment_alone_is_not_accepted(self, run, draft, tmp_path):
        (tmp_path / "a.json").write_text(json.dumps(passing()))
        done = run("blueprint", "verdict", "a.json", "--draft-hash", HASH)
        assert done.returncode == 0
        assert "GWV053" in done.stdout
        done = run("blueprint", "accept", "draft")
        assert done.returncode == 1
        assert "GWV049" in done.stdout
