"""Numbers for pairs of terms: names of the second kernel that no vocabulary has.

They count downwards from the largest number that a name can have. A pair keeps its number as long as
something is said of it; then the number is free for another.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FACTS, NONE, Integers, each_once
from pantarhei.temporal.expiry_model import Expiries, ExpiryModel
from pantarhei.temporal.operators import NOTHING, Rows

_FEW = 1024
"""So many pairs at least are kept before any is looked through for what is over."""

_FIRST = FIRST_LITERAL - 1
"""The number of the pair at place 0; that at place 1 has one less."""


class Pairs:
    """The pairs that something is said of, or that rules ask for.

    It is an operator too (`operators.Operator`): it watches what is asked for.

    Args:
        asked: the predicate of the pairs that rules ask for.
        left, right: predicates of the kernel, for a pair and its terms.
    """

    def __init__(self, asked: int, left: int, right: int) -> None:
        self.watched = (asked,)
        self._left, self._right = left, right
        self._places: dict[int, int] = {}  # by a key of both terms
        self._terms = np.empty((0, 2), np.int32)  # by place, as all that follows
        self._until = np.empty(0, np.int64)  # when what is said of a pair is over
        self._is_wanted = np.empty(0, bool)  # whether rules ask for it
        self._links: list[tuple[npt.NDArray[np.intp], int]] = []  # pairs that are told anew, until when
        self._free: list[int] = []
        self._most = _FEW

    def numbers(self, terms: Integers, expiry: int) -> Integers:
        """The numbers of pairs, of which something is said until an expiry.

        Args:
            terms: shape (n, 2).
            expiry: `NONE` where rules ask for the pairs as long as something is said of them.
        """
        places = self._places_of(terms)
        longer = np.unique(places[self._until[places] < expiry])
        if len(longer):
            self._until[longer] = expiry
            self._links.append((longer, expiry))
        return (_FIRST - places).astype(np.int32)

    def _places_of(self, terms: Integers) -> npt.NDArray[np.intp]:
        known, free = self._places, self._free
        places = []
        for key in _keys(terms).tolist():
            place = known.get(key)
            if place is None:
                place = known[key] = free.pop() if free else len(known)
            places.append(place)
        found = np.array(places, np.intp)
        if len(found) and (last := int(found.max())) >= len(self._until):
            more = max(_FEW, 2 * last) - len(self._until)
            self._until = np.append(self._until, np.full(more, NONE, np.int64))
            self._is_wanted = np.append(self._is_wanted, np.zeros(more, bool))
            self._terms = np.append(self._terms, np.empty((more, 2), np.int32), axis=0)
        self._terms[found] = terms
        return found

    def _rows_of(self, places: npt.NDArray[np.intp]) -> Integers:
        """What says which pairs these are: a row for each left term, then one for each right."""
        rows = np.empty((2, len(places), 3), np.int32)
        rows[0, :, 0], rows[1, :, 0] = self._left, self._right
        rows[:, :, 1], rows[:, :, 2] = _FIRST - places, self._terms[places].T
        return rows.reshape(-1, 3)

    def terms(self, number: int) -> tuple[int, int]:
        """The terms of a pair."""
        left, right = self._terms[_FIRST - number].tolist()
        return left, right

    def take_links(self) -> tuple[Integers, Expiries]:
        """The rows that say what the pairs are that were numbered since the last call, or last longer now."""
        links, self._links = self._links, []
        rows = [self._rows_of(places) for places, _ in links]
        expiries = [np.full(2 * len(places), expiry, np.int64) for places, expiry in links]
        return np.concatenate([NO_FACTS, *rows]), np.concatenate([np.empty(0, np.int64), *expiries])

    def react(self, changed: Integers, model: ExpiryModel) -> Rows:
        """See `Operator`: rules ask for pairs, or do so no more."""
        rows = each_once(changed)
        places, asked = self._places_of(rows[:, 1:]), model.present(rows)
        self._is_wanted[places] = asked
        return Rows(self._rows_of(places[asked]), NOTHING.going)

    def over(self, tick: int) -> Integers:
        """The rows of numbers of which nothing is said any more at a new tick; the numbers become free."""
        if len(self._places) < self._most:
            return NO_FACTS
        places = np.array(list(self._places.values()), np.intp)
        over = np.sort(places[(self._until[places] < tick) & ~self._is_wanted[places]])
        for key in _keys(self._terms[over]).tolist():
            del self._places[key]
        self._until[over] = NONE
        self._free += over.tolist()
        self._most = max(_FEW, 2 * len(self._places))
        return self._rows_of(over)

    def come_to(self, tick: int, model: ExpiryModel) -> Rows:
        """See `Operator`."""
        return NOTHING

    def next_due(self) -> int | None:
        """See `Operator`."""
        return None


def _keys(terms: Integers) -> npt.NDArray[np.int64]:
    """A number for each pair of terms."""
    keys: npt.NDArray[np.int64] = np.ascontiguousarray(terms).view(np.int64)[:, 0]
    return keys
