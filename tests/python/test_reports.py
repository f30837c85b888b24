"""The sample reports that the Rust suite renders, checked as their readers would read them."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from pathlib import Path

import chromium
import draft_builder
import pytest
import report_checks
import skill_repository
from gatewright import _native

SNAPSHOTS = Path(__file__).resolve().parent.parent / "snapshots" / "report"

needs_chromium = pytest.mark.skipif(
    chromium.EXECUTABLE is None, reason="no Chromium here; apt-get install chromium"
)


def snapshot(name: str) -> str:
    return (SNAPSHOTS / name).read_bytes().decode("utf-8")


ENDINGS = {"text": "txt", "markdown": "md", "junit": "xml"}


@pytest.mark.parametrize(("name", "status"), [("sample", 1), ("passed", 0)])
@pytest.mark.parametrize("form", sorted(report_checks.CHECKS))
def test_every_sample_reads_as_its_format_promises(form, name, status):
    report_checks.CHECKS[form](snapshot(f"{name}.{ENDINGS.get(form, form)}"), status)


def test_sarif_schema_would_notice_a_message_without_text():
    report = json.loads(snapshot("sample.sarif"))
    report["runs"][0]["results"][0]["message"] = {"markdown": "x"}
    with pytest.raises(AssertionError):
        report_checks.sarif(json.dumps(report), 1)


def test_json_has_the_same_keys_whatever_the_verdict():
    failed, passed = (json.loads(snapshot(f"{name}.json")) for name in ("sample", "passed"))
    assert list(failed) == list(passed)
    assert len({tuple(outcome) for outcome in failed["outcomes"] + passed["outcomes"]}) == 1
    findings = [finding for outcome in failed["outcomes"] for finding in outcome["findings"]]
    assert len({tuple(finding) for finding in findings}) == 1
    assert len({tuple(finding["at"]) for finding in findings}) == 1
    assert (failed["status"], passed["status"]) == (1, 0)


def test_every_finding_of_the_sample_is_an_annotation():
    lines = [line for line in snapshot("sample.github").splitlines() if line.startswith("::")]
    assert len(lines) == 4


def test_markdown_mentions_nobody_and_carries_no_markup_of_the_input():
    text = snapshot("sample.md")
    assert "<script" not in text
    assert "<img" not in text
    assert re.search(r"@\w", text) is None
    assert "](" not in text


@pytest.fixture(scope="module")
def browser():
    with chromium.Browser() as opened:
        yield opened


def assert_quiet(browser, path):
    assert browser.complaints() == []
    assert browser.requests() == [path.resolve().as_uri()]


def assert_readable(browser):
    """Contrast by the accessibility guidelines' formula; a name for each control."""
    script = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
    assert browser.run(script) == []
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
    opened = "Array.from(document.querySelectorAll('.finding details[open]')).length"
    assert browser.run(opened) == 1
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
def test_a_search_leaves_open_what_was_open_before(browser):
    path = SNAPSHOTS / "sample.html"
    browser.open(path)
    opened = "Array.from(document.querySelectorAll('.finding details'), (box) => box.open).join()"
    browser.run("document.querySelectorAll('.finding details')[3].open = true")
    browser.press("/")
    browser.type("gwx002")
    assert browser.run(opened) == "false,true,false,false"
    browser.run(
        "(() => { const search = document.getElementById('search'); search.value = '';"
        " search.dispatchEvent(new Event('input')); document.getElementById('filters')"
        ".dispatchEvent(new Event('change')); })()"
    )
    assert browser.run(opened) == "false,false,false,true"
    assert_quiet(browser, path)


