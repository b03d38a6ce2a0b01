"""Reading of plain N-Quads into table columns, a block of lines at a time, without a parser.

A line is plain if it consists of four canonical terms and a full stop, separated by single spaces, and its
graph name is an IRI. Such a line is split at its spaces. Other lines are yielded for a parser, in order.

A term is canonical if its text is what pyoxigraph writes for it. Each distinct term of a block is tested
once: common IRIs by vectorised operations on their bytes, common literals and blank nodes by a regular
expression, and other terms by parsing them and comparing pyoxigraph's output.
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
    """Test for canonical terms. Terms that are not recognised by their bytes are cached."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def among(self, words: WordColumn, texts: Sequence[str]) -> Flags:
        """Return a mask of the canonical words; `texts` are the texts of `words`. The mask may be False for a
        canonical word, but is never True for another one.
        """
        flags = are_ordinary_iris(words)
        others = np.flatnonzero(~flags & (words.lengths > 1))  # a full stop is not a term
        if len(others):
            unsure = [texts[place] for place in others.tolist()]
            known = self._find(set(unsure))
            flags[others] = [text in known for text in unsure]
        return flags

    def _find(self, texts: set[str]) -> set[str]:
        """Return a superset of the canonical texts among `texts` that contains no other text of `texts`; some
        canonical texts may be missing.
        """
        new = texts - self._known
        if new:
            found = canonical_of(new)
            if len(self._known) >= MOST_CACHED:
                self._known = (texts & self._known) | found
            else:
                self._known |= found
        return self._known


