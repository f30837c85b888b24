"""``reconcile_counts.py``: recorded cases, generated inputs against a model, hostile inputs."""

from __future__ import annotations

import base64
import contextlib
import copy
import io
import json
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import counts_model as model
import pytest
from gatewright import _native
from gatewright.scripts import reconcile_counts as offered

RECORDED = Path(__file__).parents[1] / "conformance" / "reconcile_counts.jsonl"
CASES = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
NAMES = ("manifest", "findings", "framework", "families")
#: Larger than any window the reader uses.
LARGE = 3_000_000


def run_case(script, arguments, folder, **env):
    return subprocess.run(
        [sys.executable, script, *arguments],
        cwd=folder,
        env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "80", **env},
        capture_output=True,
        timeout=120,
    )


@pytest.fixture(scope="module")
def script():
    import gatewright

    return Path(gatewright.__file__).parent / "shims" / "reconcile_counts.py"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_recorded(case, script, tmp_path):
    for name, content in case["files"].items():
        data = (
            base64.b64decode(content["base64"])
            if isinstance(content, dict)
            else content.encode("utf-8", "surrogatepass")
        )
        (tmp_path / name).write_bytes(data)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = run_case(script, case["argv"], tmp_path, **case.get("env", {}))
    want = case["expect"]
    if want.get("crash"):
        assert done.returncode == 1
        assert done.stdout == b""
        lines = done.stderr.decode().splitlines()
        assert len(lines) == 1
        assert lines[0].startswith("reconcile_counts.py: cannot use ")
        assert any(name in lines[0] for name in case["files"])
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    else:
        assert done.returncode == want["exit"]
        assert done.stdout.decode() == want["stdout"]
        assert done.stderr.decode() == want["stderr"]


def document(identifier, readability="native", **more):
    return {"id": identifier, "readability": readability, **more}


def finding(issue, doc, lens="l1", unit=None, **more):
    made = {
        "finding_id": f"{issue}/{doc}",
        "issue_id": issue,
        "lens_id": lens,
        "doc_id": doc,
        "unit_id": doc if unit is None else unit,
        "status": "absent",
    }
    made.update(more)
    return made


def present(**more):
    return {
        "status": "present",
        "quote": "words",
        "section": "1",
        "characterization": "1: words.",
        "current_position": True,
        "quote_verification": {"status": "confirmed", "checker": "deterministic-text-match"},
        "verification": {"status": "confirmed", "checker": "independent"},
        **more,
    }


def clean_run(issues=("i1", "i2", "i3"), docs=("a", "b", "c")):
    lenses = [
        {"lens_id": "l1", "items": [{"issue_id": issue} for issue in issues[:2]]},
        {"lens_id": "l2", "items": [{"issue_id": issue} for issue in issues[2:]]},
    ]
    lens_of = {item["issue_id"]: lens["lens_id"] for lens in lenses for item in lens["items"]}
    return {
        "manifest": {"documents": [document(doc) for doc in docs], "counts": {}},
        "findings": {
            "framework_version": 1,
            "findings": [
                finding(issue, doc, lens_of[issue], **(present() if doc == docs[0] else {}))
                for doc in docs
                for issue in issues
            ],
            "parked": [],
        },
        "framework": {"framework_version": 1, "lenses": lenses},
        "families": {"families": [{"family_id": "F", "members": [{"id": docs[0]}]}]},
    }


#: Values that Python treats in ways of its own somewhere.
ODD = [
    None, True, False, 0, 1, 2, 1.0, -0.0, 0.5, 10**30, 1e22, float("nan"), float("inf"),
    "", " ", "\xa0", "\x1c", "a", "b", "i1", "l1", "F", "present", "confirmed", "runner-control",
    "native", "scanned", "é", "\U0001f600", "a/b", "i1/a", "/", "it's", "<no id>", "None", "1",
    [], [1], ["a"], {}, {"id": "a"}, {"status": "confirmed"}, {"a": [float("nan")]},
]  # fmt: skip


