"""Each read of a reasoner, a graph, a registered query or an update sees one state while steps are taken.

At each time the window has `EACH` facts of each of its timestamps, in names that no other timestamp has; so a
read of two states shows. Terms are renumbered every few steps.
"""

from __future__ import annotations

import copy
import pickle
import threading
from collections import Counter

import pytest
from rdflib import RDF, Dataset, Graph, Literal, Namespace
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import pantarhei as pr
from counts import cases
from pantarhei.engine import memory
from threads import quick_switches, run, while_working

EX = Namespace("http://example.org/")
RANGE, EACH = 3, 5
DEFAULT = (None, DATASET_DEFAULT_GRAPH_ID)
STEPS = cases(40, 80, long=400)
ONTOLOGY = """
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :p rdfs:range :Value . :Open owl:disjointWith :Closed .
"""
RULES = """
    @prefix : <http://example.org/> .
    :seen(X, Y) :- :p(X, Y).
"""
PAIRS = "SELECT ?x ?y { ?x <http://example.org/p> ?y }"
COUNTS = "SELECT ?x (COUNT(*) AS ?n) { ?x <http://example.org/p> ?y } GROUP BY ?x ORDER BY ?n"

pytestmark = [
    pytest.mark.usefixtures("quiet"),
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # rdflib's own
]


@pytest.fixture(autouse=True)
def _few_terms(monkeypatch):
    monkeypatch.setattr(memory, "MIN_GROWTH", 16)
    with quick_switches():
        yield


def abox(at):
    facts = [(EX[f"x{at}-{i}"], EX.p, Literal(at * EACH + i)) for i in range(EACH)]
    return [*facts, (EX.valve, RDF.type, EX.Open if at % 2 else EX.Closed)]


def whole(names):
    """Assert that the names are those of one state."""
    times = Counter(int(str(name).removeprefix(f"{EX}x").partition("-")[0]) for name in names)
    assert len(times) == RANGE + 1 and set(times.values()) == {EACH}, times
    assert max(times) - min(times) == RANGE


def of_pairs(triples):
    whole(s for s, p, _ in triples if p == EX.p)


def stream_reasoner(**options):
    reasoner = pr.StreamReasoner(
        pr.load_ontology(Graph().parse(data=ONTOLOGY)),
        pr.Window(RANGE),
        [(EX.always, EX.q, Literal("here"))],
        temporal=pr.load_rules(RULES),
        **options,
    )
    for at in range(RANGE + 1):
        reasoner.push(at, abox(at))
    return reasoner


def pushes(reasoner, take=lambda update: None):
    for at in range(RANGE + 1, RANGE + 1 + STEPS):
        take(reasoner.push(at, abox(at)))


def looped(answers):
    found = {}
    for row in answers:
        found[row] = answers[row]
    return found


ANSWERS = {
    "dict": dict,
    "unpacked": lambda answers: {**answers},
    "Counter": Counter,
    "copy": lambda answers: answers.copy(),
    "copied": copy.copy,
    "pickled": lambda answers: pickle.loads(pickle.dumps(answers)),
    "items": lambda answers: dict(list(answers.items())),
    "keys": lambda answers: dict.fromkeys(answers.keys(), 1),
    "set": lambda answers: dict.fromkeys(set(answers), 1),
    "sorted": lambda answers: dict.fromkeys(sorted(answers, key=answers.get), 1),
    "by item": lambda answers: dict.fromkeys(sorted(answers, key=answers.__getitem__), 1),
    "loop": looped,
}


