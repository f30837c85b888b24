"""gatewright framework check and gatewright.check_framework."""

from __future__ import annotations

import json

import gatewright
import pytest


def write(path, value):
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    return path


def test_a_sound_framework_passes(run, tmp_path, framework):
    write(tmp_path / "f.json", framework)
    process = run("framework", "check", "f.json")
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout == (
        "framework check passed: f.json: 0 findings, 1 lens, 1 item, version 1\n"
    )


def test_findings_name_file_line_path_expectation_and_remedy(run, tmp_path, framework):
    framework["lenses"][0]["items"][0]["disposition"] = "maybe"
    write(tmp_path / "f.json", framework)
    process = run("framework", "check", "f.json")
    assert process.returncode == 1
    assert process.stdout == (
        "f.json:33:21: error GWF003 `'maybe'` is not listed, "
        "expected one of `['report', 'register', 'queue']`\n"
        "    at $.lenses[0].items[0].disposition\n"
        "    fix: use one of the listed values\n"
        "framework check FAILED: f.json: 1 finding, 1 lens, 1 item, version 1\n"
    )


def test_several_files_are_checked_each_on_its_own(run, tmp_path, framework):
    write(tmp_path / "a.json", framework)
    framework["approved"] = True
    write(tmp_path / "b.json", framework)
    process = run("framework", "check", "a.json", "b.json", "--format", "json")
    assert process.returncode == 1
    report = json.loads(process.stdout)
    assert [outcome["verdict"] for outcome in report["outcomes"]] == ["passed", "failed"]
    finding = report["outcomes"][1]["findings"][0]
    assert finding["code"] == "GWF015"
    assert finding["at"]["source"] == "b.json"
    assert (finding["at"]["line"], finding["at"]["column"]) == (3, 14)
    assert run("framework", "check", "b.json", "--allow-approved").returncode == 0


@pytest.mark.parametrize(
    ("content", "place", "words"),
    [
        (b"{", ":1:2", "Expecting property name enclosed in double quotes"),
        (b"\n [1,]", ":2:4", "Illegal trailing comma before end of array"),
        (b"\xff", "", "it is not UTF-8: byte 0 on line 1"),
        (
            b"```json\n{}\n```\n",
            ":1:1",
            "it begins with a Markdown code fence; leave away the lines of ``` around the JSON",
        ),
        (
            b"{}\n```\n",
            ":2:1",
            "behind the JSON stands a Markdown code fence; leave away the line of ```",
        ),
    ],
)
def test_what_cannot_be_read_is_status_two(run, tmp_path, content, place, words):
    (tmp_path / "f.json").write_bytes(content)
    process = run("framework", "check", "f.json")
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr == f"gatewright: error: cannot read framework `f.json{place}`: {words}\n"


def test_a_missing_file_and_an_unusable_schema_are_status_two(run, tmp_path, framework):
    process = run("framework", "check", "no.json")
    assert process.returncode == 2
    assert process.stderr.endswith("cannot read framework `no.json`: no such file\n")
    write(tmp_path / "f.json", framework)
    write(tmp_path / "s.json", {"properties": {"never": {"pattern": 1}}})
    process = run("framework", "check", "f.json", "--schema", "s.json")
    assert process.returncode == 2
    assert process.stderr == (
        "gatewright: error: cannot use `s.json` at $.properties.never.pattern: "
        "pattern must be a string, not integer\n"
    )


