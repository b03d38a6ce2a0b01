"""Where time goes when the streams have ended."""

import pytest
from rdflib import URIRef

from pantarhei.continuous.stream_query import StreamQuerySpec, end_tick, merge_streams, select_streams
from pantarhei.errors import MissingFileError, OptionError, TimestampError
from pantarhei.model.time import TimeKind
from pantarhei.query.languages import read_stream_text


def end(bounds, now, closed="right"):
    made = read_stream_text(f"ASK FROM NAMED WINDOW <urn:w> ON <urn:s> [{bounds}] {{ WINDOW <urn:w> {{}} }}")
    return end_tick(StreamQuerySpec.of(made, {}, 0, closed, None), TimeKind.INTEGER, now)


#   now = 5          5   6   7   8   9          the last window that holds 5 ends at 8, and closes at 9;
#                (---------------]              [4, 8) closes at 8, [4, 8] at 9
@pytest.mark.parametrize(("closed", "expected"), [("right", 9), ("left", 8), ("both", 9)])
def test_time_goes_on_until_the_last_window_with_something_in_it_closes(closed, expected):
    assert end("RANGE 4 STEP 2", 5, closed) == expected


def test_time_goes_on_until_the_past_has_been_looked_at():
    assert end("FROM NOW-6 TO NOW-2 STEP 2", 5) == 11


def test_time_stays_where_no_window_holds_anything():
    assert end("RANGE 1 STEP 10", 5) is None


def test_a_query_that_waits_for_timestamps_to_be_left_has_the_last_one_left():
    assert end("RANGE 4 STEP 2 REPORT ON_CONTENT_CHANGE", 5) == 6
    assert end("RANGE 4 STEP 2 REPORT ON_CONTENT_CHANGE TICK BATCH_DRIVEN", 5) is None


S, T = URIRef("urn:s"), URIRef("urn:t")


def test_the_streams_that_are_asked_for_are_chosen():
    streams = {"urn:s": [(1, [])], T: [(2, [])]}
    assert select_streams(streams, [T]) == {T: [(2, [])]}
    with pytest.raises(OptionError, match="<urn:u>"):
        select_streams(streams, [S, URIRef("urn:u")])


def test_elements_come_by_their_time_and_of_one_time_in_the_order_of_the_streams():
    elements = merge_streams({S: [(1, "a"), (3, "b"), (3.5, "c")], T: [(1, "d"), (2.5, "e"), (3, "f")]})
    assert [(at, abox) for at, _, abox in elements] == [
        (1, "a"),
        (1, "d"),
        (2.5, "e"),
        (3, "b"),
        (3, "f"),
        (3.5, "c"),
    ]


@pytest.mark.parametrize("stream", ["missing.nq", 7])
def test_a_stream_that_is_none_is_refused_at_once(stream):
    with pytest.raises((OptionError, MissingFileError)):
        merge_streams({S: stream})


def test_an_item_that_is_no_pair_is_refused_when_it_comes():
    elements = merge_streams({S: [(1, []), 2]})
    next(elements)
    with pytest.raises(TimestampError):
        next(elements)
