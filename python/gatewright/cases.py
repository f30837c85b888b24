"""Case files: a command, its files and what it should do, written without Python.

In: ``*.gatecase.json`` (one case or a list) and ``*.gatecase.yaml`` (one case per document). Out:
:class:`Case` objects that run themselves and can record what they saw. Their shape::

    name: a quiet palette            # optional
    command: recount-palette-orphans.py --blueprint blueprint.json
    files:                           # optional; mappings and lists are written as JSON
      blueprint.json: {screens: [], design_tokens: {}}
    expect:
      status: 0
      stdout: |                      # or {contains: [text, ...]}
        {"observed_count": 0, "orphan_count": 0, "orphans": [], "palette_count": 0}
      stderr: ""
      files:                         # files afterwards; null means that it must not exist
        verdict.json: null

A stream or file that ``expect`` does not name is not compared. The folder of the run reads
``{folder}`` in compared and recorded texts.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from gatewright import _native
from gatewright.errors import GatewrightError
from gatewright.testing import Completed, difference, run_command

#: Endings of case files.
ENDINGS = (".gatecase.json", ".gatecase.yaml", ".gatecase.yml")

_KEYS = {"name", "command", "files", "expect"}
_EXPECTED_KEYS = {"status", "stdout", "stderr", "files"}
_SEPARATOR = re.compile(r"^---[ \t]*(?:#.*)?$\n?", re.MULTILINE)


@dataclass
class Case:
    """One case of a case file.

    Attributes:
        source: the case file.
        index: its number in the file, from 0.
        name: its name, or its number.
        command: words of the command.
        files: path to content, as written before the run.
        expect: what should come of it.
    """

    source: Path
    index: int
    name: str
    command: list[str]
    files: dict[str, Any]
    expect: dict[str, Any]

    def run(self, folder: Path) -> Completed:
        """Write the files into ``folder`` and run the command there."""
        for name, content in self.files.items():
            target = folder / self._inside(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(_text(content).encode("utf-8", "surrogatepass"))
        done = run_command(self.command, folder)
        shown = str(folder)
        return Completed(
            status=done.status,
            stdout=done.stdout.replace(shown, "{folder}"),
            stderr=done.stderr.replace(shown, "{folder}"),
        )

    def faults(self, done: Completed, folder: Path) -> list[str]:
        """What differs from the expectation: one text per difference, none when all is well."""
        found = []
        if "status" in self.expect and done.status != self.expect["status"]:
            found.append(f"status is {done.status}, expected {self.expect['status']}")
        for stream in ("stdout", "stderr"):
            if stream in self.expect:
                found += _stream_faults(stream, getattr(done, stream), self.expect[stream])
        for name, content in self.expect.get("files", {}).items():
            path = folder / self._inside(name)
            if content is None:
                if path.exists():
                    found.append(f"{name} exists, expected none")
            elif not path.is_file():
                found.append(f"{name} does not exist")
            else:
                text = path.read_bytes().decode("utf-8", "backslashreplace")
                text = text.replace(str(folder), "{folder}")
                if text != _text(content):
                    found.append(f"{name} differs\n{difference(_text(content), text)}")
        if not self.expect:
            found.append("nothing is expected; --gatewright-update records what happens")
        return found

    def chosen_faults(self, done: Completed) -> list[str]:
        """What differs from what a person chose (``contains``), which is never recorded."""
        return [
            fault
            for stream in ("stdout", "stderr")
            if isinstance(self.expect.get(stream), dict)
            for fault in _stream_faults(stream, getattr(done, stream), self.expect[stream])
        ]

    def recorded(self, done: Completed, folder: Path) -> dict[str, Any]:
        """The expectation that this run would meet, of the same parts as before."""
        parts = list(self.expect) or ["status", "stdout", "stderr"]
        seen: dict[str, Any] = {}
        for part in parts:
            if part == "files":
                seen["files"] = {name: self._content(folder, name) for name in self.expect["files"]}
            elif part == "status" or isinstance(self.expect.get(part, ""), str):
                seen[part] = getattr(done, part)
            else:
                # A person chose what must be contained: only a person can choose anew.
                seen[part] = self.expect[part]
        return seen

    def _content(self, folder: Path, name: str) -> str | None:
        path = folder / self._inside(name)
        if not path.is_file():
            return None
        text = path.read_bytes().decode("utf-8", "backslashreplace")
        return text.replace(str(folder), "{folder}")

    def _inside(self, name: str) -> PurePosixPath:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts or "\\" in name:
            raise GatewrightError("a file of a case leaves its folder", str(self.source), name)
        return path


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _stream_faults(stream: str, found: str, expected: object) -> list[str]:
    if isinstance(expected, dict):
        missing = [part for part in expected["contains"] if part not in found]
        return [f"{stream} does not contain {part!r}; it is\n{found}" for part in missing]
    if found != expected:
        return [f"{stream} differs\n{difference(str(expected), found)}"]
    return []


def load(path: Path) -> list[Case]:
    """The cases of a case file.

    Args:
        path: a file whose name has one of :data:`ENDINGS`.

    Raises:
        GatewrightError: when it cannot be read or has another shape, with the place.
    """
    try:
        data = path.read_bytes()
        if path.name.endswith(".json"):
            content = json.loads(data.decode("utf-8"))
            documents = content if isinstance(content, list) else [content]
        else:
            texts = _documents(data.decode("utf-8"))
            documents = [_native.yaml_value(text.encode("utf-8")) for text in texts]
    except (OSError, ValueError) as fault:
        raise GatewrightError(str(fault), str(path)) from fault
    return [_case(path, index, document) for index, document in enumerate(documents)]


def _documents(text: str) -> list[str]:
    """The YAML documents of a text, those without content left out."""
    return [part for part in _SEPARATOR.split(text) if _has_content(part)]


def _has_content(text: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines())


def _case(path: Path, index: int, document: object) -> Case:
    def fault(message: str, place: str) -> GatewrightError:
        return GatewrightError(message, str(path), f"case {index + 1} {place}".strip())

    if not isinstance(document, dict):
        raise fault("a case is a mapping", "")
    unknown = sorted(map(str, set(document) - _KEYS))
    if unknown:
        raise fault(f"unknown keys {', '.join(unknown)}; known are {', '.join(sorted(_KEYS))}", "")
    command = document.get("command")
    if isinstance(command, str):
        try:
            command = shlex.split(command)
        except ValueError as error:
            raise fault(str(error), "command") from error
    if not command or not isinstance(command, list) or not all(isinstance(w, str) for w in command):
        raise fault(
            "a command is a text or a list of words, quoted if they look like numbers", "command"
        )
    files = document.get("files") or {}
    expect = document.get("expect") or {}
    if not isinstance(files, dict) or not all(isinstance(name, str) for name in files):
        raise fault("files is a mapping from path to content", "files")
    if not isinstance(expect, dict) or set(expect) - _EXPECTED_KEYS:
        raise fault(
            f"expect is a mapping with the keys {', '.join(sorted(_EXPECTED_KEYS))}", "expect"
        )
    if type(expect.get("status", 0)) is not int:
        raise fault("a status is a whole number", "expect.status")
    for stream in ("stdout", "stderr"):
        wanted = expect.get(stream, "")
        contained = wanted.get("contains") if isinstance(wanted, dict) else None
        is_list = isinstance(contained, list) and all(isinstance(part, str) for part in contained)
        if not (isinstance(wanted, str) or (is_list and set(wanted) == {"contains"})):
            raise fault("a stream is a text or {contains: [text, ...]}", f"expect.{stream}")
    if not isinstance(expect.get("files", {}), dict):
        raise fault("files is a mapping from path to content", "expect.files")
    name = document.get("name")
    return Case(
        source=path,
        index=index,
        name=str(name) if name else str(index + 1),
        command=command,
        files=files,
        expect=expect,
    )


def record(path: Path, seen: dict[int, dict[str, Any]]) -> None:
    """Write expectations into a case file, everything else left as it is.

    Args:
        path: the case file.
        seen: number of the case, from 0, to its new ``expect``.
    """
    text = path.read_bytes().decode("utf-8")
    if path.name.endswith(".json"):
        content = json.loads(text)
        documents = content if isinstance(content, list) else [content]
        for index, expect in seen.items():
            documents[index]["expect"] = expect
        updated = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    else:
        pieces = re.split(f"({_SEPARATOR.pattern})", text, flags=re.MULTILINE)
        index = 0
        for at in range(0, len(pieces), 2):
            if _has_content(pieces[at]):
                if index in seen:
                    pieces[at] = _with_expect(pieces[at], seen[index])
                index += 1
        updated = "".join(pieces)
    if updated != text:
        _replace(path, updated.encode("utf-8"))


def _replace(path: Path, content: bytes) -> None:
    """Write ``content`` whole or not at all, through a file whose name nobody can know before."""
    handle, name = tempfile.mkstemp(prefix=".gatecase-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(path.stat().st_mode & 0o7777)
        # A linked case file stays a link.
        temporary.replace(path.resolve())
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _with_expect(document: str, expect: dict[str, Any]) -> str:
    """A YAML document whose ``expect`` is replaced, or added at its end."""
    block = "expect:\n" + _yaml(expect, 1)
    lines = document.splitlines(keepends=True)
    start = next((at for at, line in enumerate(lines) if re.match(r"expect\s*:", line)), None)
    if start is None:
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += "\n"
        return "".join(lines) + block
    end = start + 1
    # The block goes on until the next key at the margin; a comment there belongs to that key.
    while end < len(lines) and (not lines[end].strip() or lines[end][0] in " \t"):
        end += 1
    return "".join(lines[:start]) + block + "".join(lines[end:])


def _yaml(mapping: dict[str, Any], depth: int) -> str:
    pad = "  " * depth
    out = ""
    for key, value in mapping.items():
        name = key if re.fullmatch(r"[A-Za-z_][\w./-]*", key) else json.dumps(key)
        if isinstance(value, dict) and value:
            out += f"{pad}{name}:\n{_yaml(value, depth + 1)}"
        elif isinstance(value, str) and _is_block(value):
            chomp = "" if value.endswith("\n") else "-"
            body = "".join(
                ("  " * (depth + 1) + line if line.strip("\n") else line)
                for line in value.splitlines(keepends=True)
            )
            out += f"{pad}{name}: |2{chomp}\n{body}" + ("" if value.endswith("\n") else "\n")
        else:
            # JSON is YAML; ASCII keeps odd characters readable and safe.
            out += f"{pad}{name}: {json.dumps(value)}\n"
    return out


def _is_block(text: str) -> bool:
    """Whether a literal block can hold ``text`` exactly."""
    has_odd = any(not (char.isprintable() or char == "\n") for char in text)
    body = text[:-1] if text.endswith("\n") else text
    return (
        "\n" in text and not has_odd and bool(body) and not body.endswith("\n") and body[0] != "\n"
    )