def are_ordinary_iris(words: WordColumn) -> Flags:
    """Return a mask of words that are http or https IRIs with a host and only common characters.

    A *mark* is any byte other than a letter, a digit or one of `-._~/`. Such a word has four marks: `<`, the
    colon of the scheme, `>`, and the newline after the word; or five, of which the third is a number sign.
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
    """Return a mask of the offsets at which a scheme followed by the start of a host begins."""
    found = np.zeros(len(begins), np.bool_)
    for scheme in _SCHEMES:
        fits = _IN_HOST[words.text[begins + len(scheme)]]
        for place, byte in enumerate(scheme):
            fits &= words.text[begins + place] == byte
        found |= fits
    return found


def canonical_of(texts: Collection[str]) -> set[str]:
    """Return the texts that are RDF 1.1 terms in exactly the form that pyoxigraph writes."""
    unusual = [text for text in texts if not _ORDINARY.fullmatch(text)]
    # Triple terms are not canonical, and deep nesting would exhaust the parser's stack.
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


_MOST_ODD = 4  # if more than one line in four is not plain, the whole block is left to the parser
_SHORT = 48  # runs shorter than this on average are faster as triples than as columns
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_BRACKET, _QUOTE, _BLANK, _STOP = b'<"_.'
_WITH_GRAPH, _WITHOUT_GRAPH = 5, 4  # words of a line, the full stop included
_NO_NAME = "<urn:x-none>"


class _Block:
    """Plain lines of a block.

    Args:
        columns: their triples; the three columns share their array of distinct terms.
        are_blank: mask of the blank nodes among these terms.
        is_scattered: runs of lines with one graph are so short that triples are faster than columns.
        term: converts text to rdflib terms.
    """

    def __init__(
        self, columns: TripleColumns, are_blank: Flags, is_scattered: bool, term: Callable[[str], Term]
    ) -> None:
        self.columns, self.is_scattered, self._term = columns, is_scattered, term
        self.are_blank = are_blank
        self.has_blanks = bool(are_blank.any())

    @cached_property
    def triples(self) -> list[Triple]:
        """All triples as rdflib terms. Triples with blank nodes have None in place of these."""
        lists: list[list[Term]] = []
        for column in self.columns:
            codes, distinct = column.occurring()
            made = np.empty(len(distinct), object)
            made[:] = [None if text[0] == "_" else self._term(text) for text in distinct.tolist()]
            lists.append(made[codes].tolist())
        return cast("list[Triple]", list(zip(*lists, strict=True)))

    @cached_property
    def texts(self) -> list[list[str]]:
        """The columns of all triples as lists of text."""
        return [column.distinct[column.codes].tolist() for column in self.columns]

    @cached_property
    def batch(self) -> pa.RecordBatch:
        """All triples as an Arrow batch of strings."""
        distinct = pa.array(self.columns.subject.distinct, pa.string())
        arrays = [pa.DictionaryArray.from_arrays(column.codes, distinct) for column in self.columns]
        return pa.record_batch([array.dictionary_decode() for array in arrays], names=list(NAMES))


class PlainRun(NamedTuple):
    """Consecutive lines with the same graph: the number of the first line, the graph's name, and the range
    `begin` to `end` (excluded) of lines in a block.
    """

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
        """Return the triples as rdflib terms, with blank nodes named by `nodes`."""
        if not self.has_blanks():
            return self.block.triples[self.begin : self.end]
        columns = self.columns(nodes)
        return list(columns.triples())

    def columns(self, nodes: NumberedNodes) -> TripleColumns:
        """Return the triples as columns, with blank nodes named by `nodes`."""
        columns = self.block.columns.slice(self.begin, self.end)
        if not self.has_blanks():
            return columns
        subjects, objects = columns.subject.occurring(), columns.object.occurring()
        names: dict[str, str] = {}
        for object_, subject in zip(
            *(column.distinct[column.codes] for column in (objects, subjects)), strict=True
        ):
            for text in (object_, subject):  # the order in which parsers number blank nodes
                if text[0] == "_" and text not in names:
                    names[text] = "_:" + nodes[text[2:]]
        subject, object_ = (
            column.mapped(lambda text: names.get(text, text)) for column in (subjects, objects)
        )
        return TripleColumns(subject, columns.predicate, object_)

    def texts(self) -> list[list[str]]:
        """Return the subjects, the predicates and the objects as text; blank nodes have their labels in the
        file.
        """
        return [column[self.begin : self.end] for column in self.block.texts]

    def batch(self) -> pa.RecordBatch:
        """Return the triples as an Arrow batch of strings; blank nodes have their labels in the file."""
        return self.block.batch.slice(self.begin, self.end - self.begin)


class _PlainLines(NamedTuple):
    """Plain lines of a block as columns.

    Args:
        columns: their triples; all columns, including `graphs`, share their array of distinct terms.
        are_blank: mask of the blank nodes among these terms.
        graphs: the graph name of each line.
        places: indexes of the lines in the block, ascending.
        lines: number of all lines in the block.
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
        reserved: predicates, as IRIs in N-Triples syntax, whose statements are left to a parser.
        graphs: True for N-Quads with a graph name on each line, False for N-Triples.
    """

    def __init__(self, reserved: Collection[str], graphs: bool = True) -> None:
        self._reserved, self._graphs = frozenset(reserved), graphs
        self._canonical = CanonicalTerms()
        self._terms: dict[str, Term] = {}
        self._names: dict[str, ox.NamedNode] = {}

    def read(self, line: int, block: bytes) -> Iterator[PlainRun | UnparsedLines]:
        """Yield the lines of a block in order: runs of plain lines, and lines that a parser has to read.

        A plain line is a quad of RDF 1.1 whose graph name is an IRI and whose predicate is not in `reserved`
        (see `PlainQuadsReader`). The cost is about half a microsecond for a line whose terms recur.

        Args:
            line: the number of the first line of the block.
            block: complete lines in UTF-8.
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
        """Return the runs of plain lines merged with the other lines, in order."""
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
        """Return the plain lines of a block; None if the block is not UTF-8, or has carriage returns or a
        byte order mark.
        """
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
        """Return a mask of the plain lines among the lines that were split into words."""
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
    """Return the lines whose indexes are not in `plain`; consecutive lines are joined."""
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
    """Return the column of graph names for N-Triples."""
    return TermColumn(np.zeros(count, np.int32), np.array([_NO_NAME], object))
