"""Sequences of JSON-LD documents: one on each line, the elements of an array, or a single one; contexts and
hints.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Final, TypeAlias

import pyoxigraph as ox

from pantarhei.errors import MalformedInputError, OptionError
from pantarhei.rdf.decompression import unreadable
from pantarhei.rdf.parse import NOT_UTF_8, parser_errors, refuse_deep_nesting, with_decimals
from pantarhei.rdf.statements import ByteFeed, Skip, Statement, line_blocks

_PYTHON = re.compile(rb"[{,\[]\s*'|:\s*(None|True|False|'|nan\b|inf\b)")
_NO_NUMBER = re.compile(rb":\s*-?(NaN|Infinity)\b")
_COMMENT = re.compile(rb"\s*(//|#|/\*)")
_BARE_NAME = re.compile(rb"[{,]\s*[A-Za-z_]\w*\s*:")
_LAST_COMMA = re.compile(rb",\s*[}\]]")


def advice_on(text: bytes) -> str:
    """Return a hint for a text that is almost JSON; empty if the fault is not a common one.

    >>> advice_on(b"{'id': 7, 'open': True}")
    '; it is written as Python prints it: json.dumps(…) writes JSON'
    >>> advice_on(b'{"id": 7,}')
    '; no comma stands before a closing bracket'
    """
    if _COMMENT.match(text):
        return "; JSON has no comments: take it out"
    if _NO_NUMBER.search(text):
        return "; JSON has null where there is no number"
    if _PYTHON.search(text):
        return "; it is written as Python prints it: json.dumps(…) writes JSON"
    if _BARE_NAME.search(text):
        return "; names stand in double quotation marks"
    if _LAST_COMMA.search(text):
        return "; no comma stands before a closing bracket"
    return ""


GivenContexts: TypeAlias = "Mapping[str, str | os.PathLike[str] | Mapping[str, Any]]"

_CONTEXT = re.compile(r'"@context"\s*:\s*')
_DECODER = json.JSONDecoder()


class Contexts:
    """JSON-LD contexts by IRI, replaced in documents; contexts are never fetched.

    Args:
        given: for each IRI a file with a JSON object that has the member `@context`, or such an object.

    Raises:
        MissingFileError: a file does not exist.
        MalformedInputError: a file is not such an object.
        OptionError: the value for an IRI is neither.
    """

    def __init__(self, given: GivenContexts | None = None) -> None:
        if not isinstance(given, Mapping | None):
            raise OptionError("contexts", repr(given)[:200], "a dictionary from IRIs to files")
        self._contexts = {iri: _context(iri, each) for iri, each in (given or {}).items()}
        self._inlined: dict[str, str] = {}  # by the text of a context

    def inlined(self, document: bytes, source: str, line: int | None) -> bytes:
        """Replace the IRIs of contexts in a document by the contexts.

        Args:
            source, line: position of the document, for errors.

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
                continue  # nested in the previous one
            try:
                value, end = _DECODER.raw_decode(text, found.end())
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
        """Replace the IRIs of other contexts in a context.

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
                raise LookupError(f"the context {imported} is imported, and is not an object")
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
    raise OptionError("contexts", repr(given)[:200], f'for {iri} a file, or {{"@context": …}}')


LONGEST_DOCUMENT: Final = 1 << 26
"""Bytes that a document has at most, since it is held whole."""
NO_BASE: Final = "http://no-base.invalid/"
"""What relative IRIs become where no base is given, so that they are refused, not dropped."""

_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}]')
_BETWEEN = re.compile(rb"[\s,\[\]]*")


def documents(feed: ByteFeed, source: str, skip: Skip | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield the outermost JSON objects of a stream, each with the line on which it begins.

    White space, commas and the brackets of arrays may separate them. An incomplete object that is followed by
    a new one on a later line is yielded as it is, for the parser to refuse.

    Args:
        skip: receives other text between objects, and objects that are too long or incomplete.

    Raises:
        MalformedInputError: there is such text or object, and no `skip`.
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
        refuse(begin, "the document that begins here does not end", b"".join(held))


def _may_hold_object(lines: list[bytes]) -> bool:
    """True if the text may continue with an object."""
    last = next((stripped for line in reversed(lines) if (stripped := line.rstrip())), b"")
    return last.endswith((b"[", b",", b":"))


def _reason_between(text: bytes) -> str | None:
    """Return the error for text between documents; None for white space, commas and brackets."""
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
        line: its first line.
        base: base of relative IRIs; None refuses them.
        contexts: contexts that the document may name by IRI; they are never fetched.

    Raises:
        MalformedInputError: it is malformed, and there is no `skip`.
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
    """Return the member names of a document that are not keywords and have a value, contexts excluded."""
    if isinstance(document, list):
        return [name for each in document for name in _members(each)]
    if not isinstance(document, dict):
        return []
    own = [name for name, value in document.items() if not (name.startswith("@") or _is_empty(value))]
    return own or _members(document.get("@graph"))


def _is_empty(value: object) -> bool:
    """True if a member with that value makes no statement."""
    return value is None or (isinstance(value, list) and all(map(_is_empty, value)))


def _refuse_relative(quads: list[ox.Quad], source: str) -> None:
    for quad in quads:
        for term in (quad.subject, quad.predicate, quad.object, quad.graph_name):
            if isinstance(term, ox.NamedNode) and term.value.startswith(NO_BASE):
                relative = term.value.removeprefix(NO_BASE)
                reason = f"{relative} is a relative IRI; say with the option base what it begins with"
                raise MalformedInputError(source, None, reason)
