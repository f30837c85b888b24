"""Compare the translated schema patterns with Python's own `re.search` on generated patterns.

    python tests/fuzz/patterns.py [COUNT] [SEED]

A pattern the native module translates must be one that Python accepts, and must be found in exactly
the same strings. Patterns it leaves to Python are counted. Ends with status 1 at the first
difference.
"""

import random
import re
import sys
import time
import warnings

from gatewright import _native

ATOMS = [
    "a",
    "b",
    "c",
    "A",
    "k",
    "-",
    "_",
    "0",
    "1",
    "9",
    " ",
    ".",
    ".",
    r"\d",
    r"\w",
    r"\s",
    r"\D",
    r"\W",
    r"\S",
    r"\b",
    r"\B",
    r"\A",
    r"\Z",
    "^",
    "$",
    "$",
    r"\.",
    r"\-",
    r"\n",
    r"\t",
    r"\x61",
    r"\u00e9",
    r"\z",
    r"\q",
    r"\1",
    r"\2",
    r"\12",
    r"\0",
    "é",
    "ß",
    "K",
    "{",
    "}",
    "]",
    "{2}",
    "\n",
    r"\/",
    r"\ ",
    "日",
    "(?=",
    "(?!",
    "#",
]
CLASSES = [
    "[abc]",
    "[^abc]",
    "[a-c]",
    "[^a-c0-9]",
    r"[\d]",
    r"[^\d]",
    r"[\w-]",
    r"[^\w\s]",
    r"[\S\n]",
    "[]a]",
    "[^]a]",
    "[a-]",
    "[-a]",
    r"[\]]",
    r"[a\-c]",
    r"[\x00-\x1f]",
    "[é-ü]",
    r"[\b]",
    "[.]",
    "[$^]",
    "[a-z0-9][a-z0-9-]*",
    "[a",
    "[z-a]",
    "[[a]",
    r"[\w-a]",
    "[a&&b]",
    "[a--b]",
    "[a&b]",
    "[ ]",
    r"[\D\d]",
    r"[^\D]",
]
QUANTIFIERS = [
    "*",
    "+",
    "?",
    "*?",
    "+?",
    "??",
    "{2}",
    "{1,2}",
    "{,2}",
    "{2,}",
    "{0}",
    "{1,2}?",
    "{",
    "{x}",
    "{2,1}",
    "*+",
]
OPENINGS = [
    "(",
    "(",
    "(?:",
    "(?:",
    "(?P<n>",
    "(?P<m>",
    "(?=",
    "(?!",
    "(?<=",
    "(?<!",
    "(?i:",
    "(?s:",
    "(?m:",
    "(?-i:",
    "(?i-s:",
    "(?>",
    "(?#",
    "(?a:",
]
FLAGS = ["(?i)", "(?m)", "(?s)", "(?a)", "(?u)", "(?im)", "(?x)", "(?ai)", "(?au)"]
SUBJECT = [
    "a",
    "b",
    "c",
    "A",
    "B",
    "k",
    "K",
    "-",
    "_",
    "0",
    "1",
    "9",
    " ",
    "\n",
    "\t",
    ".",
    "é",
    "É",
    "ß",
    "日",
    "\u0663",
    "\u00b2",
    "\u00a0",
    "\x1c",
    "\u0301",
    "\u212a",
    "\u017f",
    "{",
    "]",
    "ab",
    "aa",
]


def pattern(rng, depth=0):
    parts = []
    for _ in range(rng.choice((1, 1, 2, 3, 4))):
        kind = rng.random()
        if kind < 0.55:
            parts.append(rng.choice(ATOMS))
        elif kind < 0.75:
            parts.append(rng.choice(CLASSES))
        elif depth < 3:
            opening = rng.choice(OPENINGS)
            parts.append(opening + pattern(rng, depth + 1) + ")")
        if rng.random() < 0.3:
            parts.append(rng.choice(QUANTIFIERS))
        if rng.random() < 0.12:
            parts.append("|")
        if rng.random() < 0.04:
            parts.append("(?P=n)")
    text = "".join(parts)
    if depth == 0:
        if rng.random() < 0.15:
            text = rng.choice(FLAGS) + text
        if rng.random() < 0.3:
            text = "^" + text + "$"
    return text


def main(argv):
    count = int(argv[0]) if argv else 20_000
    seed = int(argv[1]) if len(argv) > 1 else random.SystemRandom().randrange(2**32)
    warnings.simplefilter("ignore")
    rng = random.Random(seed)
    began = time.monotonic()
    translated = searches = 0
    for _ in range(count):
        text = pattern(rng)
        try:
            compiled = re.compile(text)
        except (re.error, OverflowError, RecursionError) as fault:
            compiled = fault
        was_translated = False
        for _ in range(8):
            subject = "".join(rng.choice(SUBJECT) for _ in range(rng.choice((0, 1, 1, 2, 3, 5))))
            ours = _native._pattern_search(text, subject)
            if ours is None:
                continue
            was_translated = True
            searches += 1
            theirs = (
                None if isinstance(compiled, Exception) else compiled.search(subject) is not None
            )
            if ours != theirs:
                said = compiled if isinstance(compiled, Exception) else theirs
                print(f"seed {seed}: pattern {text!r} in {subject!r}: Python {said}, ours {ours}")
                return 1
        translated += was_translated
    took = time.monotonic() - began
    print(
        f"{count} patterns, {translated} translated, {searches} searches agree, "
        f"seed {seed}, {took:.1f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
