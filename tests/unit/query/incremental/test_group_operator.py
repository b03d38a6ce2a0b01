"""A group has a row as long as there are rows of it; all rows together are a group even if there are none."""

import random

import numpy as np
import pytest
from rdflib import Literal, Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.query.algebra.nodes import Aggregate, Call, Extend, Group
from pantarhei.query.expressions import aggregate
from pantarhei.query.incremental.group_operator import (
    GroupOperator,
    accumulator_for,
    extend_volatile_arguments,
)
from pantarhei.query.incremental.journal import Journal
from pantarhei.query.incremental.operator import table_of
from random_queries.data import BLANK_NODES, LITERALS, NAMES
from signed_bags import Bench

X, Y = Variable("x"), Variable("y")


def made(function, argument=Y, distinct=False):
    return Aggregate(function, argument, distinct, " ", Variable(function.lower()))


def group(bench, keys, *aggregates, names="x y"):
    child = bench.input(names)
    return GroupOperator(Group(child.node, keys, aggregates), bench.shared, child)


def test_a_group_comes_changes_and_goes():
    bench = Bench()
    sums = group(bench, (X,), made("SUM"), made("COUNT", None))
    assert bench.change(sums, {"a 1": 1, "a 2": 2, "b 5": 1}) == {"a 5 3": 1, "b 5 1": 1}
    assert bench.change(sums, {"a 2": -1}) == {"a 5 3": -1, "a 3 2": 1}
    assert bench.change(sums, {"b 5": -1}) == {"b 5 1": -1}
    assert bench.change(sums, {"a 2": 1, "a 1": -1, "a 0": 1}) == {"a 3 2": -1, "a 4 3": 1}


def test_what_leaves_its_row_as_it_is_changes_nothing():
    bench = Bench()
    largest = group(bench, (X,), made("MAX"))
    bench.change(largest, {"a 5": 1})
    assert bench.change(largest, {"a 3": 1}) == {}


def test_all_rows_together_are_there_without_any():
    bench = Bench()
    counts = group(bench, None, made("COUNT"), made("MIN"))
    assert bench.shown(counts.initial_rows()) == {"0 -": 1}
    assert bench.change(counts, {"a 5": 1}) == {"0 -": -1, "1 5": 1}
    assert bench.change(counts, {"a 5": -1}) == {"1 5": -1, "0 -": 1}


def test_groups_go_by_the_form_of_their_keys():
    bench = Bench()
    counts = group(bench, (Y,), made("COUNT"))
    assert bench.change(counts, {"a 1": 1, "a 01": 1, "a -": 1}) == {"1 1": 1, "01 1": 1, "- 0": 1}


def test_an_error_makes_a_sum_unbound_until_it_goes():
    bench = Bench()
    sums = group(bench, (X,), made("SUM", Call("+", (Y, Literal(1)))))
    assert bench.change(sums, {"a 1": 1, "a b": 1}) == {"a -": 1}
    assert bench.change(sums, {"a b": -1}) == {"a -": -1, "a 2": 1}


def test_different_rows_are_told_apart_by_what_a_query_can_name():
    bench = Bench()
    counts = group(bench, (X,), made("COUNT", None, True), names="x y #z")
    assert bench.change(counts, {"a b c": 1, "a b d": 1}) == {"a 1": 1}


def test_a_large_group_is_not_walked_for_one_change():
    bench = Bench()
    aggregates = [made(name) for name in ("COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE")]
    sums = group(bench, None, *aggregates)
    sums.initial_rows()
    sums.change({bench.row(f"a {number}"): 1 for number in range(500)})

    class Counting(Journal):
        notes = 0

        def note(self, table, key):
            self.notes += 1

    bench.shared.journal = journal = Counting()
    sums.change(bench.bag({"a 7": 1, "a 8": -1}))
    assert journal.notes < 20


def test_what_is_drawn_is_drawn_below_once_for_equal_expressions():
    bench = Bench()
    draw = Call("RAND", ())
    node = Group(bench.input("x y").node, (X,), (made("MIN", draw), made("MAX", draw), made("COUNT", None)))
    below = extend_volatile_arguments(node)
    assert isinstance(below.child, Extend)
    assert below.child.child is node.child
    assert [each.argument for each in below.aggregates] == [below.child.variable, below.child.variable, None]


