"""JSON lines and JSON documents as tables of objects.

The members of the objects are the columns; a member of an inner object is the column `outer.inner`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import islice
from json import JSONDecodeError
from typing import Any

import pyarrow as pa

from pantarhei.errors import MalformedInputError
from pantarhei.io.mapping.json_cells import DECODER, HALF_A_PAIR, JSONColumns, JSONObject, is_unicode
from pantarhei.io.reader import NOT_UTF_8, format_error
from pantarhei.io.tables.arrow_table import Block, SkippedLine
from pantarhei.rdf.json_documents import advice_on
from pantarhei.rdf.statements import ByteFeed, line_blocks

BLOCK = 1 << 20
_SHOWN = 200
_SPACE = " \t\r\n"
_EMPTY = "it is empty; expected an object in each line"


class JSONTable:
    """Table of JSON lines, one object per line. A member that an object lacks has no value in its row.

    Args:
        source: the table's name in errors.
        feed: the bytes of the table.
        is_lenient: whether an empty table is valid.
    """

    counted = "line"

    def __init__(self, source: str, feed: ByteFeed, is_lenient: bool = False) -> None:
        self.source = source
        self.names: list[str] = []
        self._feed, self._is_lenient = feed, is_lenient
        self._too_long: list[SkippedLine] = []
        self._has_begun = False  # whether a line that is not blank was read

    def open(self) -> None:
        """Do nothing: each row has its own members."""

    def type_of(self, column: str) -> pa.DataType:
        return pa.string()

    def blocks(self, columns: Sequence[str]) -> Iterator[Block]:
        for line, text in line_blocks(self._feed, self.source, size=BLOCK, skip=self._skip_long):
            yield self._block(line, text, columns)
        if self._too_long:
            yield self._block(0, b"", columns)
        if not (self._has_begun or self._is_lenient):
            raise MalformedInputError(self.source, None, _EMPTY)

    def _skip_long(self, line: int, reason: str, text: str) -> None:
        self._has_begun = True
        self._too_long.append(SkippedLine(0, line, reason, text))

    def _block(self, line: int, text: bytes, columns: Sequence[str]) -> Block:
        left_out, self._too_long = self._too_long, []
        rows: list[JSONObject] = []
        lines: list[int] = []
        texts = _texts(text)
        for at, each in enumerate(texts, line):
            stripped = each.strip(_SPACE) if isinstance(each, str) else each
            if not stripped:
                continue
            try:
                rows.append(read_object(stripped))
                lines.append(at)
            except ValueError as error:
                reason = (
                    None
                    if self._has_begun
                    else format_error(each.encode() if isinstance(each, str) else each)
                )
                left_out.append(SkippedLine(len(rows), at, reason or str(error), _shown(each)))
            self._has_begun = True
        return Block(
            JSONColumns(rows, columns),
            len(rows),
            lambda: lines,
            left_out,
            lambda row: _shown(texts[lines[row] - line]),
        )


class JSONRows(JSONTable):
    """Table of JSON objects that are already decoded.

    Args:
        source: the table's name in errors.
        rows: the objects, as returned by `DECODER`.
    """

    counted = "row"

    def __init__(self, source: str, rows: Sequence[JSONObject]) -> None:
        super().__init__(source, ByteFeed(BytesIO()))
        self._rows = rows

    def blocks(self, columns: Sequence[str]) -> Iterator[Block]:
        places = range(1, len(self._rows) + 1)
        yield Block(JSONColumns(self._rows, columns), len(self._rows), lambda: places)


class JSONDocument(JSONTable):
    """Table in one JSON document: an array of objects, one object, or several; it is read as a whole."""

    counted = "row"

    def blocks(self, columns: Sequence[str]) -> Iterator[Block]:
        content = b"".join(self._feed.pieces(self.source, BLOCK))
        if not (content.strip() or self._is_lenient):
            raise MalformedInputError(self.source, None, _EMPTY_DOCUMENT)
        first = 1
        values = _values(content)
        while part := list(islice(values, _ROWS)):
            rows: list[JSONObject] = []
            places: list[int] = []
            left_out: list[SkippedLine] = []
            for at, each in enumerate(part, first):
                if isinstance(each, dict):
                    rows.append(each)
                    places.append(at)
                else:
                    left_out.append(SkippedLine(len(rows), at, str(each), ""))
            yield Block(JSONColumns(rows, columns), len(rows), lambda places=places: places, left_out)  # type: ignore[misc]
            first += len(part)


def _values(content: bytes) -> Iterator[JSONObject | ValueError]:
    """Yield the objects of a document in order, and an error for each other value; stop at malformed text."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        yield ValueError(format_error(content) or NOT_UTF_8)
        return
    place, depth = 0, 0
    may_have_surrogates = _SURROGATE in text.lower()
    while True:
        place = _BETWEEN_VALUES.match(text, place).end()  # type: ignore[union-attr]
        if text.startswith("[", place) and not depth:
            place, depth = place + 1, 1
        elif text.startswith("]", place) and depth:
            place, depth = place + 1, 0
        elif place == len(text):
            if depth:
                yield ValueError("the array is not closed, so that later rows may be missing")
            return
        else:
            try:
                value, place = DECODER.raw_decode(text, place)
                yield _checked(value, may_have_surrogates)
            except (JSONDecodeError, RecursionError) as error:
                place = getattr(error, "pos", place)
                line = text.count("\n", 0, place) + 1
                yield ValueError(f"it is not JSON from line {line} on: {text[place : place + 40]!r}")
                return
            except ValueError as error:
                yield error


