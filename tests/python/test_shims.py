"""``gatewright shims``: what it writes, what it refuses, that the scripts work where they lie."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
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


ROOT = Path(__file__).parents[2]
FOREIGN = "import argparse\ndef tally(x): pass\nparser.add_argument('--clusters')\n"


def content(folder):
    """Name, bytes and mode of every file, links as links."""
    return {
        path.name: (path.is_symlink(), path.is_file() and path.read_bytes(), path.stat().st_mode)
        for path in folder.iterdir()
    }


def test_a_dry_run_tells_and_writes_nothing(run, tmp_path):
    done = run("shims", "scripts", "--dry-run")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines == [f"would be written scripts/{path.name}" for path in SHIPPED]
    assert not (tmp_path / "scripts").exists()
    run("shims", "scripts", "emit-verdict", "reconcile_counts")
    (tmp_path / "scripts" / "reconcile_counts.py").write_text("print('mine')\n")
    before = content(tmp_path / "scripts")
    done = run("shims", "scripts", "--dry-run", "--force")
    assert "would be unchanged scripts/emit-verdict.py\n" in done.stdout
    assert "would be replaced scripts/reconcile_counts.py\n" in done.stdout
    assert "would be written scripts/validate_framework.py\n" in done.stdout
    refused = run("shims", "scripts", "--dry-run")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "`scripts/reconcile_counts.py`" in refused.stderr
    assert content(tmp_path / "scripts") == before


def test_existing_writes_only_what_is_there(run, tmp_path):
    assert run("shims", "scripts", "--existing").stdout == ""
    folder = tmp_path / "scripts"
    folder.mkdir(exist_ok=True)
    (folder / "emit-verdict.py").write_text("print('mine')\n")
    done = run("shims", "scripts", "--existing", "--force")
    assert done.stdout == "replaced scripts/emit-verdict.py\n"
    assert [path.name for path in folder.iterdir()] == ["emit-verdict.py"]
    done = run("shims", "scripts", "--existing")
    assert done.stdout == "unchanged scripts/emit-verdict.py\n"


def test_another_script_of_the_same_name_is_replaced_only_when_that_is_meant(run, tmp_path):
    script = tmp_path / "scripts" / "reconcile_counts.py"
    script.parent.mkdir()
    script.write_text(FOREIGN)
    done = run("shims", "scripts", "--force")
    assert (done.returncode, done.stdout) == (2, "")
    assert "has function `tally`, option `--clusters`" in done.stderr
    assert "--replace-different" in done.stderr
    assert [path.name for path in script.parent.iterdir()] == [script.name]
    assert script.read_text() == FOREIGN
    assert run("shims", "scripts", "--replace-different").returncode == 2
    done = run("shims", "scripts", "--force", "--replace-different")
    assert "replaced scripts/reconcile_counts.py\n" in done.stdout
    assert script.read_bytes() == next(p for p in SHIPPED if p.name == script.name).read_bytes()


HEADER = "# Copyright somebody\n#\n# SPDX-License-Identifier: MIT\n"


def headed(text):
    first, rest = text.split("\n", 1)
    return f"{first}\n{HEADER}{rest}"


def test_a_header_above_our_text_is_kept(run, tmp_path):
    run("shims", "scripts")
    for path in (tmp_path / "scripts").iterdir():
        path.write_text(headed(path.read_text()))
    before = content(tmp_path / "scripts")
    done = run("shims", "scripts")
    assert all(line.startswith("unchanged ") for line in done.stdout.splitlines())
    assert content(tmp_path / "scripts") == before
    # Anything but a header makes the file the user's own.
    path = tmp_path / "scripts" / "emit-verdict.py"
    path.write_text(path.read_text() + "print('mine')\n")
    done = run("shims", "scripts")
    assert done.returncode == 2
    assert "`scripts/emit-verdict.py`" in done.stderr


def test_the_mode_and_the_link_of_a_script_are_kept(run, tmp_path):
    folder = tmp_path / "scripts"
    folder.mkdir()
    (folder / "emit-verdict.py").write_text("print('mine')\n")
    (folder / "emit-verdict.py").chmod(0o640)
    (tmp_path / "elsewhere.py").write_text("print('mine')\n")
    (folder / "reconcile_counts.py").symlink_to("../elsewhere.py")
    assert run("shims", "scripts", "--force").returncode == 0
    assert (folder / "emit-verdict.py").stat().st_mode & 0o7777 == 0o640
    assert (folder / "reconcile_counts.py").is_symlink()
    assert "Entry script of gatewright" in (tmp_path / "elsewhere.py").read_text()


@pytest.mark.parametrize("flags", [[], ["--force"], ["--force", "--replace-different"]], ids=str)
def test_a_folder_in_the_way_stops_everything(run, tmp_path, flags):
    folder = tmp_path / "scripts"
    (folder / "validate_framework.py").mkdir(parents=True)
    (folder / "build_checker_plan.py").write_text("print('mine')\n")
    before = content(folder)
    done = run("shims", "scripts", *flags)
    assert (done.returncode, done.stdout) == (2, "")
    assert "`scripts/validate_framework.py`" in done.stderr
    assert content(folder) == before


def written_digests():
    """The digests that `src/cli/shims.rs` lists."""
    source = ROOT / "src" / "cli" / "shims.rs"
    if not source.is_file():
        pytest.skip("needs the source tree")
    listed = source.read_text(encoding="utf-8").split("const WRITTEN", 1)[1].split("];", 1)[0]
    return set(re.findall(r'"([0-9a-f]{64})"', listed))


def test_every_text_of_today_will_be_known_tomorrow():
    missing = {
        hashlib.sha256(path.read_bytes()).hexdigest(): path.name for path in SHIPPED
    }.keys() - written_digests()
    assert not missing, "add these digests to WRITTEN in src/cli/shims.rs, and leave the others"


def old_texts():
    """Every text that the history has for an entry script, as `(name, bytes)`, oldest first."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("needs the repository's history")

    def ask(*words):
        done = subprocess.run([git, "-C", ROOT, *words], capture_output=True)
        if done.returncode:
            pytest.skip(f"git: {done.stderr.decode()}")
        return done.stdout

    folder = "python/gatewright/shims"
    for commit in ask("log", "--format=%H", "--reverse", "--", folder).decode().split():
        for line in ask("ls-tree", "-r", commit, "--", folder).decode().splitlines():
            about, path = line.split("\t")
            if path.endswith((".py", ".sh")) and not path.endswith("__init__.py"):
                yield Path(path).name, ask("cat-file", "blob", about.split()[2])


