"""The documentation: every rule has a page, the site builds without warnings."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from gatewright import _native

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def rules():
    status, stdout, stderr = _native.cli_output(["explain", "--format", "json"])
    assert (status, stderr) == (0, b"")
    return json.loads(stdout)["rules"]


def test_every_rule_says_all_that_a_reader_needs(rules):
    assert rules
    assert len({rule["code"] for rule in rules}) == len(rules)
    for rule in rules:
        for key in ("name", "checks", "why", "fails", "repaired", "remedy", "source"):
            assert rule[key].strip(), f"{rule['code']} has no `{key}`"


def test_the_committed_rule_pages_are_those_of_the_registry(rules, tmp_path):
    status, _, stderr = _native.cli_output(["explain", "--pages", str(tmp_path)])
    assert (status, stderr) == (0, b"")
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    kept = {path.name: path.read_bytes() for path in (ROOT / "docs/rules").iterdir()}
    remedy = "gatewright explain --pages docs/rules writes them anew; remove those without a rule"
    assert sorted(made) == sorted(kept), remedy
    assert [name for name in made if made[name] != kept[name]] == [], remedy
    assert set(made) == {"index.md", *(f"{rule['code']}.md" for rule in rules)}
    for rule in rules:
        _, shown, _ = _native.cli_output(["explain", rule["code"]])
        assert shown == made[f"{rule['code']}.md"]


def test_the_site_builds_without_warnings_and_has_a_page_per_rule(rules, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "tutorial.html").is_file()
    commands = (tmp_path / "commands.html").read_text(encoding="utf-8")
    for words in ("gatewright run", "gatewright ledger reconcile", "gatewright hook"):
        assert f">{words}<" in re.sub(r"<a class=.headerlink.*?</a>", "", commands), words
    api = (tmp_path / "api.html").read_text(encoding="utf-8")
    for name in ("ground", "reconcile", "Outcome", "GatewrightError"):
        assert re.search(rf'id="gatewright\.\w+\.{name}"', api), name
    for rule in rules:
        page = (tmp_path / "rules" / f"{rule['code']}.html").read_text(encoding="utf-8")
        assert rule["name"] in page
