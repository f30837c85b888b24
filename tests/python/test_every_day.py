"""What people do on day two: accept findings, choose rules, check one file, hook an agent."""

from __future__ import annotations

import json
import os
import signal
import subprocess

import pytest

CONFIGURATION = """\
[[gate]]
gate = "framework check"
name = "frameworks"
inputs = ["frameworks/*.json"]

[[gate]]
gate = "blueprint recount"
inputs = ["drafts/*/blueprint.json"]
may-be-empty = true
"""


@pytest.fixture
def repository(tmp_path, framework):
    """A repository with one faulty framework and one good one."""
    (tmp_path / "frameworks").mkdir()
    (tmp_path / "gatewright.toml").write_text(CONFIGURATION, encoding="utf-8")
    write(tmp_path / "frameworks/good.json", framework)
    framework["lenses"][0]["items"][0]["disposition"] = "maybe"
    framework["lenses"][0]["items"][0]["question"] = " "
    write(tmp_path / "frameworks/bad.json", framework)
    return tmp_path


def write(path, value):
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")


def change(path, edit):
    value = json.loads(path.read_text(encoding="utf-8"))
    edit(value["lenses"][0]["items"][0])
    write(path, value)


def configure(repository, head):
    (repository / "gatewright.toml").write_text(head + "\n" + CONFIGURATION, encoding="utf-8")


def codes(done):
    report = json.loads(done.stdout)
    return sorted(
        finding["code"] for outcome in report["outcomes"] for finding in outcome["findings"]
    )


def test_rules_are_chosen_by_code_name_or_beginning(run, repository):
    whole = run("run", "--format", "json")
    assert (whole.returncode, codes(whole)) == (1, ["GWF003", "GWF022"])
    for head, expected, status in [
        ('ignore = ["GWF003"]', ["GWF022"], 1),
        ('ignore = ["GWF"]', [], 0),
        ('select = ["not-listed"]', ["GWF003"], 1),
        ('ignore = ["GWF"]\nselect = ["GWF022"]', ["GWF022"], 1),
        ('[per-path-ignores]\n"frameworks/b*.json" = ["GWF0"]', [], 0),
        ('[per-path-ignores]\n"other/**" = ["GWF0"]', ["GWF003", "GWF022"], 1),
        ('[severity]\nGWF003 = "warning"\nGWF022 = "note"', ["GWF003", "GWF022"], 0),
        ('warnings-as-errors = true\n[severity]\nGWF = "warning"', ["GWF003", "GWF022"], 1),
    ]:
        configure(repository, head)
        done = run("run", "--format", "json")
        assert (done.returncode, codes(done)) == (status, expected), head
    done = run("run", "--format", "json", "--select", "GWF022", "--ignore", "GWF003")
    assert codes(done) == ["GWF022"]


def test_what_is_ignored_is_counted_in_the_answer(run, repository):
    configure(repository, 'ignore = ["GWF003"]')
    assert "(1 ignored)" in run("run").stdout


@pytest.mark.parametrize(
    ("head", "place", "words"),
    [
        ('ignore = ["GWX"]', "line 1 column 11", "no rule has the code or name `GWX`"),
        ('select = ["not-liste"]', "line 1 column 11", "did you mean `not-listed`?"),
        ('[severity]\nGWQ001 = "error"', "line 2 column 1", "no rule has"),
        ('[severity]\nGWF001 = "fatal"', "line 2 column 10", "unknown variant `fatal`"),
        ('[per-path-ignores]\n"a[" = []', "line 2 column 1", "not a glob"),
        ('baseline = "none.json"', "line 1 column 12", "gatewright baseline writes it"),
    ],
)
def test_a_faulty_choice_names_its_place_and_runs_nothing(run, repository, head, place, words):
    configure(repository, head)
    done = run("run")
    assert (done.returncode, done.stdout) == (2, "")
    assert place in done.stderr
    assert words in done.stderr


