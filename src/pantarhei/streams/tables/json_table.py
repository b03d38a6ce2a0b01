"""JSON lines: an object a line, whose members are columns; those of an object inside are `outer.inner`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from pantarhei.errors import MalformedInputError
from pantarhei.rdf.json_slips import advice_on
from pantarhei.rdf.statements import ByteFeed, line_blocks
from pantarhei.streams.tables.block import Block, LeftOut
from pantarhei.streams.tables.other_files import NOT_UTF_8, refuse_others

BLOCK = 1 << 20
_SHOWN = 200
_EMPTY = "it is empty; expected an object in each line"


class JSONTable:
    """A table in JSON lines. Its columns are the members that some of its first lines have.

    Args:
        source: what errors call it.
        feed: its bytes.
    """

    counted = "line"

    def __init__(self, source: str, feed: ByteFeed) -> None:
        self.source = source
        self.names: list[str] = []
        self._too_long: list[LeftOut] = []
        self._lines = line_blocks(feed, source, size=BLOCK, skip=self._skip_long)
        self._first: tuple[int, bytes] | None = None

    def open(self) -> None:
        self._first = next(self._lines, None)
        refuse_others(b"" if self._first is None else self._first[1], self.source)
        found = [] if self._first is None else list(_rows(*self._first))
        rows = [row for row in found if isinstance(row, _Row)]
        if not rows:
            wrong = next((each for each in found if isinstance(each, LeftOut)), None)
            line, reason = (None, _EMPTY) if wrong is None else (wrong.line, wrong.reason)
            raise MalformedInputError(self.source, line, reason)
        self.names = list(dict.fromkeys(name for row in rows for name in row.members))

    def type_of(self, column: str) -> pa.DataType:
        return pa.string()

    def blocks(self, columns: Sequence[str]) -> Iterator[Block]:
        if self._first is not None:
            yield self._block(*self._first, columns)
        for line, text in self._lines:
            yield self._block(line, text, columns)
        if self._too_long:
            yield self._block(0, b"", columns)

    def _skip_long(self, line: int, reason: str, text: str) -> None:
        self._too_long.append(LeftOut(0, line, reason, text))

    def _block(self, line: int, text: bytes, columns: Sequence[str]) -> Block:
        left_out, self._too_long = self._too_long, []
        rows: list[_Row] = []
        for each in _rows(line, text):
            if isinstance(each, _Row):
                rows.append(each)
            else:
                left_out.append(each._replace(rows_before=len(rows)))
        arrays = {name: _array([row.members.get(name) for row in rows]) for name in columns}
        return Block(arrays, len(rows), lambda: [row.line for row in rows], left_out)


class _Row(NamedTuple):
    line: int
    members: dict[str, Any]


def _rows(line: int, text: bytes) -> Iterator[_Row | LeftOut]:
    for at, each in enumerate(text.split(b"\n"), line):
        if not each.strip():
            continue
        try:
            yield _Row(at, _flat(_object(each)))
        except ValueError as error:
            yield LeftOut(0, at, str(error), each[:_SHOWN].decode(errors="replace"))


def _object(line: bytes) -> dict[str, Any]:
    """The object that a line writes.

    Raises:
        ValueError: it writes none; says why, and what to do.
    """
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        problem = f"{error.msg.removesuffix(' at')} at column {error.colno}"
        raise ValueError(f"it is no line of JSON: {problem}{_advice(line.strip(), error.pos)}") from None
    except UnicodeDecodeError:
        raise ValueError(NOT_UTF_8) from None
    except RecursionError:
        raise ValueError("it is no line of JSON: it is nested too deep") from None
    except ValueError:  # the only other one that Python has
        most = sys.get_int_max_str_digits()
        raise ValueError(f"a whole number in it has more than {most:,} digits; write it as a text") from None
    if isinstance(row, dict):
        if b"\\ud" in line.lower() and not _is_text(row):
            raise ValueError("half of a pair of surrogates (\\ud800 to \\udfff), which is no character")
        return row
    what = next(name for kind, name in _KINDS if isinstance(row, kind))
    advice = _OF_ARRAY if isinstance(row, list) else ""
    raise ValueError(f"it is {what}, and in each line an object is expected{advice}")


_KINDS = (
    (list, "an array"),
    (str, "a text"),
    (bool, "true or false"),
    (int | float, "a number"),
    (object, "null"),
)
_OF_ARRAY = "; of an array, write each object on a line of its own: jq -c '.[]'"


def _advice(line: bytes, place: int) -> str:
    rest = line[place:].lstrip()
    if line.startswith(b"["):
        return _OF_ARRAY
    if line == b"{":
        return "; an object stands on one line: jq -c ."
    if rest == b",":
        return "; take the comma behind the object out"
    if rest.startswith(b"{") and line[:place].rstrip().endswith(b"}"):
        return "; a second object stands on a line of its own"
    return advice_on(line) or ("" if line.startswith(b"{") else "; an object begins with {")


def _is_text(row: dict[str, Any]) -> bool:
    """Whether all that stands in an object can be written."""
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    if not any(isinstance(value, dict) for value in row.values()):
        return row
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat.update((f"{name}.{inner}", each) for inner, each in _flat(value).items())
        else:
            flat[name] = value
    return flat


def _array(values: list[Any]) -> pa.Array:
    """Values as a column: of one type if they have one, else their texts."""
    try:
        array = pa.array(values)
        if not (pa.types.is_nested(array.type) or pa.types.is_binary(array.type)):
            return array
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        pass
    return pa.array(
        [each if each is None or isinstance(each, str) else json.dumps(each) for each in values], pa.string()
    )
