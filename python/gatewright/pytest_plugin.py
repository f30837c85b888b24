"""The pytest plugin: fixtures ``gatewright`` and ``skill_scripts``, and case files as tests.

Loaded by pytest through the entry point ``pytest11``. Everything else of the package is imported
only when a fixture or a case file is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gatewright.cases import Case
    from gatewright.testing import Gates, SkillFolder

_ENDINGS = (".gatecase.json", ".gatecase.yaml", ".gatecase.yml")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--gatewright-update``."""
    parser.getgroup("gatewright").addoption(
        "--gatewright-update",
        action="store_true",
        default=False,
        help="record what the commands of *.gatecase files do as what is expected of them",
    )


@pytest.fixture
def gatewright(tmp_path_factory: pytest.TempPathFactory) -> Gates:
    """Runs any gate on given data: ``gatewright.run("framework check", {...})``."""
    from gatewright.testing import Gates

    return Gates(tmp_path_factory.mktemp("gatewright"))


@pytest.fixture
def skill_scripts(tmp_path_factory: pytest.TempPathFactory) -> SkillFolder:
    """A temporary skill folder with gatewright's entry scripts and references."""
    from gatewright.testing import SkillFolder

    return SkillFolder(tmp_path_factory.mktemp("skill"))


def pytest_collect_file(parent: pytest.Collector, file_path: Path) -> CaseFile | None:
    """Collect case files."""
    if file_path.name.endswith(_ENDINGS):
        file: CaseFile = CaseFile.from_parent(parent, path=file_path)
        return file
    return None


class CaseFile(pytest.File):
    """A case file: an item per case."""

    #: What the cases saw, when expectations are recorded.
    seen: dict[int, dict[str, Any]]

    def collect(self) -> Iterator[CaseItem]:
        """The cases."""
        from gatewright.cases import load
        from gatewright.errors import GatewrightError

        self.seen = {}
        try:
            cases = load(self.path)
        except GatewrightError as fault:
            raise self.CollectError(str(fault)) from fault
        for case in cases:
            yield CaseItem.from_parent(self, name=case.name, case=case)

    def teardown(self) -> None:
        """Write what was recorded."""
        if self.seen:
            from gatewright.cases import record

            record(self.path, self.seen)


class CaseFailure(Exception):
    """A case whose command did something else than expected."""


class CaseItem(pytest.Item):
    """One case."""

    def __init__(self, *, case: Case, **options: Any) -> None:  # noqa: ANN401 - pytest's own
        """Keep the case."""
        super().__init__(**options)
        self.case = case

    def runtest(self) -> None:
        """Run the command and compare, or record."""
        from tempfile import TemporaryDirectory

        with TemporaryDirectory(prefix="gatecase-") as name:
            folder = Path(name).resolve()
            done = self.case.run(folder)
            if self.config.getoption("--gatewright-update"):
                parent = self.parent
                if isinstance(parent, CaseFile):
                    parent.seen[self.case.index] = self.case.recorded(done, folder)
                # What a person chose is not recorded anew, so it can still fail.
                faults = self.case.chosen_faults(done)
                if faults:
                    raise CaseFailure("\n\n".join(faults))
                return
            faults = self.case.faults(done, folder)
            if faults and done.stderr and "stderr" not in self.case.expect:
                faults.append(f"stderr was\n{done.stderr}")
        if faults:
            raise CaseFailure("\n\n".join(faults))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:  # noqa: ANN401 - pytest's own
        """The differences alone: the traceback is ours, not the author's."""
        from gatewright.errors import GatewrightError

        if isinstance(excinfo.value, (CaseFailure, GatewrightError)):
            words = " ".join(self.case.command)
            return f"$ {words}\n\n{excinfo.value}\n\n(--gatewright-update records what happens)"
        return str(super().repr_failure(excinfo, style))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """File and name for pytest's headings."""
        return self.path, None, f"{self.path.name}: {self.case.name}"
