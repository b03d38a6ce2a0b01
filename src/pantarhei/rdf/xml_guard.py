"""Preparation of XML documents for parsers: encoding, relative `xml:base`, and refusal of dangerous entities.

- Documents are converted to UTF-8. The encoding is determined once, from a byte order mark or the XML
  declaration: if this module and a parser decoded a document differently, an entity could escape the check.
- Entities that expand without bound or read files are refused before a parser runs. Entities that abbreviate
  IRIs, which are common in ontologies, are allowed. Entities that contain entities (the billion laughs
  attack), very long ones and external ones are refused.
- A relative `xml:base`, which pyoxigraph's parser does not support, is replaced by the absolute IRI, resolved
  against the base of the parent element or of the document. Source: XML Base, section 4; RDF 1.1 XML Syntax,
  section 5.3; RFC 3986, section 5.2.
"""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import pyoxigraph

from pantarhei.errors import MalformedInputError

_BASE = "xml:base"
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_NAME = re.compile(rb"<[^\s/>]+")
_ATTRIBUTE = re.compile(rb"""\s+([^\s=]+)\s*=\s*("[^"]*"|'[^']*')""")
_AS_RDF = frozenset({"Resource", "Collection"})


def with_absolute_bases(content: bytes, base: str) -> bytes:
    """Replace each relative `xml:base` of a document by the absolute IRI.

    If the document has an `xml:base`, it is parsed once. XML literals are unchanged.

    Args:
        content: the document in UTF-8.
        base: the IRI of the document.

    >>> with_absolute_bases(b'<r xml:base="a/"><s xml:base="../b"/></r>', "http://example.org/")
    b'<r xml:base="http://example.org/a/"><s xml:base="http://example.org/b"/></r>'
    """
    if _BASE.encode() not in content:
        return content
    elements = _Elements(base)
    with suppress(expat.ExpatError):  # the parser that follows reports the error
        elements.parser.Parse(content, True)
    parts, end = list[bytes](), 0
    for start, iri in elements.found:
        written = _written_base(content, start)
        if written is not None:
            parts += [content[end : written[0]], quoteattr(iri).encode()]
            end = written[1]
    return b"".join([*parts, content[end:]])


class _Elements:
    """Handler of XML elements. `found` lists the elements with a relative base: their offset in bytes, and
    the absolute IRI.
    """

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
        if self._literal or any(
            attribute.endswith(":parseType") and value not in _AS_RDF
            for attribute, value in attributes.items()
        ):
            self._literal += 1

    def _leave(self, name: str) -> None:
        self._bases.pop()
        self._literal = max(self._literal - 1, 0)


def _resolved(base: str, relative: str) -> str:
    """Resolve an IRI. A malformed IRI is returned unchanged, so that the parser refuses it."""
    try:
        (quad,) = pyoxigraph.parse(f"<x:s> <x:p> <{relative}> .", pyoxigraph.RdfFormat.TURTLE, base_iri=base)
    except (SyntaxError, ValueError):
        return relative
    return str(quad.object.value) if isinstance(quad.object, pyoxigraph.NamedNode) else relative


def _written_base(content: bytes, start: int) -> tuple[int, int] | None:
    """Return the start and end of the quoted value of `xml:base` in the tag that begins at `start`."""
    name = _NAME.match(content, start)
    attribute = None if name is None else _ATTRIBUTE.match(content, name.end())
    while attribute is not None:
        if attribute[1] == _BASE.encode():
            return attribute.span(2)
        attribute = _ATTRIBUTE.match(content, attribute.end())
    return None


LONGEST_ENTITY = 1_000
MOST_ENTITIES = 500
# Entities may expand to the larger of this many bytes, and this many times the size of the document.
LARGEST_EXPANSION = 10_000_000
LARGEST_GROWTH = 10

_ENTITY = re.compile(rb"""<!ENTITY\s+([^\s%"'&]+)\s+(?:"([^"]*)"|'([^']*)')\s*>""")