_BETWEEN_VALUES = re.compile(r"[\s,]*")
_ROWS = 1 << 14
_EMPTY_DOCUMENT = "it is empty; expected an array of objects, or an object"


def _texts(block: bytes) -> Sequence[str | bytes]:
    """Split a block into decoded lines; a line that is not UTF-8 stays bytes."""
    try:
        return block.decode().split("\n")
    except UnicodeDecodeError:
        return list(map(line_of, block.split(b"\n")))


def line_of(line: str | bytes) -> str | bytes:
    """Decode a line and strip whitespace; a line that is not UTF-8 is returned as given."""
    try:
        return (line.decode() if isinstance(line, bytes) else line).strip(_SPACE)
    except UnicodeDecodeError:
        return line


def _shown(line: str | bytes) -> str:
    return (line[:_SHOWN] if isinstance(line, str) else line[:_SHOWN].decode(errors="replace")).strip()


def read_object(line: str | bytes) -> JSONObject:
    """Decode a JSON object from a text without leading or trailing whitespace.

    Raises:
        ValueError: the text is not a JSON object, or is bytes that are not UTF-8.
    """
    if isinstance(line, bytes):
        raise ValueError(NOT_UTF_8)
    try:
        row, end = DECODER.raw_decode(line)
        if end != len(line):
            raise JSONDecodeError("Extra data", line, end)
    except JSONDecodeError as error:
        problem = f"{error.msg.removesuffix(' at')} at column {error.pos + 1}"
        text, begin = (each.encode(errors="replace") for each in (line, line[: error.pos]))
        raise ValueError(f"it is not a line of JSON: {problem}{_advice(text, len(begin))}") from None
    except RecursionError:
        raise ValueError("it is not a line of JSON: the nesting is too deep") from None
    return _checked(row, _SURROGATE in line.lower())


_SURROGATE = "\\ud"


def _checked(row: Any, may_have_surrogates: bool) -> JSONObject:
    """Check that a decoded value is an object whose texts have no lone surrogates; return it.

    Raises:
        ValueError: the value is not such an object.
    """
    if isinstance(row, dict):
        if may_have_surrogates and not _is_text(row):
            raise ValueError(HALF_A_PAIR)
        return row
    what = next(name for kind, name in _KINDS if isinstance(row, kind))
    advice = _OF_ARRAY if isinstance(row, list) else ""
    raise ValueError(f"it is {what}, but each line must be an object{advice}")


_KINDS = (
    (list, "an array"),
    (str, "a text"),
    (bool, "true or false"),
    (bytes, "a number"),
    (object, "null"),
)
_OF_ARRAY = "; write each object of an array on its own line: jq -c '.[]'"


def _advice(line: bytes, place: int) -> str:
    rest = line[place:].lstrip()
    if line.startswith(b"["):
        return _OF_ARRAY
    if line == b"{":
        return "; write an object on one line: jq -c ."
    if rest == b",":
        return "; remove the comma after the object"
    if rest.startswith(b"{") and line[:place].rstrip().endswith(b"}"):
        return "; write a second object on its own line"
    return advice_on(line) or ("" if line.startswith(b"{") else "; an object begins with {")


def _is_text(row: JSONObject) -> bool:
    """Return whether no text in an object, at any depth, has a lone surrogate."""
    inside: list[Any] = [row]
    while inside:
        value = inside.pop()
        if isinstance(value, dict):
            inside += [*value, *value.values()]
        elif isinstance(value, list):
            inside += value
        elif isinstance(value, str) and not is_unicode(value):
            return False
    return True
