"""What a reviewer may try so that a bad scorecard passes: each test is named after what it tries."""

from __future__ import annotations

import hashlib
import json

import pytest

SOURCE = "alpha beta gamma delta\n-------- x\n"


def card(claim="It fails.", *, persona="rev", severity="major", evidence="alpha beta gamma"):
    quoted = json.dumps
    return (
        f'---\npersona: {quoted(persona)}\nrun_id: "r1"\nfindings:\n- id: "x"\n  target: "a:1"\n'
        f"  claim: {quoted(claim)}\n  evidence: {quoted(evidence)}\n"
        f'  ask: "Fix it."\n  severity: {quoted(severity)}\n  category: "c"\n---\nprose\n'
    )


class Council:
    """A folder with one persona, `rev`, who bans two phrases, and one run folder."""

    def __init__(self, folder, run):
        self.folder = folder
        self.command = run
        self.lists = folder / "persona-metadata"
        self.lists.mkdir()
        (self.lists / "rev.yml").write_text("banned_phrases: [consider, think about]\n")
        self.run = folder / "run"
        self.run.mkdir()
        self.write("INPUT.md", SOURCE)

    def write(self, name, text):
        path = self.run / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def manifest(self, **members):
        self.write("MANIFEST.json", json.dumps(members))

    def check(self, *arguments):
        """Status, codes of all findings, and what was said."""
        arguments = arguments or ("run",)
        done = self.command("scorecard", "check", *arguments, "--format", "json")
        assert "Traceback" not in done.stderr
        outcomes = json.loads(done.stdout)["outcomes"] if done.stdout else []
        codes = [finding["code"] for outcome in outcomes for finding in outcome["findings"]]
        return done.returncode, codes, done.stdout + done.stderr


@pytest.fixture
def council(tmp_path, run):
    return Council(tmp_path, run)


def test_a_sound_scorecard_passes(council):
    council.write("rev.md", card())
    council.manifest(
        sha256=hashlib.sha256(SOURCE.encode()).hexdigest(), personas_run=[{"name": "rev"}]
    )
    status, codes, said = council.check()
    assert (status, codes) == (0, [])
    assert "persona-metadata/rev.yml" in said  # the list that was used, with its digest


