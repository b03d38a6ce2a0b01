"""Conditions on values, and formulas over conditions in negation normal form.

Values are partitioned into *sorts*, and a condition is tested only on the values of one sort. Sorts are
numbers, xsd:float, xsd:double, booleans, strings, strings with a language tag, times with and without a time
zone, durations, xsd:hexBinary, xsd:base64Binary, xsd:anyURI, and for each other datatype its literals, which
are compared by text. Ill-typed literals are a separate sort.

A formula is True, False, a condition, the negation of a condition, a conjunction or a disjunction; `all_of`,
`any_of` and `negation` build formulas without True and False in conjunctions and disjunctions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, NamedTuple

from rdflib import URIRef

from pantarhei.values.value import (
    ANY_URI,
    BASE64_BINARY,
    BOOLEAN,
    DATE_TIME,
    DECIMAL,
    DOUBLE,
    DURATION,
    FLOAT,
    HEX_BINARY,
    LANG_STRING,
    STRING,
    Key,
    is_ill_typed,
    is_text,
    unpacked,
)


class Sort(NamedTuple):
    """Block of the partition of all values: a value space, or a part of one."""

    space: URIRef
    part: str = ""


NUMBERS, FLOATS, DOUBLES = Sort(DECIMAL), Sort(FLOAT), Sort(DOUBLE)
STRINGS, TAGGED, URIS, BOOLEANS = Sort(STRING), Sort(LANG_STRING), Sort(ANY_URI), Sort(BOOLEAN)
ZONED, UNZONED = Sort(DATE_TIME, "zoned"), Sort(DATE_TIME, "unzoned")
HEX, BASE64, DURATIONS = Sort(HEX_BINARY), Sort(BASE64_BINARY), Sort(DURATION)
ILL = Sort(URIRef(""), "ill-typed")
KNOWN_SORTS: Final = (
    NUMBERS, FLOATS, DOUBLES, STRINGS, TAGGED, URIS, BOOLEANS, ZONED, UNZONED, HEX, BASE64, DURATIONS
)  # fmt: skip


class Instant(NamedTuple):
    """Time as tested by conditions: equality and order use the first two fields, identity uses all three.

    Args:
        seconds, fraction: seconds since the year 0 in UTC, and the fraction of a second.
        zone: minutes ahead of UTC; None without a time zone.
    """

    seconds: Any
    fraction: Any
    zone: Any


def text_sort(datatype: URIRef) -> Sort:
    """Return the sort of a datatype whose literals are compared by text."""
    return Sort(datatype, "text")


def sort_and_value(key: Key) -> tuple[Sort, Any]:
    """Split the key of a literal into its sort and the value that conditions test.

    >>> from pantarhei.values.value import value_key
    >>> sort_and_value(value_key("01", DECIMAL)) == (NUMBERS, 1)
    True
    """
    space, value = key[0], key[1]
    if space is STRING:  # the most frequent sort, without a comparison of IRIs
        return STRINGS, value
    if len(key) == 4:  # xsd:dateTime only
        return (UNZONED if value is None else ZONED), Instant(key[2], key[3], value)
    if type(value) is int or isinstance(value, Decimal | Fraction):
        return NUMBERS, value
    if is_ill_typed(key):
        return ILL, key[1:]
    assert isinstance(space, URIRef)
    if is_text(key):
        return text_sort(space), value
    if space == LANG_STRING:
        return TAGGED, key[1:]
    if isinstance(value, bytes) and space in (FLOAT, DOUBLE):
        return Sort(space), unpacked(value)
    return Sort(space), value


# -- conditions ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ValueBound:
    """Lower or upper bound of numbers, floats, times or durations."""

    limit: Any
    is_lower: bool
    is_inclusive: bool


@dataclass(frozen=True, slots=True)
class NumberKind:
    """Number of a kind: whole (level 0), with finitely many decimals (1), or any rational (2)."""

    level: int


@dataclass(frozen=True, slots=True)
class Length:
    """Number of characters or bytes, limits included; no upper limit if `most` is None."""

    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class MatchesForm:
    """Text that a form accepts. Two such conditions are equal if their names are."""

    name: str
    accepts: Callable[[str], object] = field(compare=False)


@dataclass(frozen=True, slots=True)
class InLanguage:
    """Language tag that matches an extended language range (RFC 4647, section 3.3.2)."""

    range: str


@dataclass(frozen=True, slots=True)
class AmongValues:
    """Condition that a value is in a finite set. Values are compared by XSD's identity, not its equality."""

    values: tuple[Any, ...]


