"""The native command beside ``python -m gatewright``, and the wheel that carries it."""

from __future__ import annotations

import base64
import csv
import hashlib
import importlib.util
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import gatewright
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SUFFIX = ".exe" if os.name == "nt" else ""

#: Only Python's ``re`` knows names of characters.
PYTHON_PATTERN = r"^(?P<first>h)ell\N{LATIN SMALL LETTER O}$"

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and pipes")


@pytest.fixture
def both(program, tmp_path):
    """Run the same words by the program and by the module; return both completed processes."""

    def run(*words, env=None, **options):
        environment = {
            **os.environ,
            "NO_COLOR": "1",
            "COLUMNS": "80",
            "GATEWRIGHT_PYTHON": sys.executable,
            **(env or {}),
        }
        return [
            subprocess.run(
                [*start, *map(str, words)],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                check=False,
                **options,
            )
            for start in ([program], [sys.executable, "-m", "gatewright"])
        ]

    return run


@pytest.fixture
def schema(tmp_path) -> Path:
    path = tmp_path / "schema.json"
    pattern = {"type": "string", "pattern": PYTHON_PATTERN}
    path.write_text(json.dumps({"type": "object", "properties": {"word": pattern}}))
    return path


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["--version"], 0),
        (["--help"], 0),
        (["framework", "check", "--help"], 0),
        ([], 2),
        (["frame"], 2),
        (["explain"], 0),
        (["explain", "GWF001", "--format", "json"], 0),
        (["framework", "check", "absent.json"], 2),
        (["completions", "bash"], 0),
        (["man"], 0),
    ],
)
def test_the_program_says_what_the_module_says(both, words, status):
    native, module = both(*words)
    assert native.stdout == module.stdout
    assert native.stderr == module.stderr
    assert native.returncode == module.returncode == status


@pytest.mark.parametrize("form", ["text", "json", "sarif", "html", "junit"])
def test_a_report_is_the_same_bytes(both, framework, tmp_path, form):
    framework["approved"] = True
    (tmp_path / "framework.json").write_text(json.dumps(framework))
    native, module = both("framework", "check", "framework.json", "--format", form)
    # Each run took a time of its own.
    shown = [re.sub(rb' time="[0-9.]+"', b"", done.stdout) for done in (native, module)]
    assert shown[0] == shown[1]
    assert native.stderr == module.stderr
    assert native.returncode == module.returncode == 1


@pytest.mark.parametrize(("word", "status"), [("hello", 0), ("hollo", 1), ("\ud800", 1)])
def test_a_pattern_that_only_python_decides_is_asked_of_it(both, schema, tmp_path, word, status):
    (tmp_path / "framework.json").write_text(json.dumps({"word": word, "lenses": []}))
    native, module = both("framework", "check", "--schema", schema, "framework.json")
    assert (native.stdout, native.stderr) == (module.stdout, module.stderr)
    assert native.returncode == module.returncode
    assert b"does not match" in native.stdout or status == 0


def test_a_pattern_that_python_refuses_is_told_in_its_words(both, schema, tmp_path):
    schema.write_text(schema.read_text().replace("LATIN SMALL", "NO SUCH"))
    (tmp_path / "framework.json").write_text('{"word": "hello", "lenses": []}')
    native, module = both("framework", "check", "--schema", schema, "framework.json")
    assert native.stderr == module.stderr
    assert b"undefined character name" in native.stderr
    assert native.returncode == module.returncode == 2


