"""Windows, reports and streams of answers, worked by hand."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from oracle.continuous import (
    C_SPARQL,
    CQELS,
    RSP_QL,
    CountedWindow,
    Policy,
    SlidingWindow,
    deltas,
    dstream,
    istream,
    reports,
    rstream,
)
from pantarhei.model.time import TimeKind

#   time    1   2   3   4   5   6   7   8   9  10  11  12
#           a       b       c   (6 is empty)            d
STREAM = [(1, {"a"}), (3, {"b"}), (5, {"c"}), (6, set()), (12, {"d"})]
CLOSE = Policy(("close",))


def facts(*contents):
    return sorted(fact for content in contents for fact in content)


def told(stream, windows, policy, query=facts, until=20, kind=TimeKind.INTEGER):
    found = reports({None: stream}, windows, query, policy, kind, until)
    return shown(found)


def shown(answers):
    """`2:ab` for the rows a and b at 2, `4:` for none."""
    return " ".join(f"{at}:{''.join(sorted(rows.elements()))}" for at, rows in answers)


# -- windows -----------------------------------------------------------------------------------------


#   time      2   3   4   5   6           range = 4, the boundary is 6
#             (---------------]
@pytest.mark.parametrize(("closed", "held"), [("right", "3456"), ("left", "2345"), ("both", "23456")])
def test_which_ends_a_window_holds(closed, held):
    window = SlidingWindow(4, 2, closed=closed)
    assert "".join(str(at) for at in range(9) if window.holds(TimeKind.INTEGER, at, 6)) == held


@pytest.mark.parametrize(
    ("closed", "report"),
    [
        ("right", "2:a 4:ab 6:bc 8:c 10: 12:d 14:d 16: 18:"),
        ("left", "2:a 4:ab 6:bc 8:c 10: 12: 14:d 16:d 18: 20:"),
        ("both", "2:a 4:ab 6:bc 8:c 10: 12:d 14:d 16:d 18:"),
    ],
)
def test_each_boundary_that_time_passes_is_reported(closed, report):
    """Time goes on to 20, which closes the window that ends there only if 20 is outside of it."""
    assert told(STREAM, [SlidingWindow(4, 2, closed=closed)], CLOSE) == report


def test_tumbling_windows_hold_each_fact_once():
    assert told(STREAM, [SlidingWindow(5, 5)], CLOSE) == "5:abc 10: 15:d"
    assert told(STREAM, [SlidingWindow(5, 5, closed="left")], CLOSE) == "5:ab 10:c 15:d 20:"


#   time    1   2   3   4   5   6   7   8   9  10  11  12
#                       (-------]           (-------]           range = 2, step = 5
def test_steps_beyond_the_range_leave_out_what_lies_between():
    assert told(STREAM, [SlidingWindow(2, 5)], CLOSE) == "5:c 10: 15:"


def test_the_origin_shifts_the_boundaries():
    assert told(STREAM, [SlidingWindow(4, 4, origin=1)], CLOSE) == "1:a 5:bc 9: 13:d 17:"


def test_whole_windows_begin_after_the_query():
    """RSP-QL's t0 = 0: the first window that reports is (0, 4]."""
    assert told(STREAM, [SlidingWindow(4, 2, since=0)], RSP_QL, until=None) == "4:ab 6:bc 8:c 10:"


def test_what_has_not_closed_stays_open_without_an_end():
    stream = [(1, {"a"}), (4, {"b"})]
    assert told(stream, [SlidingWindow(2, 2)], CLOSE, until=None) == "2:a"
    assert told(stream, [SlidingWindow(2, 2, closed="left")], CLOSE, until=None) == "2:a 4:"
    assert told(stream, [SlidingWindow(2, 2)], CLOSE, until=5) == "2:a 4:b"


def test_a_stream_of_nothing_reports_nothing():
    assert told([], [SlidingWindow(2, 2)], CLOSE) == ""


# -- conditions --------------------------------------------------------------------------------------


def test_c_sparql_reports_windows_that_hold_something():
    assert told(STREAM, [SlidingWindow(4, 2)], C_SPARQL) == "2:a 4:ab 6:bc 8:c 12:d 14:d"


def test_a_window_that_holds_something_reports_even_no_answers():
    assert told(STREAM, [SlidingWindow(4, 2)], C_SPARQL, query=lambda content: content & {"a"}) == (
        "2:a 4:a 6: 8: 12: 14:"
    )


def test_a_changed_content_is_reported_where_it_is_seen():
    """At 6 a has left, 3 and 5 are inside; the empty ABox of 6 makes the query look."""
    assert told(STREAM, [SlidingWindow(4, 1)], Policy(("change",))) == "1:a 3:ab 5:bc 12:d"
    assert told([*STREAM, (13, {"d"})], [SlidingWindow(4, 1)], Policy(("change",))) == "1:a 3:ab 5:bc 12:d"
    assert told([(1, set()), (2, {"a"})], [SlidingWindow(4, 1)], Policy(("change",))) == "2:a"


