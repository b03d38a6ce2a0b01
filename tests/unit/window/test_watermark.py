from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantarhei.errors import LateABoxError, TimestampError
from pantarhei.window.watermark import in_time_order


def order(times, lateness):
    given_out = in_time_order([(at, None) for at in times], lateness)
    return [at for at, items in given_out for _ in items]


def apart(ordered):
    """Each item with its time."""
    return [(at, item) for at, items in ordered for item in items]


@given(st.lists(st.integers(-9, 9), max_size=12), st.integers(0, 18))
def test_everything_comes_out_once_and_in_order_or_is_late(times, lateness):
    newest, late = None, False
    for at in times:
        late = late or (newest is not None and at < newest - lateness)
        newest = at if newest is None else max(at, newest)
    items = [(at, number) for number, at in enumerate(times)]
    if late:
        with pytest.raises(LateABoxError):
            list(in_time_order(items, lateness))
    else:
        ordered = list(in_time_order(items, lateness))
        assert apart(ordered) == sorted(items)
        assert not lateness or len(ordered) == len(set(times)), "a time comes once, with all its items"


@given(st.lists(st.integers(-9, 9), max_size=12), st.integers(0, 18))
def test_what_was_given_out_stays_in_order_up_to_the_late_item(times, lateness):
    given_out = []
    try:
        for at, _ in in_time_order([(at, None) for at in times], lateness):
            given_out.append(at)
    except LateABoxError:
        pass
    assert given_out == sorted(given_out)


@given(st.lists(st.integers(-9, 9), max_size=12), st.integers(0, 18) | st.none())
def test_what_comes_too_late_can_be_handed_over(times, lateness):
    late, items = [], [(at, number) for number, at in enumerate(times)]
    ordered = apart(in_time_order(items, lateness, lambda at, item: late.append((at, item))))
    assert ordered == sorted(ordered)
    assert sorted(ordered + late) == sorted(items)
    newest = None
    for at, number in items:
        assert ((at, number) in late) is (newest is not None and at < newest - (lateness or 0))
        newest = at if newest is None else max(at, newest)


def test_before_the_error_what_was_held_back_is_given_out():
    seen = []
    with pytest.raises(LateABoxError):
        for at, _ in in_time_order([(5, None), (4, None), (1, None)], 2):
            seen.append(at)
    assert seen == [4, 5]


@pytest.mark.parametrize("lateness", [None, 2])
def test_the_lateness_that_an_error_tells_of_would_have_taken_the_item_in(lateness):
    items = [(9, None), (4, None)]
    with pytest.raises(LateABoxError) as caught:
        list(in_time_order(items, lateness))
    assert caught.value.lateness == "5"
    assert [at for at, _ in in_time_order(items, 5)] == [4, 9]


#   comes      1   5   3   2   6        lateness 3: the watermark is 2 when 5 has come
@pytest.mark.parametrize(("last", "late"), [(3, False), (2, False), (1, True)])
def test_an_item_at_the_watermark_is_not_late(last, late):
    if late:
        with pytest.raises(LateABoxError, match="allowed_lateness=3") as raised:
            order([1, 5, 3, last], 3)
        assert (raised.value.at, raised.value.newest) == ("1", "5")
    else:
        assert order([1, 5, 3, last], 3) == sorted([1, 5, 3, last])


def test_items_are_given_out_as_soon_as_the_watermark_passes_them():
    seen = []

    def arriving():
        for at in (1, 2, 3, 4):
            seen.append(f"in {at}")
            yield at, None

    for at, _ in in_time_order(arriving(), 2):
        seen.append(f"out {at}")
    assert seen == ["in 1", "in 2", "in 3", "in 4", "out 1", "out 2", "out 3", "out 4"]


def test_parts_of_one_time_are_given_out_together_in_the_order_in_which_they_came():
    ordered = list(in_time_order([(2, "a"), (1, "b"), (2, "c"), (1, "d")], 1))
    assert ordered == [(1, ["b", "d"]), (2, ["a", "c"])]


#   comes      1   2   3   2   4        lateness 1: when 3 has come, 2 is on the watermark, and still in time
@pytest.mark.parametrize("lateness", [1, 2, 9])
def test_what_is_on_the_watermark_waits_for_further_parts(lateness):
    given = [(1, "a"), (2, "b"), (3, "c"), (2, "d"), (4, "e")]
    assert list(in_time_order(given, lateness)) == [(1, ["a"]), (2, ["b", "d"]), (3, ["c"]), (4, ["e"])]


@pytest.mark.parametrize("lateness", [0, None])
def test_without_lateness_nothing_waits(lateness):
    arriving = iter([(1, "a"), (1, "b"), (2, "c")])
    ordered = in_time_order(arriving, lateness)
    assert next(ordered) == (1, ["a"])
    assert list(arriving) == [(1, "b"), (2, "c")]


def test_without_lateness_only_order_is_let_through():
    assert order([1, 1, 2], 0) == [1, 1, 2]
    with pytest.raises(LateABoxError):
        order([2, 1], 0)


def test_datetimes_of_any_zone_are_ordered_by_instant():
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    later = (noon + timedelta(seconds=1)).astimezone()
    assert order([later, noon], "PT1S") == [noon, later]


@pytest.mark.parametrize(
    ("times", "lateness"),
    [
        ([1, 2.0], 5),
        ([1.0, datetime(2026, 1, 1, tzinfo=UTC)], 5),
        ([1], "PT1S"),
        ([1], -1),
        (["1"], 1),
        ([datetime(2026, 1, 1)], "PT1S"),
    ],
)
def test_what_does_not_fit_together_is_refused(times, lateness):
    with pytest.raises(TimestampError):
        order(times, lateness)


def test_nothing_gives_nothing():
    assert order([], 5) == []
