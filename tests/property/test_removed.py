"""Removed facts are found by links from ABox to ABox: those that a trace through the whole log finds."""

import random
from collections import Counter
from dataclasses import replace

import pytest

import pantarhei.engine.memory as compaction_module
from counts import of_many, seeds
from pantarhei import History, StreamReasoner, Window
from pantarhei.repair.result import Removal
from pantarhei.window.log import Entry, linked, trace
from repaired_streams import MOST_FACTS, stream, world

pytestmark = pytest.mark.timeout(120)
WORLDS, LENGTH = 4, 25
SEEN = Counter()


def by_trace(removal):
    """Where the removed facts were asserted and not cut before."""
    entries = [*removal.older, replace(removal.arriving, cut=removal.facts)]
    found = trace(entries, removal.facts)
    columns = zip(found.facts.tolist(), found.places.tolist(), found.cut_at.tolist(), strict=True)
    return {(entries[place].at, *fact) for fact, place, cut_at in columns if cut_at == len(entries) - 1}


def links(entries, first_level):
    """The level of the assertion before each fact of each entry, -1 if it is below `first_level`."""
    found = [entry.levels_before(entry.facts) for entry in entries]
    return [[level if level >= first_level else -1 for level in levels.tolist()] for levels in found]


@pytest.fixture
def searched(monkeypatch):
    """The timestamps of the ABoxes that are searched for facts, in a list."""
    found, whole = [], Entry.levels_before
    monkeypatch.setattr(
        Entry, "levels_before", lambda self, facts: found.append(self.at) or whole(self, facts)
    )
    return found


@pytest.mark.parametrize("keep", ["newest", "every"])
@pytest.mark.parametrize("seed", seeds(3, 80, 4000))
def test_links_lead_to_what_a_trace_finds_and_to_no_other_abox(monkeypatch, searched, seed, keep):
    monkeypatch.setattr(compaction_module, "MIN_GROWTH", 0)
    dice = random.Random(seed)
    for number in range(WORLDS):
        drawn = world(dice)
        window = Window(*dice.choice(((1, 1), (3, 1), (6, 1), (6, 2), (100, 1))))
        history = History(steps=dice.choice((0, 3, 100)))
        reasoner = drawn.reasoner(window, keep=keep, history=history)
        why = f"seed {seed}, world {number}, {window}, {history}, {drawn.rules}"
        for arrival in stream(dice, drawn.pool[:MOST_FACTS], LENGTH):
            if arrival.facts is None:
                reasoner.advance(arrival.at)
                continue
            repair = reasoner.push(arrival.at, arrival.facts).repair
            log = reasoner._held.history.log
            first = log.timeline.first_level
            if not drawn.background:  # whose facts are not removed, and have no links
                assert links(log, first) == links(linked(list(log)), first), why
            removal = repair._removed
            if isinstance(removal, Removal):
                searched.clear()
                found = removal.occurrences()
                expected = by_trace(removal)
                occurring = {(found.times[place], *fact) for place, *fact in found.rows.tolist()}
                assert occurring == expected and len(found) == len(occurring), why
                assert sorted(searched) == sorted({at for at, *_ in expected}), why
                SEEN["removed"] += len(expected)
                SEEN["older"] += len(expected) - len(removal)
            if dice.random() < 0.1:
                reasoner = StreamReasoner.restore(reasoner.snapshot(), drawn.ontology)
                SEEN["restores"] += 1
            if dice.random() < 0.1:
                reasoner._held.most_entries = -1
                reasoner._held.forget_unused()


@of_many
def test_there_were_enough_removed_facts():
    if SEEN["restores"] < 500:
        pytest.skip("the streams were not compared")
    assert SEEN["removed"] > 5000 and SEEN["older"] > 500
