"""Many rows at once: the gates over Arrow tables, for the engines that hold the data.

Needs pyarrow (``pip install gatewright[arrow]``). Every function takes anything that pyarrow takes
(tables, record batches, pandas, Polars, DuckDB, Daft, all that speaks the PyCapsule interface)
and returns a ``pyarrow.Table`` with a declared schema, which engines map over their partitions.
Nothing is kept between calls, everything pickles, one thread a call is the default, and the
interpreter is free while a batch runs. What cannot be judged becomes a row with an ``error``.
"""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gatewright import _native
from gatewright.blueprint import recount_palette
from gatewright.errors import GatewrightError
from gatewright.outcome import Outcome, logged
from gatewright.scorecard import check_scorecard

try:
    import pyarrow as pa
except ImportError as error:
    raise ImportError("gatewright.batch needs pyarrow: pip install 'gatewright[arrow]'") from error

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = [
    "GROUND_SCHEMA",
    "READ_SCHEMA",
    "RECOUNT_SCHEMA",
    "SCORECARD_SCHEMA",
    "Coverage",
    "ground",
    "read",
    "recount",
    "schema",
    "scorecards",
]

#: A row of :func:`ground`: one per quote. Bytes count from 0 in the document's UTF-8 form, lines
#: and columns from 1, columns in code points; ends are exclusive.
GROUND_SCHEMA = pa.schema(
    [
        pa.field("row", pa.int64(), nullable=True),
        pa.field("index", pa.int64()),
        pa.field("quote", pa.string()),
        pa.field("grade", pa.string()),
        pa.field("is_accepted", pa.bool_()),
        pa.field("flags", pa.list_(pa.string())),
        pa.field("occurrences", pa.int64()),
        pa.field("byte_start", pa.int64()),
        pa.field("byte_end", pa.int64()),
        pa.field("line", pa.int64()),
        pa.field("column", pa.int64()),
        pa.field("end_line", pa.int64()),
        pa.field("end_column", pa.int64()),
        pa.field("difference", pa.string()),
        pa.field("error", pa.string()),
    ]
)

_FINDING = pa.struct(
    [
        pa.field("code", pa.string()),
        pa.field("severity", pa.string()),
        pa.field("message", pa.string()),
        pa.field("line", pa.int64()),
    ]
)

#: A row of :func:`scorecards`: one per scorecard.
SCORECARD_SCHEMA = pa.schema(
    [
        pa.field("row", pa.int64()),
        pa.field("passed", pa.bool_()),
        pa.field("persona", pa.string()),
        pa.field("findings_kept", pa.int64()),
        pa.field("findings_dropped", pa.int64()),
        pa.field("findings", pa.list_(_FINDING)),
        pa.field("error", pa.string()),
    ]
)

#: A row of :func:`recount`: one per blueprint.
RECOUNT_SCHEMA = pa.schema(
    [
        pa.field("row", pa.int64()),
        pa.field("passed", pa.bool_()),
        pa.field("observed_count", pa.int64()),
        pa.field("palette_count", pa.int64()),
        pa.field("orphan_count", pa.int64()),
        pa.field("orphans", pa.list_(pa.string())),
        pa.field("error", pa.string()),
    ]
)


#: A row of :func:`read`: one per page, or one for a format without pages, where ``page`` is null.
#: ``is_unread`` is true of a page that shows something of which no text is known, such as a scan.
READ_SCHEMA = pa.schema(
    [
        pa.field("row", pa.int64()),
        pa.field("page", pa.int64()),
        pa.field("text", pa.string()),
        pa.field("is_unread", pa.bool_()),
        pa.field("reader", pa.string()),
        pa.field("error", pa.string()),
    ]
)


