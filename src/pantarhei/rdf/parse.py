"""Parsing of RDF documents by pyoxigraph, whose errors are converted.

Literals keep their lexical form. Blank nodes are numbered in order of appearance, with a prefix for their
document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from io import BytesIO
from typing import Final
from xml.parsers import expat

import numpy as np
import pyoxigraph
import pyoxigraph as ox
from rdflib import BNode, Literal, URIRef

from pantarhei.errors import MalformedInputError
from pantarhei.model.message_text import did_you_mean
from pantarhei.model.term import Term, Triple
from pantarhei.rdf.ntriples import NumberedNodes, to_rdflib
from pantarhei.rdf.xml_guard import with_absolute_bases

_DECIMAL: Final = ox.NamedNode("http://www.w3.org/2001/XMLSchema#decimal")
_AS_DOUBLE = re.compile(r"-?\d\.\d+E-?\d{1,3}")


def with_decimals(quad: ox.Quad) -> ox.Quad:
    """Return a statement parsed from JSON-LD with its `xsd:decimal` in decimal notation.

    JSON-LD writes numbers with a fraction in the notation of doubles, whatever their datatype: 12.5 as
    `xsd:decimal` becomes `"1.25E1"^^xsd:decimal`, which is ill-typed.

    >>> a, b = ox.NamedNode("urn:a"), ox.NamedNode("urn:b")
    >>> print(with_decimals(ox.Quad(a, b, ox.Literal("1.25E1", datatype=_DECIMAL))).object)
    "12.5"^^<http://www.w3.org/2001/XMLSchema#decimal>
    """
    value = quad.object
    if not (isinstance(value, ox.Literal) and value.datatype == _DECIMAL):
        return quad
    found = _AS_DOUBLE.fullmatch(value.value)
    if found is None:
        return quad
    number = ox.Literal(f"{Decimal(found[0]):f}", datatype=_DECIMAL)
    return ox.Quad(quad.subject, quad.predicate, number, quad.graph_name)


DEEPEST_EXPRESSION = 100
DEEPEST_OBJECT = DEEPEST_EXPRESSION + 20
DEEPEST_TRIPLE_TERM = 100
DEEPEST_ELEMENT = 5_000

_AT_THE_END = frozenset(
    expat.errors.codes[text]
    for text in (expat.errors.XML_ERROR_NO_ELEMENTS, expat.errors.XML_ERROR_UNCLOSED_TOKEN)
)
_JSON_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_STRING = re.compile(rb"""\"(?:[^"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'""")
_TRIPLE_TERM = re.compile(rb"<<\(|\)>>")


def refuse_deep_nesting(content: bytes, format: str, source: str) -> None:
    """Raise an error if a document is nested so deeply that its parser would exhaust the stack or take
    quadratic time. The cost is one pass over the document.

    pyoxigraph's JSON-LD parser needs about three kilobytes of stack for each nested object. Its triple terms
    are freed recursively. The time of its RDF/XML parser grows with the square of the depth, and that parser
    accepts truncated documents, which are detected here by counting elements.

    Raises:
        MalformedInputError: the document is nested too deeply, or truncated.

    >>> refuse_deep_nesting(b'{"a": ' * 1000, "json-ld", "a.jsonld")
    Traceback (most recent call last):
    ...
    pantarhei.errors.MalformedInputError: a.jsonld: objects nested deeper than 120 levels
    """
    if format == "json-ld":
        _refuse(_json_depth(content), DEEPEST_OBJECT, "objects", source)
    elif format == "xml":
        _refuse_deep_elements(content, source)
    elif b"<<(" in content:
        found = _TRIPLE_TERM.finditer(without_strings(content))
        tokens = (1 if token[0] == b"<<(" else -1 for token in found)
        _refuse(_deepest(tokens), DEEPEST_TRIPLE_TERM, "triple terms", source)


def without_strings(content: bytes) -> bytes:
    """Return `content` without strings that end on the line on which they begin."""
    return _STRING.sub(b"", content)


def _refuse(depth: int, deepest: int, what: str, source: str) -> None:
    if depth > deepest:
        raise MalformedInputError(source, None, f"{what} nested deeper than {deepest} levels")


def _json_depth(content: bytes) -> int:
    """Return the depth of nested objects, ignoring braces in strings."""
    text = np.frombuffer(_JSON_STRING.sub(b"", content), np.uint8)
    text = text[(text == ord("{")) | (text == ord("}"))]
    return int(np.cumsum(np.where(text == ord("{"), 1, -1)).max(initial=0))


def _deepest(steps: Iterable[int]) -> int:
    depth = deepest = 0
    for step in steps:
        depth += step
        deepest = max(deepest, depth)
    return deepest


def _refuse_deep_elements(content: bytes, source: str) -> None:
    depth = 0

    def enter(name: str, attributes: object) -> None:
        nonlocal depth
        depth += 1
        _refuse(depth, DEEPEST_ELEMENT, "elements", source)

    def leave(name: str) -> None:
        nonlocal depth
        depth -= 1

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = enter, leave
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        if depth and error.code in _AT_THE_END:  # pyoxigraph accepts truncated documents silently
            raise MalformedInputError(source, error.lineno, "the document ends inside an element") from error
        return  # the parser reports the error


_RANGE = re.compile(r"( at range \d+\.\.\d+|^at \d+\.\.\d+: )")
NOT_UTF_8 = "it is not UTF-8; convert it, for example with iconv"
_TOO_LONG = "a literal or name is longer than 16 MiB, the limit of the parser"


