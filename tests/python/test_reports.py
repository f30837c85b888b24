"""The sample reports that the Rust suite renders, checked as their readers would read them."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import chromium
import jsonschema
import pytest
import xmlschema

TESTS = Path(__file__).resolve().parent.parent
SNAPSHOTS = TESTS / "snapshots" / "report"
SCHEMAS = TESTS / "schemas"

needs_chromium = pytest.mark.skipif(
    chromium.EXECUTABLE is None, reason="no Chromium here; apt-get install chromium"
)


def snapshot(name: str) -> str:
    return (SNAPSHOTS / name).read_bytes().decode("utf-8")


@pytest.mark.parametrize("name", ["sample", "passed"])
def test_sarif_is_valid_and_says_its_columns(name):
    report = json.loads(snapshot(f"{name}.sarif"))
    schema = json.loads((SCHEMAS / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    validator = jsonschema.validators.validator_for(schema)(
        schema, format_checker=jsonschema.FormatChecker()
    )
    assert [error.message for error in validator.iter_errors(report)] == []
    (run,) = report["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert result["message"]["text"]
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        for place in result["locations"]:
            uri = place.get("physicalLocation", {}).get("artifactLocation", {}).get("uri", "")
            assert ":" not in uri
            assert not uri.startswith("/")
    assert all(rule["help"]["text"] and rule["help"]["markdown"] for rule in rules)


def test_sarif_schema_would_notice_a_message_without_text():
    report = json.loads(snapshot("sample.sarif"))
    schema = json.loads((SCHEMAS / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    report["runs"][0]["results"][0]["message"] = {"markdown": "x"}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(report, schema)


@pytest.mark.parametrize("name", ["sample", "passed"])
def test_junit_is_valid_and_its_counts_are_those_of_its_cases(name):
    text = snapshot(f"{name}.xml")
    xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd")).validate(text)
    suites = ElementTree.fromstring(text)
    cases = suites.findall("testsuite/testcase")
    assert int(suites.get("tests")) == len(cases) > 0
    assert int(suites.get("failures")) == len(suites.findall("testsuite/testcase/failure"))
    assert (int(suites.get("failures")) == 0) == (name == "passed")


def test_json_has_the_same_keys_whatever_the_verdict():
    failed, passed = (json.loads(snapshot(f"{name}.json")) for name in ("sample", "passed"))
    assert list(failed) == list(passed)
    assert len({tuple(outcome) for outcome in failed["outcomes"] + passed["outcomes"]}) == 1
    findings = [finding for outcome in failed["outcomes"] for finding in outcome["findings"]]
    assert len({tuple(finding) for finding in findings}) == 1
    assert len({tuple(finding["at"]) for finding in findings}) == 1
    assert (failed["status"], passed["status"]) == (1, 0)


def test_github_commands_have_only_known_properties():
    lines = [line for line in snapshot("sample.github").splitlines() if line.startswith("::")]
    assert len(lines) == 4
    for line in lines:
        match = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
        assert match, line
        names = [part.split("=", 1)[0] for part in match.group(2).split(",")]
        assert set(names) <= {"file", "line", "col", "endLine", "endColumn", "title"}
        assert re.search(r"%(?!25|0A|0D|3A|2C)", line) is None


def test_markdown_mentions_nobody_and_carries_no_markup_of_the_input():
    text = snapshot("sample.md")
    assert "<script" not in text
    assert "<img" not in text
    assert re.search(r"@\w", text) is None
    assert "](" not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in rows} == {5}


@pytest.fixture(scope="module")
def browser():
    with chromium.Browser() as opened:
        yield opened


def assert_quiet(browser, path):
    assert browser.complaints() == []
    assert browser.requests() == [path.resolve().as_uri()]


@needs_chromium
def test_page_searches_filters_and_opens_findings(browser):
    path = SNAPSHOTS / "sample.html"
    browser.open(path)
    shown = "Array.from(document.querySelectorAll('.finding:not([hidden])')).length"
    assert browser.run(shown) == 4
    browser.press("/")
    assert browser.run("document.activeElement.id") == "search"
    browser.type("gwx002 TITLE")
    assert browser.run(shown) == 1
    assert browser.run("document.getElementById('count').textContent") == "1 of 4 findings"
    assert browser.run("document.querySelector('#g1 .nothing').hidden") is False
    browser.run("document.getElementById('search').value = ''")
    browser.run("document.querySelector('input[value=error]').click()")
    assert browser.run(shown) == 2
    browser.run("document.querySelector('input[value=error]').click()")
    browser.run("document.querySelector('.finding summary').focus()")
    browser.press("Enter")
    assert browser.run("document.querySelector('.finding details').open") is True
    body = browser.run("document.querySelector('.finding .body').innerText")
    assert "state the number that is counted" in body
    assert "$.ítems" in body
    assert_quiet(browser, path)


@needs_chromium
def test_page_shows_each_quote_in_place_and_dropped_ones_beside(browser):
    path = SNAPSHOTS / "sample.html"
    browser.open(path)
    marked = browser.run(
        "Array.from(document.querySelectorAll('.words mark'))"
        ".map(m => [m.className, m.textContent])"
    )
    assert marked == [
        ["g-near", "The landlord is not liable for "],
        ["g-near", "damage"],
        ["g-exact", "caused by water"],
        ["g-typographic", "tenant’s deposit"],
        ["g-exact", "<b>late</b> payment"],
    ]
    dropped = browser.run(
        "Array.from(document.querySelectorAll('.card.dropped h5 bdi')).map(e => e.textContent)"
    )
    assert dropped == ["F3", "F4"]
    near = "document.querySelector('.card.g-near')"
    assert browser.run(near + ".querySelector('ins').textContent").strip() == "not"
    assert "missing after `landlord is`: `not`" in browser.run(near + ".innerText")
    # From the card to the passage and back.
    target = browser.run(near + ".querySelector('.where a').hash")
    assert browser.run(f"document.querySelector('{target}').closest('.line') !== null") is True
    back = browser.run(f"document.querySelector('{target}').hash")
    assert browser.run(f"document.querySelector('{back}').classList.contains('g-near')") is True
    assert_quiet(browser, path)


@needs_chromium
def test_page_runs_nothing_of_hostile_text(browser):
    path = SNAPSHOTS / "sample.html"
    browser.open(path)
    assert (
        browser.run("document.querySelectorAll('img, iframe, object, link, b[onclick]').length")
        == 0
    )
    assert browser.run("document.querySelectorAll('script').length") == 2
    handlers = (
        "Array.from(document.querySelectorAll('*'))"
        ".some(e => Array.from(e.attributes).some(a => a.name.startsWith('on')))"
    )
    assert browser.run(handlers) is False
    assert "javascript:" not in browser.run(
        "Array.from(document.querySelectorAll('[href]')).map(e => e.getAttribute('href')).join()"
    )
    # The policy holds: a script that is added later does not run.
    browser.run(
        "document.body.append("
        "Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'}))"
    )
    assert browser.run("window.ran === undefined") is True


@needs_chromium
def test_page_grid_filters_and_moves_by_keyboard(browser):
    path = SNAPSHOTS / "sample.html"
    browser.open(path)
    assert browser.run("document.querySelector('.m-count').textContent") == "5 of 5 unit rows"
    browser.run(
        "(s => { s.value = 'faults'; s.dispatchEvent(new Event('change')); })"
        "(document.querySelector('.m-state'))"
    )
    assert browser.run("document.querySelector('.m-count').textContent") == "2 of 5 unit rows"
    browser.run("document.querySelector('.m-search').focus()")
    browser.type("deposit")
    assert browser.run("document.querySelectorAll('.m-col').length") == 1
    assert browser.run("document.querySelector('.m-count').textContent") == "1 of 5 unit rows"
    browser.run(
        "(s => { s.value = 'all'; s.dispatchEvent(new Event('change')); })"
        "(document.querySelector('.m-state'))"
    )
    browser.run("document.querySelector('.grid').focus()")
    browser.press("ArrowDown")
    browser.press("ArrowDown")
    assert (
        browser.run("document.querySelector('.m-cell').textContent")
        == "unit clause-3, issue deposit: missing"
    )
    active = browser.run(
        "document.getElementById(document.querySelector('.grid').getAttribute('aria-activedescendant')).getAttribute('aria-label')"
    )
    assert active == "missing"
    assert_quiet(browser, path)


@needs_chromium
def test_page_shows_palette_and_conditions(browser):
    path = SNAPSHOTS / "sample.html"
    browser.open(path)
    fills = (
        "Array.from(document.querySelectorAll('.swatches li.orphan'))"
        ".map(li => li.querySelector('rect[fill]')?.getAttribute('fill') ?? null)"
    )
    assert browser.run(fills) == ["#ff000080", None]
    states = "Array.from(document.querySelectorAll('.checklist li')).map(li => li.className)"
    assert browser.run(states) == ["met", "unmet", "unchecked"]
    assert "1 of 3 met" in browser.run("document.getElementById('g2').innerText")


@needs_chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_page_fits_its_width_and_reads_well(browser, width, scheme):
    path = SNAPSHOTS / "sample.html"
    browser.open(path, width=width, scheme=scheme)
    assert browser.run("document.documentElement.scrollWidth") <= width
    # Contrast of text against what is behind it, by the accessibility guidelines' formula.
    script = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
    assert browser.run(script) == []
    # Every control has a name for a screen reader.
    tree = browser.call("Accessibility.getFullAXTree")["nodes"]
    unnamed = [
        node["role"]["value"]
        for node in tree
        if not node.get("ignored")
        and node["role"]["value"]
        in ("button", "link", "searchbox", "combobox", "checkbox", "grid", "region")
        and not node.get("name", {}).get("value")
    ]
    assert unnamed == []


@needs_chromium
def test_page_works_without_script(browser, tmp_path):
    page = re.sub(r"<script>.*?</script>", "", snapshot("sample.html"), flags=re.DOTALL)
    path = tmp_path / "plain.html"
    path.write_text(page, encoding="utf-8")
    browser.open(path)
    # The text as laid out; the first layout may still be under way when the page has loaded.
    text = browser.run(
        """new Promise((done) => {
          const deadline = Date.now() + 5000;
          const look = () => {
            const text = document.body.innerText;
            const is_there = text.includes("stated as 3") || Date.now() > deadline;
            is_there ? done(text) : setTimeout(look, 20);
          };
          look();
        })"""
    )
    assert "`total`" in text or "total is stated as 3, counted 2" in text
    assert browser.run("document.querySelectorAll('.totals tbody tr').length") == 3
    assert browser.run("document.getElementById('filters').checkVisibility()") is False