def schema(declared: pa.Schema, data: pa.Schema, keep: Sequence[str] = ()) -> pa.Schema:
    """The schema of an answer that carries columns over, as engines want it declared.

    Args:
        declared: the schema of the function, e.g. ``GROUND_SCHEMA``.
        data: the schema of what the function is given.
        keep: names of the columns that are carried over; they stand first.

    Raises:
        GatewrightError: ``data`` has no such column, or the answer has one of the same name.
    """
    for name in keep:
        if name in declared.names:
            raise GatewrightError(f"column `{name}` is one of the answer: rename it before")
        if name not in data.names:
            raise GatewrightError(f"no column `{name}`; there are: {', '.join(data.names)}")
    return pa.schema([*(data.field(name) for name in keep), *declared])


def ground(
    data: object,
    *,
    document: str = "text",
    quotes: str = "quotes",
    keep: Sequence[str] = (),
    threads: int = 1,
) -> pa.Table:
    """How each row's quotes stand in the row's document.

    Args:
        data: rows with a document and its quotes.
        document: the column of documents: texts, or their UTF-8 bytes. Rows that follow one
            another with the same document share the work on it.
        quotes: the column of quotes: a list of texts, or one text a row.
        keep: columns that are carried over to each of the row's answers, such as an id.
        threads: threads that the batch may take. Engines run one batch a core already.

    Returns:
        A table of ``GROUND_SCHEMA``, after the columns of ``keep``: a row per quote, in order. A
        document or quote that cannot be judged has an ``error`` and no ``grade``.

    Raises:
        GatewrightError: a column is missing or of the wrong type, or the answers take more than
            2 GiB.

    Source: documentation, Quotes and their grades.

    Example:
        >>> import pyarrow as pa
        >>> from gatewright import batch
        >>> rows = pa.table({"text": ["The rent is due.", None], "quotes": [["rent is"], ["x"]]})
        >>> batch.ground(rows).select(["grade", "error"]).to_pylist()
        [{'grade': 'identical', 'error': None}, {'grade': None, 'error': 'the document is null'}]
    """
    rows = _table(data)
    answer_schema = schema(GROUND_SCHEMA, rows.schema, keep)
    documents = _texts(_column(rows, document), document)
    asked = _column(rows, quotes)
    if _is_text(asked.type):
        lists = (array("q", range(len(asked) + 1)).tobytes(), b"")
        texts = _texts(asked, quotes)
    else:
        lists, texts = _lists(asked, quotes)
    buffers = _native.ground_batch(documents, lists, texts, threads)
    count = len(buffers["row"][1]) // 8
    columns = [_answers(field.type, buffers[field.name], count) for field in GROUND_SCHEMA]
    kept = [rows.column(name).take(columns[0]) for name in keep]
    return pa.Table.from_arrays([*kept, *columns], schema=answer_schema)


def read(
    data: object,
    *,
    path: str = "path",
    content: str | None = None,
    root: str | os.PathLike[str] = ".",
    keep: Sequence[str] = (),
) -> pa.Table:
    """The visible text of each row's document, page by page, as the gates read it.

    Args:
        data: rows with a path, or with a name and the document's bytes.
        path: the column of paths below ``root``. The ending names the format: txt, md, csv, html,
            eml, mbox, msg, docx, xlsx, pptx, odt, ods, odp, epub, rtf, pdf; a document with any
            other name must be UTF-8 text.
        content: the column of documents as bytes; ``path`` then only names the format and no file
            is opened.
        root: the folder that paths start from. A path that leads out of it, by ``..`` or through
            a link, is an error of its row.
        keep: columns that are carried over to each of the row's pages.

    Returns:
        A table of ``READ_SCHEMA``, after the columns of ``keep``: a row per page, in order, pages
        counted from 1. A format without pages is one row without a page. A document that cannot be
        read is one row with an ``error`` and no ``text``.

    Raises:
        GatewrightError: a column is missing or of the wrong type.

    Source: documentation, The ledger chain: Documents.

    Example:
        >>> import pyarrow as pa
        >>> from gatewright import batch
        >>> rows = pa.table({"path": ["a.txt"], "data": [b"The rent is due."]})
        >>> batch.read(rows, content="data").select(["page", "text"]).to_pylist()
        [{'page': None, 'text': 'The rent is due.'}]
    """
    rows = _table(data)
    answer_schema = schema(READ_SCHEMA, rows.schema, keep)
    names = _values(rows, path)
    contents = None if content is None else _values(rows, content)
    home = Path(root).resolve()
    answers: list[dict[str, Any]] = []
    for number, given in enumerate(names):
        try:
            if given is None:
                raise GatewrightError(f"`{path}` is null")
            name = given.decode("utf-8")
            if contents is None:
                data_of = _inside(home, name).read_bytes()
            elif contents[number] is None:
                raise GatewrightError(f"`{content}` is null")
            else:
                data_of = contents[number]
            read_one = _native.read_document(name, data_of, "auto")
        except (GatewrightError, OSError, ValueError) as error:
            answers.append({"row": number, "error": str(error)})
            continue
        pages = read_one.pages
        # Every page ends with a form feed.
        parts = [read_one.text] if pages is None else read_one.text.split("\f")[:pages]
        answers += [
            {
                "row": number,
                "page": None if pages is None else at,
                "text": part,
                "is_unread": at in read_one.unread_pages,
                "reader": read_one.reader,
            }
            for at, part in enumerate(parts, start=1)
        ]
    table = pa.Table.from_pylist(answers, schema=READ_SCHEMA)
    kept = [rows.column(name).take(table.column("row")) for name in keep]
    return pa.Table.from_arrays([*kept, *table.columns], schema=answer_schema)


