"""A limited reasoner never holds more than it may; what is left is what a window that begins later holds."""

import logging
import random

import pytest
from rdflib import RDF

import pantarhei.window.retention as limits_module
from counts import seeds, some
from oracle.canonical_literals import canonical_triple
from oracle.materialization import closure
from pantarhei import Interpretation, MemoryLimitError, StreamReasoner, Window
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.materializer import ABoxMaterializer
from strategies import EX
from worlds import World, canonical, interpretations

both_ways = pytest.mark.parametrize("keep", ["newest", "every"])
LEAST_BYTES = 140_000  # of a reasoner that holds next to nothing


def steps_of(world, count):
    """Random (time, facts); facts None for time alone, and further parts of one timestamp."""
    choose, now = world.random.choice, 0
    for _ in range(count):
        now += choose((0, 1, 1, 1, 2))
        facts = list(world.facts(choose((1, 3, 8, 20))))
        yield (now, facts) if choose(range(6)) or not now else (now, None)


def take(reasoner, at, facts):
    return reasoner.advance(at) if facts is None else reasoner.push(at, facts)


def seen(reasoner):
    """What does not depend on how the window came to begin where it does; literals by value, for the form in
    which one was first met may have left.
    """
    kept = {
        "materialization": canonical(reasoner.materialization()),
        "assertions": {(at, canonical_triple(triple)) for at, triple in reasoner.assertions()},
        "timestamps": reasoner.timestamps,
        "now": reasoner._held.history.step,
    }
    if reasoner.options.keep == "newest":
        found = interpretations(reasoner)
        kept["interpretations"] = {at: canonical(triples) for at, triples in found.items()}
    return kept


def everything(reasoner):
    stats = reasoner.stats()
    held = stats.facts, stats.assertions, stats.pushes, stats.repairs, stats.cut, stats.dropped_early
    return {**seen(reasoner), "repairs": [one.removed for one in reasoner.repairs], "stats": held}


def replayed(world, window, steps, start, **options):
    """A reasoner without limits whose stream began at the time `start`."""
    reasoner = world.reasoner(window, **options)
    for at, facts in steps:
        if start is not None and at >= start:
            take(reasoner, at, facts)
    return reasoner


@both_ways
@pytest.mark.parametrize("slack", [0, 1000])
@pytest.mark.parametrize("seed", seeds(1, 8))
def test_what_is_left_is_what_a_window_holds_that_begins_later(monkeypatch, seed, keep, slack):
    monkeypatch.setattr(limits_module, "SLACK", slack)
    world, dice = World(seed, constraints=2), random.Random(seed)
    window = Window(dice.choice((5, 12)), dice.choice((1, 1, 2)))
    cap = len(world.reasoner(window).graph) + dice.choice((20, 40, 80))
    limited = world.reasoner(window, keep=keep, max_facts=cap, on_limit="drop")
    taken, dropped = [], 0
    last = limited.materialization()
    for at, facts in steps_of(world, 30):
        before = everything(limited)
        try:
            update = take(limited, at, facts)
        except MemoryLimitError as error:
            assert error.alone and error.limit == "max_facts" and error.needed > cap == error.most
            assert everything(limited) == before
            continue
        taken.append((at, facts))
        dropped += len(update.dropped_early)
        assert limited.stats().facts <= cap
        assert limited.stats().dropped_early == dropped
        assert update.dropped[len(update.dropped) - len(update.dropped_early) :] == update.dropped_early
        assert not set(update.dropped) & set(limited.timestamps)
        now = limited.materialization()
        assert (update.delta.added, update.delta.removed) == (now - last, last - now)
        last = now
        limited._held.model.kernel.check_invariants()
        begun = limited.timestamps[0] if limited.timestamps else None
        if begun is not None:
            later = replayed(world, window, taken, begun, keep=keep)
            assert seen(later) == seen(limited)
        kept = {triple for _, triple in limited.assertions()}
        assert canonical(now) == closure(world.rules, canonical(kept | world.background))
    assert dropped


@both_ways
@pytest.mark.parametrize("on_limit", ["error", "drop"])
@pytest.mark.parametrize("seed", seeds(1, 4))
def test_repairs_are_logged_if_they_happened_and_once(monkeypatch, caplog, seed, on_limit, keep):
    monkeypatch.setattr(limits_module, "SLACK", 0)
    caplog.set_level(logging.DEBUG, "pantarhei.repair")
    world = World(seed, constraints=2)
    cap = len(world.reasoner(Window(8)).graph) + 20
    limited = world.reasoner(Window(8), keep=keep, max_facts=cap, on_limit=on_limit)
    repairs = refused = 0
    for at, facts in steps_of(world, 30):
        caplog.clear()
        try:
            update = take(limited, at, facts)
            expected = [one for one in limited.repairs[-1:] if one is update.repair]
        except MemoryLimitError:
            refused, expected = refused + 1, []
        lines = [line.strip() for one in expected for line in str(one).splitlines()[1:]]
        assert lines == [record.args[1] for record in caplog.records if record.levelno == logging.DEBUG]
        repairs += len(expected)
    assert repairs and (refused or on_limit == "drop")


