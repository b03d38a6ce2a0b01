"""Versions of a query's answers; a version is decoded when it is first read.

A version is the bag of answers after one report, stored as a delta of the version before. So a report costs
its delta; a read costs the deltas since the last version read, and a copy of all rows. Once the deltas since
the last version read have more rows than the answers, the next version stores all rows. So unread versions
use at most twice the memory of the answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from pantarhei.query.answer_reports import AnswerRow
from pantarhei.query.incremental.operator import Row
from pantarhei.query.incremental.persistent_terms import Decoder

_MIN_HELD: Final = 256
"""Number of changed rows that versions may hold even if there are fewer answers."""


class _Delta(NamedTuple):
    """Answers as a delta of the version before."""

    before: Version
    change: Mapping[Row, int]
    decoder: RowDecoder


class _AllRows(NamedTuple):
    """Answers as a bag of rows of term numbers."""

    rows: Mapping[Row, int]
    decoder: RowDecoder


class RowDecoder:
    """Decoder of rows to terms. It caches the decoded rows of the version read last.

    Args:
        decoder: maps term numbers to terms.
    """

    def __init__(self, decoder: Decoder) -> None:
        self.decoder = decoder
        self._made: dict[Row, AnswerRow] = {}

    def bag(self, bag: Mapping[Row, int]) -> Counter[AnswerRow]:
        """Decode all rows of a bag."""
        self._made = {row: self.decoder.row(row) for row in bag}
        return Counter({made: bag[row] for row, made in self._made.items()})

    def add(self, rows: Counter[AnswerRow], change: Mapping[Row, int]) -> None:
        """Apply a delta to decoded rows. Most rows need one lookup, since hashing terms takes most of the
        time.
        """
        made = self._made
        for row, weight in change.items():
            shown = made.get(row)
            if shown is None:
                shown = made[row] = self.decoder.row(row)
            if weight < 0:
                weight += rows.pop(shown)
                if weight:
                    rows[shown] = weight
                else:
                    made.pop(row, None)
                continue
            size, copies = len(rows), rows.setdefault(shown, weight)
            if len(rows) == size:
                rows[shown] = copies + weight
        if len(made) > 2 * len(rows) + _MIN_HELD:  # many cached rows are deleted
            self._made = {}

    def is_equal_to(self, decoder: Decoder) -> bool:
        """Return whether another decoder maps all term numbers to the same terms."""
        return self.decoder.locals is decoder.locals and self.decoder.known == decoder.known


class Version:
    """Answers of a query after one of its reports. Threads may read it concurrently.

    Args:
        source: a delta of another version, or all rows.
        held: number of changed rows since the last version that stores all rows or was read.
    """

    __slots__ = ("_source", "decoder", "held")

    def __init__(self, source: _Delta | _AllRows, held: int) -> None:
        # assigned in one operation, so that other threads may read it
        self._source: _Delta | _AllRows | Counter[AnswerRow] = source
        self.decoder, self.held = source.decoder, held

    @classmethod
    def after(
        cls, before: Version | None, change: Mapping[Row, int], answers: Mapping[Row, int], decoder: Decoder
    ) -> Version:
        """Return the version after a delta.

        Args:
            before: the version before the delta; None if there is none.
            answers: the rows after the delta; copied if the version has to store all rows.
        """
        if before is not None and not change:
            return before
        held = 0 if before is None else before.held + len(change)
        has_equal_decoder = before is not None and before.decoder.is_equal_to(decoder)
        rows = before.decoder if before is not None and has_equal_decoder else RowDecoder(decoder)
        if before is None or held > max(_MIN_HELD, len(answers)):
            return cls(_AllRows(dict(answers), rows), 0)
        return cls(_Delta(before, change, rows), held)

    def rows(self) -> Counter[AnswerRow]:
        """Decode the answers, with their number of copies; returns a new counter."""
        changes: list[_Delta] = []
        source = self._source
        while isinstance(source, _Delta):
            changes.append(source)
            source = source.before._source
        rows = source.decoder.bag(source.rows) if isinstance(source, _AllRows) else Counter(source)
        for later in reversed(changes):
            later.decoder.add(rows, later.change)
        if not isinstance(self._source, Counter):
            self._source, self.held = Counter(rows), 0
        return rows


class ReadAnswers:
    """Cache of the answers read last, so that the next read decodes only the changed rows."""

    def __init__(self) -> None:
        self._numbers: Mapping[Row, int] = {}
        self._version: Version | None = None

    def rows(self, answers: Mapping[Row, int], decoder: Decoder) -> Counter[AnswerRow]:
        """Decode answers. The cost is a lookup for each row, and decoding of the rows that changed since the
        last call.
        """
        last, before = self._numbers, self._version
        if before is not None and not before.decoder.is_equal_to(decoder):
            last, before = {}, None
        change = {row: n - last.get(row, 0) for row, n in answers.items() if last.get(row) != n}
        change.update({row: -n for row, n in last.items() if row not in answers})
        self._version, self._numbers = Version.after(before, change, answers, decoder), dict(answers)
        return self._version.rows()
