"""The quality of a stream as text, as a table and as a graph."""

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from rdflib import RDF, BNode, Literal, URIRef

from pantarhei import DynamicGraph, Ontology, QueryError, StreamReasoner, Window
from pantarhei.explain.quality import QUALITY, Quality, QualityRow
from pantarhei.model.rule import Rule
from strategies import EX, A, B, C, a, b, is_a, member, x

DISJOINT = Rule("cax-dw", (is_a(B, x), is_a(C, x)), None)
ONTOLOGY = Ontology.from_rules([Rule("cax-sco", (is_a(A, x),), is_a(B, x)), DISJOINT])
AT = datetime(2026, 3, 1, 10, tzinfo=UTC)
ABOUT_SENSOR = QualityRow(EX.sensor, 5, 3, 1, 4, 2, AT, timedelta(minutes=2))
NEVER = QualityRow(EX.silent, 1, 1, 0, 1, 1, None, None)
BY_AXIOM = QualityRow("Disjoint(A B)", 8, 4, 4, 4, 0, AT, timedelta(minutes=2))
QUIET = QualityRow(EX.quiet, 1, 0, 0, 0, 0, AT, timedelta(minutes=2))
FOUND = Quality(AT + timedelta(minutes=2), AT, (ABOUT_SENSOR, NEVER, QUIET), (), (BY_AXIOM,))


@pytest.fixture
def reasoner():
    made = StreamReasoner(ONTOLOGY, Window(2))
    made.push(1, [member(A, a), member(A, b)])
    made.push(3, [member(C, a)])
    return made


TEXT = """\
contradictions as seen at 2026-03-01T10:02:00+00:00, from 2026-03-01T10:00:00+00:00 on

entity  assertions  cut  won  conflicts  disputes                  last kept  that long ago
sensor           5    3    1          4         2  2026-03-01T10:00:00+00:00        0:02:00
silent           1    1    0          1         1                      never
and 1 entity without a conflict

0 properties and classes without a conflict

constraint     assertions  cut  won  conflicts  disputes                  last kept  that long ago
Disjoint(A B)           8    4    4          4         0  2026-03-01T10:00:00+00:00        0:02:00"""


def test_the_text_is_three_tables_with_what_is_in_conflict():
    assert str(FOUND) == TEXT


def test_before_the_first_abox_there_is_nothing_to_tell():
    quality = StreamReasoner(ONTOLOGY, Window(2)).quality()
    assert str(quality) == "no ABox has come so far"
    assert (len(quality.to_arrow()), len(quality.to_rdf())) == (0, 0)


def test_the_table_has_times_and_durations_of_the_streams_kind(reasoner):
    table = FOUND.to_arrow()
    assert table.column_names == [
        "kind", "about", "assertions", "cut", "won", "conflicts", "disputes", "last_kept", "since"
    ]  # fmt: skip
    assert table.schema.field("last_kept").type == pa.timestamp("us", "UTC")
    assert table.column("kind").to_pylist() == ["entity"] * 3 + ["constraint"]
    assert table.column("about").to_pylist()[0] == EX.sensor.n3()
    assert table.column("since").to_pylist()[:2] == [timedelta(minutes=2), None]
    assert reasoner.quality().to_arrow().schema.field("since").type == pa.int64()


def test_in_the_graph_a_row_stands_on_its_entity():
    graph = FOUND.to_rdf()
    assert graph.value(EX.sensor, QUALITY.cut) == Literal(3)
    assert graph.value(EX.sensor, RDF.type) == QUALITY.Entity
    assert graph.value(EX.sensor, QUALITY.since).toPython() == 120
    assert graph.value(EX.silent, QUALITY.lastKept) is None
    (row,) = graph.subjects(RDF.type, QUALITY.Constraint)
    assert isinstance(row, BNode)
    assert graph.value(row, QUALITY.about) == Literal(BY_AXIOM.about)


def test_who_looks_through_all_graphs_does_not_meet_it(reasoner):
    assert not reasoner.query(f"ASK {{ GRAPH ?g {{ ?x a <{QUALITY.Entity}> }} }}").askAnswer
    assert QUALITY.Entity not in set(reasoner.dataset.objects())


def test_queries_see_it_as_a_named_graph_that_is_always_that_of_now(reasoner):
    quality = "GRAPH <urn:pantarhei:quality> { ?x <urn:pantarhei:quality#cut> 1 }"
    text = f"ASK {{ {quality} ?x a <{C}> }}"
    assert reasoner.query(text).askAnswer
    name = URIRef("urn:pantarhei:quality")
    assert set(reasoner.dataset.graph(name)) == set(reasoner.quality().to_rdf())
    assert len(reasoner.query(f"SELECT ?x FROM <{name}> {{ ?x a <{QUALITY.Entity}> }}")) == 2
    reasoner.advance(6)
    assert not reasoner.query(text).askAnswer


@pytest.mark.parametrize(
    "pattern",
    [
        "{ GRAPH <urn:pantarhei:quality> { ?x ?p ?y } }",
        "FROM <urn:pantarhei:quality> { ?x ?p ?y }",
        "FROM NAMED <urn:pantarhei:quality> { GRAPH ?g { ?x ?p ?y } }",
    ],
)
def test_it_cannot_be_followed(reasoner, pattern):
    with pytest.raises(QueryError, match="cannot be followed: ask it with `query`"):
        reasoner.register(f"SELECT ?x {pattern}")


def test_a_graph_without_time_has_none():
    graph = DynamicGraph(ONTOLOGY)
    assert not graph.query("ASK { GRAPH <urn:pantarhei:quality> { ?x ?p ?y } }").askAnswer
