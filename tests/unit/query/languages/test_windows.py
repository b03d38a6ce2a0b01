"""Lengths and places of a text."""

from datetime import timedelta

import pytest

from pantarhei.query.languages.windows import BoundsReader
from pantarhei.query.syntax.grammar import QueryText, all_subtrees, parse, span


def lengths(text):
    whole = f"ASK FROM STREAM <s> [RANGE {text} STEP 1] {{}}"
    written = QueryText(whole)
    return written, all_subtrees(parse(written), "length")


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("10", 10),
        ("2.5", 2.5),
        ("1e3", 1000.0),
        ("10s", timedelta(seconds=10)),
        ("10 seconds", timedelta(seconds=10)),
        ("0.5S", timedelta(milliseconds=500)),
        ("1h30m", timedelta(hours=1.5)),
        ("1 d 2 hours 3 min 4 sec 5 ms", timedelta(1, 4, 0, 5, 3, 2)),
        ("5 MINUTES", timedelta(minutes=5)),
        ("2000ns", timedelta(microseconds=2)),
        ("20 milliseconds", timedelta(milliseconds=20)),
        ("PT10S", timedelta(seconds=10)),
        ("p1dt12h", timedelta(hours=36)),
        ("P2W", timedelta(weeks=2)),
    ],
)
def test_a_length_is_a_number_or_a_duration(text, length):
    written, found = lengths(text)
    read = BoundsReader(written).length(found[0])
    assert read == length
    assert type(read) is type(length)


def test_a_part_knows_its_place():
    written, (first, second) = lengths("1h 30m")
    assert (span(first), written.of(first)) == ((27, 33), "1h 30m")
    assert written.of(second) == "1"
