"""Gates called from threads with a small stack."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from gatewright import _native

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = TypeVar("Function", bound=Callable[..., Any])


def deep(function: Function) -> Function:
    """``function``, run where the deepest document that gates read does not end the process.

    A thread of a pool may have a stack of 128 KiB; a document may be nested 1,000 levels deep.

    Args:
        function: a gate of the public API.
    """

    @wraps(function)
    def call(*arguments: object, **keywords: object) -> object:
        return _native.call_with_stack(function, arguments, keywords)

    return cast("Function", call)
