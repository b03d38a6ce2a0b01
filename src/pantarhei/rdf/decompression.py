"""Detection of byte order marks and compression at the start of documents, and incremental decompression of
gzip and zstd.

At most one block of decompressed data is in memory, since a small file can expand to more than fits there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol, cast

from pantarhei.errors import CompressedInputError, MalformedInputError, MissingFileError

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
COMPRESSIONS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
}
_MARKS = (BYTE_ORDER_MARK, *COMPRESSIONS)
_LONGEST_NAME, _LONGEST_PATH = 255, 4096  # limits of common file systems
_LONGEST_MARK = max(map(len, _MARKS))


def needs_more_bytes(first: bytes) -> bool:
    """True if `first` is a proper prefix of a byte order mark or of the signature of a compression."""
    return any(mark.startswith(first) for mark in _MARKS)


def plain_text(first: bytes, source: str, unpacked: Container[str] = ()) -> bytes:
    r"""Return a document, or its first bytes, without a byte order mark.

    Args:
        unpacked: names of compressions that are not refused, because the caller decompresses them.

    Raises:
        CompressedInputError: the document is compressed.

    >>> plain_text(b"\xef\xbb\xbf<urn:a>", "a.nt")
    b'<urn:a>'
    """
    for mark, compression in COMPRESSIONS.items():
        if first.startswith(mark) and compression not in unpacked:
            raise CompressedInputError(source, compression)
    return first.removeprefix(BYTE_ORDER_MARK)


_BEGIN_OF_RDF = re.compile(
    r"""\s*(@(prefix|base)\s|(prefix|base)\s.*<|(prefix|ontology)\(|<\S*>\s|<[?!\w][^>]*\s|[\[{]\s*["{])""",
    re.IGNORECASE,
)


def is_document(name: str) -> bool:
    r"""True if an argument is a document and not a path: it has line breaks, begins like RDF, or is longer
    than paths can be.

    >>> is_document("rooms.ttl"), is_document("@prefix : <urn:> . :a :b :c .")
    (False, True)
    """
    if "\n" in name or _BEGIN_OF_RDF.match(name):
        return True
    return len(os.fsencode(Path(name).name)) > _LONGEST_NAME or len(name) > _LONGEST_PATH


def refuse_null(path: str | os.PathLike[str]) -> None:
    """Raise an error if the path has a null character.

    Raises:
        MissingFileError: the path has a null character.
    """
    if "\0" in (name := os.fspath(path)):
        raise MissingFileError(name.replace("\0", "\\0"), "there is a null character in the path")


def refuse_unreadable(path: Path, unpacked: Container[str] = ()) -> None:
    """Raise an error unless the file can be read and is not compressed. Pipes and devices are not inspected.

    Args:
        unpacked: names of compressions that are not refused, because the caller decompresses them.

    Raises:
        MissingFileError: the path does not exist, is not a file, or cannot be opened.
        CompressedInputError: the file is compressed.
    """
    refuse_null(path)
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            return
        with path.open("rb") as file:
            plain_text(file.read(_LONGEST_MARK), str(path), unpacked)
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: str | os.PathLike[str], error: OSError) -> MissingFileError:
    """Return the error for a file that could not be opened or read.

    >>> str(unreadable(Path("https://example.org/rooms.ttl"), FileNotFoundError()))
    'https://example.org/rooms.ttl cannot be read: nothing is fetched; download it, and give its path'
    """
    url = re.fullmatch("(https?|ftp):/+(.*)", name := os.fspath(path), re.IGNORECASE)
    if url is None:
        return MissingFileError(name, f"{error.strerror or error}{_similar(Path(name))}")
    return MissingFileError(f"{url[1]}://{url[2]}", "nothing is fetched; download it, and give its path")


def _similar(path: Path) -> str:
    """Return a question that names a file with a similar name in the folder of a missing file, or empty."""
    if path.exists() or not path.parent.is_dir():
        return ""
    stems = {each.stem: each.name for each in islice(path.parent.iterdir(), _MOST_COMPARED)}
    near = get_close_matches(path.stem, stems, 1, 0.75)
    return f" (did you mean {path.with_name(stems[near[0]])}?)" if near else ""


_MOST_COMPARED: Final = 1_000
UNPACKED: Final = ("gzip", "zstd")
"""Compressions that are supported in streams."""
SUFFIXES: Final = (".gz", ".zst", ".zstd")
"""Suffixes of file names for these compressions."""
_UNPACKING_MARKS: Final = {mark: name for mark, name in COMPRESSIONS.items() if name in UNPACKED}
_PIECE: Final = 1 << 16


def without_compression(name: str) -> str:
    """Return the name of a file without the suffix of its compression.

    >>> without_compression("readings.nq.gz")
    'readings.nq'
    """
    ending = next((suffix for suffix in SUFFIXES if name.lower().endswith(suffix)), "")
    return name[: len(name) - len(ending)]


class Readable(Protocol):
    """Binary or text file that can be read."""

    def read(self, size: int = ..., /) -> bytes | str: ...


class DecompressedFile:
    """Binary or text file that decompresses gzip and zstd while it is read.

    Uncompressed data are returned as they arrive. Compressed data are decompressed in blocks, of which at
    most one is in memory.

    Args:
        file: a binary or a text file.
        source: name of the file in errors.
    """

    def __init__(self, file: Readable, source: str) -> None:
        self._file, self._source = file, source
        self._read: Callable[[int], bytes | str] = getattr(file, "read1", None) or file.read
        self._unpacked: Any = None
        self._begun: bytes | str | None = None  # data read to detect compression and not yet returned

    def read(self, size: int = _PIECE) -> bytes | str:
        """Return at most `size` bytes, or characters of a text file; an empty value at the end.

        Raises:
            MalformedInputError: decompression failed.
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
        while isinstance(first, bytes) and first and needs_more_bytes(first) and (more := self._read(size)):
            first += cast(bytes, more)
        self._begun = first
        if not isinstance(first, bytes):
            return
        compression = next((name for mark, name in _UNPACKING_MARKS.items() if first.startswith(mark)), None)
        if compression is not None:
            import pyarrow as pa

            self._unpacked = pa.CompressedInputStream(pa.PythonFile(_Packed(self._given), "r"), compression)

    def _given(self, size: int) -> bytes | str:
        """Return undecompressed data of the file, beginning with the bytes already read."""
        if not self._begun:
            return self._read(size)
        piece, self._begun = self._begun[:size], self._begun[size:]
        return piece


class _Packed:
    """Compressed file with the interface that Arrow reads from."""

    closed = False

    def __init__(self, read: Callable[[int], Any]) -> None:
        self._read = read

    def read(self, size: int = -1) -> Any:
        return self._read(size if size > 0 else _PIECE)

    def close(self) -> None:
        """Do nothing, since the caller closes the file."""
