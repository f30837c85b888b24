"""The rooms of the tree: which may use which, and that docs/architecture.md names them all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"

# Each room may use those of the rows above it, and its neighbours in its own row.
LAYERS = [
    {"position", "rule", "interpreter", "workers", "digest"},
    {"text", "value", "finding", "error", "files", "invariant", "world"},
    {"attestation", "evidence", "extract", "receipts", "detail", "outcome", "source"},
    {"gates"},
    {"policy", "report", "batch"},
    {"dropin"},
    {"cli"},
]
# A drop-in has its own words and needs no report; a gate reads, prints and renders nothing.
NEVER = {"dropin": {"report", "policy", "batch"}, "gates": {"files", "interpreter"}}


def rooms() -> set[str]:
    found = {path.stem for path in SOURCE.glob("*.rs")} | {
        path.name for path in SOURCE.iterdir() if path.is_dir()
    }
    return found - {"lib", "bin"}


def used(room: str) -> dict[str, str]:
    """Rooms that ``room`` names outside comments and tests, each with a file that does."""
    single = SOURCE / f"{room}.rs"
    files = [single] if single.is_file() else sorted((SOURCE / room).rglob("*.rs"))
    found: dict[str, str] = {}
    for path in files:
        if path.stem in ("tests", "cases", "samples"):
            continue
        text = path.read_text(encoding="utf-8").split("#[cfg(test)]\nmod tests {")[0]
        code = re.sub(r"//.*", "", text)
        for name in re.findall(r"\bcrate::(?:\{\s*)?(\w+)", code):
            if name in rooms() - {room}:
                found.setdefault(name, str(path.relative_to(ROOT)))
    return found


def test_every_room_has_its_row():
    assert rooms() == set().union(*LAYERS)


@pytest.mark.parametrize("room", sorted(set().union(*LAYERS)))
def test_nothing_points_back(room):
    row = next(number for number, layer in enumerate(LAYERS) if room in layer)
    allowed = set().union(*LAYERS[: row + 1]) - NEVER.get(room, set())
    back = {name: path for name, path in used(room).items() if name not in allowed}
    assert back == {}


def test_the_architecture_page_names_every_room():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", page))
    assert rooms() - named == set()


def test_every_room_says_what_belongs_in_it():
    for path in sorted(SOURCE.rglob("mod.rs")):
        first = path.read_text(encoding="utf-8").splitlines()[:3]
        assert first[0].startswith("//! "), path


def test_the_interpreter_is_released_in_one_place():
    """There a panic becomes an error and a signal is heard; anywhere else neither would be."""
    bindings = ROOT / "bindings" / "src"
    released = {
        path.name
        for path in bindings.glob("*.rs")
        if re.search(r"\.detach\(|\ballow_threads\b", path.read_text(encoding="utf-8"))
    }
    assert released == {"call.rs"}
    hooked = {path.name for path in bindings.glob("*.rs") if "set_hook" in path.read_text("utf-8")}
    assert hooked == {"call.rs"}


def test_no_gate_touches_files_or_streams():
    for path in sorted((SOURCE / "gates").rglob("*.rs")):
        text = path.read_text(encoding="utf-8").split("#[cfg(test)]")[0]
        assert not re.search(r"\bstd::(fs|env|process|net)\b|println!|pyo3", text), path
