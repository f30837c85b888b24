"""Checks of reports as their readers would read them: each takes a report's text and its status."""

from __future__ import annotations

import html.parser
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import jsonschema
import xmlschema

SCHEMAS = Path(__file__).resolve().parent.parent / "schemas"
OUTCOME_KEYS = ["gate", "subject", "verdict", "summary", "inputs", "findings", "facts", "details"]
FINDING_KEYS = ["code", "name", "severity", "message", "remedy", "at", "related"]
VOID = {"meta", "link", "br", "hr", "img", "input", "rect", "path"}


def text(report, status):
    assert report.endswith("\n")
    assert ("FAILED" in report) == (status == 1)


def json_report(report, status):
    document = json.loads(report)
    assert list(document) == ["version", "tool", "status", "outcomes"]
    assert document["status"] == status
    for outcome in document["outcomes"]:
        assert list(outcome) == OUTCOME_KEYS
        for finding in outcome["findings"]:
            assert list(finding) == FINDING_KEYS


def sarif(report, status):
    document = json.loads(report)
    schema = json.loads((SCHEMAS / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    validator = jsonschema.validators.validator_for(schema)(
        schema, format_checker=jsonschema.FormatChecker()
    )
    assert [error.message for error in validator.iter_errors(document)] == []
    (run,) = document["runs"]
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
    assert status != 1 or any(result["level"] == "error" for result in run["results"])


def junit(report, status):
    xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd")).validate(report)
    suites = ElementTree.fromstring(report)
    cases = suites.findall("testsuite/testcase")
    assert int(suites.get("tests")) == len(cases) > 0
    failures = suites.findall("testsuite/testcase/failure")
    assert int(suites.get("failures")) == len(failures)
    assert int(suites.get("errors")) == len(suites.findall("testsuite/testcase/error"))
    assert (len(failures) > 0) == (status == 1)
    names = [(case.get("classname"), case.get("name")) for case in cases]
    assert len(set(names)) == len(names)


def compact(report, status):
    assert report.endswith("\n")
    assert ("FAILED" in report) == (status == 1)
    assert "\x1b" not in report


def gitlab(report, status):
    entries = json.loads(report)
    for entry in entries:
        assert list(entry) == ["description", "check_name", "fingerprint", "severity", "location"]
        assert entry["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert not entry["location"]["path"].startswith("/")
        assert entry["location"]["lines"]["begin"] >= 1
    assert len({entry["fingerprint"] for entry in entries}) == len(entries)
    assert (status == 1) == any(entry["severity"] == "major" for entry in entries)


def github(report, status):
    lines = [line for line in report.splitlines() if line.startswith("::")]
    for line in lines:
        match = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
        assert match, line
        names = [part.split("=", 1)[0] for part in match.group(2).split(",") if part]
        assert set(names) <= {"file", "line", "col", "endLine", "endColumn", "title"}
        assert re.search(r"%(?!25|0A|0D|3A|2C)", line) is None
    assert status == 0 or any(line.startswith("::error ") for line in lines)


def markdown(report, status):
    rows = [line for line in report.splitlines() if line.startswith("|")]
    assert rows[0] == "| gate | verdict | findings | summary |"
    assert {line.count("|") for line in rows} == {5}
    assert ("❌" in report) == (status == 1)


class _Page(html.parser.HTMLParser):
    """Refuses tags that do not nest and anything that the page would fetch."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.ids = set()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            assert not name.startswith("on"), (tag, name)
            assert name not in ("src", "srcset"), (tag, name)
            assert name != "href" or value.startswith("#"), value
            if name == "id":
                assert value not in self.ids, f"two elements have the id {value}"
                self.ids.add(value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


def page(report, status):
    parser = _Page()
    parser.feed(report)
    parser.close()
    assert parser.open == []
    assert report.startswith("<!doctype html>")
    assert {"main", "theme"} <= parser.ids
    title = re.search(r"<title>(.*?)</title>", report).group(1)
    assert ("failed" in title) == (status == 1)


CHECKS = {
    "text": text,
    "compact": compact,
    "gitlab": gitlab,
    "json": json_report,
    "sarif": sarif,
    "junit": junit,
    "github": github,
    "markdown": markdown,
    "html": page,
}
