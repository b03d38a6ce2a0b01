"""A snapshot is of one state, whatever other threads do while it is encoded; and they do not wait for it."""

import random
import sys
import threading

import pytest
from rdflib import XSD, Literal

import pantarhei.engine.checkpoint.saved_state as state_module
from counts import seeds
from pantarhei import History, Ontology, StreamReasoner, Window, load_rules
from pantarhei.engine.checkpoint import Pacer
from pantarhei.model.rule import Different, Rule
from strategies import EX, is_a, related, x, y, z

FUNCTIONAL = Rule("prp-fp", (related(EX.v, x, y), related(EX.v, x, z)), None, (Different(y, z),))
SUBCLASS = Rule("cax-sco", (is_a(EX.A, x),), is_a(EX.B, x))
ONTOLOGY = Ontology.from_rules([FUNCTIONAL, SUBCLASS])
RULES = "high(X) :- v(X, V), V > 5.\nremember high.\nwas(X) :- high(X) in [4]."
PATIENCE = 60


@pytest.fixture
def meanwhile(monkeypatch):
    """Encode a snapshot, and do something else in the midst of it: the snapshot and what that gave."""

    def encoded(reasoner, work):
        begun, done, found = threading.Event(), threading.Event(), []
        first = state_module.TimesWriter  # that encoding begins with

        def slow(*arguments):
            begun.set()
            assert done.wait(PATIENCE), "what others do waits for the encoding"
            return first(*arguments)

        monkeypatch.setattr(state_module, "TimesWriter", slow)
        encoding = threading.Thread(target=lambda: found.append(reasoner.snapshot({"of": "one state"})))
        encoding.start()
        assert begun.wait(PATIENCE)
        monkeypatch.setattr(state_module, "TimesWriter", first)
        try:
            gave = work()
        finally:
            done.set()
            encoding.join()
        return found[0], gave

    return encoded


def abox(rng):
    """Facts that contradict one another, terms that are forgotten again, literals in several forms."""
    triples = [(EX[f"n{rng.randrange(10**6)}"], EX.p, Literal(rng.randrange(10**6))) for _ in range(3)]
    for _ in range(rng.randrange(4)):
        form = rng.choice(("7", "07", "8", "007", "3"))
        value = Literal(form, datatype=XSD.integer, normalize=False)
        triples.append((EX[f"s{rng.randrange(3)}"], EX.v, value))
    return triples


def drawn(seed):
    rng = random.Random(seed)
    rules = load_rules(RULES, prefixes={"": str(EX)}, feedback=rng.random() < 0.3)
    reasoner = StreamReasoner(ONTOLOGY, Window(rng.choice((3, 10))), temporal=rng.choice((None, rules)))
    reasoner.register("SELECT ?s ?v { ?s <http://example.org/v> ?v }", "all")
    reasoner.register(
        "SELECT (COUNT(*) AS ?n) { ?s ?p ?v }", "closing", window=Window(2, 2, closed="right"), on="close"
    )
    return rng, reasoner


@pytest.mark.parametrize("seed", seeds(6, 100, 2000))
def test_a_snapshot_is_that_of_the_moment_at_which_it_was_asked_for(meanwhile, seed):
    rng, reasoner = drawn(seed)
    at = 0
    for _ in range(rng.randrange(1, 12)):
        at += rng.randrange(3)
        reasoner.push(at, abox(rng))
    if rng.random() < 0.5:  # something waits
        list(zip(range(2), reasoner.run([(at + 3, abox(rng)), (at + 1, abox(rng))], 9), strict=False))
        at = max(at + 3, max(reasoner.timestamps))
    before = reasoner.snapshot({"of": "one state"})

    def work():
        now = at
        for _ in range(rng.randrange(1, 60)):  # terms are forgotten, windows slide, queries report
            now += rng.randrange(1, 3)
            reasoner.push(now, abox(rng))
        return reasoner.stats().pushes

    found, pushes = meanwhile(reasoner, work)
    assert found == before
    assert StreamReasoner.restore(found, ONTOLOGY).stats().pushes < pushes
    reasoner._held.model.kernel.check_invariants()


