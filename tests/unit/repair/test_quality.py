"""The quality of a stream as text, as a table and as a graph."""

import json
import random
import runpy
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pytest
from rdflib import RDF, BNode, Graph, Literal, URIRef

import pantarhei as pr
from pantarhei import DynamicGraph, History, Ontology, QueryError, StreamReasoner, Window
from pantarhei.model.rule import Rule
from pantarhei.repair.quality import QUALITY, Quality, QualityRow
from strategies import EX, A, B, C, a, b, c, is_a, member, x
from worlds import World, canonical

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
contradictions from 2026-03-01T10:00:00+00:00 to 2026-03-01T10:02:00+00:00

entity  assertions  cut  won  conflicts  disputes                  last kept      age
sensor           5    3    1          4         2  2026-03-01T10:00:00+00:00  0:02:00
silent           1    1    0          1         1                      never
and 1 entity without a conflict

0 properties and classes without a conflict

constraint     assertions  cut  won  conflicts  disputes                  last kept      age
Disjoint(A B)           8    4    4          4         0  2026-03-01T10:00:00+00:00  0:02:00"""


def test_the_text_is_three_tables_with_what_is_in_conflict():
    assert str(FOUND) == TEXT


def test_before_the_first_abox_there_is_nothing_to_tell():
    quality = StreamReasoner(ONTOLOGY, Window(2)).quality()
    assert str(quality) == "no ABox has arrived so far"
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


def test_json_has_the_columns_of_the_table_with_texts_and_seconds():
    found = FOUND.to_json()
    assert list(found["rows"][0]) == FOUND.to_arrow().column_names
    assert [(row["kind"], row["last_kept"], row["since"]) for row in found["rows"][:2]] == [
        ("entity", "2026-03-01T10:00:00+00:00", 120),
        ("entity", None, None),
    ]
    assert json.loads(json.dumps(found)) == found


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
    with pytest.raises(
        QueryError, match=r"a registered query cannot read .* evaluate this query after a step by `query`"
    ):
        reasoner.register(f"SELECT ?x {pattern}")


def test_a_graph_without_time_has_none():
    graph = DynamicGraph(ONTOLOGY)
    assert not graph.query("ASK { GRAPH <urn:pantarhei:quality> { ?x ?p ?y } }").askAnswer


ROOT = Path(__file__).parents[3]
SUBCLASS = Rule("cax-sco", (is_a(A, x),), is_a(B, x))
COUNTED_ONTOLOGY = Ontology.from_rules([SUBCLASS, DISJOINT])


def rows_of(rows):
    return {row.about: row for row in rows}


@pytest.fixture
def counted_reasoner():
    """`a` is cut at 3 and comes again at 5; `b` is quiet."""
    made = StreamReasoner(COUNTED_ONTOLOGY, Window(2))
    made.push(1, [member(A, a), member(A, b)])
    made.push(2, [member(A, a)])
    made.push(3, [member(C, a)])
    made.push(5, [member(A, a)])
    made.advance(8)
    return made


def test_entities_are_counted_with_what_was_cut_and_kept(counted_reasoner):
    found = rows_of(counted_reasoner.quality().entities)
    # at 3 A at 2 (and at 1, the same fact) goes for C; at 5 that goes for A
    assert found[a] == QualityRow(a, 4, 3, 2, 2, 0, 5, 3)
    assert found[b] == QualityRow(b, 1, 0, 0, 0, 0, 1, 7)


def test_properties_and_classes_are_counted_likewise(counted_reasoner):
    found = rows_of(counted_reasoner.quality().properties)
    assert found[A] == QualityRow(A, 4, 2, 1, 2, 2, 5, 3)
    assert found[C] == QualityRow(C, 1, 1, 1, 2, 2, None, None)


def test_constraints_are_counted_by_the_members_of_their_conflicts(counted_reasoner):
    (row,) = counted_reasoner.quality().constraints
    assert row == QualityRow(str(DISJOINT), 3, 2, 2, 2, 0, 5, 3)


def test_who_is_worst_comes_first(counted_reasoner):
    assert [row.about for row in counted_reasoner.quality().entities] == [a, b]


def test_without_a_history_the_window_alone_counts():
    made = StreamReasoner(COUNTED_ONTOLOGY, Window(2), history=History(steps=0))
    for at in range(5):
        made.push(at, [member(A, a)])
    quality = made.quality()
    assert (quality.known_from, rows_of(quality.entities)[a].assertions) == (2, 3)


def test_a_conflict_that_each_step_tells_of_counts_once():
    made = StreamReasoner(COUNTED_ONTOLOGY, Window(9), repair="off")
    made.push(1, [member(A, a)])
    for at in (2, 3, 4):
        made.push(at, [member(C, a)] if at == 2 else [member(A, c)])
    assert rows_of(made.quality().entities)[a] == QualityRow(a, 2, 0, 0, 1, 0, 2, 2)


@pytest.mark.parametrize("seed", range(4))
def test_counts_are_those_of_what_came_and_what_repairs_removed(seed):
    world, dice = World(seed, constraints=3), random.Random(seed)
    reasoner, came, removed, now = world.reasoner(Window(4)), set(), set(), 0
    for _ in range(40):
        now += dice.choice((1, 1, 2))
        facts = list(world.facts(5))
        came |= {(now, triple) for triple in canonical(facts)}
        removed |= {(at, *canonical([triple])) for at, triple in reasoner.push(now, facts).repair.removed}
    assert removed
    for row in reasoner.quality().entities:
        about = {one for one in came if one[1][0] == row.about}
        assert (row.assertions, row.cut) == (len(about), len(about & removed))
        assert row.last_kept == max((at for at, _ in about - removed), default=None)


def test_so_it_is_after_a_checkpoint(counted_reasoner):
    restored = StreamReasoner.restore(counted_reasoner.snapshot(), COUNTED_ONTOLOGY)
    assert restored.quality() == counted_reasoner.quality()


FAULTY = """
    PREFIX : <http://example.org/building#> PREFIX q: <urn:pantarhei:quality#>
    SELECT ?device ?disputes WHERE {
        GRAPH <urn:pantarhei:quality> { ?device a q:Entity ; q:disputes ?disputes }
        ?device :installedIn ?room
    } ORDER BY DESC(?disputes) LIMIT 1
