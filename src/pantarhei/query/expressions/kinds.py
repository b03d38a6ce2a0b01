"""Kinds of terms that SPARQL's operators distinguish, stored in one byte for each term."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pantarhei.values import numeric

Kinds = npt.NDArray[np.int8]

NOTHING: Final = 0  # unbound, or an error
NAME: Final = 1  # an IRI or a blank node
ILL_TYPED: Final = 2  # a literal with a boolean or numeric datatype and an invalid text
OTHER: Final = 3  # a literal without a known value
STRING: Final = 4  # a string without a language tag
LANG_STRING: Final = 5
BOOLEAN: Final = 6
ZONED: Final = 7  # an xsd:dateTime with a time zone
UNZONED: Final = 8  # an xsd:dateTime without a time zone
TEMPORAL: Final = 9  # a date, time or duration; an xsd:dateTime centuries away, or finer than microseconds
KNOWN: Final = 10  # another literal with a known value
INTEGER: Final = numeric.INTEGER
DECIMAL: Final = numeric.DECIMAL
FLOAT: Final = numeric.FLOAT
DOUBLE: Final = numeric.DOUBLE
LONG_INTEGER: Final = 20  # an integer with more digits than a float64 holds
LONG_DECIMAL: Final = 21

_COUNT = 32


def mask_by_kind(*kinds: int) -> npt.NDArray[np.bool_]:
    """Return an array of truth values by kind, True for these kinds."""
    found = np.zeros(_COUNT, np.bool_)
    found[list(kinds)] = True
    return found


def numbers_by_kind(numbers: dict[int, int]) -> npt.NDArray[np.int8]:
    """Return an array of numbers by kind, 0 for kinds without a number."""
    found = np.zeros(_COUNT, np.int8)
    for kind, number in numbers.items():
        found[kind] = number
    return found


NUMBERS: Final = (INTEGER, DECIMAL, FLOAT, DOUBLE, LONG_INTEGER, LONG_DECIMAL)
FIRST_NUMBER: Final = INTEGER  # this kind and all above are numbers
IS_LONG: Final = mask_by_kind(LONG_INTEGER, LONG_DECIMAL)
IS_EXACT: Final = mask_by_kind(INTEGER, DECIMAL, LONG_INTEGER, LONG_DECIMAL)
HAS_TRUTH: Final = mask_by_kind(ILL_TYPED, STRING, LANG_STRING, BOOLEAN, *NUMBERS)

# Ranks of the numeric types in the order of promotion; 0 for other kinds.
TYPES: Final = (INTEGER, DECIMAL, FLOAT, DOUBLE)
PROMOTION: Final = numbers_by_kind({DECIMAL: 1, LONG_DECIMAL: 1, FLOAT: 2, DOUBLE: 3})

# Values of one space are comparable, except those of space 0.
NUMBER_SPACE: Final = 1
TIME_SPACE: Final = 2
SPACE: Final = numbers_by_kind(
    {STRING: 3, BOOLEAN: 4, ZONED: TIME_SPACE, UNZONED: TIME_SPACE, TEMPORAL: TIME_SPACE}
    | dict.fromkeys(NUMBERS, NUMBER_SPACE)
)
