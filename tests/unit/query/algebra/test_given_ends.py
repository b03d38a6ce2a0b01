"""The ends of paths that EXISTS gives values which may be no terms of the graph."""

from __future__ import annotations

import pytest

import pantarhei as pr
from answered import graph, pattern, rows, short
from asked import PREFIXES
from asked import rows as expected
from pantarhei.query.algebra.given_ends import say_given_ends
from pantarhei.query.algebra.nodes import Closure, nodes_of

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
    node = say_given_ends(pattern(where))

    said = [part.given for part in nodes_of(node) if isinstance(part, Closure)]
    assert {str(variable) for ends in said for variable in ends} == given
