import pickle
from fractions import Fraction

import numpy as np
import pytest

from pantarhei import Limits, MemoryLimitError, OptionError
from pantarhei.window.limits import NO_LIMITS, later_starts, parse_bytes
from pantarhei.window.log import Entry

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
