"""Where time goes when the streams have ended."""

import pytest

from pantarhei.continuous.asked_of_streams import AskedOfStreams
from pantarhei.continuous.ending import end_of
from pantarhei.model.time import TimeKind
from pantarhei.query.languages import read_stream_text


def end(bounds, now, closed="right"):
    made = read_stream_text(f"ASK FROM NAMED WINDOW <urn:w> ON <urn:s> [{bounds}] {{ WINDOW <urn:w> {{}} }}")
    return end_of(AskedOfStreams.of(made, {}, 0, closed, None), TimeKind.INTEGER, now)


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
