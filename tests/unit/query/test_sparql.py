"""Live graphs and datasets over a source of triples, and the queries that they answer and refuse."""

from __future__ import annotations

import warnings
from datetime import UTC, datetime, timedelta, timezone

import pytest
from rdflib import RDF, RDFS, Graph, Literal, Namespace, URIRef, Variable
from rdflib.namespace import XSD
from rdflib.query import Result

from pantarhei.errors import PantarheiError, QueryError, ReadOnlyError
from pantarhei.query import (
    ONTOLOGY_GRAPH,
    QueryResult,
    run_query,
    timestamp_graph,
    window_dataset,
    window_graph,
)

EX = Namespace("http://example.org/")
BELT, ROLLER = EX.belt, EX.roller


class Source:
    """A set of triples that counts how it is asked."""

    def __init__(self, *triples):
        self.triples = set(triples)
        self.patterns = []

    def match(self, subject, predicate, object):
        self.patterns.append((subject, predicate, object))
        for triple in self.triples:
            if all(
                want in (None, has) for want, has in zip((subject, predicate, object), triple, strict=True)
            ):
                yield triple

    def __len__(self):
        return len(self.triples)


@pytest.fixture
def source():
    return Source((BELT, RDF.type, EX.Stopped), (ROLLER, RDF.type, EX.Stopped), (BELT, EX.speed, Literal(0)))


@pytest.fixture
def graph(source):
    return window_graph(source)


@pytest.fixture
def dataset(source):
    ontology = Graph().add((EX.Stopped, RDFS.subClassOf, EX.State))
    parts = {
        1: {(BELT, RDF.type, EX.Stopped)},
        2: {(ROLLER, RDF.type, EX.Stopped), (BELT, EX.speed, Literal(0))},
    }
    made = window_dataset(source, ontology, lambda: list(parts), lambda at: parts[at])
    made.parts = parts
    return made


def rows(result):
    return sorted(tuple(row) for row in result)


# the graph


def test_a_graph_shows_the_source(graph, source):
    assert len(graph) == 3
    assert set(graph) == source.triples
    assert (BELT, RDF.type, EX.Stopped) in graph
    assert set(graph.subjects(RDF.type, EX.Stopped)) == {BELT, ROLLER}


def test_a_graph_is_live(graph, source):
    source.triples.add((BELT, EX.in_, EX.hall))
    assert graph.value(BELT, EX.in_) == EX.hall
    source.triples.clear()
    assert len(graph) == 0
    assert list(graph) == []


def test_matches_do_not_change_while_they_are_iterated(graph, source):
    seen = []
    for triple in graph:
        seen.append(triple)
        source.triples.clear()
    assert len(seen) == 3


def test_a_pattern_is_passed_on_to_the_source_bound(graph, source):
    list(graph.triples((BELT, EX.speed, None)))
    assert source.patterns == [(BELT, EX.speed, None)]


def test_a_pattern_that_cannot_match_is_not_passed_on(graph, source):
    assert list(graph.triples((Literal("x"), None, None))) == []
    assert list(graph.triples((None, Literal("x"), None))) == []
    assert source.patterns == []


def test_a_graph_serializes_and_copies(graph, source):
    text = graph.serialize(format="turtle")
    assert set(Graph().parse(data=text, format="turtle")) == source.triples
    copy = Graph() + graph
    copy.add((BELT, EX.speed, Literal(1)))
    assert len(copy) == 4
    assert len(graph) == 3


def test_prefixes_can_be_bound(graph):
    graph.bind("ex", EX)
    assert graph.query("ASK { ex:belt a ex:Stopped }").askAnswer
    assert "ex:belt" in graph.serialize(format="turtle")


@pytest.mark.parametrize(
    "write",
    [
        lambda g: g.add((BELT, EX.speed, Literal(1))),
        lambda g: g.addN([(BELT, EX.speed, Literal(1), g)]),
        lambda g: g.remove((BELT, None, None)),
        lambda g: g.set((BELT, EX.speed, Literal(1))),
        lambda g: g.parse(data="<urn:a> <urn:b> <urn:c> .", format="turtle"),
        lambda g: g.update("INSERT DATA { <urn:a> <urn:b> <urn:c> }"),
        lambda g: g.__iadd__([(BELT, EX.speed, Literal(1))]),
        lambda g: g.__isub__([(BELT, EX.speed, Literal(0))]),
        lambda g: g.destroy(""),
    ],
)
def test_every_write_is_refused(graph, dataset, write):
    for view in (graph, dataset.default_graph, dataset.graph(ONTOLOGY_GRAPH)):
        with pytest.raises(ReadOnlyError, match="read-only"):
            write(view)