def places(value, path=()):
    """Paths of all values inside ``value``."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


def mutate(rng, run):
    name = rng.choice(NAMES)
    path = rng.choice([path for path in places(run[name]) if path])
    holder = run[name]
    for step in path[:-1]:
        holder = holder[step]
    action = rng.random()
    if action < 0.2:
        del holder[path[-1]]
    elif action < 0.35 and isinstance(holder, list):
        holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(rng.choice(holder)))
    elif action < 0.45 and isinstance(holder, dict):
        key = rng.choice([*holder, "review_role", "parked", "readability", "members", "items"])
        holder[key] = copy.deepcopy(rng.choice(ODD))
    else:
        holder[path[-1]] = copy.deepcopy(rng.choice(ODD))


def generated(seed):
    rng = random.Random(seed)
    run = clean_run()
    if rng.random() < 0.5:
        run["manifest"]["documents"].append(document("ctl", review_role="runner-control"))
        run["families"]["families"].append({"family_id": "G", "members": [{"id": "ctl"}]})
    if rng.random() < 0.3:
        run["findings"]["parked"] = [{"doc_id": rng.choice("abcx")}]
    for _ in range(rng.choice((0, 1, 1, 2, 3, 6))):
        with contextlib.suppress(KeyError, IndexError, TypeError, AttributeError):
            mutate(rng, run)
    if rng.random() < 0.4:
        run["families"] = None
    return rng, run


def text_of(rng, value):
    return json.dumps(
        value,
        ensure_ascii=rng.random() < 0.5,
        indent=rng.choice((None, 0, 2)),
        sort_keys=rng.random() < 0.5,
    )


def call(arguments):
    """Run the command inside this process; status, standard output, standard error."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = _native.run_command("reconcile_counts", arguments)
    return status, out.buffer.getvalue().decode(), err.buffer.getvalue().decode()


def by_model(documents):
    try:
        for name, keys in (
            ("manifest", ("documents", "counts")),
            ("findings", ("findings",)),
            ("framework", ("framework_version", "lenses")),
            ("families", ("families",)),
        ):
            for key in keys:
                if (name in documents) and key not in documents[name]:
                    return 1, "", f"reconcile_counts: {name} missing key {key!r}\n"
        result = model.reconcile(**documents)
        lines = "".join(line + "\n" for line in model.printed(result))
        lines.encode()
    except Exception:
        return None
    return (0 if result["ok"] else 1), lines, ""


def write_run(folder, documents, rng):
    arguments = []
    for name, value in documents.items():
        path = folder / f"{name}.json"
        path.write_text(text_of(rng, value), encoding="utf-8", errors="surrogatepass")
        arguments += [f"--{name}", str(path)]
    return arguments


def check_generated(seed, folder):
    rng, run = generated(seed)
    documents = {name: value for name, value in run.items() if value is not None}
    arguments = write_run(folder, documents, rng)
    loaded = {
        name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        for name in documents
    }
    want = by_model(loaded)
    status, out, err = call(arguments)
    if want is None:
        assert (status, out) == (1, ""), seed
        assert err.startswith("reconcile_counts.py: cannot use "), (seed, err)
        assert err.count("\n") == 1, (seed, err)
    else:
        assert (status, out, err) == want, seed
    return want


@pytest.mark.parametrize("block", range(10))
def test_generated_runs_read_as_the_model_reads_them(block, tmp_path):
    kinds = set()
    for seed in range(block * 100, block * 100 + 100):
        want = check_generated(seed, tmp_path)
        kinds.add(None if want is None else want[0])
    assert kinds == {None, 0, 1}


def test_generated_runs_as_objects(tmp_path):
    for seed in range(1000, 1500):
        _, run = generated(seed)
        try:
            want = model.reconcile(**run)
        except (KeyError, TypeError, AttributeError) as fault:
            with pytest.raises((KeyError, TypeError, AttributeError)):
                offered.reconcile(**run)
            del fault
        else:
            got = offered.reconcile(**run)
            assert repr(got) == repr(want), seed


def test_unit_map_and_reviewable():
    run = clean_run()
    assert sorted(offered.REVIEWABLE) == ["native", "scanned"]
    assert offered.unit_map(run["manifest"], run["families"]) == {"a": "F", "b": "b", "c": "c"}
    assert offered.unit_map(run["manifest"], None) == {"a": "a", "b": "b", "c": "c"}
    with pytest.raises(KeyError, match="id"):
        offered.unit_map({"documents": [{}]}, None)


def test_load_says_what_is_wrong(tmp_path):
    path = tmp_path / "m.json"
    path.write_text('{"documents": []}')
    assert offered.load(path, "manifest", ["documents"]) == {"documents": []}
    with pytest.raises(SystemExit, match="reconcile_counts: manifest missing key 'counts'"):
        offered.load(path, "manifest", ["documents", "counts"])
    with pytest.raises(SystemExit, match=r"cannot read manifest at x: \[Errno 2\]"):
        offered.load("x", "manifest", [])


