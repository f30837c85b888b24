"""The pytest plugin, tested with pytester in runs of their own."""

from __future__ import annotations

import json

import pytest

BLUEPRINT = {
    "screens": [{"background_color": "#123456"}],
    "design_tokens": {"palette": [{"value": "#fff"}]},
}
CASE = {
    "command": "recount-palette-orphans.py --blueprint blueprint.json",
    "files": {"blueprint.json": BLUEPRINT},
    "expect": {
        "status": 1,
        "stdout": '{"observed_count": 1, "orphan_count": 1, '
        '"orphans": ["#123456ff"], "palette_count": 1}\n',
    },
}


@pytest.fixture
def inner(pytester):
    # A run of its own process: the plugin is loaded as users load it, through its entry point.
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider\n")
    return pytester


def write_case(inner, case, name="palette.gatecase.json"):
    path = inner.path / name
    path.write_text(json.dumps(case, ensure_ascii=False), encoding="utf-8")
    return path


def test_the_gatewright_fixture_runs_a_gate_on_given_data(inner):
    inner.makepyfile(
        """
        import pytest
        from gatewright import GatewrightError
        from gatewright.testing import assert_findings, assert_passed

        BLUEPRINT = {"screens": [{"background_color": "#123456"}],
                     "design_tokens": {"palette": [{"value": "#fff"}]}}

        def test_a_finding(gatewright):
            run = gatewright.run("blueprint recount", BLUEPRINT)
            assert run.status == 1 and not run.passed
            assert len(run.codes) == 1
            assert_findings(run, run.codes)
            (outcome,) = run.outcomes
            assert outcome.findings[0].at.source == "input-1.json"

        def test_options_and_text(gatewright):
            run = gatewright.run("blueprint recount", b'{"screens": []}', recount="recorded")
            assert_passed(run)

        def test_a_gate_with_a_form_of_its_own(gatewright):
            source = b"The deposit is due on Monday."
            assert_passed(gatewright.run("evidence find", source=source, quote="due on Monday"))
            run = gatewright.run("evidence find", source=source, quotes=["The deposit is due on Sunday."])
            assert_findings(run, ["GWE002"])

        def test_what_cannot_run_raises(gatewright):
            with pytest.raises(GatewrightError, match="input-1.txt"):
                gatewright.run("blueprint recount", "[")
            with pytest.raises(GatewrightError, match="unexpected argument"):
                gatewright.run("blueprint recount", "{}", nothing=True)
        """
    )
    result = inner.runpytest_subprocess()
    result.assert_outcomes(passed=4)


def test_a_failed_assertion_shows_place_and_remedy(inner):
    inner.makepyfile(
        """
        from gatewright.testing import assert_findings, assert_passed, assert_same_text

        BLUEPRINT = {"screens": [{"background_color": "#123456"}],
                     "design_tokens": {"palette": [{"value": "#fff"}]}}

        def test_passed(gatewright):
            assert_passed(gatewright.run("blueprint recount", BLUEPRINT))

        def test_codes(gatewright):
            assert_findings(gatewright.run("blueprint recount", BLUEPRINT), ["GWX999"])

        def test_text():
            assert_same_text("a\\nb\\n", "a\\nc\\n", "verdict")
        """
    )
    result = inner.runpytest_subprocess()
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(
        [
            "*AssertionError: the gate did not pass",
            "*input-1.json:1:*#123456*",
            "*fix: *",
            "*other findings than expected (- expected, + found)",
            "*- GWX999",
            "*verdict differs",
            "*-c",
            "*+b",
        ]
    )
    assert "testing.py" not in result.stdout.str()


def test_the_skill_folder_runs_entry_scripts(inner):
    inner.makepyfile(
        """
        import json

        def test_script(skill_scripts):
            (skill_scripts.path / "b.json").write_text(json.dumps({"screens": []}))
            done = skill_scripts.run("recount-palette-orphans.py", "--blueprint", "b.json")
            assert (done.status, done.stderr) == (0, "")
            assert json.loads(done.stdout)["orphan_count"] == 0
            assert (skill_scripts.references / "framework.schema.json").is_file()
            assert (skill_scripts.scripts / "emit-verdict.py").is_file()
        """
    )
    inner.runpytest_subprocess().assert_outcomes(passed=1)


