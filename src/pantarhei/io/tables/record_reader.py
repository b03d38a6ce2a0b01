"""Reader of the rows of tables as timestamped ABoxes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

from pantarhei.errors import InvalidCellError, MalformedInputError, MappingError, MissingMemberWarning
from pantarhei.io.abox import TimestampedABox, TripleBuffer
from pantarhei.io.mapping.binding import BoundMapping, bind, column_hint
from pantarhei.io.mapping.cell_columns import check_column_type, shown_cell
from pantarhei.io.mapping.json_cells import JSONColumns, JSONObject
from pantarhei.io.mapping.mapped_rows import MappedRows, map_rows, runs
from pantarhei.io.mapping.record_mapping import RecordMapping
from pantarhei.io.mapping.row_times import first_kind, shown_times
from pantarhei.io.mapping.text_times import RowOrder
from pantarhei.io.reader import ReaderCounts
from pantarhei.io.tables.arrow_table import Block, RecordTable
from pantarhei.io.tables.csv_table import CSVTable
from pantarhei.io.tables.json_table import JSONRows, JSONTable
from pantarhei.io.tables.table_sources import TableSources
from pantarhei.model.time import TimeKind, TimePoint

_FEWEST = 16  # mean triples per ABox; below it, triples of rdflib terms are faster than columns


class RecordReader(ReaderCounts):
    """Iterable of the ABoxes of tables; build with `read_records`.

    Each iteration reads the tables lazily from their start, and resets the counters below.

    Attributes:
        name: the source's name in errors, such as the given path or `<stdin>`.
        mapping: the mapping as a value.
        skipped: the first `SKIPS_KEPT` rows that were skipped under `on_error="skip"`.
        skipped_count: number of skipped rows.
        on_skipped: called with each skipped row and `skipped_count`.
        times_cut: number of rows whose time was cut to microseconds.
        bytes_read: number of bytes read so far, before decompression.
        size: total size of the files in bytes; None if it is unknown.

    >>> import io
    >>> from pantarhei import read_records
    >>> mapping = {
    ...     "time": {"column": "at", "unit": "number"},
    ...     "mappings": {"m": {"s": "urn:$(id)~iri", "po": [["urn:v", "$(v)"]]}},
    ... }
    >>> rows = io.BytesIO(b'{"at": 1, "id": "a", "v": 5}')
    >>> reader = read_records(rows, mapping, format="jsonl")
    >>> [abox.at for abox in reader], reader.skipped_count
    ([1], 0)
    """

    def __init__(
        self, sources: TableSources, mapping: RecordMapping, skip_errors: bool, kind: TimeKind | None = None
    ) -> None:
        super().__init__(sources.name)
        self._sources, self.mapping, self._skip_errors, self._kind = sources, mapping, skip_errors, kind

    def __repr__(self) -> str:
        return f"RecordReader({self.name!r}, {self.mapping.source!r}, skipped={self.skipped_count})"

    @property
    def bytes_read(self) -> int:
        """Number of bytes read so far, before decompression."""
        return self._sources.bytes_read

    @property
    def size(self) -> int | None:
        """Number of bytes of the input; None if it is unknown."""
        return self._sources.size

    def __iter__(self) -> Iterator[TimestampedABox]:
        self._begin_counts()
        return self._merged(self._parts())

    def _parts(self) -> Iterator[tuple[TimePoint, TripleBuffer]]:
        rows = _RowMapper(self.mapping, self._kind)
        for item in self._sources.begin():
            try:
                with self._sources.opened(item, self.mapping.delimiter, self._skip_errors) as table:
                    for block, mapped in rows.of(table, self._sources):
                        yield from self._of_block(table, block, mapped)
            except MalformedInputError as error:
                if not (self._skip_errors and self._sources.count > 1):
                    raise
                self._skip_in(error.source, error.line, error.reason, "")
        rows.warn()

    def _of_block(
        self, table: RecordTable, block: Block, mapped: MappedRows
    ) -> Iterator[tuple[TimePoint, TripleBuffer]]:
        if (mapped.bad or block.left_out) and not self._skip_errors:
            first = _invalid_rows(table, block, mapped)[0]
            yield from self._aboxes(table, block, mapped.first(first.rows_before))
            raise first.error
        if mapped.bad or block.left_out:
            for wrong in _invalid_rows(table, block, mapped):
                line, reason = wrong.error.line, wrong.reason
                if table.counted != "line":
                    line, reason = None, f"{table.counted} {line}, {reason}"
                self._skip_in(table.source, line, reason, wrong.text)
        yield from self._aboxes(table, block, mapped)

    def _aboxes(
        self, table: RecordTable, block: Block, mapped: MappedRows
    ) -> Iterator[tuple[TimePoint, TripleBuffer]]:
        """Return the ABoxes of a block's valid rows, and count their cut times."""
        if mapped.cut is not None and (count := mapped.times_cut):
            bad = {each.row for each in mapped.bad}
            rows = [row for row in range(block.height) if row not in bad]
            row = rows[int(mapped.cut.argmax())]
            text = _time_text(self.mapping, block, row)
            self._note_cut(f"{text} ({table.counted} {block.places()[row]})", count)
        return _aboxes(mapped, self.mapping)

    def _skip_in(self, source: str, line: int | None, reason: str, text: str) -> None:
        self._skip(line, f"{source}: {reason}" if self._sources.count > 1 else reason, text[:1000])


