"""Numbers for pairs of terms: names of the second kernel that no vocabulary has.

They count downwards from the largest number that a name can have. A pair keeps its number as long as
something is said of it; then the number is free for another.
"""

from __future__ import annotations

import numpy as np

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Fact, Integers, as_tuples
from pantarhei.temporal.expiry_model import UNTIL_REMOVED, Expiries, ExpiryModel
from pantarhei.temporal.operators import NOTHING, Rows, distinct

_FEW = 1024
"""So many pairs at least are kept before any is looked through for what is over."""


class Pairs:
    """The pairs that something is said of, or that rules ask for.

    It is an operator too (`operators.Operator`): it watches what is asked for.

    Args:
        asked: the predicate of the pairs that rules ask for.
        left, right: predicates of the kernel, for a pair and its terms.
    """

    def __init__(self, asked: int, left: int, right: int) -> None:
        self.watched = (asked,)
        self._asked, self._left, self._right = asked, left, right
        self._numbers: dict[tuple[int, int], int] = {}
        self._terms: dict[int, tuple[int, int]] = {}
        self._until: dict[int, int] = {}  # when what is said of a pair is over
        self._wanted: set[tuple[int, int]] = set()  # those that rules ask for
        self._links: dict[Fact, int] = {}  # rows that are to come, with their expiries
        self._free: list[int] = []
        self._most = _FEW

    def number(self, left: int, right: int, expiry: int) -> int:
        """The number of a pair, of which something is said until an expiry."""
        number = self._number(left, right)
        if self._until[number] < expiry:
            self._until[number] = expiry
            self._link(number, left, right, expiry)
        return number

    def _number(self, left: int, right: int) -> int:
        number = self._numbers.get((left, right))
        if number is None:
            number = self._free.pop() if self._free else FIRST_LITERAL - 1 - len(self._numbers)
            self._numbers[left, right] = number
            self._terms[number] = left, right
            self._until[number] = NONE
        return number

    def _link(self, number: int, left: int, right: int, expiry: int) -> None:
        self._links[self._left, number, left] = self._links[self._right, number, right] = expiry

    def terms(self, number: int) -> tuple[int, int]:
        """The terms of a pair."""
        return self._terms[number]

    def take_links(self) -> tuple[Integers, Expiries]:
        """The rows that say what the pairs are that were numbered since the last call, or last longer now."""
        links, self._links = self._links, {}
        return np.array(list(links), np.int32).reshape(-1, 3), np.array(list(links.values()), np.int64)

    def react(self, changed: Integers, model: ExpiryModel) -> Rows:
        """See `Operator`: rules ask for pairs, or do so no more."""
        rows = distinct(changed)
        for (_, left, right), asked in zip(as_tuples(rows), model.present(rows).tolist(), strict=True):
            if asked:
                self._wanted.add((left, right))
                self._link(self._number(left, right), left, right, UNTIL_REMOVED)
            else:
                self._wanted.discard((left, right))
        return Rows(self.take_links()[0], NOTHING.going)

    def come_to(self, tick: int, model: ExpiryModel) -> Rows:
        """See `Operator`: numbers of which nothing is said any more become free."""
        if len(self._numbers) < self._most:
            return NOTHING
        over: list[Fact] = []
        for (left, right), number in list(self._numbers.items()):
            if self._until[number] < tick and (left, right) not in self._wanted:
                over += [(self._left, number, left), (self._right, number, right)]
                del self._numbers[left, right], self._terms[number], self._until[number]
                self._free.append(number)
        self._most = max(_FEW, 2 * len(self._numbers))
        return Rows(NOTHING.coming, np.array(over, np.int32).reshape(-1, 3))

    def next_due(self) -> int | None:
        """See `Operator`."""
        return None
