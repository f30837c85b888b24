"""What somebody who writes a repository may try on whoever runs its gates: each test says what."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
import zlib
from pathlib import Path

import gatewright
import pytest

BAD = {"screens": [{"paint": {"background_color": "#123456"}}], "design_tokens": {"palette": []}}
GOOD = {**BAD, "design_tokens": {"palette": ["#123456"]}}
ONE_GATE = '[[gate]]\ngate = "blueprint recount"\ninputs = ["d/*.json"]\n'

EXAMPLES = Path(gatewright.__file__).parent / "examples"

needs_unix = pytest.mark.skipif(os.name != "posix", reason="links, modes and FIFOs of Unix")
needs_root = pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0, reason="only root may give files away"
)


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Folders of a user of their own."""
    for name in ("CACHE", "STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / f"user/{name.lower()}"))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    return tmp_path / "user"


@pytest.fixture
def repository(tmp_path, own):
    folder = tmp_path / "repository"
    write(folder / "gatewright.toml", ONE_GATE)
    write(folder / "d/blueprint.json", BAD)
    return folder


@pytest.fixture
def run_there(run, repository):
    return lambda *words, **more: run("run", *words, **{"cwd": repository, **more})


def packs(own):
    return list((own / "cache/gatewright").glob("*.gatewright-pack"))


def key(own):
    return own / "state/gatewright/cache.key"


# The cache.


def test_nothing_of_the_cache_lies_in_the_repository(run_there, repository, own):
    assert run_there().returncode == 1
    assert {path.name for path in repository.iterdir()} == {"d", "gatewright.toml"}
    assert len(packs(own)) == 1
    if os.name == "posix":
        assert stat.S_IMODE(key(own).stat().st_mode) == 0o600
        assert stat.S_IMODE(packs(own)[0].parent.stat().st_mode) == 0o700
    assert "unchanged" in run_there().stderr


def test_a_cache_folder_that_the_repository_brings_decides_nothing(run_there, repository):
    for name in (".gatewright-cache", "cache"):
        write(repository / name / ("0" * 64 + ".gatewright-pack"), "x")
        write(repository / name / ("0" * 64 + ".json"), {"inputs": [], "outcomes": []})
    done = run_there()
    assert (done.returncode, done.stderr) == (1, "")


def passed(line):
    """The entry of a pack with its verdict turned round."""
    head, body = line.split(b" {", 1)
    entry = json.loads(b"{" + body)
    for outcome in entry["outcomes"]:
        outcome.update(verdict="passed", findings=[], summary="forged")
    return head + b" " + json.dumps(entry).encode()


FORGERIES = {
    "an entry that says passed": lambda lines: [passed(line) for line in lines],
    "an entry without an outcome": lambda lines: [
        line.split(b" {", 1)[0] + b' {"inputs":[],"outcomes":[]}' for line in lines
    ],
    "an entry without a MAC": lambda lines: [
        line[:65] + b"0" * 64 + passed(line)[129:] for line in lines
    ],
    "half an entry": lambda lines: [line[: len(line) // 2] for line in lines],
    "no text at all": lambda lines: [b"\xff\x00" * 100],
    "nothing": lambda lines: [],
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_pack_that_was_written_by_hand_holds(run_there, own, forge):
    first = run_there()
    (pack,) = packs(own)
    lines = pack.read_bytes().splitlines()
    pack.write_bytes(b"\n".join([*forge(lines), b""]))
    done = run_there()
    assert (done.returncode, done.stdout, done.stderr) == (1, first.stdout, "")


def test_an_entry_of_good_work_under_the_key_of_bad_work(run_there, repository, own):
    run_there()
    (pack,) = packs(own)
    (bad,) = pack.read_bytes().splitlines()
    write(repository / "d/blueprint.json", GOOD)
    assert run_there().returncode == 0
    good = next(line for line in pack.read_bytes().splitlines() if not line.startswith(bad[:64]))
    pack.write_bytes(bad[:64] + good[64:] + b"\n")
    write(repository / "d/blueprint.json", BAD)
    assert run_there().returncode == 1


def test_a_pack_made_with_another_users_key(run_there, repository, own):
    write(repository / "d/blueprint.json", GOOD)
    run_there()
    assert "unchanged" in run_there().stderr
    key(own).unlink()
    assert "unchanged" not in run_there().stderr


@needs_unix
def test_a_key_that_others_may_read_proves_nothing(run_there, own):
    run_there()
    key(own).chmod(0o644)
    done = run_there()
    assert done.returncode == 1
    assert "nothing is kept for the next run" in done.stderr
    assert "others may read it" in done.stderr


@needs_unix
def test_a_link_in_place_of_the_key(run_there, own, tmp_path):
    run_there()
    mine = tmp_path / "mine"
    mine.write_bytes(b"k" * 32)
    mine.chmod(0o600)
    key(own).unlink()
    key(own).symlink_to(mine)
    assert "unchanged" not in run_there().stderr
    assert mine.read_bytes() == b"k" * 32


@needs_unix
def test_a_cache_folder_that_is_a_link(run_there, repository, tmp_path):
    victim = tmp_path / "victim"
    for number in range(30):
        write(victim / f"precious-{number:02}.json", "{}")
        os.utime(victim / f"precious-{number:02}.json", (10**6, 10**6))
    (repository / "cache").symlink_to(victim)
    done = run_there("--cache-dir", "cache")
    assert done.returncode == 1
    assert "it is a link" in done.stderr
    assert len(list(victim.iterdir())) == 30


def test_only_packs_are_ever_removed(run_there, tmp_path):
    folder = tmp_path / "shared"
    digits = "a" * 64
    kept = ["notes.txt", f"{digits}.json", "x.gatewright-pack", f"{digits[1:]}.gatewright-pack"]
    for name in [*kept, f"{digits}.gatewright-pack"]:
        write(folder / name, "precious")
        os.utime(folder / name, (10**6, 10**6))
    run_there("--cache-dir", folder)
    assert {name for name in kept if (folder / name).read_text() == "precious"} == set(kept)
    assert not (folder / f"{digits}.gatewright-pack").exists()


@needs_unix
def test_a_link_named_like_an_old_pack_is_not_removed_nor_followed(run_there, tmp_path):
    victim = tmp_path / "victim"
    write(victim, "precious")
    os.utime(victim, (10**6, 10**6))
    folder = tmp_path / "shared"
    folder.mkdir()
    link = folder / ("b" * 64 + ".gatewright-pack")
    link.symlink_to(victim)
    run_there("--cache-dir", folder)
    assert victim.read_text() == "precious"
    assert link.is_symlink()


@needs_unix
@pytest.mark.parametrize("kind", ["fifo", "link", "folder"])
def test_something_else_in_place_of_a_pack(run_there, own, tmp_path, kind):
    first = run_there()
    (pack,) = packs(own)
    victim = tmp_path / "victim"
    victim.write_bytes(pack.read_bytes())
    pack.unlink()
    {"fifo": os.mkfifo, "link": lambda at: at.symlink_to(victim), "folder": Path.mkdir}[kind](pack)
    before = victim.read_bytes()
    done = run_there(timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (1, first.stdout, "")
    assert victim.read_bytes() == before


def test_an_input_that_changes_back_and_forth(run_there, repository):
    for value, status in [(GOOD, 0), (BAD, 1), (GOOD, 0), (BAD, 1)]:
        write(repository / "d/blueprint.json", value)
        assert run_there().returncode == status


def test_one_folder_for_two_repositories(run_there, run, repository, tmp_path):
    other = tmp_path / "other"
    write(other / "gatewright.toml", ONE_GATE)
    write(other / "d/blueprint.json", GOOD)
    shared = ["--cache-dir", tmp_path / "shared"]
    for _ in range(2):
        assert run_there(*shared).returncode == 1
        assert run("run", *shared, cwd=other).returncode == 0


def test_more_entries_than_were_once_kept_are_all_kept(run, own, tmp_path):
    folder = tmp_path / "many"
    write(folder / "gatewright.toml", ONE_GATE)
    for number in range(300):
        write(folder / f"d/{number}.json", GOOD)
    run("run", "--quiet", cwd=folder)
    assert run("run", "--quiet", cwd=folder).stderr.startswith("300 of 300 gate runs unchanged")
    assert len(packs(own)) == 1


# What a configuration may do.


@pytest.fixture
def draft(tmp_path):
    from draft_builder import Draft

    return Draft().write(tmp_path / "repository/draft")


def program(path, log):
    write(path, f"#!/bin/sh\necho ran >> {log}\necho OK\n")
    path.chmod(0o755)


ASSESS = '[[gate]]\ngate = "blueprint assess"\ninputs = ["draft/"]\noptions = {{ {} }}\n'


@needs_unix
@pytest.mark.parametrize(
    "option",
    ['gate = ["doc-emit=x.sh"]', 'python = "./x.sh"', 'plugin-root = "plugin"'],
)
def test_a_configuration_that_starts_a_program(run_there, repository, draft, tmp_path, option):
    log = tmp_path / "log"
    program(repository / "x.sh", log)
    write(repository / "gatewright.toml", ASSESS.format(option))
    for words in ([], ["--no-cache"], ["--only", "blueprint assess"]):
        done = run_there(*words)
        assert done.returncode == 2
        assert "--allow-programs" in done.stderr
        assert "line 4" in done.stderr
    assert run_there("--list").returncode == 0
    assert not log.exists()


@needs_unix
@pytest.mark.parametrize("words", [("check", "draft/blueprint.json"), ("baseline",)])
def test_other_commands_that_read_the_configuration(run, repository, draft, tmp_path, words):
    log = tmp_path / "log"
    program(repository / "x.sh", log)
    write(repository / "gatewright.toml", ASSESS.format('gate = ["doc-emit=x.sh"]'))
    done = run(*words, cwd=repository)
    assert done.returncode == 2
    assert "--allow-programs" in done.stderr
    assert not log.exists()


@needs_unix
def test_a_hook_that_starts_a_program(run, repository, draft, tmp_path):
    log = tmp_path / "log"
    program(repository / "x.sh", log)
    write(repository / "gatewright.toml", ASSESS.format('gate = ["doc-emit=x.sh"]'))
    event = {"cwd": str(repository), "tool_input": {"file_path": "draft/blueprint.json"}}
    done = run("hook", cwd=repository, input=json.dumps(event))
    assert done.returncode == 2
    assert "--allow-programs" in done.stderr
    assert not log.exists()


@needs_unix
def test_programs_run_where_the_command_line_or_the_user_allows_them(
    run_there, run, repository, draft, own, tmp_path
):
    log = tmp_path / "log"
    program(repository / "x.sh", log)
    options = 'gate = ["doc-emit=x.sh", "mermaid-validate=x.sh"]'
    write(repository / "gatewright.toml", ASSESS.format(options))
    below = repository / "draft"
    # The path starts from the configuration, wherever the command is typed.
    assert run("run", "--allow-programs", cwd=below).returncode in (0, 1)
    assert log.read_text() == "ran\n" * 2
    log.unlink()
    settings = own / "config/gatewright/settings.toml"
    write(settings, f'trusted = ["{tmp_path / "elsewhere"}"]\n')
    assert run_there().returncode == 2
    write(settings, f'trusted = ["{repository}"]\n')
    assert run_there().returncode in (0, 1)
    assert log.read_text() == "ran\n" * 2


def test_settings_that_cannot_be_read_trust_nothing(run_there, own):
    settings = own / "config/gatewright/settings.toml"
    for text, words in [
        ("trusted = 3\n", "settings.toml"),
        ('trusted = ["."]\n', "no absolute path"),
        ("trust = []\n", "unknown field"),
    ]:
        write(settings, text)
        done = run_there()
        assert done.returncode == 2
        assert words in done.stderr


@needs_root
def test_a_configuration_of_another_user(run_there, run, repository, own):
    os.chown(repository / "gatewright.toml", 65534, 65534)
    for folder in (repository, repository / "d"):
        done = run("run", cwd=folder)
        assert done.returncode == 2
        assert "belongs to another user" in done.stderr
    done = run("run", "gatewright.toml", "--allow-programs", cwd=repository)
    assert done.returncode == 2
    write(own / "config/gatewright/settings.toml", f'trusted = ["{repository}"]\n')
    assert run_there().returncode == 1


@needs_root
def test_a_link_of_another_user_to_a_configuration_of_ones_own(run, repository, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    link = shared / "gatewright.toml"
    link.symlink_to(repository / "gatewright.toml")
    os.chown(link, 65534, 65534, follow_symlinks=False)
    done = run("run", cwd=shared)
    assert done.returncode == 2
    assert "belongs to another user" in done.stderr


@needs_unix
@pytest.mark.parametrize("place", ["absolute", "above", "link"])
def test_a_configuration_that_writes_elsewhere(run_there, repository, draft, tmp_path, place):
    (repository / "link").symlink_to(tmp_path)
    out = {
        "absolute": str(tmp_path / "out.json"),
        "above": "../out.json",
        "link": "link/out.json",
    }[place]
    write(repository / "gatewright.toml", ASSESS.format(f'out = "{out}"'))
    done = run_there()
    assert done.returncode == 2
    assert "outside the configuration's folder" in done.stderr
    assert not (tmp_path / "out.json").exists()


def test_folders_that_globs_leave_out_are_counted(run_there, repository):
    write(repository / "gatewright.toml", ONE_GATE.replace("d/*.json", "d/*/x.json"))
    write(repository / "d/good/x.json", GOOD)
    for folder in ("target", ".hidden", "node_modules"):
        write(repository / "d" / folder / "x.json", BAD)
    write(repository / "elsewhere/x.json", BAD)
    write(repository / ".git/x.json", BAD)
    expected = ["1 hidden (d/.hidden)", "2 in node_modules, target or a virtual environment"]
    if os.name == "posix":
        (repository / "d/link").symlink_to("../elsewhere")
        Path(os.fsdecode(os.fsencode(repository / "d") + b"/\xff")).mkdir()
        expected += ["1 behind links to folders (d/link)", "1 with names that are not UTF-8"]
    done = run_there()
    assert done.returncode == 0
    for words in expected:
        assert words in done.stderr
    assert ".git" not in done.stderr


def test_a_glob_that_matches_hidden_work_alone_says_so(run_there, repository):
    write(repository / "gatewright.toml", ONE_GATE.replace("d/*.json", "e/*/x.json"))
    write(repository / "e/.x/x.json", BAD)
    done = run_there()
    assert done.returncode == 2
    assert "1 hidden (e/.x)" in done.stderr


def test_work_that_a_gitignore_of_its_own_hides_is_counted(run_there, repository):
    write(repository / "gatewright.toml", ONE_GATE.replace("d/*.json", "d/*/x.json"))
    write(repository / "d/good/x.json", GOOD)
    write(repository / "d/bad/x.json", BAD)
    write(repository / "d/.gitignore", "bad/\n")
    done = run_there()
    assert done.returncode == 0
    assert "1 that Git ignores (d/bad/x.json)" in done.stderr


# Where results go.


def test_a_report_over_an_input_of_the_run(run_there, repository):
    before = (repository / "d/blueprint.json").read_bytes()
    for words in (
        ["--output", "d/blueprint.json"],
        ["--report", "json=d/blueprint.json"],
        ["--format", "html", "--output", "./d/../d/blueprint.json"],
    ):
        done = run_there(*words)
        assert done.returncode == 2
        assert "is an input" in done.stderr
        assert (repository / "d/blueprint.json").read_bytes() == before


@needs_unix
def test_a_link_or_another_name_of_an_input_as_output(run, repository):
    blueprint = repository / "d/blueprint.json"
    before = blueprint.read_bytes()
    (repository / "link.json").symlink_to(blueprint)
    os.link(blueprint, repository / "name.json")
    for name in ("link.json", "name.json"):
        done = run("blueprint", "recount", blueprint, "--output", repository / name)
        assert done.returncode == 2
        assert blueprint.read_bytes() == before


@needs_unix
@pytest.mark.parametrize("words", [["framework", "check"], ["evidence", "find", "--quote=a"]])
def test_ctrl_c_ends_a_command_that_waits_for_a_fifo(command, tmp_path, words):
    os.mkfifo(tmp_path / "fifo")
    before = ["--source"] if words[0] == "evidence" else []
    child = subprocess.Popen(
        [*command, *words, *before, "fifo"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    # It has to be waiting: there is no other sign of that than its state.
    state = Path(f"/proc/{child.pid}/wchan")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and child.poll() is None:
        if not state.exists() or "fifo" in state.read_text() or "wait" in state.read_text():
            break
    child.send_signal(signal.SIGINT)
    try:
        assert child.wait(timeout=60) != 0
    finally:
        child.kill()
        child.wait()


@needs_unix
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_report_that_a_full_disk_cuts_short_is_status_2(command, tmp_path, unbuffered):
    limited = (
        "import resource, signal, sys, os\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n"
        "os.execvp(sys.argv[1], sys.argv[1:])\n"
    )
    with (tmp_path / "out").open("wb") as out:
        done = subprocess.run(
            [sys.executable, "-c", limited, *command, "explain", "--format", "json"],
            stdout=out,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            timeout=120,
        )
    assert done.returncode == 2
    assert b"cannot write standard output" in done.stderr


# Files that are written.


def verdict(run, folder, **more):
    shutil.copy(EXAMPLES / "assessment.json", folder)
    return run(
        *f"blueprint verdict assessment.json --draft-hash {'ab' * 32} --verdict-dir v".split(),
        cwd=folder,
        **more,
    )


@needs_unix
def test_what_a_killed_process_left_is_removed_and_nothing_else(run, tmp_path):
    import fcntl

    write(tmp_path / "v/.gatewright-aB3dE9.tmp", "left by a killed process")
    write(tmp_path / "v/.gatewright-inUse1.tmp", "of a process that writes")
    others = [".gatewright-aB3dE97.tmp", ".gatewright-aB-dE9.tmp", "gatewright-aB3dE9.tmp"]
    for name in others:
        write(tmp_path / "v" / name, "of somebody else")
    (tmp_path / "v/.gatewright-aLinkX.tmp").symlink_to(tmp_path / "v" / others[0])
    with (tmp_path / "v/.gatewright-inUse1.tmp").open() as used:
        fcntl.flock(used, fcntl.LOCK_EX)
        assert verdict(run, tmp_path).returncode == 1
    left = {path.name for path in (tmp_path / "v").iterdir()}
    assert ".gatewright-aB3dE9.tmp" not in left
    assert {".gatewright-inUse1.tmp", ".gatewright-aLinkX.tmp", *others} <= left


@needs_unix
def test_a_name_of_a_temporary_file_that_is_guessed_in_advance(run, tmp_path):
    # Whatever lies there, nothing is written through it.
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "v").mkdir()
    receipt = "ab" * 32 + ".verdict.json"
    for name in (f"{receipt}.tmp", f".{receipt}.tmp", ".gatewright.tmp"):
        (tmp_path / "v" / name).symlink_to(victim)
    assert verdict(run, tmp_path).returncode == 1
    assert victim.read_text() == "precious"


@needs_unix
@pytest.mark.parametrize("script", [True, False])
def test_a_full_disk_is_told_of_the_target_and_nothing_is_torn(command, shims, tmp_path, script):
    shutil.copy(EXAMPLES / "assessment.json", tmp_path)
    receipt = tmp_path / "v" / ("ab" * 32 + ".verdict.json")
    write(receipt, "old")
    limited = (
        "import resource, signal, sys, os\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "os.execvp(sys.argv[1], sys.argv[1:])\n"
    )
    words = (
        [sys.executable, str(shims / "emit-verdict.py"), "--assessment", "assessment.json",
         "--draft-hash", "ab" * 32, "--out-dir", "v"]
        if script
        else [*command, "blueprint", "verdict", "assessment.json", "--draft-hash", "ab" * 32,
              "--verdict-dir", "v"]
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", limited, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2
    assert ".tmp" not in done.stderr
    assert receipt.name in done.stderr
    assert "File too large" in done.stderr
    assert receipt.read_text() == "old"
    assert [path.name for path in receipt.parent.iterdir()] == [receipt.name]


@needs_unix
def test_a_small_pdf_that_unpacks_to_gigabytes(command, tmp_path):
    pytest.importorskip("pypdfium2_raw")
    page = zlib.compress(b"q " * 5_000_000 + b"BT /F 12 Tf (a quote to look for) Tj ET", 9)
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources"
        b"<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(page), page),
    ]
    out, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(out))
        out += b"%d 0 obj%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"xref\n0 5\n0000000000 65535 f \n%strailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n" % (
        table,
        len(out),
    )
    (tmp_path / "room").mkdir()
    (tmp_path / "room/a.pdf").write_bytes(out + b"%%EOF\n")
    identity = "sha256:" + hashlib.sha256(out + b"%%EOF\n").hexdigest()[:12]
    documents = [{"id": identity, "path": "a.pdf", "readability": "native"}]
    write(tmp_path / "m.json", {"documents": documents, "counts": {}})
    finding = {
        "finding_id": f"x/{identity}", "issue_id": "x", "doc_id": identity, "status": "present",
        "quote": "a quote to look for", "section": "1",
    }  # fmt: skip
    write(tmp_path / "f.json", {"framework_version": 1, "findings": [finding], "parked": []})
    limited = (
        "import resource, sys, os\n"
        "resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n"
        "os.execvp(sys.argv[1], sys.argv[1:])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited, *command, *["ledger", "quotes", "--findings", "f.json"],
         *["--manifest", "m.json", "--room-root", "room", "--out", "o.json"]],
        cwd=tmp_path, capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