class DocumentTerms(dict[object, Term]):
    """Terms of one document by their parsed form; each term is created once. Blank nodes are renamed by
    `nodes`.
    """

    def __init__(self, nodes: NumberedNodes) -> None:
        super().__init__()
        self._nodes = nodes

    def __missing__(self, given: object) -> Term:
        term = given if isinstance(given, URIRef | BNode | Literal) else to_rdflib(given)
        self[given] = term = self._nodes[term] if isinstance(term, BNode) else term
        return term


def parse(
    content: bytes,
    format: pyoxigraph.RdfFormat | None,
    source: str,
    base: str,
    prefixes: dict[str, str],
    terms: DocumentTerms,
) -> Iterator[Triple]:
    """Yield the triples of a document, and add its prefixes to `prefixes`.

    Raises:
        MalformedInputError: the content is malformed.
    """
    with document_parser(content, format, source, base) as parser:
        is_json = format == pyoxigraph.RdfFormat.JSON_LD
        for quad in map(with_decimals, parser) if is_json else parser:
            yield terms[quad.subject], terms[quad.predicate], terms[quad.object]
        prefixes.update(parser.prefixes)


@contextmanager
def document_parser(
    content: bytes, format: pyoxigraph.RdfFormat | None, source: str, base: str
) -> Iterator[pyoxigraph.QuadParser]:
    """Return a parser of a document as a context. For RDF/XML, `xml:base` may be relative, and errors have
    line numbers.

    Args:
        base: the IRI of the document.

    Raises:
        MalformedInputError: the content is malformed.
    """
    is_xml = format == pyoxigraph.RdfFormat.RDF_XML
    if is_xml:
        content = with_absolute_bases(content, base)
    with parser_errors(source, lambda: _line_of_error(content, base) if is_xml else None):
        yield pyoxigraph.parse(content, format, base_iri=base)


def _line_of_error(content: bytes, base: str) -> int | None:
    """Return the line at which RDF/XML is malformed; found by parsing it again, line by line."""
    file = _FileByLine(content)
    try:
        for _ in pyoxigraph.parse(file, pyoxigraph.RdfFormat.RDF_XML, base_iri=base):
            """Only the error matters."""
    except (SyntaxError, ValueError, OSError, MemoryError):
        return content.count(b"\n", 0, max(file.tell() - 1, 0)) + 1
    return None


class _FileByLine(BytesIO):
    """File whose `read` returns at most one line."""

    def read(self, size: int | None = -1) -> bytes:
        return self.readline(size)


@contextmanager
def parser_errors(source: str, line: Callable[[], int | None] = lambda: None) -> Iterator[None]:
    """Convert errors of pyoxigraph's parser that are raised within the context to `MalformedInputError`.

    Args:
        source: name of the input in errors.
        line: returns the line number for errors without one.
    """
    try:
        yield
    except SyntaxError as error:
        raise MalformedInputError(source, error.lineno or line(), reason_of(error)) from error
    except (ValueError, OSError) as error:
        raise MalformedInputError(source, line(), str(error)) from error
    except MemoryError as error:
        if "buffer" not in str(error):  # other MemoryErrors are not caused by the document
            raise
        raise MalformedInputError(source, line(), _TOO_LONG) from error


def reason_of(error: SyntaxError) -> str:
    """Return the message of a parser error without the position, which is a separate field of our error.

    >>> reason_of(SyntaxError("Parser error at line 2 column 7: ; is no RDF object"))
    '; is no RDF object'
    """
    place, colon, reason = error.msg.partition(": ")
    if not (colon and place.startswith("Parser error")):
        reason = _RANGE.sub("", error.msg)
    if reason.startswith("No scheme found"):
        return f"{reason}: one is relative and there is no base; write @base, or give a base"
    if reason.startswith("No LoadDocumentCallback"):
        return "its context is elsewhere, and nothing is fetched; put the context into the document"
    return NOT_UTF_8 if reason.startswith("Invalid UTF-8") else reason


_UNDECLARED = re.compile(r"The prefix (.*): ")  # beginning of pyoxigraph's error for an undeclared prefix


def parse_statement(text: str, prefixes: Mapping[str, str]) -> list[Triple]:
    """Parse triples in Turtle, with predeclared prefixes; the last one needs no dot.

    Raises:
        MalformedInputError: the text is not Turtle, or contains no triple.

    >>> len(parse_statement(":a :b 1, 2", {"": "http://example.org/"}))
    2
    """
    declared = "".join(f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in prefixes.items())
    ended = text if text.rstrip().endswith(".") else f"{text} ."
    try:
        with parser_errors(text):
            found = [
                (to_rdflib(quad.subject), to_rdflib(quad.predicate), to_rdflib(quad.object))
                for quad in ox.parse(f"{declared}{ended}", ox.RdfFormat.TURTLE)
            ]
    except MalformedInputError as error:
        undeclared = _UNDECLARED.match(error.reason)
        near = did_you_mean(undeclared[1], prefixes) if undeclared else ""
        known = ", ".join(f"{prefix}:" for prefix in sorted(prefixes)) or "none"
        problem = f"{text} is not a triple in Turtle: {error.reason}; the prefixes are {known}{near}"
        if not undeclared:
            problem += "; expected a subject, a predicate and an object, such as ':alex a :Driver'"
        raise MalformedInputError(text, None, problem) from None
    if not found:
        raise MalformedInputError(text, None, f"{text!r} has no triple; give one")
    return found


def check_fact(found: Sequence[Triple], text: str) -> Triple:
    """Return the only one of the triples parsed from `text`.

    Raises:
        MalformedInputError: there are several triples, or the triple has a blank node.
    """
    if len(found) != 1:
        raise MalformedInputError(text, None, f"{text!r} has {len(found)} triples; give one")
    if any(isinstance(term, BNode) for term in found[0]):
        problem = f"{text} has a blank node, which cannot be referred to from outside its document; use names"
        raise MalformedInputError(text, None, problem)
    return found[0]
