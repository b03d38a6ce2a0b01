"""OWL/XML documents into triples.

W3C: OWL 2 XML serialization. What its elements say, `element_mapping` has.
"""

from __future__ import annotations

import re
from urllib.parse import urljoin
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers import expat

from pantarhei.errors import MalformedInputError
from pantarhei.owl.element_mapping import OWL_NAMESPACE, XML_NAMESPACE, ElementReader, Written, name_of
from pantarhei.rdf.nesting_guard import DEEPEST_EXPRESSION

_ROOT = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z]\w*)[\s>/]")


def is_owl_xml(content: bytes) -> bool:
    """Whether an XML document is OWL/XML, by its first element.

    >>> is_owl_xml(b'<?xml version="1.0"?><!-- <RDF> --><Ontology xmlns="http://www.w3.org/2002/07/owl#"/>')
    True
    """
    root = _ROOT.search(re.sub(rb"<!--.*?-->", b"", content[:100_000], flags=re.DOTALL))
    return root is not None and root[1] == b"Ontology"


def read_owl_xml(content: bytes, source: str, base: str) -> Written:
    """The triples of an OWL/XML document, with their lines, and its prefixes.

    Args:
        base: the IRI against which relative IRIs stand where the document has no `xml:base`.

    Raises:
        MalformedInputError: it is no XML, no OWL/XML, or holds an element that OWL 2 does not have.
    """
    root, lines = _parse(content, source)
    if root.tag != OWL_NAMESPACE + "Ontology":
        raise MalformedInputError(
            source, None, f"the first element is {name_of(root)} where Ontology is expected"
        )
    reader = ElementReader(source, urljoin(base, root.get(XML_NAMESPACE + "base", "")))
    return reader.ontology(root, lines, "OWL/XML")


def _parse(content: bytes, source: str) -> tuple[Element, list[int]]:
    """The root, and the lines on which it and then its children begin."""
    try:
        lines = _lines_of_axioms(content, source)
        return ElementTree.fromstring(content), lines
    except (ElementTree.ParseError, expat.ExpatError) as error:
        raise MalformedInputError(
            source,
            error.position[0] if isinstance(error, ElementTree.ParseError) else error.lineno,
            str(error),
        ) from error


def _lines_of_axioms(content: bytes, source: str) -> list[int]:
    """The lines on which the root and then its children begin."""
    parser, depth, lines = expat.ParserCreate(), 0, list[int]()

    def start(name: str, attributes: object) -> None:
        nonlocal depth
        depth += 1
        if depth <= 2:
            lines.append(parser.CurrentLineNumber)
        elif depth > DEEPEST_EXPRESSION:
            reason = f"elements nested deeper than {DEEPEST_EXPRESSION} levels"
            raise MalformedInputError(source, parser.CurrentLineNumber, reason)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(content, True)
    return lines