def test_every_write_to_a_dataset_is_refused(dataset):
    with pytest.raises(ReadOnlyError):
        dataset.add((BELT, EX.speed, Literal(1), ONTOLOGY_GRAPH))
    with pytest.raises(ReadOnlyError):
        dataset.remove((BELT, None, None, None))
    with pytest.raises(ReadOnlyError):
        dataset.remove_graph(ONTOLOGY_GRAPH)
    with pytest.raises(ReadOnlyError):
        dataset.update("CLEAR ALL")
    with pytest.raises(ReadOnlyError):
        dataset.parse(data="<urn:g> { <urn:a> <urn:b> <urn:c> }", format="trig")


# the dataset


def test_a_dataset_has_the_ontology_and_a_graph_for_each_timestamp(dataset):
    names = {graph.identifier for graph in dataset.graphs()} - {dataset.default_graph.identifier}
    assert names == {ONTOLOGY_GRAPH, timestamp_graph(1), timestamp_graph(2)}
    assert len(dataset.default_graph) == 3
    assert len(dataset) == 3 + 1 + 1 + 2
    assert set(dataset.graph(timestamp_graph(1))) == dataset.parts[1]
    assert len(dataset.graph(ONTOLOGY_GRAPH)) == 1


def test_a_dataset_is_live(dataset):
    dataset.parts[3] = {(ROLLER, EX.speed, Literal(2))}
    del dataset.parts[1]
    found = run_query(dataset, "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }")
    assert {row.g for row in found} == {ONTOLOGY_GRAPH, timestamp_graph(2), timestamp_graph(3)}


def test_triples_outside_of_graph_are_those_of_the_default_graph_only(dataset):
    assert len(run_query(dataset, "SELECT * { ?s ?p ?o }")) == 3
    assert set(dataset.triples((None, RDFS.subClassOf, None))) == set()


def test_default_and_named_graphs_join(dataset):
    dataset.bind("", EX)
    found = run_query(
        dataset,
        "SELECT ?x ?g { ?x a :Stopped . GRAPH <urn:pantarhei:ontology> { :Stopped rdfs:subClassOf ?c } "
        "GRAPH ?g { ?x a :Stopped } }",
    )
    assert rows(found) == sorted([(BELT, timestamp_graph(1)), (ROLLER, timestamp_graph(2))])


def test_a_named_graph_that_is_not_there_is_empty(dataset):
    assert not run_query(dataset, "ASK { GRAPH <urn:pantarhei:at:9> { ?s ?p ?o } }").askAnswer
    with pytest.raises(ReadOnlyError):
        dataset.graph(URIRef("urn:new"))
    with pytest.raises(ReadOnlyError):
        dataset.graph()


def test_one_query_asks_for_an_interpretation_once(source):
    asked = []

    def interpretation(at):
        asked.append(at)
        return {(EX[f"x{i}"], EX.p, EX[f"x{i + 1}"]) for i in range(20)}

    made = window_dataset(source, Graph(), lambda: [1, 2], interpretation)
    found = run_query(
        made, f"SELECT * {{ GRAPH <{timestamp_graph(1)}> {{ ?a <{EX.p}> ?b . ?b <{EX.p}> ?c }} }}"
    )
    assert len(found) == 19
    assert asked == [1]


def test_quads_and_serialization_of_a_dataset(dataset):
    assert len(list(dataset.quads((None, RDF.type, None, None)))) == 4
    assert dataset.serialize(format="nquads").count("urn:pantarhei:at:") == 3
    assert "urn:pantarhei:ontology" in dataset.serialize(format="trig")


def test_querying_a_dataset_warns_of_nothing(dataset):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run_query(dataset, "SELECT * { GRAPH ?g { ?s ?p ?o } }")


def test_timestamps_of_one_instant_have_one_name():
    there = datetime(2026, 1, 31, 11, 30, tzinfo=timezone(timedelta(hours=1)))
    assert timestamp_graph(there) == timestamp_graph(there.astimezone(UTC))
    assert str(timestamp_graph(0.5)) == "urn:pantarhei:at:0.5"