def test_a_push_and_a_query_go_ahead_while_a_snapshot_is_encoded(meanwhile):
    reasoner = StreamReasoner(ONTOLOGY, Window(100))
    reasoner.push(1, [(EX.a, EX.v, Literal(1))])
    query = "SELECT ?v { ?s <http://example.org/v> ?v }"
    found, rows = meanwhile(
        reasoner, lambda: (reasoner.push(2, [(EX.a, EX.v, Literal(2))]), reasoner.query(query))[1]
    )
    assert [int(v) for (v,) in rows] == [2]
    assert StreamReasoner.restore(found, ONTOLOGY).timestamps == (1,)


def test_two_snapshots_at_once_are_both_right(meanwhile):
    reasoner = StreamReasoner(ONTOLOGY, Window(100))
    for at in range(20):
        reasoner.push(at, [(EX.a, EX.v, Literal(at))])
    before, after = reasoner.snapshot({"of": "one state"}), []
    other = threading.Thread(target=lambda: after.append(reasoner.snapshot()))

    def work():
        reasoner.push(20, [(EX.a, EX.v, Literal(20))])
        other.start()

    found, _ = meanwhile(reasoner, work)
    other.join()
    assert found == before
    assert len(StreamReasoner.restore(after[0], ONTOLOGY).repairs) == 20


def test_a_snapshot_inside_a_block_does_not_wait_for_another_thread(meanwhile):
    reasoner = StreamReasoner(ONTOLOGY, Window(100))
    reasoner.push(1, [(EX.a, EX.v, Literal(1))])

    def work():
        with reasoner.all_or_nothing():
            reasoner.push(2, [])

    found, _ = meanwhile(reasoner, work)
    assert StreamReasoner.restore(found, ONTOLOGY).timestamps == (1,)


@pytest.mark.parametrize("seed", seeds(1, 10))
def test_snapshots_of_a_running_stream_are_those_of_its_steps(seed):
    rng = random.Random(seed)
    aboxes = [(at, abox(rng)) for at in range(150)]
    _, steady = drawn(seed)
    of_steps = {0: steady.snapshot()}
    for at, triples in aboxes:
        steady.push(at, triples)
        of_steps[at + 1] = steady.snapshot()
    _, running = drawn(seed)
    taken, ended = [], threading.Event()

    def saving():
        while not ended.is_set():
            taken.append(running.snapshot())

    thread = threading.Thread(target=saving)
    thread.start()
    for at, triples in aboxes:
        running.push(at, triples)
    ended.set()
    thread.join()
    assert len(taken) > 1
    assert set(taken) <= set(of_steps.values())


def new_terms(at):
    return [(EX[f"n{at}"], EX.p, Literal(at))]


def contradictions(at):
    return [(EX[f"s{at % 3}"], EX.v, Literal(at))]


def forms(at):
    return [(EX[f"n{at}"], EX.v, Literal("7" if at % 2 else "07", datatype=XSD.integer, normalize=False))]


def longest_piece(aboxes, content, window, history, rules=None):
    """Number of calls between two pauses of an encoding, at most."""
    reasoner = StreamReasoner(ONTOLOGY, Window(window), history=history, temporal=rules)
    if rules is not None:
        reasoner.register("SELECT ?s ?v { ?s ?p ?v }", "all", emit="rstream")
    for at in range(aboxes):
        reasoner.push(at, content(at))
    if history is not None:
        reasoner = StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    calls = [0]
    encode = reasoner._captured(Pacer(lambda: calls.append(0)))
    first = encode({})
    calls[:] = [0]

    def count(frame, event, argument):
        calls[-1] += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        again = encode({})
    finally:
        sys.setprofile(None)
    assert first == again == reasoner.snapshot()
    return max(calls)


@pytest.mark.parametrize("content", [new_terms, contradictions, forms])
@pytest.mark.parametrize(("window", "history"), [(10_000, None), (10, History(steps=10_000))])
def test_an_encoding_pauses_after_the_same_work_in_a_large_window(content, window, history):
    small, large = (longest_piece(aboxes, content, window, history) for aboxes in (100, 300))
    assert large <= small + 16


def test_an_encoding_of_rules_and_queries_pauses_after_the_same_work_in_a_large_window():
    rules = load_rules("known(X) :- p(X, V) in [10000].", prefixes={"": str(EX)})
    small, large = (longest_piece(aboxes, new_terms, 10_000, None, rules) for aboxes in (300, 600))
    assert large <= small + 16
