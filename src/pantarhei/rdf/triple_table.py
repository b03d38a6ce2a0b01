"""Triples as columns: the distinct terms of each column as text, and for each row the index of its term.

Text is in N-Triples syntax. A column takes four bytes for each row, and a string for each distinct term;
rdflib terms are created on access. `split_lines` splits blocks of lines into such columns.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, TypeAlias, TypeGuard, overload

import numpy as np
import numpy.typing as npt
from rdflib import Graph

from pantarhei.errors import InvalidTripleError, OptionError
from pantarhei.model.term import Term, Triple, check_triple
from pantarhei.rdf.ntriples import exactly, parse_term

if TYPE_CHECKING:
    import pyarrow as pa

Codes = npt.NDArray[np.int32]
Texts = npt.NDArray[np.object_]

_SPARSE = 8  # if there are this many times as many distinct terms as rows, sorting the rows is faster


class TermColumn(NamedTuple):
    """Column of terms: for each row an index into `distinct`, which may have unused terms."""

    codes: Codes
    distinct: Texts

    @classmethod
    def of(cls, array: pa.DictionaryArray) -> TermColumn:
        """Return the column of a dictionary-encoded Arrow array of strings without nulls.

        The indices are not converted by `to_numpy`, since pyarrow would import pandas.
        """
        distinct = np.empty(len(array.dictionary), object)
        distinct[:] = array.dictionary.to_pylist()
        return cls(np.from_dlpack(array.indices).astype(np.int32, copy=False), distinct)

    def occurring(self, where: slice | npt.NDArray[np.bool_] = slice(None)) -> TermColumn:
        """Return the selected rows; `distinct` then contains only terms that occur in them, in order of
        appearance.

        The cost is linear in the number of rows plus the number of distinct terms; if there are many more
        distinct terms than rows, the rows are sorted instead.
        """
        codes = self.codes[where]
        if len(codes) * _SPARSE < len(self.distinct):
            terms, begins, places = np.unique(codes, return_index=True, return_inverse=True)
            order = np.argsort(begins)
            place = np.empty(len(terms), np.int32)
            place[order] = np.arange(len(terms), dtype=np.int32)
            return TermColumn(place[places], self.distinct[terms[order]])
        first = np.full(len(self.distinct), len(codes), np.int32)
        first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1, dtype=np.int32)
        used = np.flatnonzero(first < len(codes))
        used = used[np.argsort(first[used])]
        place = np.empty(len(self.distinct), np.int32)
        place[used] = np.arange(len(used), dtype=np.int32)
        return TermColumn(place[codes], self.distinct[used])

    def mapped(self, change: Callable[[str], str]) -> TermColumn:
        """Return the column with `change` applied to each distinct term."""
        distinct = np.empty(len(self.distinct), object)
        distinct[:] = [change(text) for text in self.distinct.tolist()]
        return TermColumn(self.codes, distinct)

    def terms(self) -> list[Term]:
        """Return the rdflib term of each row; each distinct term is created once."""
        codes, texts = self.occurring()
        made = np.empty(len(texts), object)
        made[:] = [parse_term(text) for text in texts.tolist()]
        terms: list[Term] = made[codes].tolist()
        return terms


class TripleColumns(NamedTuple):
    """Columns of subjects, predicates and objects, of equal length. Subjects and predicates are not checked:
    they may be literals.
    """

    subject: TermColumn
    predicate: TermColumn
    object: TermColumn

    @property
    def height(self) -> int:
        """Number of triples."""
        return len(self.subject.codes)

    def slice(self, begin: int, end: int) -> TripleColumns:
        """Return the triples from `begin` to `end` (excluded) without copying."""
        return TripleColumns(*(TermColumn(column.codes[begin:end], column.distinct) for column in self))

    def triples(self) -> Iterator[Triple]:
        """Return an iterator over the triples as rdflib terms."""
        return zip(*(column.terms() for column in self), strict=True)


Part: TypeAlias = tuple[Triple, ...] | TripleColumns


class ColumnarTriples(Sequence[Triple]):
    """Sequence of triples, parts of which are stored as columns.

    The first access to an item creates all triples, which are then kept; the length is known without them.
    The sequence is equal to a tuple of equal triples, and pickled as one.
    """

    __slots__ = ("_length", "_made", "parts")

    def __init__(self, parts: Iterable[Part]) -> None:
        self.parts = tuple(parts)
        self._length = sum(
            part.height if isinstance(part, TripleColumns) else len(part) for part in self.parts
        )
        self._made: tuple[Triple, ...] | None = None

    @property
    def triples(self) -> tuple[Triple, ...]:
        """The triples as rdflib terms."""
        if self._made is None:
            made: list[Triple] = []
            for part in self.parts:
                made += part.triples() if isinstance(part, TripleColumns) else part
            self._made = tuple(made)
        return self._made

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Triple]:
        return iter(self.triples)

    @overload
    def __getitem__(self, place: SupportsIndex) -> Triple: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Triple, ...]: ...

    def __getitem__(self, place: SupportsIndex | slice) -> Triple | tuple[Triple, ...]:
        return self.triples[place]

    def __contains__(self, triple: object) -> bool:
        return triple in self.triples

    def __add__(self, others: Iterable[Triple]) -> tuple[Triple, ...]:
        return self.triples + tuple(others)

    def __radd__(self, others: Iterable[Triple]) -> tuple[Triple, ...]:
        return tuple(others) + self.triples

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ColumnarTriples):
            return self is other or self.triples == other.triples
        return self.triples == other

    def __hash__(self) -> int:
        return hash(self.triples)

    def __repr__(self) -> str:
        return repr(self.triples)

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(tuple, list(self.triples))


NAMES = ("subject", "predicate", "object")


def columns_of(table: pa.Table | pa.RecordBatch) -> TripleColumns:
    """Return the columns `subject`, `predicate` and `object` of an Arrow table of terms in N-Triples syntax.

    Raises:
        InvalidTripleError: a column is missing or not of strings, or a cell is null. The syntax of terms is
        not checked.
    """
    import pyarrow as pa

    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    return TripleColumns(*(_column_of(table, name) for name in NAMES))


def is_table(given: object) -> TypeGuard[pa.Table]:
    """True for an Arrow table or batch. The class is inspected, since instances of owlready2's ontologies
    have every attribute.
    """
    return hasattr(type(given), "column_names") or hasattr(type(given), "to_batches")


def _may_be_triples(given: object) -> TypeGuard[Iterable[Triple]]:
    """True for an iterable that is neither text nor a pandas frame. Its items are not inspected."""
    is_text = isinstance(given, str | bytes | os.PathLike)
    return isinstance(given, Iterable) and not is_text and not hasattr(type(given), "iloc")


def triples_of_abox(given: Iterable[Triple]) -> Iterable[Triple]:
    """Return `given` if it may be an ABox as triples; its items are not inspected.

    Raises:
        InvalidTripleError: it is not iterable, or is text or a pandas frame.
    """
    if not _may_be_triples(given):
        expected = (
            "an ABox is an rdflib.Graph, an iterable of triples, a path, or a pyarrow.Table (of a pandas "
            "frame: pyarrow.Table.from_pandas; of an owlready2 ontology: ontology.world.as_rdflib_graph())"
        )
        raise InvalidTripleError(repr(given)[:200], expected)
    return given


def frozen_abox(given: Iterable[Triple] | pa.Table) -> Sequence[Triple] | pa.Table:
    """Return an immutable ABox with the triples of `given`.

    Raises:
        InvalidTripleError: it is not an ABox, or an item is not a triple. Cells of a table are not parsed.
    """
    if is_table(given):
        columns_of(given)
        return given
    if isinstance(given, ColumnarTriples):
        return given
    return tuple(map(check_triple, triples_of_abox(given)))


def triples_of(
    given: Graph | Iterable[Triple] | pa.Table | None, option: str = "background"
) -> Iterable[Triple]:
    """Return the triples of a background. Blank nodes of a table keep their labels.

    Args:
        option: name of the argument in errors.

    Raises:
        InvalidTripleError: a table is invalid for `columns_of`, or a cell is not a term.
        OptionError: `given` is not a graph, triples or a table.
    """
    if given is None:
        return ()
    if is_table(given):
        return tuple(columns_of(given).triples())
    if not _may_be_triples(given):
        raise OptionError(
            option,
            repr(given)[:200],
            "a graph, triples, a path or a pyarrow.Table",
        )
    return given


def _column_of(table: pa.Table, name: str) -> TermColumn:
    import pyarrow as pa

    if table.column_names.count(name) != 1:
        given = f"a table with columns {', '.join(table.column_names)}"
        raise InvalidTripleError(given, f"exactly one column {name} is expected")
    column = table.column(name)
    if not len(column):
        return TermColumn(np.empty(0, np.int32), np.empty(0, object))
    if column.null_count:
        raise InvalidTripleError(f"a null in column {name}", "every cell must hold a term")
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks)
    if not isinstance(array, pa.DictionaryArray):
        array = array.dictionary_encode()
    distinct = array.dictionary
    if distinct.null_count:
        raise InvalidTripleError(f"a null in the dictionary of column {name}", "every cell must hold a term")
    if not (pa.types.is_string(distinct.type) or pa.types.is_large_string(distinct.type)):
        raise InvalidTripleError(
            f"column {name} of type {column.type}", "expected strings in N-Triples syntax"
        )
    return TermColumn.of(array)


Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]

_SPACE, _NEWLINE, _QUOTE, _BACKSLASH = b' \n"\\'


class WordColumn(NamedTuple):
    """Distinct words, each followed by a newline.

    Args:
        text: all words.
        bounds: word `i` begins at `bounds[i]` and ends before the newline at `bounds[i + 1] - 1`.
    """

    text: Bytes
    bounds: Places

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def firsts(self) -> Bytes:
        """First byte of each word; a newline for an empty word."""
        return self.text[self.bounds[:-1]]

    @property
    def lengths(self) -> Places:
        """Length of each word in bytes."""
        return np.diff(self.bounds) - 1

    def decoded(self) -> list[str]:
        """Return the words as text.

        Raises:
            UnicodeDecodeError: the words are not UTF-8.
        """
        return self.text.tobytes().decode().split("\n")[:-1]


class Split(NamedTuple):
    """Lines of a block that have a given number of words.

    Args:
        codes: for each line and word the index in `words`.
        places: indexes of these lines in the block, ascending.
        lines: number of all lines in the block.
    """

    codes: Codes
    words: WordColumn
    places: Places
    lines: int


def split_lines(block: bytes, width: int) -> Split:
    """Split the lines of a block that have exactly `width` words separated by single spaces. The cost is
    about a nanosecond for each byte.

    Spaces inside strings do not separate words. A quotation mark preceded by an odd number of backslashes
    does not end a string. Control characters separate words as spaces do; a line of canonical terms has none
    outside strings, so a line with one is not among the result.
    """
    import pyarrow as pa

    if not block.endswith(b"\n"):
        block += b"\n"
    data = np.frombuffer(block, np.uint8)
    ends = _ends_in_strings(data, block) if b'"' in block else np.flatnonzero(data <= _SPACE)
    separators = data[ends]
    last = np.flatnonzero(separators == _NEWLINE)
    bounds = np.empty(len(ends) + 1, np.int32)
    bounds[0], bounds[1:] = 0, ends
    bounds[1:] += 1
    words = pa.Array.from_buffers(pa.binary(), len(ends), [None, pa.py_buffer(bounds), pa.py_buffer(block)])
    places = _lines_of(separators, last, width)
    if len(places) * width != len(ends):
        chosen = (last[places, np.newaxis] + np.arange(1 - width, 1)).ravel()
        words = words.take(pa.array(chosen, pa.int32()))
    encoded = words.dictionary_encode()
    codes: Codes = np.from_dlpack(encoded.indices).astype(np.int32, copy=False)
    return Split(codes.reshape(-1, width), _words(encoded.dictionary), places, len(last))


def _ends_in_strings(data: Bytes, block: bytes) -> Places:
    """Return the offsets of separators in a block with quotation marks. A space between an odd and the next
    quotation mark of its line is inside a string.
    """
    marks = np.flatnonzero((data <= _SPACE) | (data == _QUOTE))
    kinds = data[marks]
    quotes = kinds == _QUOTE
    if b"\\" in block:
        quotes &= ~_are_escaped(data)[marks]
    before = np.cumsum(quotes)
    newlines = np.flatnonzero(kinds == _NEWLINE)
    lengths = np.diff(newlines, prepend=-1)
    at_start = np.repeat(np.concatenate([[0], before[newlines[:-1]]]), lengths)
    is_end = (((before - at_start) & 1) == 0) | (kinds == _NEWLINE)
    ends: Places = marks[is_end & (kinds != _QUOTE)]
    return ends


def _are_escaped(data: Bytes) -> Flags:
    """Return a mask of the bytes preceded by an odd number of backslashes."""
    places = np.flatnonzero(data == _BACKSLASH)
    begins = np.diff(places, prepend=-2) != 1
    first = np.flatnonzero(begins)[np.cumsum(begins) - 1]
    escaping = places[(np.arange(len(places)) - first) % 2 == 0]
    escaped = np.zeros(len(data) + 1, np.bool_)
    escaped[escaping + 1] = True
    return escaped[:-1]


def _lines_of(separators: Bytes, last: Places, width: int) -> Places:
    """Return the indexes of the lines that have `width` words separated by single spaces."""
    places = np.flatnonzero(np.diff(last, prepend=-1) == width)
    inner = separators[last[places, np.newaxis] + np.arange(1 - width, 0)]
    fits = (inner == _SPACE).all(axis=1)
    return places if fits.all() else places[fits]


def _words(dictionary: pa.BinaryArray) -> WordColumn:
    """Return the words of a dictionary, with the separator after each replaced by a newline."""
    count = len(dictionary)
    _, offsets, data = dictionary.buffers()
    if not count:
        return WordColumn(np.zeros(0, np.uint8), np.zeros(1, np.intp))
    bounds = np.frombuffer(offsets, np.int32, count + 1).astype(np.intp)
    text = np.frombuffer(data, np.uint8, bounds[-1]).copy()
    text[bounds[1:] - 1] = _NEWLINE
    return WordColumn(text, bounds)
