"""Comparisons of terms, names among them: what temporal rules mean by `=`, `!=` and `<`.

Literals are compared by their values, names by being the same name. What a built-in of SWRL leaves undefined,
whether a number differs from a string, is settled here.
"""

from __future__ import annotations

from typing import Final

from rdflib import Literal, URIRef

from pantarhei.model.term import Term
from pantarhei.values.builtin import EQUAL, SWRLB, holds
from pantarhei.values.value import DECIMAL, DOUBLE, FLOAT, Key, is_ill_typed, is_text, value_of

NOT_EQUAL: Final = SWRLB.notEqual
_NUMBERS: Final = frozenset({DECIMAL, FLOAT, DOUBLE})


def is_true(name: URIRef, left: Term, right: Term) -> bool:
    """Whether a comparison is true of two terms.

    Two names are equal if they are the same name; a name and a literal are never equal; neither has an order.
    Two literals are compared as `holds` has it, and values of different known kinds, a number and a string
    say, differ. Of ill-typed literals nothing is true, and under an unknown datatype nothing is known to
    differ.

    >>> is_true(NOT_EQUAL, Literal(7), Literal("abc")), is_true(NOT_EQUAL, URIRef("a"), Literal(7))
    (True, True)
    >>> is_true(EQUAL, URIRef("a"), URIRef("a")), is_true(SWRLB.lessThan, URIRef("a"), URIRef("b"))
    (True, False)
    """
    if isinstance(left, Literal) and isinstance(right, Literal):
        return holds(name, left, right) or (name == NOT_EQUAL and _are_apart(left, right))
    return name == (EQUAL if left == right else NOT_EQUAL)


def _are_apart(left: Literal, right: Literal) -> bool:
    """Whether two literals have values of different known kinds."""
    keys = [value_of(left), value_of(right)]
    kinds = {_kind(key) for key in keys if isinstance(key, tuple)}
    return len(kinds) == 2 and None not in kinds


def _kind(key: Key) -> object:
    """What values are compared with each other; None where that is not known."""
    if is_ill_typed(key) or is_text(key):
        return None
    return DECIMAL if key[0] in _NUMBERS else key[0]
