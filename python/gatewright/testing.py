"""Gates in tests: run any gate on given data, run entry scripts in a skill folder, compare outputs.

The pytest plugin offers these as fixtures; they work without pytest as well. Every failed check
raises ``AssertionError`` whose text shows what was found, where, and what would mend it.
"""

from __future__ import annotations

import difflib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Union

from gatewright import _native
from gatewright.errors import GatewrightError
from gatewright.outcome import Outcome

#: What a gate can be given: a path, text, bytes, or plain data that is written as JSON.
Data = Union[str, bytes, os.PathLike[str], Mapping[str, object], list[object]]

PACKAGE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Completed:
    """A finished command.

    Attributes:
        status: exit status.
        stdout: standard output, UTF-8 decoded.
        stderr: standard error, UTF-8 decoded.
    """

    status: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class GateRun:
    """What a gate said about given data.

    Attributes:
        status: 0 passed, 1 findings.
        outcomes: one per gate run, in order.
    """

    status: int
    outcomes: tuple[Outcome, ...]

    @property
    def passed(self) -> bool:
        """Whether every outcome passed."""
        return self.status == 0

    def __bool__(self) -> bool:
        """Whether every outcome passed."""
        return self.passed

    @property
    def codes(self) -> list[str]:
        """Rule codes of all findings, in order."""
        return [finding.code for outcome in self.outcomes for finding in outcome.findings]

    def __str__(self) -> str:
        """Findings with their places and remedies, then a line per gate."""
        lines = []
        for outcome in self.outcomes:
            for finding in outcome.findings:
                lines.append(str(finding))
                if finding.at.path:
                    lines.append(f"    at {finding.at.path}")
                if finding.remedy:
                    lines.append(f"    fix: {finding.remedy}")
            lines.append(f"{outcome.gate} {outcome.verdict}: {outcome.summary}")
        return "\n".join(lines)


class Gates:
    """Runs any gate of ``gatewright`` on given data, inside a folder of its own."""

    def __init__(self, folder: Path) -> None:
        """Keep the folder that data is written to."""
        self.folder = folder

    def run(self, gate: str, *inputs: Data, **options: Data | bool | int) -> GateRun:
        """Run a gate.

        Args:
            gate: the gate as typed on the command line, e.g. ``ledger reconcile``.
            inputs: inputs by position: a ``Path`` is used as it is; text and bytes are written to
                a file; mappings and lists are written as JSON.
            options: options without their dashes, ``_`` for ``-``: ``True`` is a switch, numbers
                are passed as they are, everything else as for ``inputs``, except that a ``str``
                is passed as it is.

        Returns:
            The outcomes.

        Raises:
            GatewrightError: when the gate could not run.

        Example:
            >>> run = gatewright.run("framework check", {"lenses": []})  # doctest: +SKIP
            >>> run.codes  # doctest: +SKIP
        """
        arguments = [*gate.split()]
        for name, value in options.items():
            flag = "--" + name.replace("_", "-")
            if value is True:
                arguments.append(flag)
            elif value is False:
                continue
            elif isinstance(value, (str, int)):
                arguments.append(f"{flag}={value}")
            else:
                arguments.append(f"{flag}={self._path(value, name)}")
        if inputs:
            arguments.append("--")
        for number, value in enumerate(inputs, 1):
            arguments.append(self._path(value, f"input-{number}"))
        before = Path.cwd()
        # Relative names, so that messages read the same in every temporary folder.
        os.chdir(self.folder)
        try:
            status, stdout, stderr = _native.cli_output(["--format=json", *arguments], alike=True)
        finally:
            os.chdir(before)
        if status == 2 or not stdout.startswith(b"{"):
            message = stderr.decode("utf-8").strip() or f"`{gate}` gave no outcome"
            raise GatewrightError(message.replace("gatewright: error: ", "", 1))
        report = json.loads(stdout)
        outcomes = tuple(Outcome.from_dict(entry) for entry in report["outcomes"])
        return GateRun(status=status, outcomes=outcomes)

    def _path(self, value: Data | int, stem: str) -> str:
        """Path of a file that holds ``value``, relative to the folder where it is written."""
        if isinstance(value, os.PathLike):
            return str(Path(os.fspath(value)).absolute())
        if isinstance(value, bytes):
            name, data = stem + ".txt", value
        elif isinstance(value, str):
            name, data = stem + ".txt", value.encode("utf-8", "surrogatepass")
        else:
            name, data = (
                stem + ".json",
                json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"),
            )
        (self.folder / name).write_bytes(data)
        return name


