"""Which format a document has: its first words tell, and the suffix of its name where they leave a choice.

Protégé saves Turtle, functional syntax and others under `.owl`, so a suffix alone tells little.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pyoxigraph

from pantarhei.errors import MalformedInputError, OptionError, UnknownFormatError
from pantarhei.owl.owl_xml import is_owl_xml

FORMATS: Final = {
    "turtle": pyoxigraph.RdfFormat.TURTLE,
    "xml": pyoxigraph.RdfFormat.RDF_XML,
    "nt": pyoxigraph.RdfFormat.N_TRIPLES,
    "json-ld": pyoxigraph.RdfFormat.JSON_LD,
    "trig": pyoxigraph.RdfFormat.TRIG,
    "nquads": pyoxigraph.RdfFormat.N_QUADS,
    "owl-xml": None,
    "functional": None,
    "manchester": None,
}
SUFFIXES: Final = {
    ".ttl": "turtle",
    ".rdf": "xml",
    ".xml": "xml",
    ".owl": "xml",
    ".nt": "nt",
    ".jsonld": "json-ld",
    ".json": "json-ld",
    ".trig": "trig",
    ".nq": "nquads",
    ".owx": "owl-xml",
    ".ofn": "functional",
    ".fss": "functional",
    ".omn": "manchester",
}

_BEFORE = re.compile(rb"(?:\s|#[^\n\r]*(?:[\n\r]|\Z))*")
_WITH_DIRECTIVES = ("turtle", "trig")
_OF_STATEMENTS = (*_WITH_DIRECTIVES, "nt", "nquads")
# What a document begins with, after white space and comments, and the formats that may begin so. An element
# of XML whose name has a prefix declares it, so that there is white space before its `>`; an IRI has none.
_BEGINNINGS: Final = tuple(
    (re.compile(pattern), formats)
    for pattern, formats in (
        (rb"""<(?:[^\s<>"{}|^`\\:]*:[^\s<>"{}|^`\\]*|[#/][^\s<>]*)?>""", _OF_STATEMENTS),
        (rb"(?:Prefix|Ontology)\s*\(", ("functional",)),
        (rb"(?:Prefix|Ontology|Namespace):", ("manchester",)),
        (rb"_:|<<", _OF_STATEMENTS),
        (rb"@(?:prefix|base|version)\s|(?i:prefix\s+[^\s:]*:|base\s*<|version\s)", _WITH_DIRECTIVES),
        (rb"""\[\s*(?:[\[{"]|\])|\{\s*["}]""", ("json-ld",)),
        (rb"\[", _WITH_DIRECTIVES),
        (rb"<[?!A-Za-z_]", ("xml", "owl-xml")),
    )
)
_PAGE = re.compile(rb"(?:<!doctype html|<html)[\s>]", re.IGNORECASE)


def format_of(path: Path, content: bytes, given: str | None) -> str:
    """The format of a document: one of `FORMATS`.

    Args:
        content: in UTF-8.
        given: the format, where the caller says it.

    Raises:
        MalformedInputError: the document is a web page.
        OptionError: what is given is no format, or nothing tells.
    """
    if given is not None:
        if given not in FORMATS:
            raise OptionError("format", repr(given), "one of " + ", ".join(FORMATS))
        return given
    if _PAGE.match(content, _start(content)):
        reason = "a web page and no ontology; download the file that the page offers"
        raise MalformedInputError(str(path), None, reason)
    named, possible = SUFFIXES.get(path.suffix.lower()), formats_by_content(content)
    if possible == ("xml", "owl-xml"):
        return "owl-xml" if is_owl_xml(content) else "xml"
    if named in possible or not possible:
        if named is None:
            raise UnknownFormatError("format", str(path), tuple(SUFFIXES), tuple(FORMATS))
        return named
    return possible[0]


def formats_by_content(content: bytes) -> tuple[str, ...]:
    """The formats in which a document may begin as this one does, the likeliest first; none if it is unknown.

    >>> formats_by_content(b"# rooms\\nPREFIX ex: <http://example.org/>")
    ('turtle', 'trig')
    """
    start = _start(content)
    return next((formats for begins, formats in _BEGINNINGS if begins.match(content, start)), ())


def _start(content: bytes) -> int:
    """Where white space and comments end."""
    before = _BEFORE.match(content)
    return before.end() if before else 0
