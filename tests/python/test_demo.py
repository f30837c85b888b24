"""``gatewright demo``: it runs every gate, finds what is planted, and notices when it does not."""

from __future__ import annotations


def test_the_demo_finds_exactly_the_planted_faults(run, tmp_path):
    done = run("demo", "example")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == f"$ cd {(tmp_path / 'example').resolve()}"
    assert done.stdout.endswith("The gates found exactly the planted faults.\n")
    for code in ("GWC012", "GWC019", "GWL101", "GWP001", "GWV023"):
        assert code in done.stdout
    assert len(list((tmp_path / "example" / "verdicts").glob("*.verdict.json"))) == 1


def test_a_folder_in_use_is_left_alone(run, tmp_path):
    (tmp_path / "mine").write_text("mine")
    done = run("demo", ".")
    assert done.returncode == 2
    assert "is not empty" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