def test_without_the_right_python_the_remedy_is_told(program, schema, tmp_path):
    (tmp_path / "framework.json").write_text('{"word": "hello", "lenses": []}')
    other = tmp_path / "python"
    other.write_text('#!/bin/sh\necho \'{"version": "0.0.1"}\'\ncat >/dev/null\n')
    other.chmod(0o755)
    for python, reason in [
        (tmp_path / "absent", "does not start"),
        ("/bin/true" if Path("/bin/true").exists() else shutil.which("true"), "no gatewright"),
        (other, "has gatewright 0.0.1"),
    ]:
        done = subprocess.run(
            [program, "framework", "check", "--schema", schema, "framework.json"],
            cwd=tmp_path,
            env={**os.environ, "GATEWRIGHT_PYTHON": str(python)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (2, "")
        (line,) = done.stderr.splitlines()
        assert "$.properties.word.pattern" in line
        assert reason in line
        assert "set GATEWRIGHT_PYTHON" in line


@posix
def test_the_environment_of_the_program_is_asked(program, schema, tmp_path):
    (tmp_path / "framework.json").write_text('{"word": "hello", "lenses": []}')
    folder = tmp_path / "environment" / "bin"
    folder.mkdir(parents=True)
    shutil.copy2(program, folder / "gatewright")
    (folder / "python3").write_text(f'#!/bin/sh\n: >"$0.asked"\nexec "{sys.executable}" "$@"\n')
    (folder / "python3").chmod(0o755)
    # As pipx and uv do: the command on the search path is a link.
    (tmp_path / "linked").symlink_to(folder / "gatewright")
    words = ["framework", "check", "--schema", schema, "framework.json"]
    environment = {key: text for key, text in os.environ.items() if key != "GATEWRIGHT_PYTHON"}
    environment["PATH"] = ""
    # A module in the current folder that would run if Python looked there.
    (tmp_path / "re.py").write_text("raise SystemExit(7)\n")
    done = subprocess.run(
        [tmp_path / "linked", *words], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (folder / "python3.asked").exists()
    assert "cannot use" not in done.stderr


def test_no_python_is_started_without_need(program, tmp_path):
    shutil.copy2(program, tmp_path / "alone")
    done = subprocess.run(
        [tmp_path / "alone", "demo"],
        cwd=tmp_path,
        env={"PATH": "", "GATEWRIGHT_PYTHON": str(tmp_path / "absent")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_standard_output_is_no_success(program):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([program, "explain"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "gatewright: cannot write standard output: [Errno 28] No space left on device"
    ]


@posix
def test_a_closed_pipe_is_a_normal_end(program):
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run([program, "explain"], stdout=write_end, stderr=subprocess.PIPE, text=True)
    os.close(write_end)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def reading(program, tmp_path):
    """A run that waits for its input, and the writing end of that input."""

    def start(**options):
        os.mkfifo(tmp_path / "framework.json")
        process = subprocess.Popen(
            [program, "framework", "check", tmp_path / "framework.json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )
        # Opens when the program has opened the other end.
        return process, (tmp_path / "framework.json").open("wb")

    return start


@posix
def test_an_interrupt_ends_the_run_by_the_signal_and_says_so(reading):
    process, writer = reading()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    writer.close()
    assert (process.returncode, out) == (-signal.SIGINT, b"")
    assert err == b"gatewright: interrupted\n"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="seen in /proc")
def test_a_run_started_with_interrupts_ignored_goes_on(reading):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process, writer = reading(restore_signals=False)
    finally:
        signal.signal(signal.SIGINT, before)
    process.send_signal(signal.SIGINT)
    writer.write(b"{")
    writer.close()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert b"interrupted" not in err


@pytest.fixture(scope="session")
def backend():
    """The build backend of this tree."""
    path = ROOT / "build_backend" / "gatewright_build.py"
    spec = importlib.util.spec_from_file_location("gatewright_build", path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


ENTRY_POINTS = b"""[console_scripts]
emit-verdict=gatewright._commands:emit_verdict
gatewright=gatewright.__main__:main

[pytest11]
gatewright=gatewright.pytest_plugin
"""


def test_the_backend_puts_the_program_into_the_wheel(backend, tmp_path):
    wheel = tmp_path / "gatewright-1.0-cp39-abi3-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("gatewright/__init__.py", "name = 1\n")
        archive.writestr("gatewright-1.0.dist-info/METADATA", "Name: gatewright\n")
        archive.writestr("gatewright-1.0.dist-info/entry_points.txt", ENTRY_POINTS)
        archive.writestr("gatewright-1.0.dist-info/RECORD", "stale\n")
    program = tmp_path / "gatewright"
    program.write_bytes(b"\x7fELF program")
    backend._add_script(wheel, program)
    assert sorted(path.name for path in tmp_path.iterdir()) == [program.name, wheel.name]
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert names[-1] == "gatewright-1.0.dist-info/RECORD"
        script = archive.getinfo("gatewright-1.0.data/scripts/gatewright")
        assert script.external_attr >> 16 == 0o100755
        assert archive.read(script) == program.read_bytes()
        entry_points = archive.read("gatewright-1.0.dist-info/entry_points.txt")
        assert entry_points == ENTRY_POINTS.replace(b"gatewright=gatewright.__main__:main\n", b"")
        rows = list(csv.reader(io.StringIO(archive.read(names[-1]).decode())))
        assert [row[0] for row in rows] == names
        for name, digest, size in rows[:-1]:
            content = archive.read(name)
            sha256 = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
            assert (digest, int(size)) == ("sha256=" + sha256.rstrip("="), len(content))


@pytest.mark.parametrize(
    ("target", "compatibility", "expected"),
    [
        ("x86_64-unknown-linux-gnu", "manylinux2014", "x86_64-unknown-linux-gnu.2.17"),
        ("aarch64-unknown-linux-gnu", "manylinux_2_28", "aarch64-unknown-linux-gnu.2.28"),
        ("x86_64-unknown-linux-gnu", "off", "x86_64-unknown-linux-gnu"),
        ("x86_64-unknown-linux-musl", "musllinux_1_2", "x86_64-unknown-linux-musl"),
        (None, "manylinux2014", None),
    ],
)
def test_zig_links_for_the_glibc_of_the_tag(backend, target, compatibility, expected):
    assert backend._with_glibc(target, compatibility) == expected


def test_an_installed_wheel_has_the_program_and_no_entry_point():
    installed = Path(sys.executable).parent / f"gatewright{SUFFIX}"
    if not installed.exists() or installed.read_bytes()[:2] in (b"#!", b""):
        pytest.skip("an editable install keeps the entry point")
    done = subprocess.run([installed, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"gatewright {gatewright.__version__}\n"


@posix
def test_an_entry_script_without_the_package_is_answered_by_python(program, tmp_path, framework):
    (tmp_path / "framework.json").write_text(json.dumps(framework))
    words = ["run-script", "scripts/validate_framework.py", "--framework", "framework.json"]
    words += ["--schema", ROOT / "python/gatewright/references/framework.schema.json"]
    environment = {**os.environ, "GATEWRIGHT_PYTHON": sys.executable}
    native, module = (
        subprocess.run(
            [*start, *words], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        for start in ([program], [sys.executable, "-m", "gatewright"])
    )
    assert (native.returncode, native.stdout, native.stderr) == (0, module.stdout, module.stderr)
    for python, reason in [(tmp_path / "absent", "does not start"), (bare(tmp_path), "has no")]:
        environment["GATEWRIGHT_PYTHON"] = str(python)
        done = subprocess.run([program, *words], env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (2, "")
        (line,) = done.stderr.splitlines()
        assert reason in line
        assert "set GATEWRIGHT_PYTHON" in line


def bare(folder):
    """A Python without any package."""
    path = folder / "bare"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    path.chmod(0o755)
    return path


def test_words_that_are_no_utf_8_are_file_names(program, tmp_path, framework):
    name = os.fsdecode(b"fr\xffame.json")
    try:
        (tmp_path / name).write_text(json.dumps(framework))
    except OSError:
        pytest.skip("file names are UTF-8 here")
    words = ["framework", "check", os.fsencode(name)]
    done = subprocess.run([program, *words], cwd=tmp_path, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


def test_standard_input_and_the_hook_are_answered_alike(both, framework, tmp_path):
    framework["lenses"][0]["items"][0]["question"] = " "
    text = json.dumps(framework)
    native, module = both("check", "-", input=text.encode())
    assert (native.stdout, native.stderr) == (module.stdout, module.stderr)
    assert (native.returncode, b"GWF022" in native.stdout) == (1, True)
    configuration = '[[gate]]\ngate = "framework check"\ninputs = ["framework.json"]\n'
    (tmp_path / "gatewright.toml").write_text(configuration)
    (tmp_path / "framework.json").write_text(text)
    event = {"cwd": str(tmp_path), "tool_input": {"file_path": str(tmp_path / "framework.json")}}
    native, module = both("hook", input=json.dumps(event).encode())
    assert (native.stdout, native.stderr) == (module.stdout, module.stderr)
    assert (native.returncode, b"GWF022" in native.stderr) == (2, True)
