"""JSON lines: an object a line, whose members are columns; those of an object inside are `outer.inner`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from pantarhei.errors import MalformedInputError
from pantarhei.rdf.statements import ByteFeed, line_blocks
from pantarhei.streams.tables.block import Block, LeftOut

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
            row = json.loads(each)
            if not isinstance(row, dict):
                raise ValueError(f"a {type(row).__name__}, and in each line an object is expected")
            yield _Row(at, _flat(row))
        except (ValueError, RecursionError) as error:
            yield LeftOut(0, at, f"it is no line of JSON: {error}", each[:_SHOWN].decode(errors="replace"))


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
