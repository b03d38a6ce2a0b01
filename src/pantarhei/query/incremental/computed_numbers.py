"""Numbers that queries have computed, and whose literals are made when somebody looks."""

from __future__ import annotations

import math
from collections.abc import Hashable
from decimal import Decimal
from typing import Any, Final, SupportsIndex

from pantarhei.model.term import Term
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.values import number_of
from pantarhei.values import canonical
from pantarhei.values.numeric import Numeric
from pantarhei.values.value import DECIMAL, double_key, number

Plain = float | Decimal | int
"""A number whose type says which datatype it is of: xsd:double, xsd:decimal, xsd:integer. An xsd:double is
finite and not 0.
"""

_MOST: Final = 10**15  # no literal of an exact number below is too large

_KINDS: Final[dict[type, int]] = {float: kinds.DOUBLE, Decimal: kinds.DECIMAL, int: kinds.INTEGER}


class LocalTerms(list[Any]):
    """Terms by their places; where a computed number stands, its literal is made at the first look.

    A plain number stands there as it is, any other as a `Numeric`.
    """

    def __getitem__(self, place: SupportsIndex | slice) -> Any:
        found: Any = super().__getitem__(place)
        kind = _KINDS.get(type(found))
        if kind is not None:
            found = Numeric(kind, found)
        if type(found) is Numeric:
            term: Term = canonical.number(found)
            self[place] = term
            return term
        return found

    def type_at(self, place: int) -> int:
        """The type of the number at a place."""
        found = super().__getitem__(place)
        kind = _KINDS.get(type(found))
        if kind is not None:
            return kind
        return found.type if type(found) is Numeric else number_of(found).type

    def is_alike(self, place: int, number: Plain) -> bool:
        """Whether the number at a place is of the datatype that a plain one is of."""
        return self.type_at(place) == _KINDS[type(number)]


def value_key(result: Numeric) -> Hashable:
    """The key of a number in its datatype (values/value.py); None where it is better written at once.

    So it is with 0 and -0, which are equal and two terms, with what is not finite, and what is long.
    """
    type_, value = result
    if isinstance(value, float):
        return double_key(value) if type_ == kinds.DOUBLE and value and math.isfinite(value) else None
    return (DECIMAL, number(value)) if -_MOST < value < _MOST else None


def numeric_of(value: Plain) -> Numeric:
    """A plain number with its type."""
    return Numeric(_KINDS[type(value)], value)
