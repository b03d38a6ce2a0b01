"""FILTER, BIND, projection and UNION of signed rows."""

from rdflib import BNode, Literal, Variable

from oracle_answers import triples
from pantarhei.query.algebra.nodes import Call, Distinct, Extend, Filter, Project, Query, TriplePattern, Union
from pantarhei.query.incremental.row_operators import (
    AskOperator,
    ConstructOperator,
    DistinctOperator,
    ExtendOperator,
    FilterOperator,
    ProjectOperator,
    UnionOperator,
)
from signed_bags import Bench

X, Y = Variable("x"), Variable("y")


def test_a_filter_lets_through_what_is_true_with_its_sign():
    bench = Bench()
    child = bench.input("x y")
    above = FilterOperator(Filter(child.node, Call(">", (Y, Literal(3)))), bench.shared, child)
    assert bench.change(above, {"a 5": 2, "a 1": 1, "b -": 1, 'c "x"': 1}) == {"a 5": 2}
    assert bench.change(above, {"a 5": -1, "a 1": -1}) == {"a 5": -1}


def test_bind_adds_what_an_expression_comes_to_and_nothing_for_an_error():
    bench = Bench()
    child = bench.input("x y")
    node = Extend(child.node, Variable("z"), Call("+", (Y, Literal(1))))
    extend = ExtendOperator(node, bench.shared, child)
    assert bench.change(extend, {"a 5": 1, "a b": 2}) == {"a 5 6": 1, "a b -": 2}
    assert bench.change(extend, {"a 5": -1}) == {"a 5 6": -1}


def test_what_is_drawn_is_drawn_once_a_row_and_goes_with_it():
    bench = Bench()
    child = bench.input("x")
    extend = ExtendOperator(Extend(child.node, Y, Call("STRUUID", ())), bench.shared, child)
    (drawn,) = extend.change(bench.bag({"a": 1}))
    assert dict(extend.change(bench.bag({"a": 2}))) == {drawn: 2}
    extend.renumber(lambda row: row)
    assert dict(extend.change(bench.bag({"a": -3}))) == {drawn: -3}
    assert dict(extend.change(bench.bag({"a": 1}))) != {drawn: 1}


def test_rows_that_become_one_by_projection_add_up():
    bench = Bench()
    child = bench.input("x y")
    project = ProjectOperator(Project(child.node, (X,)), bench.shared, child)
    assert bench.change(project, {"a b": 1, "a c": 2, "d b": 1}) == {"a": 3, "d": 1}
    assert bench.change(project, {"a b": -1, "a e": 1}) == {}


def test_a_union_has_the_rows_of_both_in_one_order_of_columns():
    bench = Bench()
    left, right = bench.input("x y"), bench.input("y z")
    union = UnionOperator(Union(left.node, right.node), bench.shared, left, right)
    assert bench.change(union, {"a b": 1}, {"b c": 1}) == {"a b -": 1, "- b c": 1}
    assert bench.change(union, {"a b": -1}, {}) == {"a b -": -1}


def test_the_first_copy_comes_and_the_last_goes():
    bench = Bench()
    child = bench.input("x y")
    distinct = DistinctOperator(Distinct(child.node), bench.shared, child)
    assert bench.change(distinct, {"a b": 2, "a 1": 1, "a 01": 1}) == {"a b": 1, "a 1": 1, "a 01": 1}
    assert bench.change(distinct, {"a b": -1, "a c": 1}) == {"a c": 1}
    assert bench.change(distinct, {"a b": -1}) == {"a b": -1}


def test_what_nobody_can_name_makes_no_difference():
    bench = Bench()
    child = bench.input("x #y")
    distinct = DistinctOperator(Distinct(child.node), bench.shared, child)
    assert bench.change(distinct, {"a b": 1, "a c": 1}) == {"a -": 1}
    assert bench.change(distinct, {"a b": -1}) == {}


((_, LIKES, _),) = triples(":a :likes :b .")


def test_ask_changes_when_the_first_row_comes_and_the_last_goes():
    bench = Bench()
    child = bench.input("x")
    root = AskOperator(Query("ASK", child.node), bench.shared, child)
    assert bench.change(root, {"a": 2}) == {"": 1}
    assert bench.change(root, {"a": -1, "b": 1}) == {}
    assert bench.change(root, {"a": -1, "b": -1}) == {"": -1}


def test_a_triple_is_there_as_long_as_a_row_makes_it():
    bench = Bench()
    child = bench.input("x y")
    query = Query("CONSTRUCT", child.node, template=(TriplePattern(X, LIKES, Y),))
    root = ConstructOperator(query, bench.shared, child)
    assert bench.change(root, {"a b": 2, "a -": 1, "1 b": 1}) == {"a likes b": 1}
    assert bench.change(root, {"a b": -1}) == {}
    assert bench.change(root, {"a b": -1, "a c": 1}) == {"a likes b": -1, "a likes c": 1}


def test_a_blank_node_of_the_template_is_the_same_when_its_row_goes():
    bench = Bench()
    child = bench.input("x y")
    query = Query("CONSTRUCT", child.node, template=(TriplePattern(BNode("n"), LIKES, X),))
    root = ConstructOperator(query, bench.shared, child)
    (made,) = bench.change(root, {"a b": 1})
    (other,) = bench.change(root, {"a c": 1})
    assert made != other
    assert bench.change(root, {"a b": -1}) == {made: -1}
