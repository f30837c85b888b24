"""Quotes and the sources they should stand in: ``ground``."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Union, overload

from gatewright._native import Match, Place
from gatewright._native import ground as _ground
from gatewright.errors import GatewrightError

__all__ = ["Match", "Place", "ground"]

#: A text, its UTF-8 bytes, or the path of a file that holds it.
Source = Union[str, bytes, "PathLike[str]"]


@overload
def ground(quote_or_quotes: str, source: Source) -> Match: ...
@overload
def ground(quote_or_quotes: list[str] | tuple[str, ...], source: Source) -> list[Match]: ...
def ground(
    quote_or_quotes: str | list[str] | tuple[str, ...], source: Source
) -> Match | list[Match]:
    r"""How a quote, or each of many quotes, stands in a source.

    Args:
        quote_or_quotes: one quote, or a list of quotes.
        source: the text itself as ``str``; its UTF-8 form as ``bytes``; or a ``pathlib.Path``
            of the file that holds it. A ``str`` is never taken for a path.

    Returns:
        For one quote a ``Match``; for a list a list of them in the same order. A ``Match`` has
        ``quote``; ``grade`` (``identical``, ``reflowed``, ``typographic``, ``elided``, ``near`` or
        ``absent``, the first that fits); ``flags`` (tuple of ``cuts_word``, ``omits_negation``,
        ``number_differs``, ``crosses_page``, ``markup``); ``occurrences`` (places that answer at
        this grade, overlapping ones counted each); ``at`` (a ``Place`` or ``None``: ``byte_start``
        and ``byte_end`` in the UTF-8 form from 0, ``line``, ``column``, ``end_line``,
        ``end_column`` from 1, columns in code points, ends exclusive); ``difference`` (text or
        ``None``); ``text`` (the source's own words there), ``page``, ``parts`` (of an
        absent quote the stretches that stand there, each with its ``Place``);
        ``is_accepted`` (identical or reflowed); ``to_dict()``. A blank quote is absent.

    Raises:
        GatewrightError: the source cannot be read, is not UTF-8 or is larger than 256 MiB.
        TypeError: a quote is no text.

    Source: documentation, Quotes and their grades.

    Example:
        >>> from gatewright import ground
        >>> match = ground("the landlord is liable", "So the landlord is not liable.")
        >>> match.grade, match.flags, match.difference
        ('near', ('omits_negation',), 'missing after `landlord is`: `not`')
        >>> [match.grade for match in ground(["a b", "c"], "a\nb")]
        ['reflowed', 'absent']
    """
    data, name = source_bytes(source)
    if isinstance(quote_or_quotes, str):
        return _ground([quote_or_quotes], data, name)[0]
    return _ground(list(quote_or_quotes), data, name)


def source_bytes(source: Source) -> tuple[bytes, str]:
    """The bytes of a source and its display name, empty for one given directly.

    Raises:
        GatewrightError: a file cannot be read, or a ``str`` holds a lone surrogate.
    """
    if isinstance(source, bytes):
        return source, ""
    if isinstance(source, str):
        try:
            return source.encode(), ""
        except UnicodeEncodeError as error:
            reason = f"a lone surrogate at character {error.start}, which UTF-8 cannot carry"
            raise GatewrightError(reason) from error
    try:
        return Path(source).read_bytes(), str(source)
    except OSError as error:
        reason = f"cannot read: {error.strerror or error}"
        raise GatewrightError(reason, str(source)) from error
