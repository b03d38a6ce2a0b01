"""A group has a row as long as there are rows of it; all rows together are a group even if there are none."""

from rdflib import Literal, Variable

from pantarhei.query.algebra.expressions import Aggregate, Call
from pantarhei.query.algebra.nodes import Extend, Group
from pantarhei.query.incremental.groups import GroupOperator, drawn_below
from pantarhei.query.incremental.journal import Journal
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
    assert bench.shown(counts.begin()) == {"0 -": 1}
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
    sums.begin()
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
    below = drawn_below(node)
    assert isinstance(below.child, Extend)
    assert below.child.child is node.child
    assert [each.argument for each in below.aggregates] == [below.child.variable, below.child.variable, None]
