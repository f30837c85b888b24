from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal, Optional, TypedDict

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
class _FrameworkNames(TypedDict):
    type_names: list[str]
    handled: list[str]
    metadata: list[str]

def framework_names() -> _FrameworkNames: ...
def framework_type_name(value: object) -> str: ...
def framework_json_equal(left: object, right: object) -> bool: ...
def framework_check_schema(
    value: object, schema: object, path: str
) -> tuple[list[str], set[str]]: ...
def framework_semantic_errors(value: object, allow_approved: bool = False) -> list[str]: ...
def framework_validate(
    value: object, schema: object, allow_approved: bool = False
) -> tuple[list[str], set[str]]: ...
def framework_load_json(path: str | PathLike[str], kind: str) -> Any: ...
def run_cli(arguments: Sequence[str]) -> int: ...
def dropin_spec(name: str) -> _DropinSpec: ...

class _RecountFigures(TypedDict):
    observed_count: int
    palette_count: int
    orphan_count: int
    orphans: list[str]
    undecided: list[str]

def observed_colors(screens: object) -> list[str]: ...
def palette_colors(tokens: object) -> list[str]: ...
def recount_blueprint(
    blueprint: object, count: Literal["recorded", "corrected"]
) -> _RecountFigures: ...
def decide_assessment(
    assessment: object,
) -> tuple[Optional[Literal["PASS", "FAIL"]], list[str]]: ...
