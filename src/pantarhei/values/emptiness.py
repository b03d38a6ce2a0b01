"""Emptiness of data ranges, and inclusion of one data range in another.

Both decisions are sound: True is certain. They are complete except for texts and floating-point numbers. A
text that satisfies several forms, patterns or languages and violates others is assumed to exist, unless a
required form is forbidden as well, or is derived from a forbidden form. A floating-point number between two
others is also assumed to exist. Beyond `MAX_BRANCHES` cases the answer is False. owl:real is not included in
owl:rational, though both have the same literals. A literal that is too long to be parsed is assumed to have
its value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from rdflib import URIRef

from pantarhei.model.data_range import DataRange
from pantarhei.values.condition import (
    BOOLEANS,
    DOUBLES,
    DURATIONS,
    FLOATS,
    ILL,
    KNOWN_SORTS,
    NUMBERS,
    UNZONED,
    ZONED,
    All,
    AmongValues,
    Condition,
    Formula,
    Instant,
    Length,
    MatchesForm,
    Not,
    NumberKind,
    Some,
    Sort,
    ValueBound,
    all_of,
    negation,
    test_of,
    text_sort,
)
from pantarhei.values.datatype import is_compared_by_value, is_derived
from pantarhei.values.membership import OTHER, datatypes, formula, require_decidable
from pantarhei.values.value import FURTHEST_ZONE

MAX_BRANCHES: Final = 10_000

_Leaf = Condition | Not


def includes(wide: DataRange, narrow: DataRange) -> bool:
    """Return True if `wide` certainly contains every literal of `narrow`.

    The cost is linear in the number of cases into which unions divide the ranges.

    Raises:
        ValueError: membership in one of the ranges cannot be decided.

    >>> from rdflib import XSD, Literal
    >>> from pantarhei.model.data_range import DataOneOf, Datatype
    >>> includes(Datatype(XSD.decimal), Datatype(XSD.integer))
    True
    >>> includes(Datatype(XSD.byte), DataOneOf((Literal(1), Literal(1000))))
    False
    """
    require_decidable(wide, narrow)
    return all(
        is_unsatisfiable(all_of([formula(narrow, sort), negation(formula(wide, sort))]), sort)
        for sort in _sorts(wide, narrow)
    )


def is_empty(range: DataRange) -> bool:
    """Return True if a data range certainly contains no literal.

    Raises:
        ValueError: membership in the range cannot be decided.

    >>> from rdflib import XSD
    >>> from pantarhei.model.data_range import DataIntersectionOf, Datatype
    >>> is_empty(DataIntersectionOf((Datatype(XSD.integer), Datatype(XSD.string))))
    True
    """
    require_decidable(range)
    return all(is_unsatisfiable(formula(range, sort), sort) for sort in _sorts(range))


def _sorts(*ranges: DataRange) -> Iterator[Sort]:
    """List the sorts of values that data ranges distinguish, with one sort for all other values."""
    named = {datatype for range in ranges for datatype in datatypes(range)}
    yield from (*KNOWN_SORTS, ILL, OTHER)
    yield from (text_sort(datatype) for datatype in named if not is_compared_by_value(datatype))


def is_unsatisfiable(formula: Formula, sort: Sort) -> bool:
    """Return True if certainly no value of a sort satisfies a formula.

    >>> from pantarhei.values.condition import all_of
    >>> more_than_5 = ValueBound(5, is_lower=True, is_inclusive=False)
    >>> less_than_6 = ValueBound(6, is_lower=False, is_inclusive=False)
    >>> is_unsatisfiable(all_of([more_than_5, less_than_6]), NUMBERS)
    False
    >>> is_unsatisfiable(all_of([NumberKind(0), more_than_5, less_than_6]), NUMBERS)
    True
    """
    if isinstance(formula, bool):
        return not formula
    return not _ValueSearch(sort).finds([formula], [])


class _ValueSearch:
    """Depth-first search among the cases of a formula for a case that may be satisfiable."""

    def __init__(self, sort: Sort) -> None:
        self._sort, self._branches = sort, 0

    def finds(self, parts: list[Formula], leaves: list[_Leaf]) -> bool:
        """Return True if a value may exist that satisfies all `parts` and `leaves`."""
        parts, leaves = list(parts), list(leaves)
        choices: list[Some] = []
        while parts:
            match parts.pop():
                case All(conjuncts):
                    parts.extend(conjuncts)
                case Some() as choice:
                    choices.append(choice)
                case False:
                    return False
                case True:
                    pass
                case leaf:
                    leaves.append(leaf)
        if _is_empty(leaves, self._sort):
            return False
        if not choices:
            return True
        self._branches += len(choices[0].parts)
        if self._branches > MAX_BRANCHES:
            return True
        return any(self.finds([case, *choices[1:]], leaves) for case in choices[0].parts)


def _is_empty(leaves: Sequence[_Leaf], sort: Sort) -> bool:
    """Return True if certainly no value of a sort satisfies all `leaves`."""
    candidates = _candidates(leaves, sort)
    if candidates is None:
        return _contradict(leaves)
    tests = [test_of(leaf, sort) for leaf in leaves]
    return not any(all(holds(value) for holds in tests) for value in candidates)


def _candidates(leaves: Sequence[_Leaf], sort: Sort) -> Sequence[Any] | None:
    """List values that include all values which satisfy `leaves`; None if they are too many to test."""
    enumerations = [leaf.values for leaf in leaves if isinstance(leaf, AmongValues)]
    if enumerations:
        return min(enumerations, key=len)
    if sort == BOOLEANS:
        return (False, True)
    if sort in (FLOATS, DOUBLES):
        points = _interval(leaves, _Interval(-math.inf, math.inf)).points()
        zeros = (0.0, -0.0) if points and points[0] == 0 else ()
        return None if points is None else (*points, *zeros, math.nan)
    if sort == DURATIONS:  # not totally ordered
        return None
    interval = _interval(leaves, _Interval())
    if sort in (ZONED, UNZONED):
        return _instants(interval.points(), sort)
    if sort == NUMBERS and NumberKind(0) in leaves:
        return interval.integers(at_most=_excluded(leaves))
    return interval.points()


def _instants(points: Sequence[Any] | None, sort: Sort) -> Sequence[Instant] | None:
    """List the times at given instants in all time zones."""
    if points is None:
        return None
    zones = range(-FURTHEST_ZONE, FURTHEST_ZONE + 1) if sort == ZONED else (None,)
    return [Instant(seconds, fraction, zone) for seconds, fraction in points for zone in zones]


def _excluded(leaves: Sequence[_Leaf]) -> int:
    """Count the values excluded one by one."""
    denied = (leaf.condition for leaf in leaves if isinstance(leaf, Not))
    return sum(len(condition.values) for condition in denied if isinstance(condition, AmongValues))


@dataclass(frozen=True, slots=True)
class _Interval:
    low: Any = None
    high: Any = None
    has_low: bool = True
    has_high: bool = True

    def above(self, limit: Any, inclusive: bool) -> _Interval:
        if self.low is None or limit > self.low:
            return replace(self, low=limit, has_low=inclusive)
        return replace(self, has_low=self.has_low and (inclusive or limit < self.low))

    def below(self, limit: Any, inclusive: bool) -> _Interval:
        if self.high is None or limit < self.high:
            return replace(self, high=limit, has_high=inclusive)
        return replace(self, has_high=self.has_high and (inclusive or limit > self.high))

    def points(self) -> tuple[Any, ...] | None:
        """List the values if there is at most one, in an order without gaps; None if there are more."""
        if self.low is None or self.high is None or self.low < self.high:
            return None
        return (self.low,) if self.low == self.high and self.has_low and self.has_high else ()

    def integers(self, at_most: int) -> Sequence[int] | None:
        """List the whole numbers; None if they are more than `at_most`."""
        if self.low is None or self.high is None:
            return None
        low = math.ceil(self.low) if self.has_low else math.floor(self.low) + 1
        high = math.floor(self.high) if self.has_high else math.ceil(self.high) - 1
        return range(low, high + 1) if high - low < at_most else None


def _interval(leaves: Sequence[_Leaf], interval: _Interval) -> _Interval:
    """Narrow `interval` by the bounds among `leaves`."""
    for leaf in leaves:
        is_denied = isinstance(leaf, Not)
        bound = leaf.condition if isinstance(leaf, Not) else leaf
        if isinstance(bound, ValueBound):
            narrow = interval.above if bound.is_lower != is_denied else interval.below
            interval = narrow(bound.limit, bound.is_inclusive != is_denied)
    return interval


def _contradict(leaves: Sequence[_Leaf]) -> bool:
    """Return True if a required condition entails a denied one, or no length is possible."""
    demanded = [leaf for leaf in leaves if not isinstance(leaf, Not)]
    denied = [leaf.condition for leaf in leaves if isinstance(leaf, Not)]
    length = Length(0, None)
    for each in demanded:
        if isinstance(each, Length):
            length = Length(max(length.least, each.least), _least(length.most, each.most))
    if length.most is not None and length.most < length.least:
        return True
    return any(_entails(one, other) for one in (*demanded, length) for other in denied)


def _least(one: int | None, other: int | None) -> int | None:
    return min((each for each in (one, other) if each is not None), default=None)


def _entails(one: Condition, other: Condition) -> bool:
    match one, other:
        case NumberKind(level), NumberKind(wider):
            return level <= wider
        case Length(), Length(least, most):
            return least <= one.least and (most is None or (one.most is not None and one.most <= most))
        case MatchesForm(name), MatchesForm(wider_name):
            return name == wider_name or is_derived(URIRef(name), URIRef(wider_name))
    return one == other
