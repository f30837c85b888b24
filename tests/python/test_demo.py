"""``gatewright demo``: it runs every gate, finds what is planted, and notices when it does not."""

from __future__ import annotations

import threading
from pathlib import Path

from gatewright import _native


def test_the_demo_finds_exactly_the_planted_faults(run, tmp_path):
    done = run("demo", "example")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == f"$ cd {(tmp_path / 'example').resolve()}"
    assert done.stdout.endswith("The gates found exactly the planted faults.\n")
    for code in ("GWC012", "GWC019", "GWL101", "GWP001", "GWV023"):
        assert code in done.stdout
    assert len(list((tmp_path / "example" / "verdicts").glob("*.verdict.json"))) == 1


def test_the_demo_leaves_the_callers_folder_as_it_is(tmp_path, monkeypatch):
    """While it runs, too: another thread that reads a relative path must find its own file."""
    monkeypatch.chdir(tmp_path)
    seen = set()
    done = threading.Event()

    def look():
        while not done.is_set():
            seen.add(Path.cwd())

    watch = threading.Thread(target=look)
    watch.start()
    try:
        status, _, _ = _native.cli_output(["demo", "example"])
    finally:
        done.set()
        watch.join()
    assert status == 0
    assert seen == {tmp_path.resolve()}


def test_every_format_names_the_files_as_typed(run, tmp_path):
    for number, form in enumerate(["json", "sarif", "junit", "markdown", "compact"]):
        done = run("demo", f"example{number}", "--format", form)
        assert done.returncode == 0, done.stderr
        assert "findings.json" in done.stdout
        assert str(tmp_path.resolve() / f"example{number}") not in done.stdout, form


def test_a_folder_in_use_is_left_alone(run, tmp_path):
    (tmp_path / "mine").write_text("mine")
    done = run("demo", ".")
    assert done.returncode == 2
    assert "is not empty" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