def test_a_content_has_changed_where_something_else_holds_in_it():
    """Here capitals are cut, and so what they bring is no change; but they are inside."""
    stream = [(1, {"A"}), (2, {"b"}), (3, {"B", "b"}), (5, {"c"}), (9, {"D"})]

    def kept(content):
        return frozenset(filter(str.islower, content))

    for conditions, expected in (
        (("change",), "2:b 5:bc 9:"),
        (("change", "non-empty"), "2:b 5:bc 9:"),
        (("non-empty",), "1: 2:b 3:b 5:bc 9:"),
    ):
        policy = Policy(conditions)
        found = reports({None: stream}, [SlidingWindow(3, 1)], kept, policy, TimeKind.INTEGER, 20, kept)
        assert shown(found) == expected


def test_conditions_are_all_needed():
    stream = [(1, {"a"}), (9, set())]
    window = [SlidingWindow(3, 1)]
    assert told(stream, window, Policy(("change",)), until=None) == "1:a"
    assert told(stream, window, Policy(("change",))) == "1:a 9:"
    assert told(stream, window, Policy(("change", "non-empty"))) == "1:a"
    assert told(stream, window, Policy(("close", "change"))) == "1:a 4:"


def test_a_period_leaves_instants_out():
    assert told(STREAM, [SlidingWindow(4, 2)], Policy(("close",), period=4)) == "4:ab 8:c 12:d 16:"
    assert told(STREAM, [SlidingWindow(4, 1)], Policy((), period=3)) == "3:ab 6:bc 12:d"


# -- ticks -------------------------------------------------------------------------------------------

PARTS = [(1, {"a"}), (1, {"b"}), (2, {"c"})]


def test_parts_of_a_timestamp_are_seen_one_by_one_or_together():
    window = [SlidingWindow(5, 1)]
    assert told(PARTS, window, Policy((), tick="abox"), until=None) == "1:a 1:ab 2:abc"
    assert told(PARTS, window, Policy((), tick="timestamp"), until=None) == "1:ab"
    assert told(PARTS, window, Policy((), tick="timestamp"), until=3) == "1:ab 2:abc"


def test_cqels_streams_what_is_new_at_each_timestamp():
    stream = [(1, {"a"}), (2, set()), (3, {"b"}), (8, {"a"})]
    found = reports({None: stream}, [SlidingWindow(3, 1)], facts, CQELS, TimeKind.INTEGER, until=9)
    assert shown(found) == "1:a 3:ab 8:a"
    assert shown(istream(found)) == "1:a 3:b 8:"


# -- several windows ---------------------------------------------------------------------------------


def test_several_windows_are_looked_at_when_one_closes():
    """In both: at 3, of (1, 5] what has come by then."""
    stream = [(1, {"a"}), (2, {"b"}), (4, {"c"}), (6, {"d"})]
    long, short = SlidingWindow(4, 4, origin=1), SlidingWindow(2, 1)
    both = reports(
        {None: stream}, [long, short], lambda x, y: [f"{facts(x)}{facts(y)}"], CLOSE, TimeKind.INTEGER
    )
    assert [(at, *rows) for at, rows in both] == [
        (1, "['a']['a']"),
        (2, "['b']['a', 'b']"),
        (3, "['b']['b']"),
        (4, "['b', 'c']['c']"),
        (5, "['b', 'c']['c']"),
    ]


def test_windows_may_be_of_several_streams():
    streams = {"x": [(1, {"a"}), (3, {"c"})], "y": [(1, {"b"}), (2, {"d"})]}
    windows = [SlidingWindow(2, 1, of="x"), SlidingWindow(1, 1, of="y")]
    both = reports(streams, windows, lambda x, y: [f"{facts(x)}{facts(y)}"], CLOSE, TimeKind.INTEGER, until=4)
    assert [(at, *rows) for at, rows in both] == [
        (1, "['a']['b']"),
        (2, "['a']['d']"),
        (3, "['c'][]"),
    ]
    each = reports(streams, windows, lambda x, y: [*x, *y], Policy((), tick="abox"), TimeKind.INTEGER)
    assert shown(each) == "1:a 1:ab 2:ad 3:c"


#   time    1   2   3   4   5   6   7   8   9  10
#               (-------]       ^                           range = 2, ago = 2, boundary 6
def test_a_window_in_the_past_holds_what_it_held_before():
    assert told(STREAM, [SlidingWindow(2, 2, ago=2)], CLOSE) == "2: 4:a 6:b 8:c 10: 12: 14:d 16: 18:"
    assert told(STREAM, [SlidingWindow(2, 2, ago=2, since=0)], RSP_QL, until=None) == "4:a 6:b 8:c 10:"


