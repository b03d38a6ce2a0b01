"""Triples of text as columns: Arrow's where a block was taken from a file, Python's where it was parsed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

import pyarrow as pa

from pantarhei.rdf.triple_table import NAMES

TextTriple = tuple[str, str, str]


class _Lists(NamedTuple):
    """Lists and not tuples of three, which would be work for the garbage collector."""

    subjects: list[str]
    predicates: list[str]
    objects: list[str]


class GrowingColumns:
    """A sequence of triples that grows at its end."""

    __slots__ = ("_length", "_parts")

    def __init__(self) -> None:
        self._parts: list[_Lists | pa.RecordBatch] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[TextTriple]:
        return zip(*(array.to_pylist() for array in self.arrays()), strict=True)

    def append(self, triple: TextTriple) -> None:
        """Add a triple."""
        subject, predicate, object_ = triple
        lists = self._open()
        lists.subjects.append(subject)
        lists.predicates.append(predicate)
        lists.objects.append(object_)
        self._length += 1

    def append_columns(self, subjects: list[str], predicates: list[str], objects: list[str]) -> None:
        """Add triples given by column."""
        for column, more in zip(self._open(), (subjects, predicates, objects), strict=True):
            column += more
        self._length += len(subjects)

    def append_part(self, triples: pa.RecordBatch) -> None:
        """Add the triples of a batch with the columns `NAMES`, without copying them."""
        self._parts.append(triples)
        self._length += triples.num_rows

    def extend(self, others: GrowingColumns) -> None:
        """Add triples."""
        for part in others._parts:
            if isinstance(part, _Lists):
                self.append_columns(*part)
            else:
                self.append_part(part)

    def pieces(self, size: int) -> Iterator[GrowingColumns]:
        """The triples in order, at most `size` at once."""
        if len(self) <= size:
            yield self
            return
        whole = pa.record_batch(self.arrays(), names=list(NAMES))
        for begin in range(0, len(self), size):
            piece = GrowingColumns()
            piece.append_part(whole.slice(begin, size))
            yield piece

    def arrays(self) -> list[pa.Array]:
        """The three columns."""
        parts = [_arrays(part) for part in self._parts] or [_arrays(_Lists([], [], []))]
        return [pa.concat_arrays(list(column)) for column in zip(*parts, strict=True)]

    def _open(self) -> _Lists:
        if not (self._parts and isinstance(self._parts[-1], _Lists)):
            self._parts.append(_Lists([], [], []))
        return cast(_Lists, self._parts[-1])


def _arrays(part: _Lists | pa.RecordBatch) -> list[pa.Array]:
    if isinstance(part, _Lists):
        return [pa.array(column, pa.string()) for column in part]
    return cast(list[pa.Array], part.columns)
