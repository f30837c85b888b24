#!/usr/bin/env python3
"""Write a review run whose documents are there: room, manifest, framework, ledger, later results.

    python3 tests/bench/gen_chain.py DOCUMENTS ISSUES FOLDER

10000 100 gives 10,000 text documents of 20 KB each and a million findings, of which a quarter are
present, each with a quote of its own from its document: most as they stand there, some wrapped
otherwise, and one in FALSE_QUOTE_EVERY with a word changed, which must be rejected. One checker in
REFUTED_EVERY refutes. The same arguments give the same bytes, and every number that the chain must
come to is known beforehand.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from gen_ledger import ISSUES_PER_LENS, SEED, finding, item

DOCUMENT_BYTES = 20_000
LINE_WORDS = 13
QUOTE_WORDS = 12
FALSE_QUOTE_EVERY = 50
REFLOWED_QUOTE_EVERY = 5
REFUTED_EVERY = 40
SYLLABLES = [
    "ba",
    "con",
    "de",
    "fer",
    "gra",
    "in",
    "ment",
    "no",
    "ob",
    "per",
    "re",
    "sta",
    "tion",
    "un",
    "ver",
]
OBJECTION = "The clause names the landlord, not the tenant."


def vocabulary() -> list[str]:
    """Words of two or three syllables, with commas and full stops at some."""
    words = [a + b for a in SYLLABLES for b in SYLLABLES]
    words += [word + tail for word, tail in zip(words, SYLLABLES * len(SYLLABLES))]
    return words + [word + mark for word in words[::9] for mark in ",."]


def document(rng: random.Random, words: list[str]) -> tuple[list[str], str]:
    """The words of a document and its text, wrapped and cut to size."""
    chosen = rng.choices(words, k=DOCUMENT_BYTES // 6)
    lines, length = [], 0
    for first in range(0, len(chosen), LINE_WORDS):
        line = " ".join(chosen[first : first + LINE_WORDS])
        length += len(line) + 1
        if length > DOCUMENT_BYTES:
            return chosen[:first], "\n".join(lines).ljust(DOCUMENT_BYTES - 1) + "\n"
        lines.append(line)
    return chosen, "\n".join(lines).ljust(DOCUMENT_BYTES - 1) + "\n"


def quote(rng: random.Random, chosen: list[str], count: int) -> tuple[str, bool]:
    """The quote of the ``count``-th present finding, and whether it is true."""
    first = rng.randrange(len(chosen) - QUOTE_WORDS)
    words = chosen[first : first + QUOTE_WORDS]
    if count % FALSE_QUOTE_EVERY == FALSE_QUOTE_EVERY - 1:
        words[QUOTE_WORDS // 2] = "notwithstanding"
        return " ".join(words), False
    if count % REFLOWED_QUOTE_EVERY == 0:
        return " ".join(words[:4]) + "\n  " + " ".join(words[4:]), True
    # As it stands in the document, where lines end after every LINE_WORDS words.
    text = words[0]
    for at, word in enumerate(words[1:], first + 1):
        text += ("\n" if at % LINE_WORDS == 0 else " ") + word
    return text, True


def write_json(path: Path, value: object) -> None:
    """Write ``value`` as the chain writes files."""
    text = json.dumps(value, indent=2, sort_keys=True)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def generate(documents: int, issues: int, folder: Path) -> None:
    """Write everything but the checker results, and the expected counts."""
    room = folder / "room"
    room.mkdir(parents=True, exist_ok=True)
    rng = random.Random(SEED)
    words = vocabulary()
    listed, present, rejected = [], 0, 0
    encoder = json.JSONEncoder(indent=2, sort_keys=True)
    with (folder / "findings.json").open("w", encoding="utf-8", newline="\n") as ledger:
        ledger.write('{\n  "findings": [')
        separator = "\n    "
        for number in range(documents):
            chosen, text = document(rng, words)
            data = text.encode()
            name = "sha256:" + hashlib.sha256(data).hexdigest()[:12]
            path = f"{number // 1000:03d}/{number:06d}.txt"
            (room / path).parent.mkdir(exist_ok=True)
            (room / path).write_bytes(data)
            listed.append({"id": name, "path": path, "readability": "native"})
            for issue in range(issues):
                made = finding(rng, issue, name)
                if made["status"] == "present":
                    made["quote"], is_true = quote(rng, chosen, present)
                    present += 1
                    rejected += not is_true
                    # What workers hand in carries no receipts yet.
                    del made["quote_verification"], made["verification"]
                ledger.write(separator + encoder.encode(made).replace("\n", "\n    "))
                separator = ",\n    "
        ledger.write('\n  ],\n  "framework_version": 1,\n  "parked": []\n}\n')
    write_json(folder / "manifest.json", {"counts": {"files": documents}, "documents": listed})
    lenses = [
        {
            "lens_id": f"lens-{first // ISSUES_PER_LENS:04d}",
            "items": [item(k) for k in range(first, min(first + ISSUES_PER_LENS, issues))],
        }
        for first in range(0, issues, ISSUES_PER_LENS)
    ]
    framework = {"framework_version": 1, "approved": True, "lenses": lenses}
    write_json(folder / "framework.json", framework)
    write_json(folder / "expected.json", {"present": present, "rejected": rejected})


def verdicts(jobs: list[dict[str, str]]) -> Iterator[tuple[dict[str, str], str]]:
    """Every job of a plan and what its checker says."""
    for count, job in enumerate(jobs):
        yield job, "refuted" if count % REFUTED_EVERY == 0 else "confirmed"


def write_results(plan_path: Path, folder: Path) -> int:
    """Write what the checkers hand in; how many of them refute."""
    plan = json.loads(plan_path.read_text(encoding="utf-8"))
    folder.mkdir()
    refuted = 0
    for job, verdict in verdicts(plan["jobs"]):
        refuted += verdict == "refuted"
        result = {
            "checker_plan_id": plan["plan_id"],
            "finding_id": job["finding_id"],
            "objection": OBJECTION if verdict == "refuted" else "",
            "verdict": verdict,
        }
        (folder / job["result_file"]).write_text(json.dumps(result), encoding="utf-8")
    return refuted


if __name__ == "__main__":
    generate(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
