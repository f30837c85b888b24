"""``gatewright run``: configurations, inputs, cache, statuses, formats."""

from __future__ import annotations

import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

import gatewright
import jsonschema
import pytest
import report_checks
import skill_repository

PASSING = {
    "screens": [{"background_color": "#ffffff"}],
    "design_tokens": {"palette": [{"value": "#fff"}]},
}
FAILING = {
    "screens": [{"background_color": "#123456"}],
    "design_tokens": {"palette": [{"value": "#fff"}]},
}
CONFIG = """
[[gate]]
gate = "blueprint recount"
inputs = ["drafts/*/blueprint.json"]
"""


@pytest.fixture
def repository(tmp_path):
    for name, content in (("one", PASSING), ("two", PASSING)):
        folder = tmp_path / "drafts" / name
        folder.mkdir(parents=True)
        (folder / "blueprint.json").write_text(json.dumps(content), encoding="utf-8")
    (tmp_path / "gatewright.toml").write_text(CONFIG, encoding="utf-8")
    return tmp_path


def plant_fault(repository):
    (repository / "drafts/two/blueprint.json").write_text(json.dumps(FAILING), encoding="utf-8")


def test_a_clean_repository_passes_and_each_input_is_named(run, repository):
    done = run("run")
    assert done.stderr == ""
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert [line.split(" passed")[0] for line in lines[:2]] == [
        "blueprint recount drafts/one/blueprint.json",
        "blueprint recount drafts/two/blueprint.json",
    ]
    assert lines[-1] == "2 gates passed"


def test_a_fault_fails_the_run_and_the_worst_status_wins(run, repository):
    plant_fault(repository)
    done = run("run", "--no-cache")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "1 of 2 gates failed"
    with (repository / "gatewright.toml").open("a", encoding="utf-8") as config:
        config.write('[[gate]]\ngate = "blueprint recount"\ninputs = ["gone.json"]\n')
    done = run("run", "--format", "json")
    assert done.returncode == 2
    report = json.loads(done.stdout)
    assert report["status"] == 2
    assert [outcome["verdict"] for outcome in report["outcomes"]] == [
        "passed",
        "failed",
        "undecided",
    ]
    (finding,) = report["outcomes"][2]["findings"]
    assert finding["code"] == "GWR001"
    assert "gone.json" in finding["message"]


def test_unchanged_inputs_come_from_the_cache_and_changed_ones_do_not(run, repository):
    first = run("run")
    assert first.stderr == ""
    second = run("run")
    assert second.stdout == first.stdout
    assert second.stderr == (
        "2 of 2 gate runs unchanged since an earlier run (--no-cache runs all)\n"
    )
    plant_fault(repository)
    third = run("run")
    assert third.returncode == 1
    assert third.stderr.startswith("1 of 2 ")
    # The failing outcome is kept too, and shown in full.
    fourth = run("run")
    assert (fourth.returncode, fourth.stdout) == (1, third.stdout)
    assert fourth.stderr.startswith("2 of 2 ")
    assert run("run", "--no-cache").stderr == ""


def test_an_option_is_part_of_what_is_cached(run, repository):
    plant_fault(repository)
    run("run")
    config = CONFIG + 'options = { recount = "recorded" }\n'
    (repository / "gatewright.toml").write_text(config, encoding="utf-8")
    assert run("run").stderr == ""


KEPT = """
[[gate]]
gate = "framework check"
inputs = ["references/framework.json"]

[[gate]]
gate = "framework diff"
inputs = ["references/copy.json", "references/framework.json"]
together = true

[[gate]]
gate = "ledger reconcile"
inputs = ["rooms/*/findings.json"]
options = { findings = "{input}", manifest = "{dir}/manifest.json", framework = "{dir}/framework.json" }

[[gate]]
gate = "blueprint recount"
inputs = ["drafts/*/blueprint.json"]

[[gate]]
gate = "evidence find"
options = { source = "council/runs/r1/INPUT.md", quote = ["The old endpoint is removed"] }
"""


