"""Sequences of JSON-LD documents: one on each line, the elements of an array, or a single document. Contexts
are replaced by given ones, and common mistakes are explained.

NGSI-LD entities are converted to JSON-LD documents with one named graph for each time of their attributes. An
attribute with its value is one statement about the entity, at the time of its `observedAt`; the entity's type
is a statement at each of these times. Other members of an attribute (units, datasets, nested attributes) are
not asserted.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, tzinfo
from io import BytesIO
from math import inf
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import quote

import pyoxigraph as ox

from pantarhei.errors import MalformedInputError, OptionError, TimestampError
from pantarhei.model.time import kind_of, parse_timestamp, ticks_of
from pantarhei.rdf.decompression import unreadable
from pantarhei.rdf.parse import NOT_UTF_8, parser_errors, refuse_deep_nesting, with_decimals
from pantarhei.rdf.statements import ByteFeed, Skip, Statement, line_blocks

VOCABULARY: Final = "https://uri.etsi.org/ngsi-ld/default-context/"
"""Namespace of attribute and type names that are not mapped by a context."""
_XSD: Final = "http://www.w3.org/2001/XMLSchema#"
_NOTIFICATION: Final = "Notification"
_TIMES: Final = {"DateTime": "dateTime", "Date": "date", "Time": "time"}
_NO_ATTRIBUTES: Final = frozenset(
    {"@context", "id", "@id", "type", "@type", "scope", "createdAt", "modifiedAt", "deletedAt", "expiresAt"}
)


class _Number(str):
    """Number with its digits as written in the document."""


_DECODER = json.JSONDecoder(parse_int=_Number, parse_float=_Number, parse_constant=_Number)


def timed_graphs(document: bytes, zone: tzinfo | None = None) -> Iterator[bytes | ValueError]:
    """Yield the JSON-LD documents of NGSI-LD entities, and an error for each invalid attribute. The documents
    of one entity are in the order of time.

    Args:
        document: an entity, or a notification with several entities.
        zone: zone of times that are written without one; UTC by default. It affects only the order.

    >>> error, *graphs = timed_graphs(b'''{"id": "urn:s", "type": "Sensor",
    ...     "warm": {"type": "Property", "value": 21.5, "observedAt": "2026-03-02T10:00:00Z"},
    ...     "name": {"type": "Property", "value": "s"}}''')
    >>> len(graphs), str(error)
    (1, 'the attribute name of urn:s has no observedAt')
    """
    try:
        value = _DECODER.decode(document.decode())
    except (ValueError, RecursionError) as error:
        yield ValueError(f"it is not JSON: {error}")
        return
    is_notification = isinstance(value, dict) and value.get("type", _NOTIFICATION) == _NOTIFICATION
    data = value.get("data") if is_notification else None
    for each in data if isinstance(data, list) else [value]:
        context = value.get("@context") if isinstance(each, dict) and "@context" not in each else None
        yield from _of_entity(each, context, zone or UTC)


def _of_entity(entity: Any, context: Any, zone: tzinfo) -> Iterator[bytes | ValueError]:
    name = (entity.get("id") or entity.get("@id")) if isinstance(entity, dict) else None
    if not isinstance(name, str):
        yield ValueError('it is not an entity of NGSI-LD; expected an object with an "id"')
        return
    types = entity.get("type", entity.get("@type", []))
    observed: dict[str, dict[str, list[Any]]] = {}
    for attribute, instances in entity.items():
        if attribute in _NO_ATTRIBUTES:
            continue
        for each in instances if isinstance(instances, list) else [instances]:
            try:
                at, values = _observed(each)
                observed.setdefault(at, {}).setdefault(attribute, []).extend(values)
            except ValueError as error:
                yield ValueError(f"the attribute {attribute} of {name} {error}")
    contexts = [{"@vocab": VOCABULARY}, *_several(entity.get("@context", context) or [])]
    for at in sorted(observed, key=lambda at: _order(at, zone)):
        graph = {"@id": name, "@type": types, **observed[at]}
        yield json.dumps(
            {
                "@context": contexts,
                "@id": f"urn:observed:{quote(at, safe='', errors='replace')}",
                "@graph": [graph],
            }
        ).encode()


def _order(at: str, zone: tzinfo) -> float:
    """Return the tick of a time; infinity for a malformed time, which is refused when the graph is read."""
    try:
        time = parse_timestamp(at, zone, on_cut=str)
        return ticks_of(time, kind_of(time))
    except TimestampError:
        return inf


def _observed(attribute: Any) -> tuple[str, list[Any]]:
    """Return the time at which an attribute was observed, and its values in JSON-LD.

    Raises:
        ValueError: the attribute is invalid, or has no time.
    """
    if not isinstance(attribute, dict):
        raise ValueError('is not an object with "value" or "object" and "observedAt"')
    at = attribute.get("observedAt")
    if not isinstance(at, str) or not at:
        raise ValueError("has no observedAt")
    if "languageMap" in attribute and isinstance(attribute["languageMap"], dict):
        texts = attribute["languageMap"].items()
        return at, [{"@value": text, "@language": language} for language, text in texts]
    if "object" in attribute:
        return at, [_reference(each) for each in _several(attribute["object"])]
    if "value" in attribute:
        return at, [_literal(each) for each in _several(attribute["value"])]
    raise ValueError("has neither a value nor an object")


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _reference(value: Any) -> dict[str, str]:
    if not isinstance(value, str) or isinstance(value, _Number):
        raise ValueError("has an object that is not an IRI")
    return {"@id": value}


def _literal(value: Any) -> dict[str, Any]:
    if isinstance(value, _Number):
        if value.removeprefix("-").isdigit():
            return {"@value": str(value), "@type": f"{_XSD}integer"}
        datatype = "decimal" if "e" not in value.lower() and value[-1].isdigit() else "double"
        return {"@value": str(value), "@type": f"{_XSD}{datatype}"}
    if isinstance(value, bool):
        return {"@value": str(value).lower(), "@type": f"{_XSD}boolean"}
    if isinstance(value, str):
        return {"@value": value}
    if isinstance(value, dict) and isinstance(value.get("@value"), str) and value.get("@type") in _TIMES:
        return {"@value": value["@value"], "@type": f"{_XSD}{_TIMES[value['@type']]}"}
    raise ValueError("has a compound value; expected a text, a number, a boolean or a time")


_PYTHON = re.compile(rb"[{,\[]\s*'|:\s*(None|True|False|'|nan\b|inf\b)")
_NO_NUMBER = re.compile(rb":\s*-?(NaN|Infinity)\b")
_COMMENT = re.compile(rb"\s*(//|#|/\*)")
_BARE_NAME = re.compile(rb"[{,]\s*[A-Za-z_]\w*\s*:")
_LAST_COMMA = re.compile(rb",\s*[}\]]")


def advice_on(text: bytes) -> str:
    """Return a hint for a text that is almost JSON; empty if the mistake is not a common one.

    >>> advice_on(b"{'id': 7, 'open': True}")
    '; it is Python syntax: json.dumps(…) writes JSON'
    >>> advice_on(b'{"id": 7,}')
    '; remove the comma before the closing bracket'
    """
    if _COMMENT.match(text):
        return "; JSON has no comments: remove it"
    if _NO_NUMBER.search(text):
        return "; JSON has null where there is no number"
    if _PYTHON.search(text):
        return "; it is Python syntax: json.dumps(…) writes JSON"
    if _BARE_NAME.search(text):
        return "; names must be in double quotation marks"
    if _LAST_COMMA.search(text):
        return "; remove the comma before the closing bracket"
    return ""


GivenContexts: TypeAlias = "Mapping[str, str | os.PathLike[str] | Mapping[str, Any]]"

_CONTEXT = re.compile(r'"@context"\s*:\s*')
_JSON_DOCUMENTS_DECODER = json.JSONDecoder()


class Contexts:
    """JSON-LD contexts by IRI, which replace the IRIs in documents. Contexts are never fetched.

    Args:
        given: for each IRI a file that contains a JSON object with the member `@context`, or such an object.

    Raises:
        MissingFileError: a file does not exist.
        MalformedInputError: a file is not such an object.
        OptionError: the value for an IRI is neither a file nor such an object.
    """

    def __init__(self, given: GivenContexts | None = None) -> None:
        if not isinstance(given, Mapping | None):
            raise OptionError("contexts", repr(given)[:200], "a dictionary from IRIs to files")
        self._contexts = {iri: _context(iri, each) for iri, each in (given or {}).items()}
        self._inlined: dict[str, str] = {}  # text of a context -> text with inlined contexts

    def inlined(self, document: bytes, source: str, line: int | None) -> bytes:
        """Replace the IRIs of contexts in a document by the contexts.

        Args:
            source, line: position of the document in errors.

        Raises:
            MalformedInputError: a context is unknown, or contains itself.
        """
        if b'"@context"' not in document:
            return document
        try:
            text = document.decode()
        except UnicodeDecodeError:
            return document
        pieces, place = [], 0
        for found in _CONTEXT.finditer(text):
            if found.end() < place:
                continue  # nested in the previous context
            try:
                value, end = _JSON_DOCUMENTS_DECODER.raw_decode(text, found.end())
            except (ValueError, RecursionError):
                break  # the parser reports the error
            written = text[found.end() : end]
            if written not in self._inlined:
                try:
                    inlined = self._of(value, ())
                except LookupError as error:
                    raise MalformedInputError(source, line, str(error.args[0])) from None
                self._inlined[written] = written if inlined == value else json.dumps(inlined)
            pieces += [text[place : found.end()], self._inlined[written]]
            place = end
        return "".join((*pieces, text[place:])).encode()

    def _of(self, value: Any, inside: tuple[str, ...]) -> Any:
        """Return a context in which the IRIs of other contexts are replaced by these.

        Args:
            inside: the IRIs that are being replaced.

        Raises:
            LookupError: a context is unknown, or contains itself.
        """
        if isinstance(value, str):
            if value in inside:
                raise LookupError(f"the context {value} contains itself")
            if value not in self._contexts:
                raise LookupError(_MISSING.format(value))
            return self._of(self._contexts[value], (*inside, value))
        if isinstance(value, list):
            parts = [self._of(each, inside) for each in value]
            return [one for each in parts for one in (each if isinstance(each, list) else [each])]
        if not isinstance(value, dict):
            return value
        found = {
            name: {**each, "@context": self._of(each["@context"], inside)}
            if isinstance(each, dict) and "@context" in each
            else each
            for name, each in value.items()
        }
        if isinstance(imported := found.pop("@import", None), str):
            other = self._of(imported, inside)
            if not isinstance(other, dict):
                raise LookupError(f"the imported context {imported} is not a JSON object")
            found = {**other, **found}
        return found


_MISSING = (
    "the context {} is not known, and nothing is fetched; give its file by the option contexts "
    "(--context IRI=FILE)"
)


def _context(iri: str, given: object) -> Any:
    if isinstance(given, str | os.PathLike):
        path = Path(given)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise unreadable(path, error) from error
        try:
            given = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise MalformedInputError(str(path), None, f"it is not JSON: {error}") from None
        if not (isinstance(given, Mapping) and "@context" in given):
            raise MalformedInputError(str(path), None, 'it is not a context; expected {"@context": …}')
    if isinstance(given, Mapping) and "@context" in given:
        return given["@context"]
    raise OptionError("contexts", repr({iri: given})[:200], 'a file, or {"@context": …}, for each IRI')


LONGEST_DOCUMENT: Final = 1 << 26
"""Largest number of bytes in a document, which is held in memory as a whole."""
NO_BASE: Final = "http://no-base.invalid/"
"""Base of relative IRIs if none is given. IRIs that begin with it are refused; the parser would drop them."""

_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}]')
_BETWEEN = re.compile(rb"[\s,\[\]]*")


def documents(feed: ByteFeed, source: str, skip: Skip | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield the outermost JSON objects of a stream, each with the line on which it begins.

    They may be separated by white space, commas and the brackets of arrays. An object that does not end
    before another one begins on a later line is yielded as it is, so that the parser refuses it.

    Args:
        skip: called with other text between objects, and with objects that are too long or do not end.

    Raises:
        MalformedInputError: there is such text or such an object, and `skip` is None.
    """

    def refuse(line: int, reason: str | None, text: bytes) -> None:
        if reason is not None and skip is None:
            raise MalformedInputError(source, line, reason)
        if reason is not None and skip is not None:
            skip(line, reason, text[:1000].decode(errors="replace").strip())

    held: list[bytes] = []  # lines of the current document
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
        refuse(begin, "the closing brace of the document is missing", b"".join(held))


