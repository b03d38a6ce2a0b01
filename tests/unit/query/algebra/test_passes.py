"""Simplifications: where filters, joins and columns go, and where they must not."""

from __future__ import annotations

from collections import Counter

import pytest

import pantarhei as pr
from engine_answers import graph, pattern, read, rows, short
from oracle_answers import PREFIXES
from oracle_answers import rows as expected
from pantarhei.query.algebra.nodes import (
    BGP,
    Closure,
    Extend,
    Filter,
    Graph,
    Group,
    Join,
    LeftJoin,
    Minus,
    Project,
    Slice,
    Union,
    Values,
    is_hidden,
    nodes_of,
    with_children,
)
from pantarhei.query.algebra.passes import (
    drop_columns,
    mark_substituted_ends,
    name_aggregates,
    order_joins,
    push_filters,
)
from pantarhei.query.languages import read_stream_text


def filtered(text):
    """The nodes directly below the filters."""
    return [type(node.child) for node in nodes_of(push_filters(pattern(text))) if isinstance(node, Filter)]


# -- names ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names", "more"),
    [
        ("SELECT ?x (AVG(?y) AS ?a) { ?x :p ?y } GROUP BY ?x", ["a"], []),
        ("SELECT (1 + COUNT(*) AS ?n) (MAX(?y) AS ?m) { ?x :p ?y }", ["#", "m"], ["n"]),
        ("SELECT (MAX(?y) AS ?m) (?m + 1 AS ?n) { ?x :p ?y } HAVING(?m > 1) ORDER BY ?m", ["m"], ["n"]),
        ("SELECT * { { SELECT (SUM(?y) AS ?s) { ?x :p ?y } } BIND(?s AS ?t) }", ["s"], ["t"]),
        ("SELECT (?y AS ?a) { ?x :p ?y } GROUP BY ?y", [], ["a"]),
        ("SELECT ?y (1 AS ?a) { ?x :p ?y }", None, ["a"]),
    ],
)
def test_an_aggregate_has_the_name_that_select_gives_it(text, names, more):
    nodes = list(nodes_of(name_aggregates(read(text).node)))
    made = [[a.variable for a in node.aggregates] for node in nodes if isinstance(node, Group)]
    shown = [["#" if is_hidden(variable) else str(variable) for variable in own] for own in made]
    assert shown == ([] if names is None else [names])
    assert [str(node.variable) for node in nodes if isinstance(node, Extend)] == more


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "SELECT (MAX(?y) AS ?m) (?m AS ?n) { ?x :p ?y } HAVING(?m > 1) ORDER BY ?m",
            ["2^integer 2^integer"],
        ),
        (
            "SELECT ?x (MAX(?y) AS ?m) (?m + 1 AS ?n) { ?x :p ?y } GROUP BY ?x ORDER BY DESC(?m)",
            ["b 2^integer 3^integer", "a 1^integer 2^integer"],
        ),
        ("SELECT ?x { ?x :p ?y } GROUP BY ?x HAVING(MAX(?y) > 1)", ["b"]),
    ],
)
def test_conditions_and_orders_look_at_a_named_aggregate(text, found):
    assert rows(text, ":a :p 1 . :b :p 2 .") == found


# -- filters -----------------------------------------------------------------------------------------------


def test_a_condition_on_the_time_of_a_triple_stays_with_its_graph():
    registered = (
        "SELECT * FROM STREAM <s> [RANGE 2 STEP 1] { GRAPH ?g { ?x ?p ?y } FILTER(timestamp(?x, ?p, ?y)) }"
    )
    (test,) = (
        n for n in nodes_of(push_filters(read_stream_text(registered).query.node)) if isinstance(n, Filter)
    )
    assert isinstance(test.child, Graph)


@pytest.mark.parametrize(
    ("text", "below"),
    [
        ("?x :p ?y OPTIONAL { ?y :p ?z } FILTER(?x = ?y)", [BGP]),
        ("?x :p ?y MINUS { ?y :p ?z } FILTER(?x = ?y)", [BGP]),
        ("?x :p ?y BIND(1 AS ?z) FILTER(?x = ?y)", [BGP]),
        ("{ ?x :p ?y } UNION { ?y :p ?x } FILTER(?x = ?y)", [BGP, BGP]),
        ("?x :p+ ?y . ?y :p ?z FILTER(?z = 1 && ?x = 1)", [Closure, BGP]),
        ("GRAPH ?g { ?x :p ?y } FILTER(?x = ?y)", [BGP]),
    ],
)
def test_a_condition_is_tested_where_its_variables_are_bound_first(text, below):
    assert filtered(text) == below


