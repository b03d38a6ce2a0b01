"""N-Quads that stand in the file as they stand in a table: taken over as text, a block of lines at a time.

A line is plain if it is four canonical terms and a full stop with one space between each, the graph's name an
IRI. Splitting such a line at its spaces is parsing it. Whether a term is canonical is asked once for each
distinct term, of a pattern for the ordinary ones and of pyoxigraph's parser for the rest. Lines between them
that are not plain are left to a parser, each at its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from heapq import merge
from itertools import compress
from operator import attrgetter
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyoxigraph as ox
from pyarrow import csv

from pantarhei.language.columns import TermColumn, TripleColumns
from pantarhei.language.ntriples import parse_term
from pantarhei.language.term import Term, Triple
from pantarhei.streams.statements import OddLines
from pantarhei.streams.terms import Scope

_CACHED = 200_000
_MOST_ODD = 4  # of so many lines, one may be odd; else all are left to the parser
_SHORT = 48  # runs of fewer lines, taken together, cost less as triples than by column
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_ORDINARY_IRI = r"<https?://[A-Za-z0-9.-]+(?:/[A-Za-z0-9._~/-]*)?(?:#[A-Za-z0-9._~/-]*)?>"
_XSD = r"<http://www\.w3\.org/2001/XMLSchema#(?!string>)[a-zA-Z]+>"
_ORDINARY = re.compile(rf'{_ORDINARY_IRI}|"[ !#-\[\]-~]*"(?:\^\^{_XSD}|@[a-z]{{2}})?|_:[A-Za-z][A-Za-z0-9]*')
_SPACED = re.compile(rb'"(?:[^"\\\n ]|\\.)*+ (?:[^"\\\n]|\\.)*+"')  # a string with a space
_HIDDEN_SPACE = "\x1f"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NAMES = ("subject", "predicate", "object")
_COLUMNS = (*NAMES, "graph", "end")
_WITHOUT_GRAPH = (*NAMES, "end")
_NO_NAME = "<urn:x-none>"
_AS_CODES = csv.ConvertOptions(column_types=dict.fromkeys(_COLUMNS, pa.dictionary(pa.int32(), pa.string())))

Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]


class _Block:
    """The plain lines of a block.

    Args:
        columns: their triples.
        is_scattered: whether its runs are so short that triples had better be made one by one.
        term: what makes rdflib's terms.
    """

    def __init__(self, columns: TripleColumns, is_scattered: bool, term: Callable[[str], Term]) -> None:
        self.columns, self.is_scattered, self._term = columns, is_scattered, term
        self.blank_subjects, self.blank_objects = (
            np.array([text[0] == "_" for text in column.distinct.tolist()], np.bool_)
            for column in (columns.subject, columns.object)
        )
        self.has_blanks = bool(self.blank_subjects.any() or self.blank_objects.any())

    @cached_property
    def triples(self) -> list[Triple]:
        """All of them as rdflib's terms; those with blank nodes mean nothing."""
        lists: list[list[Term]] = []
        for column in self.columns:
            made = np.empty(len(column.distinct), object)
            made[:] = [None if text[0] == "_" else self._term(text) for text in column.distinct.tolist()]
            lists.append(made[column.codes].tolist())
        return cast("list[Triple]", list(zip(*lists, strict=True)))

    @cached_property
    def texts(self) -> list[list[str]]:
        """All of them as text by column."""
        return [column.distinct[column.codes].tolist() for column in self.columns]

    @cached_property
    def batch(self) -> pa.RecordBatch:
        """All of them as strings."""
        arrays = [
            pa.DictionaryArray.from_arrays(column.codes, pa.array(column.distinct, pa.string()))
            for column in self.columns
        ]
        return pa.record_batch([array.dictionary_decode() for array in arrays], names=list(NAMES))


class PlainRun(NamedTuple):
    """Neighbouring lines of one graph: lines `begin` up to `end` of a block, the first with its number."""

    line: int
    name: ox.NamedNode
    block: _Block
    begin: int
    end: int

    def has_blanks(self) -> bool:
        """Whether there are blank nodes among the triples."""
        block = self.block
        if not block.has_blanks:
            return False
        subjects, _, objects = block.columns.slice(self.begin, self.end)
        return bool(block.blank_subjects[subjects.codes].any() or block.blank_objects[objects.codes].any())

    def triples(self, scope: Scope) -> list[Triple]:
        """The triples as rdflib's terms, blank nodes named by the scope."""
        if not self.has_blanks():
            return self.block.triples[self.begin : self.end]
        columns = self.columns(scope)
        return list(columns.triples())

    def columns(self, scope: Scope) -> TripleColumns:
        """The triples by column, blank nodes named by the scope."""
        columns = self.block.columns.slice(self.begin, self.end)
        if not self.has_blanks():
            return columns
        subjects, objects = columns.subject.occurring(), columns.object.occurring()
        names: dict[str, str] = {}
        for object_, subject in zip(
            *(column.distinct[column.codes] for column in (objects, subjects)), strict=True
        ):
            for text in (object_, subject):  # the order in which a parser's blank nodes are named
                if text[0] == "_" and text not in names:
                    names[text] = "_:" + scope.name(ox.BlankNode(text[2:]))
        subject, object_ = (
            column.mapped(lambda text: names.get(text, text)) for column in (subjects, objects)
        )
        return TripleColumns(subject, columns.predicate, object_)

    def texts(self) -> list[list[str]]:
        """Subjects, predicates and objects as text, blank nodes as they are written."""
        return [column[self.begin : self.end] for column in self.block.texts]

    def batch(self) -> pa.RecordBatch:
        """The triples as strings, blank nodes as they are written."""
        return self.block.batch.slice(self.begin, self.end - self.begin)


