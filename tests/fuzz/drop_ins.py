"""Compare the two ways that a drop-in script has on generated inputs, and both with the models.

    python tests/fuzz/drop_ins.py [COUNT] [SEED]

A script is a native gate, and a Python module whose functions do the recorded steps once a name on
it was replaced. Calls of `main()` (documents with one odd field, odd paths, odd outputs) and calls of
single functions (any Python value, shuffled members, truthy flags) go both ways: streams, status,
files, returned values and kinds of exception must be the same. Where Python meets an exception that
nobody catches, the native gate must refuse: a status that is not 0, nothing on standard output, one
line, no file. What both ways ask the same native code is compared with plain Python written from the
contract (`tests/python/*_model.py`, `semantic_errors` and `source_path` below).

Prints every difference with what reruns it, up to ten; status 1 when there is one.
"""

from __future__ import annotations

import contextlib
import copy
import importlib.util
import inspect
import io
import json
import math
import os
import random
import shutil
import sys
import tempfile
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

# The models are written for the tests beside this folder.
sys.path[:0] = [str(Path(__file__).parents[1] / "python")]

import counts_model  # noqa: E402
import drop_in_documents as documents  # noqa: E402
import gatewright  # noqa: E402
import palette_model  # noqa: E402
import verdict_model  # noqa: E402

PACKAGE = Path(gatewright.__file__).parent
#: A name that every call of `main()` uses; replaced by itself, it turns the native way off.
TURNED = {
    "build_checker_plan": "load",
    "emit-verdict": "decide",
    "merge_checker_results": "load",
    "reconcile_counts": "load",
    "recount-palette-orphans": "recount",
    "render_readback": "hit_rule_line",
    "validate_framework": "load_json",
    "verify_finding_quotes": "load",
}
#: Status of the interpreter for an exception that nobody caught.
CRASH = object()


class Skill:
    """A skill folder with the entry scripts, each loaded twice: as written, and turned to Python."""

    def __init__(self, folder: Path) -> None:
        self.scripts = folder / "scripts"
        shutil.copytree(PACKAGE / "shims", self.scripts, ignore=shutil.ignore_patterns("__*"))
        (folder / "references").mkdir()
        schema = "references/framework.schema.json"
        shutil.copy(PACKAGE / schema, folder / schema)
        sys.path.insert(0, str(self.scripts))
        self.native = {name: self._load(name) for name in TURNED}
        self.python = {name: self._load(name) for name in TURNED}
        for name, turned in TURNED.items():
            module = self.python[name]
            real = getattr(module, turned)
            setattr(module, turned, lambda *a, _real=real, **k: _real(*a, **k))

    def _load(self, name: str) -> Any:
        spec = importlib.util.spec_from_file_location(
            name.replace("-", "_"), self.scripts / f"{name}.py"
        )
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


class Seen:
    """What a call did."""

    def __init__(self, call: Callable[[], Any]) -> None:
        streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=e) for e in ERRORS]
        self.raised = ""
        with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
            try:
                self.status = call() or 0
            except SystemExit as stop:
                self.status = 1 if isinstance(stop.code, str) else stop.code or 0
                if isinstance(stop.code, str):
                    print(stop.code, file=sys.stderr)
            except Exception as fault:
                self.status, self.raised = CRASH, f"{type(fault).__name__}: {fault}"
            for stream in streams:
                stream.flush()
        self.stdout, self.stderr = (stream.buffer.getvalue() for stream in streams)

    def all(self) -> tuple[Any, ...]:
        """Everything that a caller notices."""
        return self.status, self.stdout, self.stderr

    def show(self) -> str:
        """The same for a reader."""
        status = f"raises {self.raised}" if self.status is CRASH else f"status {self.status}"
        return f"{status}\n  stdout {self.stdout!r}\n  stderr {self.stderr!r}"


ERRORS = ("surrogateescape", "backslashreplace")


def lay(case: documents.Case) -> dict[str, bytes]:
    """Write the files of a case into the working folder; return what is there."""
    for path, text in case.files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(text)
    for path, target in case.links.items():
        Path(path).symlink_to(target)
    return tree()