def scorecards(
    data: object,
    *,
    card: str = "card",
    source: str = "source",
    banned_phrases: str | Sequence[str] | None = None,
    map_severity: bool = False,
    keep: Sequence[str] = (),
) -> pa.Table:
    """Judge each row's scorecard by the row's artifact, as ``check_scorecard`` does.

    Args:
        data: rows with a scorecard and its artifact.
        card: the column of scorecards, text or UTF-8 bytes.
        source: the column of artifacts, text or UTF-8 bytes.
        banned_phrases: the name of a column of lists of phrases, or one list for all rows.
        map_severity: take high, medium and low for major, minor and nit.
        keep: columns that are carried over.

    Returns:
        A table of ``SCORECARD_SCHEMA``, after the columns of ``keep``: a row per scorecard.

    Raises:
        GatewrightError: a column is missing or of the wrong type.
    """
    rows = _table(data)
    answer_schema = schema(SCORECARD_SCHEMA, rows.schema, keep)
    cards = _values(rows, card)
    sources = _values(rows, source)
    if isinstance(banned_phrases, str):
        phrases = _column(rows, banned_phrases).to_pylist()
    else:
        phrases = [banned_phrases] * len(rows)

    def judged(number: int) -> dict[str, Any]:
        for name, values in ((card, cards), (source, sources)):
            if values[number] is None:
                raise GatewrightError(f"`{name}` is null")
        outcome = check_scorecard(
            cards[number], sources[number], phrases[number], map_severity=map_severity
        )
        return {
            "passed": outcome.passed,
            "persona": outcome.facts.get("persona"),
            "findings_kept": outcome.facts["findings_kept"],
            "findings_dropped": outcome.facts["findings_dropped"],
            "findings": [
                {
                    "code": finding.code,
                    "severity": finding.severity,
                    "message": finding.message,
                    "line": finding.at.line,
                }
                for finding in outcome.findings
            ],
        }

    return _each(rows, judged, SCORECARD_SCHEMA, answer_schema, keep)


def recount(
    data: object,
    *,
    blueprint: str = "blueprint",
    count: str = "corrected",
    keep: Sequence[str] = (),
) -> pa.Table:
    """Count the observed colours that each row's palette lacks, as ``recount_palette`` does.

    Args:
        data: rows with a blueprint.
        blueprint: the column of blueprints: JSON text or its UTF-8 bytes.
        count: ``corrected`` or ``recorded``.
        keep: columns that are carried over.

    Returns:
        A table of ``RECOUNT_SCHEMA``, after the columns of ``keep``: a row per blueprint.

    Raises:
        GatewrightError: the column is missing or of the wrong type.
    """
    rows = _table(data)
    answer_schema = schema(RECOUNT_SCHEMA, rows.schema, keep)
    blueprints = _values(rows, blueprint)

    def counted(number: int) -> dict[str, Any]:
        text = blueprints[number]
        if text is None:
            raise GatewrightError(f"`{blueprint}` is null")
        outcome = recount_palette(_native._json_value(text), count=count)  # type: ignore[arg-type]
        deciding = outcome.facts["deciding"]
        figures = ("observed_count", "palette_count", "orphan_count")
        return {
            "passed": outcome.passed,
            **{name: deciding[name] for name in figures},
            "orphans": deciding["orphans"],
        }

    return _each(rows, counted, RECOUNT_SCHEMA, answer_schema, keep)


