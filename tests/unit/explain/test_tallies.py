"""How assertions fared, counted in the window and before it."""

import random
import runpy
from itertools import islice
from pathlib import Path

import pytest
from rdflib import RDF, Graph, URIRef

import pantarhei as pr
from pantarhei import History, Ontology, StreamReasoner, Window
from pantarhei.explain.quality import QualityRow
from pantarhei.model.rule import Rule
from strategies import A, B, C, a, b, c, is_a, member, x
from worlds import World, canonical

ROOT = Path(__file__).parents[3]
SUBCLASS = Rule("cax-sco", (is_a(A, x),), is_a(B, x))
DISJOINT = Rule("cax-dw", (is_a(B, x), is_a(C, x)), None)
ONTOLOGY = Ontology.from_rules([SUBCLASS, DISJOINT])


def rows_of(rows):
    return {row.about: row for row in rows}


@pytest.fixture
def reasoner():
    """`a` is cut at 3 and comes again at 5; `b` is quiet."""
    made = StreamReasoner(ONTOLOGY, Window(2))
    made.push(1, [member(A, a), member(A, b)])
    made.push(2, [member(A, a)])
    made.push(3, [member(C, a)])
    made.push(5, [member(A, a)])
    made.advance(8)
    return made


def test_entities_are_counted_with_what_was_cut_and_kept(reasoner):
    found = rows_of(reasoner.quality().entities)
    # at 3 A at 2 (and at 1, the same fact) goes for C; at 5 that goes for A
    assert found[a] == QualityRow(a, 4, 3, 2, 2, 0, 5, 3)
    assert found[b] == QualityRow(b, 1, 0, 0, 0, 0, 1, 7)


def test_properties_and_classes_are_counted_likewise(reasoner):
    found = rows_of(reasoner.quality().properties)
    assert found[A] == QualityRow(A, 4, 2, 1, 2, 2, 5, 3)
    assert found[C] == QualityRow(C, 1, 1, 1, 2, 2, None, None)


def test_constraints_are_counted_by_the_members_of_their_conflicts(reasoner):
    (row,) = reasoner.quality().constraints
    assert row == QualityRow(str(DISJOINT), 3, 2, 2, 2, 0, 5, 3)


def test_who_is_worst_comes_first(reasoner):
    assert [row.about for row in reasoner.quality().entities] == [a, b]


def test_without_a_history_the_window_alone_counts():
    made = StreamReasoner(ONTOLOGY, Window(2), history=History(steps=0))
    for at in range(5):
        made.push(at, [member(A, a)])
    quality = made.quality()
    assert (quality.known_from, rows_of(quality.entities)[a].assertions) == (2, 3)


def test_a_conflict_that_each_step_tells_of_counts_once():
    made = StreamReasoner(ONTOLOGY, Window(9), repair="off")
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


def test_so_it_is_after_a_checkpoint(reasoner):
    restored = StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    assert restored.quality() == reasoner.quality()


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
