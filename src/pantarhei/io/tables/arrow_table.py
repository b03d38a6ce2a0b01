"""Interface of tables that are read in blocks of rows, and its implementation for Arrow and Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from pantarhei.errors import MalformedInputError, OptionError
from pantarhei.io.mapping.cell_columns import CellColumn


class SkippedLine(NamedTuple):
    """Malformed line: number of the block's rows before it, its line number, the error, and its text."""

    rows_before: int
    line: int
    reason: str
    text: str


class Block(NamedTuple):
    """Consecutive rows of a table.

    Args:
        columns: the requested columns by name.
        height: number of rows.
        places: returns the line number of each row in its file, or the row's number (see
            `RecordTable.counted`).
        left_out: malformed lines between the rows, in order.
        text: returns the text of a row by its index; None if rows are not texts.
    """

    columns: Mapping[str, pa.Array | CellColumn]
    height: int
    places: Callable[[], Sequence[int]]
    left_out: Sequence[SkippedLine] = ()
    text: Callable[[int], str] | None = None


class RecordTable(Protocol):
    """Table that can be read once, block by block.

    Attributes:
        source: the table's name in errors.
        counted: unit of `Block.places`, "line" or "row".
        names: the names of the columns, set by `open`; empty for JSON, where each row has its own members.
    """

    source: str
    counted: str
    names: list[str]

    def open(self) -> None:
        """Read the names of the columns.

        Raises:
            InputError: the input is not a table in the expected format.
        """

    def type_of(self, column: str) -> pa.DataType:
        """Return the Arrow type of a column."""

    def blocks(self, columns: Sequence[str]) -> Iterator[Block]:
        """Yield the rows, with the columns of these names.

        Raises:
            MalformedInputError: the table is malformed, and the start of the next row is unknown.
        """


ROWS = 1 << 16


class ArrowTable:
    """Table of Arrow record batches.

    Args:
        source: the table's name in errors.
        schema: the table's columns; a field of a struct becomes the column `outer.inner`.
        batches: yields the rows, with at least those top-level columns that contain the requested columns.
    """

    counted = "row"

    def __init__(
        self, source: str, schema: pa.Schema, batches: Callable[[Sequence[str]], Iterator[pa.RecordBatch]]
    ) -> None:
        self.source, self._batches = source, batches
        self._types = [(field.name, field.type) for field in _flat(schema)]
        self.names: list[str] = [name for name, _ in self._types]

    def open(self) -> None:
        """Do nothing: the names of the columns are in the schema."""

    def type_of(self, column: str) -> pa.DataType:
        return dict(self._types)[column]

    def blocks(self, columns: Sequence[str]) -> Iterator[Block]:
        row = 1
        try:
            for batch in self._batches(columns):
                arrays = {name: _column(batch, name) for name in columns}
                for array in arrays.values():
                    array.validate(full=True)  # refuses texts that are not UTF-8, for example
                yield Block(arrays, batch.num_rows, partial(range, row, row + batch.num_rows))
                row += batch.num_rows
        except (pa.ArrowException, OSError, ValueError) as error:
            raise MalformedInputError(self.source, None, f"it cannot be read on: {error}") from None


def parquet_table(source: str, file: Any) -> ArrowTable:
    """Open a Parquet file.

    Raises:
        MalformedInputError: the file is not Parquet.
    """
    from pyarrow import parquet

    def batches(columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        yield from opened.iter_batches(ROWS, columns=outermost(schema, columns), use_threads=False)

    try:
        opened = parquet.ParquetFile(file)
        schema = opened.schema_arrow
        return ArrowTable(source, schema, batches)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise MalformedInputError(source, None, f"it is not Parquet, or is truncated: {error}") from None


def speaks_arrow(given: object) -> bool:
    """Return whether an object has Arrow's C stream interface, such as a table, a frame or a batch reader."""
    return hasattr(type(given), "__arrow_c_stream__")


def arrow_table(source: str, given: Any) -> ArrowTable:
    """Open an object with Arrow's C stream interface: a table or frame, or a reader, which can be read once.

    Raises:
        OptionError: Arrow cannot represent one of the columns.
    """
    try:
        reader = pa.RecordBatchReader.from_stream(given)
    except (pa.ArrowException, TypeError, ValueError) as error:
        reason = "; ".join(map(str, error.args))
        expected = f"a table that Arrow accepts, each column of one type: {reason}"
        raise OptionError("source", source, expected) from None

    def batches(columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        for batch in reader:
            for begin in range(0, batch.num_rows, ROWS):
                yield batch.slice(begin, ROWS)

    return ArrowTable(source, reader.schema, batches)


def _flat(schema: pa.Schema) -> list[pa.Field]:
    fields = list(schema)
    while any(pa.types.is_struct(field.type) for field in fields):
        fields = [
            inner
            for field in fields
            for inner in (
                [pa.field(f"{field.name}.{each.name}", each.type) for each in field.type]
                if pa.types.is_struct(field.type)
                else [field]
            )
        ]
    return fields


def outermost(schema: pa.Schema, columns: Sequence[str]) -> list[str]:
    """Return the top-level columns that contain the columns `columns`, sorted."""
    return sorted({name if name in schema.names else _outer(schema, name) for name in columns})


def _outer(schema: pa.Schema, name: str) -> str:
    """Return the top-level struct column that contains a column."""
    return next(str(each) for each in schema.names if name.startswith(f"{each}."))


def _column(batch: pa.RecordBatch, name: str) -> pa.Array:
    if name in batch.schema.names:
        return batch.column(name)
    outer = _outer(batch.schema, name)
    array, rest = batch.column(outer), name[len(outer) + 1 :]
    while pa.types.is_struct(array.type):
        inner = next(
            each.name for each in array.type if rest == each.name or rest.startswith(f"{each.name}.")
        )
        array, rest = pc.struct_field(array, inner), rest[len(inner) + 1 :]
    return array