def test_known_findings_are_counted_and_only_new_ones_fail(run, repository):
    done = run("baseline")
    assert done.returncode == 0, done.stderr
    assert "gatewright-baseline.json: 2 known findings, 2 new, 0 dropped\n" in done.stdout
    assert 'put `baseline = "gatewright-baseline.json"`' in done.stdout
    configure(repository, 'baseline = "gatewright-baseline.json"')
    done = run("run")
    assert done.returncode == 0
    assert "(2 known)" in done.stdout
    # The same findings further down are the same findings.
    bad = repository / "frameworks/bad.json"
    bad.write_text("\n\n" + bad.read_text(encoding="utf-8"), encoding="utf-8")
    assert run("run").returncode == 0
    # A new one fails, alone.
    change(bad, lambda item: item.update(hit_rule=" "))
    done = run("run", "--format", "json")
    assert (done.returncode, codes(done)) == (1, ["GWF022"])
    assert run("run", "--no-baseline", "--format", "json").returncode == 1
    assert len(codes(run("run", "--no-baseline", "--format", "json"))) == 3


def test_mended_findings_are_told_and_dropped(run, repository):
    run("baseline")
    configure(repository, 'baseline = "gatewright-baseline.json"')
    bad = repository / "frameworks/bad.json"
    change(bad, lambda item: item.update(question="Does it?", hit_rule=" "))
    done = run("run")
    assert done.returncode == 1
    assert "1 known finding mended" in done.stderr
    assert "frameworks/bad.json: GWF022" in done.stderr
    # A part of the run says nothing of the rest.
    assert "mended" not in run("run", "--only", "blueprint recount", check=False).stderr
    done = run("baseline", "--prune")
    assert "1 known finding, 0 new, 1 dropped" in done.stdout
    assert "mended: frameworks/bad.json: GWF022" in done.stdout
    assert run("run").returncode == 1
    assert "1 new, 0 dropped" in run("baseline").stdout
    assert run("run").returncode == 0


def test_a_baseline_takes_no_foreign_file_and_nothing_that_could_not_run(run, repository):
    target = repository / "gatewright-baseline.json"
    target.write_text('{"mine": 1}', encoding="utf-8")
    done = run("baseline")
    assert done.returncode == 2
    assert target.read_text(encoding="utf-8") == '{"mine": 1}'
    target.unlink()
    (repository / "frameworks/bad.json").write_text("{", encoding="utf-8")
    done = run("baseline")
    assert (done.returncode, target.exists()) == (2, False)
    assert "nothing was accepted" in done.stderr


def test_only_runs_what_is_called_so(run, repository):
    done = run("run", "--only", "frameworks", "--list")
    assert [line.split(" -- ")[0] for line in done.stdout.splitlines()] == [
        "gatewright framework check"
    ] * 2
    done = run("run", "--only", "framework")
    assert done.returncode == 2
    assert "runs nothing called `framework`, did you mean `frameworks`?" in done.stderr


def test_check_uses_the_gates_of_the_configuration_or_the_kind(run, repository, tmp_path):
    configure(repository, 'ignore = ["GWF003", "GWF022"]')
    assert run("check", "frameworks/bad.json").returncode == 0
    assert run("check", "--no-config", "frameworks/bad.json").returncode == 1
    assert run("check", "--no-config", "--ignore=GWF0", "frameworks/bad.json").returncode == 0
    # From elsewhere, by its own configuration.
    (tmp_path / "else").mkdir()
    assert run("check", "../frameworks/bad.json", cwd=tmp_path / "else").returncode == 0
    # A file that no gate of the configuration looks at goes by its kind.
    loose = repository / "loose.json"
    loose.write_text((repository / "frameworks/bad.json").read_text(encoding="utf-8"))
    assert run("check", "loose.json", "--format=json").returncode == 0
    (repository / "gatewright.toml").unlink()
    done = run("check", "loose.json", "--format=json")
    assert (done.returncode, codes(done)) == (1, ["GWF003", "GWF022"])


