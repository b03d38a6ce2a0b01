"""Parquet, and tables and frames that speak Arrow, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from pantarhei.errors import MalformedInputError, OptionError
from pantarhei.io.mapping.cell_columns import CellColumn


class SkippedLine(NamedTuple):
    """What is no row: behind how many rows of the block it comes, its line, why, and how it reads."""

    rows_before: int
    line: int
    reason: str
    text: str


class Block(NamedTuple):
    """Neighbouring rows.

    Args:
        columns: the columns asked for.
        height: how many rows there are.
        places: gives the line of each row in its file, or its number.
        left_out: what is malformed among them, in its order.
        text: returns the text of a row; None where rows are not texts.
    """

    columns: Mapping[str, pa.Array | CellColumn]
    height: int
    places: Callable[[], Sequence[int]]
    left_out: Sequence[SkippedLine] = ()
    text: Callable[[int], str] | None = None


class RecordTable(Protocol):
    """A table that is read once, block by block.

    Attributes:
        source: what errors call it.
        counted: what `places` of blocks count, "line" or "row".
        names: the names of its columns, known once `open` has been called; none where each row has its own.
    """

    source: str
    counted: str
    names: list[str]

    def open(self) -> None:
        """Read as far as the names of columns.

        Raises:
            InputError: it is no such table.
        """

    def type_of(self, column: str) -> pa.DataType:
        """The type of a column."""

    def blocks(self, columns: Sequence[str]) -> Iterator[Block]:
        """The rows, with these columns.

        Raises:
            MalformedInputError: nobody can tell where the next row begins.
        """


ROWS = 1 << 16


class ArrowTable:
    """A table in batches of rows.

    Args:
        source: what errors call it.
        schema: its columns; those of one inside another are `outer.inner`.
        batches: gives its rows, the outermost of the columns asked for at least.
    """

    counted = "row"

    def __init__(
        self, source: str, schema: pa.Schema, batches: Callable[[Sequence[str]], Iterator[pa.RecordBatch]]
    ) -> None:
        self.source, self._batches = source, batches
        self._types = [(field.name, field.type) for field in _flat(schema)]
        self.names: list[str] = [name for name, _ in self._types]

    def open(self) -> None:
        """Its names are known."""

    def type_of(self, column: str) -> pa.DataType:
        return dict(self._types)[column]

    def blocks(self, columns: Sequence[str]) -> Iterator[Block]:
        row = 1
        try:
            for batch in self._batches(columns):
                arrays = {name: _column(batch, name) for name in columns}
                for array in arrays.values():
                    array.validate(full=True)  # that texts are UTF-8, for one
                rows = range(row, row + batch.num_rows)
                yield Block(arrays, batch.num_rows, partial(_itself, rows))
                row = rows.stop
        except (pa.ArrowException, OSError, ValueError) as error:
            raise MalformedInputError(self.source, None, f"it cannot be read on: {error}") from None


def parquet_table(source: str, file: Any) -> ArrowTable:
    """A table in Parquet.

    Raises:
        MalformedInputError: it is no Parquet.
    """
    from pyarrow import parquet

    def batches(columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        yield from opened.iter_batches(ROWS, columns=outermost(schema, columns), use_threads=False)

    try:
        opened = parquet.ParquetFile(file)
        schema = opened.schema_arrow
        return ArrowTable(source, schema, batches)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise MalformedInputError(source, None, f"it is no Parquet, or was cut short: {error}") from None


def speaks_arrow(given: object) -> bool:
    """Whether it is a table, a frame or a reader by Arrow's interface."""
    return hasattr(type(given), "__arrow_c_stream__")


def arrow_table(source: str, given: Any) -> ArrowTable:
    """A table or frame that is in memory, or a reader that is read once.

    Raises:
        OptionError: its columns are none of Arrow's.
    """
    try:
        reader = pa.RecordBatchReader.from_stream(given)
    except (pa.ArrowException, TypeError, ValueError) as error:
        said = "; ".join(map(str, error.args))
        expected = f"a table that Arrow can take, each column of one type: {said}"
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


def _itself(rows: range) -> range:
    return rows


def outermost(schema: pa.Schema, columns: Sequence[str]) -> list[str]:
    """The columns of a schema in which the columns asked for are, each once."""
    return sorted({name if name in schema.names else _outer(schema, name) for name in columns})


def _outer(schema: pa.Schema, name: str) -> str:
    """The column of the table in which a column is."""
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