@pytest.mark.parametrize(
    ("text", "below"),
    [
        ("?x :p ?y OPTIONAL { ?y :p ?z } FILTER(?z = 1)", [LeftJoin]),
        ("?x :p ?y BIND(1 AS ?z) FILTER(?z = 1)", [Extend]),
        ("{ ?x :p ?y } UNION { ?x :p ?z } FILTER(?y = 1)", [Union]),
        ("?x :p ?y MINUS { ?y :p ?z } FILTER(?z = 1)", [Minus]),
        ("?x :p+ ?y . ?y :p ?z FILTER(RAND() < ?x)", [Join]),
        ("{ SELECT ?x { ?x :p ?y } LIMIT 1 } FILTER(?x = 1)", [Slice]),
        ("{ SELECT ?x { ?x :p ?y } } FILTER(?y = 1)", [Project]),
    ],
)
def test_a_condition_stays_where_it_would_say_something_else_further_down(text, below):
    assert filtered(text) == below


def test_a_variable_that_a_nested_select_hides_is_unbound_outside():
    assert rows("SELECT ?x { { SELECT ?x { ?x :p ?y } } FILTER(?y = 1) }", ":a :p 1 .") == []


# -- joins -------------------------------------------------------------------------------------------------


def joined(node):
    return [*joined(node.left), *joined(node.right)] if isinstance(node, Join) else [node]


def test_given_rows_come_first_and_open_paths_last():
    node = order_joins(pattern("?x :p+ ?y . ?y :p ?z . ?z :q+ :a . ?z :p ?w VALUES ?x { :a }"))
    kinds = [type(part) for part in joined(node)]
    assert kinds == [Values, BGP, Closure, Closure]
    assert [len(part.patterns) for part in joined(node) if isinstance(part, BGP)] == [2]
    assert joined(node)[-1].object == pattern("?x :p+ ?y").object


@pytest.mark.parametrize(
    "text", ["?x :p+ ?y VALUES ?y { 1 } ?y :p ?z", "?x :p+ ?y { BIND(1 + 1 AS ?y) } ?y :p ?z"]
)
def test_joins_stay_where_a_literal_is_given_or_computed_in_a_form_of_its_own(text):
    assert order_joins(pattern(text)) == pattern(text)


# -- columns -----------------------------------------------------------------------------------------------


def kept(text):
    """The columns of the triple patterns, by what is projected of them."""
    node = drop_columns(read(text).node)
    return [
        "".join(part.names)
        for part in nodes_of(node)
        if isinstance(part, Project) and isinstance(part.child, BGP | Filter)
    ]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("SELECT ?x { ?x :p ?y . ?y :p ?z }", ["x"]),
        ("SELECT ?x { ?x :p ?y OPTIONAL { ?x :q ?z . ?z :q ?w } }", ["x", "x"]),
        ("SELECT (SUM(?y) AS ?n) { ?x :p ?y . ?x :q ?z } GROUP BY ?z", ["yz"]),
        ("SELECT (COUNT(*) AS ?n) { ?x :p ?y . ?x :q ?z }", [""]),
        ("SELECT (COUNT(DISTINCT *) AS ?n) { ?x :p ?y }", []),
        ("SELECT ?x { ?x :p ?y } ORDER BY ?y", []),
        ("SELECT ?x { ?x :p ?y BIND(?y AS ?z) }", []),
        ("SELECT ?x { ?x :p ?y BIND(1 AS ?z) }", ["x"]),
        ("SELECT ?x ?z { ?x :p ?y BIND(RAND() AS ?z) }", []),
        ("SELECT (SUM(RAND()) AS ?n) { ?x :p ?y }", []),
        ("SELECT ?x { ?x :p ?y OPTIONAL { ?x :q ?z FILTER(RAND() < 0.5) } }", []),
    ],
)
def test_patterns_give_the_columns_that_something_looks_at(text, columns):
    assert kept(text) == columns


def test_children_are_changed_in_every_kind_of_node():
    text = (
        "?x :p+ ?y OPTIONAL { ?y :p ?z FILTER EXISTS { ?z :p ?w } } MINUS { ?x :q ?y } FILTER(?x) {} UNION {}"
    )
    seen = []
    node = pattern(text)

    def noted(part):
        seen.append(part)
        return with_children(part, noted)

    assert noted(node) == node
    assert Counter(seen) == Counter(nodes_of(node))


