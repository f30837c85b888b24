"""``gatewright shims``: what it writes, what it refuses, that the scripts work where they lie."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import gatewright
import pytest

SHIPPED = sorted(
    path
    for path in (Path(gatewright.__file__).parent / "shims").iterdir()
    if path.suffix in {".py", ".sh"}
)


def test_every_shipped_script_is_written_executable_and_to_the_byte(run, tmp_path):
    done = run("shims", "scripts")
    assert done.returncode == 0
    written = sorted((tmp_path / "scripts").iterdir())
    assert [path.name for path in written] == [path.name for path in SHIPPED]
    for ours, path in zip(SHIPPED, written):
        assert path.read_bytes() == ours.read_bytes()
        assert os.access(path, os.X_OK)
    assert done.stdout.splitlines()[0].startswith("written scripts/")
    again = run("shims", "scripts")
    assert all(line.startswith("unchanged ") for line in again.stdout.splitlines())


def test_a_schema_that_the_skill_lacks_is_pointed_out(run, tmp_path):
    done = run("shims", "scripts", "validate_framework")
    assert done.stderr == (
        "note: scripts/validate_framework.py reads "
        "scripts/../references/framework.schema.json, which is not there yet\n"
    )
    (tmp_path / "references").mkdir()
    (tmp_path / "references/framework.schema.json").write_text("{}")
    assert run("shims", "scripts").stderr == ""
    assert run("shims", "other/scripts", "emit-verdict").stderr == ""


def test_one_script_can_be_named_with_or_without_ending(run, tmp_path):
    assert run("shims", "scripts", "emit-verdict", "reconcile_counts.py").returncode == 0
    names = sorted(path.name for path in (tmp_path / "scripts").iterdir())
    assert names == ["emit-verdict.py", "reconcile_counts.py"]


def test_an_unknown_name_is_refused_and_lists_the_known(run, tmp_path):
    done = run("shims", "scripts", "nothing")
    assert done.returncode == 2
    assert "no entry script `nothing`" in done.stderr
    assert "emit-verdict.py" in done.stderr
    assert not (tmp_path / "scripts").exists()


def test_a_foreign_file_is_kept_without_force(run, tmp_path):
    folder = tmp_path / "scripts"
    folder.mkdir()
    foreign = folder / "emit-verdict.py"
    foreign.write_text("print('mine')\n")
    done = run("shims", "scripts")
    assert done.returncode == 2
    assert "`scripts/emit-verdict.py`" in done.stderr
    assert "--force" in done.stderr
    assert foreign.read_text() == "print('mine')\n"
    assert [path.name for path in folder.iterdir()] == ["emit-verdict.py"]
    assert run("shims", "scripts", "--force").returncode == 0
    assert "Entry script of gatewright" in foreign.read_text()


@pytest.mark.parametrize(
    "script", [path for path in SHIPPED if path.suffix == ".py"], ids=lambda path: path.name
)
def test_a_written_script_runs_from_any_folder_and_directly(run, tmp_path, script):
    run("shims", "skill/scripts", script.name)
    path = tmp_path / "skill" / "scripts" / script.name
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    bare = subprocess.run([sys.executable, path], cwd=elsewhere, capture_output=True, text=True)
    assert bare.returncode == 2
    assert bare.stderr.startswith(f"usage: {script.name} ")
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    direct = subprocess.run([path], cwd=elsewhere, capture_output=True, text=True, env=env)
    assert (direct.returncode, direct.stderr) == (2, bare.stderr)


#: Scripts whose status for "could not run" is 1.
STATUS_ONE = {
    "build_checker_plan",
    "merge_checker_results",
    "reconcile_counts",
    "verify_finding_quotes",
}


@pytest.mark.parametrize(
    "script", [path for path in SHIPPED if path.suffix == ".py"], ids=lambda path: path.name
)
def test_without_the_package_a_script_says_so_and_does_not_pass(tmp_path, script):
    done = subprocess.run(
        [sys.executable, "-S", "-I", script], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == (1 if script.stem in STATUS_ONE else 2)
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert f"{sys.executable} -m pip install gatewright" in done.stderr