_MANY = 1_000  # rows without a member before a warning that the member is missing


class _RowMapper:
    """Maps the rows of several tables, with row numbers and row order across the tables.

    Args:
        kind: the required kind of times; None for the kind of the first row.
        row: the number of the first row.
        order: instants of the previous rows.
    """

    def __init__(
        self, mapping: RecordMapping, kind: TimeKind | None, row: int = 1, order: RowOrder | None = None
    ) -> None:
        self._mapping, self._kind = mapping, kind
        self._row, self._order = row, RowOrder() if order is None else order
        self._times = frozenset(mapping.time.template.columns)
        self._unseen: dict[str, None] | None = None  # members in the mapping that no row has had so far
        self._names: dict[str, None] = {}  # members of the rows read so far
        self._source, self._rows = "", 0

    def of(self, table: RecordTable, sources: TableSources) -> Iterator[tuple[Block, MappedRows]]:
        """Yield the blocks of a table with their mapped rows."""
        bound = self._bound(table, sources)
        for column, line in bound.columns.items():
            if column in table.names:
                check_column_type(column, table.type_of(column), table.source, self._mapping.source, line)
        present = [each for each in bound.columns if each in table.names or isinstance(table, JSONTable)]
        if isinstance(table, JSONTable) and self._unseen is None:
            self._unseen = dict.fromkeys(each for each in present if each not in self._times)
        for block in table.blocks(present):
            self._watch(table, block)
            if isinstance(block.columns, JSONColumns) and self._mapping.has_globs:
                bound = bind(self._mapping, block.columns.members(), table.source, elsewhere=None)
                block = block._replace(columns=block.columns.with_matched(tuple(bound.columns)))
            yield block, self._mapped(bound, block)

    def _mapped(self, bound: BoundMapping, block: Block) -> MappedRows:
        columns, absent = block.columns, bound.columns.keys() - block.columns.keys()
        if absent:
            columns = {**columns, **dict.fromkeys(absent, pa.nulls(block.height))}
        self._kind = self._kind or first_kind(bound.time, columns, bound.nulls)
        mapped = map_rows(
            bound, columns, block.height, self._row, self._mapping.source, self._kind, self._order
        )
        self._row += block.height
        return mapped

    def _watch(self, table: RecordTable, block: Block) -> None:
        """Track members in the mapping that no row has had; warn of them after `_MANY` rows."""
        if not (self._unseen and isinstance(block.columns, JSONColumns)):
            return
        self._source, self._rows = table.source, self._rows + block.height
        if len(self._names) < _MANY:
            self._names.update(dict.fromkeys(block.columns.members()))
        for name in [name for name in self._unseen if block.columns[name].has_values]:
            del self._unseen[name]
        if self._rows >= _MANY:
            self.warn()

    def warn(self) -> None:
        """Warn of members in the mapping that no row has had.

        After less than `_MANY` rows, only members with a hint, such as a similar name in the rows, are
        reported.
        """
        for name in self._unseen or () if self._rows else ():
            hint = "" if name in self._names else column_hint(name, list(self._names), False)
            if hint or self._rows >= _MANY:
                warnings.warn(MissingMemberWarning(self._source, name, self._rows, hint), stacklevel=2)
        self._unseen = {}

    def _bound(self, table: RecordTable, sources: TableSources) -> BoundMapping:
        """Bind the mapping to a table; columns that only other tables of the source have are empty in it.

        Raises:
            MappingError: a column of the mapping is in none of the tables.
        """
        is_text = isinstance(table, CSVTable)
        if isinstance(table, JSONTable) or (is_text and not table.names):
            return bind(self._mapping, table.names, table.source, elsewhere=None)
        try:
            return bind(self._mapping, table.names, table.source, is_text)
        except MappingError:
            elsewhere = sources.columns_elsewhere(self._mapping.delimiter)
            return bind(self._mapping, table.names, table.source, is_text, elsewhere)


