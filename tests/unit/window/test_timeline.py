"""Timestamps by their levels and by their ticks, at the edges of chunks too."""

from typing import NamedTuple

import pytest

from pantarhei.window.timeline import Timeline


class At(NamedTuple):
    level: int
    ticks: int
    at: str


def timeline_of(levels):
    timeline = Timeline()
    for level in levels:
        timeline = timeline.with_newest(At(level, 10 * level, f"t{level}"))
    timeline.check_invariants()
    return timeline


@pytest.mark.parametrize("count", [0, 1, 511, 512, 513, 1024, 1025])
def test_a_timeline_made_at_once_is_the_one_made_moment_by_moment(count):
    moments = list(timeline_of(range(count)))
    assert Timeline.of(moments) == timeline_of(range(count))
    assert len(Timeline.of(moments)) == count


@pytest.mark.parametrize("count", [1, 512, 513])
def test_without_its_newest_moment_a_timeline_is_the_one_before(count):
    timeline = timeline_of(range(count))
    assert timeline.without_newest() == timeline_of(range(count - 1))
    assert timeline.newest == (count - 1, 10 * (count - 1), f"t{count - 1}")


@pytest.mark.parametrize("count", [0, 1, 511, 512, 513, 1025])
def test_entries_are_found_by_their_levels(count):
    timeline = timeline_of(range(0, 2 * count, 2)).from_level(3)
    inside = range(4, 2 * count, 2)
    assert {level for level in range(2 * count + 2) if timeline.at_level(level) is not None} == set(inside)
    assert all(timeline.at_level(level).level == level for level in inside)
    for level in (-1, 3, 4, 5, 1022, 1023, 1024, 1025, 2 * count):
        assert [each.level for each in timeline.after(level)] == [found for found in inside if found > level]


@pytest.mark.parametrize(
    ("ticks", "first", "left"),
    [(15, 2, ["t0", "t1"]), (20, 2, ["t0", "t1"]), (21, 3, ["t0", "t1", "t2"]), (-5, 0, [])],
)
def test_the_timestamps_that_leave_are_named(ticks, first, left):
    timeline = timeline_of(range(3))
    assert timeline.first_level_from(ticks) == first
    assert [each.at for each in timeline.below(first)] == left


def test_a_timestamp_is_found_by_its_tick():
    timeline = timeline_of(range(1200)).from_level(3)
    assert timeline.at_ticks(30).level == 3 and timeline.at_ticks(11_990).at == "t1199"
    assert [timeline.at_ticks(ticks) for ticks in (20, 31, 12_000)] == [None, None, None]


def test_the_next_level_follows_the_newest_or_where_all_have_left():
    timeline = timeline_of(range(3))
    assert timeline.next_level == timeline.from_level(3).next_level == 3
    assert Timeline().next_level == 0


def test_what_has_left_is_let_go():
    timeline = timeline_of(range(600))
    assert [len(chunk) for chunk in timeline.from_level(100).chunks] == [412, 88]
    assert timeline.from_level(600).chunks == ()