DATA = ":a :p :b . :a :q :c . :c :p :a ."
ANYWHERE = "VALUES ?x { :a :b :nowhere }"
QUERIES = [
    f"{ANYWHERE} FILTER EXISTS {{ ?x :p* ?y }}",
    f"{ANYWHERE} FILTER NOT EXISTS {{ ?x :p* ?y }}",
    f"{ANYWHERE} FILTER EXISTS {{ ?x :p* :nowhere }}",
    f"{ANYWHERE} FILTER EXISTS {{ :nowhere :p* ?x }}",
    f"{ANYWHERE} FILTER EXISTS {{ ?x :p? ?x }}",
    f"{ANYWHERE} FILTER EXISTS {{ ?x (:p|:q)* ?y FILTER(?y = ?x) }}",
    f"{ANYWHERE} FILTER EXISTS {{ ?x :p*/:q ?y }}",
    f"{ANYWHERE} FILTER EXISTS {{ ?x (:p*)+ ?y }}",
    f"{ANYWHERE} FILTER EXISTS {{ {{ ?x :p* ?y }} UNION {{ ?x :q ?y }} }}",
    f"{ANYWHERE} FILTER EXISTS {{ ?z :q ?w FILTER EXISTS {{ ?x :p* ?y }} }}",
    f"{ANYWHERE} FILTER EXISTS {{ {{ SELECT ?y {{ ?x :p* ?y }} }} FILTER(?y = :nowhere) }}",
    f"{ANYWHERE} FILTER EXISTS {{ ?x :p* ?y BIND(STR(?y) AS ?s) }}",
    f"{ANYWHERE} OPTIONAL {{ ?z :q ?w FILTER EXISTS {{ ?x :p* ?y }} }} FILTER(BOUND(?z))",
    "BIND(IRI(CONCAT(STR(:a), 'b')) AS ?x) FILTER EXISTS { ?x :p* ?y }",
    ":nowhere :p* ?x FILTER EXISTS { ?x :p* ?y }",
    "{ SELECT (COUNT(*) AS ?x) { ?a :p ?b } } FILTER EXISTS { ?x :p* ?y }",
    "{ ?x :p ?y } UNION { VALUES ?x { :nowhere } } FILTER EXISTS { ?x :q* ?z }",
    "OPTIONAL { VALUES ?x { :nowhere } } FILTER EXISTS { ?x :q* ?z }",
]


@pytest.mark.parametrize("where", QUERIES)
def test_what_a_row_says_is_given_to_a_path_in_exists(where: str) -> None:
    text = f"SELECT ?x {{ {where} }}"

    assert sorted(rows(text, DATA)) == expected(text, DATA)


@pytest.mark.parametrize("where", QUERIES)
def test_registered_queries_give_it_too(where: str) -> None:
    text = f"SELECT ?x {{ {where} }}"
    dynamic = pr.DynamicGraph(pr.load_ontology(graph("")))
    query = dynamic.register("".join(f"PREFIX {p}: <{iri}> " for p, iri in PREFIXES.items()) + text)

    for data in (DATA, ":b :q :nowhere ."):
        dynamic.change(insert=graph(data))
        found = [" ".join(map(short, row)) for row, count in query.answers.items() for _ in range(count)]
        assert sorted(found) == expected(text, list(dynamic.materialization()))


@pytest.mark.parametrize(
    ("where", "given"),
    [
        ("?x :p ?z FILTER EXISTS { ?x :q* ?y }", set()),
        ("?z :p ?x FILTER EXISTS { ?x :q* ?y }", set()),
        ("?x :q+ ?z FILTER EXISTS { ?x :q* ?y }", set()),
        ("?x !:q ?z FILTER EXISTS { ?x :q* ?y }", set()),
        ("?z ?x :b FILTER EXISTS { ?x :q* ?y }", {"x"}),
        ("VALUES ?x { :a } ?x :p ?z FILTER EXISTS { ?x :q* ?y }", set()),
        ("VALUES ?x { :a } OPTIONAL { ?x :p ?z } FILTER EXISTS { ?x :q* ?z }", {"x"}),
        ("?z :p ?w BIND(?z AS ?x) FILTER EXISTS { ?x :q* ?y }", set()),
        ("VALUES ?x { :a } FILTER EXISTS { ?x :q+ ?y }", set()),
        ("GRAPH :g { ?x :p ?z } FILTER EXISTS { ?x :q* ?y }", {"x"}),
        ("GRAPH :g { ?x :p ?z FILTER EXISTS { ?x :q* ?y } }", set()),
        ("?x :p ?z FILTER EXISTS { GRAPH :g { ?x :q* ?y } }", {"x"}),
        ("VALUES ?x { :a } FILTER EXISTS { { SELECT ?y { ?x :q* ?y } } }", set()),
    ],
)
def test_only_ends_that_may_be_no_terms_of_the_graph_are_said(where: str, given: set[str]) -> None:
    node = mark_substituted_ends(pattern(where))

    said = [part.substituted for part in nodes_of(node) if isinstance(part, Closure)]
    assert {str(variable) for ends in said for variable in ends} == given
