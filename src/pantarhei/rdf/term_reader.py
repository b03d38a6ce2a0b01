"""Terms of pyoxigraph's parser as rdflib terms, literals exactly as they were written."""

from __future__ import annotations

import pyoxigraph as ox
from rdflib import RDF, Literal

from pantarhei.errors import InvalidTripleError
from pantarhei.model.term import Place, Term, Triple
from pantarhei.rdf.blank_nodes import NumberedNodes
from pantarhei.rdf.ntriples import to_rdflib

MOST_CACHED = 200_000  # terms that a cache may hold


class TermReader:
    """Converts terms; a bounded cache serves those that repeat."""

    def __init__(self) -> None:
        self._cache: dict[object, Term] = {}

    def triple(self, quad: ox.Quad, nodes: NumberedNodes) -> Triple:
        """The triple of `quad`.

        Raises:
            InvalidTripleError: it has a term that RDF 1.1 does not have, or a literal as a class.
        """
        object_ = self._term(quad.object, nodes)
        predicate = self._term(quad.predicate, nodes)
        if isinstance(object_, Literal) and predicate == RDF.type:
            raise InvalidTripleError(str(quad.triple), Place.CLASS.expected)
        return self._term(quad.subject, nodes), predicate, object_

    def _term(self, term: object, nodes: NumberedNodes) -> Term:
        known = self._cache.get(term)
        if known is not None:
            return known
        if isinstance(term, ox.BlankNode):
            return nodes[term.value]
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
