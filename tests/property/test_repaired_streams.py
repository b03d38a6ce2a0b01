"""Streams through the reasoner, repaired at each step, against the fold of the definition by enumeration."""

import random
from collections import Counter

import pytest

from counts import of_many, seeds
from pantarhei import StreamReasoner, Window
from repaired_streams import Fold, stream, world

WORLDS, STREAMS, LENGTH = 12, 4, 14  # of a seed: worlds, streams of each, arrivals of each stream
SEEN = Counter()


class Compared:
    """A reasoner and the definition, which take the same arrivals and must agree after each."""

    def __init__(self, world, window, keep, why):
        self.world, self.why = world, why
        self.reasoner, self.fold = world.reasoner(window, keep=keep), Fold(world.meaning, window)
        self.taken = []

    def meant(self, assertions):
        return frozenset((at, self.world.row(triple)) for at, triple in assertions)

    def take(self, arrival):
        rows = None if arrival.facts is None else list(map(self.world.row, arrival.facts))
        if rows is not None and not self.fold.room_for(arrival.at, rows, arrival.is_part):
            arrival, rows = arrival._replace(facts=()), []
        self.taken.append(arrival)
        step = self.fold.take(arrival.at, rows, arrival.is_part)
        if rows is None:
            update = self.reasoner.advance(arrival.at)
        else:
            update = self.reasoner.push(arrival.at, arrival.facts)
        self.check(step, update.repair)
        SEEN["steps"] += 1
        SEEN["repairs"] += bool(step.removed)
        SEEN["joined"] += any(len(members) > 2 for members in step.conflicts)
        SEEN["parts that were repaired"] += arrival.is_part and bool(step.removed)

    def check(self, step, repair):
        world, why = self.world, f"{self.why}: {self.taken}"
        assert self.meant(self.reasoner.assertions()) == step.kept, why
        assert self.meant(repair.removed) == step.removed, why
        assert len(repair.taken_out) == len(repair.removed) and bool(repair) == bool(step.removed), why
        assert not repair.undecided and not repair.undecided_facts, why
        found = {self.meant(each.assertions): each.constraints for each in repair.conflicts}
        assert len(repair.conflicts) == len(repair.conflict_sets) == len(found), why
        assert repair.conflicts.complete, why
        assert found.keys() == step.conflicts.keys(), why
        if world.unique_names:
            constraints = world.constraints
            for members, violated in step.conflicts.items():
                assert set(found[members]) == {constraints[number] for number in violated}, why

    def restore(self):
        self.reasoner = StreamReasoner.restore(self.reasoner.snapshot(), self.world.ontology)
        SEEN["restores"] += 1


@pytest.mark.timeout(120)
@pytest.mark.parametrize("seed", seeds(2, 80, 4000))
def test_each_step_keeps_removes_and_lists_what_the_definition_does(seed):
    dice = random.Random(seed)
    for number in range(WORLDS):
        drawn = world(dice)
        for run in range(STREAMS):
            window = Window(*dice.choice(((0, 1), (1, 1), (2, 1), (3, 1), (5, 1), (5, 2), (50, 1))))
            keep = ("newest", "every")[run % 2]
            given = f"{window}, {keep}, {drawn.rules}, {drawn.background}"
            why = f"seed {seed}, world {number}, stream {run}, {given}"
            compared = Compared(drawn, window, keep, why)
            for arrival in stream(dice, drawn.pool, LENGTH):
                compared.take(arrival)
                if dice.random() < 0.07:
                    compared.restore()
            compared.reasoner._held.model.kernel.check_invariants()


@of_many
def test_there_were_enough_steps_of_each_kind():
    if SEEN["steps"] < 1000:
        pytest.skip("the streams were not compared")
    assert SEEN["steps"] >= 50_000
    assert SEEN["repairs"] > 0.2 * SEEN["steps"] and SEEN["joined"] > 0.01 * SEEN["steps"]
    assert SEEN["restores"] > 1000 and SEEN["parts that were repaired"] > 1000
