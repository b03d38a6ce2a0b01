"""Terms in the syntax of N-Triples, as strings in tables hold them."""

from __future__ import annotations

import re

import pyoxigraph
from rdflib import BNode, Literal, URIRef

from pantarhei.errors import InvalidTripleError
from pantarhei.language.term import Term

_PLAIN_IRI = re.compile(r'<([A-Za-z][A-Za-z0-9+.\-]*:[^\x00-\x20<>"{}|^`\\]*)>')
_BLANK_NODE = re.compile(r"_:([A-Za-z0-9_][\w.\-]*)")


def parse_term(text: str, scope: str = "") -> Term:
    """The term that `text` writes; a blank node's label is prefixed with `scope`.

    Raises:
        InvalidTripleError: it is no N-Triples term.

    >>> parse_term("<http://example.org/a>")
    rdflib.term.URIRef('http://example.org/a')
    >>> parse_term('"01"^^<http://www.w3.org/2001/XMLSchema#integer>').n3()
    '"01"^^<http://www.w3.org/2001/XMLSchema#integer>'
    """
    if match := _PLAIN_IRI.fullmatch(text):
        return URIRef(match[1])
    if match := _BLANK_NODE.fullmatch(text):
        return BNode(scope + match[1])
    try:
        (quad,) = pyoxigraph.parse(
            f"<urn:x> <urn:x> {text} .".encode(), format=pyoxigraph.RdfFormat.N_TRIPLES
        )
    except (SyntaxError, ValueError) as error:
        reason = 'not a term in N-Triples syntax (write an IRI as <…>, a literal as "…", a blank node as _:b)'
        raise InvalidTripleError(text if len(text) < 200 else text[:200] + "…", reason) from error
    return to_rdflib(quad.object)


def to_rdflib(term: pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.Literal) -> Term:
    """The rdflib term with the same text; nothing is normalized.

    >>> to_rdflib(pyoxigraph.NamedNode("urn:a"))
    rdflib.term.URIRef('urn:a')
    """
    if isinstance(term, pyoxigraph.NamedNode):
        return URIRef(term.value)
    if isinstance(term, pyoxigraph.BlankNode):
        return BNode(term.value)
    if term.language is not None:
        return Literal(term.value, lang=term.language, normalize=False)
    datatype = URIRef(term.datatype.value)
    if datatype == _XSD_STRING:
        return Literal(term.value, normalize=False)
    return Literal(term.value, datatype=datatype, normalize=False)


_XSD_STRING = URIRef("http://www.w3.org/2001/XMLSchema#string")