def test_every_text_of_the_history_is_known():
    known = written_digests()
    unknown = {name for name, text in old_texts() if hashlib.sha256(text).hexdigest() not in known}
    assert not unknown


def test_an_older_text_is_brought_up_to_date_and_keeps_its_header(run, tmp_path):
    name, text = next(iter(old_texts()))
    path = tmp_path / "scripts" / name
    path.parent.mkdir()
    path.write_text(headed(text.decode()))
    done = run("shims", "scripts", "--existing")
    shipped = next(path for path in SHIPPED if path.name == name).read_text(encoding="utf-8")
    if text.decode() == shipped:
        pytest.skip("a shallow clone has no older text")
    assert done.stdout == f"replaced scripts/{name}\n"
    assert path.read_text() == headed(shipped)


@pytest.fixture
def lonely(tmp_path):
    """An interpreter without packages, and an environment with no installed command."""
    python = tmp_path / "lonely-python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    python.chmod(0o755)
    environment = {**os.environ, "PATH": "/usr/bin:/bin"}
    environment.pop("GATEWRIGHT_PYTHON", None)
    return python, environment


def installed(folder, body):
    """A `gatewright` command in a folder of its own, that folder."""
    command = folder / "bin" / "gatewright"
    command.parent.mkdir()
    command.write_text(body)
    command.chmod(0o755)
    return command.parent


