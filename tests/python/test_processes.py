"""Results between processes, gates in forked children, in threads and under signals."""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import gatewright
import pytest
from gatewright import _native

#: Long enough for any machine, and a test that hangs still ends.
LIMIT = 60

SOURCE = "alpha beta gamma\n" * 2000
QUOTES = [f"alpha betas gammas {number}" for number in range(300)]


def graded(quotes=QUOTES):
    """A call with parallel parts: every quote is compared everywhere."""
    return [match.grade for match in gatewright.ground(list(quotes), SOURCE)]


FRAMEWORK = {
    "framework_version": 1,
    "lenses": [{"lens_id": "l", "items": [{"issue_id": "i"}]}],
}
MANIFEST = {"documents": [{"id": "d", "readability": "native"}], "counts": {}}


def failed_outcome():
    return gatewright.reconcile(MANIFEST, {"framework_version": 1, "findings": []}, FRAMEWORK)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_runs_parallel_gates_after_its_parent_did():
    expected = graded()
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(LIMIT)
        os.write(write_end, b"equal" if graded() == expected else b"different")
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as said:
        assert said.read() == b"equal"
    assert os.waitpid(child, 0)[1] == 0
    # The parent's own threads are as they were.
    assert graded() == expected


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_way_to_start_processes(method):
    expected = graded()
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.starmap_async(gatewright.ground, [(QUOTES, SOURCE)] * 3).get(LIMIT)
    assert [[match.grade for match in matches] for matches in found] == [expected] * 3


def test_threads_share_the_package():
    expected = graded()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: graded(), range(8)))
    assert found == [expected] * 8


def test_every_result_pickles_copies_and_hashes(tmp_path):
    near, elided, absent = gatewright.ground(
        ["the landlord is liable", "the ... liable", "quite another sentence altogether"],
        "So the landlord is not liable.",
    )
    outcome = failed_outcome()
    run = gatewright.run(configured(tmp_path))
    results = [near, elided, absent, near.at, outcome, outcome.findings[0], outcome.findings[0].at]
    for result in [*results, run]:
        for again in (
            pickle.loads(pickle.dumps(result)),
            copy.copy(result),
            copy.deepcopy(result),
        ):
            assert again == result
            assert hash(again) == hash(result)
            assert again.to_dict() == result.to_dict()
    assert len({near, elided, absent, copy.copy(near)}) == 3
    with pytest.raises(ValueError, match='no grade or flag "odd"'):
        _native.match_from(("q", "odd", [], 0, None, None, [], "", []))


def test_outcomes_are_true_when_they_passed():
    outcome = failed_outcome()
    assert not outcome
    assert outcome.findings[0].to_dict() == outcome.to_dict()["findings"][0]
    finding = {
        "finding_id": "i/d",
        "issue_id": "i",
        "lens_id": "l",
        "doc_id": "d",
        "unit_id": "d",
        "status": "absent",
    }
    ledger = {"framework_version": 1, "findings": [finding]}
    assert gatewright.reconcile(MANIFEST, ledger, FRAMEWORK)


def configured(folder):
    (folder / "source.txt").write_text("a b\n")
    (folder / "quotes.txt").write_text("a b\n")
    path = folder / "gatewright.toml"
    path.write_text('[[gate]]\ngate = "framework check"\ninputs = ["framework.json"]\n')
    (folder / "framework.json").write_text(json.dumps(FRAMEWORK))
    return path


def test_run_runs_what_a_configuration_declares(tmp_path):
    run = gatewright.run(configured(tmp_path), jobs=1, cache=False)
    assert [outcome.gate for outcome in run] == ["framework check"]
    assert (len(run), bool(run), run.passed, run.status) == (1, False, False, 1)
    assert run.to_dict()["outcomes"][0]["verdict"] == "failed"
    (tmp_path / "framework.json").unlink()
    gone = gatewright.run(tmp_path / "gatewright.toml", cache=False)
    assert (gone.status, gone.outcomes[0].verdict) == (2, "undecided")
    with pytest.raises(gatewright.GatewrightError, match=r"nowhere\.toml"):
        gatewright.run(tmp_path / "nowhere.toml")


def test_notebooks_show_results_as_escaped_tables(tmp_path):
    match = gatewright.ground("the <b>landlord</b> is", "the <b>landlords</b> is")
    shown = match._repr_html_()
    assert "&lt;b&gt;landlord&lt;/b&gt;" in shown
    assert "<b>" not in shown
    outcome = failed_outcome()
    assert "GWC019" in outcome._repr_html_()
    assert gatewright.run(configured(tmp_path))._repr_html_().startswith("<table>")


def nested(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(("kib", "levels"), [(512, 950), (256, 900), (128, 900)])
def test_deep_documents_do_not_end_a_thread_with_a_small_stack(tmp_path, kib, levels):
    (tmp_path / "deep.json").write_text('{"screens": ' + "[" * levels + "]" * levels + "}")
    code = f"""
import sys, threading, gatewright
sys.setrecursionlimit(5000)
value = []
for _ in range({levels}):
    value = [value]
said = []
def work():
    said.append(gatewright.recount_palette({{"screens": value}}).passed)
    said.append(gatewright.recount_palette("deep.json").passed)
threading.stack_size({kib} << 10)
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(said)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT
    )
    assert (done.returncode, done.stdout) == (0, "[True, True]\n"), done.stderr


def test_the_stack_of_an_ordinary_thread_is_used_as_it_is():
    assert _native.call_with_stack(threading.get_ident, (), {}) == threading.get_ident()


class Deadline(Exception):
    """Raised by a handler, as a test runner's time limit does."""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timers here")
def test_what_a_signal_handler_raises_comes_through(tmp_path):
    # Enough work for many looks at pending signals; the first of them is pending at once.
    finding = '{"finding_id": "i/d", "doc_id": "x"},'
    (tmp_path / "f.json").write_text(
        '{"framework_version": 1, "findings": [' + finding * 400_000 + "{}]}"
    )
    (tmp_path / "m.json").write_text(json.dumps(MANIFEST))
    (tmp_path / "fw.json").write_text(json.dumps(FRAMEWORK))
    words = [
        f"--{n}={tmp_path / f}"
        for n, f in [("manifest", "m.json"), ("findings", "f.json"), ("framework", "fw.json")]
    ]

    def late(*_):
        raise Deadline

    before = signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(Deadline):
            _native.cli_output(["ledger", "reconcile", *words])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
