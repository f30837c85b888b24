"""The strict scorecard gate: command, run folders, template, Python function."""

from __future__ import annotations

import doctest
import hashlib
import json

import gatewright
import gatewright.scorecard
import pytest
import yaml

SOURCE = "# Plan\n\nShip to all accounts on Monday. The old endpoint\nis removed in the release.\n"
FINDING = {
    "id": "placeholder",
    "target": "## Plan",
    "claim": "It cannot be undone.",
    "evidence": "The old endpoint is removed",
    "ask": "Keep it for two releases.",
    "severity": "major",
    "category": "operability",
}


def card(*findings, persona="rev", body="\nProse.\n", **more):
    header = {"persona": persona, "run_id": "r1", "findings": list(findings), **more}
    return f"---\n{yaml.safe_dump(header, sort_keys=False)}---\n{body}"


@pytest.fixture
def council(tmp_path):
    """A folder with personas, and a function that makes run folders in it."""
    (tmp_path / "persona-metadata").mkdir()
    (tmp_path / "persona-metadata/rev.yml").write_text("banned_phrases: [consider]\n")
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents/sre.md").write_text("---\nbanned_phrases: [ponder]\n---\n")

    def make(name, cards, **manifest):
        folder = tmp_path / "runs" / name
        folder.mkdir(parents=True)
        (folder / "INPUT.md").write_text(SOURCE)
        (folder / "MANIFEST.json").write_text(json.dumps(manifest))
        for card_name, text in cards.items():
            (folder / card_name).write_text(text, encoding="utf-8")
        return folder

    return make


def check(run, *arguments):
    done = run("scorecard", "check", *arguments, "--format", "json")
    assert "Traceback" not in done.stderr
    document = json.loads(done.stdout) if done.stdout else {"outcomes": []}
    return done.returncode, document["outcomes"], done.stderr


def codes(outcome):
    return [finding["code"] for finding in outcome["findings"]]


def test_one_scorecard(run, council):
    folder = council("a", {"rev.md": card(FINDING)})
    status, outcomes, _ = check(run, folder / "rev.md")
    assert status == 0
    (outcome,) = outcomes
    assert codes(outcome) == []
    wanted = hashlib.sha256(b"rev|## plan|it cannot be undone.").hexdigest()[:8]
    assert outcome["facts"]["kept"] == [
        {"index": 0, "id": f"rev-{wanted}", "severity": "major", "mapped_from": None}
    ]
    assert [entry["role"] for entry in outcome["inputs"]] == ["scorecard", "source", "persona"]


def test_a_drop_has_reason_place_and_remedy(run, council):
    bad = {**FINDING, "id": "x", "evidence": "The old endpoint was removed"}
    folder = council("a", {"rev-draft.md": card(FINDING, bad)})
    status, outcomes, _ = check(run, folder)
    assert status == 1
    (outcome,) = outcomes
    assert outcome["facts"]["dropped"] == [
        {"index": 1, "id": "x", "reason": "evidence_not_verbatim", "phrase": None}
    ]
    (finding,) = outcome["findings"]
    lines = (folder / "rev-draft.md").read_text().splitlines()
    assert "was removed" in lines[finding["at"]["line"] - 1]
    assert finding["at"]["path"] == "$.findings[1].evidence"
    assert "line 4 has `is`, the quote has `was`" in finding["message"]
    assert "line 3 of the artifact" in finding["remedy"]
    assert finding["related"][0]["source"].endswith("INPUT.md")


def test_banned_phrases_come_from_the_persona(run, council):
    asks = {**FINDING, "ask": "Consider it, and ponder."}
    folder = council("a", {"rev.md": card(asks), "sre.md": card(asks, persona="sre")})
    status, outcomes, _ = check(run, folder)
    assert status == 1
    phrases = [outcome["facts"]["dropped"][0]["phrase"] for outcome in outcomes]
    assert phrases == ["consider", "ponder"]
    _, outcomes, _ = check(run, folder / "rev.md", "--banned-phrase", "two releases")
    assert outcomes[0]["facts"]["findings_dropped"] == 0


def test_a_persona_without_a_file_is_a_warning_and_one_without_a_list_an_error(run, council):
    folder = council("a", {"pm.md": card(FINDING, persona="pm")})
    status, outcomes, _ = check(run, folder)
    assert (status, codes(outcomes[0])) == (0, ["GWS014"])
    (folder.parent.parent / "persona-metadata/pm.yml").write_text("tier: core\n")
    status, outcomes, stderr = check(run, folder)
    assert (status, outcomes) == (2, [])
    assert "pm.yml` at $.banned_phrases: a list with at least one phrase is wanted" in stderr


def test_many_run_folders_at_once_keep_their_order(run, council):
    for number in range(20):
        findings = [] if number == 7 else [FINDING]
        body = "" if number == 7 else "\nProse.\n"
        council(f"{number:02}", {"rev.md": card(*findings, body=body)})
    runs = council("99", {"rev.md": card(FINDING)}).parent
    status, outcomes, _ = check(run, runs)
    assert status == 1
    subjects = [outcome["subject"] for outcome in outcomes] if "subject" in outcomes[0] else None
    if subjects is not None:
        assert subjects == sorted(subjects)
    assert [codes(outcome) for outcome in outcomes].count(["GWS005"]) == 1
    assert codes(outcomes[7]) == ["GWS005"]
    assert len(outcomes) == 21


