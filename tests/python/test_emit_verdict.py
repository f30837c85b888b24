"""``emit-verdict.py``: recorded cases, generated assessments, hostile inputs, kills."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from argparse import Namespace
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

import pytest
import recorded
import verdict_model as model
from assessments import HASH, passing

RECEIPT = f"{HASH}.verdict.json"


@pytest.fixture(scope="module")
def script(shims):
    return shims / "emit-verdict.py"


@pytest.fixture(scope="module")
def module(script, load_script):
    return load_script(script)


@pytest.fixture
def call(script, run_script, tmp_path):
    def run(assessment=None, *arguments, draft_hash=HASH, out="v", env=None):
        if assessment is not None:
            text = assessment if isinstance(assessment, (str, bytes)) else json.dumps(assessment)
            data = text if isinstance(text, bytes) else text.encode()
            (tmp_path / "a.json").write_bytes(data)
        words = ["--assessment", "a.json", "--draft-hash", draft_hash, "--out-dir", out, *arguments]
        return run_script(script, *words, env=env)

    return run


def test_every_recorded_case(script):
    assert recorded.all_differences("emit-verdict", script) == []


ODD = [
    None,
    0,
    1,
    -1,
    True,
    False,
    "",
    "pass",
    "fail",
    "high",
    "0",
    [],
    [1],
    {},
    {"a": 1},
    0.0,
    1.5,
    float("nan"),
    10**30,
]


def generated(rng):
    assessment = passing()
    assessment["findings"] = [
        {
            key: rng.choice([*ODD, "high", "medium", "low"])
            for key in ("id", "severity", "criterion")
            if rng.random() < 0.8
        }
        if rng.random() < 0.9
        else rng.choice(ODD)
        for _ in range(rng.randrange(4))
    ]
    for _ in range(rng.randrange(4)):
        part = rng.choice(model.PARTS)
        kind = rng.random()
        if kind < 0.1:
            assessment.pop(part, None)
        elif kind < 0.2:
            assessment[part] = rng.choice(ODD)
        elif isinstance(assessment.get(part), dict):
            keys = [*assessment[part], "screenshot_budget_ok"]
            key = rng.choice(keys)
            if kind < 0.3:
                assessment[part].pop(key, None)
            else:
                assessment[part][key] = rng.choice([*ODD, {"status": rng.choice(ODD)}])
    return assessment


def test_generated_assessments_are_decided_as_the_model_decides(module):
    rng = random.Random(20260711)
    faults = passes = 0
    for _ in range(6000):
        assessment = generated(rng)
        try:
            wanted = model.decide(assessment)
        except model.Fault as fault:
            faults += 1
            with pytest.raises(module.UsageError, match=f"^{re.escape(str(fault))}$"):
                module.decide(assessment)
            continue
        except KeyError as fault:
            with pytest.raises(KeyError, match=re.escape(str(fault))):
                module.decide(assessment)
            continue
        passes += wanted[0] == "PASS"
        assert module.decide(assessment) == wanted, assessment
    assert faults > 300
    assert passes > 300


def test_the_receipt_is_what_python_would_write(call, module, tmp_path):
    assessment = passing()
    assessment["findings"][0]["reason"] = "é\u007f\u2028😀"
    assessment["recount"]["observed_count"] = 10**40
    assessment["load_policy_result"]["notes"] = [1e16, 1e-5, -0.0, float("nan")]
    done = call(assessment, "--evaluated-at", "2026-01-02")
    assert done.returncode == 0
    wanted = module.build_receipt(assessment, HASH, "2026-01-02")
    text = json.dumps(wanted, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    assert (tmp_path / "v" / RECEIPT).read_text(encoding="utf-8") == text


def test_the_time_of_the_run_is_in_japan_to_the_second(call, module, tmp_path):
    for arguments in ([], ["--evaluated-at", ""]):
        before = datetime.now(timezone.utc) - timedelta(seconds=1)
        assert call(passing(), *arguments).returncode == 0
        told = json.loads((tmp_path / "v" / RECEIPT).read_text())["evaluated_at"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+09:00", told)
        assert before <= datetime.fromisoformat(told) <= datetime.now(timezone.utc)
    assert module.build_receipt(passing(), HASH, None)["evaluated_at"] is None


def test_the_environment_does_not_move_the_receipt(script, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(passing()))
    done = subprocess.run(
        [sys.executable, script, "--assessment", "a.json", "--draft-hash", HASH],
        cwd=tmp_path,
        env={**os.environ, "ESB_VERDICT_DIR": "elsewhere"},
        capture_output=True,
    )
    assert done.returncode == 0
    assert (tmp_path / ".esb-verdict" / RECEIPT).exists()
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("./v//x/../y/", "v/x/../y/"),
        (".", ""),
        ("", ""),
        ("a/./b/", "a/b/"),
        ("{tmp}//c", "{tmp}/c/"),
    ],
)
def test_paths_are_shown_as_pathlib_shows_them(call, tmp_path, given, shown):
    done = call(passing(), out=given.replace("{tmp}", str(tmp_path)))
    wanted = shown.replace("{tmp}", str(tmp_path)) + RECEIPT
    assert json.loads(done.stdout)["receipt_path"] == wanted
    assert (tmp_path / wanted).is_file()


class TestHostileInputs:
    def test_assessments_that_cannot_be_read(self, call, tmp_path, refused):
        for content, words in [
            (b"", "Expecting value: line 1 column 1 (char 0)"),
            (b"\xef\xbb\xbf{}", "Unexpected UTF-8 BOM"),
            (b'{\r\n"a" 1}', "Expecting ':' delimiter: line 2 column 5 (char 6)"),
            (b'{"a": "\xff"}', "can't decode byte 0xff"),
            (b'{"a":' * 100_000, "a.json"),
        ]:
            assert refused(call(content), words)
        assert not (tmp_path / "v").exists()

    def test_a_lone_surrogate_is_refused_with_its_place(self, call, tmp_path, refused):
        text = json.dumps(passing()).replace('"F1"', '"\\ud800"')
        assert refused(call(text), "a.json", "$.findings[0].id")
        assert not (tmp_path / "v").exists()
        extra = json.dumps({**passing(), "extra": "X"}).replace('"X"', '"\\ud800"')
        assert call(extra).returncode == 0

    def test_a_severity_that_python_cannot_look_up(self, call, tmp_path, refused):
        assessment = passing()
        assessment["findings"].append({"severity": {"a": 1}})
        assert refused(call(assessment), "$.findings[1].severity")
        assert not (tmp_path / "v").exists()

    def test_an_output_folder_that_is_a_file_leaves_it(self, call, tmp_path, refused):
        (tmp_path / "v").write_text("mine")
        assert refused(call(passing()), f"v/{RECEIPT}")
        assert (tmp_path / "v").read_text() == "mine"
        assert refused(call(passing(), out="v/deeper"), "v/deeper")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "v"]

    def test_a_receipt_path_that_is_a_folder(self, call, tmp_path, refused):
        (tmp_path / "v" / RECEIPT).mkdir(parents=True)
        assert refused(call(passing()), RECEIPT)
        assert [path.name for path in (tmp_path / "v").iterdir()] == [RECEIPT]

    @pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
    def test_a_read_only_folder_keeps_its_older_receipt(self, call, tmp_path, refused):
        call(passing(), "--evaluated-at", "first")
        (tmp_path / "v").chmod(0o555)
        done = call(passing(), "--evaluated-at", "second")
        (tmp_path / "v").chmod(0o755)
        assert refused(done, "Permission denied")
        assert json.loads((tmp_path / "v" / RECEIPT).read_text())["evaluated_at"] == "first"

    def test_no_space_keeps_the_older_receipt(self, script, tmp_path, refused):
        """A file size limit stands in for a full disk: the write fails half-way."""
        (tmp_path / "a.json").write_text(json.dumps(passing()))
        words = f'"{sys.executable}" "{script}" --assessment a.json --draft-hash {HASH} --out-dir v'
        subprocess.run(["bash", "-c", words], cwd=tmp_path, check=True, capture_output=True)
        before = (tmp_path / "v" / RECEIPT).read_bytes()
        large = passing()
        large["load_policy_result"]["notes"] = "x" * 5_000_000
        (tmp_path / "a.json").write_text(json.dumps(large))
        limited = f"trap '' XFSZ; ulimit -f 2000; {words}"
        done = subprocess.run(["bash", "-c", limited], cwd=tmp_path, capture_output=True)
        assert refused(done, RECEIPT)
        assert (tmp_path / "v" / RECEIPT).read_bytes() == before
        assert [path.name for path in (tmp_path / "v").iterdir()] == [RECEIPT]

    def test_a_closed_pipe_still_leaves_a_whole_receipt(self, script, tmp_path):
        (tmp_path / "a.json").write_text(json.dumps(passing()))
        words = f'"{sys.executable}" "{script}" --assessment a.json --draft-hash {HASH} --out-dir v'
        subprocess.run(["bash", "-c", f"{words} 2>errors | true"], cwd=tmp_path, check=True)
        assert (tmp_path / "errors").read_bytes() == b""
        assert json.loads((tmp_path / "v" / RECEIPT).read_text())["verdict"] == "PASS"

    def test_an_assessment_from_a_fifo(self, script, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "full.json").write_text(json.dumps(passing()))
        words = f'"{sys.executable}" "{script}" --assessment pipe --draft-hash {HASH}'
        done = subprocess.run(
            ["bash", "-c", f"cat full.json > pipe & {words}"],
            cwd=tmp_path,
            capture_output=True,
            timeout=60,
        )
        assert done.returncode == 0

    def test_a_hash_can_name_no_other_path(self, call, tmp_path):
        for given in ("../" * 21 + "a", "a" * 63 + "/", "a" * 64 + "\x0b.."):
            done = call(passing(), draft_hash=given)
            assert (done.returncode, done.stdout) == (2, b"")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json"]


def test_killed_at_random_moments_never_leaves_a_torn_receipt(script, tmp_path):
    assessment = passing()
    assessment["findings"] *= 20_000
    (tmp_path / "a.json").write_text(json.dumps(assessment))
    command = [
        sys.executable,
        script,
        "--assessment",
        "a.json",
        "--draft-hash",
        HASH,
        "--out-dir",
        "v",
    ]
    start = time.monotonic()
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    whole = time.monotonic() - start
    rng = random.Random(1)
    killed = 0
    for number in range(200):
        process = subprocess.Popen(
            [*command, "--evaluated-at", f"run {number}"],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(rng.random() * whole)
        process.kill()
        killed += process.wait() == -signal.SIGKILL
        receipt = json.loads((tmp_path / "v" / RECEIPT).read_text(encoding="utf-8"))
        assert len(receipt["findings"]) == 20_000
    assert killed > 50
    left = {path.name for path in (tmp_path / "v").iterdir()} - {RECEIPT}
    assert all(name.startswith(".gatewright-") for name in left), left


def test_concurrent_writers_leave_one_whole_receipt(script, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(passing()))

    def write(number):
        words = ["--assessment", "a.json", "--draft-hash", HASH, "--out-dir", "v"]
        done = subprocess.run(
            [sys.executable, script, *words, "--evaluated-at", f"run {number}"],
            cwd=tmp_path,
            capture_output=True,
        )
        return done.returncode

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(write, range(24))) == {0}
    assert [path.name for path in (tmp_path / "v").iterdir()] == [RECEIPT]
    assert json.loads((tmp_path / "v" / RECEIPT).read_text())["evaluated_at"].startswith("run ")


def test_importable_functions(module, tmp_path, capfdbinary, monkeypatch):
    assert module.SCHEMA_VERSION == "1.0.0"
    assert module.EVALUATOR == "assign-blueprint-fidelity-evaluator"
    assert module.JST.utcoffset(None) == timedelta(hours=9)
    assessment = passing()
    receipt = module.build_receipt(assessment, HASH, "t")
    assert receipt["verdict"] == "PASS"
    assert receipt["findings"] is assessment["findings"]
    with pytest.raises(KeyError, match="gate_results"):
        module.build_receipt({}, HASH, "t")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-odd.json").write_text(json.dumps(assessment))
    arguments = Namespace(assessment="-odd.json", draft_hash=HASH, out_dir="-v", evaluated_at=None)
    assert module.run(arguments) == 0
    assert json.loads(capfdbinary.readouterr().out)["receipt_path"] == f"-v/{RECEIPT}"
    assert module.main(["--assessment", "./-odd.json", "--draft-hash", "zz"]) == 2
    assert module.main(["--help"]) == 2
    capfdbinary.readouterr()


def test_a_sibling_script_imports_it(shims, tmp_path):
    (tmp_path / "emit_verdict.py").write_bytes((shims / "emit-verdict.py").read_bytes())
    (tmp_path / "other.py").write_text(
        "from emit_verdict import decide, UsageError\n"
        "try:\n    decide({'gate_results': 1})\nexcept UsageError as fault:\n    print(fault)\n",
    )
    env = {**os.environ, "PYTHONUTF8": "1"}
    done = subprocess.run([sys.executable, "other.py"], cwd=tmp_path, capture_output=True, env=env)
    assert done.stdout.decode().startswith("gate_results が object でない")


def test_eight_threads_at_once(module):
    assessment = passing()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: module.decide(assessment), range(64)))
    assert found == [("PASS", [])] * 64