def test_a_case_file_is_a_test(inner):
    write_case(inner, CASE)
    result = inner.runpytest_subprocess("-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["palette.gatecase.json::1 PASSED*"])


def test_a_case_that_differs_shows_the_difference_and_no_traceback(inner):
    case = {**CASE, "expect": {"status": 0, "stdout": "x\n", "files": {"blueprint.json": None}}}
    write_case(inner, case)
    result = inner.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "$ recount-palette-orphans.py --blueprint blueprint.json",
            "status is 1, expected 0",
            "stdout differs",
            "-x",
            '+{"observed_count": 1*',
            "blueprint.json exists, expected none",
            "stderr was",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert "cases.py" not in result.stdout.str()


def test_a_case_without_expectation_fails_until_it_is_recorded(inner):
    path = write_case(inner, {key: CASE[key] for key in ("command", "files")})
    inner.runpytest_subprocess().assert_outcomes(failed=1)
    inner.runpytest_subprocess("--gatewright-update").assert_outcomes(passed=1)
    recorded = json.loads(path.read_text(encoding="utf-8"))
    assert recorded["files"] == CASE["files"]
    assert recorded["expect"]["status"] == 1
    assert recorded["expect"]["stdout"] == CASE["expect"]["stdout"]
    assert "#123456ff" in recorded["expect"]["stderr"]
    inner.runpytest_subprocess().assert_outcomes(passed=1)


YAML = """\
# Palettes of the skill.
name: an orphan  # found
command: recount-palette-orphans.py --blueprint blueprint.json
files:
  blueprint.json:
    screens: [{background_color: "#123456"}]
expect:
  status: 0
  stdout: |
    old

# The second one.
---
name: a missing file
command: [recount-palette-orphans.py, --blueprint, "gone.json"]
expect: {status: 2, stderr: {contains: [gone.json]}}
"""


def test_yaml_cases_are_read_and_recorded_with_their_comments(inner):
    path = inner.path / "palette.gatecase.yaml"
    path.write_text(YAML, encoding="utf-8")
    inner.runpytest_subprocess().assert_outcomes(passed=1, failed=1)
    inner.runpytest_subprocess("--gatewright-update").assert_outcomes(passed=2)
    inner.runpytest_subprocess().assert_outcomes(passed=2)
    text = path.read_text(encoding="utf-8")
    assert text.startswith(YAML[: YAML.index("expect:")])
    assert "# The second one.\n---\n" in text
    assert "old" not in text
    assert "contains" in text
    # Recording again changes nothing.
    inner.runpytest_subprocess("--gatewright-update").assert_outcomes(passed=2)
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "*Expecting property name*"),
        ("[]", "*collected 0 items*"),
        ('{"command": "gatewright", "extra": 1}', "*case 1: unknown keys extra*"),
        ('{"command": []}', "*case 1 command: *"),
        ('{"command": ["x", 1]}', "*case 1 command: *"),
        ('{"command": "x", "expect": {"status": "0"}}', "*case 1 expect.status: *"),
        ('{"command": "x", "expect": {"stdout": {"contain": []}}}', "*case 1 expect.stdout: *"),
        ('{"command": "rm -r x"}', "*no such entry script*"),
        ('{"command": "../emit-verdict.py"}', "*no such entry script*"),
        ('{"command": "gatewright", "files": {"../x": ""}}', "*leaves its folder*"),
        ('{"command": "gatewright", "files": {"/x": ""}}', "*leaves its folder*"),
    ],
)
def test_a_faulty_case_file_is_told_in_one_line(inner, text, expected):
    (inner.path / "x.gatecase.json").write_text(text, encoding="utf-8")
    result = inner.runpytest_subprocess()
    result.stdout.fnmatch_lines([expected])
    assert "Traceback" not in result.stdout.str()


@pytest.mark.parametrize(
    "text",
    [
        "a\nb\n",
        "a\nb",
        " a\nb\n",
        "a\n\n",
        "\na\n",
        "a\tb\nc",
        "é\n\n b\n",
        "a: b\n# c\n",
        "",
        "\n",
    ],
)
def test_any_output_survives_recording_in_yaml(text):
    from gatewright import _native, cases

    written = "expect:\n" + cases._yaml({"stdout": text, "files": {"a b.txt": text}}, 1)
    read = _native.yaml_value(written.encode("utf-8"))
    assert read == {"expect": {"stdout": text, "files": {"a b.txt": text}}}


def test_dates_in_yaml_are_refused_with_a_remedy():
    from gatewright import _native

    with pytest.raises(ValueError, match="put it in quotes"):
        _native.yaml_value(b"a: 2026-01-01\n")


def test_recording_does_not_pass_what_a_person_chose_to_be_contained(inner):
    case = {**CASE, "expect": {"status": 7, "stderr": {"contains": ["never said"]}}}
    path = write_case(inner, case)
    inner.runpytest_subprocess("--gatewright-update").assert_outcomes(failed=1)
    recorded = json.loads(path.read_text(encoding="utf-8"))["expect"]
    # The rest was recorded all the same.
    assert recorded == {"status": 1, "stderr": {"contains": ["never said"]}}
    inner.runpytest_subprocess().assert_outcomes(failed=1)


def test_recording_writes_through_no_file_that_lies_in_wait(inner):
    path = write_case(inner, {key: CASE[key] for key in ("command", "files")})
    victim = inner.path / "victim.txt"
    victim.write_text("precious", encoding="utf-8")
    (inner.path / (path.name + ".tmp")).symlink_to(victim)
    inner.runpytest_subprocess("--gatewright-update").assert_outcomes(passed=1)
    assert victim.read_text(encoding="utf-8") == "precious"
    assert not path.is_symlink()
    assert [entry.name for entry in inner.path.glob(".gatecase-*")] == []
