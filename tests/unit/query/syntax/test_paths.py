"""Paths as algebra: what is a pattern becomes one, the rest is closures and negated sets."""

from rdflib import RDF, URIRef, Variable

from answered import pattern
from pantarhei.query.algebra.nodes import BGP, Closure, Join, NegatedSet, TriplePattern, Union, is_hidden

X, Y = Variable("x"), Variable("y")
P, Q = URIRef("urn:p"), URIRef("urn:q")


def test_a_predicate_in_parentheses_is_a_predicate():
    assert pattern("?x (((:p))) ?y") == BGP((TriplePattern(X, P, Y),))
    assert pattern("?x a ?y") == BGP((TriplePattern(X, RDF.type, Y),))


def test_an_inverse_changes_the_ends():
    assert pattern("?x ^:p ?y") == BGP((TriplePattern(Y, P, X),))
    assert pattern("?x ^(^:p) ?y") == BGP((TriplePattern(X, P, Y),))


def test_a_sequence_is_one_pattern_with_variables_between():
    first, second, third = pattern("?x :p/^:q/:p ?y").patterns
    assert (first.subject, third.object) == (X, Y)
    assert first.object == second.object and second.subject == third.subject
    assert is_hidden(first.object) and is_hidden(third.subject)


def test_the_inverse_of_a_sequence_goes_back_along_it():
    first, second = pattern("?x ^(:p/:q) ?y").patterns
    assert (first.subject, first.predicate, second.predicate, second.object) == (Y, P, Q, X)


def test_an_alternative_is_a_union_and_keeps_how_often_a_row_comes():
    one = BGP((TriplePattern(X, P, Y),))
    assert pattern("?x :p|:p ?y") == Union(one, one)
    assert pattern("?x :p|:q|:p ?y") == Union(Union(one, BGP((TriplePattern(X, Q, Y),))), one)


def test_closures_know_whether_they_begin_with_nothing_and_go_on():
    kinds = {}
    for sign in "*+?":
        closure = pattern(f"?x :p{sign} ?y")
        assert isinstance(closure, Closure)
        assert closure.step == BGP((TriplePattern(closure.start, P, closure.end),))
        kinds[sign] = (closure.is_reflexive, closure.repeats)
    assert kinds == {"*": (True, True), "+": (False, True), "?": (True, False)}


def test_a_closure_of_a_closure_has_it_as_its_step():
    assert isinstance(pattern("?x (:p+)* ?y").step, Closure)


def test_a_negated_set_knows_its_predicates_by_direction():
    assert pattern("?x !:p ?y") == NegatedSet(X, Y, frozenset((P,)))
    assert pattern("?x !(:p|a) ?y") == NegatedSet(X, Y, frozenset((P, RDF.type)))
    assert pattern("?x !(^:p) ?y") == NegatedSet(Y, X, frozenset((P,)))
    assert pattern("?x !(:p|^:q) ?y") == Union(
        NegatedSet(X, Y, frozenset((P,))), NegatedSet(Y, X, frozenset((Q,)))
    )


def test_patterns_between_paths_are_joined_in_the_order_of_the_text():
    node = pattern("?x :p ?y . ?y :q+ ?z . ?z :p ?w . ?w :q ?x")
    assert isinstance(node, Join) and isinstance(node.left, Join)
    assert [len(part.patterns) for part in (node.left.left, node.right)] == [1, 2]
    assert isinstance(node.left.right, Closure)
