"""What has left the window: a value, kept within its bounds."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

from pantarhei import Limits, MemoryLimitError, OptionError
from pantarhei.window.log import EMPTY_LOG, Entry, Log
from pantarhei.window.retention import NO_LIMITS, History, PastEntries, later_starts, parse_bytes

NONE = np.empty((0, 3), np.int32)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("0", 0),
        ("4096", 4096),
        ("200MB", 200_000_000),
        ("200 mb", 200_000_000),
        ("2k", 2000),
        ("1KiB ", 1024),
    ],
)
def test_sizes_are_read_as_people_write_them(text, count):
    assert parse_bytes(text) == count


@pytest.mark.parametrize("text", ["", "MB", "-1", "1TB", "1,5GB", "1e9", "200 M B", "nan"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(OptionError, match="200MB"):
        parse_bytes(text)


@pytest.mark.parametrize(
    "wrong",
    [{"max_facts": 0}, {"max_facts": 1.5}, {"max_facts": True}, {"max_bytes": "200MB"}, {"on_limit": "no"}],
)
def test_limits_that_cannot_be_are_refused(wrong):
    with pytest.raises(OptionError) as caught:
        Limits(**wrong)
    assert caught.value.option == next(iter(wrong))


def test_there_is_no_limit_by_default():
    assert not NO_LIMITS
    assert NO_LIMITS.exceeded(10**12, 10**15) is None
    assert Limits(max_bytes=1)
    assert not Limits(on_limit="drop")


def test_a_limit_itself_is_not_exceeded():
    limits = Limits(10, 1000)
    assert limits.exceeded(10, 1000) is None
    assert limits.exceeded(11, 1000) == ("max_facts", 10, 11)
    assert limits.exceeded(10, 1001) == ("max_bytes", 1000, 1001)


def test_limits_and_what_is_raised_for_them_pickle():
    limits = Limits(10, 1000, "drop")
    assert pickle.loads(pickle.dumps(limits)) == limits
    error = limits.error(("max_facts", 10, 11), 7)
    assert isinstance(error, MemoryLimitError)
    assert pickle.loads(pickle.dumps(error)).__dict__ == error.__dict__


def test_the_error_says_what_to_do():
    exceeded = "max_facts", 1000, 12_345
    assert 'on_limit="drop"' in str(Limits(1000).error(exceeded, 7))
    alone = str(Limits(1000, on_limit="drop").error(exceeded, 7))
    assert 'on_limit="drop"' not in alone and "12_345 facts" in alone and "at 7 alone" in alone
    assert "background" in str(Limits(1000).error(exceeded, None))
    assert "900 bytes" in str(Limits(max_bytes=800).error(("max_bytes", 800, 900), 7))


def entries(*sizes):
    return [
        Entry(level, level, level, np.zeros((size, 3), np.int32), NONE) for level, size in enumerate(sizes)
    ]


def test_each_later_start_keeps_less_and_the_last_keeps_nothing():
    older = entries(*[10] * 16)
    starts = list(later_starts(older, 99))
    assert starts == [2, 4, 8, 12, 99]
    kept = [sum(len(entry.facts) for entry in older if entry.level >= start) for start in starts]
    assert [Fraction(count, 160) for count in kept] == [Fraction(n, 8) for n in (7, 6, 4, 2, 0)]


def test_a_start_is_not_tried_twice():
    assert list(later_starts(entries(100, 1), 9)) == [1, 9]
    assert list(later_starts(entries(1, 100), 9)) == [9]
    assert list(later_starts(entries(5), 9)) == [9]


def test_where_nothing_older_is_there_is_nowhere_else_to_begin():
    assert list(later_starts([], 9)) == []


NOTHING = np.empty((0, 3), np.int32)


def facts(*numbers):
    return np.array([(0, number, -1) for number in numbers], np.int32).reshape(-1, 3)


def entry(level, *numbers, cut=()):
    return Entry(level, level, level, facts(*numbers), facts(*cut))


def past_of(*entries, history=None, stays=3):
    """The past where the entry of each level leaves when time comes to so many ticks more."""
    past = PastEntries(history or History())
    for each in entries:
        past = past.with_departure(each.level + stays, each.level + stays, [each], (), each.bytes)
        past.check_invariants()
    return past


def levels(past):
    return [each.level for each in past.entries()]


def test_what_left_is_there_in_the_order_of_time_settled_or_not():
    past = past_of(*(entry(level, 1) for level in range(200)))
    assert past.settled and past.recent
    assert levels(past) == list(range(200)) and past.timestamps == 200


def test_a_departure_changes_no_past_before_it():
    before = past_of(entry(0, 1))
    after = before.with_departure(4, 4, [entry(1, 1)], (), entry(1, 1).bytes)
    assert (levels(before), levels(after)) == ([0], [0, 1])


#     level:   0   1   2   3   4   5        each leaves 3 ticks later; the ABox of level n is the n-th
#     steps=2              [-------]        3 left at 6 and 4 at 7, while the last two ABoxes came: 6 and 7
@pytest.mark.parametrize(("steps", "kept"), [(0, []), (1, [4]), (2, [3, 4]), (15, [0, 1, 2, 3, 4])])
def test_what_left_while_so_many_aboxes_came_is_kept(steps, kept):
    past = past_of(*(entry(level, 1) for level in range(5)), history=History(steps=steps))
    assert levels(past) == kept
    assert past.known_from == (None if steps == 15 else 3 + (4 - steps))


def test_up_to_a_sixteenth_more_is_kept():
    past = past_of(*(entry(level, 1) for level in range(1000)), history=History(steps=160))
    assert 160 <= past.timestamps <= 170


def test_bytes_are_bounded_and_some_room_is_made_at_once():
    each = entry(0, *range(100)).bytes
    past = past_of(*(entry(n, *range(100)) for n in range(100)), history=History(max_bytes=20 * each))
    assert 18 <= past.timestamps <= 20
    assert past.known_from == past.departures().__next__().entries[0].level - 1 + 3


def test_one_that_is_too_large_alone_is_not_kept():
    past = past_of(entry(0, *range(1000)), history=History(max_bytes=1000))
    assert (levels(past), past.known_from) == ([], 3)


def test_what_leaves_waits_for_the_sink():
    past = past_of(*(entry(n, 1) for n in range(4)), history=History(steps=1, sink=print))
    assert (past.timestamps, len(past.due), levels(past)) == (1, 3, [0, 1, 2, 3])
    assert levels(past.without_due(2)) == [2, 3]


#     now = 6                     level:   0   1   2   3   4   5   6
#     log at 4, where 0 and 1 have left:           [-------]
def test_the_log_of_an_older_time_has_what_had_come_and_had_not_left():
    log = Log.of([entry(level, level) for level in (4, 5, 6)], 4)
    past = past_of(*(entry(level, level) for level in range(4)))
    for ticks in range(7):
        then = past.log_at(ticks, log)
        assert [each.level for each in then] == [n for n in range(7) if ticks - 3 < n <= ticks]
        then.check_invariants()


def test_traces_say_when_a_fact_was_asserted_cut_and_left():
    log = Log.of([entry(3, 7), entry(4, cut=[7])], 3)
    past = past_of(entry(0, 7), entry(1, 7, 8), entry(2, 9, cut=[7]))
    told = [
        (trace.asserted.level, trace.cut_by and trace.cut_by.level, trace.left)
        for trace in past.traces((0, 7, -1), log)
    ]
    assert told == [(0, 2, 3), (1, 2, 4), (3, 4, None)]
    assert [trace.cut_by for trace in past.traces((0, 8, -1), log)] == [None]
    assert list(past.traces((0, 5, -1), log)) == []


def test_what_had_left_is_not_cut_by_what_came_then():
    past = past_of(entry(0, 7), stays=2).with_departure(9, 9, [entry(2, 1, cut=[7])], (), 0)
    (trace,) = past.traces((0, 7, -1), EMPTY_LOG)
    assert (trace.cut_by, trace.left) == (None, 2)


def test_what_left_early_is_marked_and_stands_in_its_place():
    past = PastEntries(History()).with_departure(
        9, 9, [entry(0, 7), entry(3, 7)], [entry(1, 7), entry(2, 7)], 0
    )
    assert levels(past) == [0, 1, 2, 3]
    assert [trace.early for trace in past.traces((0, 7, -1), EMPTY_LOG)] == [False, True, True, False]


@pytest.mark.parametrize(
    "options", [{"steps": -1}, {"max_bytes": 1.5}, {"steps": True}, {"sink": "a.ndjson"}]
)
def test_bounds_that_are_none_are_refused(options):
    (name,) = options
    with pytest.raises(OptionError) as raised:
        History(**options)
    assert raised.value.option == name
