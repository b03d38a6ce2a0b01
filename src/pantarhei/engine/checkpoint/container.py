"""The format of a checkpoint: a JSON header, columns of numbers behind it, and a SHA-256 over all.

    offset  bytes
    0       8     magic
    8       4     version of the format, little-endian like all numbers here
    12      8     length of the whole, the digest included
    20      8     length of the header
    28            header: a JSON object; `columns` lists name, type and length of each column, in order, and
                  `pantarhei` says by which version of it the checkpoint was written
                  columns, without gaps
    -32     32    SHA-256 of all before it

Magic, lengths, `pantarhei` and digest stay in every version of the format, so that a damaged checkpoint is
told from one of another version. Nothing in it is executed. Every length is held against the length of the
whole before anything is allocated, and so reading costs no more than a small multiple of what is there.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from pantarhei.errors import CheckpointError, PantarheiError
from pantarhei.version import __version__

FIRST_WITH_HISTORY = 4
FIRST_WITH_CONCLUSIONS = 5
FIRST_WITH_NUMBERS = 6
FIRST_WITH_UNEXPECTED = 7
FIRST_WITH_EVIDENCE = 8
FORMAT = FIRST_WITH_WAITING = 9
_READABLE = (3, 4, 5, 6, 7, 8, FORMAT)
MAGIC = b"\x89PRhei\r\n"
DIGEST_LENGTH = 32
_PREAMBLE = struct.Struct("<8sIQQ")
PREAMBLE_LENGTH = _PREAMBLE.size
_TYPES = {name: np.dtype(f"<{name}") for name in ("u1", "u2", "u4", "i8", "f8")}
_BEFORE_IT_WAS_SAID = "0.1.0 (before its release)"  # wrote version 1 of the format, without `pantarhei`

Column = npt.NDArray[Any]
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
_Part = TypeVar("_Part", bound=Sequence[Any] | Column)


def pack(header: Mapping[str, object], columns: Mapping[str, Column], version: int = FORMAT) -> bytes:
    """The bytes of a header and columns. Costs their size."""
    listed = [[name, column.dtype.str[1:], len(column)] for name, column in columns.items()]
    whole_header = {"pantarhei": __version__, **header, "columns": listed}
    text = json.dumps(whole_header, allow_nan=False, separators=(",", ":")).encode()
    contents = [column.tobytes() for column in columns.values()]
    total = PREAMBLE_LENGTH + len(text) + sum(map(len, contents)) + DIGEST_LENGTH
    body = b"".join([_PREAMBLE.pack(MAGIC, version, total, len(text)), text, *contents])
    return body + hashlib.sha256(body).digest()


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
        CheckpointError: it is damaged, or of another version of the format.
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
    rest = body[PREAMBLE_LENGTH:]
    if header_length > len(rest):
        raise CheckpointError(source, f"its header is said to have {header_length} of {len(rest)} bytes")
    try:
        header = json.loads(bytes(rest[:header_length]), parse_constant=_refuse)
        listed, written_by = header.pop("columns", None), header.pop("pantarhei", _BEFORE_IT_WAS_SAID)
        if version not in _READABLE:
            raise _other_format(source, version, written_by)
        return Contents(source, header, _columns(listed, rest[header_length:]), version)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, OverflowError) as error:
        raise CheckpointError(source, f"its header cannot be read: {error!r}") from error


def _other_format(source: str, version: int, written_by: object) -> CheckpointError:
    return CheckpointError(
        source,
        f"it was written by pantarhei {written_by!s:.60} in version {version} of the format, and this is "
        f"pantarhei {__version__}, which reads versions {_READABLE[0]} to {FORMAT}; go on with the one that "
        "wrote it, or make a new StreamReasoner and push the window's ABoxes to it",
    )


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
    """What was read, not yet understood.

    Args:
        source: what it was read from, for errors.
        header: the JSON object.
        columns: the columns by name.
        version: that of the format.
    """

    source: str
    header: dict[str, Json]
    columns: Mapping[str, Column]
    version: int = FORMAT

    @property
    def has_history(self) -> bool:
        """Whether it says what had left the window."""
        return self.version >= FIRST_WITH_HISTORY

    @property
    def has_conclusions(self) -> bool:
        """Whether it says where queries find what temporal rules conclude."""
        return self.version >= FIRST_WITH_CONCLUSIONS

    @property
    def has_numbers(self) -> bool:
        """Whether it says how numbers are read."""
        return self.version >= FIRST_WITH_NUMBERS

    @property
    def has_unexpected(self) -> bool:
        """Whether it says what was unexpected."""
        return self.version >= FIRST_WITH_UNEXPECTED

    @property
    def has_evidence(self) -> bool:
        """Whether it has what conflict sets are made of, in place of their list."""
        return self.version >= FIRST_WITH_EVIDENCE

    @property
    def has_waiting(self) -> bool:
        """True from the version on that has waiting ABoxes."""
        return self.version >= FIRST_WITH_WAITING

    def broken(self, reason: object) -> CheckpointError:
        """The error that the content is not what it should be."""
        return CheckpointError(self.source, f"its content makes no sense: {reason!s:.300}")

    @contextmanager
    def understood(self) -> Iterator[None]:
        """What leads out of a table, has another length or type, or is refused is a `CheckpointError`.

        No index is negative, and so none counts from a table's end.
        """
        try:
            yield
        except CheckpointError:
            raise
        except (LookupError, TypeError, ValueError, OverflowError, PantarheiError) as error:
            raise self.broken(error) from error

    def column(self, name: str) -> npt.NDArray[np.int64]:
        """A column of integers that are not negative."""
        found = self.columns[name]
        if found.dtype.kind != "u":
            raise self.broken(f"column {name} has numbers that may be negative")
        return found.astype(np.int64)

    def split(self, name: str, whole: _Part) -> list[_Part]:
        """`whole` in parts of the lengths in a column."""
        ends = list(accumulate(self.column(name).tolist(), initial=0))
        if ends[-1] != len(whole):
            raise self.broken(f"the lengths in column {name} add up to {ends[-1]}, not to {len(whole)}")
        return [whole[start:end] for start, end in pairwise(ends)]  # type: ignore[misc]


def narrow(column: npt.NDArray[Any]) -> Column:
    """Numbers that are not negative, in the fewest bytes that hold them all."""
    most = int(column.max()) if len(column) else 0
    return column.astype("<u1" if most < 1 << 8 else "<u2" if most < 1 << 16 else "<u4")


def lengths(parts: Sequence[Sized]) -> Column:
    """The column that `Contents.split` finds the parts by."""
    return narrow(np.fromiter(map(len, parts), np.uint32, len(parts)))
