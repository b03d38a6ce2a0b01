"""The rows of one input of a join, found by what they share with those of the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rdflib import Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.query.incremental.operator import Bag, Row, Shared, places_of

Found = Iterable[tuple[Row, int]]


class Index:
    """A bag of rows, found by the values of the variables shared with other rows.

    Rows that leave shared variables unbound are kept apart by which they bind; of the others each
    combination of bound variables that is asked for gets a table of its own.

    Args:
        shared: the variables that both have.
        mine: the variables of its rows.
        theirs: those of the rows that it is asked with.
    """

    def __init__(
        self,
        shared: Sequence[Variable],
        mine: Sequence[Variable],
        theirs: Sequence[Variable],
        state: Shared,
    ) -> None:
        self._mine, self._theirs, self._state = places_of(shared, mine), places_of(shared, theirs), state
        # by which of the shared variables a row binds: all such rows, and by part of these the rows by key
        self._bags: dict[int, Bag] = {}
        self._tables: dict[tuple[int, int], dict[Row, Bag]] = {}
        self._all = (1 << len(shared)) - 1

    def add(self, row: Row, weight: int) -> tuple[int, int]:
        """Add copies of a row; returns how many there were, and are."""
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
        """How many copies there are of a row."""
        return self._bags.get(self._bound(row, self._mine), {}).get(row, 0)

    def compatible(self, other: Row, overlap: bool = False) -> list[tuple[Row, int]]:
        """The rows that agree with another one in all that both bind.

        Args:
            overlap: they must bind at least one variable in common.
        """
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
        """Go on with other numbers of terms."""
        for bag in self._bags.values():
            self._state.rename(bag, rows)
        self._state.journal.replace(self._tables, {})
