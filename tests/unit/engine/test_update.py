"""What a step did, translated when somebody looks."""

import pickle

import pytest
from rdflib import URIRef

from pantarhei.engine.update import NO_DELTA, TripleDelta, WindowUpdate
from pantarhei.errors import DeltaNotKeptError
from pantarhei.model.term import Delta
from pantarhei.repair.result import Repair


def triple(name):
    return (URIRef("urn:" + name), URIRef("urn:p"), URIRef("urn:o"))


def test_a_delta_of_triples_is_made_once_when_looked_at():
    made = []

    def make():
        made.append(1)
        return Delta.of([(triple("a"), 1), (triple("b"), -1), (triple("c"), 1), (triple("c"), -1)])

    delta = TripleDelta(make)
    assert not made
    assert delta.added == {triple("a")} and delta.removed == {triple("b")}
    assert repr(delta) == "TripleDelta(+1 -1)"
    assert made == [1]


def test_a_delta_of_triples_pickles_unlooked_at():
    added = pickle.dumps(TripleDelta(lambda: Delta.of([(triple("a"), 1)])))
    assert pickle.loads(added).added == {triple("a")}
    assert pickle.loads(pickle.dumps(TripleDelta(lambda: Delta.of([(triple("a"), -1)])))).removed == {
        triple("a")
    }


def test_an_update_is_a_line_to_read():
    delta = TripleDelta(lambda: Delta.of([(triple("a"), 1)]))
    update = WindowUpdate(4, 2, 4, (0, 1), Repair(4, "exact"), delta)
    assert str(update) == (
        "at 4: window 2 to 4, 2 timestamps left, +1 -0 facts, 0 conflicts, 0 assertions removed"
    )


def test_a_delta_that_is_not_kept_says_so_when_it_is_looked_at_and_nowhere_else():
    update = WindowUpdate(4, 2, 4, (0, 1), Repair(4, "exact"), NO_DELTA)
    assert "facts not counted" in str(update) and repr(NO_DELTA) == "TripleDelta(facts not counted)"
    back = pickle.loads(pickle.dumps(update))
    assert back.delta == NO_DELTA and back.delta != TripleDelta(lambda: Delta.of([]))
    for look in (lambda: back.delta.added, lambda: update.delta.removed):
        with pytest.raises(DeltaNotKeptError, match="register a query"):
            look()
