"""The rows of one input of a join, found by what they share with those of the other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Protocol

from rdflib import Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.query.incremental.operator import Bag, Row, Shared, places_of

Found = Collection[tuple[Row, int]]


class Index(Protocol):
    """A bag of rows, found by the values of the variables shared with other rows."""

    def add(self, row: Row, weight: int) -> tuple[int, int]:
        """Add copies of a row; returns how many there were, and are."""

    def weight(self, row: Row) -> int:
        """How many copies there are of a row."""

    def compatible(self, other: Row, overlap: bool = False) -> Found:
        """The rows that agree with another one in all that both bind.

        Args:
            overlap: they must bind at least one variable in common.
        """

    @property
    def bags(self) -> Iterable[Bag]:
        """The rows."""

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        """Go on with other numbers of terms."""


def index_of(
    shared: Sequence[Variable],
    mine: Sequence[Variable],
    theirs: Sequence[Variable],
    state: Shared,
    sure: bool,
) -> Index:
    """An index of rows.

    Args:
        shared: the variables that both have.
        mine: the variables of its rows.
        theirs: those of the rows that it is asked with.
        sure: all rows bind all that is shared.
    """
    places = places_of(shared, mine), places_of(shared, theirs)
    return SureIndex(*places, state) if sure else LooseIndex(*places, state)


class SureIndex:
    """Of rows that bind all that is shared.

    Args:
        mine, theirs: where the shared variables stand in its rows, and in those that it is asked with.
    """

    def __init__(self, mine: Sequence[int], theirs: Sequence[int], state: Shared) -> None:
        self._shares = bool(mine)
        self._mine, self._theirs, self._state = state.key_of(mine), state.key_of(theirs), state
        self._rows: dict[Any, Bag] = {}

    def add(self, row: Row, weight: int) -> tuple[int, int]:
        key = self._mine(row)
        rows = self._rows.get(key)
        if rows is None:
            self._state.journal.note(self._rows, key)
            rows = self._rows[key] = {}
        counts = self._state.add(rows, row, weight)
        if not rows:
            self._state.journal.note(self._rows, key)
            del self._rows[key]
        return counts

    def weight(self, row: Row) -> int:
        return self._rows.get(self._mine(row), {}).get(row, 0)

    def compatible(self, other: Row, overlap: bool = False) -> Found:
        rows = self._rows.get(self._theirs(other))
        return () if rows is None or (overlap and not self._shares) else rows.items()

    @property
    def bags(self) -> Iterable[Bag]:
        return self._rows.values()

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        made: dict[Any, Bag] = {}
        for bag in self._rows.values():
            for row, weight in bag.items():
                new = rows(row)
                made.setdefault(self._mine(new), {})[new] = weight
        self._state.journal.replace(self._rows, made)


class LooseIndex:
    """Of rows some of which may leave shared variables unbound.

    Rows are kept apart by which they bind; each combination of bound variables that is asked for gets a table
    of its own.

    Args: as of `SureIndex`.
    """

    def __init__(self, mine: Sequence[int], theirs: Sequence[int], state: Shared) -> None:
        self._mine, self._theirs, self._state = mine, theirs, state
        # by which of the shared variables a row binds: all such rows, and by part of these the rows by key
        self._bags: dict[int, Bag] = {}
        self._tables: dict[tuple[int, int], dict[Row, Bag]] = {}
        self._all = (1 << len(mine)) - 1

    def add(self, row: Row, weight: int) -> tuple[int, int]:
        bound = self._bound(row, self._mine)
        journal = self._state.journal
        bag = self._bags.get(bound)
        if bag is None:
            journal.note(self._bags, bound)
            bag = self._bags[bound] = {}
        counts = self._state.add(bag, row, weight)
        for (whose, part), table in self._tables.items():
            if whose != bound:
                continue
            key = self._key(row, self._mine, part)
            rows = table.get(key)
            if rows is None:
                journal.note(table, key)
                rows = table[key] = {}
            self._state.add(rows, row, weight)
            if not rows:
                journal.note(table, key)
                del table[key]
        return counts

    def weight(self, row: Row) -> int:
        return self._bags.get(self._bound(row, self._mine), {}).get(row, 0)

    def compatible(self, other: Row, overlap: bool = False) -> Found:
        theirs = self._bound(other, self._theirs)
        found: list[tuple[Row, int]] = []
        for bound in self._bags:
            part = bound & theirs
            if part or not overlap:
                found += self._table(bound, part).get(self._key(other, self._theirs, part), {}).items()
        return found

    def _table(self, bound: int, part: int) -> dict[Row, Bag]:
        table = self._tables.get((bound, part))
        if table is None:
            table = {}
            for row, weight in self._bags[bound].items():
                table.setdefault(self._key(row, self._mine, part), {})[row] = weight
            self._state.journal.note(self._tables, (bound, part))
            self._tables[bound, part] = table
        return table

    def _bound(self, row: Row, places: Sequence[int]) -> int:
        """Which of the shared variables a row binds, as bits."""
        bound = 0
        for bit, place in enumerate(places):
            if row[place] != NONE:
                bound |= 1 << bit
        return bound

    def _key(self, row: Row, places: Sequence[int], part: int) -> Row:
        if part != self._all:
            places = [place for bit, place in enumerate(places) if part >> bit & 1]
        return self._state.key(row, places)

    @property
    def bags(self) -> Iterable[Bag]:
        return self._bags.values()

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        for bag in self._bags.values():
            self._state.rename(bag, rows)
        self._state.journal.replace(self._tables, {})
