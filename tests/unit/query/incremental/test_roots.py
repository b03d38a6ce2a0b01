"""What rows come to for ASK and CONSTRUCT."""

from rdflib import BNode, Variable

from asked import triples
from pantarhei.query.algebra.nodes import Query, TriplePattern
from pantarhei.query.incremental.roots import AskRoot, ConstructRoot
from signed_bags import Bench

X, Y = Variable("x"), Variable("y")
((_, LIKES, _),) = triples(":a :likes :b .")


def test_ask_changes_when_the_first_row_comes_and_the_last_goes():
    bench = Bench()
    child = bench.input("x")
    root = AskRoot(Query("ASK", child.node), bench.shared, child)
    assert bench.change(root, {"a": 2}) == {"": 1}
    assert bench.change(root, {"a": -1, "b": 1}) == {}
    assert bench.change(root, {"a": -1, "b": -1}) == {"": -1}


def test_a_triple_is_there_as_long_as_a_row_makes_it():
    bench = Bench()
    child = bench.input("x y")
    query = Query("CONSTRUCT", child.node, template=(TriplePattern(X, LIKES, Y),))
    root = ConstructRoot(query, bench.shared, child)
    assert bench.change(root, {"a b": 2, "a -": 1, "1 b": 1}) == {"a likes b": 1}
    assert bench.change(root, {"a b": -1}) == {}
    assert bench.change(root, {"a b": -1, "a c": 1}) == {"a likes b": -1, "a likes c": 1}


def test_a_blank_node_of_the_template_is_the_same_when_its_row_goes():
    bench = Bench()
    child = bench.input("x y")
    query = Query("CONSTRUCT", child.node, template=(TriplePattern(BNode("n"), LIKES, X),))
    root = ConstructRoot(query, bench.shared, child)
    (made,) = bench.change(root, {"a b": 1})
    (other,) = bench.change(root, {"a c": 1})
    assert made != other
    assert bench.change(root, {"a b": -1}) == {made: -1}
