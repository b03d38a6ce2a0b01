"""`=`, `<`, the effective boolean value, and the order of ORDER BY.

**`=`** Numbers are compared after promotion, so that NaN is unequal to itself and -0 equals 0; times are
compared by instant and durations by length (`times`). Other terms are equal if they have the same value. Two
terms with known, different values are unequal. An ill-typed literal, or one of an unknown datatype, is
neither equal nor unequal to
another literal: an error.

**`<`** is defined between numbers, between strings without a language (by code point), between booleans
(false first), between times of one type, and between durations if one is shorter for every starting time.
Otherwise it is an error.

**The order** is total over all terms and agrees with `<` on numbers, strings, booleans and xsd:dateTimes:

1. unbound; 2. blank nodes, all equal; 3. IRIs by code point; 4. literals, by kind:

- 0: well-typed numbers, by their exact value, NaN before all others; -0 and 0 are equal
- 1: strings (without datatype, or of xsd:string), by code point
- 2: strings in a language, by text, then by the language in lower case
- 3: well-typed booleans, false first
- 4: well-typed times (xsd:dateTime, xsd:dateTimeStamp), by instant, as UTC without a time zone
- 5: well-typed durations, by their mean length, then by their months
- 6: all others, by datatype, then by text

ORDER BY may return terms that are equal in this order in any order. MIN, MAX, SAMPLE and GROUP_CONCAT sort
them by their N-Triples text.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final

from rdflib import XSD, BNode, Literal, URIRef

from oracle.answers.numbers import NUMERIC_TYPES, is_number, number, promoted
from oracle.answers.terms import ExpressionError, boolean, is_string, value
from oracle.answers.times import Duration, Time, are_equal, ends, is_less, temporal
from pantarhei.model.term import Term
from pantarhei.values.value import BOOLEAN, is_ill_typed, is_text

OrderKey = tuple[Any, ...]

_BOOLEANS = ((BOOLEAN, False), (BOOLEAN, True))


def equals(left: Term, right: Term) -> bool:
    """`left = right`"""
    if is_number(left) and is_number(right):
        (_, one), (_, other) = promoted((number(left), number(right)))
        return one == other
    one_time, other_time = temporal(left), temporal(right)
    if one_time is not None and other_time is not None:
        return are_equal(one_time, other_time)
    if value(left) == value(right):
        return True
    literals = [term for term in (left, right) if isinstance(term, Literal)]
    if len(literals) == 2 and not all(map(_is_known, literals)):
        raise ExpressionError
    return False


def less(left: Term, right: Term) -> bool:
    """`left < right`"""
    if is_number(left) and is_number(right):
        (_, one), (_, other) = promoted((number(left), number(right)))
        return one < other
    one_time, other_time = temporal(left), temporal(right)
    if one_time is not None and other_time is not None:
        return is_less(one_time, other_time)
    for has_kind in (is_string, is_boolean):
        if has_kind(left) and has_kind(right):
            return order_key(left) < order_key(right)
    raise ExpressionError


def truth(term: Term) -> bool:
    """Return the effective boolean value."""
    if not isinstance(term, Literal):
        raise ExpressionError
    if is_string(term) or term.language:
        return str(term) != ""
    if is_boolean(term):
        return bool(_key(term)[1])
    if is_number(term):
        given = number(term).value
        return given == given and given != 0
    if term.datatype == XSD.boolean or term.datatype in NUMERIC_TYPES:
        return False  # an ill-typed literal is false
    raise ExpressionError


def order_key(term: Term | None) -> OrderKey:
    """Return the sort key of a term."""
    if term is None:
        return (0,)
    if isinstance(term, BNode):
        return (1,)
    if isinstance(term, URIRef):
        return (2, str(term))
    if is_number(term):
        exact = number(term).exact()
        return (3, 0, exact == exact, exact if exact == exact else 0)
    if is_string(term):
        return (3, 1, str(term))
    if term.language:
        return (3, 2, str(term), term.language.lower())
    if is_boolean(term):
        return (3, 3, _key(term)[1])
    time = temporal(term)
    if isinstance(time, Time) and time.datatype == XSD.dateTime:
        return (3, 4, time.instant())
    if isinstance(time, Duration):
        return (3, 5, sum(ends(time)), time.months)
    return (3, 6, str(term.datatype), str(term))


def is_boolean(term: Term) -> bool:
    """True if the term is a well-typed boolean."""
    return isinstance(term, Literal) and _key(term) in _BOOLEANS


def _is_known(term: Literal) -> bool:
    is_known = not is_text(_key(term)) and not is_ill_typed(_key(term))
    return is_known or temporal(term) is not None


def _key(term: Term) -> tuple[Any, ...]:
    key: Hashable = value(term)
    assert isinstance(key, tuple)
    return key


FUNCTIONS: Final[dict[str, Callable[..., Term]]] = {
    "=": lambda left, right: boolean(equals(left, right)),
    "!=": lambda left, right: boolean(not equals(left, right)),
    "<": lambda left, right: boolean(less(left, right)),
    ">": lambda left, right: boolean(less(right, left)),
    "<=": lambda left, right: boolean(less(left, right) or equals(left, right)),
    ">=": lambda left, right: boolean(less(right, left) or equals(left, right)),
}