class _InvalidRow(NamedTuple):
    """Invalid row: number of the block's rows before it, its error, and its text."""

    rows_before: int
    error: MalformedInputError
    text: str

    @property
    def reason(self) -> str:
        """Error text without file and line."""
        error = self.error
        return (
            f"column {error.column}: {error.reason}" if isinstance(error, InvalidCellError) else error.reason
        )


def _invalid_rows(table: RecordTable, block: Block, mapped: MappedRows) -> list[_InvalidRow]:
    """Return the malformed lines and the invalid rows of a block, in order."""
    found = [
        _InvalidRow(each.rows_before, MalformedInputError(table.source, each.line, each.reason), each.text)
        for each in block.left_out
    ]
    places = block.places() if mapped.bad else ()
    for row, column, reason in mapped.bad:
        if block.text is not None:
            text = block.text(row)
        else:
            text = ", ".join(f"{name}={shown_cell(cells, row)}" for name, cells in block.columns.items())
        error = InvalidCellError(table.source, places[row], column, reason, table.counted)
        found.append(_InvalidRow(row, error, text))
    return sorted(found, key=lambda each: each.rows_before)


def _time_text(mapping: RecordMapping, block: Block, row: int) -> str:
    """Return the text of the cells from which the time of a row is read."""
    names = mapping.time.template.columns
    return ", ".join(str(shown_cell(block.columns[name], row)) for name in names if name in block.columns)


class RowParts(NamedTuple):
    """Time and triples of one mapped row; `cut` is the text of the time if it was cut to microseconds."""

    at: TimePoint
    triples: TripleBuffer
    cut: str | None


def row_of(
    row: JSONObject,
    mapping: RecordMapping,
    number: int,
    kind: TimeKind | None,
    order: RowOrder | None,
    source: str,
) -> RowParts:
    """Map one decoded JSON object as a table of one row.

    Args:
        number: the row's number, for the column `_row`.
        kind: the required kind of the row's time; None for any kind.
        order: instants of the previous rows, for the mapping option `ambiguous: infer`.
        source: the row's name in errors.

    Raises:
        InvalidCellError: the row does not fit the mapping.
    """
    rows = _RowMapper(mapping, kind, number, order)
    for block, mapped in rows.of(JSONRows(source, [row]), TableSources(source, (), None)):
        for wrong in mapped.bad:
            raise InvalidCellError(source, None, wrong.column, wrong.reason)
        ((at, triples),) = _aboxes(mapped, mapping)
        cut = _time_text(mapping, block, 0) if mapped.times_cut else None
    return RowParts(at, triples, cut)


def _aboxes(mapped: MappedRows, mapping: RecordMapping) -> Iterator[tuple[TimePoint, TripleBuffer]]:
    """Yield the time and the triples of each run of valid rows with equal times."""
    bounds = list(runs(mapped.ticks))
    times = shown_times(mapped.ticks[[begin for begin, _ in bounds]], mapped.kind, mapping.time)
    ends = mapped.ends
    is_scattered = mapped.triples.height < _FEWEST * len(bounds)
    terms = list(mapped.triples.triples()) if is_scattered else []
    begin = 0
    for at, (_, last) in zip(times, bounds, strict=True):
        end, triples = int(ends[last - 1]), TripleBuffer()
        if is_scattered:
            triples.extend(terms[begin:end])
        else:
            triples.append_part(mapped.triples.slice(begin, end))
        yield at, triples
        begin = end
