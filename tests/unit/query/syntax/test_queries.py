"""Whole texts as algebra: forms, groups, order, slices, and what a SELECT may name."""

import pytest
from rdflib import BNode, Literal, URIRef, Variable

from engine_answers import pattern, read
from pantarhei.errors import QueryError, QueryTextError
from pantarhei.query.algebra.nodes import (
    UNIT,
    Call,
    Distinct,
    Extend,
    Filter,
    Group,
    Join,
    OrderBy,
    OrderKey,
    Project,
    Slice,
    TriplePattern,
    Values,
    nodes_of,
)

X, Y, Z = map(Variable, "xyz")
P = URIRef("urn:p")
XPY = pattern("?x :p ?y")


def test_select_projects_its_variables_and_star_all_that_were_written():
    assert read("SELECT ?y ?x { ?x :p ?y }").node == Project(XPY, (Y, X))
    star = read("SELECT * { ?x :p [] MINUS { ?x :p ?z } FILTER NOT EXISTS { ?x :p ?w } }")
    assert star.variables == (X,)


def test_modifiers_stand_upon_each_other_as_the_standard_orders_them():
    text = "SELECT DISTINCT ?x { ?x :p ?y } ORDER BY DESC(?y) ?x LIMIT 3 OFFSET 2"
    keys = (OrderKey(Y, descending=True), OrderKey(X))
    assert read(text).node == Slice(Distinct(Project(OrderBy(XPY, keys), (X,))), 2, 3)


def test_reduced_is_the_bag():
    assert read("SELECT REDUCED ?x { ?x :p ?y }").node == Project(XPY, (X,))


def test_an_expression_of_select_sees_those_before_it():
    node = read("SELECT (?x AS ?a) (?a AS ?b) { ?x :p ?y }").node
    a, b = Variable("a"), Variable("b")
    assert node == Project(Extend(Extend(XPY, a, X), b, a), (a, b))


def test_values_at_the_end_are_joined():
    values = Values((X,), ((P,),))
    assert read("SELECT * { ?x :p ?y } VALUES ?x { :p }").node == Project(Join(XPY, values), (X, Y))


def test_values_without_rows_leave_none():
    assert read("SELECT * { ?x :p ?y } VALUES () {}").node == Project(Join(XPY, Values((), ())), (X, Y))


def test_groups_have_keys_and_aggregates():
    node = read("SELECT ?x (COUNT(?y) AS ?n) { ?x :p ?y } GROUP BY ?x HAVING(COUNT(?y) > 1)").node
    extend = node.child
    assert isinstance(node, Project) and isinstance(extend, Extend) and isinstance(extend.child, Filter)
    group = extend.child.child
    assert isinstance(group, Group) and group.keys == (X,)
    (count,) = group.aggregates
    assert extend.expression == count.variable
    assert extend.child.condition == Call(">", (count.variable, Literal(1)))


def test_without_group_by_all_rows_are_one_group():
    (group,) = (n for n in nodes_of(read("SELECT (COUNT(*) AS ?n) {}").node) if isinstance(n, Group))
    assert group.keys is None and group.child == UNIT


def test_order_by_of_a_grouped_variable_that_is_no_key_takes_a_sample():
    node = read("SELECT ?x { ?x :p ?y } GROUP BY ?x ORDER BY ?y").node
    (group,) = (n for n in nodes_of(node) if isinstance(n, Group))
    (sample,) = group.aggregates
    assert (sample.function, sample.argument) == ("SAMPLE", Y)
    assert node.child.keys == (OrderKey(sample.variable),)


def test_having_may_name_what_select_calls_an_expression():
    node = read("SELECT (COUNT(?y) AS ?n) { ?x :p ?y } HAVING(?n > 1)").node
    (count,) = (a for n in nodes_of(node) if isinstance(n, Group) for a in n.aggregates)
    (condition,) = (n.condition for n in nodes_of(node) if isinstance(n, Filter))
    assert condition == Call(">", (count.variable, Literal(1)))


def test_ask_construct_and_describe_know_what_they_make():
    assert read("ASK { ?x :p ?y }").node == XPY
    made = read("CONSTRUCT { ?x :q _:b } WHERE { ?x :p ?y }")
    (triple,) = made.template
    assert (triple.subject, triple.predicate) == (X, URIRef("urn:q")) and isinstance(triple.object, BNode)
    assert read("CONSTRUCT WHERE { ?x :p ?y }").template == (TriplePattern(X, P, Y),)
    assert read("DESCRIBE :p").described == (P,)
    assert read("DESCRIBE * { ?x :p [] }").described == (X,)


def test_from_and_from_named_are_kept():
    query = read("SELECT * FROM :a FROM :b FROM NAMED :c { ?x :p ?y }")
    assert query.default_graphs == (URIRef("urn:a"), URIRef("urn:b"))
    assert query.named_graphs == (URIRef("urn:c"),)
    assert read("ASK {}").default_graphs is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "SELECT ?y { ?x :p ?y } GROUP BY ?x",
            r"\?y is selected, but it is neither a group key nor aggregated",
        ),
        ("SELECT ?x (COUNT(?y) AS ?n) { ?x :p ?y }", r"\?x is selected, but it is neither"),
        ("SELECT * { ?x :p ?y } GROUP BY ?x", r"SELECT \* cannot be grouped"),
        ("SELECT (1 AS ?x) { ?x :p ?y }", r"SELECT \( … AS \?x\) assigns \?x, which has a value already"),
        ("SELECT (1 AS ?a) (2 AS ?a) {}", r"assigns \?a, which has a value already"),
    ],
)
def test_what_select_may_not_name_is_refused(text, reason):
    with pytest.raises(QueryError, match=reason):
        read(text)


def test_a_byte_order_mark_is_no_part_of_a_query():
    text = "SELECT ?x\r\n{ ?x :p ?y }\r\n"
    assert read(f"\ufeff{text}") == read(text)
    with pytest.raises(QueryTextError) as told:
        read("\ufeffSELECT 5")
    assert (told.value.line, told.value.column, told.value.source_line) == (1, 8, "SELECT 5")