"""


def test_a_device_that_is_stuck_is_found_in_the_buildings_stream():
    """A people counter says each minute that the room is empty where a motion sensor says otherwise."""
    generate = runpy.run_path(str(ROOT / "examples/building/generate.py"))["generate"]
    background, stream = generate(seed=7, readings=6_000, sensors=1_000, rooms=200)
    site, kinds = "http://example.org/building/", "http://example.org/building#"
    background = Graph().parse(data="\n".join(background), format="turtle")
    minutes = [(at, Graph().parse(data=on_lines(lines), format="nt")) for at, lines in islice(stream, 12)]
    active = [
        s for _, graph in minutes for s in graph.subjects(RDF.type, URIRef(kinds + "ActiveMotionSensor"))
    ]
    rooms = [background.value(device, URIRef(kinds + "installedIn")) for device in active]
    busiest = max(sorted(set(rooms)), key=rooms.count)
    stuck = URIRef(site + "counter-stuck")
    background.add((stuck, URIRef(kinds + "installedIn"), busiest))
    reasoner = StreamReasoner(pr.load_ontology(ROOT / "ontologies/building.ttl"), Window("PT5M"), background)
    for at, graph in minutes:
        reasoner.push(at, [*graph, (stuck, RDF.type, URIRef(kinds + "CounterAtZero"))])
    (found,) = reasoner.query(FAULTY)
    assert found[0] == stuck and found[1].toPython() >= 10
    assert reasoner.quality().entities[0].about == stuck


def on_lines(quads):
    """Lines of N-Quads as N-Triples."""
    return "\n".join(" ".join(line.split()[:3]) + " ." for line in quads)
