"""Lengths and places of a text."""

from datetime import timedelta

import pytest

from pantarhei.query.languages.grammar import parse
from pantarhei.query.languages.written import Written, all_subtrees, span


def lengths(text):
    whole = f"ASK FROM STREAM <s> [RANGE {text} STEP 1] {{}}"
    tree = parse(whole)
    written = Written(whole, tree, {}, None)
    return written, all_subtrees(tree, "length")


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
    assert written.length(found[0]) == length
    assert type(written.length(found[0])) is type(length)


def test_a_part_knows_its_place():
    written, (first, second) = lengths("1h 30m")
    assert (span(first), written.of(first)) == ((27, 33), "1h 30m")
    assert written.of(second) == "1"
