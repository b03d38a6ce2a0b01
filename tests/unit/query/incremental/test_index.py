"""Rows are found by what they share with others, as far as both bind it, and by value."""

import pytest

from pantarhei.query.incremental.index import Index
from signed_bags import Bench, rows_with


def index(bench, shared="x y", mine="x y z", theirs="y x"):
    return Index(*(rows_with(names).variables for names in (shared, mine, theirs)), bench.shared)


def found(bench, index, row, **options):
    return sorted(bench.shown(dict(index.compatible(bench.row(row), **options))).items())


def test_rows_that_agree_are_found_with_their_copies():
    bench = Bench()
    rows = index(bench)
    for row, weight in (("a b c", 2), ("a b d", 1), ("a c c", 1)):
        rows.add(bench.row(row), weight)
    assert found(bench, rows, "b a") == [("a b c", 2), ("a b d", 1)]
    assert found(bench, rows, "c b") == []
    assert rows.add(bench.row("a b c"), -2) == (2, 0)
    assert found(bench, rows, "b a") == [("a b d", 1)]
    assert rows.weight(bench.row("a b d")) == 1


@pytest.mark.parametrize(
    ("row", "expected", "overlapping"),
    [
        ("b a", ["- b 2", "a - 1", "a b 0"], ["- b 2", "a - 1", "a b 0"]),
        ("- a", ["- b 2", "a - 1", "a b 0"], ["a - 1", "a b 0"]),
        ("b -", ["- b 2", "a - 1", "a b 0"], ["- b 2", "a b 0"]),
        ("- -", ["- b 2", "a - 1", "a b 0"], []),
        ("c a", ["a - 1"], ["a - 1"]),
    ],
)
def test_what_one_of_two_leaves_unbound_may_be_anything(row, expected, overlapping):
    bench = Bench()
    rows = index(bench)
    for each in ("a b 0", "a - 1", "- b 2"):
        rows.add(bench.row(each), 1)
    assert [text for text, _ in found(bench, rows, row)] == expected
    assert [text for text, _ in found(bench, rows, row, overlap=True)] == overlapping


def test_rows_agree_by_value_and_keep_their_forms():
    bench = Bench()
    rows = index(bench, "x", "x", "x")
    rows.add(bench.row("01"), 1)
    rows.add(bench.row("1"), 1)
    assert found(bench, rows, "1") == [("01", 1), ("1", 1)]


def test_what_came_is_gone_again_where_a_step_is_undone():
    bench = Bench()
    rows = index(bench)
    rows.add(bench.row("a b c"), 1)
    mark = bench.journal.mark()
    rows.add(bench.row("a b d"), 1)
    assert len(found(bench, rows, "b a")) == 2
    bench.journal.back(mark)
    assert found(bench, rows, "b a") == [("a b c", 1)]
    rows.renamed(lambda row: row)
    assert found(bench, rows, "b a") == [("a b c", 1)]
