"""Plain N-Quads, copied as text to table columns without a parser, a block of lines at a time.

A line is plain if it is four canonical terms and a full stop with one space between each, and the graph's
name is an IRI. Such a line is parsed by splitting it at its spaces. Other lines are left to a parser, in
order.

A canonical term is written as pyoxigraph writes it; each distinct term of a block is tested once. Ordinary
IRIs are recognised by their bytes, vectorised; ordinary literals and blank nodes by a regular expression;
other terms are parsed and written by pyoxigraph and compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from heapq import merge
from itertools import compress
from operator import attrgetter
from string import ascii_letters, digits
from typing import NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyoxigraph as ox

from pantarhei.model.term import Term, Triple
from pantarhei.rdf.decompression import BYTE_ORDER_MARK
from pantarhei.rdf.ntriples import MOST_CACHED, NumberedNodes, parse_term
from pantarhei.rdf.statements import UnparsedLines
from pantarhei.rdf.triple_table import (
    NAMES,
    Codes,
    Flags,
    Places,
    Split,
    TermColumn,
    TripleColumns,
    WordColumn,
    split_lines,
)

_IRI = r"<https?://[A-Za-z0-9.-]+(?:/[A-Za-z0-9._~/-]*)?(?:#[A-Za-z0-9._~/-]*)?>"
_XSD = r"<http://www\.w3\.org/2001/XMLSchema#(?!string>)[a-zA-Z]+>"
_ORDINARY = re.compile(rf'{_IRI}|"[ !#-\[\]-~]*"(?:\^\^{_XSD}|@[a-z]{{2}})?|_:[A-Za-z][A-Za-z0-9]*')
_SCHEMES = b"<http://", b"<https://"


def _table(characters: str) -> Flags:
    flags = np.zeros(256, np.bool_)
    flags[np.frombuffer(characters.encode(), np.uint8)] = True
    return flags


_IN_HOST = _table(ascii_letters + digits)
_MARK = ~_table(ascii_letters + digits + "-._~/")


class CanonicalTerms:
    """Test for canonical terms, with a cache of those not recognised by their bytes."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def among(self, words: WordColumn, texts: Sequence[str]) -> Flags:
        """Return a mask of canonical words, whose texts are given; may be false for some of them, never true
        for others.
        """
        flags = are_ordinary_iris(words)
        others = np.flatnonzero(~flags & (words.lengths > 1))  # a full stop is not a term
        if len(others):
            unsure = [texts[place] for place in others.tolist()]
            known = self._find(set(unsure))
            flags[others] = [text in known for text in unsure]
        return flags

    def _find(self, texts: set[str]) -> set[str]:
        """Return canonical ones of `texts`, not necessarily all."""
        new = texts - self._known
        if new:
            found = canonical_of(new)
            if len(self._known) >= MOST_CACHED:
                self._known = (texts & self._known) | found
            else:
                self._known |= found
        return self._known


def are_ordinary_iris(words: WordColumn) -> Flags:
    """Return a mask of words that are http or https IRIs with a host and ordinary characters.

    Such a word has four marks, the second of which is the colon of the scheme, or five, the third of which is
    a number sign; the last is the newline after it.
    """
    text, begins, ends = words.text, words.bounds[:-1], words.bounds[1:]
    marks = np.flatnonzero(_MARK[text])
    first = np.searchsorted(marks, begins)
    counts = np.diff(first, append=len(marks))
    are: Flags = (counts == 4) | (counts == 5)
    are &= words.lengths > len(_SCHEMES[1])
    places = np.flatnonzero(are)
    begins, ends = begins[places], ends[places]
    fits = _begin(words, begins) & (text[ends - 2] == ord(">"))
    fits &= (counts[places] == 4) | (text[marks[first[places] + 2]] == ord("#"))
    are[places] = fits
    return are


def _begin(words: WordColumn, begins: Places) -> Flags:
    """Return a mask of positions where a scheme and the start of a host begin."""
    found = np.zeros(len(begins), np.bool_)
    for scheme in _SCHEMES:
        fits = _IN_HOST[words.text[begins + len(scheme)]]
        for place, byte in enumerate(scheme):
            fits &= words.text[begins + place] == byte
        found |= fits
    return found


def canonical_of(texts: Collection[str]) -> set[str]:
    """Return the texts that are RDF 1.1 terms exactly as pyoxigraph writes them."""
    unusual = [text for text in texts if not _ORDINARY.fullmatch(text)]
    # triple terms are not canonical, and deep nesting would exhaust the parser's stack
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


_MOST_ODD = 4  # with more than one other line in this many, all are left to the parser
_SHORT = 48  # runs shorter than this are cheaper as triples than by column
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_BRACKET, _QUOTE, _BLANK, _STOP = b'<"_.'
_WITH_GRAPH, _WITHOUT_GRAPH = 5, 4  # words of a line, the full stop included
_NO_NAME = "<urn:x-none>"


