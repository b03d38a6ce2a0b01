"""N-Quads as messages take them: plain lines by column, others as statements of a parser."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pantarhei.io.graph_times import time_properties
from pantarhei.rdf.statements import (
    ByteFeed,
    OddLines,
    Skip,
    Statement,
    canonical_lines,
    line_blocks,
    parse_lines,
)

if TYPE_CHECKING:
    from pantarhei.rdf.plain_quads import PlainQuadsReader, PlainRun

BLOCK = 1 << 20
FEWEST_BYTES = 1 << 13  # of fewer, parsing costs less than splitting, and Arrow need not be there


class QuadsReader:
    """Reads N-Quads; remembers terms it has met.

    Args:
        source: what errors call the file.
        time: where a graph's time is; the lines that state it are never part of a run.
        skip: takes malformed lines; None to raise.
    """

    def __init__(self, source: str, time: str, skip: Skip | None) -> None:
        self._source, self._time, self._skip = source, time, skip
        self._plain: PlainQuadsReader | None = None

    def read(self, feed: ByteFeed, line: int = 1) -> Iterator[Statement | PlainRun]:
        """The lines as they arrive, in their order, `line` the number of the first.

        Raises:
            MalformedInputError: a line is malformed and nothing takes it.
        """
        for first, block in line_blocks(feed, self._source, line, BLOCK, self._skip):
            if len(block) < FEWEST_BYTES:
                yield from parse_lines(first, block, self._source, self._skip)
                continue
            for found in self._plain_reader().read(first, block):
                if isinstance(found, OddLines):
                    yield from self._odd(found)
                else:
                    yield found

    def _odd(self, lines: OddLines) -> Iterator[Statement | PlainRun]:
        """Odd lines: many together are written anew and read so, as far as they are plain then."""
        text = canonical_lines(lines.text) if len(lines.text) >= FEWEST_BYTES else None
        again: Iterable[PlainRun | OddLines]
        again = [lines] if text is None else self._plain_reader().read(lines.line, text)
        for found in again:
            if isinstance(found, OddLines):
                yield from parse_lines(*found, self._source, self._skip)
            else:
                yield found

    def _plain_reader(self) -> PlainQuadsReader:
        if self._plain is None:
            from pantarhei.rdf.plain_quads import PlainQuadsReader

            self._plain = PlainQuadsReader([f"<{iri}>" for iri in time_properties(self._time)])
        return self._plain