# queries


def test_a_result_is_rdflibs(graph):
    result = run_query(graph, f"SELECT ?x {{ ?x a <{EX.Stopped}> }} ORDER BY ?x")
    assert isinstance(result, Result)
    assert isinstance(result, QueryResult)
    assert [row.x for row in result] == [BELT, ROLLER]
    assert result.bindings[0][Variable("x")] == BELT
    assert b"example.org/belt" in result.serialize(format="json")
    assert len(result) == 2


def test_an_answer_is_complete_before_the_source_changes(graph, source):
    result = graph.query(f"SELECT ?x {{ ?x a <{EX.Stopped}> }}")
    source.triples.clear()
    assert len(list(result)) == 2


def test_ask_construct_describe_and_paths(graph):
    assert run_query(graph, f"ASK {{ <{BELT}> a <{EX.Stopped}> }}").askAnswer is True
    assert len(run_query(graph, f"CONSTRUCT {{ ?x a <{EX.Y}> }} WHERE {{ ?x a <{EX.Stopped}> }}").graph) == 2
    assert len(run_query(graph, f"DESCRIBE <{BELT}>").graph) == 2
    assert len(run_query(graph, f"SELECT ?x {{ ?x (a|<{EX.speed}>)+ ?y }}")) == 3


def test_bindings_and_prefixes_can_be_given(graph):
    found = run_query(graph, "SELECT ?v { ?x e:speed ?v }", namespaces={"e": EX}, bindings={"x": BELT})
    assert rows(found) == [(Literal(0),)]


SERVICE = "SERVICE <http://127.0.0.1:9/sparql> { ?s ?p ?o }"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"SELECT * {{ {SERVICE} }}", "SERVICE is refused"),
        (f"SELECT * {{ ?s ?p ?o OPTIONAL {{ {SERVICE} }} }}", "SERVICE is refused"),
        (f"SELECT * {{ ?s ?p ?o FILTER EXISTS {{ {SERVICE} }} }}", "SERVICE is refused"),
        (f"SELECT (EXISTS {{ {SERVICE} }} AS ?x) {{ }}", "SERVICE is refused"),
        (f"SELECT * {{ {{ SELECT * {{ {SERVICE} }} }} UNION {{ ?s ?p ?o }} }}", "SERVICE is refused"),
        (f"SELECT * {{ ?s ?p ?o MINUS {{ {SERVICE} }} }}", "SERVICE is refused"),
        (f"ASK {{ {SERVICE.replace('SERVICE', 'SERVICE SILENT')} }}", "SERVICE is refused"),
        (f"CONSTRUCT {{ ?s ?p ?o }} WHERE {{ {SERVICE} }}", "SERVICE is refused"),
        ("SELECT * FROM <http://127.0.0.1:9/g> { ?s ?p ?o }", "FROM"),
        ("SELECT * FROM NAMED <http://127.0.0.1:9/g> { GRAPH ?g { ?s ?p ?o } }", "FROM"),
        ("ASK FROM <file:///etc/passwd> { ?s ?p ?o }", "FROM"),
        ("DESCRIBE <urn:x> FROM <http://127.0.0.1:9/g>", "FROM"),
        ("INSERT DATA { <urn:a> <urn:b> <urn:c> }", "update"),
        ("LOAD <http://127.0.0.1:9/g>", "update"),
        ("DELETE WHERE { ?s ?p ?o }", "update"),
    ],
)
def test_what_would_leave_the_process_or_write_is_refused(graph, dataset, monkeypatch, text, reason):
    def no_network(*args, **kwargs):
        raise AssertionError("the network was asked")

    monkeypatch.setattr("socket.socket", no_network)
    for view in (graph, dataset, Graph()):
        with pytest.raises(QueryError, match=reason):
            run_query(view, text)
    if reason != "update":
        with pytest.raises(QueryError, match=reason):
            graph.query(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the query is empty"),
        ("# only a comment\n", "the query is empty"),
        ("SELECT ?x WHERE { ?x a :A ", "malformed query: it ends before it is complete"),
        ("SELEC ?x { ?x ?y ?z }", "line 1, column 1: neither .* nor SELECT"),
        ("SELECT ?x\n{ ?x ?y }", "line 2, column 3: what begins here is not complete"),
        ("SELECT ?x { ?x ?y ?z }}", "line 1, column 23: what begins here is not complete, or no part"),
        ("SELECT ?x { ?x a nonesuch:B }", "the prefix nonesuch: is not declared"),
    ],
)
def test_malformed_queries_say_what_is_wrong_without_the_parsers_words(graph, text, reason):
    with pytest.raises(QueryError, match=reason) as raised:
        graph.query(text)
    assert "Expected" not in str(raised.value)