def tree() -> dict[str, bytes]:
    """Every file and folder below the working folder."""
    out = {}
    for path in Path().rglob("*"):
        if path.is_symlink():
            out[str(path)] = b"link " + os.fsencode(path.readlink())
        else:
            out[str(path)] = b"folder" if path.is_dir() else path.read_bytes()
    return out


def in_folder(case: documents.Case, call: Callable[[], Any]) -> tuple[Seen, dict[str, bytes]]:
    """Lay the files of a case, make the call, return what it did and what it left."""
    Path("case").mkdir()
    os.chdir("case")
    try:
        before = lay(case)
        seen = Seen(call)
        after = tree()
    finally:
        os.chdir("..")
        shutil.rmtree("case")
    changed = {path: text for path, text in after.items() if before.get(path) != text}
    changed |= {path: b"gone" for path in before if path not in after}
    return seen, changed


def replaceable(module: Any) -> list[str]:
    """Functions of a script that something else may stand for, as tests do it."""
    return [
        name
        for name in module.__all__
        if name != "main" and inspect.isfunction(getattr(module, name))
    ]


def command_difference(skill: Skill, case: documents.Case, rng: random.Random) -> str | None:
    """Where the two ways differ on one call of `main()`."""

    def call(module: Any) -> Callable[[], Any]:
        def main() -> Any:
            sys.argv = [str(skill.scripts / f"{case.script}.py"), *case.arguments]
            return module.main()

        return main

    native, native_files = in_folder(case, call(skill.native[case.script]))
    module = skill.native[case.script]
    turned = rng.choice([None, *replaceable(module)])
    if turned is None:
        python, python_files = in_folder(case, call(skill.python[case.script]))
    else:
        # Any name replaced by what does the same; as written again afterwards.
        real = getattr(module, turned)
        setattr(module, turned, lambda *a, **k: real(*a, **k))
        python, python_files = in_folder(case, call(module))
        setattr(module, turned, real)
    if python.status is CRASH or is_refusal_of_python(python):
        is_refused = (
            native.status not in (0, CRASH)
            and not native.stdout
            and native.stderr.count(b"\n") == 1
            and all(text == b"folder" for text in native_files.values())
        )
        if is_refused:
            return None
    elif native.all() == python.all() and native_files == python_files:
        return None
    return (
        f"{case.script} {case.arguments} ({turned} replaced)\n native: {native.show()}\n  files {native_files}\n"
        f" python: {python.show()}\n  files {python_files}\n input: {case.files}"
    )


def is_refusal_of_python(seen: Seen) -> bool:
    """Whether a text could not be printed: the recorded scripts crashed there."""
    return seen.raised.startswith("UnicodeEncodeError")


# Functions, on Python values of any kind.


class Text(str):
    """A text of a subclass."""


class Number(int):
    """A number of a subclass."""


class Same(dict):
    """An object of a subclass."""


PYTHON_ONLY: list[Any] = [
    (),
    (1, "a"),
    ("present",),
    {1, 2},
    frozenset({"a"}),
    b"bytes",
    b"",
    Text("present"),
    Text(""),
    Number(0),
    Number(1),
    Decimal("1.0"),
    Decimal("0"),
    Fraction(1, 2),
    OrderedDict(a=1),
    defaultdict(list, a=1),
    Same(status="pass"),
    Same(),
    {1: 2},
    {None: "a", True: "b"},
    {("a",): 1},
    complex(1, 2),
    range(2),
    math.nan,
    math.inf,
    10**400,
    object,
]


def value_of(document: Any) -> Any:
    """A generated document as Python values, what `json` would give for its odd spellings."""
    rng = random.Random(0)
    return json.loads(documents.spelled(document, rng))


def argument(document: Any, rng: random.Random, is_json: bool = False) -> Any:
    """A document as an argument: most of the time with one odd place, now and then no JSON."""
    document = copy.deepcopy(document)
    for _ in range(rng.choice([0, 1, 1, 1, 2])):
        if isinstance(document, (dict, list)) and document:
            document = value_of(documents.changed(document, rng))
    if is_json:
        return document
    if rng.random() < 0.3 and isinstance(document, (dict, list)) and document:
        path = rng.choice(documents.places(document)[1:] or [()])
        if path:
            holder = document
            for step in path[:-1]:
                holder = holder[step]
            holder[path[-1]] = rng.choice(PYTHON_ONLY)
    if rng.random() < 0.02:
        return rng.choice(PYTHON_ONLY)
    return document


