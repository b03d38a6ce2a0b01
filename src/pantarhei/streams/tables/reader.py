"""The rows of tables as timestamped ABoxes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pantarhei.errors import InvalidCellError, MalformedInputError
from pantarhei.language.time import TimePoint
from pantarhei.mapping.binding import bind
from pantarhei.mapping.cells import check_type, shown_cell
from pantarhei.mapping.mapping import RecordMapping
from pantarhei.mapping.rows import MappedRows, map_rows, runs
from pantarhei.mapping.times import shown_times
from pantarhei.streams.abox import TimestampedABox, Triples, merged
from pantarhei.streams.read import Skipped
from pantarhei.streams.tables.block import Block, Table
from pantarhei.streams.tables.csv_table import CSVTable
from pantarhei.streams.tables.opening import Sources

_FEWEST = 16  # triples of an ABox; of fewer, holding them by column costs more than it saves


class RecordReader:
    """The ABoxes of tables, in their order; build with `read_records`.

    Iterating reads them from their start, lazily, and begins the counts below anew.

    Attributes:
        name: the path as given, `<stdin>` or the like: what errors call it.
        mapping: the mapping as a value.
        skipped: what was left out under `on_error="skip"`, the first `SKIPS_KEPT` of `skipped_count`.
        bytes_read: how much of the files has been read so far.
        size: their size in bytes, None where nobody knows.
    """

    SKIPS_KEPT = 1000

    def __init__(self, sources: Sources, mapping: RecordMapping, skip_errors: bool) -> None:
        self._sources, self.mapping, self._skip_errors = sources, mapping, skip_errors
        self.name = sources.name
        self.skipped: list[Skipped] = []
        self.skipped_count = 0

    def __repr__(self) -> str:
        return f"RecordReader({self.name!r}, {self.mapping.source!r}, skipped={self.skipped_count})"

    @property
    def bytes_read(self) -> int:
        return self._sources.bytes_read

    @property
    def size(self) -> int | None:
        return self._sources.size

    def __iter__(self) -> Iterator[TimestampedABox]:
        self.skipped, self.skipped_count = [], 0
        return merged(self._parts())

    def _parts(self) -> Iterator[tuple[TimePoint, Triples]]:
        row = 1
        for table in self._sources.tables(self.mapping.delimiter):
            bound = bind(self.mapping, table.names, table.source, isinstance(table, CSVTable))
            for column, line in bound.columns.items():
                check_type(column, table.type_of(column), table.source, self.mapping.source, line)
            for block in table.blocks(tuple(bound.columns)):
                mapped = map_rows(bound, block.columns, block.height, row, self.mapping.source)
                if not (mapped.bad or block.left_out):
                    yield from _aboxes(mapped, self.mapping)
                elif self._skip_errors:
                    for wrong in _wrong(table, block, mapped):
                        self._skip(table, wrong)
                    yield from _aboxes(mapped, self.mapping)
                else:
                    first = _wrong(table, block, mapped)[0]
                    yield from _aboxes(mapped.first(first.rows_before), self.mapping)
                    raise first.error
                row += block.height

    def _skip(self, table: Table, wrong: _Wrong) -> None:
        self.skipped_count += 1
        if len(self.skipped) < self.SKIPS_KEPT:
            line, reason = wrong.error.line, wrong.said
            if table.counted != "line":
                line, reason = None, f"{table.counted} {line}, {reason}"
            if self._sources.count > 1:
                reason = f"{table.source}: {reason}"
            self.skipped.append(Skipped(line, reason, wrong.text[:1000]))


class _Wrong(NamedTuple):
    """What is left out: behind how many rows of the block, the error that it would be, and how it reads."""

    rows_before: int
    error: MalformedInputError
    text: str

    @property
    def said(self) -> str:
        """What is wrong, without the place."""
        error = self.error
        return (
            f"column {error.column}: {error.reason}" if isinstance(error, InvalidCellError) else error.reason
        )


def _wrong(table: Table, block: Block, mapped: MappedRows) -> list[_Wrong]:
    """What is wrong in a block, in its order."""
    found = [
        _Wrong(each.rows_before, MalformedInputError(table.source, each.line, each.reason), each.text)
        for each in block.left_out
    ]
    places = block.places() if mapped.bad else ()
    for row, column, reason in mapped.bad:
        text = ", ".join(f"{name}={shown_cell(cells, row)}" for name, cells in block.columns.items())
        error = InvalidCellError(table.source, places[row], column, reason, table.counted)
        found.append(_Wrong(row, error, text))
    return sorted(found, key=lambda each: each.rows_before)


def _aboxes(mapped: MappedRows, mapping: RecordMapping) -> Iterator[tuple[TimePoint, Triples]]:
    """The triples of neighbours of one time, with it."""
    bounds = list(runs(mapped.ticks))
    times = shown_times(mapped.ticks[[begin for begin, _ in bounds]], mapped.kind, mapping.time)
    ends = mapped.ends
    is_scattered = mapped.triples.height < _FEWEST * len(bounds)
    terms = list(mapped.triples.triples()) if is_scattered else []
    begin = 0
    for at, (_, last) in zip(times, bounds, strict=True):
        end, triples = int(ends[last - 1]), Triples()
        if is_scattered:
            triples.extend(terms[begin:end])
        else:
            triples.append_part(mapped.triples.slice(begin, end))
        yield at, triples
        begin = end
