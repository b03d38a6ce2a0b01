"""Limits of time and room."""

import math

import pytest

from pantarhei.errors import QueryMemoryError, QueryTimeoutError
from pantarhei.query import query_limits
from pantarhei.query.query_limits import QueryLimits


@pytest.fixture
def clock(monkeypatch):
    """The time, which is set by hand."""
    now = [100.0]
    monkeypatch.setattr(query_limits, "monotonic", lambda: now[0])
    return now


def test_time_ends_with_the_last_of_its_seconds(clock):
    limited = QueryLimits(timeout=2)
    clock[0] = 101.5
    assert limited.left == 0.5
    limited.check()
    clock[0] = 102.0
    for look in (limited.check, lambda: limited.left, lambda: limited.check_room(0, 0)):
        with pytest.raises(QueryTimeoutError) as raised:
            look()
        assert raised.value.timeout == 2


def test_a_table_may_be_as_large_as_the_limit_and_no_larger():
    limited = QueryLimits(max_bytes=80)
    limited.check_room(5, 2)
    with pytest.raises(QueryMemoryError) as raised:
        limited.check_room(6, 2)
    error = raised.value
    assert (error.max_bytes, error.needed, error.rows) == (80, 96, 6)


def test_without_limits_all_may_be_made(clock):
    free = QueryLimits()
    clock[0] = 1e12
    free.check()
    free.check_room(1 << 60, 1 << 20)
    assert free.left == math.inf