@both_ways
@pytest.mark.parametrize("seed", seeds(2, 6))
def test_a_push_that_would_leave_more_is_refused_and_leaves_no_trace(seed, keep):
    world, dice = World(seed, constraints=2), random.Random(seed)
    window = Window(8)
    cap = len(world.reasoner(window).graph) + dice.choice((20, 40, 80))
    limited = world.reasoner(window, keep=keep, max_facts=cap)
    steady = world.reasoner(window, keep=keep)
    refused = 0
    for at, facts in steps_of(world, 30):
        before, pushes = everything(limited), everything(steady)
        try:
            update = take(limited, at, facts)
        except MemoryLimitError as error:
            refused += 1
            assert not error.alone and error.at == str(at) and error.most == cap < error.needed
            limited._held.model.kernel.check_invariants()
            assert everything(limited) == before == pushes
            trial = StreamReasoner.restore(steady.snapshot(), steady.ontology)
            take(trial, at, facts)
            assert trial.stats().facts > cap
            continue
        expected = take(steady, at, facts)
        assert not update.dropped_early
        assert update.dropped == expected.dropped
        assert everything(limited) == everything(steady)
        assert limited.stats().facts <= cap
    assert refused


@both_ways
@pytest.mark.parametrize("slack", [0, 1000])
@pytest.mark.parametrize("seed", seeds(1, 5))
def test_it_goes_on_from_a_checkpoint_as_it_would_have(monkeypatch, seed, keep, slack):
    monkeypatch.setattr(limits_module, "SLACK", slack)
    world = World(seed, constraints=1)
    cap = len(world.reasoner(Window(9)).graph) + 50
    steady = world.reasoner(Window(9), keep=keep, max_facts=cap, on_limit="drop")
    moved = world.reasoner(Window(9), keep=keep, max_facts=cap, on_limit="drop")
    for at, facts in steps_of(world, 25):
        moved = StreamReasoner.restore(moved.snapshot(), moved.ontology)
        assert moved.options == steady.options
        outcomes = []
        for reasoner in (steady, moved):
            try:
                update = take(reasoner, at, facts)
                outcomes.append((update.dropped, update.dropped_early, update.delta, update.repair.removed))
            except MemoryLimitError as error:
                outcomes.append(error.args)
        assert outcomes[0] == outcomes[1]
        assert everything(steady) == everything(moved)
    assert steady.stats().dropped_early


@pytest.mark.parametrize("slack", [0, 1000])
@pytest.mark.parametrize("seed", seeds(1, 4))
def test_interpretations_made_elsewhere_count_as_what_they_are_made_of(monkeypatch, seed, slack):
    monkeypatch.setattr(limits_module, "SLACK", slack)
    world = World(seed, constraints=1)
    cap = len(world.reasoner(Window(9)).graph) + 30
    here, there = (world.reasoner(Window(9), max_facts=cap, on_limit="drop") for _ in range(2))
    materializer = ABoxMaterializer(Foundation.of(here.ontology, world.background))
    for at in range(20):
        facts = list(world.facts(8))
        made = materializer.materialize(facts)
        assert isinstance(made, Interpretation)
        errors = []
        for push in (
            lambda at=at, f=facts: here.push(at, f),
            lambda at=at, m=made: there.push_materialized(at, m),
        ):
            try:
                push()
            except MemoryLimitError as error:
                errors.append(error)
        assert len(errors) != 1
        assert seen(here) == seen(there)
    assert here.stats().dropped_early == there.stats().dropped_early > 0


@both_ways
def test_all_or_nothing_takes_back_what_left_early(keep):
    world = World(1, constraints=1)
    cap = len(world.reasoner(Window(9)).graph) + 50
    limited = world.reasoner(Window(9), keep=keep, max_facts=cap, on_limit="drop")
    for at in range(5):
        limited.push(at, list(world.facts(8)))
    before = everything(limited)
    with pytest.raises(RuntimeError), limited.all_or_nothing():
        for at in range(5, 12):
            limited.push(at, list(world.facts(8)))
        assert limited.stats().dropped_early > before["stats"][-1]
        raise RuntimeError
    assert everything(limited) == before


# -- bytes -----------------------------------------------------------------------------------------


@both_ways
@pytest.mark.parametrize("seed", seeds(1, 4))
def test_bytes_stay_below_their_limit_and_the_window_begins_later(seed, keep):
    world = World(seed, constraints=0)
    cap = LEAST_BYTES + 250_000 + (150_000 if keep == "every" else 0)
    limited = world.reasoner(Window(50), keep=keep, max_bytes=cap, on_limit="drop")
    taken, dropped, made_anew = [], 0, 0
    for at in range(60):
        facts = [*world.facts(8), *((EX[f"n{at}-{i}"], RDF.type, EX.Other) for i in range(60))]
        update = limited.push(at, facts)
        taken.append((at, facts))
        dropped += len(update.dropped_early)
        made_anew += bool(update.dropped_early)
        assert limited.stats().bytes <= cap
        limited._held.model.kernel.check_invariants()
        if update.dropped_early:
            later = replayed(world, Window(50), taken, limited.timestamps[0], keep=keep)
            assert seen(later) == seen(limited)
    assert dropped
    assert len(limited.timestamps) > 3
    assert made_anew < dropped  # a materialization must not come with every push


@pytest.mark.parametrize("keep", some(["newest", "every"], ["every"]))
def test_a_push_of_too_many_bytes_leaves_no_trace(keep):
    world = World(2, constraints=1)
    cap = LEAST_BYTES + 250_000 + (150_000 if keep == "every" else 0)
    limited = world.reasoner(Window(50), keep=keep, max_bytes=cap)
    refused = 0
    for at in range(60):
        before = everything(limited)
        try:
            limited.push(at, [(EX[f"n{at}-{i}"], RDF.type, EX.Other) for i in range(60)])
        except MemoryLimitError as error:
            refused += 1
            assert error.limit == "max_bytes" and error.needed > cap
            assert everything(limited) == before
        else:
            assert limited.stats().bytes <= cap
    assert refused
