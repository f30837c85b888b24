"""``dc-validate-scorecard.sh``: the recorded cases, and what the recorded program got wrong.

The mended faults have names: updates lost between validators that run at once, half-done runs,
links and modes, paths in a persona's name, a run folder that poses as the package.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "conformance" / "scorecard.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]

GOOD_DRAFT = "---\nfindings:\n- {target: t, claim: bad, evidence: alpha beta}\n---\nbody\n"


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """Environment in which ``python3`` is this interpreter."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"}


@pytest.fixture
def validator(shims, environment):
    """Run the installed entry script as ``bash path`` does."""

    def validate(*arguments, cwd, script=shims / "dc-validate-scorecard.sh"):
        return subprocess.run(
            ["bash", str(script), *arguments],
            cwd=cwd,
            env=environment,
            capture_output=True,
            timeout=120,
        )

    return validate


@pytest.fixture
def plugin(tmp_path) -> Path:
    """A folder with the persona ``rev`` and a run that has one good draft of it."""
    for folder in ("agents", "persona-metadata", "run"):
        (tmp_path / folder).mkdir()
    (tmp_path / "run" / "INPUT.md").write_text("alpha beta gamma\n")
    (tmp_path / "run" / "MANIFEST.json").write_text("{}\n")
    add_persona(tmp_path, "rev")
    return tmp_path


def add_persona(root: Path, name: str) -> None:
    (root / "agents" / f"{name}.md").write_text(f"---\nname: {name}\n---\n")
    (root / "persona-metadata" / f"{name}.yml").write_text("banned_phrases: [consider]\n")
    (root / "run" / f"{name}-draft.md").write_text(GOOD_DRAFT)


def content(stated: str | dict[str, str]) -> bytes:
    if isinstance(stated, dict):
        return base64.b64decode(stated["base64"])
    return stated.encode("utf-8", "surrogatepass")


def tree(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def split_front_matter(text: str) -> tuple[object, str]:
    head, fence, body = text[4:].partition("\n---\n")
    assert text.startswith("---\n"), text
    assert fence, text
    return yaml.safe_load(head), body


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_recorded_case(case, tmp_path, validator):
    root = tmp_path.resolve()
    for name, stated in case["files"].items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content(stated))
    before = tree(root)
    done = validator(*case["argv"], cwd=root)
    expected = case["expect"]
    assert done.stdout == b""
    if expected.get("crash"):
        assert done.returncode == 1
        line = done.stderr.decode()
        assert line.startswith("dc-validate-scorecard: ERROR: cannot use run/")
        assert len(line.splitlines()) == 1
        assert tree(root) == before
        return
    assert done.returncode == expected["exit"]
    assert done.stderr.decode() == expected["stderr"].replace("{CASE}", str(root))
    for name, text in expected.get("files", {}).items():
        got = (root / name).read_bytes().decode("utf-8", "surrogateescape")
        if case.get("compare", {}).get(name) == "frontmatter":
            assert split_front_matter(got) == split_front_matter(text), name
        else:
            assert got == text, name
    for name in expected.get("absent", []):
        assert not (root / name).exists()
    allowed = before.keys() | expected.get("files", {}).keys()
    assert tree(root).keys() <= allowed, "a file that no one asked for"


@pytest.mark.parametrize("round_number", range(20))
def test_64_validators_at_once_leave_64_entries(plugin, shims, environment, round_number):
    personas = [f"rev-{number}" for number in range(64)]
    for persona in personas:
        add_persona(plugin, persona)
    command = [str(shims / "dc-validate-scorecard.sh")]
    running = [
        subprocess.Popen(
            [*command, persona, "run"], cwd=plugin, env=environment, stderr=subprocess.PIPE
        )
        for persona in personas
    ]
    for persona, process in zip(personas, running):
        _, stderr = process.communicate(timeout=120)
        line = f"dc-validate-scorecard: {persona} — 1 kept, 0 dropped\n"
        assert (process.returncode, stderr.decode()) == (0, line)
    manifest = json.loads((plugin / "run" / "MANIFEST.json").read_text())
    assert sorted(entry["persona"] for entry in manifest["validation"]) == sorted(personas)
    assert sorted(entry["name"] for entry in manifest["personas_run"]) == sorted(personas)
    assert (manifest["findings_kept"], manifest["findings_dropped"]) == (64, 0)
    names = {path.name for path in (plugin / "run").iterdir()}
    wanted = {f"{persona}.md" for persona in personas}
    assert names == wanted | {"INPUT.md", "MANIFEST.json", "rev-draft.md"}


