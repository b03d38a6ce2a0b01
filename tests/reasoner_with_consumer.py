"""Reasoner with a consumer, pushed at random: further parts, errors, blocks, time jumps."""

import random

import pytest
from rdflib import RDF, Literal

from class_counts import ClassCounts, counted, survivors
from oracle.canonical_literals import canonical_triple
from pantarhei import InvalidTripleError, Window
from strategies import EX
from worlds import World, canonical

PERIOD = 3


class ReasonerWithConsumer:
    """Reasoner with a consumer, pushed at random; the consumer checks itself at every notification."""

    consumer_type = ClassCounts

    def __init__(self, seed, **options):
        self.world = self.world_of(seed)
        self.random = random.Random(seed)
        self.reasoner = self.world.reasoner(Window(range=6, slide=1), **options)
        self.consumer = self.consumer_type(PERIOD)
        self.reasoner._held.attach("counts", self.consumer)
        self.now = 0
        self.push()  # time begins at 1

    def world_of(self, seed):
        return World(seed, constraints=3)

    def abox(self):
        return list(self.world.facts(self.random.randint(0, 6)))

    def step(self):
        kinds = "push", "push", "again", "advance", "jump", "block", "broken", "failing", "forget"
        getattr(self, self.random.choice(kinds))()
        assert self.consumer.counts == counted(self.reasoner._held.model)
        expected = list(range(PERIOD, self.now + 1, PERIOD))
        assert [at for at, _ in self.consumer.reports] == expected

    def push(self, further=1):
        before = self.reasoner.materialization()
        self.now += further
        abox = self.abox()
        update = self.reasoner.push(self.now, abox)
        after = self.reasoner.materialization()
        assert update.delta.added == after - before and update.delta.removed == before - after
        self.check_asserted(abox, update.repair)

    def check_asserted(self, abox, repair):
        """Check that the surviving assertions are in the given order, with the given multiplicity."""
        changes = self.consumer.seen[-1]
        gone = {fact for at, fact in repair.removed}
        kept = [canonical_triple(triple) for triple in abox if triple not in gone]
        survived = self.reasoner._held.vocabulary.decode(survivors(changes.entries))
        assert list(map(canonical_triple, survived)) == kept

    def again(self):
        """Check that a further part of a timestamp is notified as the whole ABox."""
        if self.now not in self.reasoner.timestamps:
            return
        steps, abox = self.consumer.steps, self.abox()
        update = self.reasoner.push(self.now, abox)
        if self.consumer.steps > steps:
            changes = self.consumer.seen[-1]  # those of its block, if that ended with this timestamp
            survived = self.reasoner._held.vocabulary.decode(survivors(changes.entries[-1:]))
            kept = {triple for at, triple in self.reasoner.assertions() if at == self.now}
            assert canonical(survived) == canonical(kept)
        assert update.at == self.now

    def advance(self):
        self.now += 1
        self.reasoner.advance(self.now)

    def jump(self):
        self.now += self.random.randint(2, 9)
        self.reasoner.advance(self.now)

    def block(self):
        steps, reports = self.consumer.steps, len(self.consumer.reports)
        with self.reasoner.all_or_nothing():
            for _ in range(self.random.randint(1, 3)):
                self.now += 1
                self.reasoner.push(self.now, self.abox())
            if len(self.consumer.reports) == reports:
                assert self.consumer.steps == steps, "notified before the block ended"
            self.reasoner.push(self.now, self.abox())

    def broken(self):
        with pytest.raises(InvalidTripleError):
            self.reasoner.push(self.now + 5, [*self.abox(), (Literal("no subject"), RDF.type, EX.A)])

    def failing(self):
        counts, reports = self.consumer.counts, self.consumer.reports
        with pytest.raises(ZeroDivisionError), self.reasoner.all_or_nothing():
            self.reasoner.push(self.now + 1, self.abox())
            self.reasoner.push(self.now + 9, self.abox())
            raise ZeroDivisionError
        assert (self.consumer.counts, self.consumer.reports) == (counts, reports)

    def forget(self):
        self.reasoner._held.most_entries = -1
        self.push()