def test_a_sibling_script_imports_the_functions(script, tmp_path):
    (tmp_path / "reconcile_counts.py").write_bytes(script.read_bytes())
    (tmp_path / "sibling.py").write_text(
        "from reconcile_counts import REVIEWABLE, load, main, reconcile, unit_map\n"
        "print(reconcile({'documents': []}, {'findings': [], 'framework_version': 1},"
        " {'framework_version': 1, 'lenses': []})['ok'])\n"
    )
    done = run_case(tmp_path / "sibling.py", [], tmp_path)
    assert (done.stdout, done.stderr) == (b"True\n", b"")


# Hostile inputs


@pytest.fixture
def files(tmp_path):
    """A clean run on disk; returns its folder and arguments."""
    run = clean_run()
    del run["families"]
    return tmp_path, write_run(tmp_path, run, random.Random(0))


def large_ledger(findings_text='{"finding_id": "x%d", "doc_id": "nope"}'):
    """A ledger of more than LARGE bytes."""
    items, size, index = [], 0, 0
    while size < LARGE:
        items.append(findings_text % index)
        size += len(items[-1]) + 2
        index += 1
    return '{"framework_version": 1, "parked": [], "findings": [' + ", ".join(items) + "]}"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", "Expecting value: line 1 column 1 (char 0)"),
        (b" \r\n\t", "Expecting value: line 2 column 2 (char 3)"),
        (
            b"\xef\xbb\xbf{}",
            "Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)",
        ),
        (b'{"findings": [{"a": 1}', "Expecting ',' delimiter: line 1 column 23 (char 22)"),
        (b'{"findings": [{"a": 1 2}]}', "Expecting ',' delimiter: line 1 column 23 (char 22)"),
        (b'{"findings":\r\n [nul]}', "Expecting value: line 2 column 3 (char 15)"),
        (b'{"findings": []} x', "Extra data: line 1 column 18 (char 17)"),
        (b'{"findings": ["a\nb"]}', "Invalid control character at: line 1 column 17 (char 16)"),
    ],
)
def test_faults_of_syntax_keep_pythons_words(files, content, line):
    folder, arguments = files
    (folder / "findings.json").write_bytes(content)
    shown = folder / "findings.json"
    want = f"reconcile_counts: cannot read findings at {shown}: {line}\n"
    assert call(arguments) == (1, "", want)


def test_a_fault_deep_inside_a_large_ledger_has_its_place(files):
    folder, arguments = files
    text = large_ledger()
    at = text.rindex('"doc_id"')
    (folder / "findings.json").write_text(text[:at] + "é" * 9 + text[at:], encoding="utf-8")
    status, out, err = call(arguments)
    assert (status, out) == (1, "")
    assert f"(char {at})" in err
    assert "Expecting property name enclosed in double quotes" in err


