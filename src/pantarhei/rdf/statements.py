"""RDF statements with line numbers, read incrementally from N-Quads and TriG by pyoxigraph's parser.

A read never waits for more input than has arrived, so pipes can be followed. If a block of N-Quads is
malformed, its lines are parsed one by one, so that an unclosed quotation mark does not affect later lines.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from typing import IO, NamedTuple, cast

import numpy as np
import pyoxigraph as ox

from pantarhei.errors import MalformedInputError
from pantarhei.rdf.decompression import BYTE_ORDER_MARK, Readable, needs_more_bytes, plain_text
from pantarhei.rdf.parse import DEEPEST_TRIPLE_TERM, parser_errors, reason_of, without_strings

BLOCK = 1 << 16
LONGEST_LINE = 1 << 24
"""Largest number of bytes in a line of N-Quads or N-Triples, without its newline.

In TriG, where lines have no meaning, pyoxigraph's parser limits each term to 16 MiB too.
"""
_SUBJECTS = (b"<", b"_")  # first bytes of IRIs and blank nodes, the possible starts of a statement
_SHOWN = 1000  # bytes shown of a skipped line


class Statement(NamedTuple):
    """Statement with its line number: exact in N-Quads; in TriG the line on which its last term was read."""

    line: int
    quad: ox.Quad


class UnparsedLines(NamedTuple):
    """Consecutive lines of N-Quads that have to be parsed, with the number of the first line."""

    line: int
    text: bytes


Skip = Callable[[int, str, str], None]


class ByteFeed:
    """Bytes of a file, read as they arrive and counted. Text is encoded to UTF-8."""

    def __init__(self, file: Readable) -> None:
        self._read: Callable[[int], bytes | str] = getattr(file, "read1", None) or file.read
        self._again = b""  # bytes to read again
        self.bytes_read = 0

    def read(self, size: int = BLOCK) -> bytes:
        """Return at most `size` bytes; b"" at the end. Blocks only until the first byte is available."""
        data: bytes | str = self._again[:size]
        self._again = self._again[size:]
        data = data or self._read(size)
        if isinstance(data, str):
            data = data.encode()
        self.bytes_read += len(data)
        return data

    def look_ahead(self, is_so: Callable[[bytes], bool | None], size: int = BLOCK) -> bool:
        """Test the start of the file with `is_so`, which returns None if it needs more bytes.

        Only as many bytes are read as the test needs, at most `size`. They remain available to later reads.
        """
        data = self.read(size)
        found = is_so(data.removeprefix(BYTE_ORDER_MARK))
        while found is None and len(data) < size and (more := self.read(size - len(data))):
            data += more
            found = is_so(data.removeprefix(BYTE_ORDER_MARK))
        self._again = data + self._again
        self.bytes_read -= len(data)
        return bool(found)

    def read_first(self, source: str, size: int = BLOCK) -> bytes:
        """Read enough bytes at the start of the file to detect compression; return them without a byte order
        mark.

        Raises:
            CompressedInputError: the file is compressed.
        """
        data = self.read(size)
        while data and needs_more_bytes(data) and (more := self.read(size)):
            data += more
        return plain_text(data, source)

    def pieces(self, source: str, size: int, line: int = 1) -> Iterator[bytes]:
        """Yield the rest of the file in blocks of at most `size` bytes. If `line` is 1, a byte order mark is
        removed.
        """
        data = self.read_first(source, size) if line == 1 else self.read(size)
        while data:
            yield data
            data = self.read(size)


_TOO_DEEP = f"triple terms nested deeper than {DEEPEST_TRIPLE_TERM} levels"


def parse_lines(
    first: int, lines: bytes, source: str, skip: Skip | None, syntax: ox.RdfFormat = ox.RdfFormat.N_QUADS
) -> Iterator[Statement]:
    """Yield the statements of whole lines of N-Quads or N-Triples; `first` is the number of the first line.

    Raises:
        MalformedInputError: a line is malformed, and `skip` is None.
    """
    count = lines.count(b"\n") + (not lines.endswith(b"\n"))
    try:
        quads = [] if b"<<(" in lines else list(ox.parse(lines, syntax))
    except SyntaxError:
        quads = []
    if len(quads) == count:
        yield from map(Statement, range(first, first + count), quads)
    else:
        yield from _line_by_line(first, lines, source, skip, syntax)


def lines_of_statements(content: bytes) -> Sequence[int] | None:
    r"""Return the line numbers of the statements in a well-formed N-Quads or N-Triples document, which has at
    most one statement on each line.

    None if lines end with carriage returns alone, since programs count such lines differently.

    >>> list(lines_of_statements(b"# two\n<urn:a> <urn:p> <urn:b> .\n\n<urn:c> <urn:p> <urn:d> ."))
    [2, 4]
    """
    if content.count(b"\r") > content.count(b"\r\n"):
        return None
    lines = enumerate(BytesIO(content), 1)
    return array("I", (line for line, text in lines if text.lstrip().startswith(_SUBJECTS)))


def canonical_lines(lines: bytes) -> bytes | None:
    """Return N-Quads in the form that pyoxigraph writes; None unless each line is a statement."""
    count = lines.count(b"\n") + (not lines.endswith(b"\n"))
    if b"<<(" in lines:
        return None
    try:
        quads = ox.parse(lines, ox.RdfFormat.N_QUADS)
        written = cast(bytes, ox.serialize(quads, format=ox.RdfFormat.N_QUADS))
    except SyntaxError:
        return None
    return written if written.count(b"\n") == count else None


def _line_by_line(
    first: int, block: bytes, source: str, skip: Skip | None, syntax: ox.RdfFormat
) -> Iterator[Statement]:
    for line, text in enumerate(block.split(b"\n"), first):
        try:
            if without_strings(text).count(b"<<(") > DEEPEST_TRIPLE_TERM:
                raise SyntaxError(_TOO_DEEP)
            quads = list(ox.parse(text, syntax))
        except SyntaxError as error:
            if skip is None:
                raise MalformedInputError(source, line, reason_of(error)) from None
            skip(line, reason_of(error), _shown(text))
        else:
            for quad in quads:
                yield Statement(line, quad)


def line_blocks(
    feed: ByteFeed, source: str, line: int = 1, size: int = BLOCK, skip: Skip | None = None
) -> Iterator[tuple[int, bytes]]:
    """Yield whole lines as they arrive, in blocks of about `size` bytes, each with the number of its first
    line.

    Args:
        line: number of the first line of the file.
        skip: called with lines longer than `LONGEST_LINE`.

    Raises:
        MalformedInputError: a line is too long, and `skip` is None.
        CompressedInputError: the file is compressed.
    """
    rest = bytearray()  # incomplete line
    is_skipping = False  # inside a line that is too long
    # A line that ends in the block in which it begins cannot be too long.
    for data in feed.pieces(source, min(size, LONGEST_LINE), line):
        first = data.find(b"\n")
        length = len(data) if first < 0 else first
        if is_skipping or len(rest) + length > LONGEST_LINE:
            if not is_skipping:
                _refuse_long_line(b"".join((rest[:_SHOWN], data[:length])), source, line, skip)
            rest.clear()
            is_skipping = first < 0
            if is_skipping:
                continue
            line, data = line + 1, data[first + 1 :]
        end = data.rfind(b"\n") + 1
        if end:
            block = b"".join((rest, memoryview(data)[:end]))
            yield line, block
            # three times as fast as bytes.count
            line += int(np.count_nonzero(np.frombuffer(block, np.uint8) == 10))
            rest = bytearray(data[end:])
        else:
            rest += data
    if rest:
        yield line, bytes(rest)


def _refuse_long_line(begin: bytes, source: str, line: int, skip: Skip | None) -> None:
    reason = f"the line is longer than {LONGEST_LINE:,} bytes"
    if skip is None:
        raise MalformedInputError(source, line, reason)
    skip(line, reason, _shown(begin))


def _shown(text: bytes) -> str:
    """Return the start of a line for reports of skipped input."""
    return text[:_SHOWN].decode(errors="replace")


class _LineInput:
    """Input of a parser that returns at most one line for each read, so that the position of the parser is
    known.
    """

    def __init__(self, feed: ByteFeed, source: str) -> None:
        self._feed, self._rest, self._at_end = feed, b"", False
        self._source, self._depth = source, 0
        self.line = 1

    def read(self, size: int = BLOCK) -> bytes:
        if not self._rest:
            is_first = self._feed.bytes_read == 0
            self._rest = self._feed.read_first(self._source) if is_first else self._feed.read()
        end = self._rest.find(b"\n") + 1 or len(self._rest)
        end = min(end, size) if size > 0 else end
        piece, self._rest = self._rest[:end], self._rest[end:]
        self.line += self._at_end and bool(piece)
        self._at_end = piece.endswith(b"\n")
        if b"<<" in piece or b">>" in piece:
            self._follow_nesting(piece)
        return piece

    def _follow_nesting(self, piece: bytes) -> None:
        """Raise an error if triple terms are nested so deeply that they would exhaust the parser's stack."""
        written = without_strings(piece)
        self._depth = max(0, self._depth + written.count(b"<<(") - written.count(b")>>"))
        if self._depth > DEEPEST_TRIPLE_TERM:
            raise MalformedInputError(self._source, self.line, _TOO_DEEP)


def read_trig(feed: ByteFeed, source: str, base: str | None = None) -> Iterator[Statement]:
    """Yield the statements of a TriG file.

    Args:
        base: base of relative IRIs until the file declares another; if None, relative IRIs are refused.

    Raises:
        MalformedInputError: the file is malformed. Statements after an error cannot be interpreted reliably,
        so nothing is skipped.
    """
    lines = _LineInput(feed, source)
    with parser_errors(source, lambda: lines.line):
        for quad in ox.parse(cast(IO[bytes], lines), ox.RdfFormat.TRIG, base_iri=base):
            yield Statement(lines.line, quad)
