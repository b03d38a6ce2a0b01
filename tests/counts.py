"""Number of random cases of a test: few daily, more in `make test-all`, and most in long runs.

`HYPOTHESIS_PROFILE` selects it: unset for daily runs, "all" (`make test-all`) or "long". In long runs the
cases differ in each run, otherwise they are deterministic (conftest.py).
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
    """Return the number of cases of a test under the present profile; long runs use `among_all` unless `long`
    is given.
    """
    if LONG and long is not None:
        return long
    return every_day if _PROFILE is None else among_all


def seeds(every_day: int, among_all: int, long: int | None = None) -> list[Any]:
    """Return seeds as parameters of a test: those beyond the daily ones are marked `long`."""
    return some(range(long if LONG and long is not None else among_all), range(every_day))


def some(parameters: Iterable[Any], every_day: Container[Any]) -> list[Any]:
    """Return parameters of a test: those not in the daily selection are marked `long`."""
    return [each if each in every_day else pytest.param(each, marks=pytest.mark.long) for each in parameters]
