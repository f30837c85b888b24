"""Every gate that a repository declares, as one call: ``run``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gatewright import _native
from gatewright._stack import deep
from gatewright.errors import GatewrightError
from gatewright.outcome import Outcome, logged

__all__ = ["Run", "run"]

_PREFIX = "gatewright: error: "


@dataclass(frozen=True)
class Run:
    """What every gate of a configuration decided.

    Attributes:
        outcomes: one per gate run, in the order of the configuration; a gate that could not run
            is an outcome with verdict ``undecided``.
        status: 0 every gate passed, 1 findings, 2 some gate could not run.
    """

    outcomes: tuple[Outcome, ...]
    status: int

    @property
    def passed(self) -> bool:
        """Whether every gate passed."""
        return self.status == 0

    def __bool__(self) -> bool:
        """Whether every gate passed."""
        return self.passed

    def __iter__(self) -> Iterator[Outcome]:
        """The outcomes in order."""
        return iter(self.outcomes)

    def __len__(self) -> int:
        """Number of outcomes."""
        return len(self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        """Status and outcomes as plain data."""
        return {
            "status": self.status,
            "outcomes": [outcome.to_dict() for outcome in self.outcomes],
        }

    def _repr_html_(self) -> str:
        """The outcomes in a notebook, one below the other."""
        return "".join(outcome._repr_html_() for outcome in self.outcomes)


@deep
def run(
    config: str | os.PathLike[str] | None = None,
    *,
    jobs: int | None = None,
    cache: bool = True,
) -> Run:
    """Run every gate that a configuration declares, as ``gatewright run`` does.

    Args:
        config: ``gatewright.toml``, or a ``pyproject.toml`` with ``[tool.gatewright]``; without it
            the one in the current folder or the nearest folder above.
        jobs: gates at once; all cores by default.
        cache: whether gates whose inputs have not changed may answer from the cache.

    Returns:
        The outcomes; a ``Run`` is true when every gate passed.

    Raises:
        GatewrightError: there is no configuration, or it is faulty; then nothing was run.

    Source: documentation, Run all gates.
    """
    words = ["--format=json", "run"]
    if jobs is not None:
        words.append(f"--jobs={jobs}")
    if not cache:
        words.append("--no-cache")
    if config is not None:
        words += ["--", os.fspath(config)]
    status, stdout, stderr = _native.cli_output(words)
    if not stdout.startswith(b"{"):
        lines = stderr.decode("utf-8", "replace").strip().splitlines()
        message = lines[0] if lines else "the run gave no report"
        raise GatewrightError(message.replace(_PREFIX, "", 1))
    report = json.loads(stdout)
    outcomes = tuple(logged(Outcome.from_dict(entry)) for entry in report["outcomes"])
    return Run(outcomes=outcomes, status=status)
