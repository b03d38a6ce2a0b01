"""RDF terms in N-Triples syntax, their conversion from pyoxigraph, and names for blank nodes.

The label of a blank node is local to its document, message or push (its scope), so the name of the node has a
prefix for the scope. In documents and messages, nodes are numbered as they appear; their names are `b…n0` and
`m…b0`, with a hash of the content and no hyphen. In tables, the name is a prefix followed by the label. The
prefix ends with the only hyphen in it: `m7-` or `m7.2-` for the seventh push or a part of it, `belt-` for a
scope with that name. So the text before the first hyphen of a name identifies the scope.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Any

import pyoxigraph
import pyoxigraph as ox
from rdflib import RDF, XSD, BNode, Literal, URIRef

from pantarhei.errors import InvalidTripleError, OptionError
from pantarhei.model.term import Place, Term, Triple
from pantarhei.values.canonical import build_literal, simple_literal, valued_literal
from pantarhei.values.value import is_well_typed

_PLAIN_IRI = re.compile(r'<([A-Za-z][A-Za-z0-9+.\-]*:[^\x00-\x20<>"{}|^`\\]*)>')
# A literal without escapes, untyped or with a datatype of XML Schema. Control characters and surrogates are
# not matched, so that the parser decides on them.
_PLAIN_LITERAL = re.compile(
    r'"([^"\\\x00-\x1f\x7f-\x9f\ud800-\udfff]*)"(?:\^\^<(http://www\.w3\.org/2001/XMLSchema#[A-Za-z]+)>)?'
)
_END = "<urn:end>"
_XSD_STRING = str(XSD.string)


def parse_term(text: str, scope: str = "") -> Term:
    """Parse a term in N-Triples syntax. The label of a blank node is prefixed with `scope`.

    Raises:
        InvalidTripleError: the text is not a term in N-Triples syntax.

    >>> parse_term("<http://example.org/a>")
    rdflib.term.URIRef('http://example.org/a')
    >>> parse_term('"01"^^<http://www.w3.org/2001/XMLSchema#integer>').n3()
    '"01"^^<http://www.w3.org/2001/XMLSchema#integer>'
    """
    if match := _PLAIN_IRI.fullmatch(text):
        return str.__new__(URIRef, match[1])  # the pattern has checked the characters that URIRef would check
    if match := _PLAIN_LITERAL.fullmatch(text):
        if match[2] is None or match[2] == _XSD_STRING:
            return simple_literal(match[1])
        return typed_literal(match[1], _datatype(match[2]))
    if text.startswith("<<"):  # not a term of RDF 1.1, and deep nesting would exhaust the parser's stack
        raise _not_a_term(text)
    # The graph name after the text ensures that the text is a single term.
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
    r"""True if `text` is an IRI in angle brackets without escapes.

    >>> is_plain_iri("<urn:a>"), is_plain_iri("<urn:\\u0041>"), is_plain_iri("_:a")
    (True, False, False)
    """
    return _PLAIN_IRI.fullmatch(text) is not None


def _not_a_term(text: str) -> InvalidTripleError:
    reason = 'not a term in N-Triples syntax (write an IRI as <…>, a literal as "…", a blank node as _:b)'
    return InvalidTripleError(text if len(text) < 200 else text[:200] + "…", reason)


def write_term(term: Term) -> str:
    r"""Return the term in N-Triples syntax; literals keep their lexical form.

    >>> write_term(Literal("two\nlines", lang="en"))
    '"two\\nlines"@en'
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
    """Return the triple in N-Triples syntax without the full stop. IRIs are not validated."""
    return " ".join(map(write_term, triple))


def to_rdflib(term: object) -> Term:
    """Convert a pyoxigraph term to the rdflib term with the same text, without normalizing literals.

    Raises:
        ValueError: the term is not an RDF 1.1 term: it is a triple term, or a literal with a text direction.

    >>> to_rdflib(pyoxigraph.NamedNode("urn:a"))
    rdflib.term.URIRef('urn:a')
    """
    if isinstance(term, pyoxigraph.NamedNode):
        return URIRef(term.value)
    if isinstance(term, pyoxigraph.BlankNode):
        return BNode(term.value)
    if not isinstance(term, pyoxigraph.Literal) or term.direction is not None:
        raise ValueError(f"{term} is not an RDF 1.1 term")
    if term.language is not None:
        return Literal(term.value, lang=term.language)
    datatype = URIRef(term.datatype.value)
    if datatype in _PLAIN:
        return Literal(term.value)
    return typed_literal(term.value, datatype)