class _Block:
    """Plain lines of a block.

    Args:
        columns: their triples; all columns share their distinct terms.
        are_blank: mask of blank nodes among these terms.
        is_scattered: whether runs are so short that single triples are cheaper.
        term: converter to rdflib terms.
    """

    def __init__(
        self, columns: TripleColumns, are_blank: Flags, is_scattered: bool, term: Callable[[str], Term]
    ) -> None:
        self.columns, self.is_scattered, self._term = columns, is_scattered, term
        self.are_blank = are_blank
        self.has_blanks = bool(are_blank.any())

    @cached_property
    def triples(self) -> list[Triple]:
        """Return all triples as rdflib terms; those with blank nodes are invalid."""
        lists: list[list[Term]] = []
        for column in self.columns:
            codes, distinct = column.occurring()
            made = np.empty(len(distinct), object)
            made[:] = [None if text[0] == "_" else self._term(text) for text in distinct.tolist()]
            lists.append(made[codes].tolist())
        return cast("list[Triple]", list(zip(*lists, strict=True)))

    @cached_property
    def texts(self) -> list[list[str]]:
        """Return all triples as text, by column."""
        return [column.distinct[column.codes].tolist() for column in self.columns]

    @cached_property
    def batch(self) -> pa.RecordBatch:
        """Return all triples as strings."""
        distinct = pa.array(self.columns.subject.distinct, pa.string())
        arrays = [pa.DictionaryArray.from_arrays(column.codes, distinct) for column in self.columns]
        return pa.record_batch([array.dictionary_decode() for array in arrays], names=list(NAMES))


class PlainRun(NamedTuple):
    """Run of lines with one graph: lines `begin` up to `end` of a block, and the number of the first."""

    line: int
    name: ox.NamedNode
    block: _Block
    begin: int
    end: int

    def has_blanks(self) -> bool:
        """True if the triples have blank nodes."""
        if not self.block.has_blanks:
            return False
        subjects, _, objects = self.block.columns.slice(self.begin, self.end)
        return any(self.block.are_blank[column.codes].any() for column in (subjects, objects))

    def triples(self, nodes: NumberedNodes) -> list[Triple]:
        """Return the triples as rdflib terms, with blank nodes of `nodes`."""
        if not self.has_blanks():
            return self.block.triples[self.begin : self.end]
        columns = self.columns(nodes)
        return list(columns.triples())

    def columns(self, nodes: NumberedNodes) -> TripleColumns:
        """Return the triples by column, with blank nodes of `nodes`."""
        columns = self.block.columns.slice(self.begin, self.end)
        if not self.has_blanks():
            return columns
        subjects, objects = columns.subject.occurring(), columns.object.occurring()
        names: dict[str, str] = {}
        for object_, subject in zip(
            *(column.distinct[column.codes] for column in (objects, subjects)), strict=True
        ):
            for text in (object_, subject):  # the order in which a parser numbers blank nodes
                if text[0] == "_" and text not in names:
                    names[text] = "_:" + nodes[text[2:]]
        subject, object_ = (
            column.mapped(lambda text: names.get(text, text)) for column in (subjects, objects)
        )
        return TripleColumns(subject, columns.predicate, object_)

    def texts(self) -> list[list[str]]:
        """Return subjects, predicates and objects as text, with blank nodes as written."""
        return [column[self.begin : self.end] for column in self.block.texts]

    def batch(self) -> pa.RecordBatch:
        """Return the triples as strings, with blank nodes as written."""
        return self.block.batch.slice(self.begin, self.end - self.begin)


class _PlainLines(NamedTuple):
    """Plain lines of a block, by column.

    Args:
        columns: their triples; all columns, the graphs too, share their distinct terms.
        are_blank: mask of blank nodes among these terms.
        places: indexes of the lines in the block, ascending.
        lines: number of lines in the block.
    """

    columns: TripleColumns
    are_blank: Flags
    graphs: TermColumn
    places: Places
    lines: int

    @property
    def odd(self) -> int:
        """Number of lines that are not plain."""
        return self.lines - len(self.places)


