"""How much of a result is shown: the options that every command has."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree

import jsonschema
import pytest


@pytest.fixture
def many(tmp_path, framework):
    """A framework with 60 unlisted dispositions and one approval."""
    item = framework["lenses"][0]["items"][0]
    framework["lenses"][0]["items"] = [
        {**item, "issue_id": f"coc-{number}", "disposition": f"maybe-{number}"}
        for number in range(60)
    ]
    path = tmp_path / "framework.json"
    path.write_text(json.dumps(framework, indent=1), encoding="utf-8")
    return framework


def test_text_lists_fifty_findings_of_a_rule_and_counts_the_rest(run, many):
    done = run("framework", "check", "framework.json")
    assert done.returncode == 1
    assert done.stdout.count("error GWF003") == 50
    assert "GWF003: 10 findings more, not shown (--max-findings 0 shows all)\n" in done.stdout
    assert (
        run("framework", "check", "framework.json", "--max-findings", 0).stdout.count(
            "error GWF003"
        )
        == 60
    )
    # Formats for programs always hold everything.
    report = json.loads(run("framework", "check", "framework.json", "--format", "json").stdout)
    assert len(report["outcomes"][0]["findings"]) == 60


def test_statistics_count_by_rule(run, many):
    done = run("framework", "check", "framework.json", "--statistics")
    assert done.returncode == 1
    assert done.stdout == "60  GWF003 not-listed error\n1 of 1 gate failed\n"


def test_quiet_says_nothing_of_what_passed(run, tmp_path, framework):
    (tmp_path / "good.json").write_text(json.dumps(framework), encoding="utf-8")
    for form in ("text", "compact"):
        done = run("framework", "check", "good.json", "-q", "--format", form)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = run("framework", "check", "good.json", "missing.json", "-q")
    assert done.returncode == 2


def test_exit_zero_forgives_findings_and_nothing_else(run, many):
    assert run("framework", "check", "framework.json", "--exit-zero").returncode == 0
    assert run("framework", "check", "missing.json", "--exit-zero").returncode == 2


@pytest.mark.parametrize(
    ("variables", "is_colored"),
    [
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, False),
    ],
)
def test_colour_without_a_terminal_is_forced_or_none(run, many, variables, is_colored):
    done = run("framework", "check", "framework.json", env=variables)
    assert ("\x1b[31m" in done.stdout) == is_colored


def test_a_finding_that_moved_keeps_its_names(run, tmp_path, many):
    def names():
        sarif = json.loads(run("framework", "check", "framework.json", "--format=sarif").stdout)
        gitlab = json.loads(run("framework", "check", "framework.json", "--format=gitlab").stdout)
        junit = ElementTree.fromstring(
            run("framework", "check", "framework.json", "--format=junit").stdout
        )
        return [
            {
                result["partialFingerprints"]["gatewright/v2"]
                for result in sarif["runs"][0]["results"]
            },
            {entry["fingerprint"] for entry in gitlab},
            {
                case.get("name")
                for case in junit.iter("testcase")
                if case.find("failure") is not None
            },
        ]

    before = names()
    assert [len(found) for found in before] == [60, 60, 60]
    # Further lines in front, the same values behind.
    text = json.dumps(many, indent=4)
    (tmp_path / "framework.json").write_text("\n\n" + text, encoding="utf-8")
    after = names()
    assert after == before
    # An item in front moves every index; what goes by content stays.
    clean = {**many["lenses"][0]["items"][0], "issue_id": "coc-new", "disposition": "report"}
    many["lenses"][0]["items"].insert(0, clean)
    (tmp_path / "framework.json").write_text(json.dumps(many), encoding="utf-8")
    assert names() == before


def test_junit_times_are_those_of_the_gate(run, many):
    report = run("framework", "check", "framework.json", "--format=junit").stdout
    suites = ElementTree.fromstring(report)
    assert float(suites.get("time")) > 0
    assert float(suites.find("testsuite").get("time")) == float(suites.get("time"))


def test_explain_takes_several_rules_and_the_beginning_of_codes(run):
    one, other = (run("explain", code).stdout for code in ("GWF001", "GWC005"))
    done = run("explain", "gwf001", "GWC005", "GWF001")
    assert (done.returncode, done.stdout) == (0, f"{one}\n{other}")
    rules = json.loads(run("explain", "GWF00", "--format", "json").stdout)["rules"]
    assert [rule["code"] for rule in rules] == sorted(rule["code"] for rule in rules)
    assert {rule["code"][:5] for rule in rules} == {"GWF00"}
    done = run("explain", "GWF001", "nothing")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no rule `nothing`" in done.stderr


def test_shells_complete_the_codes_of_rules(run):
    for shell in ("bash", "zsh"):
        assert "GWF001" in run("completions", shell).stdout
    assert "GWF001," not in run("explain", "--help").stdout


def test_shells_complete_scripts_gates_and_rules_and_other_words_are_taken_too(run):
    script = run("completions", "zsh").stdout
    for word in ("emit-verdict.py", "ledger reconcile", "GWC012"):
        assert word.replace(" ", "\\ ") in script or word in script
    for words in (["shims"], ["run"], ["check"]):
        assert "emit-verdict.py," not in run(*words, "--help").stdout
        assert "GWF001," not in run(*words, "--help").stdout
    done = run("shims", "out", "emit-verdict", "--dry-run")
    assert (done.returncode, done.stdout) == (0, "would be written out/emit-verdict.py\n")


@pytest.mark.parametrize("name", ["framework", "config"])
def test_schemas_are_printed_as_shipped(run, name):
    schema = json.loads(run("schema", name).stdout)
    assert jsonschema.validators.validator_for(schema).check_schema(schema) is None
    assert "properties" in schema
