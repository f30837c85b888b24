"""The value layer against Python itself: JSON in and out, repr, str, strip, equality, faults."""

from __future__ import annotations

import importlib.util
import json
import math
import string
import sys
from pathlib import Path

import pytest
from gatewright import _native
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

FUZZ = Path(__file__).parent.parent / "fuzz"

# A text may hold lone surrogates: JSON escapes can spell them.
texts = st.text(st.characters(), max_size=12) | st.text(
    st.sampled_from("a'\"\\\n\t\x00\x7f\x85\xa0\u2028\u200b\ud800\udfff😀é"), max_size=8
)
numbers = (
    st.integers()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.sampled_from(
        [0.1, 1e16, 1e15, 1e-5, 1e-4, 5e-324, 1e22, 1e23, -0.0, 100000.0, 2**53 + 0.0]
    )
)
scalars = st.none() | st.booleans() | numbers | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(texts, inner, max_size=5),
    max_leaves=20,
)
styles = st.fixed_dictionaries(
    {
        "ensure_ascii": st.booleans(),
        "indent": st.none() | st.integers(0, 4),
        "sort_keys": st.booleans(),
        "compact": st.booleans(),
    }
)
thorough = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def dumps(value, ensure_ascii, indent, sort_keys, compact):
    # Python drops the blank behind a comma when it indents, unless separators say otherwise.
    separators = (",", ":") if compact else None
    text = json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        sort_keys=sort_keys,
        separators=separators,
    )
    return text.encode("utf-8", "surrogatepass")


def reported(data):
    """What Python says about a document, in the form of `_native._json_report`."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as fault:
        return ("decode", str(fault))
    # Files are read with universal newlines.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        return ("value", repr(json.loads(text)))
    except json.JSONDecodeError as fault:
        return ("syntax", str(fault))


@thorough
@given(values, styles)
def test_values_are_written_as_json_dumps_writes_them(value, style):
    assert _native._json_dump(value, **style) == dumps(value, **style)


@thorough
@given(values, styles)
def test_documents_round_trip(value, style):
    data = json.dumps(value).encode()
    again = json.loads(data)
    assert _native._json_roundtrip(data, **style) == dumps(again, **style)
    assert repr(_native._json_value(data)) == repr(again)


@thorough
@given(values)
def test_repr_and_str_are_pythons(value):
    assert _native._repr(value) == repr(value)
    assert _native._str(value) == str(value)


@settings(max_examples=2000, deadline=None)
@given(st.floats(allow_nan=False))
@example(1318493410093018.25)
@example(2.0**-44)
def test_floats_take_the_digits_that_python_takes(number):
    assert _native._repr(number) == repr(number)
    assert math.copysign(1, float(_native._repr(number))) == math.copysign(1, number)


def test_every_code_point_is_shown_as_this_python_shows_it():
    different = [
        code_point
        for code_point in range(sys.maxunicode + 1)
        if _native._repr(chr(code_point)) != repr(chr(code_point))
    ]
    assert different == []


@thorough
@given(values, values)
def test_equality_is_pythons(left, right):
    # As json reads them: every NaN is then one object, which a list takes for equal to itself.
    left, right, copy = (json.loads(json.dumps(value)) for value in (left, right, left))
    assert _native._equal(left, right) == (left == right)
    assert _native._equal(left, copy) == (left == copy)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1.0),
        (True, 1),
        (0, False),
        (0.0, -0.0),
        (2**53 + 1, float(2**53)),
        (10**22, 1e22),
        (10**23, 1e23),
        (float("inf"), 10**400),
        (-(10**30), -(10**30) + 1),
        ([1, True], [True, 1.0]),
        ({"a": 1, "b": 2}, {"b": 2.0, "a": True}),
        ({"a": 1}, {"a": 1, "b": 2}),
        ("a", ["a"]),
        (None, False),
        ("\ud800", "\ud800"),
    ],
)
def test_equality_of_near_values_is_pythons(left, right):
    assert _native._equal(left, right) == (left == right)
    assert _native._equal(right, left) == (right == left)


def test_nan_is_unequal_alone_and_equal_in_a_list_as_json_reads_it():
    left, right = json.loads("[NaN]"), json.loads("[NaN]")
    assert left == right
    assert _native._equal(left, right)
    assert not _native._equal(left[0], right[0])


white = st.text(
    st.sampled_from("\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2003\u200b\u2028\u3000\ufeffa")
)


@given(st.builds("".join, st.lists(white | texts, max_size=4)))
def test_strip_and_length_are_pythons(text):
    assert _native._strip(text) == text.strip()
    assert _native._len(text) == len(text)


def test_strip_takes_exactly_the_white_space_of_python():
    different = [
        code_point
        for code_point in range(sys.maxunicode + 1)
        if _native._strip(chr(code_point)) != chr(code_point).strip()
    ]
    assert different == []


@thorough
@given(values, st.data())
def test_damaged_documents_are_judged_as_python_judges_them(value, data):
    text = json.dumps(value, indent=data.draw(st.none() | st.just(2)), ensure_ascii=False)
    text = text.encode("utf-8", "replace").decode()
    at = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 3))
    junk = data.draw(
        st.text(st.sampled_from(string.punctuation + "0129eENaInfltru \n\té\ufeff"), max_size=3)
    )
    damaged = (text[:at] + junk + text[at + length :]).encode()
    assert _native._json_report(damaged) == reported(damaged)


@given(st.binary(max_size=30))
def test_bytes_that_are_no_text_are_judged_as_python_judges_them(data):
    assert _native._json_report(data) == reported(data)


@pytest.mark.parametrize(
    "text",
    ["", " ", "\ufeff1", "[1\r\n 2]", '"\x1f"', '"\\u12', '"\\ud800\\u', "1.", "01", "-", "+1",
     "[1,]", '{"a":1,}', '{"a" 1}', "{1:2}", "nul", "[", '{"a":', "1 2", '"a', '"\\', "NaN1", "-Infinity",
     "-Inf", "Infinityx"],
)  # fmt: skip
def test_faults_have_pythons_words_and_place(text):
    data = text.encode()
    assert _native._json_report(data) == reported(data)


def test_integers_of_any_size_are_kept():
    digits = "9" * 100_000
    kind, shown = _native._json_report(b"[" + digits.encode() + b"]")
    assert (kind, shown) == ("value", f"[{digits}]")


def test_nesting_beyond_the_bound_is_refused_by_name():
    kind, words = _native._json_report(b"[" * 100_000)
    assert kind == "refused"
    assert words == "nested deeper than 1000 levels: line 1 column 1001 (char 1000)"
    assert _native._json_report(b"[" * 500 + b"]" * 500)[0] == "value"


@pytest.mark.parametrize(("name", "count"), [("json_documents", 1500), ("patterns", 1500)])
def test_a_short_fuzz_run_finds_no_difference(name, count, capsys):
    spec = importlib.util.spec_from_file_location(name, FUZZ / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    limit = getattr(sys, "get_int_max_str_digits", int)()
    try:
        status = module.main([str(count)])
    finally:
        if limit:
            sys.set_int_max_str_digits(limit)
    assert status == 0, capsys.readouterr().out
