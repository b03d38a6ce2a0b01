"""Membership of literals in data ranges.

A range contains literals by their value: `"1.0"^^xsd:decimal` is in xsd:integer. An ill-typed literal has no
value and is only in the range `ILL_TYPED`; the complement of a range contains only well-typed literals. A
literal whose datatype is not recognized has an unknown value, possibly in any range: it is in a range if
every possible value is, for example in its datatype, and in `Possibly` of a range if some possible value is
in the range. A literal that is too long to be parsed is in its datatype, and in the datatypes from which this
is derived, but not in restrictions of them.

Many intervals of totally ordered values are searched by bisection. These are intervals of numbers, and of
floats without NaN, which is not within any bound; -0 and 0 are equal there. Times are not indexed, since
times with and without a time zone have no total order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from rdflib import Literal, URIRef

from pantarhei.model.data_range import (
    Compared,
    DataComplementOf,
    DataIntersectionOf,
    DataOneOf,
    DataRange,
    Datatype,
    DatatypeRestriction,
    DataUnionOf,
    IllTyped,
    Possibly,
)
from pantarhei.model.rule import Member
from pantarhei.model.term import Term, short
from pantarhei.values import condition as conditions
from pantarhei.values.condition import Formula, Sort, Test, test_of
from pantarhei.values.datatype import (
    VALUE_SPACES,
    datatype_formula,
    facet_problem,
    is_compared_by_value,
    is_known,
    is_recognized,
    restriction_formula,
)
from pantarhei.values.scalar_functions import holds_of
from pantarhei.values.value import literal_key, value_of

# The sorts whose values are in a total order.
_ORDERED = frozenset({conditions.NUMBERS, conditions.FLOATS, conditions.DOUBLES})


@dataclass(frozen=True, slots=True)
class Interval:
    """Values within one or more bounds that also pass the test `holds`; None for no test."""

    bounds: tuple[conditions.ValueBound, ...]
    holds: Test | None


def interval_of(formula: Formula, sort: Sort) -> Interval | None:
    """Convert a formula about the values of a sort to an interval; None if the formula is not an interval.

    >>> bounds = conditions.ValueBound(3, True, True), conditions.ValueBound(4, False, False)
    >>> interval_of(conditions.All(bounds), conditions.NUMBERS).holds is None
    True
    """
    if sort not in _ORDERED:
        return None
    bounds: list[conditions.ValueBound] = []
    others: list[Formula] = []
    for part in _conjuncts(formula):
        # the complement of a range of floats contains NaN, and so is not an interval
        if (
            isinstance(part, conditions.Not)
            and isinstance(part.condition, conditions.ValueBound)
            and sort == conditions.NUMBERS
        ):
            below = part.condition
            part = conditions.ValueBound(below.limit, not below.is_lower, not below.is_inclusive)
        if isinstance(part, conditions.ValueBound) and part.limit == part.limit:
            bounds.append(part)
        else:
            others.append(part)
    if not bounds:
        return None
    return Interval(tuple(bounds), test_of(conditions.all_of(others), sort) if others else None)


def _conjuncts(formula: Formula) -> Iterator[Formula]:
    if isinstance(formula, conditions.All):
        for part in formula.parts:
            yield from _conjuncts(part)
    else:
        yield formula


class Intervals:
    """Index of numbered intervals that finds the intervals which contain a value (segment tree).

    The limits of the intervals divide the order into elementary intervals: all values below the first limit,
    the first limit itself, the values between the first and the second limit, the second limit, and so on. An
    interval is a run of elementary intervals; it is stored at the fewest nodes of a binary tree over the
    elementary intervals that cover it.
    """

    def __init__(self, intervals: Sequence[tuple[int, Interval]]) -> None:
        """Build the index, in O(n log n) for n intervals."""
        self._limits: list[Any] = sorted({bound.limit for _, each in intervals for bound in each.bounds})
        self._tests = {number: each.holds for number, each in intervals if each.holds is not None}
        self._size = 2 * len(self._limits) + 1
        self._nodes: list[list[int]] = [[] for _ in range(2 * self._size)]
        for number, each in intervals:
            self._insert(number, each)

    def containing(self, value: Any) -> list[int]:
        """Return the numbers of the intervals that contain a value, unordered.

        The cost is O(log n) comparisons for n intervals, and one test for each interval whose bounds contain
        the value.
        """
        if value != value:
            return []
        found: list[int] = []
        node = self._size + self._elementary_index(value)
        while node:
            found += self._nodes[node]
            node >>= 1
        tests = self._tests
        if not tests:
            return found
        return [number for number in found if (holds := tests.get(number)) is None or holds(value)]

    def _elementary_index(self, value: Any) -> int:
        limit_index = bisect_left(self._limits, value)
        return 2 * limit_index + (limit_index < len(self._limits) and self._limits[limit_index] == value)

    def _insert(self, number: int, interval: Interval) -> None:
        first, last = 0, self._size - 1
        for bound in interval.bounds:
            index = self._elementary_index(bound.limit)
            if bound.is_lower:
                first = max(first, index + (not bound.is_inclusive))
            else:
                last = min(last, index - (not bound.is_inclusive))
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


# Data range of the literals whose values are known; two such literals are known to be equal or different.
COMPARABLE: Final = DataUnionOf(tuple(map(Datatype, VALUE_SPACES)))


def contains(range: DataRange, literal: Literal) -> bool:
    """Return whether a data range contains a literal. For many literals or ranges, `tester` is faster.

    Raises:
        ValueError: membership in the range is undecidable or undefined; `range_problem` returns the reason.

    >>> from rdflib import XSD
    >>> contains(Datatype(XSD.byte), Literal("1.0", datatype=XSD.decimal))
    True
    >>> contains(Datatype(XSD.decimal), Literal("1", datatype=XSD.double))
    False
    """
    return bool(tester((range,))(literal))


def passes(test: Member, literal: Literal) -> bool:
    """Return whether a literal certainly passes a membership test of a rule.

    >>> from rdflib import XSD
    >>> from pantarhei.model.rule import Member
    >>> unknown = Literal("x", datatype=URIRef("http://example.org/mine"))
    >>> [passes(Member(unknown, Datatype(XSD.string), inside), unknown) for inside in (True, False)]
    [False, False]
    """
    return contains(tested_range(test), literal) is test.inside


def tested_range(test: Member) -> DataRange:
    """Return the data range that must contain a literal that passes a positive test, or must not contain a
    literal that passes a negative one.
    """
    return test.range if test.inside else Possibly(test.range)


def range_problem(range: DataRange) -> str | None:
    """Return the reason why membership in a data range cannot be decided; None if it can.

    Reasons are a facet that its datatype does not have or whose value is unsuitable, a malformed or
    unsupported pattern, and an IRI in an enumeration.

    >>> from rdflib import XSD
    >>> range_problem(DatatypeRestriction(Datatype(XSD.string), ((XSD.pattern, Literal("(")),)))
    "the pattern '(' has a parenthesis that is not closed at 1"
    """
    return next(_problems(range), None)


def unknown_reason(range: DataRange) -> str | None:
    """Return the reason why membership in a data range is only assumed; None if it is known.

    A datatype without a definition is assumed to be the set of literals with this datatype.

    >>> unknown_reason(Datatype(URIRef("http://example.org/celsius")))
    'the datatype celsius has no definition'
    """
    unknown = next((iri for iri in datatypes(range) if not is_known(iri)), None)
    return None if unknown is None else f"the datatype {short(unknown)} has no definition"


def require_decidable(*ranges: DataRange) -> None:
    """Check that membership in all ranges can be decided.

    Raises:
        ValueError: membership in one of the ranges cannot be decided (`range_problem`).
    """
    for range in ranges:
        if reason := range_problem(range):
            raise ValueError(reason)


def _problems(range: DataRange) -> Iterator[str]:
    match range:
        case DatatypeRestriction(datatype, facets):
            for facet, value in facets:
                if problem := facet_problem(datatype.iri, facet, value):
                    yield problem
        case DataOneOf(values):
            yield from (f"{each.n3()} is not a literal" for each in values if not isinstance(each, Literal))
        case DataIntersectionOf(operands) | DataUnionOf(operands):
            for operand in operands:
                yield from _problems(operand)
        case DataComplementOf(operand) | Possibly(operand):
            yield from _problems(operand)


def tester(ranges: Sequence[DataRange]) -> Tester:
    """Compile data ranges to a function that returns the indexes of the ranges which contain a literal, in
    ascending order.

    The function parses the literal once. Ranges without values of the literal's sort cost nothing. Many
    intervals of numbers or floats are searched by bisection; every other range costs some comparisons with
    limits that are parsed in advance.

    Raises:
        ValueError: membership in one of the ranges cannot be decided (`range_problem`).

    >>> from rdflib import XSD
    >>> hot = DatatypeRestriction(Datatype(XSD.decimal), ((XSD.minInclusive, Literal(80)),))
    >>> tester([Datatype(XSD.string), hot, DataComplementOf(hot)])(Literal("80.5", datatype=XSD.decimal))
    [1]
    """
    return Tester(ranges)


class Tester:
    """Compiled data ranges. They are compiled separately for each sort of values, when its first literal is
    tested.
    """

    def __init__(self, ranges: Sequence[DataRange]) -> None:
        self._ranges = tuple(ranges)
        require_decidable(*self._ranges)
        self._datatypes = frozenset(datatype for each in self._ranges for datatype in datatypes(each))
        self._tests: dict[Sort, _Tests] = {}
        self._compared = [
            (index, each.name, literal_key(each.literal))
            for index, each in enumerate(self._ranges)
            if isinstance(each, Compared)
        ]

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return (tester, (self._ranges,))

    def __call__(self, literal: Literal) -> list[int]:
        return self.of_value(value_of(literal))

    def of_value(self, key: Hashable) -> list[int]:
        """Return the indexes of the ranges that contain a literal, given by the key of its value."""
        assert isinstance(key, tuple)
        sort, value = conditions.sort_and_value(key)
        tests = self._tests.get(sort)
        if tests is None:
            tests = self._compile(sort)
        found = [index for index, holds in tests.each if holds is None or holds(value)]
        if tests.intervals is None and not self._compared:
            return found
        found += tests.intervals.containing(value) if tests.intervals is not None else []
        found += [index for index, name, other in self._compared if holds_of(name, key, other)]
        return sorted(found)

    def _compile(self, sort: Sort) -> _Tests:
        if sort.part == "text" and not is_compared_by_value(sort.space) and sort.space not in self._datatypes:
            # one sort for all datatypes that no range names, since their number is unlimited
            sort = OTHER if is_recognized(sort.space) else UNRECOGNIZED
        if sort not in self._tests:
            formula_of = formula if _is_recognized(sort) else _unrecognized_formula
            self._tests[sort] = _tests_of([formula_of(range, sort) for range in self._ranges], sort)
        return self._tests[sort]


class _Tests(NamedTuple):
    """Tests for the values of one sort.

    Args:
        each: indexes of data ranges with their tests; None if the range contains all values of the sort.
        intervals: index of the ranges that are intervals; None if they are few.
    """

    each: list[tuple[int, Test | None]]
    intervals: Intervals | None


# Minimum number of intervals for an index; fewer intervals are tested faster one by one.
MIN_INTERVALS = 8


def _tests_of(formulas: Sequence[Formula], sort: Sort) -> _Tests:
    found = [(index, interval_of(each, sort)) for index, each in enumerate(formulas)]
    intervals = {index: each for index, each in found if each is not None}
    if len(intervals) < MIN_INTERVALS:
        intervals = {}
    tests = [
        (index, None if each is True else test_of(each, sort))
        for index, each in enumerate(formulas)
        if each is not False and index not in intervals
    ]
    return _Tests(tests, Intervals(list(intervals.items())) if intervals else None)


# Sorts of the literals whose datatypes no range names, recognized and unrecognized.
OTHER: Final = conditions.text_sort(URIRef(""))
UNRECOGNIZED: Final = conditions.text_sort(URIRef("urn:unrecognized"))


def _is_recognized(sort: Sort) -> bool:
    return sort.part != "text" or sort == OTHER or is_recognized(sort.space)


# -- ranges as formulas ----------------------------------------------------------------------------


def formula(range: DataRange, sort: Sort) -> Formula:
    """Return the formula that the values of a sort fulfil exactly if a data range contains them. Membership
    in the range must be decidable.
    """
    match range:
        case Datatype(iri):
            return datatype_formula(iri, sort)
        case DatatypeRestriction(datatype, facets):
            return restriction_formula(datatype.iri, facets, sort)
        case DataIntersectionOf(operands):
            return conditions.all_of([formula(operand, sort) for operand in operands])
        case DataUnionOf(operands):
            return conditions.any_of([formula(operand, sort) for operand in operands])
        case DataComplementOf(operand):
            return sort != conditions.ILL and conditions.negation(formula(operand, sort))
        case Possibly(operand):
            return formula(operand, sort)
        case DataOneOf(values):
            return _one_of(values, sort)
        case IllTyped():
            return sort == conditions.ILL
        case Compared():
            return False  # a `Tester` evaluates comparisons itself


def _unrecognized_formula(range: DataRange, sort: Sort, possible: bool = False) -> Formula:
    """Return the formula for literals of an unrecognized datatype that are in a data range whatever their
    value.

    Args:
        possible: True for the literals that are in the range for some possible value.
    """
    match range:
        case DataIntersectionOf(operands):
            return conditions.all_of([_unrecognized_formula(operand, sort, possible) for operand in operands])
        case DataUnionOf(operands):
            return conditions.any_of([_unrecognized_formula(operand, sort, possible) for operand in operands])
        case DataComplementOf(operand):
            return conditions.negation(_unrecognized_formula(operand, sort, not possible))
        case Possibly(operand):
            return _unrecognized_formula(operand, sort, possible=True)
        case IllTyped() | Compared():
            return False
    return True if possible else formula(range, sort)


def _one_of(literals: Sequence[Term], sort: Sort) -> Formula:
    placed = (conditions.sort_and_value(key) for each in literals if isinstance(key := value_of(each), tuple))
    values = tuple(value for other, value in placed if other == sort)
    return conditions.AmongValues(values) if values and sort != conditions.ILL else False


def datatypes(range: DataRange) -> Iterator[URIRef]:
    """List the datatypes that occur in a data range, also as datatypes of its literals; a datatype may be
    repeated.
    """
    match range:
        case Datatype(iri) | DatatypeRestriction(Datatype(iri), _):
            yield iri
        case DataIntersectionOf(operands) | DataUnionOf(operands):
            for operand in operands:
                yield from datatypes(operand)
        case DataComplementOf(operand) | Possibly(operand):
            yield from datatypes(operand)
        case DataOneOf(values):
            yield from (each.datatype for each in values if isinstance(each, Literal) and each.datatype)
