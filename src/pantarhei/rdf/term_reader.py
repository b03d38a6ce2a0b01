"""Terms of pyoxigraph's parser as rdflib terms, literals exactly as they were written."""

from __future__ import annotations

import hashlib

import pyoxigraph as ox
from rdflib import RDF, BNode, Literal

from pantarhei.errors import InvalidTripleError
from pantarhei.language.place import Place
from pantarhei.language.term import Term, Triple
from pantarhei.rdf.ntriples import to_rdflib

MOST_CACHED = 200_000  # terms that a cache may hold


class Scope:
    """The blank nodes of one message: the same label is another node in another message.

    Names depend on the source, the message's place in it and the order in which they appear, so that reading
    the same file again gives the same names.
    """

    def __init__(self, source: str, graph: str, ordinal: int) -> None:
        self._key = (source, graph, ordinal)
        self._prefix = ""
        self._names: dict[ox.BlankNode, BNode] = {}

    def name(self, node: ox.BlankNode) -> BNode:
        """The rdflib node for `node` in this message."""
        known = self._names.get(node)
        if known is None:
            if not self._prefix:
                self._prefix = "m" + hashlib.blake2b(repr(self._key).encode(), digest_size=8).hexdigest()
            known = self._names[node] = BNode(f"{self._prefix}b{len(self._names)}")
        return known


class TermReader:
    """Converts terms; a bounded cache serves those that repeat."""

    def __init__(self) -> None:
        self._cache: dict[object, Term] = {}

    def triple(self, quad: ox.Quad, scope: Scope) -> Triple:
        """The triple of `quad`.

        Raises:
            InvalidTripleError: it has a term that RDF 1.1 does not have, or a literal as a class.
        """
        object_ = self._term(quad.object, scope)
        predicate = self._term(quad.predicate, scope)
        if isinstance(object_, Literal) and predicate == RDF.type:
            raise InvalidTripleError(str(quad.triple), Place.CLASS.expected)
        return self._term(quad.subject, scope), predicate, object_

    def _term(self, term: object, scope: Scope) -> Term:
        known = self._cache.get(term)
        if known is not None:
            return known
        if isinstance(term, ox.BlankNode):
            return scope.name(term)
        known = _converted(term)
        if len(self._cache) >= MOST_CACHED:
            self._cache.clear()
        self._cache[term] = known
        return known


def _converted(term: object) -> Term:
    try:
        return to_rdflib(term)
    except ValueError:
        raise InvalidTripleError(
            str(term), "triple terms and directions (RDF 1.2) are not supported"
        ) from None
