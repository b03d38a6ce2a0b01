"""JSON-LD documents one after another: one on each line, or as the elements of an array, or one alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from io import BytesIO
from typing import Final

import pyoxigraph as ox

from pantarhei.errors import MalformedInputError
from pantarhei.rdf.json_contexts import Contexts
from pantarhei.rdf.json_decimals import with_decimals
from pantarhei.rdf.json_slips import advice_on
from pantarhei.rdf.nesting_guard import refuse_deep_nesting
from pantarhei.rdf.parse import NOT_UTF_8, parser_errors
from pantarhei.rdf.statements import ByteFeed, Skip, Statement, line_blocks

LONGEST_DOCUMENT: Final = 1 << 26
"""Bytes that a document has at most, since it is held whole."""
NO_BASE: Final = "http://no-base.invalid/"
"""What relative IRIs become where no base is given, so that they are refused, not dropped."""

_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}]')
_BETWEEN = re.compile(rb"[\s,\[\]]*")


def documents(feed: ByteFeed, source: str, skip: Skip | None = None) -> Iterator[tuple[int, bytes]]:
    """The documents with the line on which each begins: the objects that stand in no other.

    Between them may be white space, commas and the brackets of arrays. A document that breaks off before a
    line with the next is given as it is, for a parser to refuse.

    Args:
        skip: takes what else is between them, and documents that are too long or do not end.

    Raises:
        MalformedInputError: there is something of that, and nothing takes it.
    """

    def refuse(line: int, reason: str | None, text: bytes) -> None:
        if reason is not None and skip is None:
            raise MalformedInputError(source, line, reason)
        if reason is not None and skip is not None:
            skip(line, reason, text[:1000].decode(errors="replace").strip())

    held: list[bytes] = []  # the lines of the document that has begun
    size = depth = 0
    begin = 1
    for first, block in line_blocks(feed, source, skip=skip):
        for line, text in enumerate(BytesIO(block), first):
            start = 0
            for token in _TOKENS.finditer(text):
                if token[0] == b"{":
                    if depth and token.start() == 0 and not _may_hold_object(held):
                        yield begin, b"".join(held)
                        held, size, depth = [], 0, 0
                    if depth == 0:
                        between = text[start : token.start()]
                        refuse(line, _reason_between(between), between)
                        begin, start = line, token.start()
                    depth += 1
                elif token[0] == b"}" and depth:
                    depth -= 1
                    if depth == 0:
                        yield begin, b"".join((*held, text[start : token.end()]))
                        held, size, start = [], 0, token.end()
            if not depth:
                refuse(line, _reason_between(text[start:]), text[start:])
                continue
            held.append(text[start:])
            size += len(text)
            if size > LONGEST_DOCUMENT:
                reason = f"the document is longer than {LONGEST_DOCUMENT:,} bytes; write one for each message"
                refuse(begin, reason, held[0])
                held, size, depth = [], 0, 0
    if depth:
        refuse(begin, "the document that begins here does not end", b"".join(held))


def _may_hold_object(lines: list[bytes]) -> bool:
    """Whether the next thing in a document may be an object."""
    last = next((stripped for line in reversed(lines) if (stripped := line.rstrip())), b"")
    return last.endswith((b"[", b",", b":"))


def _reason_between(text: bytes) -> str | None:
    """Return the error for a text between documents; None for white space, commas and brackets."""
    if _BETWEEN.fullmatch(text):
        return None
    try:
        shown = text.strip().decode()[:60]
    except UnicodeDecodeError:
        return NOT_UTF_8
    return f"{shown}: expected a JSON-LD document, an object in braces"


def read_document(
    line: int,
    text: bytes,
    source: str,
    base: str | None,
    skip: Skip | None,
    contexts: Contexts | None = None,
) -> list[Statement] | None:
    """The statements of a document; None if it is malformed and that is skipped.

    Args:
        line: where it begins.
        base: what relative IRIs begin with; None refuses them.
        contexts: contexts that the document names by their IRIs; they are never fetched.

    Raises:
        MalformedInputError: it is malformed and nothing takes it.
    """
    try:
        with parser_errors(source):
            refuse_deep_nesting(text, "json-ld", source)
            inlined = (contexts or Contexts()).inlined(text, source, None)
            quads = list(ox.parse(inlined, ox.RdfFormat.JSON_LD, base_iri=base or NO_BASE))
        if base is None and NO_BASE.encode() not in text:
            _refuse_relative(quads, source)
        if not quads and (names := _members(json.loads(text, parse_int=str))):
            raise MalformedInputError(source, None, _NOTHING.format(", ".join(names[:5])))
    except MalformedInputError as error:
        place = line if error.line is None else line + error.line - 1
        reason = error.reason
        if error.line is not None and reason != NOT_UTF_8:
            reason = f"it is no JSON-LD: {reason}{advice_on(text)}"
        if skip is None:
            raise MalformedInputError(source, place, reason) from None
        skip(place, reason, text[:1000].decode(errors="replace"))
        return None
    return [Statement(line, with_decimals(quad)) for quad in quads]


_NOTHING: Final = (
    "nothing follows from its members {}: a context says which properties they are, such as "
    '"@context": {{"@vocab": "http://example.org/"}}, and an @id has no spaces; of JSON without a context, '
    "read_records makes triples by a mapping"
)


def _members(document: object) -> list[str]:
    """The names in a document that are no keywords and have a value, those of its context apart."""
    if isinstance(document, list):
        return [name for each in document for name in _members(each)]
    if not isinstance(document, dict):
        return []
    own = [name for name, value in document.items() if not (name.startswith("@") or _is_empty(value))]
    return own or _members(document.get("@graph"))


def _is_empty(value: object) -> bool:
    """Whether a member says nothing with that value, whatever it means."""
    return value is None or (isinstance(value, list) and all(map(_is_empty, value)))


def _refuse_relative(quads: list[ox.Quad], source: str) -> None:
    for quad in quads:
        for term in (quad.subject, quad.predicate, quad.object, quad.graph_name):
            if isinstance(term, ox.NamedNode) and term.value.startswith(NO_BASE):
                relative = term.value.removeprefix(NO_BASE)
                reason = f"{relative} is a relative IRI; say with the option base what it begins with"
                raise MalformedInputError(source, None, reason)
