"""Long streams over many individuals: beyond what the subset-enumerating reference can follow.

The engine is held against itself in other shapes: both ways to keep a window, a fresh reasoner that is given only what
was kept, and now and then the literal closure.
"""

import random
from itertools import product

import pytest
from rdflib import RDF, Literal

from pantarhei import Budget, Ontology, StreamReasoner, Window
from pantarhei.reference.canonical import canonical_triple
from pantarhei.reference.closure import closure, is_consistent
from pantarhei.reference.repairs import repair_of_conflicts
from strategies import (
    CHAIN,
    CLASSES,
    DERIVING_RULES,
    DISJOINT_CLASSES,
    DISJOINT_PROPERTIES,
    DOMAIN,
    EX,
    FUNCTIONAL,
    HAS_VALUE,
    IRREFLEXIVE,
    OVER_LITERALS,
    PROPERTIES,
    TRANSITIVE,
    V,
)

CONSTRAINTS = [*DISJOINT_CLASSES, *DISJOINT_PROPERTIES, *IRREFLEXIVE, *FUNCTIONAL]
MOST_DISPUTED = 12  # the reference enumerates their subsets


class World:
    """Rules, a background and random ABoxes, all from one seed."""

    def __init__(self, seed, constraints):
        self.random = random.Random(seed)
        pick = self.random.sample
        self.individuals = [EX[f"i{number}"] for number in range(self.random.choice((30, 60)))]
        rules = pick(DERIVING_RULES, 6) + pick(OVER_LITERALS[:3], 1)
        if not constraints:
            rules += pick(HAS_VALUE, 2)  # hubs, in which everything would contradict everything
        rules += self.random.choice((TRANSITIVE[:1], CHAIN[:1], DOMAIN[:1]))
        self.rules = tuple(dict.fromkeys(rules + pick(CONSTRAINTS, constraints)))
        self.background = frozenset()
        for fact in self.facts(20):
            if is_consistent(self.rules, self.background | {fact}):
                self.background |= {fact}

    def facts(self, count):
        """Random facts; the relations form sparse graphs."""
        choose = self.random.choice
        for _ in range(count):
            kind, who = self.random.random(), choose(self.individuals)
            if kind < 0.5:
                yield who, RDF.type, choose(CLASSES)
            elif kind < 0.9:
                yield who, choose(PROPERTIES), choose(self.individuals)
            else:
                yield who, V, Literal(choose((1, 2)))

    def reasoner(self, window, **options):
        return StreamReasoner(Ontology.from_rules(self.rules), window, self.background, **options)


def interpretations(reasoner):
    return {at: reasoner.interpretation(at) for at in reasoner.timestamps}


def canonical(triples):
    return set(map(canonical_triple, triples))


def consistent_with(world, facts):
    return is_consistent(world.rules, {*facts, *world.background})


def check_repair(world, update, before, abox):
    """What the definitions say of the conflict sets and, where they are few, of what is kept."""
    newest = {}
    before = frozenset((at, canonical_triple(triple)) for at, triple in before)
    for at, triple in sorted(before | {(update.at, triple) for triple in abox}, key=lambda one: one[0]):
        newest[triple] = at
    conflicts = {
        frozenset((at, canonical_triple(triple)) for at, triple in conflict)
        for conflict in update.repair.conflict_sets
    }
    assert len(conflicts) == len(update.repair.conflict_sets)
    for conflict in sorted(conflicts, key=sorted)[:5]:
        facts = {triple for _, triple in conflict}
        assert all(newest[triple] == at for at, triple in conflict)
        assert not consistent_with(world, facts)
        assert all(consistent_with(world, facts - {fact}) for fact in facts)
    disputed = frozenset().union(*conflicts)
    removed = canonical(triple for _, triple in update.repair.removed)
    assert removed <= {triple for _, triple in disputed}
    if len(disputed) <= MOST_DISPUTED:
        kept = repair_of_conflicts(disputed, conflicts)
        assert removed == {triple for _, triple in disputed - kept}


def follow(seed, constraints, steps, size):
    """A random stream through both ways to keep a window; gives (world, newest, every, step) after each step."""
    world = World(seed, constraints)
    choose = world.random.choice
    window = Window(choose((2, 5, 12)), choose((1, 1, 2)))
    newest, every = (
        world.reasoner(window, keep=keep, budget=Budget(2000, 100_000)) for keep in ("newest", "every")
    )
    now = 0
    for step in range(steps):
        now += choose((1, 1, 1, 2, 40) if step % 10 == 9 else (1, 1, 1, 1, 2))
        before, facts = newest.materialization(), canonical(world.facts(choose((0, 1, 3, size))))
        if choose(range(8)) == 0:
            update, other = newest.advance(now), every.advance(now)
        else:
            update, other = newest.push(now, facts), every.push(now, facts)
            if update.repair.undecided:
                return
            kept = newest.assertions() | set(update.repair.removed)
            check_repair(world, update, {one for one in kept if one[0] < now}, facts)
            if choose(range(4)) == 0:
                more = canonical(world.facts(choose((1, 5))))
                assert update.delta.removed <= before
                before = newest.materialization()
                update, other = newest.push(now, more), every.push(now, more)
        if update.repair.undecided or other.repair.undecided:
            return  # the budgets need not be used up alike
        assert update.repair.removed == other.repair.removed
        assert set(update.repair.conflict_sets) == set(other.repair.conflict_sets)
        assert update.delta.added == other.delta.added == newest.materialization() - before
        assert update.delta.removed == other.delta.removed == before - newest.materialization()
        yield world, newest, every, step


@pytest.mark.parametrize(("seed", "constraints"), list(product(range(12), (0, 2))))
def test_both_ways_to_keep_a_window_agree_with_a_fresh_one(seed, constraints):
    for world, newest, every, step in follow(seed, constraints, steps=25, size=30):
        newest._model.kernel.check_invariants()
        every._model.kernel.check_invariants()
        kept = newest.assertions()
        assert every.assertions() == kept
        assert every.timestamps == newest.timestamps
        assert every.materialization() == newest.materialization()
        if step % 5 == 4:
            fresh = world.reasoner(Window(10_000), repair="off")
            for at in newest.timestamps:
                update = fresh.push(at, [triple for time, triple in kept if time == at])
                assert not update.repair.conflicts, "what is kept is consistent"
            assert fresh.materialization() == newest.materialization()
            looked_at = interpretations(newest)
            assert looked_at == interpretations(fresh)
            full = interpretations(every)
            assert all(looked_at[at] <= full[at] for at in looked_at)
            newest._model.kernel.check_invariants()
    facts = {triple for _, triple in newest.assertions()} | world.background
    assert canonical(newest.materialization()) == closure(world.rules, facts)
