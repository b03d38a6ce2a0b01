"""Terms in the syntax of N-Triples, as strings in tables hold them."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache

import pyoxigraph
from rdflib import RDF, XSD, BNode, Literal, URIRef

from pantarhei.errors import InvalidTripleError
from pantarhei.model.term import Term, Triple
from pantarhei.values.canonical import made_literal, simple_literal, valued_literal
from pantarhei.values.value import is_well_typed

_PLAIN_IRI = re.compile(r'<([A-Za-z][A-Za-z0-9+.\-]*:[^\x00-\x20<>"{}|^`\\]*)>')
# A literal without escapes, plain or of one of XML Schema's datatypes; control characters and surrogates are
# left to the parser.
_PLAIN_LITERAL = re.compile(
    r'"([^"\\\x00-\x1f\x7f-\x9f\ud800-\udfff]*)"(?:\^\^<(http://www\.w3\.org/2001/XMLSchema#[A-Za-z]+)>)?'
)
_END = "<urn:end>"
_XSD_STRING = str(XSD.string)


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
        return str.__new__(URIRef, match[1])  # the check that URIRef would make is made
    if match := _PLAIN_LITERAL.fullmatch(text):
        if match[2] is None or match[2] == _XSD_STRING:
            return simple_literal(match[1])
        return typed_literal(match[1], _datatype(match[2]))
    if text.startswith("<<"):  # no term of RDF 1.1, and nested deep it would exhaust the parser's stack
        raise _not_a_term(text)
    # the graph's name behind it shows that the text is one term and no more
    statement = f"<urn:x> <urn:x> {text} {_END} ."
    try:
        (quad,) = pyoxigraph.parse(statement.encode(), format=pyoxigraph.RdfFormat.N_QUADS)
        whole = text == text.strip() and str(quad.graph_name) == _END
        term = to_rdflib(quad.object) if whole else None
    except (SyntaxError, ValueError, UnicodeEncodeError):
        term = None
    if term is None:
        raise _not_a_term(text)
    return BNode(scope + term) if isinstance(term, BNode) else term


def is_plain_iri(text: str) -> bool:
    """Whether `text` is an IRI just as it is written, in angle brackets and without escapes.

    >>> is_plain_iri("<urn:a>"), is_plain_iri("<urn:\\\\u0041>"), is_plain_iri("_:a")
    (True, False, False)
    """
    return _PLAIN_IRI.fullmatch(text) is not None


def _not_a_term(text: str) -> InvalidTripleError:
    reason = 'not a term in N-Triples syntax (write an IRI as <…>, a literal as "…", a blank node as _:b)'
    return InvalidTripleError(text if len(text) < 200 else text[:200] + "…", reason)


def write_term(term: Term) -> str:
    """The term in the syntax of N-Triples, a literal with just the text that it has.

    >>> write_term(Literal("two\\nlines", lang="en"))
    '"two\\\\nlines"@en'
    """
    if isinstance(term, URIRef):
        return f"<{term}>"
    if isinstance(term, BNode):
        return f"_:{term}"
    text = str(term)
    for plain, escape in _ESCAPES:
        text = text.replace(plain, escape)
    if term.language:
        return f'"{text}"@{term.language}'
    return f'"{text}"' if term.datatype in _UNTYPED else f'"{text}"^^<{term.datatype}>'


_ESCAPES = (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"))
_UNTYPED = (None, XSD.string)


def write_triple(triple: Triple) -> str:
    """The triple in the syntax of N-Triples, without the dot. Names stand as they are, also those that are no
    valid IRIs.
    """
    return " ".join(map(write_term, triple))


def to_rdflib(term: object) -> Term:
    """The rdflib term with the same text as a pyoxigraph term; nothing is normalized.

    Raises:
        ValueError: it is none of RDF 1.1 (a triple, or text with a direction).

    >>> to_rdflib(pyoxigraph.NamedNode("urn:a"))
    rdflib.term.URIRef('urn:a')
    """
    if isinstance(term, pyoxigraph.NamedNode):
        return URIRef(term.value)
    if isinstance(term, pyoxigraph.BlankNode):
        return BNode(term.value)
    if not isinstance(term, pyoxigraph.Literal) or term.direction is not None:
        raise ValueError(f"{term} is no RDF 1.1 term")
    if term.language is not None:
        return Literal(term.value, lang=term.language)
    datatype = URIRef(term.datatype.value)
    if datatype in _PLAIN:
        return Literal(term.value)
    return typed_literal(term.value, datatype)


_PLAIN = frozenset({XSD.string, RDF.langString})
# Lexical forms whose value needs no more than what Python makes of them.
_NUMBERS: dict[str, tuple[re.Pattern[str], Callable[[str], object]]] = {
    str(XSD.integer): (re.compile(r"-?[0-9]{1,18}", re.ASCII), int),
    str(XSD.decimal): (re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?", re.ASCII), Decimal),
    str(XSD.double): (re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?(?:[eE]-?[0-9]{1,3})?", re.ASCII), float),
}
# Times that no datetime can be, which rdflib would log with a traceback.
_TIMES = frozenset({XSD.dateTime, XSD.dateTimeStamp, XSD.date, XSD.time})
_BEYOND_PYTHON = re.compile(r"\s*(?:-|0000|[0-9]{5,}-|(?:[^T]*T)?24:)")
_MARKUP = frozenset({RDF.XMLLiteral, RDF.HTML})
_LONGEST_CONVERTED = 4000


@lru_cache(maxsize=256)
def _datatype(iri: str) -> URIRef:
    """One object for all literals of a datatype."""
    return str.__new__(URIRef, iri)


def typed_literal(lexical: str, datatype: URIRef) -> Literal:
    """A typed literal as it is written, without a Python value where rdflib's would cost: an ill-typed one is
    logged with a traceback, markup is parsed into a tree.
    """
    number = _NUMBERS.get(str(datatype))
    if number is not None and number[0].fullmatch(lexical):
        return valued_literal(lexical, datatype, number[1](lexical))
    unparsed = made_literal(lexical, datatype, None, None)
    if datatype in _MARKUP or len(lexical) > _LONGEST_CONVERTED or not is_well_typed(unparsed):
        return unparsed
    if datatype in _TIMES and _BEYOND_PYTHON.match(lexical):
        return unparsed
    return Literal(lexical, datatype=datatype, normalize=False)
