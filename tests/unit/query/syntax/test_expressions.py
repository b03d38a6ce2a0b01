"""Expressions of texts as calls: precedence, names of functions, EXISTS as a column, aggregates collected."""

import pytest
from rdflib import XSD, Literal, URIRef, Variable

from answered import pattern, read
from pantarhei.errors import QueryError
from pantarhei.query.algebra.nodes import Aggregate, Call, Exists, Extend, Filter, Group, Project, nodes_of

A, B, C = map(Variable, "abc")
ONE, TWO, THREE = map(Literal, (1, 2, 3))


def expression(text):
    return pattern(f"BIND({text} AS ?result)").expression


def aggregates(text):
    (group,) = (node for node in nodes_of(read(text).node) if isinstance(node, Group))
    return group.aggregates


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("?a", A),
        ("(?a)", A),
        ("1 + 2 * 3", Call("+", (ONE, Call("*", (TWO, THREE))))),
        ("1 - 2 - 3", Call("-", (Call("-", (ONE, TWO)), THREE))),
        ("(1 + 2) * 3", Call("*", (Call("+", (ONE, TWO)), THREE))),
        ("?a || ?b && ?c", Call("||", (A, Call("&&", (B, C))))),
        ("?a && ?b && ?c", Call("&&", (A, B, C))),
        ("!?a = ?b", Call("=", (Call("!", (A,)), B))),
        ("-?a", Call("neg", (A,))),
        ("+?a", Call("+", (A,))),
        ("+1", Call("+", (ONE,))),
        ("1+2*3-?a", Call("-", (Call("+", (ONE, Call("*", (TWO, THREE)))), A))),
        ("?a -1", Call("-", (A, ONE))),
        ("?a -1*?b/2 +3", Call("+", (Call("-", (A, Call("/", (Call("*", (ONE, B)), TWO)))), THREE))),
        ("'a'+1", Call("+", (Literal("a"), ONE))),
        (":p+1", Call("+", (URIRef("urn:p"), ONE))),
        ("1<?a&&?b>2", Call("&&", (Call("<", (ONE, A)), Call(">", (B, TWO))))),
        ("?a IN (1, ?b)", Call("IN", (A, ONE, B))),
        ("?a IN ()", Call("IN", (A,))),
        ("?a NOT IN (1)", Call("!", (Call("IN", (A, ONE)),))),
    ],
)
def test_operators_bind_as_the_grammar_says(text, expected):
    assert expression(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("strlen(?a)", Call("STRLEN", (A,))),
        ("URI(?a)", Call("IRI", (A,))),
        ("isURI(?a)", Call("ISIRI", (A,))),
        ("bnode()", Call("BNODE", ())),
        ("bound(?a)", Call("BOUND", (A,))),
        ("sameTerm(?a, ?b)", Call("SAMETERM", (A, B))),
        ("IF(?a, ?b, ?c)", Call("IF", (A, B, C))),
        ("COALESCE(?a, ?b)", Call("COALESCE", (A, B))),
        ("COALESCE()", Call("COALESCE", ())),
        ("CONCAT()", Call("CONCAT", ())),
        ("SUBSTR(?a, 1, 2)", Call("SUBSTR", (A, ONE, TWO))),
        ("REPLACE(?a, ?b, ?c, 'i')", Call("REPLACE", (A, B, C, Literal("i")))),
        ("xsd:integer(?a)", Call(XSD.integer, (A,))),
    ],
)
def test_functions_have_their_arguments_in_the_order_of_the_text(text, expected):
    assert expression(text) == expected


def test_an_unknown_function_is_refused_by_name():
    with pytest.raises(QueryError, match="the function <urn:nonesuch> is not known"):
        expression(":nonesuch(?a)")


@pytest.mark.parametrize(("text", "flags"), [('"("', ""), ('"a"', ', "no"'), ('"[b-a]"', "")])
def test_a_malformed_constant_pattern_is_refused_before_anything_is_matched(text, flags):
    for call in (f"REGEX(?a, {text}{flags})", f"REPLACE(?a, {text}, ''{flags})"):
        with pytest.raises(QueryError, match="regular expression"):
            expression(call)


def test_exists_becomes_a_column_that_nobody_sees():
    node = pattern("?a :p ?b FILTER(NOT EXISTS { ?b :q ?c } || ?a = ?b)")
    assert isinstance(node, Project) and node.names == (A, B)
    condition, mark = node.child, node.child.child
    assert isinstance(condition, Filter) and isinstance(mark, Exists)
    assert condition.condition == Call("||", (Call("!", (mark.variable,)), Call("=", (A, B))))
    assert mark.right == pattern("?b :q ?c")


def test_one_expression_may_have_several_exists():
    first, second = (
        node
        for node in nodes_of(pattern("BIND(EXISTS { ?a ?b ?c } = EXISTS {} AS ?same)"))
        if isinstance(node, Exists)
    )
    assert first.variable != second.variable


def test_equal_aggregates_are_one():
    (count,) = aggregates("SELECT (COUNT(?a) + COUNT(?a) AS ?twice) { ?a :p ?b } HAVING(COUNT(?a) > 1)")
    assert count == Aggregate("COUNT", A, False, " ", count.variable)


def test_aggregates_that_differ_are_told_apart():
    selected = "(COUNT(*) AS ?n) (COUNT(DISTINCT ?a) AS ?m) (GROUP_CONCAT(?a; SEPARATOR=',') AS ?t)"
    text = f"SELECT {selected} {{ ?a :p ?b }}"
    assert [(a.function, a.argument, a.distinct, a.separator) for a in aggregates(text)] == [
        ("COUNT", None, False, " "),
        ("COUNT", A, True, " "),
        ("GROUP_CONCAT", A, False, ","),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { ?a :p ?b FILTER(COUNT(?a) > 1) }",
        "SELECT ?a { ?a :p ?b } GROUP BY (SUM(?b))",
        "SELECT (SUM(COUNT(?a)) AS ?n) { ?a :p ?b }",
        "SELECT (COUNT(?a) AS ?n) { ?a :p ?b } HAVING(EXISTS { BIND(SUM(?b) AS ?n) })",
    ],
)
def test_an_aggregate_where_no_rows_are_grouped_is_refused(text):
    with pytest.raises(QueryError, match="no rows are grouped there"):
        read(text)


def test_a_group_may_be_made_by_an_expression_with_exists():
    node = read("SELECT ?e (COUNT(*) AS ?n) { ?a :p ?b } GROUP BY (EXISTS { ?b :p ?c } AS ?e)").node
    (group,) = (part for part in nodes_of(node) if isinstance(part, Group))
    assert isinstance(group.child, Extend) and isinstance(group.child.child, Exists)
    assert group.keys == (Variable("e"),)


def test_a_name_of_another_kind_is_a_constant():
    assert expression(":a") == URIRef("urn:a")
    assert expression('"a"@en') == Literal("a", lang="en")
