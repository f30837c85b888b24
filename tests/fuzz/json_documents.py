"""Compare the JSON reader and writer with Python's own on generated documents.

    python tests/fuzz/json_documents.py [COUNT] [SEED]

Each document is generated, about two in three are then damaged, and every one goes to both
readers: the values (types, order, NaN, big integers; shown with `repr`) or the words and position
of the fault must be the same, and what was read must be written the same in every style. Ends with
status 1 and the document at the first difference; the seed is printed for a rerun.
"""

import io
import json
import random
import sys
import time

from gatewright import _native

STYLES = [
    (ascii_, indent, sort, compact)
    for ascii_ in (True, False)
    for indent in (None, 2)
    for sort in (True, False)
    for compact in (True, False)
    if not (compact and indent is not None)
]

ATOMS = [
    "null",
    "true",
    "false",
    "NaN",
    "Infinity",
    "-Infinity",
    "0",
    "-0",
    "1",
    "-1",
    "0.0",
    "-0.0",
    "1.0",
    "1e5",
    "1E+5",
    "1e-5",
    "1e16",
    "1e22",
    "1e23",
    "1e400",
    "-1e400",
    "5e-324",
    "2e-324",
    "0.1",
    "123456789.123",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "123456789012345678901234567890",
    "1.7976931348623157e308",
    "1.7976931348623159e308",
    "100000.0",
    "0.0001",
    "0.00001",
    "1e15",
    "123456789012345680.0",
]
PIECES = [
    "a",
    "é",
    "日",
    "😀",
    "\u00a0",
    "\u2028",
    "\u200b",
    "\x7f",
    "\ud7ff",
    "\ue000",
    "\ufeff",
    "\uffff",
    "\\n",
    "\\t",
    "\\\\",
    "\\/",
    '\\"',
    "\\b",
    "\\f",
    "\\r",
    "\\u0000",
    "\\u001f",
    "\\u00e9",
    "\\uD83D\\uDE00",
    "\\ud83d",
    "\\ude00",
    "\\uD83D\\u0041",
    "\\uFFFF",
    "'",
    "/",
    " ",
    "key",
    "\u0378",
    "\u0e3f",
]
SPACES = ["", "", "", "", " ", "  ", "\n", "\t", "\r\n", "\r", "           ", "\n        "]
DAMAGE = [
    b"",
    b",",
    b":",
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b"\\",
    b"\\u12",
    b"\\x",
    b"-",
    b"+",
    b".",
    b"e",
    b"0",
    b"01",
    b"nul",
    b"tru",
    b"NaN",
    b"Inf",
    b"'",
    b"\x00",
    b"\x0b",
    b"\x1f",
    b"\n",
    b"\r",
    b"\r\n",
    b"\xff",
    b"\xc3",
    b"\xe2\x82",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\xf4\x90\x80\x80",
    b"\xc2\xa0",
    b"//",
    b"1.",
    b".5",
    b"1e",
    b"--1",
    b"\\ud800\\u",
]


def string(rng):
    return '"' + "".join(rng.choice(PIECES) for _ in range(rng.choice((0, 1, 1, 2, 3, 9)))) + '"'


def number(rng):
    if rng.random() < 0.5:
        return rng.choice(ATOMS)
    if rng.random() < 0.4:
        return repr(rng.uniform(-1, 1) * 10.0 ** rng.randint(-320, 307))
    digits = "".join(
        rng.choice("0123456789") for _ in range(rng.choice((1, 2, 5, 18, 19, 20, 40, 400)))
    )
    whole = rng.choice(("", "-")) + (digits.lstrip("0") or "0")
    if rng.random() < 0.5:
        whole += "." + "".join(rng.choice("0123456789") for _ in range(rng.choice((1, 3, 17, 30))))
    if rng.random() < 0.3:
        whole += rng.choice("eE") + rng.choice(("", "+", "-")) + str(rng.randint(0, 400))
    return whole


def document(rng, depth=0):
    space = lambda: rng.choice(SPACES)  # noqa: E731
    kind = rng.random()
    if depth > 5 or kind < 0.35:
        return number(rng) if rng.random() < 0.5 else string(rng)
    count = rng.choice((0, 1, 2, 3, 3, 4) if depth < 2 else (0, 1, 2))
    if depth == 0 and rng.random() < 0.02:
        count = 40
    if kind < 0.7:
        items = (space() + document(rng, depth + 1) + space() for _ in range(count))
        return "[" + (",".join(items) or space()) + "]"
    members = (
        space() + string(rng) + space() + ":" + space() + document(rng, depth + 1) + space()
        for _ in range(count)
    )
    return "{" + (",".join(members) or space()) + "}"


def damaged(rng, data):
    for _ in range(rng.choice((1, 1, 2))):
        at = rng.randint(0, len(data))
        kind = rng.random()
        if kind < 0.3:
            data = data[:at] + rng.choice(DAMAGE) + data[at:]
        elif kind < 0.6:
            data = data[:at] + data[at + rng.randint(1, 3) :]
        elif kind < 0.75:
            data = data[:at]
        elif kind < 0.9:
            data = data[:at] + rng.choice(DAMAGE) + data[at + 1 :]
        else:
            end = rng.randint(at, min(len(data), at + 9))
            data = data[:at] + data[at:end] * 2 + data[end:]
    return data


def expected(data):
    try:
        text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8").read()
    except UnicodeDecodeError as fault:
        return ("decode", str(fault)), None
    try:
        value = json.loads(text)
    except json.JSONDecodeError as fault:
        return ("syntax", str(fault)), None
    return ("value", repr(value)), value


def difference(data):
    """What differs for `data`, or nothing."""
    want, value = expected(data)
    got = _native._json_report(data)
    if got != want:
        return f"read: Python {want!r}, ours {got!r}"
    if want[0] != "value":
        return None
    back = _native._json_value(data)
    if repr(back) != want[1]:
        return f"value: Python {want[1]}, ours {back!r}"
    for ascii_, indent, sort, compact in STYLES:
        separators = (",", ":") if compact else None
        plain = json.dumps(
            value, ensure_ascii=ascii_, indent=indent, sort_keys=sort, separators=separators
        ).encode("utf-8", "surrogatepass")
        options = {"ensure_ascii": ascii_, "indent": indent, "sort_keys": sort, "compact": compact}
        for ours in (
            _native._json_roundtrip(data, **options),
            _native._json_dump(value, **options),
        ):
            if ours != plain:
                return f"written {options}: Python {plain!r}, ours {ours!r}"
    return None


def main(argv):
    count = int(argv[0]) if argv else 100_000
    seed = int(argv[1]) if len(argv) > 1 else random.SystemRandom().randrange(2**32)
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    rng = random.Random(seed)
    began = time.monotonic()
    kinds = {"value": 0, "syntax": 0, "decode": 0}
    for index in range(count):
        data = (rng.choice(SPACES) + document(rng) + rng.choice(SPACES)).encode(
            "utf-8", "surrogatepass"
        )
        if rng.random() < 0.66:
            data = damaged(rng, data)
        kinds[expected(data)[0][0]] += 1
        found = difference(data)
        if found:
            print(f"seed {seed}, document {index}: {data!r}\n{found}"[:4000])
            return 1
    took = time.monotonic() - began
    print(f"{count} documents agree ({kinds}), seed {seed}, {took:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
