"""validate_framework.py: recorded cases, hostile inputs, importable functions."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import gatewright
import pytest

PACKAGE = Path(gatewright.__file__).parent
SHIMS = PACKAGE / "shims"
SCHEMA = PACKAGE / "references" / "framework.schema.json"
CASES = Path(__file__).parent.parent / "conformance" / "validate_framework.jsonl"


def call(*arguments, cwd, script=SHIMS / "validate_framework.py", **options):
    env = {**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "80"}
    return subprocess.run(
        [sys.executable, str(script), *map(str, arguments)],
        cwd=cwd,
        env=env,
        capture_output=True,
        timeout=120,
        **options,
    )


@pytest.fixture
def module(load_script):
    return load_script(SHIMS / "validate_framework.py")


def test_every_recorded_case(tmp_path):
    import base64

    failed = []
    lines = CASES.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        case = json.loads(line)
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, content in case["files"].items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            is_bytes = isinstance(content, dict)
            path.write_bytes(
                base64.b64decode(content["base64"])
                if is_bytes
                else content.encode("utf-8", "surrogatepass")
            )
        process = call(*case["argv"], cwd=folder)
        want = case["expect"]
        if want.get("crash"):
            good = (
                process.returncode == 2
                and process.stdout == b""
                and process.stderr.count(b"\n") == 1
                and b"schema.json" in process.stderr
            )
        else:
            good = process.returncode == want["exit"] and process.stdout.decode() == want["stdout"]
            # argparse words differ between Python versions; the rest is ours.
            if "usage:" not in want["stderr"]:
                good = good and (
                    process.stderr.decode() == want["stderr"]
                    or (sys.version_info >= (3, 13) and "trailing comma" in process.stderr.decode())
                )
        if not good:
            failed.append((case["id"], process.stdout, process.stderr))
    assert failed == []
    assert len(lines) == 285


class TestHostileInputs:
    """What people and machines hand over by mistake or on purpose."""

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"", "Expecting value: line 1 column 1 (char 0)"),
            (
                b"\xef\xbb\xbf{}",
                "Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)",
            ),
            (b'{"a": 1\r\n "b"', "Expecting ',' delimiter: line 2 column 2 (char 9)"),
            (b"[" * 100_000, "nested deeper than 1000 levels"),
            (b'{"a":' * 100_000, "nested deeper than 1000 levels"),
            (b"-", "Expecting value: line 1 column 1 (char 0)"),
        ],
    )
    def test_documents_that_cannot_be_read(self, tmp_path, content, words, refused):
        (tmp_path / "f.json").write_bytes(content)
        line = refused(call("--framework", "f.json", cwd=tmp_path), "f.json")
        assert line.startswith(f"FATAL: cannot read framework at f.json: {words}")

    def test_bad_utf8_is_reported_in_pythons_words_alone(self, tmp_path):
        (tmp_path / "f.json").write_bytes(b'{"a": "\xe2\x82"}')
        process = call("--framework", "f.json", cwd=tmp_path)
        assert process.returncode == 2
        assert process.stderr.decode() == (
            "FATAL: 'utf-8' codec can't decode bytes in position 7-8: invalid continuation byte\n"
        )

    def test_crlf_reads_as_lf(self, tmp_path, framework):
        (tmp_path / "f.json").write_bytes(
            json.dumps(framework, indent=1).replace("\n", "\r\n").encode()
        )
        process = call("--framework", "f.json", cwd=tmp_path)
        assert process.stdout == b"OK: f.json is valid (1 lens(es), 1 item(s), version 1)\n"

    def test_lone_surrogates_in_values_are_shown_and_in_names_refused(
        self, tmp_path, framework, refused
    ):
        framework["lenses"][0]["lens_id"] = "\ud800"
        (tmp_path / "f.json").write_text(json.dumps(framework))
        process = call("--framework", "f.json", cwd=tmp_path)
        assert process.returncode == 1
        assert b"$.lenses[0].lens_id: '\\ud800' does not match pattern" in process.stdout
        framework["\ud800"] = 1
        (tmp_path / "f.json").write_text(json.dumps(framework))
        line = refused(call("--framework", "f.json", cwd=tmp_path), "f.json")
        assert "lone surrogate" in line

    def test_a_million_digits(self, tmp_path, framework):
        digits = "9" * 1_000_000
        text = json.dumps(framework).replace(
            '"framework_version": 1', f'"framework_version": {digits}'
        )
        (tmp_path / "f.json").write_text(text)
        process = call("--framework", "f.json", cwd=tmp_path)
        assert process.returncode == 0
        assert process.stdout.decode().endswith(f"version {digits})\n")

    def test_much_white_space(self, tmp_path, framework):
        size = int(os.environ.get("GATEWRIGHT_TEST_WHITE_SPACE", 64 * 2**20))
        blanks = b" \n\t\r" * 2**18
        with (tmp_path / "f.json").open("wb") as out:
            for _ in range(size // len(blanks)):
                out.write(blanks)
            out.write(json.dumps(framework).encode())
        assert call("--framework", "f.json", cwd=tmp_path).returncode == 0

    def test_a_large_framework_is_told_as_a_small_one(self, tmp_path, framework):
        def answer(lens_count, **changes):
            lenses = []
            for number in range(lens_count):
                lens = json.loads(json.dumps(framework["lenses"][0]))
                lens["lens_id"] = f"lens-{number}"
                for place, item in enumerate(lens["items"]):
                    item["issue_id"] = f"issue-{number}-{place}"
                lenses.append(lens)
            lenses[-1].update(changes)
            text = json.dumps({**framework, "lenses": lenses})
            (tmp_path / "f.json").write_text(text)
            process = call("--framework", "f.json", cwd=tmp_path)
            shown = process.stdout.decode().replace(f"[{lens_count - 1}]", "[last]")
            return len(text), process.returncode, shown

        small, large = answer(2), answer(4000)
        assert large[0] > 2**20
        items = len(framework["lenses"][0]["items"])
        assert large[1:] == (
            0,
            f"OK: f.json is valid (4000 lens(es), {4000 * items} item(s), version 1)\n",
        )
        assert small[1] == 0
        for changes in ({"name": ""}, {"lens_id": "lens-0"}, {"more": 1}, {"items": None}):
            small, large = answer(2, **changes), answer(4000, **changes)
            assert large[1:] == small[1:]
            assert large[1] == 1

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
    def test_a_schema_from_a_pipe_is_read_once(self, tmp_path, framework):
        os.mkfifo(tmp_path / "schema.json")
        schema = b'{"required": ["more"], "properties": {"lenses": {"items": {}}}}'
        writer = threading.Thread(target=(tmp_path / "schema.json").write_bytes, args=(schema,))
        writer.start()
        large = json.dumps({**framework, "note": "x" * 2**20})
        (tmp_path / "f.json").write_text(large)
        process = call("--framework", "f.json", "--schema", "schema.json", cwd=tmp_path)
        writer.join()
        assert process.returncode == 1
        assert b"missing required property 'more'" in process.stdout

    def test_a_directory(self, tmp_path, refused):
        line = refused(call("--framework", ".", cwd=tmp_path), ".")
        assert line == "FATAL: cannot read framework at .: [Errno 21] Is a directory: '.'"

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
    def test_a_fifo_is_read_to_its_end(self, tmp_path, framework):
        os.mkfifo(tmp_path / "f.json")
        data = json.dumps(framework).encode()
        writer = threading.Thread(target=(tmp_path / "f.json").write_bytes, args=(data,))
        writer.start()
        process = call("--framework", "f.json", cwd=tmp_path)
        writer.join()
        assert process.returncode == 0

    def test_an_unreadable_file(self, tmp_path, refused):
        # A path through a file works as root too, where permissions do not hold.
        (tmp_path / "plain").write_text("x")
        line = refused(call("--framework", "plain/f.json", cwd=tmp_path), "plain/f.json")
        assert "[Errno 20] Not a directory: 'plain/f.json'" in line
        locked = tmp_path / "locked.json"
        locked.write_text("{}")
        locked.chmod(0)
        if not os.access(locked, os.R_OK):
            line = refused(call("--framework", "locked.json", cwd=tmp_path), "locked.json")
            assert "[Errno 13] Permission denied: 'locked.json'" in line

    def test_a_name_with_a_line_end_stays_one_line(self, tmp_path, refused):
        (tmp_path / "s\n.json").write_text('{"type": "decimal"}')
        (tmp_path / "f.json").write_text("{}")
        process = call("--framework", "f.json", "--schema", "s\n.json", cwd=tmp_path)
        assert "s\\n.json" in refused(process, "json")

    def test_a_closed_pipe_is_a_quiet_end(self, tmp_path):
        (tmp_path / "f.json").write_text(json.dumps(dict.fromkeys(map(str, range(20_000)))))
        command = (
            f"'{sys.executable}' '{SHIMS / 'validate_framework.py'}' --framework f.json | head -n 1"
        )
        process = subprocess.run(
            ["sh", "-c", command], cwd=tmp_path, capture_output=True, timeout=60
        )
        assert process.stdout.startswith(b"INVALID: f.json (20004 error(s))")
        assert process.stderr == b""

    def test_a_skill_without_its_schema_does_not_pass(self, tmp_path, framework, refused):
        scripts = tmp_path / "skill" / "scripts"
        scripts.mkdir(parents=True)
        shutil.copy(SHIMS / "validate_framework.py", scripts)
        (tmp_path / "f.json").write_text(json.dumps(framework))
        process = call(
            "--framework", "f.json", cwd=tmp_path, script=scripts / "validate_framework.py"
        )
        wanted = tmp_path / "skill" / "references" / "framework.schema.json"
        line = refused(process, str(wanted))
        assert line == (
            f"FATAL: cannot read schema at {wanted}: "
            f"[Errno 2] No such file or directory: '{wanted}'"
        )
        wanted.parent.mkdir()
        shutil.copy(SCHEMA, wanted)
        process = call(
            "--framework", "f.json", cwd=tmp_path, script=scripts / "validate_framework.py"
        )
        assert process.returncode == 0


class TestPatterns:
    """Patterns the core leaves to Python's re."""

    @pytest.fixture
    def verdict(self, tmp_path):
        def check(pattern, subject):
            (tmp_path / "f.json").write_text(json.dumps({"v": subject}))
            (tmp_path / "s.json").write_text(
                json.dumps({"properties": {"v": {"pattern": pattern}}})
            )
            return call("--framework", "f.json", "--schema", "s.json", cwd=tmp_path)

        return check

    @pytest.mark.parametrize(
        ("pattern", "subject", "status"),
        [
            (r"^(a)?(?(1)b|c)$", "ab", 0),
            (r"^(a)?(?(1)b|c)$", "ac", 1),
            (r"(?x) a  b ", "ab", 0),
            (r"(?i)straße", "STRASSE", 1),
            ("^[\ud800]$", "\ud800", 0),
            (r"^\w+$", "नमस्ते", 1),
            (r"^\d+$", "٣", 0),
            (r"\N{DIGIT ONE}", "1", 0),
            ("[[a]", "[", 0),
        ],
    )
    def test_what_python_decides(self, verdict, pattern, subject, status):
        process = verdict(pattern, subject)
        assert process.returncode == status, process.stderr
        assert process.stderr == b""

    @pytest.mark.parametrize(
        ("pattern", "reason"),
        [
            ("(", "missing ), unterminated subpattern at position 0"),
            ("a**", "multiple repeat at position 2"),
            ("(?<=a*)b", "look-behind requires fixed-width pattern"),
        ],
    )
    def test_an_unusable_pattern_is_refused_in_pythons_words(
        self, verdict, pattern, reason, refused
    ):
        line = refused(verdict(pattern, "x"), "s.json")
        assert line == (
            "validate_framework.py: cannot use s.json at $.properties.v.pattern: "
            f"pattern {pattern}: {reason}"
        )

    @pytest.mark.skipif(
        not hasattr(__import__("signal"), "setitimer"), reason="needs interval timers"
    )
    def test_a_catastrophic_pattern_is_given_up(self, verdict, refused):
        line = refused(verdict(r"^(a|a)+(?=\1)\1c$", "a" * 64), "s.json")
        assert "a search took longer than 5 seconds" in line


