"""Functions of terms as such, and functions that make terms (SPARQL 1.1, section 17.4.2)."""

from __future__ import annotations

import re
from typing import Final

from rdflib import RDF, BNode, Literal, URIRef

from pantarhei.model.term import Term
from pantarhei.query.expressions.strings import simple
from pantarhei.query.expressions.values import ExpressionError, value_of
from pantarhei.rdf.ntriples import typed_literal
from pantarhei.values.numeric import Numeric
from pantarhei.values.value import STRING

_LANGUAGE = re.compile(r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*")
_NOT_IN_IRIS = re.compile(r'[\x00-\x20<>"{}|^`\\]')
LANG_STRING: Final = RDF.langString


def is_iri(term: Term) -> bool:
    return isinstance(term, URIRef)


def is_blank(term: Term) -> bool:
    return isinstance(term, BNode)


def is_literal(term: Term) -> bool:
    return isinstance(term, Literal)


def is_numeric(term: Term) -> bool:
    return isinstance(term, Literal) and isinstance(value_of(term), Numeric)


def datatype(term: Term) -> URIRef:
    if not isinstance(term, Literal):
        raise ExpressionError
    return LANG_STRING if term.language is not None else term.datatype or STRING


def iri(term: Term, base: Term | None = None) -> URIRef:
    """The IRI of a simple string, resolved against a base."""
    if isinstance(term, URIRef):
        return term
    text = simple(term)
    if _NOT_IN_IRIS.search(text):
        raise ExpressionError
    return URIRef(text) if base is None else URIRef(text, base=str(base))


def strdt(text: Term, name: Term) -> Literal:
    if not isinstance(name, URIRef):
        raise ExpressionError
    return Literal(simple(text)) if name == STRING else typed_literal(simple(text), name)


def strlang(text: Term, tag: Term) -> Literal:
    language = simple(tag)
    if not _LANGUAGE.fullmatch(language):
        raise ExpressionError
    return Literal(simple(text), lang=language)
