"""Documents, quotes and the sources they should stand in: ``read``, ``ground``."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import Union, overload

from gatewright._native import Document, Match, Place
from gatewright._native import ground as _ground
from gatewright._native import ground_document as _ground_document
from gatewright._native import read_document as _read_document
from gatewright.errors import GatewrightError

__all__ = ["Document", "Match", "Place", "ground", "read"]

#: A text, its UTF-8 bytes, a document that was read, or the path of one.
Source = Union[str, bytes, Document, "PathLike[str]"]
#: One that is text already.
TextSource = Union[str, bytes, "PathLike[str]"]


def read(path: str | PathLike[str], *, extractor: str = "auto") -> Document:
    r"""The text of a document, as a person who opens it sees it.

    Args:
        path: a file. Its extension names the format: ``txt``, ``md``, ``csv``, ``html``, ``eml``,
            ``mbox``, ``msg``, ``docx``, ``xlsx``, ``pptx``, ``odt``, ``ods``, ``odp``, ``epub``,
            ``rtf`` or ``pdf``; a file with any other name must be UTF-8 text.
        extractor: the reader of PDF files: ``auto`` and ``stdlib`` both mean pdfium, which comes
            with the package; ``pdftotext`` means the program of that name.

    Returns:
        A frozen ``Document``: ``path`` (as given); ``text`` (pages end with a form feed);
        ``pages`` (their number, ``None`` for a format without pages); ``reader`` (name and
        version, or the encoding of a text); ``unread_pages`` (tuple of page numbers from 1 of
        which no text is known, such as scans); ``hidden_count`` (characters left out since nobody
        sees them); ``page_text(page)``. Equal by content; pickles and copies.

    Raises:
        GatewrightError: the file cannot be opened, is damaged, encrypted, of a format that is not
            read or too large, or a PDF of scans alone.
        ValueError: no reader is called ``extractor``.

    Source: documentation, Quotes and their grades, Documents.

    Example:
        >>> import gatewright, pathlib, tempfile
        >>> page = pathlib.Path(tempfile.mkdtemp()) / "page.html"
        >>> _ = page.write_text("<p>The rent is <b>5</b> EUR.</p>", encoding="utf-8")
        >>> document = gatewright.read(page)
        >>> document.text.strip(), document.pages
        ('The rent is 5 EUR.', None)
        >>> gatewright.ground("rent is 5 EUR", document).grade
        'identical'
    """
    name = fspath(path)
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        reason = f"cannot read: {error.strerror or error}"
        raise GatewrightError(reason, name) from error
    return _read_document(name, content, extractor)


@overload
def ground(
    quote_or_quotes: str, source: Source, *, prefix: str = "", suffix: str = ""
) -> Match: ...
@overload
def ground(
    quote_or_quotes: list[str] | tuple[str, ...],
    source: Source,
    *,
    prefix: str = "",
    suffix: str = "",
) -> list[Match]: ...
def ground(
    quote_or_quotes: str | list[str] | tuple[str, ...],
    source: Source,
    *,
    prefix: str = "",
    suffix: str = "",
) -> Match | list[Match]:
    r"""How a quote, or each of many quotes, stands in a source.

    Args:
        quote_or_quotes: one quote, or a list of quotes.
        source: the text itself as ``str``; its UTF-8 form as ``bytes``; a ``Document``; or a
            ``pathlib.Path`` of a file, which is taken as ``read`` reads it. A ``str`` is never
            taken for a path.
        prefix: the words right before the quote, to tell one of several equal passages from the
            others, as a W3C ``TextQuoteSelector`` does. They only choose the place: the grade is
            that of the quote. For one quote alone.
        suffix: the words right behind it.

    Returns:
        For one quote a ``Match``; for a list a list of them in the same order. A ``Match`` has
        ``quote``; ``grade`` (``identical``, ``reflowed``, ``typographic``, ``elided``, ``near`` or
        ``absent``, the first that fits); ``flags`` (tuple of ``cuts_word``, ``omits_negation``,
        ``number_differs``, ``crosses_page``, ``markup``, ``joins_hyphen``, ``struck_out``,
        ``other_context``, ``unread``); ``occurrences`` (places that answer at
        this grade, overlapping ones counted each); ``at`` (a ``Place`` or ``None``: ``byte_start``
        and ``byte_end`` in the UTF-8 form from 0, ``line``, ``column``, ``end_line``,
        ``end_column`` from 1, columns in code points, ends exclusive, ``page``; in a document all
        of them count in its ``text``); ``difference`` (text or
        ``None``); ``text`` (the source's own words there), ``page``, ``parts`` (of an
        absent quote the stretches that stand there, each with its ``Place``);
        ``is_accepted`` (identical or reflowed); ``to_dict()``. A blank quote is absent; a quote
        that stands nowhere between ``prefix`` and ``suffix`` is absent with the flag
        ``other_context``; one that may stand on a page without text has the flag ``unread``.

    Raises:
        GatewrightError: the source cannot be read, is not UTF-8 or is larger than 256 MiB.
        TypeError: a quote is no text; ``prefix`` or ``suffix`` beside several quotes.

    Source: documentation, Quotes and their grades.

    Example:
        >>> from gatewright import ground
        >>> match = ground("the landlord is liable", "So the landlord is not liable.")
        >>> match.grade, match.flags, match.difference
        ('near', ('omits_negation',), 'missing after `landlord is`: `not`')
        >>> [match.grade for match in ground(["a b", "c"], "a\nb")]
        ['reflowed', 'absent']
        >>> ground("5 %", "fee: 5 %, tax: 5 %", prefix="tax: ").at.column
        16
    """
    is_one = isinstance(quote_or_quotes, str)
    if (prefix or suffix) and not is_one:
        raise TypeError("prefix and suffix belong to one quote, given as a str")
    quotes = [quote_or_quotes] if isinstance(quote_or_quotes, str) else list(quote_or_quotes)
    if isinstance(source, (str, bytes)):
        data, name = source_bytes(source)
        found = _ground(quotes, data, name, prefix, suffix)
    else:
        document = source if isinstance(source, Document) else read(source)
        found = _ground_document(quotes, document, prefix, suffix)
    return found[0] if is_one else found


def source_bytes(source: TextSource) -> tuple[bytes, str]:
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