class TestImportable:
    """The functions the entry script offers to scripts beside it."""

    def test_data(self, module):
        assert str(SCHEMA) == module.DEFAULT_SCHEMA
        assert sorted(module.TYPE_CHECKS) == [
            "array", "boolean", "integer", "null", "number", "object", "string",
        ]  # fmt: skip
        accepted = {
            name: [check(value) for value in (None, True, 1, 1.0, "", [], {})]
            for name, check in module.TYPE_CHECKS.items()
        }
        assert accepted == {
            "null": [True, False, False, False, False, False, False],
            "boolean": [False, True, False, False, False, False, False],
            "integer": [False, False, True, False, False, False, False],
            "number": [False, False, True, True, False, False, False],
            "string": [False, False, False, False, True, False, False],
            "array": [False, False, False, False, False, True, False],
            "object": [False, False, False, False, False, False, True],
        }
        assert "anyOf" in module.HANDLED
        assert len(module.HANDLED) == 15
        assert {
            "$schema", "$id", "title", "description", "examples", "default",
        } == module.METADATA  # fmt: skip

    def test_type_name(self, module):
        values = (None, True, 1, 1.0, "", [], {})
        names = ["null", "boolean", "integer", "number", "string", "array", "object"]
        assert [module.type_name(value) for value in values] == names

    def test_json_equal(self, module):
        assert module.json_equal(1, 1.0)
        assert not module.json_equal(1, True)
        assert module.json_equal([1], [True])
        assert not module.json_equal(True, 1)
        assert module.json_equal({"a": 1, "b": 2}, {"b": 2, "a": 1})

    def test_check_schema_appends_and_adds(self, module):
        errors, unknown = ["before"], {"x"}
        returned = module.check_schema(
            {"a": "b"},
            {"properties": {"a": {"type": "integer", "oneOf": []}}},
            "$.here",
            errors,
            unknown,
        )
        assert returned is errors
        assert errors == ["before", "$.here.a: expected type integer, got string"]
        assert unknown == {"x", "oneOf"}

    def test_validate_and_semantic_errors(self, module, framework):
        schema = json.loads(SCHEMA.read_text())
        assert module.validate(framework, schema) == ([], set())
        framework["approved"] = True
        words = (
            "must be false before Gate 2 approval "
            "(pass --allow-approved to accept an approved framework)"
        )
        assert module.validate(framework, schema) == ([f"$.approved: {words}"], set())
        assert module.validate(framework, schema, allow_approved=True) == ([], set())
        assert module.semantic_errors(framework) == [f"$.approved: {words}"]
        assert module.semantic_errors([]) == []

    def test_load_json(self, module, tmp_path):
        (tmp_path / "a.json").write_text(
            '{"a": [1, 2.5, NaN, "\\ud800", 123456789012345678901234567890]}'
        )
        value = module.load_json(tmp_path / "a.json", "framework")
        assert repr(value) == r"{'a': [1, 2.5, nan, '\ud800', 123456789012345678901234567890]}"
        with pytest.raises(ValueError, match=r"^cannot read schema at .*no\.json: \[Errno 2\]"):
            module.load_json(str(tmp_path / "no.json"), "schema")
        (tmp_path / "b.json").write_bytes(b"\xff")
        with pytest.raises(
            ValueError, match=r"^'utf-8' codec can't decode byte 0xff in position 0"
        ):
            module.load_json(str(tmp_path / "b.json"), "schema")

    def test_main_exits(self, module, tmp_path, framework, monkeypatch, capfdbinary):
        (tmp_path / "f.json").write_text(json.dumps(framework))
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["validate_framework.py", "--framework", "f.json"])
        assert module.main() is None
        (tmp_path / "f.json").write_text("{}")
        with pytest.raises(SystemExit) as stop:
            module.main()
        assert stop.value.code == 1

    def test_an_unusable_schema_is_an_exception_as_python_raises_it(self, module):
        with pytest.raises(KeyError, match="decimal"):
            module.validate({"v": 1}, {"properties": {"v": {"type": "decimal"}}})

    def test_a_sibling_script_imports_it(self, tmp_path, framework):
        for name in ("scripts", "references"):
            (tmp_path / name).mkdir()
        shutil.copy(SHIMS / "validate_framework.py", tmp_path / "scripts")
        shutil.copy(SCHEMA, tmp_path / "references")
        (tmp_path / "scripts" / "other.py").write_text(
            "import json, validate_framework as v\n"
            "schema = v.load_json(v.DEFAULT_SCHEMA, 'schema')\n"
            "print(v.validate({}, schema)[0][0])\n"
        )
        process = call(cwd=tmp_path, script=tmp_path / "scripts" / "other.py")
        assert process.stdout == b"$: missing required property 'framework_version'\n", (
            process.stderr
        )

    def test_eight_threads_at_once(self, module, framework):
        schema = json.loads(SCHEMA.read_text())
        framework["lenses"] = framework["lenses"] * 50
        want = module.validate(framework, schema)
        assert want[0]
        results = []
        threads = [
            threading.Thread(target=lambda: results.append(module.validate(framework, schema)))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == [want] * 8