Condition = ValueBound | NumberKind | Length | MatchesForm | InLanguage | AmongValues


@dataclass(frozen=True, slots=True)
class Not:
    condition: Condition


@dataclass(frozen=True, slots=True)
class All:
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Some:
    parts: tuple[Formula, ...]


Formula = bool | Condition | Not | All | Some


def all_of(parts: Iterable[Formula]) -> Formula:
    """Build a conjunction."""
    kept = [part for part in parts if part is not True]
    if any(part is False for part in kept):
        return False
    return True if not kept else kept[0] if len(kept) == 1 else All(tuple(kept))


def any_of(parts: Iterable[Formula]) -> Formula:
    """Build a disjunction."""
    return negation(all_of(map(negation, parts)))


def negation(formula: Formula) -> Formula:
    """Build a negation."""
    match formula:
        case bool():
            return not formula
        case Not(condition):
            return condition
        case All(parts):
            return Some(tuple(map(negation, parts)))
        case Some(parts):
            return All(tuple(map(negation, parts)))
    return Not(formula)


# -- tests -----------------------------------------------------------------------------------------

Test = Callable[[Any], bool]


def identity(value: Any) -> Hashable:
    """Return a key that is equal for two values of a sort exactly if they are identical: NaN is identical to
    itself, +0 is not identical to -0.
    """
    return repr(value) if isinstance(value, float) else value


def test_of(formula: Formula, sort: Sort) -> Test:
    """Compile a formula to a test of the values of a sort."""
    match formula:
        case bool():
            return lambda value: formula
        case Not(condition):
            holds = _test(condition, sort)
            return lambda value: not holds(value)
        case All(parts):
            return _conjunction([test_of(part, sort) for part in parts])
        case Some(parts):
            tests = [test_of(part, sort) for part in parts]
            return lambda value: any(holds(value) for holds in tests)
    return _test(formula, sort)


def _conjunction(tests: list[Test]) -> Test:
    if len(tests) == 2:
        first, second = tests
        return lambda value: first(value) and second(value)
    return lambda value: all(holds(value) for holds in tests)


def _test(condition: Condition, sort: Sort) -> Test:
    match condition:
        case ValueBound() if sort in (ZONED, UNZONED):
            holds = _bound_test(condition)
            return lambda value: holds(value[:2])
        case ValueBound():
            return _bound_test(condition)
        case NumberKind(level):
            types = _KINDS[: level + 1]
            return lambda value: isinstance(value, types)
        case AmongValues(values):
            known = frozenset(map(identity, values))
            return lambda value: identity(value) in known
        case InLanguage(range_):
            return lambda value: is_in_language(value[1], range_)
        case Length(least, most) if sort == TAGGED:
            return lambda value: least <= len(value[0]) and (most is None or len(value[0]) <= most)
        case Length(least, most):
            return lambda value: least <= len(value) and (most is None or len(value) <= most)
        case MatchesForm(_, accepts) if sort == TAGGED:
            return lambda value: bool(accepts(value[0]))
        case MatchesForm(_, accepts):
            return lambda value: bool(accepts(value))


_KINDS = (int, Decimal, Fraction)


def _bound_test(bound: ValueBound) -> Test:
    limit = bound.limit
    if bound.is_lower:
        return (lambda value: value >= limit) if bound.is_inclusive else (lambda value: value > limit)
    return (lambda value: value <= limit) if bound.is_inclusive else (lambda value: value < limit)


def is_in_language(language: str, range_: str) -> bool:
    """Return whether a language tag matches an extended language range; case is ignored.

    >>> is_in_language("de-Latn-DE", "de-*-DE"), is_in_language("de-x-DE", "de-DE")
    (True, False)
    """
    tags, wanted = language.lower().split("-"), range_.lower().split("-")
    if wanted[0] not in ("*", tags[0]):
        return False
    at = 1
    for subtag in wanted[1:]:
        if subtag == "*":
            continue
        while at < len(tags) and tags[at] != subtag:
            if len(tags[at]) == 1:
                return False
            at += 1
        if at == len(tags):
            return False
        at += 1
    return True