def refuse_entity_expansion(content: bytes, source: str) -> None:
    """Raise an error if entities of an XML document could expand without bound or read files.

    Args:
        content: the document in UTF-8 as returned by `in_utf_8`; an encoding declaration must say UTF-8.

    Raises:
        MalformedInputError: the document declares such an entity.

    >>> refuse_entity_expansion(b'<!DOCTYPE a [<!ENTITY b "&c;&c;">]><a/>', "a.rdf")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    pantarhei.errors.MalformedInputError: a.rdf, line 1: the entity b refers to other entities; write...
    """
    declared = list(_ENTITY.finditer(content))
    if len(declared) != content.count(b"<!ENTITY"):
        line = _line(content, _first_strange(content))
        raise MalformedInputError(
            source, line, "this entity declaration is not supported; only a name and a text are expected"
        )
    if len(declared) > MOST_ENTITIES:
        raise MalformedInputError(
            source, None, f"it declares {len(declared):,} entities; expected {MOST_ENTITIES:,} at most"
        )
    added = 0
    for match in declared:
        name, text = match[1], match[2] if match[2] is not None else match[3]
        readable = name.decode("utf-8", "replace")
        if b"&" in text:
            reason = f"the entity {readable} refers to other entities; write its text in full"
            raise MalformedInputError(source, _line(content, match.start()), reason)
        if len(text) > LONGEST_ENTITY:
            reason = (
                f"the entity {readable} has {len(text):,} bytes; expected {LONGEST_ENTITY:,} at most, so "
                "write its text where it is used"
            )
            raise MalformedInputError(source, _line(content, match.start()), reason)
        added += len(text) * content.count(b"&" + name + b";")
    if added > max(LARGEST_EXPANSION, LARGEST_GROWTH * len(content)):
        raise MalformedInputError(
            source, None, "its entities expand to a document many times its size; write their text in full"
        )


def _first_strange(content: bytes) -> int:
    usual = {match.start() for match in _ENTITY.finditer(content)}
    return next(m.start() for m in re.finditer(rb"<!ENTITY", content) if m.start() not in usual)


def _line(content: bytes, position: int) -> int:
    return content.count(b"\n", 0, position) + 1


_UTF_16 = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
_DECLARATION = re.compile(rb"""<\?xml\s[^>]*?\sencoding\s*=\s*(["'])([^"'<>]*)\1[^>]*\?>""")
_DECLARED = re.compile(r"""(<\?xml\s[^>]*?\sencoding\s*=\s*)(["'])[^"'<>]*\2""")
# Python's names of encodings; they agree with ASCII in all characters of a declaration.
_KNOWN = re.compile(r"ascii|utf-8|iso8859-\d+|cp125\d|koi8-[rtu]|mac-roman|gb2312|gbk|gb18030|big5|euc_\w+")


def in_utf_8(content: bytes, source: str) -> bytes:
    """Convert a document to UTF-8, and change its encoding declaration accordingly. A document that declares
    no encoding is returned unchanged.

    Raises:
        MalformedInputError: the encoding is not supported, or the document has bytes that are invalid in it.

    >>> in_utf_8('<?xml version="1.0" encoding="ISO-8859-1"?><é/>'.encode("latin-1"), "a.owl").decode()
    '<?xml version="1.0" encoding="UTF-8"?><é/>'
    """
    encoding = _UTF_16.get(content[:2])
    if encoding is None:
        declaration = _DECLARATION.match(content)
        if declaration is None:
            return content
        encoding = _known(declaration[2].decode("ascii", "replace").strip(), source)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        reason = f"a byte that is invalid in {encoding}, the encoding that the document declares"
        raise MalformedInputError(source, line, f"{reason}; save it as UTF-8") from error
    if "\0" in text:
        raise MalformedInputError(source, None, f"it is not text in {encoding}; save it as UTF-8")
    return _DECLARED.sub(r"\1\2UTF-8\2", text.lstrip("\ufeff"), count=1).encode()


def _known(name: str, source: str) -> str:
    try:
        encoding = codecs.lookup(name).name
    except (LookupError, ValueError):
        encoding = ""
    if not _KNOWN.fullmatch(encoding):
        reason = f"it declares the encoding {name}, which is not supported; save it as UTF-8"
        raise MalformedInputError(source, 1, reason)
    return encoding