class PlainQuadsReader:
    """Reader of blocks of lines, with a cache of canonical terms.

    Args:
        reserved: IRIs in N-Triples syntax whose statements are left to the parser.
        graphs: whether lines name a graph; otherwise they are N-Triples of one unnamed graph.
    """

    def __init__(self, reserved: Collection[str], graphs: bool = True) -> None:
        self._reserved, self._graphs = frozenset(reserved), graphs
        self._canonical = CanonicalTerms()
        self._terms: dict[str, Term] = {}
        self._names: dict[str, ox.NamedNode] = {}

    def read(self, line: int, block: bytes) -> Iterator[PlainRun | UnparsedLines]:
        """Return the lines of a block in order; `line` is the number of the first.

        Plain lines are quads of RDF 1.1 with an IRI as graph name and a predicate that is not reserved. Costs
        about half a microsecond for a line with repeated terms.
        """
        found = self._plain(block)
        if found is None or found.odd * _MOST_ODD > found.lines:
            yield UnparsedLines(line, block)
            return
        odd = _other_lines(block, line, found.places, found.lines)
        if len(found.places):
            yield from self._in_order(found, line, odd)
        else:
            yield from odd

    def _in_order(
        self, found: _PlainLines, line: int, odd: Sequence[UnparsedLines]
    ) -> Iterator[PlainRun | UnparsedLines]:
        """Return the runs of plain lines, and the other lines between them."""
        columns, graphs, places = found.columns, found.graphs, found.places
        breaks = (np.diff(graphs.codes) != 0) | (np.diff(places) != 1)
        begins = np.concatenate([[0], np.flatnonzero(breaks) + 1])
        ends = [*begins[1:].tolist(), len(places)]
        names = graphs.distinct[graphs.codes[begins]].tolist()
        firsts = (places[begins] + line).tolist()
        block = _Block(columns, found.are_blank, len(begins) * _SHORT > len(places), self._term)
        runs = (
            PlainRun(first, self._name(name), block, begin, end)
            for first, name, begin, end in zip(firsts, names, begins.tolist(), ends, strict=True)
        )
        return merge(runs, odd, key=attrgetter("line")) if odd else runs

    def _plain(self, block: bytes) -> _PlainLines | None:
        """Return the plain lines of a block; None if it is not text, or has unusual line ends."""
        if b"\r" in block or block.startswith(BYTE_ORDER_MARK):
            return None
        split = split_lines(block, _WITH_GRAPH if self._graphs else _WITHOUT_GRAPH)
        try:
            texts = split.words.decoded()
        except UnicodeDecodeError:
            return None
        columns = list(np.ascontiguousarray(split.codes.T))
        plain = self._fits(split, columns, texts)
        if not plain.all():
            columns = [column[plain] for column in columns]
        distinct = np.empty(len(texts), object)
        distinct[:] = texts
        triples = TripleColumns(*(TermColumn(column, distinct) for column in columns[:3]))
        graphs = TermColumn(columns[3], distinct) if self._graphs else _nameless(len(columns[0]))
        return _PlainLines(triples, split.words.firsts == _BLANK, graphs, split.places[plain], split.lines)

    def _fits(self, split: Split, columns: Sequence[Codes], texts: Sequence[str]) -> Flags:
        """Return a mask of plain lines among lines split into words."""
        subjects, predicates, objects = columns[:3]
        firsts, canonical = split.words.firsts, self._canonical.among(split.words, texts)
        are_literals, are_iris = firsts == _QUOTE, canonical & (firsts == _BRACKET)
        used = np.zeros(len(texts), np.bool_)
        used[predicates] = True
        used &= are_iris
        places = [place for place in np.flatnonzero(used).tolist() if texts[place] not in self._reserved]
        are_predicates = np.zeros(len(texts), np.bool_)
        are_predicates[places] = True
        are_types = np.zeros(len(texts), np.bool_)
        are_types[[place for place in places if texts[place] == _TYPE]] = True
        are_stops = (firsts == _STOP) & (split.words.lengths == 1)
        plain: Flags = (canonical & ~are_literals)[subjects]
        plain &= are_predicates[predicates] & canonical[objects] & are_stops[columns[-1]]
        plain &= ~(are_types[predicates] & are_literals[objects])
        return plain & are_iris[columns[3]] if self._graphs else plain

    def _term(self, text: str) -> Term:
        term = self._terms.get(text)
        if term is None:
            if len(self._terms) >= MOST_CACHED:
                self._terms.clear()
            term = self._terms[text] = parse_term(text)
        return term

    def _name(self, text: str) -> ox.NamedNode:
        name = self._names.get(text)
        if name is None:
            if len(self._names) >= MOST_CACHED:
                self._names.clear()
            name = self._names[text] = ox.NamedNode(text[1:-1])
        return name


def _other_lines(block: bytes, line: int, plain: Places, lines: int) -> list[UnparsedLines]:
    """Return the lines outside the indexes `plain`, neighbours together."""
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
        UnparsedLines(line + begin, block[starts[begin] : starts[end]])
        for begin, end in zip(begins, ends, strict=True)
    ]


def _nameless(count: int) -> TermColumn:
    """Return the graph column for lines of the unnamed graph."""
    return TermColumn(np.zeros(count, np.int32), np.array([_NO_NAME], object))
