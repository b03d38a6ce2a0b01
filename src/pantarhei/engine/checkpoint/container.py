"""Format and file of a checkpoint: a JSON header, columns of numbers behind it, and a SHA-256 over all.

    offset  bytes
    0       8     magic
    8       4     version of the format, little-endian like all numbers here
    12      8     length of the whole, the digest included
    20      8     length of the header
    28            header: a JSON object; `columns` lists name, type and length of each column, in order, and
                  `pantarhei` is the version that wrote the checkpoint
                  columns, without gaps
    -32     32    SHA-256 of all before it

Magic, lengths, `pantarhei` and digest are equal in every version of the format, which distinguishes a damaged
checkpoint from one of another version. Nothing in it is executed. Every length is compared with the length of
the whole before anything is allocated, so that reading costs at most a small multiple of the size.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import stat
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from pathlib import Path
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
FIRST_WITH_WAITING = 9
FORMAT = FIRST_WITH_TICK = 10
IN_BLOCKS = 1000 + FORMAT  # the head or a block of a checkpoint in blocks
_READABLE = (3, 4, 5, 6, 7, 8, 9, FORMAT, IN_BLOCKS)
MAGIC = b"\x89PRhei\r\n"
DIGEST_LENGTH = 32
_PREAMBLE = struct.Struct("<8sIQQ")
PREAMBLE_LENGTH = _PREAMBLE.size
_BETWEEN_PAUSES, _PIECE = 4, 256  # items
_TYPES = {name: np.dtype(f"<{name}") for name in ("u1", "u2", "u4", "i8", "f8")}
_UNVERSIONED = "0.1.0 (before its release)"  # wrote version 1 of the format, without `pantarhei`

Column = npt.NDArray[Any]
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
_T = TypeVar("_T")
_Part = TypeVar("_Part", bound=Sequence[Any] | Column)
_Array = TypeVar("_Array", bound=Column)


class Pacer:
    """Divides large inputs into pieces, so that their encoding never blocks other threads for long.

    Args:
        pause: called before each piece, which costs at most about a millisecond; it may wait. None to divide
            nothing, which takes half the time.
    """

    def __init__(self, pause: Callable[[], object] | None = None) -> None:
        self._pause = pause

    def __call__(self, items: Iterable[_T]) -> Iterable[_T]:
        """Return the items, with pauses between them."""
        return items if self._pause is None else self._paced(items, self._pause)

    def _paced(self, items: Iterable[_T], pause: Callable[[], object]) -> Iterator[_T]:
        for place, item in enumerate(items):
            if place % _BETWEEN_PAUSES == 0:
                pause()
            yield item

    def pieces(self, items: Iterable[_T]) -> Iterator[list[_T]]:
        """Yield the items in lists. A collector of garbage visits all members of a new list, so that long
        lists block other threads, too.
        """
        rest, size = iter(items), None if self._pause is None else _PIECE
        while piece := list(islice(rest, size)):
            if self._pause is not None:
                self._pause()
            yield piece

    def json_of(self, value: object) -> str:
        """Return the JSON text of a value."""
        return _JSON.encode(value) if self._pause is None else "".join(self(_JSON.iterencode(value)))


UNPACED = Pacer()


_JSON = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


def pack(
    header: Mapping[str, object],
    columns: Mapping[str, Column],
    version: int = FORMAT,
    pacer: Pacer = UNPACED,
) -> bytes:
    """Return the bytes of a header and columns. Costs their size."""
    listed = [[name, column.dtype.str[1:], len(column)] for name, column in columns.items()]
    whole_header = {"pantarhei": __version__, **header, "columns": listed}
    text = pacer.json_of(whole_header).encode()
    contents = [column.tobytes() for column in columns.values()]
    total = PREAMBLE_LENGTH + len(text) + sum(map(len, contents)) + DIGEST_LENGTH
    parts = [_PREAMBLE.pack(MAGIC, version, total, len(text)), text, *contents]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return b"".join([*parts, digest.digest()])


def length_of(preamble: bytes | memoryview, source: str) -> int:
    """Return the length of a checkpoint from its first `PREAMBLE_LENGTH` bytes.

    Raises:
        CheckpointError: these are not the first bytes of a checkpoint.
    """
    if len(preamble) < PREAMBLE_LENGTH:
        raise CheckpointError(source, f"it is not a checkpoint: it has only {len(preamble)} bytes")
    magic, _, total, _ = _PREAMBLE.unpack_from(preamble)
    if magic != MAGIC:
        raise CheckpointError(source, "it is not a checkpoint: it does not begin with the signature of one")
    return int(total)


def unpack(data: bytes | memoryview, source: str) -> Contents:
    """Return header and columns of a checkpoint; the columns are views of `data`.

    Raises:
        CheckpointError: the checkpoint is damaged, or of another version of the format.
    """
    total = length_of(data, source)
    if len(data) != total:
        raise CheckpointError(
            source, f"it is damaged: it has {len(data)} bytes instead of {total}; use an older one"
        )
    body = memoryview(data)[:-DIGEST_LENGTH]
    if len(body) < PREAMBLE_LENGTH or hashlib.sha256(body).digest() != data[-DIGEST_LENGTH:]:
        raise CheckpointError(
            source, "it is damaged: its digest does not match its content; use an older one"
        )
    _, version, _, header_length = _PREAMBLE.unpack_from(body)
    rest = body[PREAMBLE_LENGTH:]
    if header_length > len(rest):
        raise CheckpointError(
            source,
            f"it is damaged: its header has a stated length of {header_length} bytes, but only {len(rest)} "
            "bytes follow; use an older one",
        )
    try:
        header = json.loads(bytes(rest[:header_length]), parse_constant=_refuse)
        listed, written_by = header.pop("columns", None), header.pop("pantarhei", _UNVERSIONED)
        if version not in _READABLE:
            raise _other_format(source, version, written_by)
        return Contents(source, header, _columns(listed, rest[header_length:]), version)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, OverflowError) as error:
        raise CheckpointError(source, f"its header cannot be read: {error!r}") from error


def _other_format(source: str, version: int, written_by: object) -> CheckpointError:
    return CheckpointError(
        source,
        f"it was written by pantarhei {written_by!s:.60} in version {version} of the format, but this "
        f"pantarhei {__version__} reads versions {_READABLE[0]} to {FORMAT}; use the pantarhei that wrote "
        "it, or create a new StreamReasoner and push the window's ABoxes to it",
    )


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")


def _columns(listed: list[tuple[str, str, int]], content: memoryview) -> dict[str, Column]:
    columns, at = {}, 0
    for name, type_, count in listed:
        dtype = _TYPES[type_]
        if not isinstance(count, int) or not 0 <= count <= (len(content) - at) // dtype.itemsize:
            raise ValueError(f"column {name} has the stated length {count}")
        columns[name] = np.frombuffer(content, dtype, count, at) if count else np.empty(0, dtype)
        at += count * dtype.itemsize
    if at != len(content):
        raise ValueError(f"{len(content) - at} bytes are outside the columns")
    return columns


@dataclass(frozen=True, slots=True)
class Contents:
    """Content of a checkpoint, not yet interpreted.

    Args:
        source: the path, or a description of the bytes, for errors.
        header: the JSON object.
        columns: the columns by name.
        version: the version of the format.
    """

    source: str
    header: dict[str, Json]
    columns: Mapping[str, Column]
    version: int = FORMAT

    def broken(self, reason: object) -> CheckpointError:
        """Return the error for invalid content."""
        return CheckpointError(self.source, f"its content is invalid: {reason!s:.300}")

    @contextmanager
    def understood(self) -> Iterator[None]:
        """Convert exceptions inside the block, such as an invalid index or type, to `CheckpointError`.

        Columns have no negative numbers, so that no index counts from the end of a table.
        """
        try:
            yield
        except CheckpointError:
            raise
        except (LookupError, TypeError, ValueError, OverflowError, PantarheiError) as error:
            raise self.broken(error) from error

    def column(self, name: str) -> npt.NDArray[np.int64]:
        """Return a column of non-negative integers."""
        found = self.columns[name]
        if found.dtype.kind != "u":
            raise self.broken(f"column {name} has numbers that may be negative")
        return found.astype(np.int64)

    def split(self, name: str, whole: _Part) -> list[_Part]:
        """Split `whole` into parts, whose lengths are in the column `name`."""
        sizes = self.column(name)
        if (total := int(sizes.sum())) != len(whole):
            raise self.broken(f"the lengths in column {name} add up to {total}, not to {len(whole)}")
        return divided(whole, sizes)


def divided(whole: _Part, sizes: npt.NDArray[np.integer]) -> list[_Part]:
    """Divide `whole` into parts of these sizes."""
    ends = accumulate(sizes.tolist(), initial=0)
    return [whole[start:end] for start, end in pairwise(ends)]  # type: ignore[misc]


def narrow(column: npt.NDArray[Any]) -> Column:
    """Return non-negative numbers in the smallest type that holds them."""
    most = int(column.max()) if len(column) else 0
    return column.astype("<u1" if most < 1 << 8 else "<u2" if most < 1 << 16 else "<u4")


def concatenated(empty: _Array, parts: Iterable[_Array], pacer: Pacer = UNPACED) -> _Array:
    """Concatenate arrays."""
    some = [np.concatenate(piece) for piece in pacer.pieces(parts)]
    return np.concatenate([empty, *some])  # type: ignore[return-value]


def column_of(numbers: Iterable[int]) -> Column:
    """Return non-negative numbers as a column."""
    return narrow(np.fromiter(numbers, np.uint32))


def lengths(parts: Iterable[Sized]) -> Column:
    """Return the lengths of `parts` as a column for `Contents.split`."""
    return column_of(map(len, parts))


try:
    import fcntl
except ImportError:  # Windows: live writers cannot be recognized, so that nothing is removed
    fcntl = None  # type: ignore[assignment]


def write_whole(path: Path, data: bytes) -> None:
    """Replace the file at `path` by `data`, like `replace_file`.

    Raises:
        CheckpointError: the file system refuses an operation.
    """
    if "\0" in str(path):
        raise CheckpointError(str(path).replace("\0", "\\0"), "there is a null character in the path")
    try:
        replace_file(path, data)
    except OSError as error:
        raise CheckpointError(str(path), f"it cannot be written: {_why(error)}") from error


def replace_file(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Replace the file at `path` by `data`. After an error the old file is unchanged.

    A symbolic link is followed. The data is written to a temporary file in the same folder, flushed to the
    disk, and renamed, so that the path always has either the whole old file or the whole new one. Temporary
    files of killed writers are never read; the next writer to the path removes them. A running writer holds a
    lock on its temporary file, so that it is not removed.

    Args:
        mode: the permissions of the file, except those that the umask of the process excludes.

    Raises:
        OSError: the file system refuses an operation.
    """
    place = Path(os.path.realpath(path))
    _remove_leftovers(place)
    descriptor, temporary = _create_beside(place, mode)
    try:
        with open(descriptor, "wb", closefd=True) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    sync_folder(place.parent)


