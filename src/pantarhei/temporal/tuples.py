"""Numbers for tuples of terms: names of the second kernel that no vocabulary has.

A tuple is a pair whose left side may be a tuple. Its number is the same in whatever is remembered of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FACTS, NONE, Fact, Integers, as_tuples, net_changes
from pantarhei.encoding.renaming import Renaming
from pantarhei.temporal.expiry_model import ExpiryModel
from pantarhei.temporal.operators import NOTHING, Rows

FIRST_TUPLE: Final = FIRST_LITERAL // 2
"""Numbers of tuples start here."""

_FEW = 1024
"""So many tuples at least are kept before any is looked through for what is not used."""


class Tuples:
    """Which tuples have which numbers; numbers are only added.

    Args:
        parts: the two sides of each tuple, by its number.
    """

    def __init__(self, parts: Mapping[int, tuple[int, int]] | None = None) -> None:
        self._parts = dict(parts or {})
        self._numbers = {both: number for number, both in self._parts.items()}
        self._next = max(self._parts, default=FIRST_TUPLE - 1) + 1

    def number(self, left: int, right: int) -> int:
        """The number of a tuple."""
        number = self._numbers.get((left, right))
        if number is None:
            number, self._next = self._next, self._next + 1
            self._parts[number] = left, right
            self._numbers[left, right] = number
        return number

    def parts(self, number: int) -> tuple[int, int]:
        """The two sides of a tuple."""
        return self._parts[number]

    def terms(self, number: int) -> list[int]:
        """The terms of a tuple, or a term alone."""
        found = []
        while is_tuple(number):
            number, right = self._parts[number]
            found.append(right)
        return [number, *reversed(found)]

    def with_inner(self, numbers: Iterable[int]) -> list[int]:
        """The tuples among numbers, and those inside them, each once; those inside come first."""
        found: dict[int, None] = {}
        for number in numbers:
            nested = []
            while is_tuple(number):
                nested.append(number)
                number = self._parts[number][0]
            found.update(dict.fromkeys(reversed(nested)))
        return list(found)

    def plain(self, facts: Integers) -> Integers:
        """Rows that have the terms of facts and of the tuples in them, and no tuple."""
        tuples = are_tuples(facts[:, 1])
        if not tuples.any():
            return facts
        inner = [self._parts[number] for number in self.with_inner(facts[tuples, 1].tolist())]
        rows = np.concatenate([facts, [(NONE, left, right) for left, right in inner]]).astype(np.int32)
        rows[are_tuples(rows[:, 1]), 1] = NONE
        return rows

    def renamed(self, renaming: Renaming, used: Iterable[int]) -> Tuples:
        """The used ones, with those inside, whose terms have new numbers."""
        numbers = self.with_inner(used)
        rows = np.array([(NONE, *self._parts[number]) for number in numbers], np.int32).reshape(-1, 3)
        renamed = renamed_facts(renaming, rows).tolist()
        return Tuples(
            {number: (left, right) for number, (_, left, right) in zip(numbers, renamed, strict=True)}
        )


def is_tuple(number: int) -> bool:
    """Whether a number is a tuple's."""
    return FIRST_TUPLE <= number < FIRST_LITERAL


def are_tuples(numbers: Integers) -> npt.NDArray[np.bool_]:
    """Which of some numbers are tuples'."""
    return (numbers >= FIRST_TUPLE) & (numbers < FIRST_LITERAL)


def renamed_facts(renaming: Renaming, facts: Integers) -> Integers:
    """Facts of the second kernel in new numbers; predicates and tuples keep theirs."""
    bare, tuples = facts.copy(), are_tuples(facts[:, 1])
    bare[:, 0] = NONE
    bare[tuples, 1] = NONE
    renamed = renaming.facts(bare)
    renamed[:, 0], renamed[tuples, 1] = facts[:, 0], facts[tuples, 1]
    return renamed


class TupleLinks:
    """The rows that say what tuples are. An operator (`operators.Operator`): it watches what is asked for.

    Args:
        tuples: numbers them.
        asked: the predicate of the tuples that rules ask for.
        first, rest: predicates of the kernel, for a tuple and its sides.
    """

    def __init__(self, tuples: Tuples, asked: int, first: int, rest: int) -> None:
        self.watched, self.makes = (asked,), NONE
        self._tuples, self._asked, self._first, self._rest = tuples, asked, first, rest
        self._linked: dict[int, None] = {}
        self._most = _FEW

    def begin(self, facts: Integers) -> Integers:
        """The rows for the tuples in facts."""
        return self._link(self._tuples.with_inner(facts[:, 1].tolist()))

    def react(self, changed: Integers, model: ExpiryModel) -> Rows:
        """See `Operator`: rules ask for tuples, or do so no more."""
        rows = net_changes(changed)[:, :3]
        asked = as_tuples(rows[model.present(rows)])
        return Rows(self._link(self._tuples.number(left, right) for _, left, right in asked), NOTHING.going)

    def _link(self, numbers: Iterable[int]) -> Integers:
        fresh = [number for number in numbers if number not in self._linked]
        self._linked.update(dict.fromkeys(fresh))
        return self._rows(fresh)

    def _rows(self, numbers: Iterable[int]) -> Integers:
        rows: list[Fact] = []
        for number in numbers:
            left, right = self._tuples.parts(number)
            rows += [(self._first, number, left), (self._rest, number, right)]
        return np.array(rows, np.int32).reshape(-1, 3)

    def over(self, model: ExpiryModel) -> Integers:
        """The rows of tuples that nothing is said of, and nobody asks for. Costs a pass over the model at
        times.
        """
        if len(self._linked) < self._most:
            return NO_FACTS
        facts = model.facts()
        facts = facts[(facts[:, 0] != self._first) & (facts[:, 0] != self._rest)]
        asked = facts[facts[:, 0] == self._asked, 1:].tolist()
        used = [self._tuples.number(left, right) for left, right in asked]
        used += facts[:, 1:][are_tuples(facts[:, 1:])].tolist()
        kept = dict.fromkeys(number for number in self._tuples.with_inner(used) if number in self._linked)
        over = self._rows(number for number in self._linked if number not in kept)
        self._linked, self._most = kept, max(_FEW, 2 * len(kept))
        return over

    def come_to(self, tick: int, model: ExpiryModel) -> Rows:
        """See `Operator`."""
        return NOTHING

    def next_due(self) -> int | None:
        """See `Operator`."""
        return None
