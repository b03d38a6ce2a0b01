"""N-Quads that stand in the file as they stand in a table: taken over as text, a block of lines at a time.

A line is plain if it is four canonical terms and a full stop with one space between each, the graph's name an
IRI. Splitting such a line at its spaces is parsing it. Whether a term is canonical is asked once for each
distinct term, of a pattern for the ordinary ones and of pyoxigraph's parser for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import pyoxigraph as ox

TextTriple = tuple[str, str, str]

_CACHED = 200_000
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_ORDINARY_IRI = r"<https?://[A-Za-z0-9.-]+(?:/[A-Za-z0-9._~/-]*)?(?:#[A-Za-z0-9._~/-]*)?>"
_XSD = r"<http://www\.w3\.org/2001/XMLSchema#(?!string>)[a-zA-Z]+>"
_ORDINARY = re.compile(rf'{_ORDINARY_IRI}|"[ !#-\[\]-~]*"(?:\^\^{_XSD}|@[a-z]{{2}})?|_:[A-Za-z][A-Za-z0-9]*')

_LINE = re.compile(r"^([^ \n]+) ([^ \n]+) (.*) ([^ \n]+) \.$", re.MULTILINE)


class Run(NamedTuple):
    """Neighbouring lines of one graph: its name, the number of its first line in the block, its triples."""

    graph: str
    first: int
    triples: Sequence[TextTriple]


class PlainQuads(NamedTuple):
    """The lines of a block as runs, in order; `blank_nodes` says whether any triple may have one."""

    runs: Sequence[Run]
    blank_nodes: bool


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

        About a microsecond a line.
        """
        columns = _split(block)
        if columns is None:
            return None
        subjects, predicates, objects, graphs = columns
        names = {*predicates, *graphs}
        if not (self._has_nodes({*subjects} | names) and self._has_terms({*objects})):
            return None
        if any(name[0] != "<" for name in names) or not self._reserved.isdisjoint(names):
            return None
        triples = list(zip(subjects, predicates, objects, strict=True))
        if _TYPE in names and any(o[0] == '"' and p == _TYPE for _, p, o in triples):
            return None
        return PlainQuads(list(_runs(graphs, triples)), b"_:" in block)

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
        self._nodes |= new - literals
        self._literals = _grown(self._literals, literals)
        return True


def _grown(known: set[str], new: set[str]) -> set[str]:
    if len(known) >= _CACHED:
        return new
    known |= new
    return known


def _runs(graphs: Sequence[str], triples: Sequence[TextTriple]) -> Iterator[Run]:
    begin = 0
    for end in (*_changes(graphs), len(graphs)):
        yield Run(graphs[begin], begin, triples[begin:end])
        begin = end


def _changes(graphs: Sequence[str]) -> Sequence[int]:
    """Where another graph begins."""
    if len(set(graphs)) == 1:
        return ()
    return [at for at, (before, after) in enumerate(pairwise(graphs), 1) if before != after]


def _split(block: bytes) -> Sequence[Sequence[str]] | None:
    """Subjects, predicates, objects and graphs of lines that are split by single spaces."""
    try:
        text = block.decode()
    except UnicodeDecodeError:
        return None
    if not text.endswith("\n"):
        text += "\n"
    lines = text.count("\n")
    words = text.removesuffix(" .\n").replace(" .\n", " ").split(" ")
    if len(words) == 4 * lines and text.count(" .\n") == lines:
        return words[::4], words[1::4], words[2::4], words[3::4]
    matches = _LINE.findall(text)  # there are spaces in literals
    return list(zip(*matches, strict=True)) if len(matches) == lines else None


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
