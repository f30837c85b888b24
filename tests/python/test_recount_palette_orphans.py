"""``recount-palette-orphans.py``: recorded cases, generated blueprints, hostile inputs."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import palette_model as model
import pytest
import recorded

NAME = "recount-palette-orphans.py"


@pytest.fixture(scope="module")
def script(shims):
    return shims / NAME


@pytest.fixture(scope="module")
def module(script, load_script):
    return load_script(script)


@pytest.fixture
def call(script, run_script, tmp_path):
    def run(content=None, *arguments, env=None, **options):
        if content is not None:
            data = (
                content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
            )
            (tmp_path / "b.json").write_bytes(data)
        words = arguments or ("--blueprint", "b.json")
        return run_script(script, *words, env=env, **options)

    return run


def figures(done):
    return json.loads(done.stdout)


def test_every_recorded_case(script):
    assert recorded.all_differences("recount-palette-orphans", script) == []


# Generated blueprints: the stream, the walk over values and the model must agree.

TEXTS = [
    "#fff",
    "#FFF",
    "#ffff",
    "#12345",
    "#abc123",
    "#ABCDEF12",
    "#123456789",
    "rgb(1,2,3)",
    "RGB(1, 2, 3)",
    "rgba(0,0,0,.5)",
    "rgba(1,2,3/50%)",
    "rgb(1 2 3)",
    "rgb(nan,0,0)",
    "rgb(1e400,1,1)",
    "rgb(1_0,2,3)",
    "rgb(١,2,3)",
    "red",
    "RED",
    "none",
    " Auto ",
    "  ",
    "",
    "var(--x)",
    "not_observed",
    "blocked",
    "observed",
    "#fff-a",
    "#fff_",
    "#fffé",
    "x#abc y#abcd",
    "rgb(rgb(1,2,3)",
    "rgb(1,2,3",
    "rgb(1,,2,3,)",
    "(",
    "#",
    "##abc",
    "linear-gradient(#fff, rgba(0,0,0,.5))",
    "rgba(0,0,0,5%%)",
    "rgb(-0.5,-1.5,2.5)",
    "rgb(1e300,2,3)",
    "rgb(+1,2,3)",
    "rgb()",
    "赤",
    "rgb(1.5e1,0x1,3)",
    "rgba(0,0,0,-inf)",
    "rgba(1,2,3,)",
    "rgb(%,1,2)",
    "xrgb(1,2,3)",
    "#abc#abc",
    "İÉΣ",
    "ΑΣ",
]
TEXTS += [
    "\x1c#fff\x85",
    "\u2003",
    "#fff\u0301",
    "#fff\u00b2",
    "\ufeff#fff",
    "rgb(1\x0b,2,3)",
    "rgb(1\x1c%,2,3)",
]
TEXTS += ["\ud83d#fff", "#fff\ud83d", "ΑΣ\ud800"]
KEYS = [
    "color",
    "backgroundColor",
    "COLOR",
    "note",
    "paint",
    "value",
    "canonical_hex8",
    "exact",
    "hex",
    "observation_status",
    "border",
    "colors",
    "palette",
    "x",
    "#abc",
    "rgb(9,9,9)",
    "discoloration",
    "色color",
    "name",
    "reason",
]


def generated(rng):
    def text():
        if rng.random() < 0.8:
            return rng.choice(TEXTS)
        return "".join(
            rng.choice("#abcf0123 rgb(),/%.-_éΣ\u0660\u2003") for _ in range(rng.randrange(14))
        )

    def value(depth):
        kind = rng.random()
        if depth == 0 or kind < 0.55:
            return text()
        if kind < 0.62:
            return rng.choice([None, True, False, 0, 2.5, float("nan"), "", [], {}])
        if kind < 0.75:
            return [value(depth - 1) for _ in range(rng.randrange(4))]
        count = rng.randrange(5) if rng.random() < 0.97 else 130
        made = {}
        for _ in range(count):
            key = rng.choice(KEYS) if count < 10 or rng.random() < 0.1 else f"m{rng.randrange(200)}"
            made[key] = value(depth - 1)
            if key == "observation_status" and rng.random() < 0.9:
                made[key] = rng.choice(["observed", "not_observed", "blocked", None, 1, "Blocked"])
        return made

    def entries():
        if rng.random() < 0.15:
            return rng.choice([None, "#12", {"#fff": 1, "red": 2}, 0, 5, True, text(), False, ""])
        named = ["canonical_hex8", "value", "exact", "color", "hex", "observation_status", "gamut"]
        return [
            rng.choice([text(), {rng.choice(named): value(1) for _ in range(2)}, 1])
            for _ in range(rng.randrange(6))
        ]

    tokens = {"palette": entries()}
    if rng.random() < 0.5:
        tokens["theme_variants"] = rng.choice(
            [[{"palette": entries(), "colors": entries()}, 5], {"a": 1}, None, "ab", 3]
        )
    if rng.random() < 0.4:
        tokens["document_brand"] = rng.choice([{"colors": entries()}, entries(), None])
    if rng.random() < 0.4:
        tokens["brand"] = rng.choice([{"colors": entries()}, entries()])
    if rng.random() < 0.05:
        tokens = rng.choice([None, [], "", 0, 5, "x", [1], True])
    screens = [value(4) for _ in range(rng.randrange(4))]
    if rng.random() < 0.06:
        screens = rng.choice([value(3), None, 5, "x", 1.5, True])
    return {"screens": screens, "design_tokens": tokens}


def test_generated_blueprints_are_counted_as_the_model_counts(module):
    rng = random.Random(20260711)
    refusals = 0
    for _ in range(4000):
        blueprint = generated(rng)
        try:
            wanted = model.recount(blueprint)
        except (TypeError, AttributeError):
            refusals += 1
            with pytest.raises(TypeError):
                module.recount(blueprint)
            continue
        assert module.recount(blueprint) == wanted, blueprint
    assert 100 < refusals < 2000


def test_the_command_streams_to_the_same_figures(call, tmp_path, refused):
    rng = random.Random(7)
    for number in range(40):
        blueprint = generated(rng)
        text = json.dumps(blueprint, ensure_ascii=number % 2 == 0)
        if any("\ud800" <= character <= "\udfff" for character in text):
            # Escaped, a lone surrogate is JSON; as bytes it would be no UTF-8.
            text = json.dumps(blueprint)
        done = call(text)
        try:
            wanted = model.recount(blueprint)
            json.dumps(wanted, ensure_ascii=False).encode()
        except (TypeError, AttributeError, UnicodeEncodeError):
            assert refused(done, "b.json")
            continue
        assert figures(done) == wanted
        assert done.returncode == (1 if wanted["orphans"] else 0)


@pytest.mark.parametrize(
    ("text", "orphans"),
    [
        ('{"screens":[{"color":"#111","color":"#222"}]}', ["#222222ff"]),
        ('{"screens":[{"color":"#111","c\\u006flor":"#222"}]}', ["#222222ff"]),
        ('{"screens":[{"color":"#111"}],"screens":[{"color":"#222"}]}', ["#222222ff"]),
        ('{"screens":[{"color":"#111"}],"screens":null}', []),
        ('{"screens":[{"color":"#111","observation_status":"blocked"}]}', []),
        (
            '{"screens":[{"observation_status":"blocked","color":"#111","observation_status":1}]}',
            ["#111111ff"],
        ),
        ('{"screens":[{"a":{"observation_status":[1]},"observation_status":"blocked"}]}', []),
        (
            '{"design_tokens":{"palette":["#111"]},"screens":[{"color":"\\u0023111"}],"design_tokens":{}}',
            ["#111111ff"],
        ),
    ],
)
def test_repeated_keys_and_late_statuses(call, text, orphans):
    assert figures(call(text))["orphans"] == orphans


def test_the_corrected_count_is_opted_into_by_the_environment(call, refused):
    text = '{"screens":[{"viewport":{"color_scheme":"light"}}],"design_tokens":{}}'
    assert figures(call(text))["orphans"] == ["light"]
    assert figures(call(text, env={"GATEWRIGHT_RECOUNT": "recorded"}))["orphans"] == ["light"]
    assert figures(call(text, env={"GATEWRIGHT_RECOUNT": ""}))["orphans"] == ["light"]
    done = call(text, env={"GATEWRIGHT_RECOUNT": "corrected"})
    assert (done.returncode, figures(done)["orphans"], done.stderr) == (0, [], b"")
    assert refused(
        call(text, env={"GATEWRIGHT_RECOUNT": "corected"}), "corected", "recorded or corrected"
    )


class TestHostileInputs:
    def test_documents_that_cannot_be_read(self, call, refused):
        for content, words in [
            (b"", "Expecting value: line 1 column 1 (char 0)"),
            (b"\xef\xbb\xbf{}", "Unexpected UTF-8 BOM"),
            (b'{"a":1}\r\n\r\nx', "Extra data: line 3 column 1 (char 9)"),
            (b'{"a": "\xff"}', "can't decode byte 0xff in position 7"),
            (b"[" * 100_000, "b.json"),
            (b'{"screens":' + b"[" * 100_000, "b.json"),
            (b"[]", "object"),
        ]:
            assert refused(call(content), words)

    def test_much_white_space_and_a_million_digits(self, call):
        blanks = " " * 20_000_000
        done = call(f'{{"screens":{blanks}[{{"color":"#111"}}]{blanks}}}')
        assert figures(done)["orphans"] == ["#111111ff"]
        done = call('{"screens":[{"color":' + "9" * 1_000_000 + "}]}")
        assert figures(done)["observed_count"] == 0

    def test_several_hundred_levels_are_ordinary(self, call):
        deep = '{"a":' * 450 + '{"color":"#111"}' + "}" * 450
        assert figures(call(f'{{"screens":[{deep}]}}'))["orphans"] == ["#111111ff"]

    def test_a_lone_surrogate_is_counted_or_refused(self, call, refused):
        done = call('{"screens":[{"note":"\\ud800 #fff"}]}')
        assert figures(done)["orphans"] == ["#ffffffff"]
        assert refused(call('{"screens":[{"color":"\\ud800"}]}'), "b.json", "lone surrogate")

    def test_places_that_are_no_plain_file(self, call, tmp_path, refused):
        (tmp_path / "folder").mkdir()
        assert refused(call(None, "--blueprint", "folder"), "[Errno 21] Is a directory: 'folder'")
        os.mkfifo(tmp_path / "pipe")

        def feed():
            (tmp_path / "pipe").write_text('{"screens":[{"color":"#111"}]}')

        writer = threading.Thread(target=feed)
        writer.start()
        done = call(None, "--blueprint", "pipe")
        writer.join()
        assert figures(done)["orphans"] == ["#111111ff"]

    @pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
    def test_an_unreadable_file(self, call, tmp_path, refused):
        (tmp_path / "b.json").write_text("{}")
        (tmp_path / "b.json").chmod(0)
        assert refused(call(), "Permission denied")

    def test_a_name_with_a_line_end_stays_one_line(self, call, tmp_path, refused):
        (tmp_path / "a\nb").write_text('{"screens": 5}')
        assert refused(call(None, "--blueprint", "a\nb"), "a\\nb", "$.screens")

    def test_a_refusal_names_the_place(self, call, refused):
        text = '{"screens":[{"a":[{"observation_status":{}}]}]}'
        assert refused(call(text), "b.json", "$.screens[0].a[0].observation_status")
        text = '{"screens":[],"design_tokens":{"theme_variants":[{"palette":7}]}}'
        assert refused(call(text), "$.design_tokens.theme_variants[0].palette")

    def test_a_closed_pipe_is_a_quiet_end(self, script, tmp_path):
        screens = [{"color": f"word{number}"} for number in range(200_000)]
        (tmp_path / "b.json").write_text(json.dumps({"screens": screens}))
        command = (
            f'"{sys.executable}" "{script}" --blueprint b.json 2>errors | head -c 1 >/dev/null'
        )
        subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True, timeout=120)
        assert b"Traceback" not in (tmp_path / "errors").read_bytes()

    def test_ctrl_c_during_a_large_run_ends_it_as_a_signal(self, script, tmp_path):
        screens = ['{"color":"#111","x":[[[[{"y":"#222"}]]]]}'] * 2_000_000
        (tmp_path / "b.json").write_text('{"screens":[' + ",".join(screens) + "]}")
        process = subprocess.Popen(
            [sys.executable, script, "--blueprint", "b.json"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        time.sleep(0.4)
        process.send_signal(2)
        out, errors = process.communicate(timeout=60)
        # It may have been quicker than the signal; a half-told answer it must never give.
        assert process.returncode in (-2, 130, 1), errors
        assert process.returncode == 1 or out == b""
        if process.returncode == 1:
            assert json.loads(out)["orphans"]


def test_help_and_usage_return_two(call, module, capfd):
    assert call(None, "--help").returncode == 2
    assert module.main(["--help"]) == 2
    assert module.main(["--blue"]) == 2
    assert "expected one argument" in capfd.readouterr().err


def test_importable_functions(module, tmp_path, capfdbinary):
    assert module.collect_observed(None) == set()
    assert module.collect_observed([{"color": ("#111", "RED")}]) == {"#111111ff", "red"}
    assert module.collect_palette({"palette": ["#111", {"value": "x"}]}) == {"#111111ff", "x"}
    assert module.recount({}) == {
        "observed_count": 0,
        "palette_count": 0,
        "orphan_count": 0,
        "orphans": [],
    }
    for unusable in (5, True, 1.5):
        with pytest.raises(TypeError):
            module.collect_observed(unusable)
    path = tmp_path / "b.json"
    path.write_text('{"screens":[{"color":"#111"}]}')
    assert module.main(["--blueprint", str(path)]) == 1
    assert json.loads(capfdbinary.readouterr().out)["orphans"] == ["#111111ff"]


def test_eight_threads_at_once(module):
    blueprint = {"screens": [{"color": [f"#{number:06x}" for number in range(3000)]}]}
    wanted = model.recount(blueprint)
    with ThreadPoolExecutor(8) as pool:
        assert all(
            found == wanted for found in pool.map(lambda _: module.recount(blueprint), range(32))
        )
