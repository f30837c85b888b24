"""The package as Python sees it: what importing loads, which names exist, what the frame does."""

from __future__ import annotations

import ast
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

import gatewright
import pytest
from gatewright import _api, _native

PACKAGE = Path(gatewright.__file__).parent
ROOT = Path(__file__).resolve().parent.parent.parent


def test_importing_the_package_loads_nothing_else():
    code = (
        "import sys; before = set(sys.modules); import gatewright;"
        "print(sorted(set(sys.modules) - before))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "['gatewright']"


def test_the_native_module_loads_no_heavy_module():
    heavy = {"typing", "re", "json", "argparse", "datetime", "pathlib"}
    code = (
        "import sys; before = set(sys.modules); import gatewright._native;"
        "print(*(set(sys.modules) - before))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not heavy & set(out.stdout.split())


def test_every_public_name_loads_and_is_declared():
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    declared = {
        alias.asname or alias.name
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert declared == set(_api.HOMES)
    assert dir(gatewright) == sorted(_api.HOMES)
    for name in _api.HOMES:
        assert getattr(gatewright, name) is not None


def test_the_logger_hears_verdicts_and_findings(caplog, framework, capfd):
    framework["approved"] = True
    with caplog.at_level(logging.INFO, logger="gatewright"):
        gatewright.check_framework(framework)
    assert [record.levelname for record in caplog.records] == ["INFO"]
    assert caplog.messages[0].startswith("framework check failed: ")
    caplog.clear()
    with caplog.at_level(logging.DEBUG, logger="gatewright"):
        outcome = gatewright.check_framework(framework)
    assert caplog.messages[1:] == [str(finding) for finding in outcome.findings]
    # The package sets up no handler: an application decides what is shown.
    assert logging.getLogger("gatewright").handlers == []
    assert capfd.readouterr() == ("", "")


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        gatewright.nothing  # noqa: B018


def test_versions_agree(run):
    assert run("--version").stdout == f"gatewright {_native.__version__}\n"


def test_help_and_usage_errors_have_their_streams_and_statuses(run):
    helped = run("--help")
    assert (helped.returncode, helped.stderr) == (0, "")
    assert "Exit status: 0 every gate passed, 1 findings, 2 could not run" in helped.stdout
    wrong = run("no-such-command")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "no-such-command" in wrong.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell", "elvish"])
def test_completions_name_every_group(run, shell):
    script = run("completions", shell)
    assert script.returncode == 0
    assert "explain" in script.stdout
    assert "shims" in script.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_standard_output_is_no_success(command):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*command, "explain"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "gatewright: cannot write standard output: [Errno 28] No space left on device"
    ]


def test_a_closed_pipe_is_a_normal_end(command):
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        [*command, "explain"], stdout=write_end, stderr=subprocess.PIPE, text=True
    )
    os.close(write_end)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("cargo") is None, reason="no cargo here")
def test_the_source_distribution_holds_all_that_the_build_reads(tmp_path):
    maturin = [sys.executable, "-m", "maturin"]
    words = [*maturin, "sdist", "-o", tmp_path]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    (archive,) = tmp_path.glob("gatewright-*.tar.gz")
    shutil.unpack_archive(archive, tmp_path)
    # Dependencies are taken from where the tests of this tree have them.
    done = subprocess.run(
        ["cargo", "check", "--quiet", "--locked"],
        cwd=tmp_path / archive.name.removesuffix(".tar.gz"),
        env={**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