class Coverage:
    """The reconcile gate in parts: findings in any partition and order, merged without a shuffle.

    Every partition makes a ``Coverage`` and updates it; the parts are merged in any order; the
    last one gives the outcome. A part pickles to a few bits for each issue and document, and to
    more for findings that are out of order, never to the findings themselves.

    Args:
        framework: the framework, when lenses own passages of others (``overlap_owner``): the
            quotes that rule GWL117 compares are then kept too, and they take their room.

    Example:
        >>> from gatewright.batch import Coverage
        >>> rows = [{"finding_id": "i/d", "issue_id": "i", "lens_id": "l", "doc_id": "d",
        ...          "unit_id": "d", "status": "absent"}]
        >>> manifest = {"documents": [{"id": "d", "readability": "native"}], "counts": {}}
        >>> framework = {"framework_version": 1,
        ...              "lenses": [{"lens_id": "l", "items": [{"issue_id": "i"}]}]}
        >>> Coverage().update(rows).merge(Coverage()).outcome(manifest, framework).verdict
        'passed'
    """

    def __init__(self, framework: Mapping[str, Any] | None = None) -> None:
        """No finding yet."""
        self._summary = _native.CoverageSummary(framework)

    def __len__(self) -> int:
        """Findings seen."""
        return self._summary.len_findings

    def __bool__(self) -> bool:
        """True always: whether the work passed is the outcome's to say."""
        return True

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        """Pickled as bytes, which the same version of gatewright reads."""
        return (_coverage, (self._summary.to_bytes(),))

    def update(self, findings: object) -> Coverage:
        """Take a batch of findings.

        Args:
            findings: rows with the members of findings as columns: ``finding_id``, ``issue_id``,
                ``lens_id``, ``doc_id``, ``unit_id``, ``status``, ``quote``, ``section``,
                ``characterization``, ``current_position``, ``band``, ``band_basis``, and
                ``quote_verification`` and ``verification`` as structs with ``status`` and
                ``checker``. Null and an absent column read as a missing member. A list of dicts
                is taken as well.

        Returns:
            This object.

        Raises:
            GatewrightError: a column has the wrong type.
        """
        if isinstance(findings, list) and not findings:
            return self
        rows = _table(findings)
        if not rows.num_rows:
            return self
        columns: dict[str, Any] = {"len": rows.num_rows}
        for name in (
            "finding_id",
            "issue_id",
            "lens_id",
            "doc_id",
            "unit_id",
            "status",
            "quote",
            "section",
            "characterization",
        ):
            columns[name] = _optional(rows, name)
        for name in ("quote_verification", "verification"):
            columns[name] = _receipt(rows, name)
        columns["current_position"] = _is_true(rows, "current_position")
        for name in ("band", "band_basis"):
            columns[name] = (
                _bytes(rows.column(name).is_valid()) if name in rows.column_names else b""
            )
        self._summary.update(columns)
        return self

    def merge(self, other: Coverage) -> Coverage:
        """Take everything that ``other`` has seen; it stays as it is.

        Returns:
            This object.

        Raises:
            GatewrightError: the two were made with different frameworks.
        """
        self._summary.merge(other._summary)
        return self

    def outcome(
        self,
        manifest: Mapping[str, Any],
        framework: Mapping[str, Any],
        families: Mapping[str, Any] | None = None,
        *,
        parked: Iterable[Mapping[str, Any]] = (),
        framework_version: object = None,
    ) -> Outcome:
        """What ``gatewright ledger reconcile`` says of all findings seen.

        Args:
            manifest: the manifest, loaded.
            framework: the framework, loaded.
            families: the map of document families, when documents belong together.
            parked: the ``parked`` member of the ledger.
            framework_version: that of the ledger; the framework's own by default.

        Returns:
            The outcome with the same verdict, counts and findings as the command's, without places
            in the ledger. Of several findings for one issue and unit the command accepts the first
            in the file and tells of the others; here the first is the least by document id.

        Raises:
            GatewrightError: a document cannot be used; or the framework has overlap owners and
                the parts were not made with it.
        """
        version = framework_version
        if version is None:
            version = framework.get("framework_version")
        return logged(
            self._summary.outcome(manifest, framework, families, version, [dict(p) for p in parked])
        )


