"""Intervals of values in a total order, and which of them contain a value.

Numbers are in one, and so are floats if NaN is left out, which no bound lets pass: -0 and 0 stand at one
place there. Timestamps are not looked up here: with and without a time zone they are in no total order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pantarhei.values.condition import (
    DOUBLES,
    FLOATS,
    NUMBERS,
    All,
    Formula,
    Not,
    Sort,
    Test,
    ValueBound,
    all_of,
    test_of,
)

# The sorts whose values are in a total order.
_ORDERED = frozenset({NUMBERS, FLOATS, DOUBLES})


@dataclass(frozen=True, slots=True)
class Interval:
    """Values between bounds, at least one, for which `holds` is true as well, if there is such a test."""

    bounds: tuple[ValueBound, ...]
    holds: Test | None


def interval_of(formula: Formula, sort: Sort) -> Interval | None:
    """The interval that a formula about values of `sort` says; None if it says something else.

    >>> interval_of(All((ValueBound(3, True, True), ValueBound(4, False, False))), NUMBERS).holds is None
    True
    """
    if sort not in _ORDERED:
        return None
    bounds: list[ValueBound] = []
    others: list[Formula] = []
    for part in _conjuncts(formula):
        # NaN is in the complement of a range of floats too, which is no interval
        if isinstance(part, Not) and isinstance(part.condition, ValueBound) and sort == NUMBERS:
            below = part.condition
            part = ValueBound(below.limit, not below.is_lower, not below.is_inclusive)
        if isinstance(part, ValueBound) and part.limit == part.limit:
            bounds.append(part)
        else:
            others.append(part)
    if not bounds:
        return None
    return Interval(tuple(bounds), test_of(all_of(others), sort) if others else None)


def _conjuncts(formula: Formula) -> Iterator[Formula]:
    if isinstance(formula, All):
        for part in formula.parts:
            yield from _conjuncts(part)
    else:
        yield formula


class Intervals:
    """Numbered intervals, found by the values in them.

    The limits cut the order into pieces: what is below all limits, the first limit, what is between it and
    the second, the second, …. An interval is a run of pieces, and stands at the fewest nodes of a binary tree
    over the pieces that make it up (a segment tree).
    """

    def __init__(self, intervals: Sequence[tuple[int, Interval]]) -> None:
        """Costs O(n log n) for n intervals."""
        self._limits: list[Any] = sorted({bound.limit for _, each in intervals for bound in each.bounds})
        self._tests = {number: each.holds for number, each in intervals if each.holds is not None}
        self._size = 2 * len(self._limits) + 1
        self._nodes: list[list[int]] = [[] for _ in range(2 * self._size)]
        for number, each in intervals:
            self._enter(number, each)

    def containing(self, value: Any) -> list[int]:
        """The numbers of the intervals that contain `value`, in no particular order.

        Costs O(log n) comparisons, and a test for each interval between whose bounds the value is.
        """
        if value != value:
            return []
        found: list[int] = []
        node = self._size + self._piece(value)
        while node:
            found += self._nodes[node]
            node >>= 1
        tests = self._tests
        if not tests:
            return found
        return [number for number in found if (holds := tests.get(number)) is None or holds(value)]

    def _piece(self, value: Any) -> int:
        place = bisect_left(self._limits, value)
        return 2 * place + (place < len(self._limits) and self._limits[place] == value)

    def _enter(self, number: int, interval: Interval) -> None:
        first, last = 0, self._size - 1
        for bound in interval.bounds:
            piece = self._piece(bound.limit)
            if bound.is_lower:
                first = max(first, piece + (not bound.is_inclusive))
            else:
                last = min(last, piece - (not bound.is_inclusive))
        if first > last:
            return
        low, high = first + self._size, last + self._size + 1
        while low < high:
            if low & 1:
                self._nodes[low].append(number)
                low += 1
            if high & 1:
                high -= 1
                self._nodes[high].append(number)
            low, high = low >> 1, high >> 1
