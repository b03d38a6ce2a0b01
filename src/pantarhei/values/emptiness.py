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
from pantarhei.values import condition as conditions
from pantarhei.values.condition import Formula, Sort
from pantarhei.values.datatype import is_compared_by_value, is_derived
from pantarhei.values.membership import OTHER, datatypes, formula, require_decidable
from pantarhei.values.value import FURTHEST_ZONE

MAX_BRANCHES: Final = 10_000

_Leaf = conditions.Condition | conditions.Not


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
        is_unsatisfiable(
            conditions.all_of([formula(narrow, sort), conditions.negation(formula(wide, sort))]), sort
        )
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
    yield from (*conditions.KNOWN_SORTS, conditions.ILL, OTHER)
    yield from (conditions.text_sort(datatype) for datatype in named if not is_compared_by_value(datatype))


def is_unsatisfiable(formula: Formula, sort: Sort) -> bool:
    """Return True if certainly no value of a sort satisfies a formula.

    >>> more_than_5 = conditions.ValueBound(5, is_lower=True, is_inclusive=False)
    >>> less_than_6 = conditions.ValueBound(6, is_lower=False, is_inclusive=False)
    >>> is_unsatisfiable(conditions.all_of([more_than_5, less_than_6]), conditions.NUMBERS)
    False
    >>> is_whole = conditions.NumberKind(0)
    >>> is_unsatisfiable(conditions.all_of([is_whole, more_than_5, less_than_6]), conditions.NUMBERS)
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
        choices: list[conditions.Some] = []
        while parts:
            match parts.pop():
                case conditions.All(conjuncts):
                    parts.extend(conjuncts)
                case conditions.Some() as choice:
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
    tests = [conditions.test_of(leaf, sort) for leaf in leaves]
    return not any(all(holds(value) for holds in tests) for value in candidates)


def _candidates(leaves: Sequence[_Leaf], sort: Sort) -> Sequence[Any] | None:
    """List values that include all values which satisfy `leaves`; None if they are too many to test."""
    enumerations = [leaf.values for leaf in leaves if isinstance(leaf, conditions.AmongValues)]
    if enumerations:
        return min(enumerations, key=len)
    if sort == conditions.BOOLEANS:
        return (False, True)
    if sort in (conditions.FLOATS, conditions.DOUBLES):
        points = _interval(leaves, _Interval(-math.inf, math.inf)).points()
        zeros = (0.0, -0.0) if points and points[0] == 0 else ()
        return None if points is None else (*points, *zeros, math.nan)
    if sort == conditions.DURATIONS:  # not totally ordered
        return None
    interval = _interval(leaves, _Interval())
    if sort in (conditions.ZONED, conditions.UNZONED):
        return _instants(interval.points(), sort)
    if sort == conditions.NUMBERS and conditions.NumberKind(0) in leaves:
        return interval.integers(at_most=_excluded(leaves))
    return interval.points()


def _instants(points: Sequence[Any] | None, sort: Sort) -> Sequence[conditions.Instant] | None:
    """List the times at given instants in all time zones."""
    if points is None:
        return None
    zones = range(-FURTHEST_ZONE, FURTHEST_ZONE + 1) if sort == conditions.ZONED else (None,)
    return [conditions.Instant(seconds, fraction, zone) for seconds, fraction in points for zone in zones]


def _excluded(leaves: Sequence[_Leaf]) -> int:
    """Count the values excluded one by one."""
    denied = (leaf.condition for leaf in leaves if isinstance(leaf, conditions.Not))
    return sum(len(condition.values) for condition in denied if isinstance(condition, conditions.AmongValues))


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
        is_denied = isinstance(leaf, conditions.Not)
        bound = leaf.condition if isinstance(leaf, conditions.Not) else leaf
        if isinstance(bound, conditions.ValueBound):
            narrow = interval.above if bound.is_lower != is_denied else interval.below
            interval = narrow(bound.limit, bound.is_inclusive != is_denied)
    return interval


def _contradict(leaves: Sequence[_Leaf]) -> bool:
    """Return True if a required condition entails a denied one, or no length is possible."""
    demanded = [leaf for leaf in leaves if not isinstance(leaf, conditions.Not)]
    denied = [leaf.condition for leaf in leaves if isinstance(leaf, conditions.Not)]
    length = conditions.Length(0, None)
    for each in demanded:
        if isinstance(each, conditions.Length):
            length = conditions.Length(max(length.least, each.least), _least(length.most, each.most))
    if length.most is not None and length.most < length.least:
        return True
    return any(_entails(one, other) for one in (*demanded, length) for other in denied)


def _least(one: int | None, other: int | None) -> int | None:
    return min((each for each in (one, other) if each is not None), default=None)


def _entails(one: conditions.Condition, other: conditions.Condition) -> bool:
    match one, other:
        case conditions.NumberKind(level), conditions.NumberKind(wider):
            return level <= wider
        case conditions.Length(), conditions.Length(least, most):
            return least <= one.least and (most is None or (one.most is not None and one.most <= most))
        case conditions.MatchesForm(name), conditions.MatchesForm(wider_name):
            return name == wider_name or is_derived(URIRef(name), URIRef(wider_name))
    return one == other