X_OF_ACCUMULATORS, MADE = Variable("x"), Variable("made")
FUNCTIONS = ("COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT")
GROUP = (7,)


class Kept:
    def __init__(self, function, distinct=False, argument=X_OF_ACCUMULATORS):
        self.bench = Bench()
        self.made = Aggregate(function, argument, distinct, " ", MADE)
        self.kept = accumulator_for(self.made, self.bench.shared)

    def change(self, change):
        self.kept.change({GROUP: self.bench.bag(change).items()})
        ((text, _),) = self.bench.shown({tuple(self.kept.values([GROUP])): 1}).items()
        return text


@pytest.mark.parametrize(
    ("function", "distinct", "expected"),
    [
        ("COUNT", False, ["3", "2", "0"]),
        ("COUNT", True, ["2", "2", "0"]),
        ("SUM", False, ["-", "4", "0"]),
        ("SUM", True, ["-", "4", "0"]),
        ("AVG", False, ["-", "2", "0"]),
        ("MIN", False, ["1", "1", "-"]),
        ("MAX", False, ["3", "3", "-"]),
        ("SAMPLE", True, ["1", "1", "-"]),
        ("GROUP_CONCAT", False, ['"1 3 3"', '"1 3"', '""']),
        ("GROUP_CONCAT", True, ['"1 3"', '"1 3"', '""']),
    ],
)
def test_values_come_and_go(function, distinct, expected):
    kept = Kept(function, distinct)
    changes = {"3": 2, "1": 1, "-": 1}, {"3": -1, "-": -1}, {"3": -1, "1": -1}
    assert [kept.change(change) for change in changes] == expected


def test_of_values_that_are_alike_the_least_text_is_first_and_last():
    for function in ("MIN", "MAX"):
        kept = Kept(function)
        assert kept.change({"1": 1, "01": 1}) == "01"
        assert kept.change({"01": -1}) == "1"
        assert kept.change({"001": 1}) == "001"


def test_the_first_value_is_followed_by_the_next_when_it_goes():
    kept = Kept("MIN")
    kept.change({str(number): 1 for number in range(100)})
    assert kept.change({"0": -1, "1": -1}) == "2"
    assert kept.change({"1": 1, "99": -1}) == "1"


def test_another_value_does_not_make_it_look_at_all():
    kept = Kept("MAX")
    kept.change({str(number): 1 for number in range(100)})
    kept.kept.clear_caches()
    assert kept.change({"5": -1, "200": 1}) == "200"
    assert len(kept.kept._keys) <= 3


def test_rows_are_counted_and_different_ones():
    kept, different = Kept("COUNT", argument=None), Kept("COUNT", True, argument=None)
    assert (kept.change({"a b": 2, "a -": 1}), different.change({"a b": 2, "a -": 1})) == ("3", "2")
    assert (kept.change({"a b": -1}), different.change({"a b": -1})) == ("2", "2")


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_aggregate_of_what_is_there(function, distinct, seed):
    rng, kept = random.Random(seed), Kept(function, distinct)
    bench, operator = kept.bench, kept.kept
    numbers = [NONE, *(bench.terms.id_of(each) for each in (*LITERALS, *NAMES, *BLANK_NODES))]
    numbers = rng.sample(numbers, rng.randint(2, len(numbers)))
    there, marks = {}, []
    for _ in range(60):
        change = {}
        for number in rng.sample(numbers, rng.randint(1, 2)):
            weight = rng.randint(-there.get((number,), 0), 2)
            if weight:
                change[number,] = weight
        operator.change({GROUP: list(change.items())})
        there = {row: there.get(row, 0) + change.get(row, 0) for row in {**there, **change}}
        there = {row: weight for row, weight in there.items() if weight}
        if rng.random() < 0.2:
            operator.clear_caches()
            operator.renumber(lambda row: row)
        marks.append((bench.journal.savepoint(), there))
        if rng.random() < 0.2:
            mark, there = rng.choice(marks)
            bench.journal.restore(mark)
        rows = [row for row, weight in there.items() for _ in range(weight)]
        groups = np.zeros(len(rows), np.intp)
        (expected,) = aggregate(
            (kept.made,), table_of(rows, (X_OF_ACCUMULATORS,)), groups, 1, bench.shared.context
        )
        shown = [bench.shown({(number,): 1}) for number in (*operator.values([GROUP]), int(expected[0]))]
        assert shown[0] == shown[1], there