def test_check_reads_standard_input(run, repository):
    text = (repository / "frameworks/bad.json").read_text(encoding="utf-8")
    done = run("check", "-", input=text)
    assert done.returncode == 1
    assert done.stdout.startswith("-:")
    assert "stdin" not in done.stdout
    assert run("check", "-", input="{}").returncode == 2


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.json", "{}", "no gate knows this kind of file"),
        ("x.txt", "hello", "no gate knows this kind of file"),
        ("findings.json", '{"findings": [], "framework_version": 1}', "manifest.json"),
        (
            "card.md",
            "---\npersona: p\nrun_id: r\nfindings: []\n---\n",
            "scorecard check --source FILE",
        ),
    ],
)
def test_check_says_what_it_cannot_check(run, tmp_path, name, content, words):
    (tmp_path / name).write_text(content, encoding="utf-8")
    done = run("check", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert name in done.stderr
    assert words in done.stderr


def event(repository, name, **more):
    value = {
        "hook_event_name": "PostToolUse",
        "cwd": str(repository),
        "tool_name": "Write",
        "tool_input": {"file_path": str(repository / name)},
        **more,
    }
    return json.dumps(value)


def test_the_hook_shows_an_agent_the_findings_of_the_file_it_wrote(run, repository, tmp_path):
    (tmp_path / "else").mkdir()
    done = run("hook", input=event(repository, "frameworks/bad.json"), cwd=tmp_path / "else")
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert any("GWF003" in line and "fix: " in line for line in lines)
    assert not any("good.json" in line for line in lines)
    assert lines[-1].endswith("1 item, version 1")


def test_the_hook_is_silent_about_what_passes_and_what_does_not_concern_it(run, repository):
    for name in ("frameworks/good.json", "notes.md", "elsewhere/x.py"):
        done = run("hook", input=event(repository, name))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), name
    done = run("hook", input='{"tool_name": "Bash", "tool_input": {"command": "ls"}}')
    assert (done.returncode, done.stderr) == (0, "")


def test_the_hook_cannot_pass_what_it_cannot_decide(run, repository):
    for text in ("", "{", "[]"):
        done = run("hook", input=text)
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
    (repository / "gatewright.toml").write_text("[[gate]]\ngate = 3\n", encoding="utf-8")
    assert run("hook", input=event(repository, "frameworks/good.json")).returncode == 2


def test_before_an_agent_stops_all_gates_are_run_once(run, repository):
    stop = {"hook_event_name": "Stop", "cwd": str(repository)}
    done = run("hook", input=json.dumps(stop))
    assert done.returncode == 2
    assert "GWF003" in done.stderr
    done = run("hook", input=json.dumps({**stop, "stop_hook_active": True}))
    assert done.returncode == 1


def test_the_hook_installs_itself_beside_what_is_there(run, tmp_path):
    shown = run("hook", "--print").stdout
    assert json.loads(shown)["hooks"]["PostToolUse"][0]["hooks"][0]["command"] == "gatewright hook"
    assert not (tmp_path / ".claude").exists()
    done = run("hook", "--install")
    assert done.stdout.startswith(shown)
    settings = tmp_path / ".claude/settings.json"
    assert json.loads(settings.read_text(encoding="utf-8")) == json.loads(shown)
    assert "nothing was changed" in run("hook", "--install").stdout
    own = {"z": 1, "hooks": {"Stop": [], "PostToolUse": [{"matcher": "x", "hooks": []}]}, "a": 2}
    write(settings, own)
    run("hook", "--install")
    merged = json.loads(settings.read_text(encoding="utf-8"))
    assert list(merged) == ["z", "hooks", "a"]
    assert merged["hooks"]["PostToolUse"][0] == {"matcher": "x", "hooks": []}
    assert len(merged["hooks"]["PostToolUse"]) == 2
    settings.write_text('{"hooks": []}', encoding="utf-8")
    assert run("hook", "--install").returncode == 2
    assert settings.read_text(encoding="utf-8") == '{"hooks": []}'


