"""Names in texts: prefixes, bases, blank nodes, and variables that nobody has written."""

import pytest
from rdflib import XSD, Literal, URIRef, Variable

from answered import pattern, read
from pantarhei.errors import QueryError
from pantarhei.query.algebra.nodes import is_hidden
from pantarhei.query.syntax.grammar import QueryText, parse
from pantarhei.query.syntax.names import NameScope

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