def test_every_pure_gate_is_kept_and_runs_again_when_an_input_changes(run, tmp_path):
    skill_repository.make(tmp_path)
    shutil.copy(tmp_path / "references/framework.json", tmp_path / "references/copy.json")
    (tmp_path / "gatewright.toml").write_text(KEPT, encoding="utf-8")
    first = run("run", "--format", "json")
    assert (first.returncode, first.stderr) == (0, "")
    second = run("run", "--format", "json")
    assert second.stdout == first.stdout
    assert second.stderr.startswith("5 of 5 gate runs unchanged")
    for name, left in [
        ("references/framework.json", 3),
        ("rooms/lease/manifest.json", 4),
        ("drafts/home/blueprint.json", 4),
        ("council/runs/r1/INPUT.md", 4),
    ]:
        path = tmp_path / name
        path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        done = run("run")
        assert done.stderr.startswith(f"{left} of 5 gate runs unchanged"), name
        assert done.returncode == 0


def test_a_gate_that_finds_files_by_itself_is_never_kept(run, tmp_path):
    skill_repository.make(tmp_path)
    config = '[[gate]]\ngate = "scorecard check"\ninputs = ["council/runs/"]\n'
    (tmp_path / "gatewright.toml").write_text(config, encoding="utf-8")
    assert run("run").returncode == 0
    # Nobody named the persona's file: only the gate knows that it decides.
    persona = tmp_path / "council/persona-metadata/rev.yml"
    persona.write_text("banned_phrases: [cannot be undone]\n", encoding="utf-8")
    done = run("run")
    assert (done.returncode, done.stderr) == (1, "")
    assert "cannot be undone" in done.stdout


def test_a_gate_that_writes_is_never_kept(run, tmp_path):
    skill_repository.make(tmp_path)
    config = '[[gate]]\ngate = "framework freeze"\ninputs = ["references/framework.json"]\n'
    (tmp_path / "gatewright.toml").write_text(config, encoding="utf-8")
    for _ in range(2):
        done = run("run")
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        (frozen,) = (tmp_path / "references").glob("framework.v*.json")
        frozen.unlink()


def test_what_is_kept_does_not_depend_on_the_format(run, repository):
    plant_fault(repository)
    first = run("run", "--format", "json")
    second = run("run", "--format", "text")
    assert second.stderr.startswith("2 of 2 gate runs unchanged")
    assert run("run", "--format", "text", "--no-cache").stdout == second.stdout
    assert run("run", "--format", "json").stdout == first.stdout


def test_a_damaged_cache_costs_time_alone(run, repository, tmp_path):
    kept = ["run", "--cache-dir", "kept"]
    expected = run(*kept).stdout
    assert (repository / "kept/.gitignore").read_text(encoding="utf-8") == "*\n"
    (pack,) = (repository / "kept").glob("*.gatewright-pack")
    pack.write_bytes(pack.read_bytes()[:200])
    done = run(*kept)
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")
    assert run(*kept).stderr.startswith("2 of 2 ")
    shutil.rmtree(repository / "kept")
    (repository / "kept").write_text("", encoding="utf-8")
    done = run(*kept)
    assert (done.returncode, done.stdout) == (0, expected)
    assert done.stderr == "nothing is kept for the next run: `kept`: it is no folder\n"