def test_malformed_queries_say_where(graph):
    with pytest.raises(QueryError) as caught:
        run_query(graph, "SELECT ?x\nWHERE { ?x a }")
    assert "line 2, column" in str(caught.value)
    assert "WHERE { ?x a }\n" in str(caught.value)
    with pytest.raises(QueryError, match="nonesuch"):
        run_query(graph, "ASK { ?x a nonesuch:C }")
    with pytest.raises(QueryError):
        run_query(graph, "")


def test_graph_over_a_single_graph_says_what_to_use(graph):
    with pytest.raises(QueryError, match="dataset"):
        run_query(graph, "ASK { GRAPH ?g { ?s ?p ?o } }")


def test_a_deeply_nested_query_is_refused_not_a_crash(graph):
    with pytest.raises(PantarheiError):
        run_query(graph, "ASK { " + "{" * 5000 + "}" * 5000 + " }")


# tables


def table(*values):
    made = Graph()
    for i, value in enumerate(values):
        made.add((EX[f"s{i}"], EX.p, value))
    return run_query(made, f"SELECT ?v {{ ?s <{EX.p}> ?v }} ORDER BY ?s").to_arrow()


DAY = Literal("2026-01-31T10:00:00Z", datatype=XSD.dateTime)


@pytest.mark.parametrize(
    ("values", "kind", "plain"),
    [
        ([BELT, ROLLER], "name", [str(BELT), str(ROLLER)]),
        ([Literal(1), Literal("2", datatype=XSD.long)], "integer", [1, 2]),
        ([Literal(1), Literal("2.5", datatype=XSD.decimal)], "number", [1.0, 2.5]),
        ([Literal(1.5), Literal("2.5", datatype=XSD.decimal)], "number", [1.5, 2.5]),
        ([Literal(True), Literal(False)], "boolean", [True, False]),
        ([Literal("a"), Literal("b", datatype=XSD.string)], "string", ["a", "b"]),
        ([DAY], "time", [datetime(2026, 1, 31, 10, tzinfo=UTC)]),
        ([Literal(1), Literal("a")], "n-triples", ['"1"^^<http://www.w3.org/2001/XMLSchema#integer>', '"a"']),
        ([BELT, Literal("a")], "n-triples", [f"<{BELT}>", '"a"']),
        ([Literal("a", lang="en")], "n-triples", ['"a"@en']),
        ([Literal(2**70)], "n-triples", [f'"{2**70}"^^<http://www.w3.org/2001/XMLSchema#integer>']),
    ],
)
def test_a_column_has_plain_values_where_all_its_terms_agree(values, kind, plain):
    made = table(*values)
    assert made.schema.field("v").metadata[b"terms"].decode() == kind
    assert made.column("v").to_pylist() == plain


def test_unbound_is_null(graph):
    found = run_query(graph, f"SELECT ?x ?v {{ ?x a ?c OPTIONAL {{ ?x <{EX.speed}> ?v }} }} ORDER BY ?x")
    assert found.to_arrow().column("v").to_pylist() == [0, None]
    frame = found.to_pandas()
    assert str(frame["v"].dtype) == "Int64"
    assert list(frame["x"]) == [str(BELT), str(ROLLER)]


def test_ask_and_construct_have_tables_too(graph):
    assert run_query(graph, "ASK { ?s ?p ?o }").to_arrow().to_pydict() == {"answer": [True]}
    made = run_query(graph, f"CONSTRUCT {{ ?x a <{EX.Y}> }} WHERE {{ ?x a <{EX.Stopped}> }}").to_arrow()
    assert made.column_names == ["subject", "predicate", "object"]
    assert made.num_rows == 2
    assert run_query(graph, "SELECT ?x { ?x <urn:none> 1 }").to_pandas().shape == (0, 1)
