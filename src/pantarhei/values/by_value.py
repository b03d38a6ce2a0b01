"""Comparison of numbers by value across datatypes, where an xsd:double or xsd:float is the decimal that it
denotes exactly.

In OWL the value spaces of xsd:double, xsd:float and xsd:decimal are disjoint, so that a double never
satisfies a threshold that is written as a decimal. Compared by value, all three share one number space.
`"0.1"^^xsd:double` denotes 0.1000000000000000055511151231257827021181583404541015625, not 0.1: rounding would
make equality depend on the order of comparisons. Equality is transitive, since two literals are equal if
their exact decimals are. -0 is 0. NaN, INF and -INF are not decimals and stay values of their datatype, as in
OWL. As a data range, xsd:double (xsd:float) contains all decimals, whatever their precision, and its own NaN,
INF and -INF.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import replace
from decimal import Decimal
from typing import Final, cast
from typing import Literal as Choice

from rdflib import XSD, Literal, URIRef

from pantarhei.model import data_range as ranges
from pantarhei.model.data_range import DataRange
from pantarhei.model.rule import Member, Rule
from pantarhei.model.term import Term
from pantarhei.values.value import DECIMAL, DOUBLE, FLOAT, normalized_number, unpacked, value_of

Numbers = Choice["by_datatype", "by_value"]

_BINARY: Final = frozenset({FLOAT, DOUBLE})
_DECIMALS: Final = ranges.Datatype(DECIMAL)
_LOWER: Final = frozenset({XSD.minInclusive, XSD.minExclusive})


def exact_key(key: Hashable) -> Hashable:
    """Convert the key of a value to a key that is equal for numbers of equal value, whatever their
    datatypes.
    """
    if isinstance(key, tuple) and isinstance(key[1], bytes) and key[0] in _BINARY:
        value = unpacked(key[1])
        if math.isfinite(value):
            return (DECIMAL, normalized_number(Decimal.from_float(value)))
    return key


def exact_value_of(term: Term) -> Hashable:
    """Return the key of a term's value (see `value_of`), which is equal for numbers of equal value, whatever
    their datatypes.

    >>> exact_value_of(Literal("5E-1", datatype=XSD.double)) == value_of(Literal("0.50", datatype=DECIMAL))
    True
    >>> one, other = (Literal("0.1", datatype=datatype) for datatype in (XSD.float, XSD.double))
    >>> exact_value_of(one) == exact_value_of(other)
    False
    """
    return exact_key(value_of(term))


def exact(term: Term) -> Term:
    """Convert an xsd:double or xsd:float to the decimal that it denotes; other terms are returned unchanged.

    >>> str(exact(Literal("2.5E0", datatype=XSD.double)))
    '2.5'
    """
    if not isinstance(term, Literal) or term.datatype not in _BINARY:
        return term
    key = value_of(term)
    found = exact_key(key)
    if found == key:
        return term
    assert isinstance(found, tuple)
    return Literal(format(Decimal(found[1]), "f"), datatype=DECIMAL, normalize=False)


def exact_range(range: DataRange) -> DataRange:
    """Convert a data range to one that also contains the numbers that are equal by value to a member.

    >>> from pantarhei.values.membership import contains
    >>> facets = ((XSD.minInclusive, Literal("80.5", datatype=DOUBLE)),)
    >>> hot = ranges.DatatypeRestriction(ranges.Datatype(DOUBLE), facets)
    >>> contains(exact_range(hot), Literal("80.5", datatype=DECIMAL)), contains(hot, Literal(81))
    (True, False)
    """
    match range:
        case ranges.Datatype(iri) if iri in _BINARY:
            return ranges.DataUnionOf((range, _DECIMALS))
        case ranges.DatatypeRestriction(ranges.Datatype(iri), facets) if iri in _BINARY:
            limits = tuple(each for each in facets if not _admits_all_decimals(*each))
            if any(exact_key(value_of(value)) == value_of(value) for _, value in limits):
                return range  # no decimal is within the bound
            exactly = tuple((facet, exact(value)) for facet, value in limits)
            decimals = ranges.DatatypeRestriction(_DECIMALS, exactly) if exactly else _DECIMALS
            return ranges.DataUnionOf((range, decimals))
        case ranges.DataOneOf(literals):
            return ranges.DataOneOf(tuple(map(exact, literals)))
        case ranges.Compared(name, literal):
            return ranges.Compared(name, cast(Literal, exact(literal)))
        case ranges.DataIntersectionOf(operands):
            return ranges.DataIntersectionOf(tuple(map(exact_range, operands)))
        case ranges.DataUnionOf(operands):
            return ranges.DataUnionOf(tuple(map(exact_range, operands)))
        case ranges.DataComplementOf(operand):
            return ranges.DataComplementOf(exact_range(operand))
        case _:
            return range


def _admits_all_decimals(facet: URIRef, value: Term) -> bool:
    """Return whether a bound is the infinity within which all decimals are."""
    key = value_of(value)
    assert isinstance(key, tuple) and isinstance(key[1], bytes), "a facet of doubles has a double"
    return unpacked(key[1]) == (-math.inf if facet in _LOWER else math.inf)


def exact_rule(rule: Rule) -> Rule:
    """Apply `exact_range` to the data ranges of a rule."""
    tests = tuple(
        replace(test, range=exact_range(test.range)) if isinstance(test, Member) else test
        for test in rule.tests
    )
    return rule if tests == rule.tests else replace(rule, tests=tests)


READINGS: Final[dict[Numbers, Callable[[Term], Hashable]]] = {
    "by_datatype": value_of,
    "by_value": exact_value_of,
}
