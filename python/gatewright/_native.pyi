from collections.abc import Sequence
from os import PathLike
from typing import Literal, Optional, TypedDict

__version__: str

class _OptionSpec(TypedDict):
    flag: str
    help: Optional[str]
    kind: Literal["required", "optional", "choice", "switch"]
    default: Optional[str]
    choices: Optional[list[str]]

class _DropinSpec(TypedDict):
    script: str
    description: str
    help_status: int
    options: list[_OptionSpec]

def run_script(
    name: str, arguments: Sequence[str], script: Optional[str | PathLike[str]] = None
) -> int: ...
def run_command(
    name: str, arguments: Sequence[str], script: Optional[str | PathLike[str]] = None
) -> int: ...
def run_cli(arguments: Sequence[str]) -> int: ...
def dropin_spec(name: str) -> _DropinSpec: ...