@pytest.mark.parametrize("way", ["variable", "command", "native"])
def test_a_script_finds_the_package_elsewhere(run, tmp_path, lonely, way, request):
    python, environment = lonely
    run("shims", "scripts")
    shutil.copytree(SHIPPED[0].parents[1] / "references", tmp_path / "references")
    (tmp_path / "w.json").write_text("{}")
    if way == "variable":
        environment["GATEWRIGHT_PYTHON"] = sys.executable
    elif way == "command":
        folder = installed(tmp_path, f'#!/bin/sh\nexec "{sys.executable}" -m gatewright "$@"\n')
        environment["PATH"] = f"{folder}:{environment['PATH']}"
    else:
        program = request.getfixturevalue("program")
        folder = installed(tmp_path, "")
        (folder / "gatewright").unlink()
        (folder / "gatewright").symlink_to(program)
        environment["PATH"] = f"{folder}:{environment['PATH']}"
        # The program asks the interpreter beside it; a build tree has none, so one is named.
        environment["GATEWRIGHT_PYTHON"] = ""
        (folder / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        (folder / "python3").chmod(0o755)
    for words, status, out, err in (
        (["--framework", "w.json"], 1, "INVALID: w.json (4 error(s))", ""),
        (["--framework"], 2, "", "usage: validate_framework.py "),
        (["--help"], 0, "usage: validate_framework.py ", ""),
    ):
        script = tmp_path / "scripts" / "validate_framework.py"
        done = subprocess.run(
            [python, script, *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == status, done
        assert done.stdout.startswith(out), done
        assert done.stderr.startswith(err), done


@pytest.mark.parametrize("name", ["GATEWRIGHT_PYTHON", "PATH"])
def test_a_way_that_fails_is_told_in_one_line(tmp_path, lonely, name):
    python, environment = lonely
    if name == "PATH":
        folder = installed(tmp_path, "no program\n")
        (folder / "gatewright").write_bytes(b"\x00\x01")
        environment["PATH"] = f"{folder}:{environment['PATH']}"
        wrong = str(folder / "gatewright")
    else:
        wrong = environment[name] = str(tmp_path / "no-such-python")
    script = next(path for path in SHIPPED if path.name == "emit-verdict.py")
    done = subprocess.run([python, script], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert f"cannot run {wrong}" in done.stderr
    assert "-m pip install gatewright" in done.stderr


#: A sibling that uses every name that the entry scripts offer.
SIBLING = """
from build_checker_plan import canonical_digest, result_name
from build_checker_plan import load as load_plan
from merge_checker_results import RESULT_KEYS, VERDICTS
from reconcile_counts import REVIEWABLE, load, reconcile, unit_map
from render_readback import UNTUNED, build_readback, hit_rule_line, materiality_line
from validate_framework import DEFAULT_SCHEMA, HANDLED, METADATA, TYPE_CHECKS, check_schema
from validate_framework import json_equal, load_json, semantic_errors, type_name, validate
from verify_finding_quotes import hash_id, source_path, verify_quotes


def main() -> int:
    result = reconcile(load("m.json", "manifest", ["documents"]), {}, {}, families=None)
    errors: list[str] = []
    unknown: set[str] = set()
    check_schema({}, {}, "$", errors, unknown)
    found, names = validate({}, {}, allow_approved=1)
    print(result["ok"], unit_map({}, None), REVIEWABLE | VERDICTS | RESULT_KEYS, found, names)
    print(canonical_digest({}), result_name("x"), load_plan("p", "plan", []), UNTUNED)
    print(build_readback({}), hit_rule_line({}), materiality_line(None), HANDLED | METADATA)
    print(json_equal(1, 1), load_json(b"x", "y"), semantic_errors(fw={}), type_name(1))
    print(hash_id("x"), source_path(".", "x"), verify_quotes({}, {}, "."), DEFAULT_SCHEMA)
    return TYPE_CHECKS["null"](None)
"""


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_a_sibling_passes_the_strict_type_checkers(run, tmp_path, checker):
    if shutil.which(checker, path=Path(sys.executable).parent) is None:
        pytest.skip(f"{checker} is not installed beside this interpreter")
    run("shims", "scripts")
    (tmp_path / "scripts" / "sibling.py").write_text(SIBLING)
    config = tmp_path / "pyrightconfig.json"
    config.write_text('{"include": ["scripts"], "typeCheckingMode": "strict"}')
    words = {
        "mypy": ["mypy", "--strict", "--scripts-are-modules", "--python-executable"],
        "pyright": ["pyright", "--pythonpath"],
    }[checker]
    targets = ["sibling.py"] if checker == "mypy" else []
    done = subprocess.run(
        [Path(sys.executable).parent / words[0], *words[1:], sys.executable, *targets],
        cwd=tmp_path / ("scripts" if checker == "mypy" else "."),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
