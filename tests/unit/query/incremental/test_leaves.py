"""Rows that are always the same, and nodes that are evaluated anew as wholes."""

from rdflib import Literal, Variable

from pantarhei.query.algebra.nodes import Values
from pantarhei.query.incremental.leaves import GivenLeaf, WholeLeaf
from pantarhei.query.incremental.operator import table_of
from signed_bags import Bench, rows_with

X, Y = Variable("x"), Variable("y")


def test_given_rows_come_at_the_beginning_with_their_copies():
    bench = Bench()
    leaf = GivenLeaf(Values((X, Y), ((Literal(1), None), (Literal(1), None))), bench.shared)
    assert bench.shown(leaf.begin()) == {"1 -": 2}


def test_what_is_evaluated_anew_is_compared_with_what_it_was():
    bench = Bench()
    node, now = rows_with("x"), ["a", "b", "b"]
    leaf = WholeLeaf(node, bench.shared, lambda node: table_of([*map(bench.row, now)], node.variables))
    assert bench.shown(leaf.begin()) == {"a": 1, "b": 2}
    now[:] = ["b", "c"]
    assert bench.change(leaf) == {"a": -1, "b": -1, "c": 1}
    assert bench.change(leaf) == {}