def test_windows_closed_to_the_left_close_before_what_comes_with_their_boundary():
    stream = [(1, {"a"}), (2, {"b"}), (3, set())]
    left, right = SlidingWindow(2, 2, closed="left"), SlidingWindow(2, 2)
    both = reports(
        {None: stream}, [left, right], lambda x, y: [f"{facts(x)}{facts(y)}"], CLOSE, TimeKind.INTEGER
    )
    assert [(at, *rows) for at, rows in both] == [(2, "['a']['a']"), (2, "['b']['a', 'b']")]


# -- windows that count ------------------------------------------------------------------------------

#   time    1    2    2   4   5
FULL = [(1, "ab"), (2, "cd"), (2, "e"), (4, "fghij"), (5, "k")]


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (CountedWindow(3, 3), "2:abcd 4:efghij"),  # k is in the one that has not closed
        (CountedWindow(3, 1), "1:ab 2:abcd 2:cde 4:fghij 5:fghijk"),
        (CountedWindow(3, 1, whole=True), "2:abcd 2:cde 4:fghij 5:fghijk"),
        (CountedWindow(4, 2), "1:ab 2:abcd 4:efghij"),  # e and f to j are a part that has two or more
        (CountedWindow(2, 2, facts=False), "2:abcd 4:efghij"),
        (CountedWindow(3, 1, facts=False), "1:ab 2:abcd 2:abcde 4:cdefghij 5:efghijk"),
    ],
)
def test_windows_that_count_close_with_the_element_that_completes_their_step(window, expected):
    assert told(FULL, [window], CLOSE) == expected
    assert told(FULL, [window], C_SPARQL, until=None) == expected


def test_windows_that_count_are_seen_as_they_stand_where_they_do_not_close():
    assert told(FULL, [CountedWindow(3, 3)], Policy(("change",))) == "1:ab 2:e 4:efghij 5:k"
    assert (
        told(FULL, [CountedWindow(3, 3)], Policy(("close",), period=2))
        == "2:e 4:efghij 6:k 8:k 10:k 12:k 14:k 16:k 18:k"
    )


def test_an_element_without_facts_is_none_where_facts_are_counted():
    stream = [(1, "a"), (2, ""), (3, "b"), (4, "")]
    assert told(stream, [CountedWindow(2, 2)], CLOSE) == "3:ab"
    assert told(stream, [CountedWindow(2, 2, facts=False)], CLOSE) == "2:a 4:b"


def test_windows_that_count_close_after_those_closed_to_the_left_and_before_the_others():
    stream = [(1, "a"), (2, "b"), (3, "c")]
    windows = [CountedWindow(2, 2), SlidingWindow(2, 2, closed="left"), SlidingWindow(2, 2)]
    found = reports(
        {None: stream},
        windows,
        lambda *held: ["|".join(map("".join, map(sorted, held)))],
        CLOSE,
        TimeKind.INTEGER,
    )
    assert [(at, *rows) for at, rows in found] == [(2, "a|a|a"), (2, "ab|b|ab"), (2, "ab|b|ab")]


# -- kinds of time -----------------------------------------------------------------------------------


def test_datetimes_have_boundaries_after_the_epoch():
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    stream = [(noon + timedelta(seconds=each), {str(each)}) for each in (1, 2, 3, 7)]
    found = reports(
        {None: stream}, [SlidingWindow("PT4S", timedelta(seconds=2))], facts, CLOSE, TimeKind.DATETIME
    )
    assert [((at - noon).seconds, "".join(sorted(rows))) for at, rows in found] == [
        (2, "12"),
        (4, "123"),
        (6, "3"),
    ]


def test_floats_are_exact_to_a_nanosecond():
    stream = [(0.1, {"a"}), (0.2, {"b"}), (0.3, {"c"}), (0.9, set())]
    found = reports(
        {None: stream}, [SlidingWindow(0.2, 0.1, since=0)], facts, CLOSE, TimeKind.FLOAT, until=0.5
    )
    assert [(at, "".join(sorted(rows))) for at, rows in found][:3] == [(0.2, "ab"), (0.3, "bc"), (0.4, "c")]


# -- streams of answers ------------------------------------------------------------------------------

ANSWERS = [(1, Counter("aab")), (2, Counter("abbc")), (4, Counter()), (5, Counter("c"))]


def test_the_three_streams_are_differences_of_bags():
    assert shown(rstream(ANSWERS)) == "1:aab 2:abbc 4: 5:c"
    assert shown(istream(ANSWERS)) == "1:aab 2:bc 4: 5:c"
    assert shown(dstream(ANSWERS)) == "1: 2:a 4:abbc 5:"


def test_deltas_add_up_to_the_answers():
    total = Counter()
    for (at, now), (same, added, removed) in zip(ANSWERS, deltas(ANSWERS), strict=True):
        total = total + added
        assert removed <= total
        total = total - removed
        assert (at, now) == (same, total)
