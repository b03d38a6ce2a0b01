"""OWL/XML documents."""

from __future__ import annotations

from collections.abc import Iterable

from pantarhei.errors import MalformedInputError
from pantarhei.language.term import Triple


def is_owl_xml(content: bytes) -> bool:
    """Whether an XML document is OWL/XML, by its root element."""
    return False


def read_owl_xml(content: bytes, source: str, base: str) -> Iterable[Triple]:
    """The triples of an OWL/XML document."""
    raise MalformedInputError(source, None, "OWL/XML")
