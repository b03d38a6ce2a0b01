"""Durations as XML Schema 1.1 has them: months, and seconds beside them, in a partial order.

A month has 28 to 31 days, so `P1M` and `P30D` are in no order, while `P1M` is less than `P32D`.

Source: XML Schema 1.1, part 2, section 3.3.6.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

_DURATION = re.compile(
    r"(-?)P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?",
    re.ASCII,
)
_DAY = 86400
# Year and month of four times that durations are added to; all of the first of a month, at midnight.
_STARTS = ((1696, 9), (1697, 2), (1903, 3), (1903, 7))


class Period(NamedTuple):
    """A duration. Both parts have one sign; `==` is identity and equality, the order is partial.

    >>> Period(1, 0) < Period(0, 32 * 86400), Period(1, 0) < Period(0, 30 * 86400)
    (True, False)
    """

    months: int
    seconds: int | Decimal | Fraction

    def __lt__(self, other: tuple[object, ...]) -> bool:
        assert isinstance(other, Period)
        if self.months == other.months:
            return self.seconds < other.seconds
        return all(one < two for one, two in zip(self.ends(), other.ends(), strict=True))

    def __gt__(self, other: tuple[object, ...]) -> bool:
        assert isinstance(other, Period)
        return other < self

    def __le__(self, other: tuple[object, ...]) -> bool:
        return self == other or self < other

    def __ge__(self, other: tuple[object, ...]) -> bool:
        return self == other or self > other

    def ends(self) -> list[Fraction]:
        """Return the seconds at which it ends that begins at each of the four times."""
        return [
            _DAY * _day(year, month - 1 + self.months) + Fraction(self.seconds) for year, month in _STARTS
        ]

    def is_comparable(self, other: Period) -> bool:
        """Return whether the two are equal or in an order."""
        return self == other or self < other or other < self

    def place(self) -> tuple[Fraction, int]:
        """Return a key of a total order that extends the partial one."""
        return sum(self.ends(), Fraction(0)), self.months


def _day(year: int, months: int) -> int:
    """Return the number of the day that a month begins at, `months` after January of a year."""
    years, month = divmod(months - 2, 12)  # counted from March, so that leap days are last
    year += years
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5


def read_duration(text: str) -> Period | None:
    """Return the duration that a text writes, None if it writes none.

    >>> read_duration("P1Y2M"), read_duration("-PT1H0.5S"), read_duration("P1")
    (Period(months=14, seconds=Fraction(0, 1)), Period(months=0, seconds=Fraction(-7201, 2)), None)
    """
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    sign = -1 if match[1] else 1
    years, months, days, hours, minutes, seconds = (
        Fraction(Decimal(part or 0)) for part in match.groups()[1:]
    )
    whole = _DAY * days + 3600 * hours + 60 * minutes + seconds
    return Period(sign * int(12 * years + months), sign * whole)