@pytest.mark.parametrize("tail", [b"\xff", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0\x80"])
def test_bad_utf8_deep_inside_a_large_ledger_is_refused(files, tail):
    folder, arguments = files
    text = large_ledger().encode()
    at = text.rindex(b'nope"')
    (folder / "findings.json").write_bytes(text[:at] + tail + text[at:])
    status, out, err = call(arguments)
    assert (status, out) == (1, "")
    assert "'utf-8' codec can't decode" in err
    assert f"position {at}" in err
    assert err.startswith(f"reconcile_counts.py: cannot use {folder / 'findings.json'}: ")


def test_characters_cut_by_a_window_are_whole_again(files):
    folder, arguments = files
    run = clean_run()
    for index, entry in enumerate(run["findings"]["findings"]):
        entry["characterization"] = "é日\U0001f600" * 40_000 + "x" * index
    text = json.dumps(run["findings"], ensure_ascii=False, indent=1)
    (folder / "findings.json").write_text(text, encoding="utf-8")
    status, out, _ = call(arguments)
    assert status == 0
    assert out.endswith("RECONCILED\n")


@pytest.mark.parametrize("gap", ["\n" * LARGE, " \r\n\t" * (LARGE // 4)])
def test_white_space_longer_than_a_window(files, gap):
    folder, arguments = files
    text = (folder / "findings.json").read_text()
    spaced = gap + text.replace('"parked":', gap + '"parked"' + gap + ":" + gap, 1) + gap
    assert json.loads(spaced)
    (folder / "findings.json").write_text(spaced, newline="")
    status, out, err = call(arguments)
    assert (status, err) == (0, "")
    assert out.endswith("RECONCILED\n")


def test_repeated_keys_count_the_last_time(files):
    folder, arguments = files
    run = clean_run()
    good = json.dumps(run["findings"]["findings"])
    (folder / "findings.json").write_text(
        '{"findings": [{"status": 7}], "framework_version": 2, "findings": '
        + good.replace('"status": "absent"', '"status": "bad", "status": "absent"')
        + ', "framework_version": 1}'
    )
    assert call(arguments)[0] == 0
    (folder / "findings.json").write_text('{"findings": ' + good + ', "findings": {}}')
    status, out, _ = call(arguments)
    assert status == 1
    assert "; 0 received\n" in out


def test_a_number_cut_by_the_end_of_the_file(files):
    folder, arguments = files
    (folder / "findings.json").write_text("12")
    assert call(arguments)[2].endswith("`int` stands where an object is needed\n")


def test_deep_nesting(files):
    folder, arguments = files
    text = (folder / "findings.json").read_text()

    def nested(depth):
        inner = "[" * depth + "]" * depth
        spoiled = text.replace('"parked"', f'"notes": {inner}, "parked"', 1)
        (folder / "findings.json").write_text(spoiled)
        return call(arguments)

    assert nested(600)[0] == 0
    status, out, err = nested(100_000)
    assert (status, out) == (1, "")
    assert "nested deeper than 1000 levels" in err


def test_huge_integers(files):
    folder, arguments = files
    text = (folder / "findings.json").read_text()
    spoiled = text.replace('"parked"', f'"notes": {"9" * 1_000_000}, "parked"', 1)
    (folder / "findings.json").write_text(spoiled)
    assert call(arguments)[0] == 0


def test_lone_surrogates(files):
    folder, arguments = files
    run = clean_run(docs=("a", "\ud800", "c"))
    write_run(folder, {"manifest": run["manifest"], "findings": run["findings"]}, FakeAscii())
    status, out, err = call(arguments)
    assert (status, err) == (0, "")
    del run["findings"]["findings"][3]
    write_run(folder, {"findings": run["findings"]}, FakeAscii())
    status, out, err = call(arguments)
    assert (status, out) == (1, "")
    assert "lone surrogate" in err


class FakeAscii(random.Random):
    """Makes text_of write plain ASCII."""

    def random(self):
        return 0.0


@pytest.mark.parametrize("name", ["manifest", "findings", "framework"])
def test_a_directory_is_no_file(files, name):
    folder, arguments = files
    path = folder / f"{name}.json"
    path.unlink()
    path.mkdir()
    want = f"reconcile_counts: cannot read {name} at {path}: [Errno 21] Is a directory: '{path}'\n"
    assert call(arguments) == (1, "", want)


def test_an_unreadable_file(files):
    if os.geteuid() == 0:
        folder, arguments = files
        # Root reads everything: a path through a plain file fails for everyone.
        arguments[arguments.index("--findings") + 1] = str(folder / "manifest.json" / "x")
        assert "[Errno 20] Not a directory" in call(arguments)[2]
        return
    folder, arguments = files
    (folder / "findings.json").chmod(0)
    assert "[Errno 13] Permission denied" in call(arguments)[2]


@pytest.mark.parametrize("name", ["manifest", "findings", "framework"])
def test_a_pipe_with_a_writer_is_read_to_its_end(files, name):
    folder, arguments = files
    path = folder / f"{name}.json"
    data = path.read_bytes()
    path.unlink()
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(data,))
    writer.start()
    status, out, err = call(arguments)
    writer.join()
    assert (status, err) == (0, "")
    assert out.endswith("RECONCILED\n")
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_closed_output_pipe_ends_quietly(files, script):
    folder, arguments = files
    (folder / "findings.json").write_text(large_ledger())
    process = subprocess.Popen(
        [sys.executable, script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == 1
    assert err == b""


def test_an_interrupt_ends_a_run_and_leaves_nothing(files, script):
    folder, arguments = files
    path = folder / "findings.json"
    path.unlink()
    os.mkfifo(path)
    before = sorted(entry.name for entry in folder.iterdir())
    process = subprocess.Popen(
        [sys.executable, script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    # The writer never finishes: only the signal can end the run.
    with path.open("wb") as pipe:
        pipe.write(b'{"findings": [' + b" " * 100_000)
        pipe.flush()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert (out, err) == (b"", b"")
    assert sorted(entry.name for entry in folder.iterdir()) == before


def test_eight_threads_at_once(files):
    runs = [generated(seed)[1] for seed in range(2000, 2040)]
    wanted = []
    for run in runs:
        try:
            wanted.append(repr(model.reconcile(**run)))
        except (KeyError, TypeError, AttributeError):
            wanted.append("refused")

    def one(run):
        try:
            return repr(offered.reconcile(**run))
        except (KeyError, TypeError, AttributeError):
            return "refused"

    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            assert list(pool.map(one, runs)) == wanted


def test_an_empty_families_path_is_none(files):
    _, arguments = files
    assert call([*arguments, "--families="])[0] == 0
