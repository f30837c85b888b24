"""Generated inputs of the drop-in scripts, in which one field has an odd type.

In: a `random.Random`. Out: a [`Case`]: the script, its arguments and its files as bytes. Documents are
well-formed for their script but for a few places, which hold whatever JSON can hold: a value of
another type, a huge or odd number, a lone surrogate, a member that stands twice or under an empty
name, another order of members; sometimes the text itself is damaged. Paths and outputs are now and
then spelled oddly.
"""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import dataclass, field
from typing import Any


class Literal:
    """A value written as it stands, which `json.dumps` would spell otherwise."""

    def __init__(self, text: str) -> None:
        self.text = text


class Members:
    """An object whose members may stand twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        self.pairs = pairs


@dataclass
class Case:
    """One call of a script."""

    script: str
    arguments: list[str]
    files: dict[str, bytes] = field(default_factory=dict)
    #: Paths that are links, and where they lead.
    links: dict[str, str] = field(default_factory=dict)


ODD: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    0.0,
    1.0,
    1.5,
    -2.5,
    Literal("-0"),
    Literal("-0.0"),
    Literal("1e3"),
    Literal("1E400"),
    Literal("-1e400"),
    Literal("NaN"),
    Literal("Infinity"),
    Literal("-Infinity"),
    Literal("1.10"),
    2**53 + 1,
    10**30,
    -(10**30),
    "",
    " ",
    "\u00a0\u2003",
    "\x1c",
    "a",
    "1",
    "True",
    "None",
    "0",
    "é\u200b",
    "line\nend",
    "it's",
    'say "it\'s"',
    "\ud83d",
    "\ude00\ud83d",
    "😀",
    Literal('"\\ud83d\\ude00"'),
    "present",
    "confirmed",
    "native",
    "runner-control",
    "high",
    "pass",
    "#ABC",
    "~",
    "..",
    "a/b",
    "/",
    [],
    [1],
    ["a"],
    [[]],
    [None],
    [{}],
    ["a", "b", "a"],
    [True, 1, 1.0],
    {},
    {"a": 1},
    {"": 1},
    {"status": "confirmed"},
    {"status": "pass"},
    {"\ud83d": "\ud83d"},
    Members([("a", 1), ("a", 2)]),
]


def spelled(value: Any, rng: random.Random) -> str:
    """`value` as JSON text."""
    if isinstance(value, Literal):
        return value.text
    if isinstance(value, Members):
        pairs = value.pairs
    elif isinstance(value, dict):
        pairs = list(value.items())
        if rng.random() < 0.05:
            rng.shuffle(pairs)
    elif isinstance(value, list):
        return "[" + ", ".join(spelled(item, rng) for item in value) + "]"
    else:
        is_ascii = not isinstance(value, str) or rng.random() < 0.5 or _is_lone(value)
        return json.dumps(value, ensure_ascii=is_ascii)
    return "{" + ", ".join(f"{json.dumps(k)}: {spelled(v, rng)}" for k, v in pairs) + "}"


def _is_lone(text: str) -> bool:
    return any(0xD800 <= ord(character) < 0xE000 for character in text)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value in a document, the root's own among them."""
    out = [path]
    if isinstance(value, dict):
        for key, member in value.items():
            out.extend(places(member, (*path, key)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            out.extend(places(item, (*path, index)))
    return out


def odd(rng: random.Random, texts: list[str]) -> Any:
    """A value of a type that the place does not expect."""
    if texts and rng.random() < 0.15:
        return rng.choice(texts)
    value = rng.choice(ODD)
    if rng.random() < 0.05:
        return [value] if rng.random() < 0.5 else {"a": value}
    return value


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _texts(item)]


def changed(document: Any, rng: random.Random) -> Any:
    """A document in which one place has changed."""
    path = rng.choice(places(document))
    texts = _texts(document)
    if not path:
        if rng.random() < 0.9:
            path = rng.choice([p for p in places(document) if p] or [()])
        if not path:
            return odd(rng, texts)
    document = json.loads(json.dumps(document))
    holder = document
    for step in path[:-1]:
        holder = holder[step]
    last = path[-1]
    kind = rng.random()
    if kind < 0.62:
        holder[last] = odd(rng, texts)
    elif kind < 0.77:
        del holder[last]
    elif kind < 0.84 and isinstance(holder, dict):
        holder[rng.choice(["", "extra", "\ud83d", "😀", "format", "color"])] = odd(rng, texts)
    elif kind < 0.93 and isinstance(holder, dict):
        pairs = list(holder.items())
        pairs.insert(rng.randrange(len(pairs) + 1), (last, odd(rng, texts)))
        return _replaced(document, path[:-1], Members(pairs))
    elif isinstance(holder, list):
        holder.append(holder[last])
    else:
        items = list(holder.items())
        rng.shuffle(items)
        holder.clear()
        holder.update(items)
    return document


def _replaced(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    holder = document
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return document


def damaged(text: bytes, rng: random.Random) -> bytes:
    """A text in which a few bytes have changed."""
    kind = rng.randrange(8)
    at = rng.randrange(len(text) + 1)
    if kind == 0:
        return b"\xef\xbb\xbf" + text
    if kind == 1:
        return text[:at]
    if kind == 2:
        return (
            text[:at] + rng.choice([b",", b"}", b"]", b'"', b"\\", b"\x00", b"1", b"'"]) + text[at:]
        )
    if kind == 3:
        return text[:at] + rng.choice([b"\xff", b"\xed\xa0\xbd", b"\xc3"]) + text[at:]
    if kind == 4:
        return b""
    if kind == 5:
        return text + rng.choice([b" x", b"{}", b"\n\n", b"\xc2\xa0"])
    if kind == 6:
        return text.replace(b", ", b",\r\n\t")
    return text.replace(b"}", b",}", 1)


def document_text(document: Any, rng: random.Random) -> bytes:
    """A document as the bytes of a file, most of the time with one odd place."""
    for _ in range(rng.choice([0, 1, 1, 1, 1, 2])):
        if not isinstance(document, (Members, Literal)) and document not in (None, "", [], {}):
            try:
                document = changed(document, rng)
            except (TypeError, ValueError):
                break
    text = spelled(document, rng).encode("utf-8", "surrogatepass")
    if rng.random() < 0.01:
        # Large files are judged while they are read.
        text = text[:-1] + b" " * (1 << 20) + text[-1:]
    return damaged(text, rng) if rng.random() < 0.04 else text


def path_spelled(path: str, rng: random.Random) -> str:
    """Another way to write a path, or another path."""
    if rng.random() < 0.93:
        return path
    return rng.choice(
        [
            f"./{path}",
            f"{path}/",
            f".//{path}",
            f"no/../{path}",
            f"sub/../{path}",
            "",
            ".",
            "sub",
            "no.json",
            "./no//x.json",
            f"{path}/x",
            f"{path}\udcff",
            "n" * 300,
            "a\nb",
            "/dev/null",
        ]
    )


def out_spelled(path: str, rng: random.Random) -> str:
    """Where the output goes."""
    if rng.random() < 0.85:
        return path
    return rng.choice(
        [
            f"./{path}",
            f"{path}/",
            f"new/deep/{path}",
            f"new//{path}",
            f"sub/../{path}",
            f"no/../{path}",
            "",
            ".",
            "sub",
            "/dev/null",
            "link.json",
            "dangling.json",
            "loop.json",
            "kept.json",
            "kept.json/x",
            f"{path}\udcff",
            "n" * 300,
            "a\nb",
        ]
    )


IDS = ["a", "b", "c", "family", "1"]
STATUSES = ["present", "absent", "unresolved"]


def framework(rng: random.Random) -> dict[str, Any]:
    """A valid framework."""
    lenses = []
    for number in range(rng.randint(1, 2)):
        items = []
        for index in range(rng.randint(1, 2)):
            item: dict[str, Any] = {
                "issue_id": f"i{number}{index}",
                "question": "q?",
                "hit_rule": "rule",
                "exclusions": rng.choice([[], ["x", "y"]]),
                "evidence": {
                    "required": "verbatim quote plus section reference",
                    "unresolved_when": "u",
                },
                "answer_shape": {
                    "statuses": list(STATUSES),
                    "characterization_max_words": 9,
                    "template": "t",
                },
                "disposition": "report",
                "overlap_owner": rng.choice([None, "l0"]),
            }
            if rng.random() < 0.4:
                bands = [{"band": "high", "when": "w"}] if rng.random() < 0.5 else []
                item["materiality"] = {"default": "medium", "bands": bands}
            items.append(item)
        lenses.append({"lens_id": f"l{number}", "name": "L", "items": items})
    return {
        "framework_version": 1,
        "approved": rng.random() < 0.1,
        "source_inputs": [{"kind": "rfp", "label": "l"}],
        "lenses": lenses,
    }


SCHEMAS: list[Any] = [
    {"type": "object", "required": ["framework_version", "gone"]},
    {
        "properties": {
            "approved": {"const": True},
            "framework_version": {"type": ["string", "null"]},
        }
    },
    {"anyOf": [{"type": "array"}, {"required": ["x"]}, {"minimum": 3}]},
    {
        "properties": {
            "framework_version": {"minimum": 2, "maximum": 0, "enum": [2, "1", True]},
            "lenses": {
                "minItems": 5,
                "maxItems": 0,
                "items": {
                    "properties": {
                        "name": {"pattern": "^[a-z]+$", "minLength": 2, "maxLength": 0},
                        "items": {"items": {"additionalProperties": {"type": "string"}}},
                    },
                    "additionalProperties": False,
                },
            },
        },
        "format": "x",
        "title": "t",
    },
]


def _findings(rng: random.Random, documents: list[str]) -> list[dict[str, Any]]:
    out = []
    for number in range(rng.randint(0, 4)):
        document = rng.choice(documents)
        issue = rng.choice(["i00", "i00", "i01", "i10"])
        out.append(
            {
                "finding_id": f"{issue}/{document}" if rng.random() < 0.8 else f"f{number}",
                "issue_id": issue,
                "lens_id": "l0" if issue.startswith("i0") else "l1",
                "unit_id": document,
                "doc_id": document,
                "status": rng.choice(STATUSES),
                "section": "s",
                "quote": rng.choice(["shall pay", "nowhere", "fee"]),
                "characterization": "c",
                "quote_verification": {"status": "confirmed"},
                "verification": {"status": "confirmed"},
            }
        )
    return out


def ledger(rng: random.Random, documents: list[str]) -> dict[str, Any]:
    """A findings ledger."""
    out: dict[str, Any] = {
        "framework_version": 1,
        "findings": _findings(rng, documents),
        "parked": [{"doc_id": rng.choice(documents)}] if rng.random() < 0.3 else [],
    }
    if rng.random() < 0.3:
        out["review_plan_id"] = "r"
    return out


def manifest(rng: random.Random) -> dict[str, Any]:
    """A manifest of a run without files."""
    documents = []
    for name in IDS[: rng.randint(1, 4)]:
        entry = {"id": name, "readability": rng.choice(["native", "native", "scanned", "corrupt"])}
        if rng.random() < 0.15:
            entry["review_role"] = "runner-control"
        documents.append(entry)
    if rng.random() < 0.2:
        documents.append({**rng.choice(documents), "readability": "encrypted"})
    return {"documents": documents, "counts": {}}


def families(rng: random.Random) -> dict[str, Any]:
    """A family map."""
    members = [{"id": name, "role": "r", "order": 1} for name in rng.sample(IDS, rng.randint(0, 3))]
    return {"families": [{"family_id": "family", "members": members}]}


def assessment(rng: random.Random) -> dict[str, Any]:
    """A complete assessment."""
    findings = [
        {
            "id": f"F{number}",
            "severity": rng.choice(["high", "medium", "low"]),
            "loc": "x",
            "reason": "r",
            "criterion": "CL-1",
        }
        for number in range(rng.choice([0, 0, 1, 2]))
    ]
    return {
        "findings": findings,
        "observation_completeness": {"silent_gaps": 0, "key_screen_gaps": 0, "reasoned_gaps": 1},
        "load_policy_result": {"within_budget": True, "concurrency_ok": True, "notes": ""},
        "gate_results": {
            "mermaid_validate": {"status": "pass", "exit_code": 0},
            "doc_emit_check_screens": {"status": "pass", "exit_code": 0},
        },
        "recount": {
            "orphan_count": 0,
            "agrees_with_gate": True,
            "observed_count": 3,
            "palette_count": 3,
        },
        "reconstruction": {
            "top_level_missing": 0,
            "open_questions": 0,
            "scaffold_derivable": True,
        },
    }


COLOURS: list[Any] = [
    "#fff",
    "#ABCDEF",
    "#12345",
    "#abcd",
    "rgb(1, 2, 3)",
    "RGBA(255 0 0 / 50%)",
    "rgb(1e400,1,1)",
    "rgba(1,2,3,nan)",
    "rgb(2.5,3.5,-1)",
    "red",
    "none",
    " Transparent ",
    "var(--x)",
    "text #fff and rgb(9,9,9)",
    {"value": "#fff"},
    {"canonical_hex8": "#ffffffff", "value": "red"},
    {"exact": "", "color": "#000"},
    {"observation_status": "blocked", "value": "#123"},
]


def blueprint(rng: random.Random) -> dict[str, Any]:
    """A blueprint with colours in many places."""

    def colour() -> Any:
        return rng.choice(COLOURS)

    screens = [
        {
            "name": "n #fff",
            "background_color": colour(),
            "parts": [{"color": colour(), "note": colour()}, colour()],
            "observation_status": rng.choice(["observed", "not_observed", "observed"]),
        }
        for _ in range(rng.randint(0, 2))
    ]
    tokens = {
        "palette": [colour() for _ in range(rng.randint(0, 3))],
        "theme_variants": [{"palette": [colour()], "colors": [colour()]}],
        rng.choice(["document_brand", "brand"]): rng.choice([{"colors": [colour()]}, [colour()]]),
    }
    return {"screens": screens, "design_tokens": tokens}


def digest(value: Any) -> str:
    """The digest of the ledger chain."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _read(text: bytes) -> Any:
    try:
        return json.loads(text.decode("utf-8"))
    except ValueError:
        return None


def validate_framework(rng: random.Random) -> Case:
    """`validate_framework.py`."""
    files = {"w.json": document_text(framework(rng), rng)}
    arguments = ["--framework", path_spelled("w.json", rng)]
    if rng.random() < 0.5:
        files["s.json"] = document_text(rng.choice(SCHEMAS), rng)
        arguments += ["--schema", path_spelled("s.json", rng)]
    if rng.random() < 0.3:
        arguments.append("--allow-approved")
    return Case("validate_framework", arguments, files)


def render_readback(rng: random.Random) -> Case:
    """`render_readback.py`."""
    files = {"w.json": document_text(framework(rng), rng)}
    arguments = ["--framework", path_spelled("w.json", rng), "--out", out_spelled("o.json", rng)]
    return Case("render_readback", arguments, files)


def reconcile_counts(rng: random.Random) -> Case:
    """`reconcile_counts.py`."""
    files = {
        "m.json": document_text(manifest(rng), rng),
        "f.json": document_text(ledger(rng, IDS), rng),
        "w.json": document_text(framework(rng), rng),
    }
    arguments = []
    for flag, name in (("--manifest", "m"), ("--findings", "f"), ("--framework", "w")):
        arguments += [flag, path_spelled(f"{name}.json", rng)]
    if rng.random() < 0.5:
        files["x.json"] = document_text(families(rng), rng)
        arguments += ["--families", path_spelled("x.json", rng)]
    return Case("reconcile_counts", arguments, files)


def build_checker_plan(rng: random.Random) -> Case:
    """`build_checker_plan.py`."""
    files = {
        "f.json": document_text(ledger(rng, IDS), rng),
        "w.json": document_text(framework(rng), rng),
    }
    arguments = ["--findings", path_spelled("f.json", rng), "--framework"]
    arguments += [path_spelled("w.json", rng), "--out", out_spelled("o.json", rng)]
    return Case("build_checker_plan", arguments, files)


RESULT = {"checker_plan_id": "", "finding_id": "", "objection": "", "verdict": "confirmed"}


def merge_checker_results(rng: random.Random) -> Case:
    """`merge_checker_results.py`: plan and results are made for the ledger as it is read."""
    text = document_text(ledger(rng, IDS), rng)
    root = _read(text)
    found = root.get("findings") if isinstance(root, dict) else None
    found = [e for e in found if isinstance(e, dict)] if isinstance(found, list) else []
    present = [entry.get("finding_id") for entry in found if entry.get("status") == "present"]
    jobs = [
        {"finding_id": name, "result_file": f"r{number}.json"}
        for number, name in enumerate(present)
    ]
    plan: Any = {
        "framework_version": root.get("framework_version") if isinstance(root, dict) else 1,
        "jobs": jobs,
        "source_findings_digest": digest(root),
    }
    if rng.random() < 0.4:
        plan = changed(plan, rng)
    plan = _read(spelled(plan, rng).encode("utf-8", "surrogatepass"))
    if isinstance(plan, dict):
        plan["plan_id"] = digest(plan)[:16]
    files = {"f.json": text, "p.json": spelled(plan, rng).encode("utf-8", "surrogatepass")}
    if rng.random() < 0.05:
        files["p.json"] = document_text(plan, rng)
    jobs = plan.get("jobs") if isinstance(plan, dict) else []
    laid: set[str] = set()
    for job in jobs if isinstance(jobs, list) else []:
        name = job.get("result_file") if isinstance(job, dict) else None
        if not isinstance(name, str) or set(name) & set("/\x00\n~") or _is_lone(name):
            continue
        if name in ("", ".", "..", "note.txt", *laid):
            continue
        laid.add(name)
        result: Any = dict(
            RESULT, checker_plan_id=plan["plan_id"], finding_id=job.get("finding_id")
        )
        if rng.random() < 0.3:
            result.update(verdict=rng.choice(["refuted", "unresolved"]), objection="because")
        kind = rng.random()
        if kind < 0.03:
            files[f"res/{name}/keep"] = b""
        elif kind > 0.06:
            is_plain = rng.random() < 0.75
            files[f"res/{name}"] = (
                spelled(result, rng).encode("utf-8", "surrogatepass")
                if is_plain
                else document_text(result, rng)
            )
    files["res/note.txt"] = b""
    if rng.random() < 0.05:
        stray = rng.choice(["stray.json", ".json", "sub.json/x"])
        if stray not in laid:
            files[f"res/{stray}"] = b"{}"
    arguments = ["--findings", path_spelled("f.json", rng), "--checker-plan"]
    arguments += [path_spelled("p.json", rng), "--results-dir", path_spelled("res", rng)]
    arguments += ["--out", out_spelled("o.json", rng)]
    return Case("merge_checker_results", arguments, files)


TEXTS = [b"They shall pay the fee.\n", b"1: They shall\n2: pay.\n", b"nothing"]


def verify_finding_quotes(rng: random.Random) -> Case:
    """`verify_finding_quotes.py`."""
    documents, files = [], {}
    for number, text in enumerate(TEXTS[: rng.randint(1, 3)]):
        name = "sha256:" + hashlib.sha256(text).hexdigest()[:12]
        path = rng.choice([f"d{number}.txt", f"deep/d{number}.md"])
        files[f"room/{path}"] = text
        documents.append({"id": name, "path": path, "readability": "native"})
    if rng.random() < 0.15:
        documents.insert(0, {**rng.choice(documents), "path": "gone.txt"})
    names = [entry["id"] for entry in documents]
    files["f.json"] = document_text(ledger(rng, names), rng)
    files["m.json"] = document_text({"documents": documents, "counts": {}}, rng)
    room = "room"
    if rng.random() < 0.1:
        room = rng.choice(
            ["room/", "./room", "no/../room", "no", "", "f.json", "link", "room//deep/.."]
        )
    arguments = ["--findings", path_spelled("f.json", rng), "--manifest"]
    arguments += [path_spelled("m.json", rng), "--room-root", room]
    if rng.random() < 0.5:
        arguments += ["--extractor", "stdlib"]
    arguments += ["--out", out_spelled("o.json", rng)]
    return Case("verify_finding_quotes", arguments, files, {"link": "room"})


def emit_verdict(rng: random.Random) -> Case:
    """`emit-verdict.py`."""
    files = {"a.json": document_text(assessment(rng), rng)}
    given = rng.choice(
        ["a" * 64] * 9 + [" " + "AB" * 32 + "\n", "a" * 63, "", "g" * 64, "\u0661" * 64]
    )
    arguments = ["--assessment", path_spelled("a.json", rng), f"--draft-hash={given}"]
    arguments += ["--out-dir", out_spelled("v", rng)]
    arguments += ["--evaluated-at", rng.choice(["t", "2026-01-01T00:00:00+09:00", "é", "\udcff"])]
    return Case("emit-verdict", arguments, files)


def recount_palette_orphans(rng: random.Random) -> Case:
    """`recount-palette-orphans.py`."""
    files = {"b.json": document_text(blueprint(rng), rng)}
    return Case("recount-palette-orphans", ["--blueprint", path_spelled("b.json", rng)], files)


BUILDERS = [
    build_checker_plan,
    emit_verdict,
    merge_checker_results,
    reconcile_counts,
    recount_palette_orphans,
    render_readback,
    validate_framework,
    verify_finding_quotes,
]


def case(rng: random.Random) -> Case:
    """A call of some script."""
    made = rng.choice(BUILDERS)(rng)
    made.links |= {"link.json": "kept.json", "dangling.json": "gone.json", "loop.json": "loop.json"}
    made.files |= {"kept.json": b"kept", "sub/x": b""}
    return made
