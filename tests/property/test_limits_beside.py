"""What temporal rules conclude and registered queries answer counts against the limit of bytes."""

import pickle
import random

import pytest
from rdflib import RDF, Graph, Namespace

import pantarhei as pr
from counts import seeds, some

EX = Namespace("http://e/")
NO_AXIOMS = pr.load_ontology(Graph())
CAP = 700_000
RULES = {
    "events": "pair(X, Y) :- asserted b(X) in [3], asserted b(Y) in [3].",
    "states": "pair(X, Y) :- b(X), b(Y).",
    "remembered": "remember pair.\npair(X, Y) :- asserted b(X), asserted b(Y). late(X) :- pair(X, Y) in [2].",
    "fed back": "pair(X, Y) :- asserted b(X), asserted b(Y).",
}
PAIRS = "SELECT ?x ?y { ?x a <http://e/b> . ?y a <http://e/b> }"


def reasoner(kind, **limits):
    window, rules = pr.Window(range=2), RULES.get(kind)
    if rules is not None:
        rules = pr.load_rules(rules + "\n", prefixes={"": str(EX)}, feedback=kind == "fed back")
    made = pr.StreamReasoner(NO_AXIOMS, window, temporal=rules, **limits)
    if kind == "query":
        made.register(PAIRS, name="pairs")
    return made


def everything(tested):
    answers = tested.queries["pairs"].answers if "pairs" in tested.queries else ()
    return tested.atoms(), set(answers), tested.materialization(), tested.timestamps


def aboxes(rnd):
    """Small ABoxes, and now and then one whose pairs take more than the limit."""
    at = 0
    for _ in range(25):
        at += rnd.choice((1, 1, 2, 5))
        count = rnd.choice((0, 5, 20, 40, 60, 90, 200))
        yield at, [(EX[f"x{rnd.randrange(300)}"], RDF.type, EX.b) for _ in range(count)]


@pytest.mark.parametrize("on_limit", ["error", "drop"])
@pytest.mark.parametrize("kind", some([*RULES, "query"], ["states", "query"]))
@pytest.mark.parametrize("seed", seeds(1, 4))
def test_a_push_that_would_leave_more_is_refused_and_it_goes_on(kind, on_limit, seed):
    rnd, refused, at = random.Random(seed), 0, 0
    limited, free = reasoner(kind, max_bytes=CAP, on_limit=on_limit), reasoner(kind)
    for at, facts in aboxes(rnd):
        before = everything(limited)
        try:
            limited.push(at, facts)
        except pr.MemoryLimitError as error:
            assert error.limit == "max_bytes" and error.needed > CAP
            assert pickle.loads(pickle.dumps(error)).beside == error.beside
            assert everything(limited) == before
            refused += 1
        else:
            free.push(at, facts)
            assert limited.stats().bytes <= CAP
            if on_limit == "error":
                assert everything(limited) == everything(free)
    assert refused
    if kind == "fed back":
        return  # what is concluded has to be asserted, though it is too much
    limited.push(at + 10, [])
    limited.push(at + 20, [])
    assert limited.stats().consumer_bytes < CAP // 3
    limited.push(at + 30, [(EX.x, RDF.type, EX.b)])
    assert (EX.x, RDF.type, EX.b) in limited.graph


@pytest.mark.parametrize("kind", ["events", "query"])
def test_a_block_of_steps_that_would_leave_more_is_refused_whole(kind):
    limited = reasoner(kind, max_bytes=CAP)
    limited.push(0, [(EX.x, RDF.type, EX.b)])
    before = everything(limited)
    with (
        pytest.raises(pr.MemoryLimitError, match="for temporal rules and registered queries"),
        limited.all_or_nothing(),
    ):
        for at in range(1, 4):
            limited.push(at, [(EX[f"x{at}-{i}"], RDF.type, EX.b) for i in range(60)])
    assert everything(limited) == before
    limited.push(1, [(EX.y, RDF.type, EX.b)])


def test_time_alone_is_refused_where_what_it_concludes_is_too_much():
    rules = pr.load_rules(
        "pair(X, Y) :- was(X), was(Y).\nwas(X) :- asserted b(X) in [5], not asserted b(X) in [1].",
        prefixes={"": str(EX)},
    )
    limited = pr.StreamReasoner(NO_AXIOMS, pr.Window(range=0), temporal=rules, max_bytes=CAP)
    limited.push(0, [(EX[f"x{i}"], RDF.type, EX.b) for i in range(150)])
    before = everything(limited)
    for step in (limited.advance, lambda at: limited.push(at, [])):
        with pytest.raises(pr.MemoryLimitError):
            step(2)
        assert everything(limited) == before
    limited.advance(1)


def test_what_is_concluded_no_more_makes_room_for_what_comes():
    limited = reasoner("events", max_bytes=CAP)
    limited.push(0, [(EX[f"x{i}"], RDF.type, EX.b) for i in range(60)])
    assert limited.stats().consumer_bytes > CAP // 3
    many = [(EX[f"y{i}"], RDF.type, EX.other) for i in range(2_000)]
    with pytest.raises(pr.MemoryLimitError):
        limited.push(1, many)
    limited.push(9, many)
    assert limited.stats().consumer_bytes < CAP // 3
