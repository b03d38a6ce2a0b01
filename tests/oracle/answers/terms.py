"""RDF terms: identity, N-Triples text, and SPARQL's functions on terms.

A literal of xsd:string and one without a datatype are one term (RDF 1.1); here it has no datatype.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Final

from rdflib import RDF, XSD, BNode, Literal, URIRef

from pantarhei.model.term import Term
from pantarhei.values.value import value_of


class ExpressionError(Exception):
    """SPARQL's error: an expression has no value. It is always caught during evaluation."""


@lru_cache(maxsize=1 << 16)
def value(term: Term) -> Hashable:
    """Return the value that joins compare: `pantarhei.values.value.value_of`."""
    return value_of(term)


def plain(term: Term) -> Term:
    """Return the term without the datatype xsd:string."""
    is_string = isinstance(term, Literal) and term.datatype == XSD.string
    return Literal(str(term)) if is_string else term


def literal(text: str, datatype: URIRef | None = None, language: str | None = None) -> Literal:
    """Return a literal with exactly this text, without rdflib's conversion and its warnings."""
    made: Literal = str.__new__(Literal, text)
    made._language, made._datatype = language, None if datatype == XSD.string else datatype
    made._value = made._ill_typed = None
    return made


def ntriples(term: Term) -> str:
    """Return the term in N-Triples, with escapes only where required; the tie-break of all orders."""
    if isinstance(term, URIRef):
        return f"<{term}>"
    if isinstance(term, BNode):
        return f"_:{term}"
    text = str(term).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    if term.language:
        return f'"{text}"@{term.language}'
    return f'"{text}"^^<{term.datatype}>' if term.datatype not in (None, XSD.string) else f'"{text}"'


def boolean(truth: bool) -> Literal:
    """Return `true` or `false`."""
    return literal("true" if truth else "false", XSD.boolean)


def is_string(term: Term) -> bool:
    """True if the term is a string without a language."""
    return isinstance(term, Literal) and term.language is None and term.datatype in (None, XSD.string)


def string(term: Term) -> str:
    """Return the text of a string without a language."""
    if not is_string(term):
        raise ExpressionError
    return str(term)


def require_literal(term: Term) -> Literal:
    """Return the term, which must be a literal."""
    if not isinstance(term, Literal):
        raise ExpressionError
    return term


def text_of(term: Term) -> Literal:
    """STR: the IRI, or the text of a literal."""
    if isinstance(term, BNode):
        raise ExpressionError
    return literal(str(term))


def iri(term: Term, base: str = "") -> URIRef:
    """IRI: resolve a string against the base of the query.

    Texts with characters not allowed in IRIs are an error; without a base, a relative IRI is unchanged.
    """
    if isinstance(term, URIRef):
        return term
    text = string(term)
    if re.search(r'[\x00-\x20<>"{}|^`\\]', text):
        raise ExpressionError
    return URIRef(text, base=base) if base else URIRef(text)


def _datatype(term: Term) -> URIRef:
    given = require_literal(term)
    return RDF.langString if given.language else given.datatype or XSD.string


def _typed(text: Term, datatype: Term) -> Literal:
    if not isinstance(datatype, URIRef):
        raise ExpressionError
    return literal(string(text), datatype)


def _tagged(text: Term, language: Term) -> Literal:
    tag = string(language)
    if not re.fullmatch(r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*", tag):
        raise ExpressionError
    return literal(string(text), language=tag)


FUNCTIONS: Final[dict[str, Callable[..., Term]]] = {
    "sameTerm": lambda left, right: boolean(left == right),
    "isIRI": lambda term: boolean(isinstance(term, URIRef)),
    "isURI": lambda term: boolean(isinstance(term, URIRef)),
    "isBLANK": lambda term: boolean(isinstance(term, BNode)),
    "isLITERAL": lambda term: boolean(isinstance(term, Literal)),
    "STR": text_of,
    "LANG": lambda term: literal(require_literal(term).language or ""),
    "DATATYPE": _datatype,
    "STRDT": _typed,
    "STRLANG": _tagged,
}
