"""Who has the rows of an operator as answers. Their answers are brought up to date when somebody looks.

What changes waits, whole and once for all of them: to add a row to answers costs more than to make it, since
where it belongs is seldom in the processor's cache, and to tell whose it is costs a look at each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from pantarhei.materialize.kernel.bags import by_end
from pantarhei.query.incremental.journal import ABSENT
from pantarhei.query.incremental.operator import Row, Shared
from pantarhei.query.incremental.registered import Registered, nothing_waits

_FEW: Final = 256
"""So many rows may wait in any case; beyond that, a quarter of the rows that there are."""


class Members(NamedTuple):
    """Queries by what the rows of an operator end with that are theirs; nothing in it changes any more.

    Args:
        size: with how many numbers the rows end that say whose they are.
        by_numbers: the queries by these numbers.
    """

    size: int
    by_numbers: Mapping[Row, list[Registered]]

    def own(self, change: Mapping[Row, int]) -> Iterator[tuple[Registered, Mapping[Row, int]]]:
        """Of a change what is each query's own, for those that it changes anything for."""
        parts = by_end(change, self.size) if self.size else {(): change}
        for numbers, own in parts.items():
            for registered in self.by_numbers.get(numbers, ()):
                yield registered, own


class Audience:
    """The queries whose answers are the rows of one operator.

    `are_plain` says whether all of them report at each step.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._waiting: dict[int, Mapping[Row, int]] = {}
        self._most = _FEW
        self.rows = 0
        """How many rows wait to be added to answers."""
        self.members, self.are_plain = Members(0, {}), True

    def consist_of(self, queries: list[Registered]) -> None:
        """Have these members from now on, one at least; nothing waits."""
        by_numbers: dict[Row, list[Registered]] = {}
        for registered in queries:
            by_numbers.setdefault(registered.numbers, []).append(registered)
            registered.catch_up = self.catch_up
        self.members = Members(len(queries[0].numbers), by_numbers)
        self.are_plain = all(registered.is_plain for registered in queries)

    def dissolve(self) -> None:
        """Bring the answers of all members up to date, and have no members."""
        self.catch_up()
        for queries in self.members.by_numbers.values():
            for registered in queries:
                registered.catch_up = nothing_waits
        self.members = Members(0, {})

    def wait_with(self, change: Mapping[Row, int]) -> None:
        """Add a change to the answers of those whose rows it has: when somebody looks, or much waits."""
        waiting = self._waiting
        number = len(waiting)
        self._shared.journal.entries.append((waiting, number, ABSENT))
        waiting[number] = change
        self.rows += len(change)
        if self.rows > self._most:
            self.catch_up()

    def catch_up(self) -> None:
        """Bring the answers of all members up to date."""
        if not self._waiting:
            return
        journal = self._shared.journal
        before = journal.mark()
        try:
            changes = [own for change in self._waiting.values() for own in self.members.own(change)]
            self._shared.add_to_each([(registered.reported, own) for registered, own in changes])
            journal.replace(self._waiting, {})
        except BaseException:
            journal.back(before)
            raise
        self.rows = 0
        held = sum(len(each.reported) for queries in self.members.by_numbers.values() for each in queries)
        self._most = max(_FEW, held // 4)

    def recount(self) -> None:
        """The journal has gone back: see how many rows wait."""
        self.rows = sum(map(len, self._waiting.values()))
