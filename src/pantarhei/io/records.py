"""Conversion of tables and single records to timestamped ABoxes by a mapping."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Mapping as MappingOf
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from pantarhei.errors import InvalidCellError, MalformedInputError, OptionError, TimesCutWarning
from pantarhei.io.abox import TimestampedABox
from pantarhei.io.mapping.mapping_reader import read_mapping
from pantarhei.io.mapping.record_mapping import RecordMapping
from pantarhei.io.reader import skips_errors
from pantarhei.model.term import Triple
from pantarhei.model.time import Precision, TimeKind, TimePoint, check_precision, kind_of, ticks_of

if TYPE_CHECKING:
    from pantarhei.io.mapping.compiled_mapping import CompiledMapping
    from pantarhei.io.mapping.text_times import RowOrder
    from pantarhei.io.tables.record_reader import RecordReader
    from pantarhei.io.tables.table_sources import Source


def read_records(
    source: Source,
    mapping: str | os.PathLike[str] | MappingOf[str, Any] | RecordMapping,
    *,
    format: str | None = None,
    on_error: str = "raise",
    precision: Precision | None = None,
) -> RecordReader:
    """Return a reader of a table's rows as timestamped ABoxes; iterating over it raises the table's errors.

    Consecutive rows with the same time are one ABox. Rows are read in table order, several files in the
    order of their names. The table is read block by block, so that memory does not grow with it.

    Args:
        source: a path, a folder or a glob, or several of these; "-" for standard input, or a binary file; a
            pyarrow Table or RecordBatchReader, or a frame of pandas, Polars or another library with Arrow's
            C stream interface. Text may be compressed with gzip or zstd.
        mapping: mapping of rows to triples: a path, a text in YAML, a dictionary, or the result of
            `read_mapping`; see docs/tables.md.
        format: "csv", "tsv", "jsonl", "json" or "parquet"; by default by the path's suffix.
        on_error: "raise", or "skip" to skip rows that do not fit the mapping; skipped rows are counted, and
            the first of them kept in `skipped`.
        precision: "microseconds" cuts finer fractions of a second, warns once (`TimesCutWarning`) and counts
            the rows in `times_cut`; "exact" makes them errors. By default the mapping's precision.

    Raises:
        OptionError: an argument is invalid.
        MissingFileError: a file does not exist.
        MappingError: the mapping is invalid; the error has the line and suggests similar names.

    Iteration raises `MappingError` if a column is missing or has the wrong type, `InvalidCellError` with
    file, line and column for an invalid cell, and `MalformedInputError` with file and line for malformed
    text.

    >>> import io
    >>> table = io.BytesIO(b"at,garage,free\\n7,north,12\\n")
    >>> mapping = {
    ...     "prefixes": {"ex": "http://example.org/"},
    ...     "time": {"column": "at", "unit": "number"},
    ...     "mappings": {"garage": {"s": "ex:$(garage)", "po": [["ex:free", "$(free)", "xsd:integer"]]}},
    ... }
    >>> [(abox.at, len(abox.triples)) for abox in read_records(table, mapping, format="csv")]
    [(7, 1)]
    """
    skips = skips_errors(on_error)
    from pantarhei.io.tables.record_reader import RecordReader
    from pantarhei.io.tables.table_sources import sources_of  # imported late, since importing Arrow is slow

    read = with_precision(read_mapping(mapping), precision)
    return RecordReader(sources_of(source, format), read, skips)


def with_precision(mapping: RecordMapping, precision: Precision | None) -> RecordMapping:
    """Replace the precision of times of a mapping; None keeps the mapping's own precision.

    Raises:
        OptionError: the precision is unknown.
    """
    if precision is None:
        return mapping
    check_precision(precision)
    return replace(mapping, time=replace(mapping.time, precision=precision))


Record: TypeAlias = "MappingOf[str, Any] | str | bytes"
OnBad: TypeAlias = "Callable[[Record, MalformedInputError], object]"

_NAME = "<record>"


class Mapping:
    """Mapping of records to timestamped triples; build with `load`.

    A record is mapped as `read_records` maps a line of JSON. Well-formed records are mapped by a compiled
    mapping, all others as a table of one row.

    Attributes:
        mapping: the mapping as a value, as returned by `read_mapping`.
        times_cut: number of records whose time was cut to microseconds; the first emits a `TimesCutWarning`.

    >>> mapping = Mapping.load({
    ...     "prefixes": {"ex": "http://example.org/"},
    ...     "time": {"column": "at", "unit": "number"},
    ...     "mappings": {"garage": {"s": "ex:$(id)", "po": [["ex:free", "$(free)"]]}},
    ... })
    >>> abox = mapping.abox({"at": 7, "id": "north", "free": 12})
    >>> abox.at, abox.triples[0][2].n3()
    (7, '"12"^^<http://www.w3.org/2001/XMLSchema#integer>')
    """

    def __init__(self, mapping: RecordMapping) -> None:
        self.mapping, self.times_cut = mapping, 0
        self._compiled: dict[tuple[bool, tuple[str, ...]], CompiledMapping] = {}
        self._of_members((), False)

    @classmethod
    def load(
        cls, source: str | os.PathLike[str] | MappingOf[str, Any] | RecordMapping, time: str | None = None
    ) -> Mapping:
        """Read and compile a mapping.

        Args:
            source: a path, a text in YAML, a dictionary, or the `mapping` of a reader.
            time: the member with the time if the mapping names none; None to refuse such a mapping.

        Raises:
            MissingFileError: the file does not exist.
            MappingError: the mapping is invalid; the error has the line and suggests similar names.
            OptionError: the source is of another type.
        """
        return cls(read_mapping(source, time))

    def __repr__(self) -> str:
        return f"Mapping({self.mapping.source!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Mapping, (self.mapping,)

    def abox(
        self, record: Record, row: int = 1, members: MappingOf[str, str] | None = None
    ) -> TimestampedABox:
        """Map one record to a timestamped ABox.

        Args:
            record: a dictionary of JSON values, or the text of a JSON object.
            row: the number of the record, the value of `$(_row)`.
            members: further members, such as the topic of a message; those of the record take precedence.

        Raises:
            InvalidCellError: a member does not fit the mapping.
            MalformedInputError: the record is a text, but not a JSON object.
            OptionError: the record is neither a dictionary nor a text.
        """
        at, triples = self._part(record, row, None, None, members)
        return TimestampedABox(at, tuple(triples))

    def aboxes(self, records: Iterable[Record], on_bad: OnBad | None = None) -> list[TimestampedABox]:
        """Map records to timestamped ABoxes; consecutive records with the same time become one ABox.

        Args:
            records: records as for `abox`; `$(_row)` numbers them from 1.
            on_bad: called with each record that does not fit the mapping and the error; None to raise
                instead.

        Raises the errors of `abox`.
        """
        found: list[TimestampedABox] = []
        triples: list[Triple] = []
        last: TimePoint | None = None
        for at, part in self._parts(records, on_bad):
            if last is not None and at != last:
                found.append(TimestampedABox(last, tuple(triples)))
                triples = []
            last = at
            triples += part
        return found if last is None else [*found, TimestampedABox(last, tuple(triples))]

    def _parts(
        self, records: Iterable[Record], on_bad: OnBad | None
    ) -> Iterator[tuple[TimePoint, Sequence[Triple]]]:
        from pantarhei.io.mapping.text_times import RowOrder

        kind: TimeKind | None = None
        order = RowOrder() if self.mapping.time.ambiguous == "infer" else None
        row = 1
        for record in records:
            try:
                found = self._part(record, row, kind, order)
            except MalformedInputError as error:
                if on_bad is None:
                    raise
                on_bad(record, error)
                row += isinstance(error, InvalidCellError)  # malformed texts are not numbered as rows
                continue
            row, kind = row + 1, kind or kind_of(found[0])
            yield found

    def _part(
        self,
        record: Record,
        row: int,
        kind: TimeKind | None,
        order: RowOrder | None,
        further: MappingOf[str, str] | None = None,
    ) -> tuple[TimePoint, Sequence[Triple]]:
        is_text, members = isinstance(record, str | bytes), _members(record)
        if further:
            members = {**further, **members}
        names = tuple(_names(members)) if self.mapping.has_globs else ()
        try:
            found = self._of_members(names, is_text).read(members, row, kind)
        except UnicodeEncodeError:  # the name of a member has a lone surrogate
            found = None
        if found is None:
            return self._by_table(members if is_text else _as_row(members), row, kind, order)
        if order is not None:
            order.add(ticks_of(found[0], TimeKind.DATETIME))
        return found

    def _of_members(self, names: tuple[str, ...], is_text: bool) -> CompiledMapping:
        """Return the compiled mapping for records, from the cache if possible.

        Args:
            names: the members of the record if the mapping selects members by `*`, else empty.
            is_text: whether the record was parsed from JSON, with numbers as bytes.
        """
        if (is_text, names) not in self._compiled:
            # imported here, since importing Arrow takes a while
            from pantarhei.io.mapping.binding import bind
            from pantarhei.io.mapping.compiled_mapping import CompiledMapping, value_in_text, value_of

            if len(self._compiled) > _SHAPES:
                self._compiled.clear()
            bound = bind(self.mapping, names, _NAME, elsewhere=None)
            self._compiled[is_text, names] = CompiledMapping(bound, value_in_text if is_text else value_of)
        return self._compiled[is_text, names]

    def _by_table(
        self, record: MappingOf[str, Any], row: int, kind: TimeKind | None, order: RowOrder | None
    ) -> tuple[TimePoint, Sequence[Triple]]:
        from pantarhei.io.tables.record_reader import row_of

        made = row_of(dict(record), self.mapping, row, kind, order, _NAME)
        if made.cut is not None:
            if not self.times_cut:
                warnings.warn(TimesCutWarning(_NAME, made.cut), stacklevel=2)
            self.times_cut += 1
        return made.at, made.triples.sequence()


_SHAPES = 1_000  # cached compiled mappings


def _members(record: Record) -> MappingOf[str, Any]:
    if isinstance(record, str | bytes):
        from pantarhei.io.tables.json_table import line_of, read_object

        try:
            return read_object(line_of(record))
        except ValueError as error:
            raise MalformedInputError(_NAME, None, str(error)) from None
    if isinstance(record, MappingOf):
        return record
    raise OptionError("record", repr(record)[:200], "a dictionary, or the text of a JSON object")


def _names(record: MappingOf[str, Any]) -> list[str]:
    from pantarhei.io.mapping.json_cells import JSONColumns

    return JSONColumns([dict(record)], ()).members()


def _as_row(record: MappingOf[str, Any]) -> Any:
    """Convert a record given as a dictionary to the form that `DECODER` returns, with numbers as bytes.

    Raises:
        InvalidCellError: a value is not representable in JSON.
        MalformedInputError: the nesting is too deep.
    """
    try:
        return _as_json(record)
    except RecursionError:
        raise MalformedInputError(_NAME, None, "it is nested too deep") from None


def _as_json(value: Any, name: str = "") -> Any:
    """Convert a Python value to the form that `DECODER` returns, with numbers as bytes.

    Args:
        name: the name of the member, for errors.

    Raises:
        InvalidCellError: the value is not representable in JSON.
    """
    from pantarhei.io.mapping.compiled_mapping import value_of
    from pantarhei.io.mapping.json_cells import HALF_A_PAIR, is_unicode

    if isinstance(value, str) and not is_unicode(value):
        raise InvalidCellError(_NAME, None, name, HALF_A_PAIR)
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, MappingOf):
        outer = f"{name}." if name else ""
        for inner in value:
            _as_json(str(inner), ascii(inner))
        return {str(inner): _as_json(each, f"{outer}{inner}") for inner, each in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(each, name) for each in value]
    if isinstance(value, datetime | date):
        return value.isoformat()
    found = value_of(value)
    if found is None:
        expected = "a text, number, boolean, list, dictionary, datetime or None"
        raise InvalidCellError(
            _NAME, None, name, f"a value of type {type(value).__name__}; expected {expected}"
        )
    return found[0].encode()
