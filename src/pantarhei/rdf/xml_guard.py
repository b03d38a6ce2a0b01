"""XML that a parser must not see: entities that expand without bound, or that read other files.

Parsers of RDF/XML expand the entities a document declares. Ontologies use them to shorten IRIs, which is
allowed; an entity made of entities (the billion laughs), a very long one, an external one, and encodings in
which declarations could hide are refused before any parser runs.
"""

from __future__ import annotations

import re

from pantarhei.errors import MalformedInputError

LONGEST_ENTITY = 1_000
MOST_ENTITIES = 500
# All entities together may add so many bytes, or this many times the document's size, whichever is more.
LARGEST_EXPANSION = 10_000_000
LARGEST_GROWTH = 10

_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']""")
_ENTITY = re.compile(rb"""<!ENTITY\s+([^\s%"'&]+)\s+(?:"([^"]*)"|'([^']*)')\s*>""")
_READABLE = frozenset({b"utf-8", b"utf8", b"us-ascii", b"ascii", b"iso-8859-1", b"windows-1252", b"latin1"})


def refuse_entity_expansion(content: bytes, source: str) -> None:
    """Refuse an XML document whose entities could expand without bound or read files.

    Raises:
        MalformedInputError: it declares such an entity, or is in an encoding where that cannot be seen.

    >>> refuse_entity_expansion(b'<!DOCTYPE a [<!ENTITY b "&c;&c;">]><a/>', "a.rdf")
    Traceback (most recent call last):
    ...
    pantarhei.errors.MalformedInputError: a.rdf, line 1: the entity b is made of entities and not expanded
    """
    _refuse_encoding(content, source)
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


def _refuse_encoding(content: bytes, source: str) -> None:
    declared = _ENCODING.search(content[:1000])
    if b"\0" in content[:4] or content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise MalformedInputError(source, 1, "XML must be encoded in UTF-8")
    if declared and declared[1].strip().lower() not in _READABLE:
        encoding = declared[1].decode("ascii", "replace")
        raise MalformedInputError(source, 1, f"XML must be encoded in UTF-8, not in {encoding}")


def _first_strange(content: bytes) -> int:
    usual = {match.start() for match in _ENTITY.finditer(content)}
    return next(m.start() for m in re.finditer(rb"<!ENTITY", content) if m.start() not in usual)


def _line(content: bytes, position: int) -> int:
    return content.count(b"\n", 0, position) + 1