def read_whole(path: Path) -> bytes:
    """Return the bytes of a checkpoint file, as many as its preamble states.

    Raises:
        CheckpointError: the file is missing, is not a checkpoint, or has another length.
    """
    source = str(path)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a special file"
            raise CheckpointError(source, f"it is {kind}, not a checkpoint")
        with path.open("rb") as file:
            preamble = file.read(PREAMBLE_LENGTH)
            total, size = length_of(preamble, source), os.fstat(file.fileno()).st_size
            if total != size:
                raise CheckpointError(
                    source, f"it is damaged: it has {size} bytes instead of {total}; use an older one"
                )
            return preamble + file.read(total - len(preamble))
    except FileNotFoundError as error:
        raise CheckpointError(source, "the file does not exist") from error
    except (OSError, ValueError) as error:
        reason = _why(error) if isinstance(error, OSError) else str(error)
        raise CheckpointError(source, f"it cannot be read: {reason}") from error


def _why(error: OSError) -> str:
    return error.strerror or str(error)


def _create_beside(place: Path, mode: int = 0o666) -> tuple[int, str]:
    """Create a locked temporary file in the folder of `place`; returns its descriptor and path."""
    while True:
        path = str(place.with_name(f".{place.name}.{secrets.token_hex(8)}.tmp"))
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        _lock(descriptor, wait=True)
        if os.fstat(descriptor).st_nlink:
            return descriptor, path
        os.close(descriptor)  # before it was locked another writer took it for a leftover


def _remove_leftovers(place: Path) -> None:
    """Remove temporary files of writers to `place` that were killed."""
    if fcntl is None:
        return
    pattern = re.compile(rf"\.{re.escape(place.name)}\.[0-9a-f]{{16}}\.tmp")
    for name in os.listdir(place.parent):
        if pattern.fullmatch(name):
            with contextlib.suppress(OSError):
                _remove_if_left(place.with_name(name))


def _remove_if_left(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if _lock(descriptor, wait=False):
            os.unlink(path)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, wait: bool) -> bool:
    """Lock a file; returns true on success. Closing the descriptor releases the lock."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # another's, or the file system has no locks
        return False
    return True


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk, if the system can open folders. Raises `OSError`."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
