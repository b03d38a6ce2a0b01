"""What windows that count hold, ABox by ABox."""

import pytest

from pantarhei.continuous.recomputed_query import CountedWindow
from pantarhei.query.languages.stream_text import CountWindow


def told(size, step, counts, of="triples"):
    """What is held after each ABox, by its letter; `!` where the window closes."""
    window, said = CountedWindow(CountWindow(size, step, of)), []
    for name, count in zip("abcdefgh", counts, strict=False):
        closes = window.add(name, count)
        said.append("".join(window.content) + "!" * closes)
    return " ".join(said)


@pytest.mark.parametrize(
    ("size", "step", "counts", "expected"),
    [
        (3, 3, (1, 1, 1, 1, 1, 1, 1), "a ab abc! d de def! g"),
        (3, 3, (2, 2, 1, 5, 1), "a ab! c cd! e"),  # the step is reached within b, and within d
        (3, 3, (7, 3, 1), "a! b! c"),
        (3, 1, (1, 1, 1, 1, 1), "a! ab! abc! bcd! cde!"),
        (3, 1, (2, 2, 1, 5, 1), "a! ab! bc! d! de!"),  # the newest ABoxes that have 3 or more
        (4, 2, (1, 1, 1, 1, 1, 1), "a ab! abc abcd! cde cdef!"),  # c and d leave room for 2 before them
        (4, 2, (3, 1, 1, 3), "a! ab abc! cd!"),
    ],
)
def test_a_window_takes_whole_aboxes_until_it_has_its_triples(size, step, counts, expected):
    assert told(size, step, counts) == expected


def test_aboxes_are_counted_whatever_they_have():
    assert told(2, 2, (5, 0, 1, 1), "aboxes") == "a ab! c cd!"
    assert told(2, 1, (5, 0, 1, 1), "aboxes") == "a! ab! bc! cd!"


def test_an_abox_without_triples_is_none_where_these_are_counted():
    assert told(2, 2, (1, 0, 1, 0, 1)) == "a a ac! ac e"


def test_a_window_is_full_when_it_has_its_size():
    window = CountedWindow(CountWindow(3, 1, "triples"))
    full = []
    for count in (1, 1, 2, 1):
        window.add("a", count)
        full.append(window.is_full)
    assert full == [False, False, True, True]
