"""Numbers that queries have computed, and whose literals are made when somebody looks."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, Final, SupportsIndex

from pantarhei.language.term import Term
from pantarhei.literals.value import DECIMAL, double_key, number
from pantarhei.query.expressions import canonical, kinds
from pantarhei.query.expressions.values import Numeric, number_of

_MOST: Final = 10**15  # no literal of an exact number below is too large


class LocalTerms(list[Any]):
    """Terms by their places; where a computed number stands, its literal is made at the first look.

    An xsd:double stands there as a float, any other number as a `Numeric`.
    """

    def __getitem__(self, place: SupportsIndex | slice) -> Any:
        found = super().__getitem__(place)
        if type(found) is float:
            found = Numeric(kinds.DOUBLE, found)
        if type(found) is Numeric:
            term: Term = canonical.number(found)
            self[place] = term
            return term
        return found

    def type_at(self, place: int) -> int:
        """The type of the number at a place."""
        found = super().__getitem__(place)
        if type(found) is float:
            return kinds.DOUBLE
        return found.type if type(found) is Numeric else number_of(found).type


def value_key(result: Numeric) -> Hashable:
    """The key of a number in its datatype (literals/value.py); None where it is better written at once.

    So it is with 0 and -0, which are equal and two terms, with what is not finite, and what is long.
    """
    type_, value = result
    if isinstance(value, float):
        return double_key(value) if type_ == kinds.DOUBLE and value and math.isfinite(value) else None
    return (DECIMAL, number(value)) if -_MOST < value < _MOST else None
