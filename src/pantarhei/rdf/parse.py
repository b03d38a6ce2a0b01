"""RDF documents into triples by pyoxigraph's parsers, whose errors become this package's.

Literals keep their lexical form. Blank nodes are numbered in the order in which they appear, under a prefix
that their document has for itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO

import pyoxigraph
from rdflib import BNode, Literal, URIRef

from pantarhei.errors import MalformedInputError
from pantarhei.model.term import Term, Triple
from pantarhei.rdf.blank_nodes import NumberedNodes
from pantarhei.rdf.json_decimals import with_decimals
from pantarhei.rdf.ntriples import to_rdflib
from pantarhei.rdf.xml_base import with_absolute_bases

_RANGE = re.compile(r"( at range \d+\.\.\d+|^at \d+\.\.\d+: )")
NOT_UTF_8 = "it is not UTF-8; write it so, or turn it into UTF-8 with iconv"
_TOO_LONG = "a literal or name is longer than 16 MiB, which is as much as the parser holds"


class DocumentTerms(dict[object, Term]):
    """The terms of one document, each made once; blank nodes are those of `nodes`."""

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
    """Yield the triples of a document; the prefixes that it declares are added to `prefixes`.

    Raises:
        MalformedInputError: the content is not of that format.
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
    """Parse a document. In RDF/XML `xml:base` may be relative, and errors have lines.

    Args:
        base: the document's own IRI.

    Raises:
        MalformedInputError: the content is not of that format.
    """
    is_xml = format == pyoxigraph.RdfFormat.RDF_XML
    if is_xml:
        content = with_absolute_bases(content, base)
    with parser_errors(source, lambda: _line_of_error(content, base) if is_xml else None):
        yield pyoxigraph.parse(content, format, base_iri=base)


def _line_of_error(content: bytes, base: str) -> int | None:
    """Find the line at which RDF/XML is malformed: it is parsed once more, line by line."""
    file = _FileByLine(content)
    try:
        for _ in pyoxigraph.parse(file, pyoxigraph.RdfFormat.RDF_XML, base_iri=base):
            """Only the error matters."""
    except (SyntaxError, ValueError, OSError, MemoryError):
        return content.count(b"\n", 0, max(file.tell() - 1, 0)) + 1
    return None


class _FileByLine(BytesIO):
    """File of which each `read` returns at most one line."""

    def read(self, size: int | None = -1) -> bytes:
        return self.readline(size)


@contextmanager
def parser_errors(source: str, line: Callable[[], int | None] = lambda: None) -> Iterator[None]:
    """What pyoxigraph's parser raises inside becomes a `MalformedInputError`.

    Args:
        source: what is parsed, for the error.
        line: returns the line of the error, for errors without a line.
    """
    try:
        yield
    except SyntaxError as error:
        raise MalformedInputError(source, error.lineno or line(), reason_of(error)) from error
    except (ValueError, OSError) as error:
        raise MalformedInputError(source, line(), str(error)) from error
    except MemoryError as error:
        if "buffer" not in str(error):  # the process has no memory: that is not the document's fault
            raise
        raise MalformedInputError(source, line(), _TOO_LONG) from error


def reason_of(error: SyntaxError) -> str:
    """What pyoxigraph's parser says without the place, which the error has apart.

    >>> reason_of(SyntaxError("Parser error at line 2 column 7: ; is no RDF object"))
    '; is no RDF object'
    """
    place, colon, reason = error.msg.partition(": ")
    if not (colon and place.startswith("Parser error")):
        reason = _RANGE.sub("", error.msg)
    if reason.startswith("No scheme found"):
        return f"{reason}: one is relative, and nothing says what it begins with; write @base, or give a base"
    if reason.startswith("No LoadDocumentCallback"):
        return "its context is elsewhere, and nothing is fetched; put the context into the document"
    return NOT_UTF_8 if reason.startswith("Invalid UTF-8") else reason
