"""How many random cases a test has: some every day, more among all tests, most when it is to run for hours.

`HYPOTHESIS_PROFILE` says which it is: nothing for every day, "all" (`make test-all`) or "long". For hours the
cases are others each time, else the same (conftest.py).
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable
from typing import Any

import pytest

_PROFILE = os.environ.get("HYPOTHESIS_PROFILE")
LONG = _PROFILE == "long"


of_many = pytest.mark.skipif(
    _PROFILE is None, reason="what random cases are like is seen of many, not every day"
)
"""A test that looks at what the random cases of others were like."""


def cases(every_day: int, among_all: int, long: int | None = None) -> int:
    """How many cases a test is to have now; for hours so many as among all, unless `long` says how many."""
    if LONG and long is not None:
        return long
    return every_day if _PROFILE is None else among_all


def seeds(every_day: int, among_all: int, long: int | None = None) -> list[Any]:
    """Seeds as parameters of a test: those beyond the ones of every day are marked `long`."""
    return some(range(long if LONG and long is not None else among_all), range(every_day))


def some(parameters: Iterable[Any], every_day: Container[Any]) -> list[Any]:
    """Parameters of a test: those that are not tried every day are marked `long`."""
    return [each if each in every_day else pytest.param(each, marks=pytest.mark.long) for each in parameters]
