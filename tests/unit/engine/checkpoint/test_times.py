"""Timestamps, durations and windows come back as they were given."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from fractions import Fraction
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from checkpoints import ONTOLOGY, same
from pantarhei import StreamReasoner, Window
from strategies import A, C, a, member


class Unhashable(tzinfo):
    """A zone without hash, as `dateutil.tz.tzlocal` is one."""

    __hash__ = None

    def utcoffset(self, dt):
        return timedelta(hours=dt.month)

    def dst(self, dt):
        return timedelta(0)

    def tzname(self, dt):
        return "odd"


@pytest.mark.parametrize(
    "times",
    [
        [datetime(2026, month, 1, tzinfo=Unhashable()) for month in (1, 2, 3)],
        [datetime(2026, 3, 29, 0, 30, tzinfo=ZoneInfo("Europe/Brussels")) + timedelta(hours=1)],
        [datetime(2026, 10, 25, 2, 30, fold=fold, tzinfo=ZoneInfo("Europe/Brussels")) for fold in (0, 1)],
        [datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=30, seconds=7), "odd"))],
        [datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, 23, 59, 59, 999_999, tzinfo=UTC)],
        [0.1, 1, 2.5, 10**9],
        [-(2**61), 0, 2**61],
    ],
)
def test_timestamps_come_back_as_they_were_given(times):
    datetimes = isinstance(times[0], datetime)
    window = Window(timedelta(days=4_000_000) if datetimes else 2**62 if type(times[0]) is int else 1e9)
    reasoner = StreamReasoner(ONTOLOGY, window)
    for number, at in enumerate(times):
        reasoner.push(at, [member(A if number % 2 else C, a)])
    restored = StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    assert same(restored, reasoner)
    for one, other in zip(restored.timestamps, times, strict=True):
        assert repr(one) == repr(other) or (one.utcoffset(), one.replace(tzinfo=None)) == (
            other.utcoffset(),
            other.replace(tzinfo=None),
        )
        assert type(one) is type(other)
        assert restored.interpretation(other) == reasoner.interpretation(other)


@pytest.mark.parametrize(
    "window",
    [
        Window("PT5M", "PT1M", datetime(2026, 1, 1, tzinfo=ZoneInfo("Asia/Kolkata")), "right"),
        Window(timedelta(minutes=5), timedelta(seconds=1)),
        Window(4, 2, 1),
        Window(4.5, 0.5, 1),
        Window(4, 1),
        Window(4),
        Window(0.5),
        Window("PT5M"),
    ],
)
def test_the_window_comes_back_as_it_was_given(window):
    restored = StreamReasoner.restore(StreamReasoner(ONTOLOGY, window).snapshot(), ONTOLOGY)
    assert restored.window == window
    assert repr(restored.window) == repr(window)


def test_a_window_of_other_libraries_numbers_comes_back_equal():
    window = Window(np.float64(4.5), Fraction(1, 2), np.int64(1))
    assert StreamReasoner.restore(StreamReasoner(ONTOLOGY, window).snapshot(), ONTOLOGY).window == window
