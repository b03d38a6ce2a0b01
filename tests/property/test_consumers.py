"""An engine beside the model follows it by changes alone, through second parts, errors, blocks and jumps."""

import random
from contextlib import suppress

import pytest
from rdflib import RDF, Literal

from class_counts import ClassCounts, counted
from pantarhei import InvalidTripleError, MemoryLimitError, OptionError, Window
from pantarhei.engine.changes import Changes
from pantarhei.reference.canonical_literals import canonical_triple
from strategies import EX
from worlds import World, canonical

PERIOD = 3


class Followed:
    """A reasoner with a consumer, pushed at random; the consumer checks itself whenever it is told."""

    def __init__(self, seed, **options):
        self.world = World(seed, constraints=3)
        self.random = random.Random(seed)
        self.reasoner = self.world.reasoner(Window(range=6, slide=1), **options)
        self.consumer = ClassCounts(PERIOD)
        self.reasoner._held.attach("counts", self.consumer)
        self.now = 0
        self.push()  # time begins at 1

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
        """What survived stands there in the order given, as often as it was given."""
        changes = self.consumer.seen[-1]
        gone = {fact for at, fact in repair.removed}
        kept = [canonical_triple(triple) for triple in abox if triple not in gone]
        told = self.reasoner._held.vocabulary.decode(changes.asserted)
        assert list(map(canonical_triple, told)) == kept

    def again(self):
        """Parts of one timestamp are told as if they had come together."""
        if self.now not in self.reasoner.timestamps:
            return
        steps, abox = self.consumer.steps, self.abox()
        update = self.reasoner.push(self.now, abox)
        if self.consumer.steps > steps:
            changes = self.consumer.seen[-1]  # those of a block with it, if that ended with this timestamp
            newest = Changes(changes.noted, changes.entries[-1:]).asserted
            told = self.reasoner._held.vocabulary.decode(newest)
            kept = {triple for at, triple in self.reasoner.assertions() if at == self.now}
            assert canonical(told) == canonical(kept)
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
                assert self.consumer.steps == steps, "told before the block ended"
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


@pytest.mark.parametrize("keep", ["newest", "every"])
@pytest.mark.parametrize("seed", range(12))
def test_a_consumer_follows_the_model_by_changes_alone(seed, keep):
    followed = Followed(seed, keep=keep)
    for _ in range(40):
        followed.step()


def test_a_consumer_is_told_once_of_steps_that_take_several_attempts(monkeypatch):
    monkeypatch.setattr("pantarhei.window.limits.SLACK", 0)
    early = 0
    for seed in range(6):
        most = len(Followed(seed).reasoner.materialization()) + 25
        followed = Followed(seed, max_facts=most, on_limit="drop")
        at = followed.now
        for _ in range(40):
            at += followed.random.choice((1, 1, 4))
            with suppress(MemoryLimitError):
                early += len(followed.reasoner.push(at, followed.abox()).dropped_early)
                followed.now = at
            assert followed.consumer.counts == counted(followed.reasoner._held.model)
            told = [when for when, _ in followed.consumer.reports]
            assert told == list(range(PERIOD, followed.now + 1, PERIOD))
    assert early > 5, "few timestamps had to leave early"


def test_an_error_of_a_consumer_leaves_the_step_undone():
    followed = Followed(1)
    followed.push()
    before = followed.reasoner.materialization(), followed.reasoner.timestamps, dict(followed.consumer.counts)

    class Unhappy(ClassCounts):
        def apply(self, changes, model):
            raise RuntimeError("no")

    followed.reasoner._held.attach("unhappy", Unhappy())
    for abox in ([], [(EX.new, RDF.type, EX.A)]):
        with pytest.raises(RuntimeError, match="no"):
            followed.reasoner.push(9, [(EX.one, RDF.type, EX.B), *abox])
        after = followed.reasoner.materialization(), followed.reasoner.timestamps, followed.consumer.counts
        assert after == before
    followed.reasoner._held.consumers.detach("unhappy")
    followed.reasoner.push(9, [(EX.one, RDF.type, EX.B)])
    assert followed.consumer.counts == counted(followed.reasoner._held.model)


def test_a_name_is_taken_once():
    followed = Followed(1)
    with pytest.raises(OptionError, match="name='counts'"):
        followed.reasoner._held.attach("counts", ClassCounts())


def test_what_a_consumer_holds_counts_as_memory():
    followed = Followed(1, max_bytes=10_000_000)
    stats = followed.reasoner.stats()
    others = stats.kernel_bytes + stats.books_bytes + stats.vocabulary_bytes
    assert stats.consumer_bytes == followed.consumer.bytes_used > 0
    assert stats.bytes == others + stats.consumer_bytes

    class Large(ClassCounts):
        bytes_used = 20_000_000

    followed.reasoner._held.attach("large", Large())
    with pytest.raises(MemoryLimitError):
        followed.push()
