"""N-Quads that stand in the file as they stand in a table: taken over as text, a block of lines at a time.

A line is plain if it is four canonical terms and a full stop with one space between each, the graph's name an
IRI. Splitting such a line at its spaces is parsing it. Whether a term is canonical is asked once for each
distinct term, of a pattern for the ordinary ones and of pyoxigraph's parser for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyoxigraph as ox
from pyarrow import compute as pc
from pyarrow import csv

from pantarhei.spark.sources.triple_columns import NAMES

_CACHED = 200_000
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_ORDINARY_IRI = r"<https?://[A-Za-z0-9.-]+(?:/[A-Za-z0-9._~/-]*)?(?:#[A-Za-z0-9._~/-]*)?>"
_XSD = r"<http://www\.w3\.org/2001/XMLSchema#(?!string>)[a-zA-Z]+>"
_ORDINARY = re.compile(rf'{_ORDINARY_IRI}|"[ !#-\[\]-~]*"(?:\^\^{_XSD}|@[a-z]{{2}})?|_:[A-Za-z][A-Za-z0-9]*')
_SPACED = re.compile(rb'"(?:[^"\\\n ]|\\.)*+ (?:[^"\\\n]|\\.)*+"')  # a string with a space
_HIDDEN_SPACE = b"\x1f"
_COLUMNS = (*NAMES, "graph", "end")
_NO_QUOTES = csv.ParseOptions(delimiter=" ", quote_char=False, escape_char=False, ignore_empty_lines=False)
_AS_TEXT = csv.ConvertOptions(column_types=dict.fromkeys(_COLUMNS, pa.string()))


class Run(NamedTuple):
    """Neighbouring lines of one graph, whose name is in N-Triples syntax: from `begin` up to `end`."""

    graph: str
    begin: int
    end: int


class PlainQuads(NamedTuple):
    """The lines of a block: their triples (columns `NAMES`), and in which graphs they stand.

    Attributes:
        blank_nodes: whether there may be any among the triples.
    """

    triples: pa.RecordBatch
    runs: Sequence[Run]
    blank_nodes: bool

    def first(self, run: Run) -> Sequence[str]:
        """The terms of a run's first triple."""
        return [column[run.begin].as_py() for column in self.triples.columns]


class _Column(NamedTuple):
    """A column as its distinct terms and, row by row, which one it is."""

    terms: list[str]
    rows: np.ndarray[tuple[int], np.dtype[np.int32]]


class PlainQuadsReader:
    """Reads plain blocks; remembers terms it has found canonical.

    Args:
        reserved: IRIs in N-Triples syntax that are not for plain blocks to have as predicates.
    """

    def __init__(self, reserved: Collection[str]) -> None:
        self._reserved = frozenset(reserved)
        self._nodes: set[str] = set()
        self._literals: set[str] = set()

    def read(self, block: bytes) -> PlainQuads | None:
        """The quads of whole lines, None unless each line is plain and its triple one of RDF 1.1.

        About half a microsecond a line if terms are repeated.
        """
        arrays = _split(block)
        if arrays is None:
            return None
        subjects, predicates, objects, graphs = columns = [_encoded(array) for array in arrays]
        names = {*predicates.terms, *graphs.terms}
        if not (self._has_nodes({*subjects.terms} | names) and self._has_terms({*objects.terms})):
            return None
        if any(name[0] != "<" for name in names) or not self._reserved.isdisjoint(predicates.terms):
            return None
        if _TYPE in predicates.terms and _types_by_literal(predicates, objects):
            return None
        triples = pa.record_batch(arrays[:3], names=list(NAMES))
        return PlainQuads(triples, _runs(columns[3]), b"_:" in block)

    def _has_nodes(self, terms: set[str]) -> bool:
        """Whether all are canonical IRIs or blank nodes."""
        new = terms - self._nodes
        if not _are_canonical(new) or any(term[0] == '"' for term in new):
            return False
        self._nodes = _grown(self._nodes, new)
        return True

    def _has_terms(self, terms: set[str]) -> bool:
        """Whether all are canonical."""
        new = terms - self._nodes - self._literals
        if not _are_canonical(new):
            return False
        literals = {term for term in new if term[0] == '"'}
        self._nodes = _grown(self._nodes, new - literals)
        self._literals = _grown(self._literals, literals)
        return True


def _grown(known: set[str], new: set[str]) -> set[str]:
    if len(known) >= _CACHED:
        return new
    known |= new
    return known


def _encoded(array: pa.Array) -> _Column:
    encoded = array.dictionary_encode()
    return _Column(encoded.dictionary.to_pylist(), encoded.indices.to_numpy())


def _types_by_literal(predicates: _Column, objects: _Column) -> bool:
    """Whether a literal is the object of rdf:type."""
    literal = np.array([term[0] == '"' for term in objects.terms])
    return bool((literal[objects.rows] & (predicates.rows == predicates.terms.index(_TYPE))).any())


def _runs(graphs: _Column) -> list[Run]:
    changes = np.flatnonzero(np.diff(graphs.rows)) + 1
    begins, ends = [0, *changes.tolist()], [*changes.tolist(), len(graphs.rows)]
    return [Run(graphs.terms[graphs.rows[i]], i, j) for i, j in zip(begins, ends, strict=True)]


def _split(block: bytes) -> list[pa.Array] | None:
    """Subjects, predicates, objects and graphs of lines that are split by single spaces."""
    if b"\r" in block or _HIDDEN_SPACE in block or block.startswith(b"\xef\xbb\xbf"):
        return None
    lines = block.count(b"\n") + (not block.endswith(b"\n"))
    table = _split_at_spaces(block)
    hidden = table is None
    if table is None:
        table = _split_at_spaces(_SPACED.sub(lambda string: string[0].replace(b" ", _HIDDEN_SPACE), block))
    if table is None or table.num_rows != lines or table["end"].unique().to_pylist() != ["."]:
        return None
    subjects, predicates, objects, graphs = (table[name].combine_chunks() for name in _COLUMNS[:4])
    if hidden:
        objects = pc.replace_substring(objects, _HIDDEN_SPACE.decode(), " ")
    return [subjects, predicates, objects, graphs]


def _split_at_spaces(block: bytes) -> pa.Table | None:
    """The words of each line, None unless each has five."""
    options = csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=list(_COLUMNS))
    try:
        return csv.read_csv(pa.BufferReader(block), options, _NO_QUOTES, _AS_TEXT)
    except pa.ArrowInvalid:
        return None


def _are_canonical(given: Collection[str]) -> bool:
    """Whether each text is a term of RDF 1.1 exactly as pyoxigraph writes it."""
    terms = [term for term in given if not _ORDINARY.fullmatch(term)]
    if any("<<" in term for term in terms):  # nested deep, they would exhaust the parser's stack
        return False
    document = "".join(f"<urn:x> <urn:x> {term} <urn:x> .\n" for term in terms)
    try:
        quads = list(ox.parse(document.encode(), ox.RdfFormat.N_QUADS))
    except SyntaxError:
        return False
    return len(quads) == len(terms) and all(map(_is_written, quads, terms))


def _is_written(quad: ox.Quad, text: str) -> bool:
    term = quad.object
    return str(term) == text and not (isinstance(term, ox.Literal) and term.direction is not None)