@needs_chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_shows_every_finding_open_and_dark_on_light(browser, tmp_path, scheme):
    path = SNAPSHOTS / "sample.html"
    browser.open(path, scheme=scheme)
    browser.call("Emulation.setEmulatedMedia", media="print", features=[])
    background = "getComputedStyle(document.body).backgroundColor"
    assert browser.run(background) == "rgb(255, 255, 255)"
    pdf = base64.b64decode(browser.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    assert pdf.startswith(b"%PDF")
    browser.call("Emulation.setEmulatedMedia", media="", features=[])
    # What was opened for the printer is closed again.
    assert browser.run("document.querySelectorAll('.finding details[open]').length") == 0
    if shutil.which("pdftotext"):
        (tmp_path / "page.pdf").write_bytes(pdf)
        text = subprocess.run(
            ["pdftotext", "-layout", str(tmp_path / "page.pdf"), "-"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert "Remedy: state the number that is counted" in text
        assert "Search findings" not in text


@needs_chromium
def test_findings_are_a_list_to_the_ear_and_blocks_to_the_browser(browser):
    browser.open(SNAPSHOTS / "sample.html")
    # Numbered items make a search over 10,000 findings take minutes: each one hidden renumbers all.
    shown = (
        "Array.from(document.querySelectorAll('.finding, .swatches > li'))"
        ".map(li => getComputedStyle(li).display)"
    )
    assert set(browser.run(shown)) == {"block"}
    roles = [node["role"]["value"] for node in browser.call("Accessibility.getFullAXTree")["nodes"]]
    assert roles.count("listitem") >= browser.run("document.querySelectorAll('.finding').length")


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
    assert "missing after landlord is: not" in browser.run(near + ".innerText")
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
    assert_readable(browser)


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


# Pages of real gates: what the samples cannot show.

QUOTES = [
    "The Landlord may terminate this Lease",
    "The Tenant's guarantor is not released by notice.",
    "The Tenant’s guarantor is released by notice.",
    "The Tenant pays for every repair of the roof and of the walls.",
]


@pytest.fixture(scope="module")
def pages(command, tmp_path_factory):
    """Pages of real commands: name to path."""
    folder = tmp_path_factory.mktemp("pages")
    skill = skill_repository.make(folder / "skill")
    card = skill_repository.SCORECARD.format(persona="rev", run="r1")
    dropped = card.replace("old endpoint is removed", "old endpoint is not removed")
    unsound = card.split("findings:\n")[1].split("---")[0].replace("major", "critical")
    dropped = dropped.replace("\n---\n\nProse", f"\n{unsound.rstrip()}\n---\n\nProse")
    skill_repository.write(skill / "council/runs/r1/rev.md", dropped)
    skill_repository.write(skill / "empty.json", {"screens": [], "design_tokens": {}})
    examples = skill_repository.EXAMPLES
    ledger = [f"--{name}={examples}/{name}.json" for name in ("manifest", "findings", "framework")]
    lease = ["--source", examples / "lease.txt", *(f"--quote={quote}" for quote in QUOTES)]
    verdict = [examples / "assessment.json", "--draft-hash", "ab" * 32, "--verdict-dir", "v"]
    calls = {
        "evidence": ["evidence", "find", *lease],
        "scorecard": ["scorecard", "check", "council/runs"],
        "ledger": ["ledger", "reconcile", *ledger],
        "palette": ["blueprint", "recount", examples / "blueprint.json"],
        "empty palette": ["blueprint", "recount", "empty.json"],
        "verdict": ["blueprint", "verdict", *verdict],
    }
    made = {}
    for name, words in calls.items():
        made[name] = folder / f"{name}.html"
        report = ["--format", "html", "--output", made[name]]
        done = subprocess.run([*command, *words, *report], cwd=skill, capture_output=True)
        assert (done.stdout, done.stderr) == (b"", b"")
        report_checks.page(made[name].read_text(encoding="utf-8"), done.returncode)
    return made


@needs_chromium
@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (320, "dark"), (1280, "dark")])
def test_pages_of_real_gates_fit_and_read_well(browser, pages, width, scheme):
    for name, path in pages.items():
        browser.open(path, width=width, scheme=scheme)
        assert browser.run("document.documentElement.scrollWidth") <= width, name
        # Backticks of messages have become code, in rules as in findings.
        assert "`" not in browser.run("document.querySelector('main').innerText"), name
        assert_readable(browser)
        assert_quiet(browser, path)


@needs_chromium
def test_page_of_evidence_marks_each_grade_and_sets_the_absent_apart(browser, pages):
    browser.open(pages["evidence"])
    marks = browser.run(
        "Array.from(document.querySelectorAll('.words mark')).map(m => m.className)"
    )
    assert set(marks) == {"g-exact", "g-near"}
    cards = browser.run(
        "Array.from(document.querySelectorAll('.card'))"
        ".map(c => [c.querySelector('.chip').textContent, c.querySelector('.where').innerText])"
    )
    assert [grade for grade, _ in cards] == ["identical", "typographic", "near", "absent"]
    assert cards[3][1] == "No passage in this source."
    # Two quotes share a passage; the worse grade colours it, each has a label of its own.
    labels = browser.run("Array.from(document.querySelectorAll('.ref')).map(r => r.hash)")
    assert len(set(labels)) == 3


@needs_chromium
def test_page_of_scorecards_shows_what_was_dropped_and_why(browser, pages):
    browser.open(pages["scorecard"])
    dropped = "document.querySelector('.card.dropped')"
    assert "dropped: evidence_not_verbatim" in browser.run(dropped + ".innerText")
    assert browser.run(dropped + ".querySelector('del').textContent").strip() == "not"
    assert browser.run("document.querySelectorAll('.card:not(.dropped)').length") == 1
    # Dropped for its severity, its evidence stands: it is shown like the others.
    other = "document.querySelectorAll('.card.dropped')[1]"
    assert "dropped: unknown_severity" in browser.run(other + ".innerText")
    assert browser.run(other + ".querySelector('.where a') !== null") is True
    assert "endpoint is not" in browser.run(dropped + ".querySelector('blockquote').innerText")


@needs_chromium
def test_keys_lead_through_a_page_in_reading_order(browser, pages):
    browser.open(pages["scorecard"])
    seen = []
    for _ in range(60):
        browser.press("Tab")
        place = browser.run(
            "(e => [e.tagName, e.id || e.className, e.getBoundingClientRect().top + scrollY,"
            " getComputedStyle(e).outlineStyle])(document.activeElement)"
        )
        if place[0] == "BODY":
            break
        seen.append(place)
    assert seen[0][:2] == ["A", "skip"]
    assert [name for _, name, _, _ in seen[1:3]] == ["theme", ""]
    assert all(outline != "none" for *_, outline in seen)
    findings = [top for tag, _, top, _ in seen if tag == "SUMMARY"]
    assert findings == sorted(findings)


@needs_chromium
def test_a_coverage_grid_of_many_units_keeps_its_page_small(browser, run, tmp_path):
    units = [f"unit-{number:05}" for number in range(10_000)]
    issues = ["rent", "notice", "deposit", "repair"]
    lens = skill_repository.example("framework.json")["lenses"][0]
    item = lens["items"][0]
    framework = {
        **skill_repository.example("framework.json"),
        "lenses": [{**lens, "items": [{**item, "issue_id": issue} for issue in issues]}],
    }
    document = skill_repository.example("manifest.json")["documents"][0]
    documents = [{**document, "id": unit, "path": f"{unit}.txt"} for unit in units]
    findings = [
        {
            "finding_id": f"{issue}/{unit}",
            "issue_id": issue,
            "lens_id": lens["lens_id"],
            "unit_id": unit,
            "doc_id": unit,
            "status": "absent",
        }
        for unit in units
        for issue in issues
        if (unit, issue) != ("unit-07777", "notice")
    ]
    skill_repository.write(tmp_path / "framework.json", framework)
    manifest = {"documents": documents, "counts": {"files": 10_000}}
    skill_repository.write(tmp_path / "manifest.json", manifest)
    ledger = {"framework_version": framework["framework_version"], "findings": findings}
    skill_repository.write(tmp_path / "findings.json", ledger)
    files = [f"--{name}={name}.json" for name in ("manifest", "findings", "framework")]
    done = run("ledger", "reconcile", *files, "--format", "html", "--output", "page.html")
    assert (done.returncode, done.stderr) == (1, "")
    browser.open(tmp_path / "page.html", width=320)
    # Only the cells in view exist, whatever is scrolled to.
    elements = "document.querySelectorAll('.grid *').length"
    assert 100 < browser.run(elements) < 2_000
    count = "document.querySelector('.m-count').textContent"
    assert browser.run(count) == "10000 of 10000 unit rows"
    browser.run("document.querySelector('.grid').focus()")
    browser.press("End")
    browser.run(
        "document.querySelector('.grid').dispatchEvent("
        "new KeyboardEvent('keydown', {key: 'End', ctrlKey: true, bubbles: true}))"
    )
    said = "document.querySelector('.m-cell').textContent"
    assert browser.run(said) == "unit unit-09999.txt, issue repair: absent"
    assert browser.run(elements) < 2_000
    browser.run(
        "(s => { s.value = 'faults'; s.dispatchEvent(new Event('change')); })"
        "(document.querySelector('.m-state'))"
    )
    assert browser.run(count) == "1 of 10000 unit rows"
    assert browser.run("document.querySelector('.m-row .m-name').textContent") == "unit-07777.txt"
    legend = "Array.from(document.querySelectorAll('.m-legend li')).map(l => l.innerText.trim())"
    assert [words.split() for words in browser.run(legend)] == [["A", "absent"], ["M", "missing"]]
    assert browser.run("document.documentElement.scrollWidth") <= 320
    assert_quiet(browser, tmp_path / "page.html")


# Every command that decides, in every format.

LEDGER = "--findings {room}/findings.json --framework {room}/framework.json"
COMMANDS = [
    ("framework check {skill}/references/framework.json", 0),
    ("framework diff {skill}/references/framework.json {room}/framework.json", 1),
    ("framework freeze {room}/framework.json --into {tmp}", 0),
    ("ledger reconcile --manifest {room}/manifest.json " + LEDGER, 0),
    ("ledger plan --out {tmp}/plan.json " + LEDGER, 0),
    (
        "ledger quotes --findings {room}/findings.json --manifest {room}/manifest.json"
        " --room-root {skill} --out {tmp}/quotes.json",
        1,
    ),
    ("ledger status {room}", 0),
    ("blueprint recount examples/blueprint.json", 1),
    ("blueprint verdict examples/assessment.json --draft-hash {hash} --verdict-dir {tmp}", 1),
    ("blueprint accept draft --verdict-dir {tmp}", 1),
    ("blueprint assess draft --gate-result doc-emit=s.json --gate-result mermaid=s.json", 1),
    ("blueprint explain draft", 1),
    ("scorecard check {skill}/council/runs", 0),
    ("evidence find --source examples/lease.txt --quotes examples/quotes.json", 1),
    ("run --no-cache {skill}/gatewright.toml", 0),
    ("demo {tmp}/demo", 0),
]


@pytest.mark.parametrize(("words", "status"), COMMANDS, ids=lambda value: str(value)[:20].strip())
def test_every_command_that_decides_has_every_format(words, status, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    skill_repository.make(Path("skill"))
    draft_builder.Draft().write(Path("draft"))
    Path("s.json").write_text('{"status": "fail", "violations": ["it is not so"]}')
    shutil.copytree(skill_repository.EXAMPLES, "examples")
    assert _native.cli_output(["init", "skill"])[0] == 0
    for name, check in report_checks.CHECKS.items():
        Path(name).mkdir()
        places = {"skill": "skill", "room": "skill/rooms/lease", "hash": "ab" * 32, "tmp": name}
        called = [word.format(**places) for word in words.split()]
        done, stdout, stderr = _native.cli_output([*called, "--format", name])
        assert (done, stderr) == (status, b""), (name, stdout)
        report = stdout.decode("utf-8")
        if name == "text" or (name, called[0]) == ("json", "evidence"):
            # Both have a form of their own; the command's own tests look at it.
            assert report.endswith("\n")
        else:
            # The demo passes when its gates found what was planted.
            check(report, 1 if called[0] == "demo" else status)


@pytest.mark.parametrize("words", ["init", "shims scripts", "man", "completions bash"])
def test_a_command_that_decides_nothing_refuses_a_report(run, tmp_path, words):
    done = run(*words.split(), "--format", "sarif")
    assert (done.returncode, done.stdout) == (2, "")
    assert "decides nothing, so it has no report: leave --format away" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_junit_is_read_by_a_reader_of_others(tmp_path):
    junitparser = pytest.importorskip("junitparser")
    (tmp_path / "report.xml").write_text(snapshot("sample.xml"), encoding="utf-8")
    suites = list(junitparser.JUnitXml.fromfile(str(tmp_path / "report.xml")))
    assert [suite.name for suite in suites][:2] == ["counts check", "evidence find"]
    assert sum(suite.failures for suite in suites) == 2