@pytest.mark.parametrize("read", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("text", [PAIRS, COUNTS], ids=["pairs", "counts"])
def test_a_read_of_answers_is_of_one_state(read, text):
    reasoner = stream_reasoner()
    query = reasoner.register(text)
    held = query.answers

    def look():
        for answers in (held, query.answers):
            found = read(answers)
            whole(row[0] for row in found)
            assert set(found.values()) == {1}

    assert while_working(lambda: pushes(reasoner), look, look) == []


def test_answers_that_are_held_stay_live_for_their_thread():
    reasoner = stream_reasoner()
    answers = reasoner.register(PAIRS).answers
    for row in answers:
        last = row
    begun = iter(answers)
    first = next(begun)
    taken = dict(answers)
    reasoner.advance(RANGE + 2)  # the rows of the oldest two timestamps go
    assert first in taken and first not in dict(answers) and len(answers) == len(taken) - 2 * EACH
    assert len(list(begun)) == len(taken) - 1
    reasoner.advance(20)
    assert last not in answers and answers.get(last) is None and dict(answers) == {}


def called(function, *arguments):
    return function(*arguments)


@pytest.mark.parametrize("read", [dict, Counter, lambda answers: sorted(answers, key=answers.get)])
def test_answers_are_live_to_an_instruction_that_reads_twice(read):
    """As a pool's worker does, which calls every function at one place."""
    reasoner = stream_reasoner()
    answers = reasoner.register(PAIRS).answers
    rows = list(called(read, answers))
    reasoner.advance(20)
    for row in rows:
        assert called(answers.get, row) is None
        with pytest.raises(KeyError):
            called(answers.__getitem__, row)


READS = {
    "materialization": lambda r: of_pairs(r.materialization()),
    "graph": lambda r: of_pairs(set(r.graph)),
    "pattern": lambda r: of_pairs(list(r.graph.triples((None, EX.p, None)))),
    "graph by query": lambda r: whole(row.x for row in r.graph.query(PAIRS)),
    "turtle": lambda r: of_pairs(Graph().parse(data=r.graph.serialize(format="turtle"))),
    "copied": lambda r: of_pairs(Graph() + r.graph),
    "dataset": lambda r: of_pairs(
        [q[:3] for q in r.dataset.quads((None, None, None, None)) if q[3] in DEFAULT]
    ),
    "trig": lambda r: of_pairs(
        Dataset().parse(data=r.dataset.serialize(format="trig"), format="trig").default_graph
    ),
    "rows": lambda r: whole(x for x, _ in r.query(PAIRS).rows),
    "table": lambda r: whole(r.query(PAIRS).to_pandas().x),
    "constructed": lambda r: of_pairs(r.query("CONSTRUCT { ?x ?p ?y } { ?x ?p ?y }").graph),
    "conclusions graph": lambda r: whole(
        s for s, _, _ in r.dataset.graph("urn:pantarhei:conclusions").triples((None, None, None))
    ),
    "assertions": lambda r: of_pairs(triple for _, triple in r.assertions()),
    "timestamps": lambda r: len(r.timestamps) == RANGE + 1 or pytest.fail("timestamps"),
    "conclusions": lambda r: whole(s for s, _, _ in r.conclusions()),
    "atoms": lambda r: whole(atom.arguments[0] for atom in r.atoms()),
    "background": lambda r: r.background == {(EX.always, EX.q, Literal("here"))} or pytest.fail("other"),
    "stats": lambda r: r.stats().assertions == (RANGE + 1) * (EACH + 1) or pytest.fail("stats"),
    "repairs": lambda r: [(list(each.conflicts), each.removed, str(each)) for each in r.repairs],
    "quality": lambda r: str(r.quality()),
    "unexpected": lambda r: str(r.unexpected()),
    "conflicts": lambda r: list(r.conflicts()),
    "why": lambda r: str(r.explain((EX.always, EX.q, Literal("here")))),
    "why not": lambda r: str(r.why_not((EX.valve, EX.p, Literal("no")), limit=1)),
    "snapshot": lambda r: of_pairs(pr.StreamReasoner.restore(r.snapshot(), r.ontology).materialization()),
    "texts": lambda r: (repr(r), dict(r.queries), r.next_turn, r.work, repr(r.graph)),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_read_of_a_reasoner_is_of_one_state(read):
    reasoner = stream_reasoner()
    assert while_working(lambda: pushes(reasoner), lambda: read(reasoner)) == []


def told(update):
    """All parts of an update, made now."""
    query = next(iter(update.answers), None)
    change = None if query is None else update.answers[query]
    return (
        (update.delta.added, update.delta.removed),
        None if change is None else (change.added, change.removed, tuple(map(tuple, change.reports))),
        (update.conclusions.added, update.conclusions.atoms_removed, update.conclusions.turns),
        update.repair.removed,
        [(each.assertions, each.proofs) for each in update.repair.conflicts],
        str(update),
    )


def test_updates_are_read_while_later_steps_are_taken():
    """Each is the same as when it is read at once."""
    expected, updates, reasoners = [], [], [stream_reasoner() for _ in range(2)]
    for reasoner in reasoners:
        reasoner.register(COUNTS, "counts", window=pr.Window(RANGE, 1), on="close", emit="rstream")
    pushes(reasoners[0], lambda update: expected.append(told(update)))
    seen = threading.local()

    def look():
        place = seen.place = (getattr(seen, "place", -1) + 1) % max(1, len(updates))
        if updates:
            assert told(updates[place]) == expected[place]

    assert while_working(lambda: pushes(reasoners[1], updates.append), look, look) == []
    assert list(map(told, updates)) == expected


def test_results_are_decoded_after_terms_were_renumbered():
    reasoner = stream_reasoner()
    results = [reasoner.query(PAIRS) for _ in range(4)]
    expected = set(reasoner.query(PAIRS).rows)
    pushes(reasoner)
    assert set(map(tuple, results[0])) == expected
    assert {(binding["x"], binding["y"]) for binding in map(dict, _named(results[1]))} == expected
    assert run([lambda: results[2].rows, lambda: results[2].rows, lambda: results[2].to_arrow()]) == []
    assert set(results[2].rows) == set(pickle.loads(pickle.dumps(results[3])).rows) == expected


def _named(result):
    return ({str(name): term for name, term in each.items()} for each in result.bindings)


def test_followers_come_and_go_while_steps_are_taken():
    reasoner = stream_reasoner()
    query, heard = reasoner.register(PAIRS), []
    query.subscribe(lambda change: heard.append(len(change.added)))

    def come_and_go():
        forget = [query.subscribe(lambda change: None) for _ in range(20)]
        other = reasoner.register(COUNTS)
        assert len(dict(other.answers)) == (RANGE + 1) * EACH
        other.close()
        whole(x for x, _ in dict(other.answers))
        for each in forget:
            each()
        assert query.failures == 0 and query.has_followers and str(query) and query.plan() and query.stats()

    assert while_working(lambda: pushes(reasoner), come_and_go, come_and_go) == []
    assert heard == [EACH] * STEPS


def test_a_query_is_closed_while_it_is_read():
    reasoner = stream_reasoner()
    for _ in range(10):
        query = reasoner.register(PAIRS)

        def close(query=query):
            query.close()
            pushes_on(reasoner)

        def look(query=query):
            whole(x for x, _ in query.answers.copy())
            assert len(query.answers) == (RANGE + 1) * EACH

        assert while_working(close, look, look) == []


def pushes_on(reasoner, steps=6):
    now = reasoner.timestamps[-1]
    for at in range(now + 1, now + 1 + steps):
        reasoner.push(at, abox(at))


@pytest.mark.parametrize(
    "read",
    [
        lambda g: of_pairs(g.materialization()),
        lambda g: of_pairs(g.graph),
        lambda g: of_pairs(g.assertions()),
        lambda g: whole(x for x, _ in g.queries["pairs"].answers.copy()),
        lambda g: whole(x for x, _ in dict(g.queries["pairs"].answers)),
        lambda g: of_pairs(Graph().parse(data=g.graph.serialize(format="turtle"))),
        lambda g: (len(g), g.stats(), repr(g), list(g.conflicts())),
    ],
)
def test_a_read_of_a_graph_without_time_is_of_one_state(read):
    graph = pr.DynamicGraph(pr.load_ontology(Graph().parse(data=ONTOLOGY)))
    graph.register(PAIRS, name="pairs")
    graph.change(insert=[fact for at in range(RANGE + 1) for fact in abox(at)[:EACH]])

    def change():
        for at in range(RANGE + 1, RANGE + 1 + STEPS):
            graph.change(insert=abox(at)[:EACH], delete=abox(at - RANGE - 1)[:EACH])

    assert while_working(change, lambda: read(graph)) == []


@pytest.mark.parametrize(
    "windows",
    [
        "FROM STREAM <urn:s> [RANGE 4 STEP 1]",
        "FROM STREAM <urn:s> [ELEMENTS 4 STEP 1]",
        "FROM STREAM <urn:s> [RANGE 4 STEP 1] FROM STREAM <urn:t> [RANGE 4 STEP 1]",
    ],
    ids=["views", "counted", "anew"],
)
def test_a_text_is_read_while_its_streams_go_by(windows):
    streams = {"urn:s": ((at, abox(at)[:EACH]) for at in range(STEPS // 2))}
    if "urn:t" in windows:
        streams["urn:t"] = [(0, [])]
    text = f"REGISTER STREAM <urn:q> AS SELECT ?x ?y {windows} {{ ?x <{EX.p}> ?y }}"
    query = pr.register(text, streams=streams)

    def look():
        found = dict(query.answers)
        times = {str(x).partition("-")[0] for x, _ in found}
        assert len(found) == EACH * len(times) and len(times) <= 4
        assert query.stats() and query.plan() and repr(query) and len(query.answers) >= 0

    assert while_working(lambda: list(query.run()), look, look) == []


@pytest.mark.parametrize("read", ["graph", "dataset", "answers", "items", "rows", "delta", "conflicts"])
def test_a_step_in_the_midst_of_an_iteration_changes_nothing_of_it(read):
    """The steps renumber all terms."""
    reasoner = stream_reasoner()
    query = reasoner.register(PAIRS)
    update = reasoner.push(RANGE + 1, abox(RANGE + 1))
    iterations = {
        "graph": lambda: iter(reasoner.graph),
        "dataset": lambda: reasoner.dataset.quads(),
        "answers": lambda: iter(query.answers),
        "items": lambda: iter(query.answers.items()),
        "rows": lambda: iter(reasoner.query(PAIRS)),
        "delta": lambda: iter(update.delta.added),
        "conflicts": lambda: iter(update.repair.conflicts),
    }
    expected = list(iterations[read]())
    begun = iterations[read]()
    first = next(begun)
    pushes(reasoner)
    assert sorted(map(str, [first, *begun])) == sorted(map(str, expected))