FLAGS = [True, False, None, 0, 1, "", "no", [], [0], 0.0, math.nan, (), object()]


def shown(value: Any) -> Any:
    """A value so that equal is the same in type, order and spelling."""
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, value))
    return repr(value)


def answer(call: Callable[[], Any]) -> str:
    """What a call returns or raises."""
    try:
        return f"returns {shown(call())}"
    except SystemExit as stop:
        return f"SystemExit {stop.code!r}"
    except Exception:
        # Which exception comes first is not recorded where several would.
        return "raises"


def semantic_errors(fw: Any, allow_approved: Any) -> list[str]:
    """What the page on validate_framework.py says of a framework beyond its schema."""
    errors: list[str] = []
    if not isinstance(fw, dict):
        return errors
    version = fw.get("framework_version")
    if isinstance(version, int) and not isinstance(version, bool) and version < 1:
        errors.append(f"$.framework_version: must be >= 1, got {version}")
    if fw.get("approved") is True and not allow_approved:
        errors.append(
            "$.approved: must be false before Gate 2 approval "
            "(pass --allow-approved to accept an approved framework)"
        )
    lenses = fw.get("lenses")
    lenses = lenses if isinstance(lenses, list) else []
    ids: dict[str, int] = {}
    issues: dict[str, str] = {}
    owners = []
    for i, lens in enumerate(lenses):
        if not isinstance(lens, dict):
            continue
        name = lens.get("lens_id")
        if isinstance(name, str):
            if name in ids:
                place = f"first used at $.lenses[{ids[name]}]"
                errors.append(f"$.lenses[{i}].lens_id: duplicate lens_id {name!r} ({place})")
            else:
                ids[name] = i
        items = lens.get("items")
        for k, item in enumerate(items if isinstance(items, list) else []):
            if not isinstance(item, dict):
                continue
            at, issue = f"$.lenses[{i}].items[{k}]", item.get("issue_id")
            owners.append((at, item.get("overlap_owner")))
            if isinstance(issue, str) and issue in issues:
                errors.append(
                    f"{at}.issue_id: duplicate issue_id {issue!r} (first used at {issues[issue]}); "
                    "issue_id must be unique across all lenses"
                )
            elif isinstance(issue, str):
                issues[issue] = at
    for at, owner in owners:
        if isinstance(owner, str) and owner not in ids:
            errors.append(
                f"{at}.overlap_owner: {owner!r} is not a lens_id defined in this framework"
            )
    return errors


def source_path(root: Any, relative: Any) -> Path:
    """What the page on the ledger says of a manifest path."""
    path = Path(relative)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"unsafe manifest path: {relative}")
    whole = Path(root).resolve()
    target = (Path(root) / path).resolve()
    if target != whole and whole not in target.parents:
        raise ValueError(f"manifest path escapes room root: {relative}")
    return Path(root) / path


def functions(skill: Skill, rng: random.Random) -> tuple[str, list[Callable[[], Any]]]:
    """One call of a function as several calls that must agree, and what it was called with."""
    kind = rng.choice(FUNCTIONS)
    return kind(skill, rng)


def _both(skill: Skill, script: str, function: str, *arguments: Any) -> list[Callable[[], Any]]:
    return [
        lambda module=module: getattr(module, function)(*arguments)
        for module in (skill.native[script], skill.python[script])
    ]


def check_schema(skill: Skill, rng: random.Random) -> tuple[str, list[Callable[[], Any]]]:
    """`check_schema` with the list and the set that it fills."""
    value, schema = argument(documents.framework(rng), rng), argument(rng.choice(_SCHEMAS), rng)

    def call(module: Any) -> Any:
        errors: list[str] = ["before"]
        unknown: set[str] = {"before"}
        result = module.check_schema(value, schema, "$", errors, unknown)
        return result is errors, result is None, errors, sorted(unknown)

    modules = skill.native["validate_framework"], skill.python["validate_framework"]
    return f"check_schema({value!r}, {schema!r})", [lambda m=m: call(m) for m in modules]


