"""Long streams over many individuals: beyond what the subset-enumerating reference can follow.

The engine is held against itself in other shapes: both ways to keep a window, a fresh reasoner that is given
only what was kept, and, where that is not too slow, the literal closure.
"""

import pytest

from counts import seeds
from oracle.canonical_literals import canonical_triple
from oracle.materialization import closure, is_consistent
from oracle.window_repair import repair_of_conflicts
from pantarhei import Budget, Window
from pantarhei.materialize.model import WindowModel
from worlds import World, canonical, interpretations

MOST_DISPUTED = 12  # the reference enumerates their subsets
LARGEST_FOR_REFERENCE = 1000


def consistent_with(world, facts):
    return is_consistent(world.rules, {*facts, *world.background})


def check_repair(world, update, before, abox):
    """What the definitions say of the conflict sets and, where they are few, of what is kept."""
    assertions = {(at, canonical_triple(triple)) for at, triple in before}
    assertions |= {(update.at, triple) for triple in abox}
    newest = {triple: at for at, triple in sorted(assertions, key=lambda one: one[0])}
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


def values(interpretations):
    return {at: canonical(triples) for at, triples in interpretations.items()}


def follow(seed, constraints, steps, size):
    """A random stream through both ways to keep a window: (world, newest, every, step) after each step."""
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


@pytest.mark.parametrize("constraints", [0, 2])
@pytest.mark.parametrize("seed", seeds(2, 12))
def test_both_ways_to_keep_a_window_agree_with_a_fresh_one(seed, constraints):
    for world, newest, every, step in follow(seed, constraints, steps=25, size=30):
        newest._held.model.kernel.check_invariants()
        every._held.model.kernel.check_invariants()
        kept = newest.assertions()
        assert every.assertions() == kept
        assert every.timestamps == newest.timestamps
        assert every.materialization() == newest.materialization()
        if step % 5 == 4:
            fresh = world.reasoner(Window(10_000), repair="off")
            for at in newest.timestamps:
                update = fresh.push(at, [triple for time, triple in kept if time == at])
                assert not update.repair.conflicts, "what is kept is consistent"
            # a fact keeps the form it came with, which may have left the window since
            assert canonical(fresh.materialization()) == canonical(newest.materialization())
            looked_at = interpretations(newest)
            assert values(looked_at) == values(interpretations(fresh))
            full = interpretations(every)
            assert all(looked_at[at] <= full[at] for at in looked_at)
            newest._held.model.kernel.check_invariants()
    if len(newest.materialization()) < LARGEST_FOR_REFERENCE:
        facts = {triple for _, triple in newest.assertions()} | world.background
        assert canonical(newest.materialization()) == closure(world.rules, facts)


@pytest.mark.parametrize("seed", range(20, 24))
def test_levels_that_are_counted_anew_change_nothing(monkeypatch, seed):
    monkeypatch.setattr(WindowModel, "renumber_at", 20)
    test_both_ways_to_keep_a_window_agree_with_a_fresh_one(seed, 2)
