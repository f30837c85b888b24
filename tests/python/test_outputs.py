"""Where outputs go: devices, FIFOs, links, hard links, locked folders, a closed standard output.

For every command that writes a file: what is no plain file, or has other names, is opened and
written as it stands; a plain file is replaced whole, through links; nothing else appears beside it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX files")

HASH = "a" * 64
TEXT = b"They shall pay the fee.\n"
DOCUMENT = "sha256:9757799b84b1"


def finding(**more):
    return {
        "finding_id": f"coc-01/{DOCUMENT}",
        "issue_id": "coc-01",
        "lens_id": "coc",
        "unit_id": DOCUMENT,
        "doc_id": DOCUMENT,
        "status": "present",
        "section": "1",
        "quote": "shall pay",
        "quote_verification": {"status": "confirmed"},
        **more,
    }


ASSESSMENT = {
    "findings": [],
    "observation_completeness": {"silent_gaps": 0, "key_screen_gaps": 0, "reasoned_gaps": 0},
    "load_policy_result": {"within_budget": True, "concurrency_ok": True, "notes": ""},
    "gate_results": {
        "mermaid_validate": {"status": "pass", "exit_code": 0},
        "doc_emit_check_screens": {"status": "pass", "exit_code": 0},
    },
    "recount": {
        "orphan_count": 0,
        "agrees_with_gate": True,
        "observed_count": 0,
        "palette_count": 0,
    },
    "reconstruction": {"top_level_missing": 0, "open_questions": 0, "scaffold_derivable": True},
}


@pytest.fixture
def skill(tmp_path, shims, framework, run_script):
    """A skill with every input, in a folder that anybody may enter."""
    folder = tmp_path / "skill"
    shutil.copytree(shims, folder / "scripts")
    shutil.copytree(shims.parent / "references", folder / "references")
    (folder / "room").mkdir()
    (folder / "room" / "a.txt").write_bytes(TEXT)
    for name, value in {
        "w": framework,
        "f": {"framework_version": 1, "findings": [finding()]},
        "m": {"documents": [{"id": DOCUMENT, "path": "a.txt"}], "counts": {}},
        "a": ASSESSMENT,
    }.items():
        (folder / f"{name}.json").write_text(json.dumps(value))
    plan = folder / "scripts" / "build_checker_plan.py"
    words = ["--findings", "f.json", "--framework", "w.json", "--out", "p.json"]
    assert run_script(plan, *words, cwd=folder).returncode == 0
    plan = json.loads((folder / "p.json").read_text())
    (folder / "res").mkdir()
    result = {
        "checker_plan_id": plan["plan_id"],
        "finding_id": plan["jobs"][0]["finding_id"],
        "objection": "",
        "verdict": "confirmed",
    }
    (folder / "res" / plan["jobs"][0]["result_file"]).write_text(json.dumps(result))
    (folder / "out").mkdir()
    return folder


QUOTES = ["--findings", "f.json", "--manifest", "m.json", "--room-root", "room"]
PLAN = ["--findings", "f.json", "--framework", "w.json"]
MERGE = ["--findings", "f.json", "--checker-plan", "p.json", "--results-dir", "res"]
#: Command, its words, and what the file begins with. `OUT` stands for the output.
WRITERS = {
    "render_readback": (["render_readback.py", "--framework", "w.json", "--out", "OUT"], b"{\n"),
    "build_checker_plan": (["build_checker_plan.py", *PLAN, "--out", "OUT"], b"{\n"),
    "merge_checker_results": (["merge_checker_results.py", *MERGE, "--out", "OUT"], b"{\n"),
    "verify_finding_quotes": (["verify_finding_quotes.py", *QUOTES, "--out", "OUT"], b"{\n"),
    "ledger-quotes": (["gatewright", "ledger", "quotes", *QUOTES, "--out", "OUT"], b"{\n"),
    "ledger-plan": (["gatewright", "ledger", "plan", *PLAN, "--out", "OUT"], b"{\n"),
    "ledger-merge": (["gatewright", "ledger", "merge", *MERGE, "--out", "OUT"], b"{\n"),
    "output": (
        ["gatewright", "framework", "check", "w.json", "--format=json", "--output", "OUT"],
        b"{\n",
    ),
}
EVERY = pytest.mark.parametrize("name", WRITERS)


def call(name, out):
    words, _ = WRITERS[name]
    words = [str(out) if word == "OUT" else word for word in words]
    start = ["-m", "gatewright"] if words[0] == "gatewright" else [f"scripts/{words[0]}"]
    return [sys.executable, *start, *words[1:]]


def made(name, folder, out, before=()):
    words = [*before, *call(name, out)]
    done = subprocess.run(words, cwd=folder, capture_output=True, timeout=120)
    assert done.returncode == 0, done
    return done


def expected(name, folder):
    """What the command writes into a plain file."""
    made(name, folder, "out/plain.json")
    text = (folder / "out" / "plain.json").read_bytes()
    assert text.startswith(WRITERS[name][1])
    for path in (folder / "out").iterdir():
        path.unlink()
    return text


def without_name(text):
    """A receipt or a report may name the file that it lies beside; nothing written here does."""
    assert b"plain.json" not in text
    return text


@EVERY
def test_a_fifo_gets_the_whole_file(name, skill):
    text = without_name(expected(name, skill))
    pipe = skill / "out" / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    made(name, skill, pipe)
    reader.join(60)
    assert read == [text]
    assert [path.name for path in (skill / "out").iterdir()] == ["pipe"]


@EVERY
def test_devices_stay_devices(name, skill):
    before = sorted(os.listdir("/dev"))
    made(name, skill, "/dev/null")
    assert not Path("/dev/null").is_file()
    text = expected(name, skill)
    assert text in made(name, skill, "/dev/stdout").stdout
    with (skill / "stderr").open("wb") as target:
        subprocess.run(call(name, "/dev/stderr"), cwd=skill, stderr=target, check=True)
    assert text in (skill / "stderr").read_bytes()
    assert sorted(os.listdir("/dev")) == before


@EVERY
def test_links_and_hard_links_keep_their_targets(name, skill):
    text = expected(name, skill)
    out, elsewhere = skill / "out", skill / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "target.json").write_text("old")
    (out / "link.json").symlink_to("../elsewhere/target.json")
    made(name, skill, "out/link.json")
    assert (elsewhere / "target.json").read_bytes() == text
    assert (out / "link.json").is_symlink()
    (out / "dangling.json").symlink_to("../elsewhere/made.json")
    made(name, skill, "out/dangling.json")
    assert (elsewhere / "made.json").read_bytes() == text
    (out / "twin.json").write_text("old")
    os.link(out / "twin.json", elsewhere / "twin.json")
    made(name, skill, "out/twin.json")
    assert (elsewhere / "twin.json").read_bytes() == text
    assert (out / "twin.json").samefile(elsewhere / "twin.json")
    assert not [path for path in out.iterdir() if path.name.startswith(".")]


@pytest.fixture(scope="session")
def bound() -> list[str]:
    """What to put before a command so that the modes of files bind it, root or not."""
    if os.getuid():
        return []
    words = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    if shutil.which("setpriv") is None or subprocess.run([*words, "true"]).returncode:
        pytest.skip("root without setpriv may write everything")
    return words


@pytest.mark.parametrize("name", [name for name in WRITERS if not name.startswith("ledger-")])
def test_a_writable_file_in_a_locked_folder_is_written(name, skill, bound):
    text = expected(name, skill)
    target = skill / "out" / "o.json"
    target.write_text("old")
    target.chmod(0o666)
    (skill / "out").chmod(0o555)
    try:
        made(name, skill, "out/o.json", bound)
        assert target.read_bytes() == text
        # A file that may not be written is left alone, and so is a new name.
        target.chmod(0o444)
        for path in ("out/o.json", "out/new.json"):
            done = subprocess.run(
                [*bound, *call(name, path)], cwd=skill, capture_output=True, text=True
            )
            assert done.returncode in (1, 2), done
            assert (done.stdout, len(done.stderr.splitlines())) == ("", 1), done
            assert path in done.stderr
        assert target.read_bytes() == text
        assert [path.name for path in (skill / "out").iterdir()] == ["o.json"]
    finally:
        (skill / "out").chmod(0o755)


def emit(skill, *words, before=()):
    command = [*before, sys.executable, "scripts/emit-verdict.py", "--assessment", "a.json"]
    command += ["--draft-hash", HASH, "--evaluated-at", "t", *words]
    return subprocess.run(command, cwd=skill, capture_output=True, timeout=120)


def test_a_receipt_goes_where_its_name_leads(skill):
    receipt = f"{HASH}.verdict.json"
    assert emit(skill, "--out-dir", "plain").returncode == 0
    text = (skill / "plain" / receipt).read_bytes()
    folder = skill / "v"
    folder.mkdir()
    (skill / "target.json").write_text("old")
    (folder / receipt).symlink_to("../target.json")
    assert emit(skill, "--out-dir", "v").returncode == 0
    assert (skill / "target.json").read_bytes() == text
    assert (folder / receipt).is_symlink()
    (folder / receipt).unlink()
    os.link(skill / "target.json", folder / receipt)
    (skill / "target.json").write_text("old")
    assert emit(skill, "--out-dir", "v").returncode == 0
    assert (skill / "target.json").read_bytes() == text
    (folder / receipt).unlink()
    (folder / receipt).symlink_to("/dev/null")
    assert emit(skill, "--out-dir", "v").returncode == 0
    assert not Path("/dev/null").is_file()
    (folder / receipt).unlink()
    os.mkfifo(folder / receipt)
    read = []
    reader = threading.Thread(
        target=lambda: read.append((folder / receipt).read_bytes()), daemon=True
    )
    reader.start()
    assert emit(skill, "--out-dir", "v").returncode == 0
    reader.join(60)
    assert read == [text]


def test_a_receipt_in_a_locked_folder_is_written_when_it_may_be(skill, bound):
    receipt = skill / "v" / f"{HASH}.verdict.json"
    receipt.parent.mkdir()
    receipt.write_text("old")
    receipt.chmod(0o666)
    receipt.parent.chmod(0o555)
    try:
        assert emit(skill, "--out-dir", "v", before=bound).returncode == 0
        assert b'"PASS"' in receipt.read_bytes()
        receipt.chmod(0o444)
        receipt_before = receipt.read_bytes()
        done = emit(skill, "--out-dir", "v", before=bound)
        assert (done.returncode, done.stdout) == (2, b"")
        assert receipt.read_bytes() == receipt_before
    finally:
        receipt.parent.chmod(0o755)


SCRIPTS = {
    "validate_framework.py": ["--framework", "w.json"],
    "reconcile_counts.py": [
        "--manifest",
        "m.json",
        "--findings",
        "f.json",
        "--framework",
        "w.json",
    ],
    "render_readback.py": ["--framework", "w.json", "--out", "out/o.json"],
    "build_checker_plan.py": [*PLAN, "--out", "out/o.json"],
    "merge_checker_results.py": [*MERGE, "--out", "out/o.json"],
    "verify_finding_quotes.py": [*QUOTES, "--out", "out/o.json"],
    "recount-palette-orphans.py": ["--blueprint", "a.json"],
    "emit-verdict.py": ["--assessment", "a.json", "--draft-hash", HASH, "--out-dir", "out"],
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_closed_standard_output_is_no_traceback(script, skill):
    words = " ".join(SCRIPTS[script])
    line = f'"{sys.executable}" scripts/{script} {words}'
    plain = subprocess.run(["sh", "-c", line], cwd=skill, capture_output=True)
    # Nobody listens: Python itself has no stream then, and print says nothing.
    closed = subprocess.run(["sh", "-c", f"{line} >&-"], cwd=skill, capture_output=True)
    assert b"Traceback" not in closed.stderr
    assert len(closed.stderr.splitlines()) <= len(plain.stderr.splitlines()) + 1
    assert closed.returncode == plain.returncode


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_prompt_behind_a_script_finds_its_names(script, skill):
    # `-i` as recorded: the script runs, ends with SystemExit, and the prompt has its functions.
    done = subprocess.run(
        [sys.executable, "-i", f"scripts/{script}", *SCRIPTS[script]],
        cwd=skill,
        input="print('names', callable(main))\n",
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONSTARTUP": ""},
    )
    assert "names True" in done.stdout
    plain = subprocess.run(
        [sys.executable, f"scripts/{script}", *SCRIPTS[script]],
        cwd=skill,
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith(plain.stdout.rstrip("\n"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_usage_names_the_script_as_it_was_called(script, skill):
    def usage(*words):
        done = subprocess.run(words, cwd=skill, capture_output=True, text=True)
        assert done.returncode == 2
        return done.stderr.split()[1]

    assert usage(sys.executable, f"scripts/{script}") == script
    # A link has a name of its own, and argparse takes `argv[0]`.
    (skill / "scripts" / "other-name.py").symlink_to(script)
    assert usage(sys.executable, "scripts/other-name.py") == "other-name.py"
