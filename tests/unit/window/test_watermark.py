"""Arrivals leave in time order once they are complete; those that are late or too far ahead do not."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrivals import Order, in_time_order
from pantarhei.model.time import TimeKind
from pantarhei.window.watermark import PROOFS, Timed, Waiting

times = st.lists(st.integers(-9, 9), max_size=12)


def ordered(given_times, lateness=0, max_ahead=None, clocks=None):
    """What became of items that are numbered in their order."""
    order = Order(lateness, max_ahead)
    for number, at in enumerate(given_times):
        order.arrive(at, number, None if clocks is None else clocks[number])
    order.end()
    return order


def taken(order):
    return [(at, number) for at, numbers in order.out for number in numbers]


@given(times, st.integers(0, 18))
def test_an_item_older_than_the_watermark_is_late_and_all_others_leave_in_order(given_times, lateness):
    order, newest, late = ordered(given_times, lateness), -math.inf, []
    for number, at in enumerate(given_times):
        if at < newest - lateness:
            late.append((at, number))
        newest = max(at, newest)
    assert order.late == late
    assert taken(order) == sorted(set(enumerate_times(given_times)) - set(late))
    assert not lateness or len(order.out) == len({at for at, _ in order.out}), "a time leaves once"


def enumerate_times(given_times):
    return [(at, number) for number, at in enumerate(given_times)]


#   comes      1   5   3   2   6        lateness 3: the watermark is 2 when 5 has come
@pytest.mark.parametrize(("last", "late"), [(3, False), (2, False), (1, True)])
def test_an_item_at_the_watermark_is_not_late(last, late):
    assert bool(ordered([1, 5, 3, last], 3).late) is late


def test_items_leave_as_soon_as_the_watermark_passes_them():
    seen = []

    def arriving():
        for at in (1, 2, 3, 4):
            seen.append(f"in {at}")
            yield at, None

    for at, _ in in_time_order(arriving(), 2):
        seen.append(f"out {at}")
    assert seen == ["in 1", "in 2", "in 3", "in 4", "out 1", "out 2", "out 3", "out 4"]


#   comes      1   2   3   2   4        lateness 1: when 3 has come, 2 is on the watermark, and still in time
@pytest.mark.parametrize("lateness", [1, 2, 9])
def test_what_is_on_the_watermark_waits_for_further_parts(lateness):
    stream = [(1, "a"), (2, "b"), (3, "c"), (2, "d"), (4, "e")]
    assert list(in_time_order(stream, lateness)) == [(1, ["a"]), (2, ["b", "d"]), (3, ["c"]), (4, ["e"])]


def test_datetimes_of_any_zone_are_ordered_by_instant():
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    later = (noon + timedelta(seconds=1)).astimezone()
    assert [at for at, _ in in_time_order([(later, None), (noon, None)], "PT1S")] == [noon, later]


@given(times, st.integers(0, 5))
def test_what_waits_is_a_value_that_later_arrivals_leave_as_it_was(given_times, lateness):
    order, states = Order(lateness), []
    for at in given_times:
        order.arrive(at)
        states.append((order.waiting, list(order.waiting), len(order.waiting)))
    for waiting, items, count in states:
        assert list(waiting) == items and count == len(items)
        assert [each.ticks for each in items] == sorted(each.ticks for each in items)


# -- times that are too far ahead ------------------------------------------------------------------

FAR = 10**6
steps = st.integers(0, 3)


@given(st.lists(steps, min_size=1, max_size=12), st.data())
def test_wrong_clocks_do_not_starve_the_stream(walk, data):
    """Among rows that never advance by more than 3, up to `PROOFS` rows in turn are from any far future."""
    now, rows, wrong = 100, [], []
    for step in walk:
        most = 1 if not rows else PROOFS  # the second row confirms the first
        for ahead in data.draw(st.lists(st.integers(FAR, 9 * FAR), max_size=most)):
            wrong.append((ahead, len(rows)))
            rows.append(ahead)
        now += step
        rows.append(now)
    order = ordered(rows, max_ahead=3)
    assert sorted(order.ahead) == sorted(wrong)
    assert not order.late
    assert taken(order) == [each for each in enumerate_times(rows) if each not in wrong]


@given(st.lists(steps, min_size=1, max_size=5), st.lists(steps, min_size=PROOFS + 1, max_size=9))
def test_after_a_gap_three_following_rows_prove_that_time_has_advanced(before, after):
    now, rows = 0, []
    for place, step in enumerate([*before, *after]):
        now += step + (FAR if place == len(before) else 0)
        rows.append(now)
    order = ordered(rows, max_ahead=3)
    assert taken(order) == enumerate_times(rows) and not order.ahead


@pytest.mark.parametrize(
    ("rows", "out", "ahead"),
    [
        ([1, 2, 99], [1, 2], [99]),  # nothing has proven it at the end
        ([1, 2, 99, 99, 99], [1, 2], [99, 99, 99]),
        ([1, 2, 99, 99, 99, 99], [1, 2, 99, 99, 99, 99], []),
        ([1, 2, 99, 98, 99, 100, 3], [1, 2, 99, 98, 99, 100], []),  # about as far ahead; 3 is late then
        ([1, 2, 99, 3, 99, 4, 99, 5, 99, 6], [1, 2, 3, 4, 5, 6], [99, 99, 99, 99]),
        ([99, 1, 2], [1, 2], [99]),  # the first
        ([1, 99, 2], [1, 2], [99]),
        ([7], [7], []),  # nothing to compare with
        ([1, 50, 99, 50, 51, 52, 53], [1, 50, 50, 51, 52, 53], [99]),  # 99 is refuted, 50 is proven
        ([1, 50, 51, 52, 99, 53, 54], [1, 50, 51, 52, 53, 54], [99]),  # 99 proves 50, and is ahead of it
        ([1, 2, 14, 3, 12, 13], [1, 2, 3, 12, 13], [14]),
        ([1, 2, 13, 8, 13], [1, 2, 8, 13, 13], []),  # ahead of 2, and not of 8
    ],
)
def test_a_row_too_far_ahead_waits_for_proof(rows, out, ahead):
    order = ordered(rows, lateness=1, max_ahead=10)
    assert [at for at, _ in taken(order)] == sorted(out)
    assert [at for at, _ in order.ahead] == ahead


def test_a_refuted_row_is_handed_out_when_the_next_one_comes():
    order = Order(0, 10)
    for at in (1, 2, 99, 3):
        assert not order.ahead
        order.arrive(at)
    assert [at for at, _ in order.ahead] == [99]


@given(times, st.integers(0, 4), st.data())
def test_with_a_clock_a_row_is_ahead_of_it_or_taken(given_times, max_ahead, data):
    clocks = data.draw(st.lists(st.integers(-9, 9), min_size=len(given_times), max_size=len(given_times)))
    order, newest, wrong, late = ordered(given_times, 0, max_ahead, clocks), -math.inf, [], []
    for (at, number), clock in zip(enumerate_times(given_times), clocks, strict=True):
        if at < newest:
            late.append((at, number))
        elif at > clock + max_ahead:
            wrong.append((at, number))
        else:
            newest = at
    assert (order.ahead, order.late) == (wrong, late)


@given(times, st.integers(0, 4), st.integers(0, 4))
def test_each_item_is_given_out_once_or_is_late_or_is_refuted(given_times, lateness, max_ahead):
    order = ordered(given_times, lateness, max_ahead)
    assert sorted([*taken(order), *order.late, *order.ahead]) == sorted(enumerate_times(given_times))
    assert [at for at, _ in order.out] == sorted(at for at, _ in order.out)
    assert len(order.waiting) == 0


@given(times, st.integers(0, 4), st.integers(0, 4) | st.none(), st.integers(0, 12))
def test_what_waits_can_be_taken_apart_and_put_together(given_times, lateness, max_ahead, cut):
    whole, first = Order(lateness, max_ahead), Order(lateness, max_ahead)
    for number, at in enumerate(given_times[:cut]):
        first.arrive(at, number)
        whole.arrive(at, number)
    was = first.waiting
    if was.newest is not None or was.unproven:
        first.waiting = Waiting.of(TimeKind.INTEGER, was.newest, list(was), was.unproven)
    for order in (whole, first):
        for number, at in enumerate(given_times[cut:], cut):
            order.arrive(at, number)
        order.end()
    assert (whole.out, whole.late, whole.ahead) == (first.out, first.late, first.ahead)


def test_without_a_bound_what_was_unproven_is_taken():
    order = Order(0, 10)
    for at in (1, 2, 99):
        order.arrive(at)
    order.max_ahead = None
    order.arrive(100)
    assert [at for at, _ in order.out] == [1, 2, 99, 100]


def test_ten_thousand_descending_items_wait_and_leave():
    waiting = Waiting.of(TimeKind.INTEGER, 0, [Timed(-n, -n, n) for n in range(10_000)], ())
    count = 0
    while waiting.is_complete(None):
        parts, waiting = waiting.without_oldest()
        count += len(parts)
    assert count == 10_000