def _coverage(data: bytes) -> Coverage:
    """The ``Coverage`` that was pickled."""
    coverage = Coverage.__new__(Coverage)
    coverage._summary = _native.CoverageSummary.from_bytes(data)
    return coverage


def _table(data: object) -> pa.Table:
    """``data`` as a table, without copying where it is Arrow already."""
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if isinstance(data, pa.RecordBatchReader):
        return data.read_all()
    if isinstance(data, (list, tuple)):
        if data and isinstance(data[0], pa.RecordBatch):
            return pa.Table.from_batches(data)
        return pa.Table.from_pylist(list(data))
    if hasattr(data, "to_arrow") and not hasattr(data, "__arrow_c_stream__"):
        return _table(data.to_arrow())
    try:
        return pa.table(data)
    except (TypeError, ValueError) as error:
        raise GatewrightError(f"pyarrow cannot read a {type(data).__name__}: {error}") from error


def _inside(home: Path, name: str) -> Path:
    """The file that ``name`` says below ``home``."""
    target = (home / name).resolve()
    if not target.is_relative_to(home):
        raise GatewrightError(f"`{name}` leads out of the folder {home}")
    return target


def _column(rows: pa.Table, name: str) -> pa.ChunkedArray:
    if name not in rows.column_names:
        raise GatewrightError(f"no column `{name}`; there are: {', '.join(rows.column_names)}")
    return rows.column(name)


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    named = ("is_string", "is_large_string", "is_binary", "is_large_binary")
    views = ("is_string_view", "is_binary_view")
    checks = [getattr(pa.types, name, None) for name in (*named, *views)]
    return pa.types.is_null(kind) or any(check is not None and check(kind) for check in checks)


def _cast(column: pa.ChunkedArray | pa.Array, kind: pa.DataType, name: str) -> pa.Array:
    """One array of ``kind``; dictionaries and views are laid out on the way."""
    try:
        if isinstance(column, pa.ChunkedArray):
            chunks = column.chunks
            if len(chunks) != 1:
                return pa.concat_arrays(
                    [_cast(chunk, kind, name) for chunk in chunks] or [pa.array([], kind)]
                )
            column = chunks[0]
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        return column.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise GatewrightError(
            f"column `{name}` is {column.type}, expected text: {error}"
        ) from error


def _bytes(column: pa.ChunkedArray | pa.Array) -> bytes:
    """A byte for each row of a boolean column; null counts as false."""
    flags = column.fill_null(False).cast(pa.uint8())
    if isinstance(flags, pa.ChunkedArray):
        return b"".join(_bytes_of(chunk) for chunk in flags.chunks)
    return _bytes_of(flags)


def _bytes_of(flags: pa.Array) -> bytes:
    buffer = flags.buffers()[1]
    return b"" if buffer is None else buffer.slice(flags.offset, len(flags)).to_pybytes()


def _offsets(column: pa.Array) -> tuple[bytes, int, int]:
    """Offsets of a large column, and the first and the last of them."""
    buffer = column.buffers()[1]
    if buffer is None or not len(column):
        return bytes(8), 0, 0
    offsets = buffer.slice(8 * column.offset, 8 * (len(column) + 1)).to_pybytes()
    ends = array("q", offsets[:8] + offsets[-8:])
    return offsets, ends[0], ends[1]