def validate(skill: Skill, rng: random.Random) -> tuple[str, list[Callable[[], Any]]]:
    """`validate`, its flag by truth."""
    value, schema = argument(documents.framework(rng), rng), argument(rng.choice(_SCHEMAS), rng)
    flag = rng.choice(FLAGS)

    def call(module: Any) -> Any:
        errors, unknown = module.validate(value, schema, flag)
        return errors, sorted(unknown)

    modules = skill.native["validate_framework"], skill.python["validate_framework"]
    return f"validate({value!r}, {schema!r}, {flag!r})", [lambda m=m: call(m) for m in modules]


def semantics(skill: Skill, rng: random.Random) -> tuple[str, list[Callable[[], Any]]]:
    """`semantic_errors` beside the model."""
    value, flag = argument(documents.framework(rng), rng), rng.choice(FLAGS)
    module = skill.native["validate_framework"]
    return f"semantic_errors({value!r}, {flag!r})", [
        lambda: module.semantic_errors(fw=value, allow_approved=flag),
        lambda: semantic_errors(value, flag),
    ]


def small(skill: Skill, rng: random.Random) -> tuple[str, list[Callable[[], Any]]]:
    """`type_name` and `json_equal` beside the model."""
    a, b = (argument(value_of(rng.choice(documents.ODD)), rng) for _ in range(2))
    module = skill.native["validate_framework"]

    def equal() -> bool:
        if isinstance(a, bool) or isinstance(b, bool):
            return isinstance(a, bool) and isinstance(b, bool) and a == b
        return a == b

    return f"json_equal({a!r}, {b!r})", [lambda: module.json_equal(a, b), equal]


def reconcile(skill: Skill, rng: random.Random) -> tuple[str, list[Callable[[], Any]]]:
    """`reconcile` both ways and beside the model."""
    given = [
        argument(documents.manifest(rng), rng),
        argument(documents.ledger(rng, documents.IDS), rng),
        argument(documents.framework(rng), rng),
    ]
    if rng.random() < 0.6:
        given.append(argument(documents.families(rng), rng) if rng.random() < 0.8 else None)
    calls = _both(skill, "reconcile_counts", "reconcile", *given)
    return f"reconcile{tuple(given)!r}", calls


def reconcile_model(skill: Skill, rng: random.Random) -> tuple[str, list[Callable[[], Any]]]:
    """`reconcile` and `unit_map` beside the model, on documents alone."""
    given = [
        value_of(documents.changed(documents.manifest(rng), rng)),
        value_of(documents.changed(documents.ledger(rng, documents.IDS), rng)),
        documents.framework(rng),
        documents.families(rng),
    ]
    module = skill.native["reconcile_counts"]
    if rng.random() < 0.3:
        pair = given[0], given[3]
        return f"unit_map{pair!r}", [
            lambda: module.unit_map(*pair),
            lambda: counts_model.unit_map(*pair),
        ]
    return f"reconcile{tuple(given)!r}", [
        lambda: module.reconcile(*given),
        lambda: counts_model.reconcile(*given),
    ]


def decide(skill: Skill, rng: random.Random) -> tuple[str, list[Callable[[], Any]]]:
    """`decide` beside the model."""
    value = argument(documents.assessment(rng), rng)
    module = skill.native["emit-verdict"]

    def recorded() -> Any:
        try:
            return verdict_model.decide(value)
        except (KeyError, verdict_model.Fault) as fault:
            return f"{'KeyError' if isinstance(fault, KeyError) else 'UsageError'} {fault}"

    def ours() -> Any:
        try:
            return module.decide(value)
        except (KeyError, module.UsageError) as fault:
            return f"{type(fault).__name__} {fault}"

    return f"decide({value!r})", [ours, recorded]


