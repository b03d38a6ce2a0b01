"""The format of a checkpoint: a JSON header, columns of numbers behind it, and a SHA-256 over all.

    offset  bytes
    0       8     magic
    8       4     version of the format, little-endian like all numbers here
    12      8     length of the whole, the digest included
    20      8     length of the header
    28            header: a JSON object; `columns` lists name, type and length of each column, in order
                  columns, without gaps
    -32     32    SHA-256 of all before it

Magic, lengths and digest stay in every version, so that a damaged checkpoint is told from a newer one.
Nothing in it is executed. Every length is held against the length of the whole before anything is allocated,
and so reading costs no more than a small multiple of what is there.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pantarhei.errors import CheckpointError

FORMAT = 1
MAGIC = b"\x89PRhei\r\n"
DIGEST_LENGTH = 32
_PREAMBLE = struct.Struct("<8sIQQ")
PREAMBLE_LENGTH = _PREAMBLE.size
_TYPES = {name: np.dtype(f"<{name}") for name in ("u1", "u2", "u4", "i8", "f8")}

Column = npt.NDArray[Any]
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def pack(header: Mapping[str, object], columns: Mapping[str, Column]) -> bytes:
    """The bytes of a header and columns. Costs their size."""
    listed = [[name, column.dtype.str[1:], len(column)] for name, column in columns.items()]
    text = json.dumps({**header, "columns": listed}, allow_nan=False, separators=(",", ":")).encode()
    contents = [column.tobytes() for column in columns.values()]
    total = PREAMBLE_LENGTH + len(text) + sum(map(len, contents)) + DIGEST_LENGTH
    whole = bytearray(total)
    _PREAMBLE.pack_into(whole, 0, MAGIC, FORMAT, total, len(text))
    view, at = memoryview(whole), PREAMBLE_LENGTH
    for part in (text, *contents):
        view[at : at + len(part)] = part
        at += len(part)
    view[at:] = hashlib.sha256(view[:at]).digest()
    return bytes(whole)


def length_of(preamble: bytes | memoryview, source: str) -> int:
    """The length that a checkpoint says it has, from its first `PREAMBLE_LENGTH` bytes.

    Raises:
        CheckpointError: this is the beginning of no checkpoint.
    """
    if len(preamble) < PREAMBLE_LENGTH:
        raise CheckpointError(source, f"it is no checkpoint: it ends after {len(preamble)} bytes")
    magic, _, total, _ = _PREAMBLE.unpack_from(preamble)
    if magic != MAGIC:
        raise CheckpointError(source, "it is no checkpoint: it does not begin like one")
    return int(total)


def unpack(data: bytes | memoryview, source: str) -> Contents:
    """The header and columns of a checkpoint; the columns are views of `data`.

    Raises:
        CheckpointError: it is damaged, or of a newer format.
    """
    total = length_of(data, source)
    if len(data) != total:
        raise CheckpointError(
            source, f"it is damaged: it has {len(data)} bytes in the place of {total}; use an older one"
        )
    body = memoryview(data)[:-DIGEST_LENGTH]
    if len(body) < PREAMBLE_LENGTH or hashlib.sha256(body).digest() != data[-DIGEST_LENGTH:]:
        raise CheckpointError(
            source, "it is damaged: its digest is not that of its content; use an older one"
        )
    _, version, _, header_length = _PREAMBLE.unpack_from(body)
    if version != FORMAT:
        raise CheckpointError(
            source, f"its format has version {version}, this pantarhei knows {FORMAT}; use a newer pantarhei"
        )
    rest = body[PREAMBLE_LENGTH:]
    if header_length > len(rest):
        raise CheckpointError(source, f"its header is said to have {header_length} of {len(rest)} bytes")
    try:
        header = json.loads(bytes(rest[:header_length]), parse_constant=_refuse)
        columns = _columns(header.pop("columns"), rest[header_length:])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise CheckpointError(source, f"its header cannot be read: {error!r}") from error
    return Contents(source, header, columns)


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")


def _columns(listed: list[tuple[str, str, int]], content: memoryview) -> dict[str, Column]:
    columns, at = {}, 0
    for name, type_, count in listed:
        dtype = _TYPES[type_]
        if not isinstance(count, int) or not 0 <= count <= (len(content) - at) // dtype.itemsize:
            raise ValueError(f"column {name} is said to have {count} members")
        columns[name] = np.frombuffer(content, dtype, count, at) if count else np.empty(0, dtype)
        at += count * dtype.itemsize
    if at != len(content):
        raise ValueError(f"{len(content) - at} bytes belong to no column")
    return columns


@dataclass(frozen=True, slots=True)
class Contents:
    """What was read, not yet understood: looking at it checks types and bounds.

    Args:
        source: what it was read from, for errors.
        header: the JSON object.
        columns: the columns by name.
    """

    source: str
    header: Mapping[str, Json]
    columns: Mapping[str, Column]

    def broken(self, reason: str) -> CheckpointError:
        """The error that the content is not what it should be."""
        return CheckpointError(self.source, f"its content makes no sense: {reason}")

    def integer(self, name: str, least: int = 0, most: int = 2**63 - 1) -> int:
        """An integer of the header."""
        return self.checked(name, self.header.get(name), least, most)

    def checked(self, name: str, found: Json, least: int = 0, most: int = 2**63 - 1) -> int:
        """`found`, which is named `name`, as an integer."""
        if not isinstance(found, int) or isinstance(found, bool) or not least <= found <= most:
            raise self.broken(f"{name} is {_short(found)}")
        return found

    def truth(self, name: str) -> bool:
        """True or false, from the header."""
        found = self.header.get(name)
        if not isinstance(found, bool):
            raise self.broken(f"{name} is {_short(found)}")
        return found

    def one_of(self, name: str, allowed: Iterable[str]) -> str:
        """One of some texts, from the header."""
        found = self.text(name)
        if found not in allowed:
            raise self.broken(f"{name} is {_short(found)}")
        return found

    def text(self, name: str) -> str:
        """A text of the header."""
        return self._checked_text(name, self.header.get(name))

    def mapping(self, name: str) -> dict[str, Json]:
        """A JSON object of the header."""
        found = self.header.get(name)
        if not isinstance(found, dict):
            raise self.broken(f"{name} is {_short(found)}")
        return found

    def array(self, name: str) -> list[Json]:
        """A JSON array of the header."""
        found = self.header.get(name)
        if not isinstance(found, list):
            raise self.broken(f"{name} is {_short(found)}")
        return found

    def texts(self, name: str) -> list[str]:
        """An array of texts of the header."""
        return [self._checked_text(name, found) for found in self.array(name)]

    def _checked_text(self, name: str, found: Json) -> str:
        if not isinstance(found, str):
            raise self.broken(f"{name} is {_short(found)}")
        return found

    def column(self, name: str, size: int | None = None) -> npt.NDArray[np.int64]:
        """A column of integers."""
        found = self._column(name, size)
        if found.dtype.kind == "f":
            raise self.broken(f"column {name} has real numbers")
        return found.astype(np.int64)

    def reals(self, name: str, size: int | None = None) -> npt.NDArray[np.float64]:
        """A column of finite real numbers."""
        found = self._column(name, size)
        if found.dtype.kind != "f" or not np.isfinite(found).all():
            raise self.broken(f"column {name} has no real numbers, or infinite ones")
        return found.astype(np.float64)

    def indices(self, name: str, below: int, size: int | None = None) -> npt.NDArray[np.int64]:
        """A column of integers from 0 up to `below`, which is left out."""
        found = self.column(name, size)
        if len(found) and not (found.min() >= 0 and found.max() < below):
            raise self.broken(f"column {name} leads out of a table of {below}")
        return found

    def counts(self, name: str, total: int, size: int | None = None) -> npt.NDArray[np.int64]:
        """A column of lengths that add up to `total`."""
        found = self.indices(name, total + 1, size)
        if int(found.sum()) != total:
            raise self.broken(f"the lengths in column {name} do not add up to {total}")
        return found

    def _column(self, name: str, size: int | None) -> Column:
        found = self.columns.get(name)
        if found is None or (size is not None and len(found) != size):
            given = "is not there" if found is None else f"has {len(found)} members in the place of {size}"
            raise self.broken(f"column {name} {given}")
        return found


def narrow(column: npt.NDArray[Any]) -> Column:
    """Numbers that are not negative, in the fewest bytes that hold them all."""
    most = int(column.max()) if len(column) else 0
    return column.astype("<u1" if most < 1 << 8 else "<u2" if most < 1 << 16 else "<u4")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) < 50 else text[:50] + "…"
