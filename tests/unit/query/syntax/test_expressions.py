"""Expressions of texts as calls: precedence, names of functions, EXISTS as a column, aggregates collected."""

import pytest
from rdflib import XSD, Literal, URIRef, Variable

from engine_answers import pattern, read
from pantarhei.errors import QueryError
from pantarhei.query.algebra.nodes import (
    Aggregate,
    Call,
    Exists,
    Extend,
    Filter,
    Group,
    Project,
    is_hidden,
    nodes_of,
)
from pantarhei.query.syntax.expressions import NameScope
from pantarhei.query.syntax.grammar import QueryText, parse

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
    with pytest.raises(QueryError, match="is not allowed here: aggregates are allowed in"):
        read(text)


def test_a_group_may_be_made_by_an_expression_with_exists():
    node = read("SELECT ?e (COUNT(*) AS ?n) { ?a :p ?b } GROUP BY (EXISTS { ?b :p ?c } AS ?e)").node
    (group,) = (part for part in nodes_of(node) if isinstance(part, Group))
    assert isinstance(group.child, Extend) and isinstance(group.child.child, Exists)
    assert group.keys == (Variable("e"),)


def test_a_name_of_another_kind_is_a_constant():
    assert expression(":a") == URIRef("urn:a")
    assert expression('"a"@en') == Literal("a", lang="en")


X, Y = Variable("x"), Variable("y")


def names():
    text = QueryText("ASK {}")
    return NameScope(text, parse(text), {}, None)


def objects(text):
    return [triple.object for triple in pattern(text).patterns]


def test_a_prefix_of_the_text_is_stronger_than_one_that_was_given():
    assert objects("?x a :C") == [URIRef("urn:C")]
    (triple,) = read("PREFIX : <urn:own:> ASK { ?x a :C }").node.patterns
    assert triple.object == URIRef("urn:own:C")


@pytest.mark.parametrize(
    ("text", "iri"),
    [
        ("ASK { ?x a <C> }", "http://e.org/dir/C"),
        ("BASE <http://o.org/> ASK { ?x a <C> }", "http://o.org/C"),
        ("BASE <up/> BASE <C> ASK { ?x a <C> }", "http://e.org/dir/up/C"),
        ("PREFIX c: <ns#> ASK { ?x a c:C }", "http://e.org/dir/ns#C"),
        ("ASK { ?x a <urn:C> }", "urn:C"),
        ("ASK { ?x a <part?at=12:00> }", "http://e.org/dir/part?at=12:00"),
    ],
)
def test_a_relative_iri_is_resolved_against_the_base_that_is_valid_there(text, iri):
    (triple,) = read(text, base="http://e.org/dir/file").node.patterns
    assert triple.object == URIRef(iri)


def test_what_is_escaped_in_a_name_is_meant_as_it_is():
    assert objects(r"?x a :c\~z\., :a%20b") == [URIRef("urn:c~z."), URIRef("urn:a%20b")]


def test_an_unknown_prefix_is_named_with_one_that_is_near():
    with pytest.raises(QueryError, match=r"the prefix sensr: is not declared; did you mean sensor:"):
        read("PREFIX sensor: <urn:sensor:> ASK { ?x a sensr:C }")
    with pytest.raises(QueryError, match=r"the prefix other: is not declared; write PREFIX other:"):
        read("PREFIX sensor: <urn:sensor:> ASK { ?x a other:C }")


def test_literals_keep_the_form_in_which_they_are_written():
    assert objects('?x :p 01, -02, -0.0, 1.50, "a"@EN, "007"^^xsd:integer') == [
        Literal("01", datatype=XSD.integer, normalize=False),
        Literal("-02", datatype=XSD.integer, normalize=False),
        Literal("-0.0", datatype=XSD.decimal, normalize=False),
        Literal("1.50", datatype=XSD.decimal, normalize=False),
        Literal("a", lang="EN"),
        Literal("007", datatype=XSD.integer, normalize=False),
    ]


def test_a_blank_node_is_a_variable_that_nobody_can_write():
    one, other = pattern("_:b :p _:b . [] :p ?x").patterns
    assert one.subject == one.object and is_hidden(one.subject)
    assert is_hidden(other.subject) and other.subject != one.subject
    assert not is_hidden(other.object)


@pytest.mark.parametrize(
    "text",
    [
        "_:b :p ?x OPTIONAL { _:b :q ?y }",
        "{ _:b :p ?x } UNION { _:b :p ?x }",
        "_:b :p ?x OPTIONAL {} _:b :p ?y",
    ],
)
def test_the_label_of_a_blank_node_belongs_to_one_basic_graph_pattern(text):
    with pytest.raises(QueryError, match="_:b is used in two groups"):
        pattern(text)


def test_a_filter_between_triples_leaves_them_one_pattern():
    assert pattern("_:b :p ?x FILTER(?x > 1) _:b :p ?y").child.variables[1:] == (X, Y)


def test_fresh_variables_are_new_and_hidden():
    scope = names()
    first, second = scope.fresh("step"), scope.fresh("step")
    assert first != second and is_hidden(first)


def test_columns_stand_in_the_order_in_which_the_text_binds_them():
    scope = names()
    for variable in (Y, X):
        scope.bind(variable)
    assert scope.in_order({X, Y}) == [Y, X]
    assert read("SELECT * { ?b :p ?a . ?a :p ?c }").variables == tuple(map(Variable, "bac"))