_PLAIN = frozenset({XSD.string, RDF.langString})
# Lexical forms that Python's constructors convert to the correct value.
_NUMBERS: dict[str, tuple[re.Pattern[str], Callable[[str], object]]] = {
    str(XSD.integer): (re.compile(r"-?[0-9]{1,18}", re.ASCII), int),
    str(XSD.decimal): (re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?", re.ASCII), Decimal),
    str(XSD.double): (re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?(?:[eE]-?[0-9]{1,3})?", re.ASCII), float),
}
# Times outside the range of Python's datetimes, for which rdflib would log a traceback.
_TIMES = frozenset({XSD.dateTime, XSD.dateTimeStamp, XSD.date, XSD.time})
_BEYOND_PYTHON = re.compile(r"\s*(?:-|0000|[0-9]{5,}-|(?:[^T]*T)?24:)")
_MARKUP = frozenset({RDF.XMLLiteral, RDF.HTML})
_LONGEST_CONVERTED = 4000


@lru_cache(maxsize=256)
def _datatype(iri: str) -> URIRef:
    """Return the cached IRI of a datatype."""
    return str.__new__(URIRef, iri)


def typed_literal(lexical: str, datatype: URIRef) -> Literal:
    """Return a typed literal with its lexical form.

    The literal has no Python value if rdflib's computation of it is undesirable: rdflib logs a traceback for
    an ill-typed literal, and parses markup into a tree.
    """
    number = _NUMBERS.get(str(datatype))
    if number is not None and number[0].fullmatch(lexical):
        return valued_literal(lexical, datatype, number[1](lexical))
    unparsed = build_literal(lexical, datatype, None, None)
    if datatype in _MARKUP or len(lexical) > _LONGEST_CONVERTED or not is_well_typed(unparsed):
        return unparsed
    if datatype in _TIMES and _BEYOND_PYTHON.match(lexical):
        return unparsed
    return Literal(lexical, datatype=datatype, normalize=False)


class NumberedNodes(dict[str, BNode]):
    """Blank nodes of one scope by label, numbered as they appear. `prefix` is called once, when the first
    node is created.
    """

    def __init__(self, prefix: Callable[[], str]) -> None:
        super().__init__()
        self._prefix = prefix

    def __missing__(self, label: str) -> BNode:
        if not self:
            self._known_prefix = self._prefix()
        node = self[label] = BNode(f"{self._known_prefix}{len(self)}")
        return node


def nodes_of_message(source: str, graph: str, ordinal: int) -> NumberedNodes:
    """Return the blank nodes of the message with index `ordinal` in its source. Names are equal when the
    message is read again.
    """
    key = repr((source, graph, ordinal)).encode()
    return NumberedNodes(lambda: f"m{hashlib.blake2b(key, digest_size=8).hexdigest()}b")


def nodes_of_document(content: bytes) -> NumberedNodes:
    """Return the blank nodes of a document. Names are equal for equal content."""
    return NumberedNodes(lambda: f"b{hashlib.sha256(content).hexdigest()[:12]}n")


def prefix_of_name(name: str) -> str:
    """Return the prefix of blank nodes for a scope named by the caller.

    Raises:
        OptionError: the name could be that of a push, or has characters other than letters and digits.
    """
    if not re.fullmatch("[A-Za-z][A-Za-z0-9]*", name) or re.fullmatch("m[0-9]+", name):
        raise OptionError("scope", repr(name), "letters and digits, but not m followed by a number")
    return f"{name}-"


def name_of_timestamp(ticks: int) -> str:
    """Return the scope name of a timestamp, for messages that arrive in several parts."""
    return f"t{ticks}" if ticks >= 0 else f"b{-ticks}"


def unused_prefix(labels: Iterable[str]) -> str:
    """Return a prefix with which none of `labels` begins; empty if there are no labels."""
    taken = tuple(labels)
    prefix = "m" if taken else ""
    while any(label.startswith(prefix) for label in taken):
        prefix += "m"
    return prefix


MOST_CACHED = 200_000  # limit of terms in a cache


class TermReader:
    """Converter of pyoxigraph terms to rdflib terms, with a bounded cache. Literals keep their
    lexical form.
    """

    def __init__(self) -> None:
        self._cache: dict[object, Term] = {}

    def triple(self, quad: ox.Quad, nodes: NumberedNodes) -> Triple:
        """Return the triple of `quad`.

        Raises:
            InvalidTripleError: the quad has a term that RDF 1.1 does not have, or a literal as class.
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


def exactly(make: Callable[..., object], *arguments: object) -> tuple[Any, ...]:
    """Return the value of `__reduce__` for an object that is created by `make(*arguments)`. Unlike rdflib's
    own pickling, it preserves the lexical forms of literals in the arguments.

    >>> from rdflib import XSD
    >>> literal = Literal("007", datatype=XSD.integer, normalize=False)
    >>> make, arguments = exactly(list, [literal])
    >>> str(make(*arguments)[0]), str(pickle.loads(pickle.dumps(literal)))
    ('007', '7')
    """
    written = io.BytesIO()
    _Pickler(written, pickle.HIGHEST_PROTOCOL).dump(arguments)
    return _made, (make, written.getvalue())


def _made(make: Callable[..., object], arguments: bytes) -> object:
    return make(*pickle.loads(arguments))


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: object) -> Any:
        if type(value) is Literal:
            return _literal, (str(value), value.language, value.datatype)
        return NotImplemented


def _literal(text: str, language: str | None, datatype: URIRef | None) -> Literal:
    if datatype is None:
        return Literal(text, lang=language)
    return typed_literal(text, datatype)