class _Split(NamedTuple):
    """The lines of a block that are five words, and which lines of the block these are."""

    columns: list[TermColumn]
    places: Places
    lines: int


class PlainQuadsReader:
    """Reads blocks of lines; remembers terms it has found canonical.

    Args:
        reserved: IRIs in N-Triples syntax whose statements are left to the parser.
        graphs: lines name a graph; if not, they are N-Triples, and all are of one nameless graph.
    """

    def __init__(self, reserved: Collection[str], graphs: bool = True) -> None:
        self._reserved, self._graphs = frozenset(reserved), graphs
        self._canonical: set[str] = set()
        self._terms: dict[str, Term] = {}
        self._names: dict[str, ox.NamedNode] = {}

    def read(self, line: int, block: bytes) -> Iterator[PlainRun | OddLines]:
        """The lines of a block in their order, `line` the number of the first.

        Plain ones are quads of RDF 1.1, the graph's name an IRI and the predicate none that is reserved.

        About half a microsecond a line if terms are repeated.
        """
        split = _split(block, _COLUMNS if self._graphs else _WITHOUT_GRAPH)
        plain = np.zeros(0, np.bool_) if split is None else self._plain(split.columns)
        if split is None or (split.lines - np.count_nonzero(plain)) * _MOST_ODD > split.lines:
            yield OddLines(line, block)
            return
        *triples, graphs, _ = split.columns
        places = split.places
        if not plain.all():
            triples, graphs = [column.occurring(plain) for column in triples], graphs.occurring(plain)
            places = places[plain]
        odd = _odd_lines(block, line, places, split.lines)
        if len(places):
            yield from self._in_order(TripleColumns(*triples), graphs, line, places, odd)
        else:
            yield from odd

    def _in_order(
        self, columns: TripleColumns, graphs: TermColumn, line: int, places: Places, odd: Sequence[OddLines]
    ) -> Iterator[PlainRun | OddLines]:
        """The runs of plain lines, and between them the odd ones."""
        breaks = (np.diff(graphs.codes) != 0) | (np.diff(places) != 1)
        begins = np.concatenate([[0], np.flatnonzero(breaks) + 1])
        ends = [*begins[1:].tolist(), len(places)]
        names = graphs.distinct[graphs.codes[begins]].tolist()
        firsts = (places[begins] + line).tolist()
        block = _Block(columns, len(begins) * _SHORT > len(places), self._term)
        runs = (
            PlainRun(first, self._name(name), block, begin, end)
            for first, name, begin, end in zip(firsts, names, begins.tolist(), ends, strict=True)
        )
        return merge(runs, odd, key=attrgetter("line")) if odd else runs

    def _plain(self, columns: Sequence[TermColumn]) -> Flags:
        """Of lines that are split into words, which ones are plain."""
        subjects, predicates, objects, _, ends = columns
        texts = [column.distinct.tolist() for column in columns[:4]]
        canonical = self._find_canonical({text for column in texts for text in column})
        fits: list[list[bool]] = [
            [text in canonical and text[0] != '"' for text in texts[0]],
            [text in canonical and text[0] == "<" and text not in self._reserved for text in texts[1]],
            [text in canonical for text in texts[2]],
            [text in canonical and text[0] == "<" for text in texts[3]],
            [text == "." for text in ends.distinct.tolist()],
        ]
        plain = np.ones(len(subjects.codes), np.bool_)
        for column, fit in zip(columns, fits, strict=True):
            if not all(fit):
                plain &= np.array(fit, np.bool_)[column.codes]
        if _TYPE in texts[1]:
            literal = np.array([text[:1] == '"' for text in texts[2]], np.bool_)
            plain &= ~(literal[objects.codes] & (predicates.codes == texts[1].index(_TYPE)))
        return plain

    def _find_canonical(self, texts: set[str]) -> set[str]:
        """At least those of `texts` that are canonical, and no others that are not."""
        new = texts - self._canonical
        if new:
            found = _canonical_of(new)
            if len(self._canonical) >= _CACHED:
                self._canonical = (texts & self._canonical) | found
            else:
                self._canonical |= found
        return self._canonical

    def _term(self, text: str) -> Term:
        term = self._terms.get(text)
        if term is None:
            if len(self._terms) >= _CACHED:
                self._terms.clear()
            term = self._terms[text] = parse_term(text)
        return term

    def _name(self, text: str) -> ox.NamedNode:
        name = self._names.get(text)
        if name is None:
            if len(self._names) >= _CACHED:
                self._names.clear()
            name = self._names[text] = ox.NamedNode(text[1:-1])
        return name