def test_many_runs_at_once_agree(run, repository, command):
    plant_fault(repository)
    expected = run("run", "--no-cache").stdout

    def once(_):
        return subprocess.run(
            [*command, "run", "--cache-dir", "kept"],
            cwd=repository,
            env={**os.environ, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=120,
        )

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        finished = list(pool.map(once, range(16)))
    assert {done.stdout for done in finished} == {expected}
    assert {done.returncode for done in finished} == {1}
    left = [path.name for path in (repository / "kept").iterdir()]
    assert [name for name in left if name.endswith(".tmp")] == []


def test_a_run_from_below_finds_the_configuration_above(run, repository):
    below = repository / "drafts/one"
    done = run("run", cwd=below)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "2 gates passed"
    done = run("run", "../../gatewright.toml", cwd=below)
    assert "../../drafts/one/blueprint.json" in done.stdout


def test_the_configuration_may_stand_in_pyproject(run, repository):
    (repository / "gatewright.toml").unlink()
    done = run("run")
    assert done.returncode == 2
    assert done.stderr.startswith("gatewright: error: no gatewright.toml and no [tool.gatewright]")
    project = '[project]\nname = "x"\n' + CONFIG.replace("[[gate]]", "[[tool.gatewright.gate]]")
    (repository / "pyproject.toml").write_text(project, encoding="utf-8")
    assert run("run").returncode == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '[[gate]]\ngate = "blueprint recont"\n',
            "line 2 column 8: no gate `blueprint recont`, did you mean `blueprint recount`?",
        ),
        ('[[gate]]\ngate = "run"\n', "line 2 column 8: no gate `run`"),
        ('[[gate]]\ngate = "ledger status"\n', "line 2 column 8: no gate `ledger status`"),
        (
            CONFIG + "options = { recout = 1 }\n",
            "line 5 column 13: `blueprint recount` has no option `recout`, did you mean `recount`?",
        ),
        (
            CONFIG + "options = { why = 1 }\n",
            "line 5 column 19: `why` is a switch, expected true or false",
        ),
        (
            CONFIG + 'options = { recount = "most" }\n',
            "line 3 column 8: invalid value 'most' for '--recount <COUNT>'",
        ),
        (
            CONFIG + "options = { recount = true }\n",
            "line 5 column 23: `recount` takes a value, not a switch",
        ),
        (
            '[[gate]]\ngate = "blueprint recount"\ninputs = ["none/*.json"]\n',
            "line 3 column 11: no file matches `inputs`",
        ),
        (
            '[[gate]]\ngate = "blueprint recount"\ninputs = ["../*.json"]\n',
            "line 3 column 11: a glob is relative",
        ),
        ('[[gate]]\ngate = "blueprint recount"\ninputs = ["[a"]\n', "line 3 column 11: not a glob"),
        ("gate = 1\n", "line 1 column 8: invalid type"),
        ("[[gate]\n", "line 1 column "),
        ("", "it lists no gate"),
    ],
)
def test_a_faulty_configuration_is_refused_with_its_place(run, repository, text, expected):
    (repository / "gatewright.toml").write_text(text, encoding="utf-8")
    done = run("run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("gatewright: error: cannot use `gatewright.toml`")
    assert expected in done.stderr


def test_inputs_may_be_absent_when_the_configuration_says_so(run, repository):
    text = (
        CONFIG
        + '[[gate]]\ngate = "blueprint recount"\ninputs = ["x/*.json"]\nmay-be-empty = true\n'
    )
    (repository / "gatewright.toml").write_text(text, encoding="utf-8")
    assert run("run").returncode == 0


def test_excluded_hidden_and_foreign_folders_are_not_searched(run, repository):
    for name in (".hidden", "node_modules", "skipped"):
        folder = repository / name
        folder.mkdir()
        (folder / "blueprint.json").write_text("{", encoding="utf-8")
    text = CONFIG.replace("drafts/*", "**") + 'exclude = ["skipped/**"]\n'
    (repository / "gatewright.toml").write_text(text, encoding="utf-8")
    done = run("run", "--list")
    assert done.stdout.splitlines() == [
        "gatewright blueprint recount -- drafts/one/blueprint.json",
        "gatewright blueprint recount -- drafts/two/blueprint.json",
    ]


def test_placeholders_run_a_gate_per_input_with_its_neighbours(run, repository):
    text = (
        '[[gate]]\ngate = "ledger reconcile"\nname = "coverage"\n'
        'inputs = ["rooms/*/findings.json"]\n[gate.options]\nfindings = "{input}"\n'
        'manifest = "{dir}/manifest.json"\nframework = "{dir}/framework.json"\n'
    )
    (repository / "gatewright.toml").write_text(text, encoding="utf-8")
    for name in ("a", "b"):
        (repository / "rooms" / name).mkdir(parents=True)
        (repository / "rooms" / name / "findings.json").write_text("{}", encoding="utf-8")
    assert run("run", "--list").stdout.splitlines() == [
        f"gatewright ledger reconcile --findings=rooms/{name}/findings.json"
        f" --framework=rooms/{name}/framework.json --manifest=rooms/{name}/manifest.json"
        for name in ("a", "b")
    ]
    report = json.loads(run("run", "--format=json").stdout)
    assert [outcome["subject"] for outcome in report["outcomes"]] == [
        "coverage rooms/a/findings.json",
        "coverage rooms/b/findings.json",
    ]


@pytest.mark.parametrize("name", report_checks.CHECKS)
def test_every_format_goes_whole_to_the_file_asked_for(run, repository, name):
    plant_fault(repository)
    shown = run("run", "--format", name, "--no-cache")
    done = run("run", "--format", name, "--no-cache", "--output", "report")
    assert (done.returncode, done.stdout) == (1, "")
    # A report that tells times tells those of its own run.
    timeless = [
        re.sub(r'time="[0-9.]+"', "", text)
        for text in ((repository / "report").read_text(encoding="utf-8"), shown.stdout)
    ]
    assert timeless[0] == timeless[1]
    done = run("run", "--format", name, "--no-cache", "--output", "no/report")
    assert done.returncode == 2
    assert "cannot write `no/report`" in done.stderr


def test_one_run_writes_as_many_reports_as_are_asked_for(run, repository):
    plant_fault(repository)
    config = (repository / "gatewright.toml").read_text(encoding="utf-8")
    freeze = '[[gate]]\ngate = "blueprint verdict"\ninputs = ["assessment.json"]\n'
    options = f'options = {{ draft-hash = "{"ab" * 32}", verdict-dir = "v" }}\n'
    (repository / "gatewright.toml").write_text(config + freeze + options, encoding="utf-8")
    shutil.copy(skill_repository.EXAMPLES / "assessment.json", repository)
    reports = [f"--report={name}=report.{name}" for name in report_checks.CHECKS]
    done = run("run", "--format", "github", *reports)
    assert done.returncode == 1
    assert done.stdout == (repository / "report.github").read_text(encoding="utf-8")
    for name, check in report_checks.CHECKS.items():
        check((repository / f"report.{name}").read_text(encoding="utf-8"), 1)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("sarif", "expected FORMAT=FILE"),
        ("sarif=", "expected FORMAT=FILE"),
        ("pdf=x", "no format `pdf`; formats are: text, compact, json, sarif,"),
        ("sarif=no/report", "cannot write `no/report`"),
    ],
)
def test_a_report_that_cannot_be_written_is_no_success(run, repository, value, expected):
    done = run("run", f"--report={value}")
    assert (done.returncode, done.stdout) == (2, "")
    assert expected in done.stderr


def test_the_published_schema_accepts_what_runs_and_refuses_what_does_not():
    schema = json.loads(
        (gatewright_folder() / "references/gatewright.schema.json").read_text(encoding="utf-8")
    )
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    good = {"gate": [{"gate": "blueprint recount", "inputs": ["*.json"], "options": {"why": True}}]}
    validator(schema).validate(good)
    for bad in (
        {"gates": []},
        {"gate": [{"inputs": []}]},
        {"gate": [{"gate": "run"}]},
        {"gate": [{"gate": "blueprint recount", "input": []}]},
    ):
        assert not validator(schema).is_valid(bad)


def gatewright_folder():
    from pathlib import Path

    return Path(gatewright.__file__).parent


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_progress_is_drawn_on_a_terminal_only(repository, command):
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    done = subprocess.run(
        [*command, "run", "--no-cache"],
        cwd=repository,
        stdout=subprocess.PIPE,
        stderr=follower,
        env={**os.environ, "NO_COLOR": "1"},
        timeout=120,
    )
    os.close(follower)
    drawn = os.read(leader, 65536).decode()
    os.close(leader)
    assert done.returncode == 0
    assert "2/2 gate runs" in drawn
    assert b"gate runs" not in done.stdout