DISGUISES = {
    "soft_hyphen": "con\u00adsider it",
    "zero_width_space": "con\u200bsider it",
    "word_joiner": "con\u2060sider it",
    "variation_selector": "con\ufe0fsider it",
    "combining_mark": "con\u0301sider it",
    "full_width": "ｃｏｎｓｉｄｅｒ it",
    "mathematical_bold": "𝐜𝐨𝐧𝐬𝐢𝐝𝐞𝐫 it",
    "roman_numeral": "ⅽonsider it",
    "cyrillic_o": "c\u043ensider it",
    "greek_and_cyrillic_capitals": "\u0421\u039f\u039dS\u0406D\u0415R it",
    "estimated_sign": "consid\u212er it",
    "black_circles": "\U0001f152\U0001f15e\U0001f15d\U0001f162\U0001f158\U0001f153\U0001f154\U0001f161",
    "small_capitals": "\u1d04\u1d0f\u0274\ua731\u026a\u1d05\u1d07\u0280 it",
    "digit_for_letter": "c0nsider it",
    "tag_character": "con\U000e0061sider it",
    "hangul_filler": "con\u3164sider it",
    "two_blanks": "think  about it",
    "no_break_space": "think\u00a0about it",
    "line_break": "think\nabout it",
    "braille_blank": "think\u2800about it",
    "html_entity": "c&#111;nsider it",
    "named_entity": "con&shy;sider it",
    "markdown": "con**sider** it",
    "underscores": "_consider_ it",
    "link": "[con](x)sider it",
    "html_comment": "con<!-- x -->sider it",
    "hidden_element": "con<span hidden>x</span>sider it",
    "indented_entity": "    c&#111;nsider it",
    "nested_tags": "<b>" * 3000 + "con<!-- -->sider it",
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_banned_phrase_behind(council, disguise):
    council.write("rev.md", card(DISGUISES[disguise]))
    status, codes, _ = council.check()
    assert (status, codes) == (1, ["GWS012"])


@pytest.mark.parametrize("claim", ["It is reconsidered.", "A con-sider case.", "It may be lost."])
def test_other_words_still_pass(council, claim):
    (council.lists / "rev.yml").write_text("banned_phrases: [consider, maybe]\n")
    council.write("rev.md", card(claim))
    assert council.check()[:2] == (0, [])


def test_front_matter_that_names_another_persona(council):
    council.write("rev.md", card("consider it", persona="other"))
    status, codes, _ = council.check()
    assert status == 1
    assert set(codes) == {"GWS012", "GWS015"}


def test_a_lone_scorecard_that_names_another_persona(council):
    council.write("rev.md", card("consider it", persona="other"))
    status, codes, _ = council.check("run/rev.md")
    assert status == 1
    assert set(codes) == {"GWS012", "GWS015"}


def test_a_draft_that_names_another_persona(council):
    council.write("rev-draft.md", card(persona="other"))
    status, codes, _ = council.check()
    assert (status, codes) == (1, ["GWS015"])


@pytest.mark.parametrize("persona", ["..", ".", "a/b", " rev"])
def test_a_persona_that_is_no_name(council, persona):
    council.write("rev.md", card("consider it", persona=persona))
    status, codes, _ = council.check()
    assert status == 1
    assert {"GWS003", "GWS012", "GWS015"} <= set(codes)


@pytest.mark.parametrize("name", ["Rev", "REV", "r\u0435v"])
def test_a_file_name_that_only_looks_like_the_personas(council, name):
    council.write(f"{name}.md", card("consider it", persona=name))
    status, codes, _ = council.check()
    assert status == 1
    assert "GWS012" in codes


def test_a_list_inside_the_run_folder(council):
    council.write("persona-metadata/rev.yml", "banned_phrases: [zzz]\n")
    council.write("rev.md", card("consider it"))
    status, codes, _ = council.check()
    assert status == 1
    assert sorted(codes) == ["GWS012", "GWS021"]


def test_a_list_inside_the_run_folder_that_is_the_working_directory(council, monkeypatch):
    council.write("persona-metadata/rev.yml", "banned_phrases: [zzz]\n")
    council.write("rev.md", card("consider it"))
    monkeypatch.chdir(council.run)
    done = council.command("scorecard", "check", ".", cwd=council.run)
    assert done.returncode == 1
    assert "GWS012" in done.stdout


def test_a_nearer_list_between_the_owners_and_the_run(council):
    folder = council.folder / "runs"
    council.run.rename(council.folder / "moved")
    folder.mkdir()
    (council.folder / "moved").rename(folder / "a")
    council.run = folder / "a"
    (folder / "persona-metadata").mkdir()
    (folder / "persona-metadata/rev.yml").write_text("banned_phrases: [zzz]\n")
    council.write("rev.md", card("consider it"))
    status, codes, _ = council.check("runs")
    assert (status, codes) == (1, ["GWS012"])


def test_a_persona_that_the_named_folder_does_not_know(council):
    council.write("nobody.md", card(persona="nobody"))
    status, codes, _ = council.check("--personas", ".", "run")
    assert status == 1
    assert "GWS022" in codes


def test_a_list_of_blanks(council):
    (council.lists / "rev.yml").write_text('banned_phrases: ["", " "]\n')
    council.write("rev.md", card("consider it"))
    status, _, said = council.check()
    assert status == 2
    assert "a list with at least one phrase is wanted" in said


def test_a_list_that_stands_twice(council):
    (council.lists / "rev.yml").write_text("banned_phrases: [consider]\nbanned_phrases: [zzz]\n")
    council.write("rev.md", card("consider it"))
    status, _, said = council.check()
    assert status == 2
    assert "`banned_phrases` stands twice" in said


def test_an_artifact_that_is_not_the_recorded_one(council):
    council.write("INPUT.md", SOURCE + "words added later\n")
    council.manifest(sha256=hashlib.sha256(SOURCE.encode()).hexdigest())
    council.write("rev.md", card(evidence="words added later"))
    assert council.check()[:2] == (1, ["GWS016"])


@pytest.mark.parametrize("digest", [5, "", [], "0" * 63])
def test_a_recorded_digest_that_is_none(council, digest):
    council.manifest(sha256=digest)
    council.write("rev.md", card())
    assert council.check()[:2] == (1, ["GWS016"])


def test_a_manifest_with_two_digests(council):
    good = hashlib.sha256(SOURCE.encode()).hexdigest()
    council.write("MANIFEST.json", f'{{"sha256": "{"0" * 64}", "sha256": "{good}"}}')
    council.write("rev.md", card())
    status, _, said = council.check()
    assert status == 2
    assert "stands twice in one object" in said


def test_a_listed_persona_whose_scorecard_was_deleted(council):
    council.manifest(personas_run=[{"name": "rev"}, {"name": "gone"}])
    council.write("rev.md", card())
    status, codes, said = council.check()
    assert (status, codes) == (1, ["GWS019"])
    assert "persona `gone` has no scorecard" in said


@pytest.mark.parametrize("entry", ["gone", {"name": "../rev"}, {"nome": "rev"}, 7])
def test_a_listed_persona_that_is_odd(council, entry):
    council.manifest(personas_run=[{"name": "rev"}, entry])
    council.write("rev.md", card())
    assert council.check()[:2] == (1, ["GWS019"])


@pytest.mark.parametrize("name", ["REVIEWER.md", "42.md", "bad.MD", "bad.json", "bad.markdown"])
def test_a_bad_scorecard_under_an_odd_name(council, name):
    council.write("rev.md", card())
    council.write(name, card(severity="critical"))
    status, codes, _ = council.check()
    assert status == 1
    assert "GWS009" in codes


def test_a_bad_scorecard_as_json(council):
    finding = {"claim": "c", "evidence": "alpha beta gamma", "severity": "critical"}
    council.write("rev.md", card())
    council.write("scan.json", json.dumps({"findings": [finding]}))
    status, codes, _ = council.check()
    assert status == 1
    assert "GWS007" in codes


def test_a_bad_scorecard_with_a_broken_fence_that_the_manifest_does_not_list(council):
    council.manifest(personas_run=[{"name": "rev"}])
    council.write("rev.md", card())
    council.write("bad.md", "--- \n" + card(severity="critical")[4:])
    assert council.check()[:2] == (1, ["GWS001"])


@pytest.mark.parametrize("name", ["old/bad.md", "bad.txt", ".bad.md", "bad.md.bak"])
def test_a_scorecard_where_nobody_looks_is_told(council, name):
    council.write("rev.md", card())
    council.write(name, card(severity="critical"))
    status, codes, said = council.check()
    assert (status, codes) == (0, ["GWS020"])
    assert name in said


def test_prose_beside_scorecards_is_no_scorecard(council):
    council.manifest(personas_run=[{"name": "rev"}])
    council.write("rev.md", card())
    council.write("SYNTHESIS.md", "# Synthesis\n\nThe findings: see rev.md.\n")
    council.write("notes.md", "Persona notes.\n")
    council.write("usage.json", '{"tokens": 5, "findings_kept": 1}')
    assert council.check()[:2] == (0, [])


def test_a_severity_that_stands_twice(council):
    twice = '  severity: "critical"\n  severity: "major"\n'
    council.write("rev.md", card().replace('  severity: "major"\n', twice))
    assert council.check()[:2] == (1, ["GWS018"])


def test_a_claim_that_stands_twice_in_json(council):
    text = (
        '{"findings": [{"id": "x", "target": "t", "claim": "a", "claim": "b", "evidence": '
        '"alpha beta gamma", "ask": "k", "severity": "nit", "category": "c"}]}'
    )
    council.write("rev.json", text)
    assert council.check()[:2] == (1, ["GWS018"])


@pytest.mark.parametrize(
    "body",
    [
        "\u115f\u3164",
        "\u200b\u2060",
        "&zwnj;&shy;",
        "<!-- looked at all of it -->",
        "[x]: http://e.example",
        "<p hidden>all is well</p>",
        "Summary\n=======",
    ],
)
def test_no_findings_and_prose_that_nobody_sees(council, body):
    council.write("rev.md", f"---\npersona: rev\nrun_id: r\nfindings: []\n---\n{body}\n")
    assert council.check()[:2] == (1, ["GWS005"])


def test_evidence_of_eight_dashes(council):
    council.write("rev.md", card(evidence="--------"))
    assert council.check()[:2] == (1, ["GWS010"])


def test_evidence_made_long_by_invisible_letters(council):
    council.write("rev.md", card(evidence="beta" + "\u200b" * 8))
    assert council.check()[:2] == (1, ["GWS010"])