class TestStricterThanTheDropIn:
    """Each row of docs/differences.md."""

    def codes(self, text):
        return [finding.code for finding in gatewright.check_framework(text).findings]

    def test_a_repeated_member(self, tmp_path, framework):
        path = tmp_path / "f.json"
        text = json.dumps(framework).replace(
            '"approved": false', '"approved": true, "approved": false'
        )
        path.write_text(text)
        outcome = gatewright.check_framework(path)
        assert [finding.code for finding in outcome.findings] == ["GWF020"]
        at = outcome.findings[0].at
        assert text[at.byte_start : at.byte_end] == '"approved":'
        assert at.byte_start > text.index("true")

    def test_an_id_with_a_line_end(self, framework):
        framework["lenses"][0]["lens_id"] = "coc\n"
        assert self.codes(framework) == ["GWF021"]

    def test_blank_texts(self, framework):
        framework["lenses"][0]["name"] = " \u3000"
        framework["lenses"][0]["items"][0]["exclusions"] = ["\n"]
        assert self.codes(framework) == ["GWF022", "GWF022"]

    def test_a_repeated_status(self, framework):
        framework["lenses"][0]["items"][0]["answer_shape"]["statuses"] = ["absent"] * 3
        assert self.codes(framework) == ["GWF023", "GWF023"]

    def test_a_version_below_one_is_told_once(self, framework):
        framework["framework_version"] = 0
        assert self.codes(framework) == ["GWF008"]

    def test_an_unenforced_keyword(self, framework):
        outcome = gatewright.check_framework(framework, schema={"oneOf": []})
        assert [finding.code for finding in outcome.findings] == ["GWF019"]
        assert outcome.passed


class TestPythonApi:
    """gatewright.check_framework."""

    def test_paths_give_lines_and_loaded_documents_do_not(self, tmp_path, framework):
        framework["lenses"].append(framework["lenses"][0])
        path = write(tmp_path / "f.json", framework)
        for given in (path, str(path)):
            outcome = gatewright.check_framework(given)
            assert [finding.code for finding in outcome.findings] == ["GWF016", "GWF017"]
            first = outcome.findings[0]
            assert first.at.source == str(path)
            assert first.at.line > first.related[0].line == 12
            assert outcome.inputs[0]["role"] == "framework"
        outcome = gatewright.check_framework(framework)
        assert outcome.findings[0].at.line is None
        assert outcome.findings[0].at.path == "$.lenses[1].lens_id"
        assert outcome.facts == {"lenses": 2, "items": 2, "framework_version": "1"}

    def test_outcomes_are_frozen_and_turn_into_plain_data(self, framework):
        framework["approved"] = True
        outcome = gatewright.check_framework(framework)
        assert gatewright.Outcome.from_dict(outcome.to_dict()) == outcome
        json.dumps(outcome.to_dict())
        with pytest.raises(AttributeError):
            outcome.verdict = "passed"
        assert gatewright.check_framework(framework, allow_approved=True).passed

    def test_exceptions_have_attributes(self, tmp_path):
        with pytest.raises(gatewright.GatewrightError) as raised:
            gatewright.check_framework(tmp_path / "no.json")
        assert raised.value.source == str(tmp_path / "no.json")
        with pytest.raises(gatewright.GatewrightError) as raised:
            gatewright.check_framework({}, schema={"type": "decimal"})
        assert (raised.value.source, raised.value.path) == ("schema", "$.type")

    def test_odd_documents_are_findings_not_crashes(self):
        for odd in ([], 1, None, True, {"lenses": 3}, {"lenses": [1, {"items": {}}]}):
            assert not gatewright.check_framework(odd).passed


def test_a_short_list_says_what_may_stand_there(run, tmp_path, framework):
    item = framework["lenses"][0]["items"][0]
    item["answer_shape"]["statuses"] = ["present"]
    write(tmp_path / "f.json", framework)
    shown = run("framework", "check", "f.json").stdout
    assert (
        "GWF010 the list has 1 item, expected at least 3 of `['present', 'absent', 'unresolved']`\n"
    ) in shown
    item["answer_shape"]["statuses"] = ["present", "absent", "unresolved"]
    framework["lenses"] = []
    write(tmp_path / "f.json", framework)
    assert (
        "GWF010 the list has 0 items, expected at least 1, "
        "each an object with `lens_id`, `name`, `items`\n"
    ) in run("framework", "check", "f.json").stdout
