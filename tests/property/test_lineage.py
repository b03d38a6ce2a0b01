"""The lineage of facts: all rule instances behind them, each with its level, and nothing else."""

import random

import numpy as np
import pytest

from counts import seeds
from lineages import instance_levels
from oracle.materialization import instances
from pantarhei import Window
from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.model import FOREVER
from worlds import World, canonical


def window_of(seed, keep):
    """A reasoner after some pushes, some of which repeat what was there."""
    world, chance = World(seed, constraints=2), random.Random(seed)
    reasoner = world.reasoner(Window(range=5, slide=1), keep=keep)
    for at in range(12):
        again = chance.sample(sorted(reasoner.assertions(), key=str), min(2, len(reasoner.assertions())))
        reasoner.push(at, [*world.facts(4), *(triple for _, triple in again)])
    return reasoner


def behind(wanted, found):
    """The instances that take part in a proof of one of `wanted`, and the facts in them."""
    reached, waiting, kept = set(wanted), list(wanted), set()
    by_head = {}
    for rule, body, head in found:
        by_head.setdefault(head, []).append((rule, body, head))
    while waiting:
        for instance in by_head.get(waiting.pop(), ()):
            kept.add((instance[0].name, frozenset(instance[1]), instance[2]))
            fresh = set(instance[1]) - reached
            reached |= fresh
            waiting += fresh
    return kept, reached


@pytest.mark.parametrize("keep", ["newest", "every"])
@pytest.mark.parametrize("seed", range(8))
def test_a_lineage_has_all_instances_behind_some_facts(seed, keep):
    reasoner = window_of(seed, keep)
    model, decode = reasoner._held.model, reasoner._held.vocabulary.decode
    deriving = [rule for rule in model.program.rules if not rule.is_constraint]
    expected = list(instances(deriving, canonical(reasoner.materialization())))
    facts = model.facts()
    chosen = facts[random.Random(seed).sample(range(len(facts)), 5)]
    found = model.lineage_of(chosen, 1 << 20, explains_background=True)
    triples = dict(zip(found.rows.tolist(), map(canonical_one, decode(found.facts)), strict=True))
    told = {
        (model.program.rules[rule].name, frozenset(triples[row] for row in body if row >= 0), triples[head])
        for head, rule, *body in found.instances.tolist()
    }
    wanted, reached = behind(set(map(canonical_one, decode(chosen))), expected)
    assert told == wanted and set(triples.values()) == reached and not found.cut_short


@pytest.mark.parametrize("seed", range(8))
def test_a_settled_level_is_the_highest_that_an_assertion_or_an_instance_gives(seed):
    reasoner = window_of(seed, "newest")
    model = reasoner._held.model
    found = model.lineage_of(model.facts(), 1 << 20, explains_background=True)
    assert len(found.rows) == len(model) and len(found.violations) == 0
    given = np.where(found.assertion_levels >= FOREVER, FOREVER, found.assertion_levels)
    np.maximum.at(given, found.places(found.instances[:, 0]), instance_levels(found))
    assert given.tolist() == found.levels.tolist()
    timeline = reasoner._held.history.log.timeline
    for level in {level for level in found.levels.tolist() if level != FOREVER}:
        assert timeline.at_level(level).at in reasoner.timestamps


def test_the_background_is_explained_on_demand_only():
    reasoner = window_of(3, "newest")
    model = reasoner._held.model
    shorter = model.lineage_of(model.facts(), 1 << 20)
    longer = model.lineage_of(model.facts(), 1 << 20, explains_background=True)
    heads = shorter.levels[shorter.places(shorter.instances[:, 0])]
    assert len(shorter.instances) < len(longer.instances) and not (heads == FOREVER).any()


def test_a_lineage_beyond_the_limit_says_so_and_a_fact_that_does_not_hold_has_none():
    reasoner = window_of(1, "newest")
    model = reasoner._held.model
    assert model.lineage_of(model.facts(), 3).cut_short
    nothing = model.lineage_of(np.array([[0, 1 << 20, -1]], np.int32), 100)
    assert len(nothing.rows) == len(nothing.instances) == len(instance_levels(nothing)) == 0


# -- of violations, cut short ----------------------------------------------------------------------


def contradicting(seed, keep):
    """A reasoner that repairs nothing, after some pushes; its model has violations."""
    world = World(seed, constraints=3)
    reasoner = world.reasoner(Window(range=9), keep=keep, repair="off")
    for at in range(8):
        reasoner.push(at, [*world.facts(6)])
    for at in reasoner.timestamps:  # levels settle
        reasoner.interpretation(at)
    return reasoner


def of_violations(model, most):
    model.find_violations()
    return model.lineage(most)


def in_order(rows):
    return sorted(map(tuple, rows.tolist()))


@pytest.mark.parametrize("keep", ["newest", "every"])
@pytest.mark.parametrize("seed", seeds(4, 40))
def test_a_lineage_that_is_cut_short_is_complete_above_its_floor(seed, keep):
    model = contradicting(seed, keep)._held.model
    whole = of_violations(model, 1 << 20)
    if whole is None:
        pytest.skip("nothing contradicts in this world")
    assert whole.floor == NONE and not whole.cut_short
    levels = instance_levels(whole)
    lowest = np.where(
        whole.violations[:, 1:] == NONE, FOREVER, whole.levels[whole.places(whole.violations[:, 1:])]
    ).min(axis=1)
    floors, all_ = [], len(whole.instances)
    for most in (*range(min(12, all_)), *range(12, all_, 1 + all_ // 20), all_):
        found = of_violations(model, most)
        if most == all_:
            assert found.floor == NONE and in_order(found.instances) == in_order(whole.instances)
            break
        assert found.cut_short and found.floor > NONE
        floors.append(found.floor)
        assert in_order(found.rows[:, None]) == in_order(whole.rows[:, None])
        above = whole.instances[levels > found.floor]
        behind = {row for body in found.violations[:, 1:] for row in body.tolist()}
        assert in_order(found.violations) == in_order(whole.violations[lowest > found.floor])
        assert len(found.instances) <= most and set(in_order(found.instances)) == reached_from(behind, above)
        assert np.count_nonzero(levels > found.floor) <= most < np.count_nonzero(levels >= found.floor)
    assert floors == sorted(floors, reverse=True)


def reached_from(rows, instances):
    """The instances that take part in proofs of rows."""
    reached, waiting, kept = set(rows), list(rows), set()
    while waiting:
        row = waiting.pop()
        for instance in map(tuple, instances[instances[:, 0] == row].tolist()):
            kept.add(instance)
            waiting += set(instance[2:]) - reached
            reached.update(instance[2:])
    return kept


def test_a_model_without_violations_has_no_lineage_of_them():
    reasoner = window_of(1, "newest")
    assert reasoner._held.model.lineage(10) is None


def canonical_one(triple):
    return next(iter(canonical([triple])))
