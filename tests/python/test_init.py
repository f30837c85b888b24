"""``gatewright init``: what it writes runs as it stands, whatever the repository looks like."""

from __future__ import annotations

import json

import skill_repository


def inputs(run):
    return run("run", "--list").stdout.splitlines()


def test_a_skill_with_everything_runs_without_an_edit(run, tmp_path):
    skill_repository.make(tmp_path)
    done = run("init")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "written gatewright.toml",
        "found 2 frameworks",
        "found 1 findings ledger",
        "found 1 blueprint",
        "found 2 run folders with scorecards",
        "not listed: ledger check of rooms/lease: no folder in or around rooms/lease has all 4 documents "
        "of rooms/lease/manifest.json; with the documents at hand: gatewright ledger check rooms/lease "
        "--room DIR",
        "not listed: drafts/home/assessment.json needs the hash of its draft: "
        "gatewright blueprint verdict drafts/home/assessment.json --draft-hash HEX",
        "scripts/ holds 4 scripts that gatewright can replace: gatewright shims --force scripts "
        "emit-verdict.py reconcile_counts.py recount-palette-orphans.py validate_framework.py",
        "next: gatewright run",
    ]
    assert inputs(run) == [
        "gatewright framework check --allow-approved -- references/framework.json",
        "gatewright framework check --allow-approved -- rooms/lease/framework.json",
        "gatewright ledger reconcile --findings=rooms/lease/findings.json "
        "--framework=rooms/lease/framework.json --manifest=rooms/lease/manifest.json",
        "gatewright blueprint recount -- drafts/home/blueprint.json",
        "gatewright scorecard check -- council/runs",
    ]
    done = run("run")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.splitlines()[-1] == "6 gates passed"
    # A run that is added later is checked without an edit, too.
    later = tmp_path / "council/runs/r3"
    skill_repository.write(later / "INPUT.md", skill_repository.ARTIFACT)
    card = skill_repository.SCORECARD.format(persona="rev", run="r3")
    skill_repository.write(later / "rev.md", card.replace("old endpoint", "new endpoint"))
    done = run("run")
    assert done.returncode == 1
    assert "council/runs/r3/rev.md:" in done.stdout


def test_another_folder_is_named_in_every_command_that_is_proposed(run, tmp_path):
    skill_repository.make(tmp_path / "my skill")
    done = run("init", "my skill")
    assert done.stdout.splitlines()[0] == "written my skill/gatewright.toml"
    assert done.stdout.splitlines()[-1] == "next: gatewright run 'my skill/gatewright.toml'"
    assert "gatewright shims --force 'my skill/scripts' emit-verdict.py" in done.stdout
    assert run("run", "my skill/gatewright.toml").returncode == 0


def test_ledgers_that_differ_in_their_companions_get_entries_of_their_own(run, tmp_path):
    skill_repository.make(tmp_path)
    room = tmp_path / "rooms/lease"
    other = tmp_path / "rooms/sale"
    skill_repository.write(other / "manifest.json", skill_repository.example("manifest.json"))
    skill_repository.write(other / "findings.json", skill_repository.sound_ledger())
    skill_repository.write(room / "families.json", {"families": []})
    # The one framework of the repository serves the room that has none.
    (tmp_path / "references/framework.json").unlink()
    assert run("init").returncode == 0
    listed = [line for line in inputs(run) if "reconcile" in line]
    assert sorted(listed) == [
        "gatewright ledger reconcile --families=rooms/lease/families.json "
        "--findings=rooms/lease/findings.json --framework=rooms/lease/framework.json "
        "--manifest=rooms/lease/manifest.json",
        "gatewright ledger reconcile --findings=rooms/sale/findings.json "
        "--framework=rooms/lease/framework.json --manifest=rooms/sale/manifest.json",
    ]
    done = run("run")
    assert done.returncode == 0, done.stdout


def test_what_cannot_be_checked_alone_is_said_and_not_listed(run, tmp_path):
    card = skill_repository.SCORECARD.format(persona="rev", run="r1")
    skill_repository.write(tmp_path / "notes/rev.md", card)
    skill_repository.write(tmp_path / "lost/findings.json", skill_repository.sound_ledger())
    skill_repository.write(tmp_path / "blueprint.json", skill_repository.sound_blueprint())
    # Same name, another thing: a glob of the name would not run.
    skill_repository.write(tmp_path / "copy/blueprint.json", skill_repository.sound_blueprint())
    skill_repository.write(tmp_path / "other/blueprint.json", {"openapi": "3.1.0"})
    skill_repository.write(tmp_path / "broken.json", "{")
    done = run("init")
    assert "not listed: lost/findings.json has no manifest.json beside it" in done.stdout
    assert "the scorecard notes/rev.md has no INPUT.md beside it" in done.stdout
    assert inputs(run) == [
        "gatewright blueprint recount -- blueprint.json",
        "gatewright blueprint recount -- copy/blueprint.json",
    ]
    assert run("run").returncode == 0


def test_a_run_folder_without_a_scorecard_yet_stops_none_of_the_others(run, tmp_path):
    skill_repository.make(tmp_path)
    skill_repository.write(tmp_path / "council/runs/r0/INPUT.md", skill_repository.ARTIFACT)
    assert run("init").returncode == 0
    assert inputs(run)[-2:] == [
        "gatewright scorecard check -- council/runs/r1",
        "gatewright scorecard check -- council/runs/r2",
    ]
    assert run("run").returncode == 0


def test_strange_names_are_matched_as_they_are(run, tmp_path):
    for name in ("a[1]", "b {x}*", 'c"\\'):
        folder = tmp_path / "runs" / name
        skill_repository.write(folder / "blueprint.json", skill_repository.sound_blueprint())
    home = tmp_path / "council [old]/r*"
    skill_repository.write(home / "INPUT.md", skill_repository.ARTIFACT)
    card = skill_repository.SCORECARD.format(persona="rev", run="r")
    skill_repository.write(home / "rev.md", card)
    assert run("init").returncode == 0
    report = json.loads(run("run", "--format", "json").stdout)
    assert report["status"] == 0, report
    assert len(report["outcomes"]) == 4


def test_an_empty_repository_gets_an_example_and_is_told_so(run, tmp_path):
    done = run("init")
    assert done.stdout.splitlines() == [
        "written gatewright.toml",
        "nothing was recognised; the file holds an example to fill in",
    ]
    done = run("run")
    assert done.returncode == 2
    assert "it lists no gate" in done.stderr


def test_a_configuration_that_is_there_is_kept(run, tmp_path):
    skill_repository.make(tmp_path)
    (tmp_path / "gatewright.toml").write_text("# mine\n", encoding="utf-8")
    done = run("init")
    assert done.returncode == 2
    assert "--force overwrites it" in done.stderr
    assert (tmp_path / "gatewright.toml").read_text(encoding="utf-8") == "# mine\n"
    shown = run("init", "--print").stdout
    assert run("init", "--force").returncode == 0
    assert (tmp_path / "gatewright.toml").read_text(encoding="utf-8") == shown
