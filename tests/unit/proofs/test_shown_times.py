from datetime import UTC, datetime, timedelta, timezone

import pytest

from pantarhei.proofs.shown_times import ShownTimes

DAY = datetime(2026, 3, 2, 7, tzinfo=UTC)
EAST = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("times", "day", "first"),
    [
        ([DAY, DAY + timedelta(minutes=5)], "2026-03-02 (UTC)", "07:00"),
        ([DAY, DAY + timedelta(seconds=5)], "2026-03-02 (UTC)", "07:00:00"),
        ([DAY, DAY + timedelta(milliseconds=5)], "2026-03-02 (UTC)", "07:00:00.000000"),
        ([DAY.replace(tzinfo=EAST)], "2026-03-02 (+02:00)", "07:00"),
        ([DAY, DAY + timedelta(days=1)], None, "2026-03-02 07:00Z"),
        ([DAY.replace(tzinfo=EAST), DAY], None, "2026-03-02T07:00:00+02:00"),
        ([7, 9], None, "7"),
        ([0.5], None, "0.5"),
    ],
)
def test_the_day_is_said_once_where_it_is_one(times, day, first):
    shown = ShownTimes.of(times)
    assert (shown.day, shown(times[0])) == (day, first)


def test_a_span_goes_from_the_first_to_the_last():
    times = [DAY + timedelta(minutes=minute) for minute in (5, 0, 3)]
    assert ShownTimes.of(times).span(times) == "from 07:00 to 07:05 on 2026-03-02 (UTC)"
    assert ShownTimes.of(times[:1]).span(times[:1]) == "at 07:05 on 2026-03-02 (UTC)"
    assert ShownTimes.of([7]).span([7]) == "at 7"
