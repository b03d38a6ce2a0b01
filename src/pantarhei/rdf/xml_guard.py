"""XML that a parser must not see: entities that expand without bound, or that read other files.

Parsers of RDF/XML expand the entities a document declares. Ontologies use them to shorten IRIs, which is
allowed; an entity made of entities (the billion laughs), a very long one and an external one are refused
before any parser runs.
"""

from __future__ import annotations

import re

from pantarhei.errors import MalformedInputError

LONGEST_ENTITY = 1_000
MOST_ENTITIES = 500
# All entities together may add so many bytes, or this many times the document's size, whichever is more.
LARGEST_EXPANSION = 10_000_000
LARGEST_GROWTH = 10

_ENTITY = re.compile(rb"""<!ENTITY\s+([^\s%"'&]+)\s+(?:"([^"]*)"|'([^']*)')\s*>""")


def refuse_entity_expansion(content: bytes, source: str) -> None:
    """Refuse an XML document whose entities could expand without bound or read files.

    Args:
        content: in UTF-8, and declared so if anything, as `in_utf_8` gives it.

    Raises:
        MalformedInputError: it declares such an entity.

    >>> refuse_entity_expansion(b'<!DOCTYPE a [<!ENTITY b "&c;&c;">]><a/>', "a.rdf")
    Traceback (most recent call last):
    ...
    pantarhei.errors.MalformedInputError: a.rdf, line 1: the entity b is made of entities and not expanded
    """
    declared = list(_ENTITY.finditer(content))
    if len(declared) != content.count(b"<!ENTITY"):
        line = _line(content, _first_strange(content))
        raise MalformedInputError(
            source, line, "an entity declaration that is not a name and a text is refused"
        )
    if len(declared) > MOST_ENTITIES:
        raise MalformedInputError(source, None, f"more than {MOST_ENTITIES} entity declarations are refused")
    added = 0
    for match in declared:
        name, text = match[1], match[2] if match[2] is not None else match[3]
        readable = name.decode("utf-8", "replace")
        if b"&" in text:
            reason = f"the entity {readable} is made of entities and not expanded"
            raise MalformedInputError(source, _line(content, match.start()), reason)
        if len(text) > LONGEST_ENTITY:
            reason = f"the entity {readable} is longer than {LONGEST_ENTITY} bytes, and not expanded"
            raise MalformedInputError(source, _line(content, match.start()), reason)
        added += len(text) * content.count(b"&" + name + b";")
    if added > max(LARGEST_EXPANSION, LARGEST_GROWTH * len(content)):
        raise MalformedInputError(source, None, "its entities expand to a document many times its size")


def _first_strange(content: bytes) -> int:
    usual = {match.start() for match in _ENTITY.finditer(content)}
    return next(m.start() for m in re.finditer(rb"<!ENTITY", content) if m.start() not in usual)


def _line(content: bytes, position: int) -> int:
    return content.count(b"\n", 0, position) + 1
