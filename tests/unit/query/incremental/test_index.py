"""Rows are found by what they share with others, as far as both bind it, and by value."""

import pytest

from pantarhei.query.incremental.index import index_of
from signed_bags import Bench, rows_with


def index(bench, shared="x y", mine="x y z", theirs="y x", sure=False):
    return index_of(*(rows_with(names).variables for names in (shared, mine, theirs)), bench.shared, sure)


def found(bench, index, row, **options):
    return sorted(bench.shown(dict(index.compatible(bench.row(row), **options))).items())


@pytest.mark.parametrize("sure", [True, False])
def test_rows_that_agree_are_found_with_their_copies(sure):
    bench = Bench()
    rows = index(bench, sure=sure)
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


@pytest.mark.parametrize("sure", [True, False])
def test_rows_agree_by_value_and_keep_their_forms(sure):
    bench = Bench()
    rows = index(bench, "x", "x", "x", sure)
    rows.add(bench.row("01"), 1)
    rows.add(bench.row("1"), 1)
    assert found(bench, rows, "1") == [("01", 1), ("1", 1)]


@pytest.mark.parametrize("sure", [True, False])
def test_what_came_is_gone_again_where_a_step_is_undone(sure):
    bench = Bench()
    rows = index(bench, sure=sure)
    rows.add(bench.row("a b c"), 1)
    mark = bench.journal.mark()
    rows.add(bench.row("a b d"), 1)
    assert len(found(bench, rows, "b a")) == 2
    bench.journal.back(mark)
    assert found(bench, rows, "b a") == [("a b c", 1)]
    rows.renamed(lambda row: row)
    assert found(bench, rows, "b a") == [("a b c", 1)]