def _odd_lines(block: bytes, line: int, plain: Places, lines: int) -> list[OddLines]:
    """The lines that are not at the places `plain`, neighbours together."""
    if len(plain) == lines:
        return []
    odd = np.ones(lines, np.bool_)
    odd[plain] = False
    places = np.flatnonzero(odd)
    starts = np.concatenate([[0], np.flatnonzero(np.frombuffer(block, np.uint8) == 10) + 1, [len(block)]])
    breaks = np.flatnonzero(np.diff(places) != 1) + 1
    begins = places[np.concatenate([[0], breaks])].tolist()
    ends = (places[np.concatenate([breaks - 1, [len(places) - 1]])] + 1).tolist()
    return [
        OddLines(line + begin, block[starts[begin] : starts[end]])
        for begin, end in zip(begins, ends, strict=True)
    ]


def _split(block: bytes, names: Sequence[str]) -> _Split | None:
    """The lines that are as many words as `names`, split by single spaces; None if that cannot be told."""
    if b"\r" in block or _HIDDEN_SPACE.encode() in block or block.startswith(_BYTE_ORDER_MARK):
        return None
    lines = block.count(b"\n") + (not block.endswith(b"\n"))
    table, odd = _split_at_spaces(block, names, 0)
    if table is not None and table.num_rows == lines:
        return _Split(_columns(table), np.arange(lines), lines)
    hidden = _SPACED.sub(lambda string: string[0].replace(b" ", _HIDDEN_SPACE.encode()), block)
    table, odd = _split_at_spaces(hidden, names, lines // _MOST_ODD)
    if table is None or table.num_rows + len(odd) != lines:
        return None
    places = np.ones(lines, np.bool_)
    places[odd] = False
    columns = _columns(table)
    columns[2] = columns[2].mapped(lambda text: text.replace(_HIDDEN_SPACE, " "))
    return _Split(columns, np.flatnonzero(places), lines)


def _split_at_spaces(block: bytes, names: Sequence[str], most_odd: int) -> tuple[pa.Table | None, list[int]]:
    """The words of each line that has as many as `names`, and the places of the others.

    No table if these are too many.
    """
    odd: list[int] = []

    def skip(row: csv.InvalidRow) -> str:
        odd.append(row.number - 1)
        return "skip" if len(odd) <= most_odd else "error"

    read = csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=list(names))
    parse = csv.ParseOptions(
        delimiter=" ", quote_char=False, escape_char=False, ignore_empty_lines=False, invalid_row_handler=skip
    )
    try:
        return csv.read_csv(pa.BufferReader(block), read, parse, _AS_CODES), odd
    except pa.ArrowInvalid:
        return None, odd


def _columns(table: pa.Table) -> list[TermColumn]:
    """Subjects, predicates, objects, graphs and ends."""
    columns = [_column(table, name) for name in table.column_names]
    if len(columns) < len(_COLUMNS):
        columns.insert(3, TermColumn(np.zeros(table.num_rows, np.int32), np.array([_NO_NAME], object)))
    return columns


def _column(table: pa.Table, name: str) -> TermColumn:
    array = table.column(name).combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks)
    return TermColumn.of(array)


def _canonical_of(texts: Collection[str]) -> set[str]:
    """Those that are a term of RDF 1.1 exactly as pyoxigraph writes it."""
    unusual = [text for text in texts if not _ORDINARY.fullmatch(text)]
    # triple terms are none, and nested deep they would exhaust the parser's stack
    whole = [text for text in unusual if text and "<<" not in text]
    if not _are_written(whole):
        whole = list(compress(whole, (_are_written([text]) for text in whole)))
    return (set(texts) - set(unusual)) | set(whole)


def _are_written(texts: Sequence[str]) -> bool:
    document = "".join(f"<urn:x> <urn:x> {text} <urn:x> .\n" for text in texts)
    try:
        quads = list(ox.parse(document.encode(), ox.RdfFormat.N_QUADS))
    except SyntaxError:
        return False
    return len(quads) == len(texts) and all(map(_is_written, quads, texts))


def _is_written(quad: ox.Quad, text: str) -> bool:
    term = quad.object
    return str(term) == text and not (isinstance(term, ox.Literal) and term.direction is not None)
