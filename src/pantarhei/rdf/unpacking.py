"""Compressed streams (gzip, zstd), unpacked a piece at a time: never more than a piece is held."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, cast

from pantarhei.errors import MalformedInputError
from pantarhei.rdf.first_bytes import COMPRESSIONS, is_undecided

if TYPE_CHECKING:
    from pantarhei.rdf.statements import Readable

UNPACKED: Final = ("gzip", "zstd")
"""The compressions that streams may have."""
SUFFIXES: Final = (".gz", ".zst", ".zstd")
"""How the names of such files end."""
_MARKS: Final = {mark: name for mark, name in COMPRESSIONS.items() if name in UNPACKED}
_PIECE: Final = 1 << 16


def without_packing(name: str) -> str:
    """A file's name without the suffix that says how it is compressed.

    >>> without_packing("readings.nq.gz")
    'readings.nq'
    """
    ending = next((suffix for suffix in SUFFIXES if name.lower().endswith(suffix)), "")
    return name[: len(name) - len(ending)]


class Unpacking:
    """A file to read from; what is compressed comes unpacked, the rest as it is.

    What is not compressed comes as it arrives, what is compressed once a whole piece of it is there.

    Args:
        file: a binary or a text file.
        source: what errors call it.
    """

    def __init__(self, file: Readable, source: str) -> None:
        self._file, self._source = file, source
        self._read: Callable[[int], bytes | str] = getattr(file, "read1", None) or file.read
        self._unpacked: Any = None
        self._begun: bytes | str | None = None  # read to see whether it is compressed, and still to be given

    def read(self, size: int = _PIECE) -> bytes | str:
        """At most `size` bytes, or characters of a text file; nothing at the end.

        Raises:
            MalformedInputError: it cannot be unpacked.
        """
        if self._begun is None:
            self._begin(size)
        if self._unpacked is None:
            return self._given(size)
        try:
            return cast(bytes, self._unpacked.read(size))
        except OSError as error:
            raise MalformedInputError(self._source, None, f"it cannot be unpacked: {error}") from None

    def _begin(self, size: int) -> None:
        first = self._read(size)
        while isinstance(first, bytes) and first and is_undecided(first) and (more := self._read(size)):
            first += cast(bytes, more)
        self._begun = first
        if not isinstance(first, bytes):
            return
        compression = next((name for mark, name in _MARKS.items() if first.startswith(mark)), None)
        if compression is not None:
            import pyarrow as pa

            self._unpacked = pa.CompressedInputStream(pa.PythonFile(_Packed(self._given), "r"), compression)

    def _given(self, size: int) -> bytes | str:
        """What the file has, beginning with what was read of it already."""
        if not self._begun:
            return self._read(size)
        piece, self._begun = self._begun[:size], self._begun[size:]
        return piece


class _Packed:
    """A compressed file as Arrow reads it."""

    closed = False

    def __init__(self, read: Callable[[int], Any]) -> None:
        self._read = read

    def read(self, size: int = -1) -> Any:
        return self._read(size if size > 0 else _PIECE)

    def close(self) -> None:
        """Whoever opened the file closes it."""