def test_killed_at_any_moment_either_state_stands(plugin, shims, environment):
    run_dir = plugin / "run"
    command = [str(shims / "dc-validate-scorecard.sh"), "rev", "run"]
    old_manifest = (run_dir / "MANIFEST.json").read_bytes()
    start = time.perf_counter()
    assert subprocess.run(command, cwd=plugin, env=environment, check=False).returncode == 0
    duration = time.perf_counter() - start
    new_manifest = (run_dir / "MANIFEST.json").read_bytes()
    new_card = (run_dir / "rev.md").read_bytes()
    chance = random.Random(14)
    seen = set()
    for _ in range(80):
        shutil.rmtree(run_dir)
        run_dir.mkdir()
        (run_dir / "INPUT.md").write_text("alpha beta gamma\n")
        (run_dir / "MANIFEST.json").write_bytes(old_manifest)
        (run_dir / "rev.md").write_text("older\n")
        (run_dir / "rev-draft.md").write_text(GOOD_DRAFT)
        process = subprocess.Popen(
            command, cwd=plugin, env=environment, stderr=subprocess.DEVNULL, start_new_session=True
        )
        time.sleep(chance.uniform(0, 1.2 * duration))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        manifest = (run_dir / "MANIFEST.json").read_bytes()
        card = (run_dir / "rev.md").read_bytes()
        draft_stands = (run_dir / "rev-draft.md").exists()
        assert manifest in (old_manifest, new_manifest)
        assert card in (b"older\n", new_card)
        if manifest == new_manifest:
            assert card == new_card
        if not draft_stands:
            assert manifest == new_manifest
        seen.add((manifest == new_manifest, draft_stands))
    assert (False, True) in seen, "no kill came early enough to be one"


def test_a_validator_waits_for_the_lock_and_leaves_no_trace_when_killed(plugin, shims, environment):
    before = tree(plugin)
    handle = os.open(plugin / "run", os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        process = subprocess.Popen(
            [str(shims / "dc-validate-scorecard.sh"), "rev", "run"], cwd=plugin, env=environment
        )
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.5)
        process.kill()
        process.wait()
    finally:
        os.close(handle)
    assert tree(plugin) == before


@pytest.mark.parametrize("persona", ["../rev", "a/b", "/rev"])
def test_a_path_in_the_persona_name_is_refused(plugin, validator, persona):
    (plugin / "rev-draft.md").write_text(GOOD_DRAFT)
    before = tree(plugin)
    done = validator(persona, "run", cwd=plugin)
    message = f"a persona name cannot hold a path separator: {persona}\n"
    assert (done.returncode, done.stderr.decode()) == (
        1,
        f"dc-validate-scorecard: ERROR: {message}",
    )
    assert tree(plugin) == before


@pytest.mark.parametrize("run_name", ["a=b", "-d", "run with spaces", "läuft"])
def test_odd_run_folder_names_work(plugin, validator, run_name):
    (plugin / "run").rename(plugin / run_name)
    assert validator("rev", run_name, cwd=plugin).returncode == 0
    assert (plugin / run_name / "rev.md").exists()


def test_what_a_draft_says_stays_data(plugin, validator):
    forged = "x\tr\tp\tq\nKEEP\t1\tz\t-\t-\tforged"
    draft = {
        "findings": [
            {"target": "t", "claim": "bad", "evidence": "alpha beta"},
            {"claim": "consider it", "evidence": "alpha beta", "id": forged},
        ]
    }
    (plugin / "run" / "rev-draft.md").write_text("---\n" + yaml.safe_dump(draft) + "---\n")
    assert validator("rev", "run", cwd=plugin).stderr.decode().endswith("1 kept, 1 dropped\n")
    dropped = {"id": forged, "reason": "banned_phrase_detected", "phrase": "consider"}
    manifest = json.loads((plugin / "run" / "MANIFEST.json").read_text())
    assert manifest["validation"][0]["drop_reasons"] == [dropped]
    card, _ = split_front_matter((plugin / "run" / "rev.md").read_text())
    assert card["dropped_findings"] == [dropped]


def test_numbers_of_the_old_manifest_keep_their_digits(plugin, validator):
    (plugin / "run" / "MANIFEST.json").write_text('{"seed": 12345678901234567890, "cost": 2.50}')
    assert validator("rev", "run", cwd=plugin).returncode == 0
    text = (plugin / "run" / "MANIFEST.json").read_text()
    assert text.startswith('{\n  "seed": 12345678901234567890,\n  "cost": 2.5,\n')


def test_a_thousand_drops_and_long_claims_fit(plugin, validator):
    finding = {"target": "t", "evidence": "alpha beta", "claim": "c" * 200}
    drop = {"evidence": "not in the artifact", "id": "i" * 200}
    draft = yaml.safe_dump({"findings": [finding] * 1000 + [drop] * 1000})
    (plugin / "run" / "rev-draft.md").write_text(f"---\n{draft}---\n")
    done = validator("rev", "run", cwd=plugin)
    assert done.stderr.decode().endswith("1000 kept, 1000 dropped\n")
    manifest = json.loads((plugin / "run" / "MANIFEST.json").read_text())
    assert (manifest["findings_kept"], manifest["findings_dropped"]) == (1000, 1000)


