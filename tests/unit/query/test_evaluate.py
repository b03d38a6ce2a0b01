"""Queries that are refused, those that are prepared once, and what is said of malformed ones."""

import pytest
from rdflib import Graph, Literal, URIRef, Variable

from pantarhei.errors import QueryError
from pantarhei.query.evaluate import evaluate, prepare
from pantarhei.query.window_store import WindowDataset

A, P = URIRef("urn:a"), URIRef("urn:p")


@pytest.fixture
def graph():
    return Graph().add((A, P, Literal(1)))


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT * { SERVICE <http://x.org/> { ?a ?b ?c } }", "SERVICE is refused"),
        ("SELECT * { FILTER EXISTS { SERVICE <http://x.org/> { ?a ?b ?c } } }", "SERVICE is refused"),
        ("SELECT * FROM <http://x.org/> { ?a ?b ?c }", "FROM"),
        ("SELECT * { GRAPH ?g { ?a ?b ?c } }", "needs a dataset"),
        ("INSERT DATA { <urn:a> <urn:b> <urn:c> }", "read-only"),
        ("SELECT * { ?a x:b ?c }", "the prefix x: is not declared"),
        ("SELECT * {\n ?a ?b ?c", "ends before it is complete"),
        ("SELECT * {\n ?a }", "line 2"),
        ("", "the query is empty"),
    ],
)
def test_what_would_leave_the_process_or_is_no_query_is_refused_with_the_reason(graph, query, reason):
    with pytest.raises(QueryError, match=reason):
        evaluate(graph, query)


def test_a_graph_of_a_dataset_may_be_named():
    dataset = WindowDataset()
    dataset.graph(URIRef("urn:g")).add((A, P, A))
    assert len(list(evaluate(dataset, "SELECT * { GRAPH ?g { ?a ?b ?c } }"))) == 1


def test_a_query_that_comes_again_is_not_parsed_again_but_for_other_prefixes():
    text = "SELECT ?o { ?s x:p ?o }"
    one, again, other = (prepare(text, {"x": f"urn:{name}"}) for name in "aab")
    assert one is again is not other


def test_bindings_hold_for_one_evaluation(graph):
    text = "SELECT ?o { ?s <urn:p> ?o }"
    assert len(list(evaluate(graph, text, bindings={"s": URIRef("urn:other")}))) == 0
    assert [row[Variable("o")] for row in evaluate(graph, text).bindings] == [Literal(1)]
