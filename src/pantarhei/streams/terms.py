"""Terms of pyoxigraph's parser as rdflib terms, literals exactly as they were written."""

from __future__ import annotations

import hashlib

import pyoxigraph as ox
from rdflib import RDF, XSD, BNode, Literal, URIRef

from pantarhei.errors import InvalidTripleError
from pantarhei.language.term import Term, Triple, value_of

_CACHED = 200_000
_PLAIN = frozenset({XSD.string, RDF.langString})
_MARKUP = frozenset({RDF.XMLLiteral, RDF.HTML})
_LONGEST_CONVERTED = 4000


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
            IllTypedLiteralError: its object is a literal outside the lexical space of its datatype.
            InvalidTripleError: it has a term that RDF 1.1 does not have, or a literal as a class.
        """
        object_ = self._term(quad.object, scope)
        predicate = self._term(quad.predicate, scope)
        if isinstance(object_, Literal) and predicate == RDF.type:
            raise InvalidTripleError(
                str(quad.triple), "the object of rdf:type must be a class, not a literal"
            )
        return self._term(quad.subject, scope), predicate, object_

    def _term(self, term: object, scope: Scope) -> Term:
        known = self._cache.get(term)
        if known is not None:
            return known
        if isinstance(term, ox.BlankNode):
            return scope.name(term)
        known = _converted(term)
        if len(self._cache) >= _CACHED:
            self._cache.clear()
        self._cache[term] = known
        return known


def _converted(term: object) -> Term:
    if isinstance(term, ox.NamedNode):
        return URIRef(term.value)
    if not isinstance(term, ox.Literal):
        raise InvalidTripleError(str(term), "triple terms (RDF 1.2) are not supported")
    if getattr(term, "direction", None) is not None:
        raise InvalidTripleError(str(term), "text with a direction (RDF 1.2) is not supported")
    if term.language is not None:
        return Literal(term.value, lang=term.language)
    datatype = URIRef(term.datatype.value)
    if datatype in _PLAIN:
        return Literal(term.value)
    unparsed = _unparsed(term.value, datatype)
    value_of(unparsed)
    if datatype in _MARKUP or len(term.value) > _LONGEST_CONVERTED:
        return unparsed
    return Literal(term.value, datatype=datatype, normalize=False)


def _unparsed(lexical: str, datatype: URIRef) -> Literal:
    """A literal without a Python value: rdflib would log an ill-typed one, and build a tree of markup."""
    literal = str.__new__(Literal, lexical)
    literal._language, literal._datatype, literal._value, literal._ill_typed = None, datatype, None, None
    return literal