@pytest.fixture
def watching(command, repository):
    """Start a command that goes on; a function that reads its next answer, and the process."""
    started = []

    def start(*words):
        process = subprocess.Popen(
            [*command, *words],
            cwd=repository,
            env={**os.environ, "NO_COLOR": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        started.append(process)

        def answer():
            lines = []
            for line in process.stdout:
                if line.startswith("watching "):
                    return "".join(lines)
                lines.append(line)
            raise AssertionError(lines)

        return process, answer

    yield start
    for process in started:
        process.kill()
        process.communicate()


def interrupted(process):
    """What is still said when Ctrl-C comes."""
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    return said


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
def test_a_run_goes_on_until_ctrl_c(watching, repository):
    process, answer = watching("run", "--watch")
    assert "GWF003" in answer()
    bad, good = (repository / f"frameworks/{name}.json" for name in ("bad", "good"))
    bad.write_text(good.read_text(encoding="utf-8"), encoding="utf-8")
    assert "2 gates passed" in answer()
    # A file that a glob comes to match, then a configuration that cannot be used, then one that can.
    (repository / "frameworks/new.json").write_text("{}", encoding="utf-8")
    assert "frameworks/new.json" in answer()
    whole = (repository / "gatewright.toml").read_text(encoding="utf-8")
    (repository / "gatewright.toml").write_text("[[gate", encoding="utf-8")
    assert "gatewright.toml" in answer()
    (repository / "gatewright.toml").write_text(whole + "# again", encoding="utf-8")
    assert "frameworks/new.json" in answer()
    said = interrupted(process)
    assert said.splitlines() in ([], ["gatewright: interrupted"])
    assert process.returncode == -signal.SIGINT


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
def test_a_check_goes_on_until_ctrl_c(watching, repository):
    process, answer = watching("check", "--watch", "--format=compact", "frameworks/bad.json")
    assert "GWF003" in answer()
    change(repository / "frameworks/bad.json", lambda item: item.update(disposition="report"))
    shown = answer()
    assert "GWF022" in shown
    assert "GWF003" not in shown
    interrupted(process)
    assert process.returncode == -signal.SIGINT


def test_what_cannot_be_watched_is_told(run, repository):
    for words in (["run", "--watch", "--format=json"], ["check", "--watch", "-"]):
        done = run(*words, stdin=subprocess.DEVNULL)
        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1


def test_globs_pass_over_what_git_ignores_and_virtual_environments(run, repository, framework):
    for folder in ("frameworks", "out/frameworks", "env/frameworks", "deep/kept"):
        (repository / folder).mkdir(parents=True, exist_ok=True)
        write(repository / folder / "one.json", framework)
    (repository / "env/pyvenv.cfg").write_text("version = 3.12.1\n")
    (repository / ".gitignore").write_text("/out/\n*.tmp.json\n!kept.tmp.json\n")
    (repository / "deep/.gitignore").write_text("kept/\n")
    write(repository / "frameworks/kept.tmp.json", framework)
    write(repository / "frameworks/gone.tmp.json", framework)
    # A folder that leads to itself, and a link that leads nowhere.
    (repository / "frameworks/round").symlink_to(".", target_is_directory=True)
    configuration = '[[gate]]\ngate = "framework check"\ninputs = ["**/*.json"]\n'
    (repository / "gatewright.toml").write_text(configuration)

    def listed():
        return [line.split(" -- ")[1] for line in run("run", "--list").stdout.splitlines()]

    names = ["bad", "good", "kept.tmp", "one"]
    assert listed() == [f"frameworks/{name}.json" for name in names]
    # A name without wildcards is taken as it is.
    named = configuration.replace("**/*.json", "out/frameworks/one.json")
    (repository / "gatewright.toml").write_text(named)
    assert listed() == ["out/frameworks/one.json"]
    ignored = configuration.replace("**/*.json", "out/**/*.json")
    (repository / "gatewright.toml").write_text(ignored)
    done = run("run")
    assert done.returncode == 2
    assert "matches only what .gitignore names; set respect-gitignore = false" in done.stderr
    (repository / "gatewright.toml").write_text("respect-gitignore = false\n" + ignored)
    assert listed() == ["out/frameworks/one.json"]


def test_init_gates_neither_virtual_environments_nor_what_git_ignores(run, tmp_path, framework):
    (tmp_path / "env/lib/skill/scripts").mkdir(parents=True)
    (tmp_path / "env/pyvenv.cfg").write_text("version = 3.12.1\n")
    (tmp_path / "env/lib/skill/scripts/emit-verdict.py").write_text("print('installed')\n")
    (tmp_path / "out").mkdir()
    (tmp_path / ".gitignore").write_text("out\n")
    for folder in (tmp_path, tmp_path / "env/lib/skill", tmp_path / "out"):
        write(folder / "framework.json", framework)
    done = run("init")
    assert done.stdout.splitlines() == [
        "written gatewright.toml",
        "found 1 framework",
        "next: gatewright run",
    ]