def _may_hold_object(lines: list[bytes]) -> bool:
    """True if an object may follow the text."""
    last = next((stripped for line in reversed(lines) if (stripped := line.rstrip())), b"")
    return last.endswith((b"[", b",", b":"))


def _reason_between(text: bytes) -> str | None:
    """Return the error for text between documents; None if it is only white space, commas and brackets."""
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
    """Return the statements of a document; None if it is malformed and skipped.

    Args:
        line: number of its first line.
        base: base of relative IRIs; if None, they are refused.
        contexts: contexts to which the document may refer by IRI; they are never fetched.

    Raises:
        MalformedInputError: the document is malformed, and `skip` is None.
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
            reason = f"it is not JSON-LD: {reason}{advice_on(text)}"
        if skip is None:
            raise MalformedInputError(source, place, reason) from None
        skip(place, reason, text[:1000].decode(errors="replace"))
        return None
    return [Statement(line, with_decimals(quad)) for quad in quads]


_NOTHING: Final = (
    "no statement follows from its members {}: a context must map them to properties, such as "
    '"@context": {{"@vocab": "http://example.org/"}}, and an @id must not have spaces; for JSON without a '
    "context, use read_records with a mapping"
)


def _members(document: object) -> list[str]:
    """Return the member names of a document that have a value and are not keywords of JSON-LD."""
    if isinstance(document, list):
        return [name for each in document for name in _members(each)]
    if not isinstance(document, dict):
        return []
    own = [name for name, value in document.items() if not (name.startswith("@") or _is_empty(value))]
    return own or _members(document.get("@graph"))


def _is_empty(value: object) -> bool:
    """True if a member with that value yields no statement."""
    return value is None or (isinstance(value, list) and all(map(_is_empty, value)))


def _refuse_relative(quads: list[ox.Quad], source: str) -> None:
    for quad in quads:
        for term in (quad.subject, quad.predicate, quad.object, quad.graph_name):
            if isinstance(term, ox.NamedNode) and term.value.startswith(NO_BASE):
                relative = term.value.removeprefix(NO_BASE)
                reason = f"{relative} is a relative IRI; give its base by the option base"
                raise MalformedInputError(source, None, reason)
