"""Run graded quote cases through ``gatewright evidence find``.

``run.py CASES.jsonl... [--command gatewright] [-v]``; the last line says ``N passed, N failed``.
A case has ``source``, ``quote`` and ``expect``: ``accepted`` (exit 0 or 1); ``grade``; ``line``;
``flags`` (present); ``no_flags`` (absent); ``tells`` (the difference is not null); ``edges`` (the
place begins and ends at whole words: no letter, digit, hyphen, sign or decimal mark is cut off);
``parts`` (an absent quote lists the stretches that stand in the source).
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SIGNS = set("-‐‑‒–−±+<>=≤≥/:~")


def is_wordy(character):
    return character.isalnum() or character in "_'’"


def cuts(text, at):
    """Whether a place that begins or ends at ``at`` cuts a word or a number."""
    if at <= 0 or at >= len(text):
        return False
    left, right = text[at - 1], text[at]
    before = text[at - 2] if at > 1 else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if is_wordy(left) and is_wordy(right) and ord(left) < 0x2E80 and ord(right) < 0x2E80:
        return True
    if left in SIGNS and right.isalnum() and (not before.isspace() or right.isdigit()):
        return True
    if left.isalnum() and right in SIGNS and after.isalnum():
        return True
    if left in ".," and right.isdigit() and before.isdigit():
        return True
    return right in ".," and left.isdigit() and after.isdigit()


def answer(case, command):
    """Exit status and result of one case."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "source.txt").write_bytes(case["source"].encode())
        (root / "quotes.json").write_text(json.dumps([case["quote"]]), encoding="utf-8")
        asked = ["--source", "source.txt", "--quotes", "quotes.json", "--format", "json"]
        done = subprocess.run(
            [*command, "evidence", "find", *asked], cwd=root, capture_output=True, text=True
        )
    try:
        return done.returncode, json.loads(done.stdout)["results"][0]
    except (ValueError, LookupError):
        return done.returncode, None


def faults(case, command):
    """What is wrong with the answer of a case, one text each."""
    status, result = answer(case, command)
    if result is None:
        return ["no JSON result"]
    want, place, flags = case["expect"], result["at"], set(result["flags"])
    line = place and place["line"]
    found = []
    if "accepted" in want and (status == 0) != want["accepted"]:
        found.append(f"exit {status}")
    if "grade" in want and result["grade"] != want["grade"]:
        found.append(f"grade {result['grade']}, want {want['grade']}")
    if want.get("line") and line != want["line"]:
        found.append(f"line {line}, want {want['line']}")
    if set(want.get("flags", [])) - flags:
        found.append(f"flags {result['flags']}, want {want['flags']}")
    if set(want.get("no_flags", [])) & flags:
        found.append(f"flags {result['flags']}, not {want['no_flags']}")
    if want.get("tells") and not result["difference"]:
        found.append("nothing told")
    if want.get("parts") and not (result["parts"] or place):
        found.append("no parts")
    if want.get("edges") and place:
        source = case["source"].encode()
        ends = [len(source[: place[end]].decode()) for end in ("byte_start", "byte_end")]
        if any(cuts(case["source"], end) for end in ends):
            found.append(f"the place cuts a word: {result['text']!r}")
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--command", default="gatewright")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    command = shlex.split(options.command)
    command[0] = str(Path(shutil.which(command[0]) or command[0]).absolute())
    lines = [line for path in options.cases for line in path.read_text("utf-8").splitlines()]
    cases = [json.loads(line) for line in lines]
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for case, found in zip(cases, pool.map(lambda case: faults(case, command), cases)):
            failed += bool(found)
            if found and options.v:
                print(f"{case['id']} ({case['kind']}): {'; '.join(found)}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
