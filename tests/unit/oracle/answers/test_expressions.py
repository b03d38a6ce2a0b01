"""Logic with errors (SPARQL 1.1, section 17.2), and the forms that do not take all their arguments."""

import pytest
from rdflib import Literal, URIRef

from oracle.answers import answers
from oracle_answers import result, rows

ERROR = "(1 + :a)"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (f"true || {ERROR}", "true"),
        (f"{ERROR} || true", "true"),
        (f"false || {ERROR}", "-"),
        (f"{ERROR} && false", "false"),
        (f"true && {ERROR}", "-"),
        (f"!{ERROR}", "-"),
        ("!0", "true"),
        (f"IF({ERROR}, true, false)", "-"),
        (f"IF(1, true, {ERROR})", "true"),
        (f"COALESCE({ERROR}, ?unbound, true)", "true"),
        (f"COALESCE({ERROR})", "-"),
        ("COALESCE()", "-"),
        ("BOUND(?unbound)", "false"),
        ("1 IN (2, 1.0)", "true"),
        (f"1 IN ({ERROR}, 1)", "true"),
        (f"2 IN ({ERROR}, 1)", "-"),
        ("1 IN ()", "false"),
        ("1 NOT IN ()", "true"),
        (f"1 NOT IN (2, {ERROR})", "-"),
        ("EXISTS { }", "true"),
        ("NOT EXISTS { VALUES ?x { } }", "true"),
    ],
)
def test_logic(expression, expected):
    assert result(expression).removesuffix("^boolean") == expected


def test_a_blank_node_is_one_for_a_row_and_a_label():
    nodes = '(BNODE("a") AS ?a) (BNODE("a") AS ?b) (BNODE("c") AS ?c) (BNODE() AS ?d)'
    found = answers(f"SELECT {nodes} {{ VALUES ?x {{ 1 2 }} }}", ()).rows_in_order
    assert all(row[0] == row[1] for row in found)
    assert len({term for row in found for term in row}) == 6


def test_what_is_drawn_is_not_determined():
    for draw in ("RAND()", "UUID()", "STRUUID()"):
        assert not answers(f"SELECT ({draw} AS ?x) {{}}", ()).is_determined
    assert rows("SELECT (isIRI(UUID()) AS ?x) (RAND() < 1 AS ?y) {}") == ["true^boolean true^boolean"]


def test_the_time_of_a_triple_is_that_in_the_active_graph():
    a, p, w = URIRef("urn:a"), URIRef("urn:p"), URIRef("urn:w")
    triple = (a, p, Literal(1))
    text = """PREFIX f: <http://larkc.eu/csparql/sparql/jena/ext#>
    SELECT ?o (f:timestamp(?s, ?p, ?o) AS ?t) (f:timestamp(?s, ?p, ?s) AS ?u) ?v
    { ?s ?p ?o GRAPH <urn:w> { ?s ?p ?o BIND(f:timestamp(?s, ?p, 1.0) AS ?v) } }"""
    times = {None: {triple: Literal(3)}, w: {triple: Literal(5)}}
    found = answers(text, [triple], {w: [triple]}, times=times)
    assert found.rows_in_order == [(Literal(1), Literal(3), None, Literal(5))]
