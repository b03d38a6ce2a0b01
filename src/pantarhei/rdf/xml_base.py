"""Relative `xml:base` attributes of RDF/XML, which pyoxigraph's parser does not take.

Each is replaced by the absolute IRI that it denotes: it is resolved against the base of the parent element,
or of the document at the root element.

Source: XML Base, section 4; RDF 1.1 XML Syntax, section 5.3; RFC 3986, section 5.2.
"""

from __future__ import annotations

import re
from contextlib import suppress
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import pyoxigraph

_BASE = "xml:base"
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_NAME = re.compile(rb"<[^\s/>]+")
_ATTRIBUTE = re.compile(rb"""\s+([^\s=]+)\s*=\s*("[^"]*"|'[^']*')""")
_AS_RDF = frozenset({"Resource", "Collection"})


def with_absolute_bases(content: bytes, base: str) -> bytes:
    """Replace each relative `xml:base` of a document by the absolute IRI.

    Costs a pass over the document where `xml:base` occurs. XML literals stay as they are.

    Args:
        content: in UTF-8.
        base: the document's own IRI.

    >>> with_absolute_bases(b'<r xml:base="a/"><s xml:base="../b"/></r>', "http://example.org/")
    b'<r xml:base="http://example.org/a/"><s xml:base="http://example.org/b"/></r>'
    """
    if _BASE.encode() not in content:
        return content
    elements = _Elements(base)
    with suppress(expat.ExpatError):  # the parser that follows refuses the document
        elements.parser.Parse(content, True)
    parts, end = list[bytes](), 0
    for start, iri in elements.found:
        written = _written_base(content, start)
        if written is not None:
            parts += [content[end : written[0]], quoteattr(iri).encode()]
            end = written[1]
    return b"".join([*parts, content[end:]])


class _Elements:
    """Elements with a relative base: `found` has the place of each, in bytes, and the absolute IRI."""

    def __init__(self, base: str) -> None:
        self.found: list[tuple[int, str]] = []
        self._bases, self._literal = [base], 0  # depth inside an XML literal
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler, self.parser.EndElementHandler = self._enter, self._leave

    def _enter(self, name: str, attributes: dict[str, str]) -> None:
        base = self._bases[-1]
        given = attributes.get(_BASE)
        if given is not None and not self._literal:
            is_relative = _ABSOLUTE.match(given) is None
            base = _resolved(base, given) if is_relative else given
            if is_relative:
                self.found.append((self.parser.CurrentByteIndex, base))
        self._bases.append(base)
        if self._literal or any(map(_begins_literal, attributes.items())):
            self._literal += 1

    def _leave(self, name: str) -> None:
        self._bases.pop()
        self._literal = max(self._literal - 1, 0)


def _begins_literal(attribute: tuple[str, str]) -> bool:
    name, value = attribute
    return name.endswith(":parseType") and value not in _AS_RDF


def _resolved(base: str, relative: str) -> str:
    """Resolve an IRI; one that is malformed stays as it is, and the parser refuses it."""
    try:
        (quad,) = pyoxigraph.parse(f"<x:s> <x:p> <{relative}> .", pyoxigraph.RdfFormat.TURTLE, base_iri=base)
    except (SyntaxError, ValueError):
        return relative
    return str(quad.object.value) if isinstance(quad.object, pyoxigraph.NamedNode) else relative


def _written_base(content: bytes, start: int) -> tuple[int, int] | None:
    """Return where the value of `xml:base` begins and ends in the tag at `start`, with quotation marks."""
    name = _NAME.match(content, start)
    attribute = None if name is None else _ATTRIBUTE.match(content, name.end())
    while attribute is not None:
        if attribute[1] == _BASE.encode():
            return attribute.span(2)
        attribute = _ATTRIBUTE.match(content, attribute.end())
    return None
