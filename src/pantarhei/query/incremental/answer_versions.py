"""Versions of a query's answers; each is decoded from the version before when it is first read.

A version is the set of answers after one report. It holds the rows that changed since the version before: a
report costs its changes, a read the changes since the last read and a copy of all rows. When more rows have
changed than there are answers, a version holds all rows. So unread versions use at most twice the memory of
the answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from pantarhei.query.answer_reports import AnswerRow
from pantarhei.query.incremental.operator import Row
from pantarhei.query.incremental.persistent_terms import Decoder

_FEW: Final = 256
"""Number of changed rows that versions may hold in any case."""


class _Later(NamedTuple):
    """Answers as a delta of another version."""

    before: Version
    change: Mapping[Row, int]
    decoder: RowDecoder


class _Whole(NamedTuple):
    """Answers as rows of term numbers."""

    rows: Mapping[Row, int]
    decoder: RowDecoder


class RowDecoder:
    """Decoder of rows to terms, with a cache of the rows that versions hold.

    Args:
        decoder: maps numbers to terms.
    """

    def __init__(self, decoder: Decoder) -> None:
        self.decoder = decoder
        self._made: dict[Row, AnswerRow] = {}

    def bag(self, bag: Mapping[Row, int]) -> Counter[AnswerRow]:
        """Decode all rows of a bag."""
        self._made = {row: self.decoder.row(row) for row in bag}
        return Counter({made: bag[row] for row, made in self._made.items()})

    def add(self, rows: Counter[AnswerRow], change: Mapping[Row, int]) -> None:
        """Apply a delta to decoded rows. Mostly one look-up a row, since hashing terms takes longest."""
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
        if len(made) > 2 * len(rows) + _FEW:  # includes rows of versions that were read late
            self._made = {}

    def is_of(self, decoder: Decoder) -> bool:
        """Return whether a decoder maps all numbers to the same terms."""
        return self.decoder.locals is decoder.locals and self.decoder.known == decoder.known


class Version:
    """Answers of a query after one of its reports. Thread-safe to read.

    Args:
        source: another version and a delta, or rows of numbers.
        held: number of changed rows since the last version that was read, including this version.
    """

    __slots__ = ("_source", "decoder", "held")

    def __init__(self, source: _Later | _Whole, held: int) -> None:
        # assigned as a whole, so that threads may read
        self._source: _Later | _Whole | Counter[AnswerRow] = source
        self.decoder, self.held = source.decoder, held

    @classmethod
    def after(
        cls, before: Version | None, change: Mapping[Row, int], answers: Mapping[Row, int], decoder: Decoder
    ) -> Version:
        """Return the version after a delta.

        Args:
            before: the version before, None for none.
            answers: the rows after the delta; copied where many rows have changed.
        """
        if before is not None and not change:
            return before
        held = 0 if before is None else before.held + len(change)
        is_of_it = before is not None and before.decoder.is_of(decoder)
        rows = before.decoder if before is not None and is_of_it else RowDecoder(decoder)
        if before is None or held > max(_FEW, len(answers)):
            return cls(_Whole(dict(answers), rows), 0)
        return cls(_Later(before, change, rows), held)

    def rows(self) -> Counter[AnswerRow]:
        """Decode the answers, with their number of copies; returns a new counter."""
        changes: list[_Later] = []
        source = self._source
        while isinstance(source, _Later):
            changes.append(source)
            source = source.before._source
        rows = source.decoder.bag(source.rows) if isinstance(source, _Whole) else Counter(source)
        for later in reversed(changes):
            later.decoder.add(rows, later.change)
        if not isinstance(self._source, Counter):
            self._source, self.held = Counter(rows), 0
        return rows


class ReadAnswers:
    """Cache of the answers that were read last; the next read decodes only changed rows."""

    def __init__(self) -> None:
        self._numbers: Mapping[Row, int] = {}
        self._version: Version | None = None

    def rows(self, answers: Mapping[Row, int], decoder: Decoder) -> Counter[AnswerRow]:
        """Decode answers. Costs a look-up for each row, and decoding of changed rows."""
        last, before = self._numbers, self._version
        if before is not None and not before.decoder.is_of(decoder):
            last, before = {}, None
        change = {row: n - last.get(row, 0) for row, n in answers.items() if last.get(row) != n}
        change.update({row: -n for row, n in last.items() if row not in answers})
        self._version, self._numbers = Version.after(before, change, answers, decoder), dict(answers)
        return self._version.rows()