class SkillFolder:
    """A skill folder with gatewright's entry scripts and references.

    Attributes:
        path: the folder.
        scripts: its ``scripts`` folder with every entry script.
        references: its ``references`` folder with the framework schema.
    """

    def __init__(self, path: Path) -> None:
        """Write entry scripts and references into ``path``."""
        self.path = path
        self.scripts = path / "scripts"
        self.references = path / "references"
        status, _, stderr = _native.cli_output(["shims", str(self.scripts)])
        if status != 0:
            raise GatewrightError(stderr.decode("utf-8").strip())
        self.references.mkdir(exist_ok=True)
        for source in sorted((PACKAGE / "references").glob("*.json")):
            shutil.copyfile(source, self.references / source.name)

    def run(self, script: str, *arguments: str | os.PathLike[str]) -> Completed:
        """Run an entry script with this interpreter, the skill folder being the current one.

        Args:
            script: its file name, e.g. ``emit-verdict.py``.
            arguments: its arguments.
        """
        return run_command(
            [script, *(os.fspath(word) for word in arguments)], self.path, self.scripts
        )


def run_command(words: list[str], folder: Path, scripts: Path | None = None) -> Completed:
    """Run a command in ``folder``.

    Args:
        words: an entry script's file name (``*.py`` or ``*.sh``) or ``gatewright``, and arguments.
        folder: the current folder of the command.
        scripts: folder of the entry scripts; the package's own when absent.

    Raises:
        GatewrightError: when the first word is neither.
    """
    name, *arguments = words
    if name == "gatewright":
        program = [sys.executable, "-m", "gatewright"]
    else:
        script = (scripts or PACKAGE / "shims") / name
        if Path(name).name != name or not script.is_file():
            raise GatewrightError("no such entry script, and not gatewright", source=name)
        program = ["bash" if name.endswith(".sh") else sys.executable, str(script)]
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONUTF8": "1"}
    if name.endswith(".sh"):
        # The script asks for the interpreter by name: this one should answer.
        folder_of_python = str(Path(sys.executable).parent)
        environment["PATH"] = folder_of_python + os.pathsep + environment.get("PATH", "")
    done = subprocess.run(
        [*program, *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return Completed(
        status=done.returncode,
        stdout=done.stdout.decode("utf-8", "backslashreplace"),
        stderr=done.stderr.decode("utf-8", "backslashreplace"),
    )


def assert_passed(run: GateRun | Outcome) -> None:
    """Fail with every finding, its place and its remedy unless ``run`` passed."""
    __tracebackhide__ = True
    if not run.passed:
        raise AssertionError("the gate did not pass\n" + _shown(run))


def assert_findings(run: GateRun | Outcome, codes: Iterable[str]) -> None:
    """Fail unless the rule codes of the findings are exactly ``codes``, in order.

    Args:
        run: what a gate said.
        codes: the expected rule codes.
    """
    __tracebackhide__ = True
    found = run.codes if isinstance(run, GateRun) else [item.code for item in run.findings]
    expected = list(codes)
    if found != expected:
        difference = "\n".join(
            line for line in difflib.ndiff(expected, found) if not line.startswith("?")
        )
        raise AssertionError(
            f"other findings than expected (- expected, + found)\n{difference}\n\n{_shown(run)}"
        )


def assert_same_text(found: str, expected: str, what: str = "output") -> None:
    """Fail with a line by line difference unless two texts are equal."""
    __tracebackhide__ = True
    if found != expected:
        raise AssertionError(f"{what} differs\n{difference(expected, found)}")


def difference(expected: str, found: str) -> str:
    """Unified difference of two texts; a missing last line end is told."""

    def lines(text: str) -> list[str]:
        parts = text.splitlines(keepends=True)
        return [part[:-1] if part.endswith("\n") else part + "  (no line end)" for part in parts]

    return "\n".join(
        difflib.unified_diff(lines(expected), lines(found), "expected", "found", lineterm="")
    )


def _shown(run: GateRun | Outcome) -> str:
    return str(run) if isinstance(run, GateRun) else str(GateRun(int(not run.passed), (run,)))
