"""Aggregates that are kept up say what those of all rows say, whatever comes and goes."""

import random

import numpy as np
import pytest
from rdflib import Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.query.algebra.expressions import Aggregate
from pantarhei.query.expressions import aggregate
from pantarhei.query.incremental.accumulators import accumulator
from pantarhei.query.incremental.operator import table_of
from random_queries.data import BLANK_NODES, LITERALS, NAMES
from signed_bags import Bench

X, MADE = Variable("x"), Variable("made")
FUNCTIONS = ("COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT")
GROUP = (7,)


class Kept:
    def __init__(self, function, distinct=False, argument=X):
        self.bench = Bench()
        self.made = Aggregate(function, argument, distinct, " ", MADE)
        self.kept = accumulator(self.made, self.bench.shared)

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
    kept.kept.forget()
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
            operator.forget()
            operator.renamed(lambda row: row)
        marks.append((bench.journal.mark(), there))
        if rng.random() < 0.2:
            mark, there = rng.choice(marks)
            bench.journal.back(mark)
        rows = [row for row, weight in there.items() for _ in range(weight)]
        groups = np.zeros(len(rows), np.intp)
        (expected,) = aggregate((kept.made,), table_of(rows, (X,)), groups, 1, bench.shared.context)
        shown = [bench.shown({(number,): 1}) for number in (*operator.values([GROUP]), int(expected[0]))]
        assert shown[0] == shown[1], there
