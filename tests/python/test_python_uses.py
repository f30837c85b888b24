"""The scripts as Python modules: the recorded uses, and the cases recorded again."""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import gatewright
import pytest
from recorded import cases, differences

SHIMS = Path(gatewright.__file__).parent / "shims"
USES = Path(__file__).parents[1] / "conformance" / "python_uses.py"


def test_every_recorded_use_gives_what_the_reference_gives():
    done = subprocess.run([sys.executable, USES, SHIMS], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert lines[-1] == "0 differ", done.stdout + done.stderr
    assert len(lines) == 37


@pytest.mark.parametrize("case", cases("again"), ids=lambda case: case["id"])
def test_recorded_again(case):
    assert differences(case, SHIMS / case["script"]) == []


ITEM = {"issue_id": "i", "question": "q", "hit_rule": "r", "evidence": {"required": "e"}}
FRAMEWORK = {
    "framework_version": 1,
    "approved": False,
    "lenses": [{"lens_id": "l", "name": "L", "items": [ITEM]}],
}
TEXT = b"They shall pay the fee.\n"
DOCUMENT = "sha256:9757799b84b1"
FINDING = {
    "finding_id": "f",
    "issue_id": "i",
    "lens_id": "l",
    "doc_id": DOCUMENT,
    "unit_id": DOCUMENT,
    "status": "present",
    "quote": "shall pay",
    "section": "1",
    "quote_verification": {"status": "confirmed"},
    "verification": {"status": "confirmed"},
}
ASSESSMENT = {
    "findings": [],
    "observation_completeness": {"silent_gaps": 0, "key_screen_gaps": 0},
    "load_policy_result": {"within_budget": True, "concurrency_ok": True},
    "gate_results": {
        "mermaid_validate": {"status": "pass"},
        "doc_emit_check_screens": {"status": "pass"},
    },
    "recount": {"orphan_count": 0, "agrees_with_gate": True},
    "reconstruction": {"top_level_missing": 0, "open_questions": 0, "scaffold_derivable": True},
}


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    """The inputs of every script in the working folder."""
    monkeypatch.chdir(tmp_path)
    documents = [{"id": DOCUMENT, "path": "a.txt", "readability": "native"}]
    for name, value in {
        "w": FRAMEWORK,
        "m": {"documents": documents, "counts": {}},
        "f": {"framework_version": 1, "findings": [FINDING]},
        "a": ASSESSMENT,
        "b": {"screens": [{"color": "#fff"}], "design_tokens": {"palette": ["#fff"]}},
        "s": {"type": "object", "enum": [{}, []], "format": "x", "title": "t"},
        "o": {"type": "object"},
    }.items():
        Path(f"{name}.json").write_text(json.dumps(value))
    Path("room").mkdir()
    Path("room/a.txt").write_bytes(TEXT)
    Path("res").mkdir()


CALLS = {
    "reconcile_counts": "--manifest m.json --findings f.json --framework w.json",
    "build_checker_plan": "--findings f.json --framework w.json --out out.json",
    "merge_checker_results": "--findings f.json --checker-plan p.json --results-dir res "
    "--out out.json",
    "verify_finding_quotes": "--findings f.json --manifest m.json --room-root room --out out.json",
    "emit-verdict": f"--assessment a.json --draft-hash {'a' * 64} --out-dir v --evaluated-at t",
    "recount-palette-orphans": "--blueprint b.json",
    "render_readback": "--framework w.json --out out.json",
    "validate_framework": "--framework w.json --schema s.json",
}


def done(capsys, module, script):
    """Everything that `main()` of a script says and writes, its status at the end."""
    sys.argv = ["prog", *CALLS[script].split()]
    try:
        status = module.main()
    except SystemExit as stop:
        status = stop.code
    captured = capsys.readouterr()
    # `read_text` and `open` may be replaced.
    written = [path for path in (Path("out.json"), *Path("v").glob("*")) if path.exists()]
    texts = [path.read_bytes().decode() for path in written]
    return "\n".join([captured.out, captured.err, *texts, f"status {status}"])


def plan_for_merge(load_script):
    """A checker plan for the ledger, its one result with a verdict of its own."""
    plan = load_script(SHIMS / "build_checker_plan.py")
    sys.argv = ["prog", *["--findings", "f.json", "--framework", "w.json", "--out", "p.json"]]
    plan.main()
    made = json.loads(Path("p.json").read_text())
    result = {
        "checker_plan_id": made["plan_id"],
        "finding_id": "f",
        "objection": "o",
        "verdict": "split",
    }
    Path("res", made["jobs"][0]["result_file"]).write_text(json.dumps(result))


class Frozen(datetime):
    """A clock that stands."""

    @classmethod
    def now(cls, tz=None):
        return cls(2001, 2, 3, tzinfo=tz)


def refuse(*_arguments, **_keywords):
    raise SystemExit("replaced")


#: Script, name on it, what stands there instead, and what is then said or written.
REPLACED = [
    ("reconcile_counts", "REVIEWABLE", {"scanned"}, "0 reviewable, 1 unreadable"),
    ("reconcile_counts", "load", refuse, "status replaced"),
    ("reconcile_counts", "unit_map", lambda m, f: {DOCUMENT: "u"}, "maps to u"),
    ("reconcile_counts", "reconcile", refuse, "status replaced"),
    ("build_checker_plan", "canonical_digest", lambda v: "d" * 64, '"plan_id": "dddddddddddddddd"'),
    ("build_checker_plan", "result_name", lambda n: f"{n}-x.json", '"result_file": "f-x.json"'),
    ("build_checker_plan", "load", refuse, "status replaced"),
    ("merge_checker_results", "VERDICTS", {"split"}, "0 confirmed, 1 changed to unresolved"),
    ("merge_checker_results", "RESULT_KEYS", {"verdict"}, "has invalid keys"),
    ("merge_checker_results", "canonical_digest", lambda v: "0" * 64, "checker plan is stale"),
    ("merge_checker_results", "load", refuse, "status replaced"),
    ("verify_finding_quotes", "hash_id", lambda p: "sha256:0", "manifest identity changed"),
    ("verify_finding_quotes", "source_path", lambda r, p: Path("gone"), "does not exist: a.txt"),
    ("verify_finding_quotes", "verify_quotes", lambda *a, **k: (7, 8), "7 confirmed, 8 changed"),
    ("verify_finding_quotes", "load", refuse, "status replaced"),
    ("emit-verdict", "SCHEMA_VERSION", "9.9", '"schema_version": "9.9"'),
    ("emit-verdict", "EVALUATOR", "me", '"evaluator": "me"'),
    ("emit-verdict", "decide", lambda a: ("FAIL", ["because"]), "FAIL: because"),
    ("emit-verdict", "build_receipt", lambda *a: {"verdict": "PASS", "x": 1}, '"x": 1'),
    ("emit-verdict", "run", lambda args: 7, "status 7"),
    ("recount-palette-orphans", "collect_observed", lambda s: {"red"}, '"orphans": ["red"]'),
    ("recount-palette-orphans", "collect_palette", lambda t: set(), '"orphan_count": 1'),
    (
        "recount-palette-orphans",
        "recount",
        lambda b: {"orphan_count": 1, "orphans": ["x"]},
        "孤児検出): x",
    ),
    ("render_readback", "UNTUNED", "none asked", '"materiality": "none asked"'),
    ("render_readback", "hit_rule_line", lambda i: "mine", '"hit_rule": "mine"'),
    ("render_readback", "materiality_line", lambda m: "mine", '"materiality": "mine"'),
    ("render_readback", "build_readback", lambda f: {"items": [1, 2]}, "2 item(s)"),
    ("validate_framework", "HANDLED", {"type"}, "does not enforce: enum, format"),
    ("validate_framework", "METADATA", set(), "does not enforce: format, title"),
    ("validate_framework", "TYPE_CHECKS", {"object": lambda v: False}, "expected type object"),
    ("validate_framework", "json_equal", lambda a, b: True, "OK: w.json"),
    ("validate_framework", "check_schema", lambda *a: a[3].append("mine"), "  mine"),
    ("validate_framework", "semantic_errors", lambda *a, **k: ["mine"], "  mine"),
    ("validate_framework", "validate", lambda *a, **k: ([], {"z"}), "does not enforce: z"),
    ("validate_framework", "load_json", refuse, "status replaced"),
]


@pytest.mark.parametrize(
    ("script", "name", "value", "said"), REPLACED, ids=[f"{row[0]}-{row[1]}" for row in REPLACED]
)
def test_a_replaced_name_is_used(
    inputs, load_script, monkeypatch, capsys, script, name, value, said
):
    monkeypatch.setattr(sys, "argv", ["prog"])
    if script == "merge_checker_results":
        plan_for_merge(load_script)
        capsys.readouterr()
    if script == "render_readback":
        # Its schema is looked up on the sibling module when it runs.
        sibling = sys.modules.pop("validate_framework", None)
        monkeypatch.syspath_prepend(str(SHIMS))
    module = load_script(SHIMS / f"{script}.py")
    if script == "render_readback":
        monkeypatch.setattr(module.validate_framework, "DEFAULT_SCHEMA", "o.json")
    before = done(capsys, module, script)
    assert said not in before
    Path("out.json").unlink(missing_ok=True)
    with monkeypatch.context() as patch:
        patch.setattr(module, name, value)
        assert said in done(capsys, module, script)
    Path("out.json").unlink(missing_ok=True)
    assert done(capsys, module, script) == before
    if script == "render_readback":
        sys.modules.pop("validate_framework", None)
        if sibling is not None:
            sys.modules["validate_framework"] = sibling


def test_every_public_name_is_replaced_by_some_row():
    rows = {(script, name) for script, name, *_ in REPLACED}
    rest = {
        # Looked at below, in a way of their own.
        ("emit-verdict", "JST"),
        ("emit-verdict", "UsageError"),
        ("validate_framework", "DEFAULT_SCHEMA"),
        ("validate_framework", "type_name"),
        ("render_readback", "validate_framework"),
    }
    for script in CALLS:
        public = importlib.import_module(f"gatewright.scripts.{script.replace('-', '_')}").__all__
        missing = {(script, name) for name in public if name != "main"} - rows - rest
        assert not missing


def test_the_clock_and_its_zone_are_the_scripts_own(inputs, load_script, monkeypatch, capsys):
    module = load_script(SHIMS / "emit-verdict.py")
    monkeypatch.setattr(module, "datetime", Frozen)
    words = ["--assessment", "a.json", "--draft-hash", "a" * 64, "--out-dir", "v"]
    assert module.main(words) == 0
    receipt = Path("v", f"{'a' * 64}.verdict.json")
    assert json.loads(receipt.read_text())["evaluated_at"] == "2001-02-03T00:00:00+09:00"
    monkeypatch.setattr(module, "JST", timezone.utc)
    assert module.main(tuple(words)) == 0
    assert json.loads(receipt.read_text())["evaluated_at"] == "2001-02-03T00:00:00+00:00"


def test_another_usage_error_is_raised_and_caught(inputs, load_script, monkeypatch, capsys):
    module = load_script(SHIMS / "emit-verdict.py")

    class Mine(module.UsageError):
        pass

    monkeypatch.setattr(module, "UsageError", Mine)
    with pytest.raises(Mine):
        module.decide({**ASSESSMENT, "recount": 1})
    assert module.main(["--assessment", "a.json", "--draft-hash", "zz"]) == 2
    assert capsys.readouterr().err == "--draft-hash が 64 桁 hex でない: zz\n"


def test_the_name_of_a_type_and_the_default_schema(inputs, load_script, monkeypatch, capsys):
    module = load_script(SHIMS / "validate_framework.py")
    monkeypatch.setattr(module, "type_name", lambda value: "mine")
    assert module.validate(1, {"type": "object"})[0] == ["$: expected type object, got mine"]
    monkeypatch.setattr(module, "DEFAULT_SCHEMA", Path("o.json"))
    monkeypatch.setattr(sys, "argv", ["prog", "--framework", "w.json"])
    assert module.main() is None
    monkeypatch.setattr(sys, "argv", ["prog", "--help"])
    with pytest.raises(SystemExit):
        module.main()
    assert "(default: o.json)" in capsys.readouterr().out


@pytest.mark.parametrize("script", CALLS)
def test_functions_of_python_that_tests_replace_are_asked(
    inputs, load_script, monkeypatch, capsys, script
):
    monkeypatch.setattr(sys, "argv", ["prog"])
    if script == "merge_checker_results":
        plan_for_merge(load_script)
        capsys.readouterr()
    module = load_script(SHIMS / f"{script}.py")
    before = done(capsys, module, script)
    asked = []
    real = argparse.ArgumentParser.parse_args

    def parse_args(self, *arguments, **keywords):
        asked.append("parse_args")
        return real(self, *arguments, **keywords)

    with monkeypatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_args", parse_args)
        assert done(capsys, module, script) == before
    assert asked
    said = []
    with monkeypatch.context() as patch:
        patch.setattr(module, "print", lambda *a, **k: said.append(a), raising=False)
        done(capsys, module, script)
    assert said or "status" in before
    with monkeypatch.context() as patch:
        patch.setattr("builtins.open", refuse)
        patch.setattr("pathlib.Path.read_text", refuse)
        assert done(capsys, module, script).endswith("status replaced")


@pytest.mark.parametrize("script", CALLS)
def test_usage_texts_name_the_program_of_argv(inputs, load_script, monkeypatch, capsys, script):
    module = load_script(SHIMS / f"{script}.py")
    monkeypatch.setattr(sys, "argv", ["some/where/mine.py", "--nonsense"])
    try:
        status = module.main()
    except SystemExit as stop:
        status = stop.code
    assert status == 2
    assert capsys.readouterr().err.startswith("usage: mine.py ")