def receipt(skill: Skill, rng: random.Random) -> tuple[str, list[Callable[[], Any]]]:
    """`build_receipt` beside the page."""
    value, at = argument(documents.assessment(rng), rng), rng.choice(["t", None, 1, ""])
    module = skill.native["emit-verdict"]

    def recorded() -> Any:
        try:
            verdict, _ = verdict_model.decide(value)
        except verdict_model.Fault as fault:
            return f"UsageError {fault}"
        parts = {name: value[name] for name in verdict_model.PARTS}
        head = {"schema_version": "1.0.0", "verdict": verdict, "draft_hash": "h"}
        tail = {"evaluated_at": at, "evaluator": "assign-blueprint-fidelity-evaluator"}
        return json_sorted({**head, **tail, **parts})

    def ours() -> Any:
        try:
            return json_sorted(module.build_receipt(value, "h", at))
        except module.UsageError as fault:
            return f"UsageError {fault}"

    return f"build_receipt({value!r}, {at!r})", [ours, recorded]


def json_sorted(value: dict[str, Any]) -> list[tuple[str, Any]]:
    """The members of a value, sorted."""
    return sorted(value.items())


def recount(skill: Skill, rng: random.Random) -> tuple[str, list[Callable[[], Any]]]:
    """`recount`, `collect_observed` and `collect_palette`, both ways and beside the model."""
    # A count of colours has no Python steps of its own: it takes what JSON has.
    value = argument(documents.blueprint(rng), rng, is_json=True)
    native, python = (way["recount-palette-orphans"] for way in (skill.native, skill.python))
    kind = rng.random()
    if kind < 0.5 or not isinstance(value, dict):

        def model() -> Any:
            return palette_model.recount(value if isinstance(value, dict) else {})

        return f"recount({value!r})", [
            lambda: native.recount(value),
            lambda: model(),
        ]
    if kind < 0.75:
        screens = value.get("screens")
        return f"collect_observed({screens!r})", [
            lambda: native.collect_observed(screens),
            lambda: python.collect_observed(screens),
            lambda: palette_model.collect_observed(screens),
        ]
    tokens = value.get("design_tokens")
    return f"collect_palette({tokens!r})", [
        lambda: native.collect_palette(tokens),
        lambda: palette_model.collect_palette(tokens),
    ]


def room_path(skill: Skill, rng: random.Random) -> tuple[str, list[Callable[[], Any]]]:
    """`source_path` beside the model, in a folder with links."""
    parts = ["a", "a.txt", ".", "..", "", "out", "in", "loop", "é", "\udcff", "n" * 300, "\x00"]
    relative: Any = "/".join(rng.choice(parts) for _ in range(rng.randint(1, 4)))
    root = rng.choice([".", "room", "./room/", "gone", Path("room"), "in-room"])
    module = skill.native["verify_finding_quotes"]
    return f"source_path({root!r}, {relative!r})", [
        lambda: Path(module.source_path(root, relative)).resolve(),
        lambda: source_path(root, relative).resolve(),
    ]


_SCHEMAS = [
    *documents.SCHEMAS,
    json.loads((PACKAGE / "references/framework.schema.json").read_text(encoding="utf-8")),
]
FUNCTIONS = [
    check_schema,
    validate,
    semantics,
    small,
    reconcile,
    reconcile_model,
    decide,
    receipt,
    recount,
    room_path,
]


def function_difference(skill: Skill, rng: random.Random) -> str | None:
    """Where the answers to one call of a function differ."""
    about, calls = functions(skill, rng)
    answers = [answer(call) for call in calls]
    if all(other == answers[0] for other in answers):
        return None
    return about + "".join(f"\n  {text}" for text in answers)


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    print(f"{count} calls, seed {seed}", flush=True)
    differing = 0
    with tempfile.TemporaryDirectory() as folder:
        skill = Skill(Path(folder) / "skill")
        os.chdir(folder)
        Path("room").mkdir()
        for name, target in (("in", "."), ("out", ".."), ("loop", "loop")):
            Path("room", name).symlink_to(target)
        Path("in-room").symlink_to("room")
        for number in range(count):
            rng = random.Random(f"{seed} {number}")
            if number % 2:
                found = function_difference(skill, rng)
            else:
                found = command_difference(skill, documents.case(rng), rng)
            if found:
                differing += 1
                print(f"--- call {number} of seed {seed}\n{found}\n")
                if differing == 10:
                    break
        os.chdir("/")
    print(f"{differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