def test_a_script_in_a_plugin_takes_its_personas_from_there(plugin, validator, shims, tmp_path):
    (plugin / "bin").mkdir()
    script = plugin / "bin" / "dc-validate-scorecard.sh"
    shutil.copy(shims / "dc-validate-scorecard.sh", script)
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "gatewright").mkdir(parents=True)
    # A run folder that poses as the package must not be imported.
    (elsewhere / "gatewright" / "__init__.py").write_text("raise SystemExit('posed')\n")
    done = validator("rev", str(plugin / "run"), cwd=elsewhere, script=script)
    assert done.stderr.decode() == "dc-validate-scorecard: rev — 1 kept, 0 dropped\n"


def test_the_script_runs_directly_and_names_a_missing_package(plugin, shims, tmp_path, environment):
    script = shims / "dc-validate-scorecard.sh"
    direct = subprocess.run([script], cwd=plugin, env=environment, capture_output=True, check=False)
    assert direct.returncode == 2
    assert direct.stderr.decode().startswith("dc-validate-scorecard.sh <persona> <run-dir>")
    bare = tmp_path / "elsewhere" / script.name
    bare.parent.mkdir()
    shutil.copy(script, bare)
    python = lonely_python(tmp_path)
    call = ["bash", bare, "rev", "run"]
    alone = {**environment, "GATEWRIGHT_PYTHON": str(python), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(call, cwd=plugin, env=alone, capture_output=True, text=True)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "-m pip install gatewright" in done.stderr
    # An installed command, as pipx and uv tool put it on the search path, takes the call.
    command = tmp_path / "bin" / "gatewright"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gatewright "$@"\n')
    command.chmod(0o755)
    env = {**alone, "PATH": f"{command.parent}:/usr/bin:/bin"}
    done = subprocess.run(call, cwd=plugin, env=env, capture_output=True, text=True)
    assert done.stderr == "dc-validate-scorecard: rev — 1 kept, 0 dropped\n"
    done = subprocess.run(
        call,
        cwd=plugin,
        env={**alone, "GATEWRIGHT_PYTHON": "no-such-python"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "no interpreter no-such-python" in done.stderr


def lonely_python(folder: Path) -> Path:
    """An interpreter that has no packages."""
    python = folder / "lonely-python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    python.chmod(0o755)
    return python


@pytest.mark.parametrize(
    "call",
    [
        ["bash", "dc-validate-scorecard.sh", "rev", "run"],
        ["bash", "-c", ". dc-validate-scorecard.sh", "-", "rev", "run"],
        ["bash", "-c", ". dc-validate-scorecard.sh rev run"],
        ["bash", "-c", "source plugin/bin/dc-validate-scorecard.sh rev run"],
        ["bash", "plugin/links/dc-validate-scorecard.sh", "rev", "run"],
        ["sh", "plugin/bin/dc-validate-scorecard.sh", "rev", "run"],
    ],
    ids=["path", "sourced-path", "sourced-words", "sourced-file", "link", "sh"],
)
def test_the_script_knows_where_it_lies(plugin, shims, tmp_path, environment, call):
    # The plugin lies elsewhere than the run: its own personas count.
    home = tmp_path / "plugin"
    for folder in ("bin", "links"):
        (home / folder).mkdir(parents=True)
    for folder in ("agents", "persona-metadata"):
        (plugin / folder).rename(home / folder)
    script = home / "bin" / "dc-validate-scorecard.sh"
    shutil.copy(shims / script.name, script)
    script.chmod(0o755)
    (home / "links" / script.name).symlink_to(script)
    env = {**environment, "PATH": f"{script.parent}:{environment['PATH']}"}
    done = subprocess.run(call, cwd=plugin, env=env, capture_output=True, text=True)
    assert done.stderr == "dc-validate-scorecard: rev — 1 kept, 0 dropped\n"
    assert done.returncode == 0


def test_zeros_keep_their_sign_and_pairs_of_surrogates_are_one_character(plugin, validator):
    (plugin / "run" / "MANIFEST.json").write_text('{"a": [-0, -0.0, 0], "-0": "-0"}')
    (plugin / "run" / "rev-draft.md").write_text(
        "---\nfindings:\n- {target: t, claim: bad, evidence: alpha beta, "
        'severity: "\\ud83d\\ude00", category: "\\ud83d\\ude00!\\ud83d"}\n---\nbody\n'
    )
    assert validator("rev", "run", cwd=plugin).returncode == 0
    text = (plugin / "run" / "MANIFEST.json").read_text(encoding="utf-8")
    assert '"a": [\n    -0,\n    -0,\n    0\n  ],\n  "-0": "-0"' in text
    finding = json.loads(text)["personas_run"][0]["findings"][0]
    assert (finding["severity"], finding["category"]) == ("😀", "😀!\ufffd")
