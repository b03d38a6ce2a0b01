"""Groups as algebra: section 18.2.2 of the standard, worked by hand."""

import pytest
from rdflib import RDF, Literal, URIRef, Variable

from engine_answers import pattern
from pantarhei.errors import QueryError
from pantarhei.query.algebra.nodes import (
    BGP,
    UNIT,
    Call,
    Closure,
    Distinct,
    Exists,
    Extend,
    Filter,
    Graph,
    Join,
    LeftJoin,
    Minus,
    NegatedSet,
    Project,
    TriplePattern,
    Union,
    Values,
    is_hidden,
)

X, Y, Z = map(Variable, "xyz")
P, Q = URIRef("urn:p"), URIRef("urn:q")
XPY, YQZ = BGP((TriplePattern(X, P, Y),)), BGP((TriplePattern(Y, Q, Z),))
IS_ONE, IS_TWO = Call("=", (Z, Literal(1))), Call("=", (Z, Literal(2)))


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("", UNIT),
        ("?x :p ?y", XPY),
        ("?x :p ?y . ?y :q ?z", BGP(XPY.patterns + YQZ.patterns)),
        ("?x :p ?y { ?y :q ?z }", BGP(XPY.patterns + YQZ.patterns)),
        ("{ ?x :p ?y } UNION { ?y :q ?z }", Union(XPY, YQZ)),
        ("?x :p ?y OPTIONAL { ?y :q ?z }", LeftJoin(XPY, YQZ)),
        ("?x :p ?y MINUS { ?y :q ?z }", Minus(XPY, YQZ)),
        ("OPTIONAL { ?y :q ?z }", LeftJoin(UNIT, YQZ)),
        ("GRAPH ?x { ?y :q ?z }", Graph(YQZ, X)),
        ("GRAPH :p { ?y :q ?z }", Graph(YQZ, P)),
        ("?x :p ?y BIND(?y AS ?z)", Extend(XPY, Z, Y)),
        ("VALUES ?x { 1 UNDEF }", Values((X,), ((Literal(1),), (None,)))),
        ("VALUES (?x ?y) { (:p :q) }", Values((X, Y), ((P, Q),))),
        ("VALUES ?x {}", Values((X,), ())),
        ("VALUES () { () () }", Values((), ((), ()))),
    ],
)
def test_a_group_is_read_from_its_first_member_to_its_last(text, node):
    assert pattern(text) == node


def test_a_filter_holds_of_its_whole_group_wherever_it_stands():
    assert pattern("FILTER(?z = 1) ?x :p ?y OPTIONAL { ?y :q ?z }") == Filter(LeftJoin(XPY, YQZ), IS_ONE)


def test_the_filters_of_an_optional_group_are_its_condition():
    both = Call("&&", (IS_ONE, IS_TWO))
    text = "?x :p ?y OPTIONAL { ?y :q ?z FILTER(?z = 1) FILTER(?z = 2) }"
    assert pattern(text) == LeftJoin(XPY, YQZ, both)


def test_the_filter_of_a_group_within_an_optional_one_is_not():
    text = "?x :p ?y OPTIONAL { { ?y :q ?z FILTER(?z = 1) } }"
    assert pattern(text) == LeftJoin(XPY, Filter(YQZ, IS_ONE))


def test_exists_in_the_condition_of_an_optional_group_is_kept_beside_it():
    node = pattern("?x :p ?y OPTIONAL { ?y :q ?z FILTER EXISTS { ?z :p ?x } }")
    ((variable, inside),) = node.exists
    assert node.condition == variable
    assert inside == BGP((TriplePattern(Z, P, X),))


def test_bind_may_use_exists_and_shows_only_its_variable():
    node = pattern("?x :p ?y BIND(EXISTS { ?y :q ?z } AS ?b)")
    assert isinstance(node, Project) and node.names == (X, Y, Variable("b"))
    assert isinstance(node.child, Extend) and isinstance(node.child.child, Exists)


def test_a_nested_select_shows_what_it_names():
    assert pattern("{ SELECT DISTINCT ?x { ?x :p ?y } }") == Distinct(Project(XPY, (X,)))
    assert isinstance(pattern("?y :q ?z { SELECT ?x { ?x :p ?y } }"), Join)


def test_unary_alternatives_and_dots_change_nothing():
    assert pattern("{ ?x :p ?y . } . ?y :q ?z .") == pattern("?x :p ?y . ?y :q ?z")


def test_lists_and_property_lists_are_triples():
    assert len(pattern("?x :p (1 2)").patterns) == 5
    assert len(pattern("?x :p [ :q 1 ; :p 2, 3 ]").patterns) == 4


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("?x :p ?y BIND(1 AS ?y)", r"BIND … AS \?y assigns \?y, which has a value in this group"),
        ("VALUES (?x ?x) { (1 2) }", "VALUES names a variable twice"),
        ("VALUES (?x ?y) { (1) }", "2 variables, but a row has 1 values"),
        ("SERVICE <http://example.org/> {}", "SERVICE is refused"),
        ("OPTIONAL { SERVICE SILENT ?x {} }", "SERVICE is refused"),
    ],
)
def test_what_breaks_a_rule_is_refused_with_the_reason(text, reason):
    with pytest.raises(QueryError, match=reason):
        pattern(text)


# -- paths ----------------------------------------------------------------------------------------------


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
