"""A block of rows, and what a table is to those who read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import pyarrow as pa

from pantarhei.io.mapping.cells import CellColumn


class LeftOut(NamedTuple):
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
    left_out: Sequence[LeftOut] = ()
    text: Callable[[int], str] | None = None


class Table(Protocol):
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