def _valid(column: pa.Array) -> bytes:
    return b"" if column.null_count == 0 else _bytes(column.is_valid())


def _texts(column: pa.ChunkedArray | pa.Array, name: str) -> tuple[bytes, bytes, bytes]:
    """A column of texts as the core reads it: offsets, data, which rows have one."""
    if not _is_text(column.type):
        raise GatewrightError(f"column `{name}` is {column.type}, expected text")
    texts = _cast(column, pa.large_binary(), name)
    offsets, start, end = _offsets(texts)
    data = texts.buffers()[2]
    held = b"" if data is None else data.slice(start, end - start).to_pybytes()
    return offsets, held, _valid(texts)


def _lists(
    column: pa.ChunkedArray, name: str
) -> tuple[tuple[bytes, bytes], tuple[bytes, bytes, bytes]]:
    """A column of lists of texts: offsets and which rows have one, and the texts of all."""
    inner = getattr(column.type, "value_type", None)
    if inner is None or not _is_text(inner):
        raise GatewrightError(f"column `{name}` is {column.type}, expected a list of texts")
    lists = _cast(column, pa.large_list(pa.large_binary()), name)
    offsets, start, end = _offsets(lists)
    return (offsets, _valid(lists)), _texts(lists.values.slice(start, end - start), name)


def _values(rows: pa.Table, name: str) -> list[Any]:
    """The UTF-8 bytes of a column of texts, ``None`` where there is none."""
    column = _column(rows, name)
    if not _is_text(column.type):
        raise GatewrightError(f"column `{name}` is {column.type}, expected text")
    values: list[Any] = _cast(column, pa.large_binary(), name).to_pylist()
    return values


def _optional(rows: pa.Table, name: str) -> tuple[bytes, bytes, bytes] | None:
    return _texts(rows.column(name), name) if name in rows.column_names else None


def _is_true(rows: pa.Table, name: str) -> bytes:
    if name not in rows.column_names or not pa.types.is_boolean(rows.column(name).type):
        return b""
    return _bytes(rows.column(name))


def _receipt(rows: pa.Table, name: str) -> tuple[Any, Any]:
    """Status and checker of a receipt."""
    if name not in rows.column_names:
        return None, None
    column = rows.column(name)
    if pa.types.is_null(column.type):
        return None, None
    if not pa.types.is_struct(column.type):
        raise GatewrightError(
            f"column `{name}` is {column.type}, expected a struct with `status` and `checker`"
        )
    # Flattening takes the nulls of the struct down to its members.
    members = dict(zip((field.name for field in column.type), column.flatten()))
    parts = [
        _texts(members[part], f"{name}.{part}")
        if part in members and _is_text(members[part].type)
        else None
        for part in ("status", "checker")
    ]
    return parts[0], parts[1]


def _answers(kind: pa.DataType, buffers: tuple[Any, ...], count: int) -> pa.Array:
    """A column from the buffers that the core made."""
    if pa.types.is_list(kind):
        ends, items = buffers
        inner = _answers(kind.value_type, items, len(items[1]) // 4 - 1)
        return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(ends)], children=[inner])
    return pa.Array.from_buffers(kind, count, [pa.py_buffer(buffer) for buffer in buffers])


def _each(
    rows: pa.Table,
    work: Callable[[int], dict[str, Any]],
    declared: pa.Schema,
    answer_schema: pa.Schema,
    keep: Sequence[str],
) -> pa.Table:
    """A row of the answer for each row, with the error where ``work`` has none."""
    answers = []
    for number in range(rows.num_rows):
        try:
            answer = {"row": number, **work(number)}
        except (GatewrightError, ValueError, TypeError, RecursionError) as error:
            answer = {"row": number, "error": str(error)}
        answers.append(answer)
    table = pa.Table.from_pylist(answers, schema=declared)
    kept = [rows.column(name) for name in keep]
    return pa.Table.from_arrays([*kept, *table.columns], schema=answer_schema)
