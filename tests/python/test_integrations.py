"""Where pipelines meet the gates: pre-commit, the GitHub action, completions, the man page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
PASSING = {"screens": [{"background_color": "#fff"}], "design_tokens": {"palette": ["#fff"]}}
FAILING = {"screens": [{"background_color": "#123456"}], "design_tokens": {"palette": ["#fff"]}}
CONFIG = '[[gate]]\ngate = "blueprint recount"\ninputs = ["**/blueprint.json"]\n'


@pytest.fixture
def environment(tmp_path):
    """An environment whose ``gatewright`` and ``python3`` are the tested ones, without settings."""
    home = tmp_path / "home"
    home.mkdir()
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "PRE_"))}
    return {
        **kept,
        "HOME": str(home),
        "PRE_COMMIT_HOME": str(home / "pre-commit"),
        "PATH": str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"],
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "NO_COLOR": "1",
    }


def git(folder, environment, *arguments):
    return subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


@pytest.fixture
def skill(tmp_path, environment):
    folder = tmp_path / "skill"
    folder.mkdir()
    (folder / "gatewright.toml").write_text(CONFIG, encoding="utf-8")
    (folder / "blueprint.json").write_text(json.dumps(PASSING), encoding="utf-8")
    git(folder, environment, "init", "-q", "-b", "main")
    return folder


def test_the_hooks_run_in_pre_commit_itself(tmp_path, environment, skill):
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
    git(hooks, environment, "init", "-q", "-b", "main")
    git(hooks, environment, "add", ".")
    git(hooks, environment, "commit", "-q", "-m", "Hooks")
    revision = git(hooks, environment, "rev-parse", "HEAD")
    # The tested package is installed here already: no environment is built for it.
    uses = [
        {"id": hook["id"], "language": "system"}
        for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    ]
    config = {"repos": [{"repo": str(hooks), "rev": revision, "hooks": uses}]}
    (skill / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    git(skill, environment, "add", ".")

    def run():
        return subprocess.run(
            [sys.executable, "-m", "pre_commit", "run", "--all-files"],
            cwd=skill,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )

    done = run()
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("Passed") == 2
    (skill / "blueprint.json").write_text(json.dumps(FAILING), encoding="utf-8")
    done = run()
    assert done.returncode == 1
    assert "exit code: 1" in done.stdout
    assert "#123456" in done.stdout
    (skill / "gatewright.toml").write_text(CONFIG.replace("recount", "recont"), encoding="utf-8")
    done = run()
    assert done.stdout.count("Failed") == 2
    assert "did you mean `blueprint recount`?" in done.stdout


@pytest.fixture
def action():
    return yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def run_action(action, skill, environment, tmp_path, **inputs):
    """The action's own scripts, run as the runner runs them; returns the outputs and status."""
    defaults = {name: entry.get("default", "") for name, entry in action["inputs"].items()}
    values = {**defaults, **inputs}
    outputs = {}
    status = 0
    for step in action["runs"]["steps"]:
        if "uses" in step or step["name"].startswith("Install"):
            continue
        variables = {}
        for name, expression in step.get("env", {}).items():
            text = expression.strip("${ }")
            kind, _, key = text.partition(".")
            variables[name] = values[key] if kind == "inputs" else outputs[text.split(".")[-1]]
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=skill,
            env={
                **environment,
                **variables,
                "GITHUB_OUTPUT": str(tmp_path / "outputs"),
                "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
            },
            capture_output=True,
            text=True,
            timeout=120,
        )
        outputs["log"] = outputs.get("log", "") + done.stdout + done.stderr
        if (tmp_path / "outputs").exists():
            lines = (tmp_path / "outputs").read_text(encoding="utf-8").splitlines()
            outputs.update(line.split("=", 1) for line in lines)
        status = status or done.returncode
    return outputs, status


def test_the_action_annotates_reports_and_decides(tmp_path, environment, skill, action):
    outputs, status = run_action(action, skill, environment, tmp_path)
    assert (status, outputs["status"], outputs["sarif"]) == (0, "0", "gatewright.sarif")
    (skill / "blueprint.json").write_text(json.dumps(FAILING), encoding="utf-8")
    outputs, status = run_action(action, skill, environment, tmp_path)
    assert (status, outputs["status"]) == (1, "1")
    assert "::error file=blueprint.json,line=1," in outputs["log"]
    report = json.loads((skill / "gatewright.sarif").read_text(encoding="utf-8"))
    assert len(report["runs"][0]["results"]) == 1
    assert "1 of 1 gate failed" in (tmp_path / "summary.md").read_text(encoding="utf-8")


def test_the_action_never_runs_a_module_of_the_checkout(tmp_path, environment, skill, action):
    (skill / "blueprint.json").write_text(json.dumps(FAILING), encoding="utf-8")
    for name in ("gatewright.py", "runpy.py", "pip.py"):
        (skill / name).write_text("print('code of the repository'); raise SystemExit(0)\n")
    outputs, status = run_action(action, skill, environment, tmp_path)
    assert (status, outputs["status"]) == (1, "1")
    assert "code of the repository" not in outputs["log"]
    install = action["runs"]["steps"][0]["run"]
    assert install.index("cd ") < install.index("python3 -m pip")


def test_the_action_fails_when_there_is_nothing_to_run(tmp_path, environment, skill, action):
    (skill / "gatewright.toml").unlink()
    outputs, status = run_action(action, skill, environment, tmp_path)
    assert (status, outputs["status"], outputs["sarif"]) == (2, "2", "")


def test_the_action_pins_what_is_not_ours_and_keeps_inputs_out_of_scripts(action):
    for step in action["runs"]["steps"]:
        if "uses" in step:
            _, _, revision = step["uses"].partition("@")
            assert len(revision) == 40
            int(revision, 16)
        assert "${{" not in step.get("run", "")


def complete(run, words):
    script = run("completions", "bash").stdout
    line = " ".join(words)
    program = f"""{script}
COMP_WORDS=({line} ""); COMP_CWORD={len(words)}
_gatewright gatewright "" "{words[-1]}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_bash_completes_commands_and_options(run):
    assert {"run", "init", "explain", "shims"} <= set(complete(run, ["gatewright"]))
    assert {"--no-cache", "--list", "--format", "--output"} <= set(
        complete(run, ["gatewright", "run"])
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell", "elvish"])
def test_every_shell_gets_a_completion_script(run, shell):
    done = run("completions", shell)
    assert done.returncode == 0
    assert "no-cache" in done.stdout
    if shutil.which(shell) and shell != "elvish":
        subprocess.run([shell, "-n"], input=done.stdout, text=True, check=True)


def test_man_pages_are_clean_for_groff(run, tmp_path):
    done = run("man")
    assert done.returncode == 0
    assert "gatewright" in done.stdout
    pages = tmp_path / "man1"
    done = run("man", pages)
    assert done.returncode == 0
    names = {path.name for path in pages.iterdir()}
    assert {"gatewright.1", "gatewright-run.1", "gatewright-explain.1"} <= names
    if shutil.which("groff"):
        for page in sorted(pages.iterdir()):
            checked = subprocess.run(
                ["groff", "-man", "-Tutf8", "-ww", "-z", str(page)], capture_output=True, text=True
            )
            assert checked.stderr == "", page.name