def test_an_unreadable_artifact_among_many_is_undecided(run, council):
    good = council("a", {"rev.md": card(FINDING)})
    bad = council("b", {"rev.md": card(FINDING)})
    (bad / "INPUT.md").write_bytes(b"ab\xff")
    status, outcomes, _ = check(run, good, bad)
    assert status == 2
    assert [outcome["verdict"] for outcome in outcomes] == ["passed", "undecided"]
    assert "invalid byte at offset 2" in outcomes[1]["findings"][0]["message"]
    status, outcomes, stderr = check(run, bad)
    assert (status, outcomes) == (2, [])
    assert "invalid byte at offset 2" in stderr


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("none.md", "cannot read scorecard `none.md`"),
        ("lone/rev.md", "cannot read source `lone/INPUT.md`"),
        ("empty", "holds neither INPUT.md nor run folders"),
        ("bare", "holds no scorecard"),
    ],
)
def test_what_is_not_there_is_an_error(run, tmp_path, path, said):
    (tmp_path / "empty").mkdir()
    (tmp_path / "bare").mkdir()
    (tmp_path / "lone").mkdir()
    (tmp_path / "lone/rev.md").write_text(card(FINDING))
    (tmp_path / "bare/INPUT.md").write_text(SOURCE)
    status, outcomes, stderr = check(run, path)
    assert (status, outcomes) == (2, [])
    assert said in stderr


def test_severities_are_mapped_only_when_asked(run, council):
    folder = council("a", {"rev.md": card({**FINDING, "severity": "medium"})})
    status, outcomes, _ = check(run, folder)
    assert (status, codes(outcomes[0])) == (1, ["GWS009"])
    assert outcomes[0]["findings"][0]["remedy"].startswith("write `minor`")
    status, outcomes, _ = check(run, folder, "--map-severity")
    assert status == 0
    assert outcomes[0]["facts"]["kept"][0]["mapped_from"] == "medium"
    assert outcomes[0]["summary"] == "1 kept, 0 dropped, severity mapped from medium to minor: 1"


def test_a_json_document(run, council):
    folder = council("a", {"rev.md": card(FINDING)})
    document = {"findings": [FINDING, {**FINDING, "severity": "low"}]}
    (folder / "scan.json").write_text(json.dumps(document, indent=1))
    status, outcomes, _ = check(run, folder / "scan.json", "--banned-phrase", "consider")
    assert (status, codes(outcomes[0])) == (1, ["GWS009"])
    at = outcomes[0]["findings"][0]["at"]
    assert '"low"' in (folder / "scan.json").read_text().splitlines()[at["line"] - 1]
    status, _, _ = check(run, folder / "scan.json", "--map-severity")
    assert status == 0


def test_a_changed_snapshot_and_another_persona_decide(run, council):
    folder = council("a", {"rev.md": card(FINDING), "sre.md": card(FINDING)}, sha256="0" * 64)
    status, outcomes, _ = check(run, folder)
    assert status == 1
    assert [codes(outcome) for outcome in outcomes] == [["GWS016"], ["GWS015", "GWS016"]]


def test_text_output_names_place_rule_and_remedy(run, council):
    folder = council("a", {"rev.md": card({**FINDING, "target": 7})})
    done = run("scorecard", "check", folder)
    assert done.returncode == 1
    for part in (
        "rev.md:6:1: error GWS008",
        "field_not_text",
        "put the value of `target` in double",
    ):
        assert part in done.stdout
    assert done.stderr == ""


def test_the_template_passes_its_own_rules(run, tmp_path):
    done = run("scorecard", "template")
    assert done.returncode == 0
    (tmp_path / "PERSONA.md").write_text(done.stdout)
    (tmp_path / "INPUT.md").write_text(
        "Words of the artifact, copied as they stand, at least 8 characters.\n"
    )
    status, outcomes, _ = check(run, "PERSONA.md", "--banned-phrase", "consider")
    assert (status, codes(outcomes[0])) == (0, [])


def test_every_rule_is_explained(run):
    for number in range(1, 23):
        done = run("explain", f"GWS{number:03}")
        assert done.returncode == 0
        assert "## Remedy" in done.stdout


def test_check_scorecard_returns_an_outcome():
    outcome = gatewright.check_scorecard(card(FINDING), SOURCE, banned_phrases=["consider"])
    assert outcome.passed
    assert outcome.facts["findings_kept"] == 1
    outcome = gatewright.check_scorecard(
        card({**FINDING, "claim": "CONSIDER it."}), SOURCE, banned_phrases=["consider"]
    )
    assert not outcome.passed
    assert outcome.facts["dropped"][0]["phrase"] == "consider"
    assert outcome.findings[0].code == "GWS012"


def test_check_scorecard_takes_paths_and_refuses_bad_sources(tmp_path):
    (tmp_path / "rev.md").write_text(card(FINDING))
    (tmp_path / "INPUT.md").write_text(SOURCE)
    outcome = gatewright.check_scorecard(tmp_path / "rev.md", tmp_path / "INPUT.md", [])
    assert outcome.passed
    assert outcome.inputs[0]["name"] == str(tmp_path / "rev.md")
    with pytest.raises(gatewright.GatewrightError, match="not UTF-8"):
        gatewright.check_scorecard(card(FINDING), b"\xff", [])
    assert gatewright.check_scorecard(b"---\n\xff\n---\n", SOURCE, []).findings[0].code == "GWS002"


def test_docstring_examples_run():
    result = doctest.testmod(gatewright.scorecard)
    assert result.attempted > 0
    assert result.failed == 0
