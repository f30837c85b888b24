"""A newcomer's first hour: wheel, entry scripts, configuration, run, a planted fault, every format.

One test in one fresh environment, so that each step stands on the one before, as it does for a
newcomer.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest
import report_checks
import skill_repository

ROOT = Path(__file__).resolve().parent.parent.parent
LEDGER = "rooms/lease/findings.json"
FORKING = """
import multiprocessing
import gatewright

def grade(quote):
    return gatewright.ground([quote] * 64, "one two three four\\n" * 64)[0]

if __name__ == "__main__":
    grade("two three")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print([match.grade for match in pool.map(grade, ["one two", "three four"])])
"""


@pytest.fixture
def wheel(tmp_path):
    """The wheel of this tree. Where the tested package was built here, cargo has nothing to do."""
    if shutil.which("cargo") is None:
        pytest.skip("no cargo here; the wheel is built from source")
    origin = importlib.metadata.distribution("gatewright").read_text("direct_url.json") or "{}"
    is_editable = json.loads(origin).get("dir_info", {}).get("editable", False)
    profile = ["--config-settings=build-args=--profile=dev"] if is_editable else []
    # No isolation: the build tools are those of the tests, so nothing is fetched.
    words = ["wheel", "--no-deps", "--no-build-isolation", *profile, "-w", tmp_path / "dist", ROOT]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", *words],
        env={**os.environ, "PATH": path},
        check=True,
    )
    (built,) = (tmp_path / "dist").glob("gatewright-*.whl")
    return built


class Newcomer:
    """Types commands in a repository, with the programs of a fresh environment alone."""

    def __init__(self, environment, repository):
        programs = environment / ("Scripts" if sys.platform == "win32" else "bin")
        kept = {name: os.environ[name] for name in ("SYSTEMROOT", "TMPDIR") if name in os.environ}
        self.repository = repository
        self.env = {
            **kept,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(environment),
            "LC_ALL": "C.UTF-8",
        }

    def types(self, *words, status, **options):
        """Run a command, check its status, return its streams."""
        program = shutil.which(words[0], path=self.env["PATH"])
        done = subprocess.run(
            [program, *words[1:]],
            cwd=self.repository,
            env=self.env,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            **options,
        )
        assert done.returncode == status, (words, done.stdout, done.stderr)
        return done.stdout, done.stderr


@pytest.fixture
def newcomer(tmp_path, wheel):
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False, symlinks=True)
    words = ["--python", environment, "install", "-q", "--no-index", "--no-deps", wheel]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, *words], check=True)
    return Newcomer(environment, skill_repository.make(tmp_path / "skill"))


def test_from_an_empty_environment_to_every_report(newcomer):
    repository, types = newcomer.repository, newcomer.types

    # The installed package is the one that answers.
    where, _ = types(
        "python", "-c", "import gatewright; print(gatewright.__file__, end='')", status=0
    )
    assert Path(where).is_relative_to(newcomer.env["HOME"])
    types("gatewright", "--version", status=0)

    # Entry scripts: refused over foreign files, written with --force, then they answer.
    scripts = [Path(name).stem for name in skill_repository.FOREIGN]
    foreign = (repository / "scripts/emit-verdict.py").read_text(encoding="utf-8")
    _, stderr = types("gatewright", "shims", "scripts", *scripts, status=2)
    assert "--force" in stderr
    assert (repository / "scripts/emit-verdict.py").read_text(encoding="utf-8") == foreign
    stdout, _ = types("gatewright", "shims", "--force", "scripts", *scripts, status=0)
    assert stdout.splitlines() == [f"replaced scripts/{name}" for name in skill_repository.FOREIGN]
    ledger = [
        *("--findings", LEDGER),
        *("--manifest", "rooms/lease/manifest.json"),
        *("--framework", "rooms/lease/framework.json"),
    ]
    draft = ("--blueprint", "drafts/home/blueprint.json")
    types(
        *("python", "scripts/validate_framework.py"),
        *("--framework", "references/framework.json"),
        status=0,
    )
    types("python", "scripts/reconcile_counts.py", *ledger, status=0)
    stdout, _ = types("python", "scripts/recount-palette-orphans.py", *draft, status=0)
    assert json.loads(stdout)["orphan_count"] == 0

    # A configuration from what lies there, which runs without an edit.
    stdout, _ = types("gatewright", "init", status=0)
    assert stdout.splitlines()[0] == "written gatewright.toml"
    assert stdout.splitlines()[-1] == "next: gatewright run"
    stdout, stderr = types("gatewright", "run", status=0)
    assert stdout.splitlines()[-1] == "6 gates passed"
    assert stderr == ""
    for name, check in report_checks.CHECKS.items():
        types("gatewright", "run", "--format", name, "--output", "report", status=0)
        check((repository / "report").read_text(encoding="utf-8"), 0)

    # A planted fault: a result is lost. Script and run both see it.
    faulty = skill_repository.sound_ledger()
    del faulty["findings"][-1]
    skill_repository.write(repository / LEDGER, faulty)
    types("python", "scripts/reconcile_counts.py", *ledger, status=1)
    stdout, stderr = types("gatewright", "run", status=1)
    assert stdout.splitlines()[-1] == "1 of 6 gates failed"
    assert "GWC019 issue `term-convenience` has no result" in stdout
    assert stderr.startswith("3 of 5 gate runs unchanged")
    for name, check in report_checks.CHECKS.items():
        types("gatewright", "run", "--format", name, "--output", "report", status=1)
        check((repository / "report").read_text(encoding="utf-8"), 1)
    stdout, _ = types("gatewright", "explain", "GWC019", status=0)
    assert stdout.startswith("# GWC019 uncovered-unit\n")

    # Day two. The finding is accepted for now: only new ones fail.
    stdout, _ = types("gatewright", "baseline", status=0)
    assert "1 known finding, 1 new, 0 dropped" in stdout
    configuration = repository / "gatewright.toml"
    text = configuration.read_text(encoding="utf-8")
    known = 'baseline = "gatewright-baseline.json"\n'
    configuration.write_text(known + text, encoding="utf-8")
    stdout, _ = types("gatewright", "run", status=0)
    assert "(1 known)" in stdout

    # One file, by the gates that concern it; an agent's hook says the same of what was written.
    types("gatewright", "check", LEDGER, status=0)
    del faulty["findings"][0]
    skill_repository.write(repository / LEDGER, faulty)
    stdout, _ = types("gatewright", "check", LEDGER, "--format", "compact", status=1)
    assert stdout.count("GWC019") == 1
    event = json.dumps({"cwd": str(repository), "tool_input": {"file_path": LEDGER}})
    stdout, stderr = types("gatewright", "hook", status=2, input=event)
    assert stdout == ""
    assert "GWC019" in stderr
    stdout, _ = types("gatewright", "hook", "--install", status=0)
    assert stdout.endswith("added to .claude/settings.json\n")

    # What is mechanical is mended, and said.
    del faulty["findings"][0]["finding_id"]
    skill_repository.write(repository / LEDGER, faulty)
    _, stderr = types("gatewright", "check", "--fix", LEDGER, status=1)
    assert "id `<no id>`" in stderr

    # Results pass between processes, forked ones too, also after the parent has worked in parallel.
    if hasattr(os, "fork"):
        stdout, _ = types("python", "-c", FORKING, status=0)
        assert stdout == "['identical', 'identical']\n"

    # A gate that cannot run is neither passed nor failed.
    (repository / "rooms/lease/manifest.json").unlink()
    stdout, _ = types("gatewright", "run", status=2)
    assert "GWR001" in stdout
    assert stdout.splitlines()[-1] == "1 of 6 gates could not run"
