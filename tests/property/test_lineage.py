"""The lineage of facts: all rule instances behind them, each with its level, and nothing else."""

import random

import numpy as np
import pytest

from pantarhei import Window
from pantarhei.materialize.model import FOREVER
from pantarhei.reference.materialization import instances
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
    given = np.where(found.bases >= FOREVER, FOREVER, found.bases)
    np.maximum.at(given, found.places(found.instances[:, 0]), found.instance_levels)
    assert given.tolist() == found.levels.tolist()
    timeline = reasoner._held.books.log.timeline
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
    assert len(nothing.rows) == len(nothing.instances) == len(nothing.instance_levels) == 0


def canonical_one(triple):
    return next(iter(canonical([triple])))
