"""Kinds of terms that SPARQL's operators distinguish, one byte a term."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pantarhei.values import numeric

Kinds = npt.NDArray[np.int8]

NOTHING: Final = 0  # unbound, or an error
NAME: Final = 1  # an IRI or a blank node
ILL_TYPED: Final = 2  # a boolean or number by its datatype, but not by its text
OTHER: Final = 3  # a literal without a known value
STRING: Final = 4  # simple or xsd:string
LANG_STRING: Final = 5
BOOLEAN: Final = 6
ZONED: Final = 7  # an xsd:dateTime with a time zone
UNZONED: Final = 8  # an xsd:dateTime without a time zone
TEMPORAL: Final = 9  # a date, time or duration; an xsd:dateTime centuries away, or finer than microseconds
KNOWN: Final = 10  # a literal whose value is only compared for identity
INTEGER: Final = numeric.INTEGER
DECIMAL: Final = numeric.DECIMAL
FLOAT: Final = numeric.FLOAT
DOUBLE: Final = numeric.DOUBLE
LONG_INTEGER: Final = 20  # with more digits than a float64 holds
LONG_DECIMAL: Final = 21

_COUNT = 32


def table_of(*kinds: int) -> npt.NDArray[np.bool_]:
    """Return a table, by kind, of the members of `kinds`."""
    found = np.zeros(_COUNT, np.bool_)
    found[list(kinds)] = True
    return found


def numbers_by_kind(numbers: dict[int, int]) -> npt.NDArray[np.int8]:
    """Return an array of numbers by kind, 0 for kinds without one."""
    found = np.zeros(_COUNT, np.int8)
    for kind, number in numbers.items():
        found[kind] = number
    return found


NUMBERS: Final = (INTEGER, DECIMAL, FLOAT, DOUBLE, LONG_INTEGER, LONG_DECIMAL)
FIRST_NUMBER: Final = INTEGER  # this kind and all above are numbers
IS_LONG: Final = table_of(LONG_INTEGER, LONG_DECIMAL)
IS_EXACT: Final = table_of(INTEGER, DECIMAL, LONG_INTEGER, LONG_DECIMAL)
HAS_TRUTH: Final = table_of(ILL_TYPED, STRING, LANG_STRING, BOOLEAN, *NUMBERS)

# Ranks of numeric types, each promoted to the next; 0 for other kinds.
TYPES: Final = (INTEGER, DECIMAL, FLOAT, DOUBLE)
PROMOTION: Final = numbers_by_kind({DECIMAL: 1, LONG_DECIMAL: 1, FLOAT: 2, DOUBLE: 3})

# Values of one space are comparable; values of space 0 are not.
NUMBER_SPACE: Final = 1
TIME_SPACE: Final = 2
SPACE: Final = numbers_by_kind(
    {STRING: 3, BOOLEAN: 4, ZONED: TIME_SPACE, UNZONED: TIME_SPACE, TEMPORAL: TIME_SPACE}
    | dict.fromkeys(NUMBERS, NUMBER_SPACE)
)
