"""An engine beside the model follows it by changes alone, through second parts, errors, blocks and jumps."""

from contextlib import suppress

import pytest
from rdflib import RDF

from class_counts import ClassCounts, counted, survivors
from counts import seeds
from pantarhei import MemoryLimitError, Ontology, OptionError, StreamReasoner, Window
from pantarhei.engine.consumer import known_bytes
from reasoner_with_consumer import PERIOD, ReasonerWithConsumer
from strategies import DOMAIN, EX


@pytest.mark.parametrize("keep", ["newest", "every"])
@pytest.mark.parametrize("seed", seeds(3, 12))
def test_a_consumer_follows_the_model_by_changes_alone(seed, keep):
    followed = ReasonerWithConsumer(seed, keep=keep)
    for _ in range(40):
        followed.step()


def test_a_consumer_is_told_once_of_steps_that_take_several_attempts(monkeypatch):
    monkeypatch.setattr("pantarhei.window.retention.SLACK", 0)
    early = 0
    for seed in range(6):
        most = len(ReasonerWithConsumer(seed).reasoner.materialization()) + 25
        followed = ReasonerWithConsumer(seed, max_facts=most, on_limit="drop")
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
    followed = ReasonerWithConsumer(1)
    followed.push()
    before = followed.reasoner.materialization(), followed.reasoner.timestamps, dict(followed.consumer.counts)

    class Unhappy(ClassCounts):
        is_unhappy = True

        def apply(self, changes, model):
            if self.is_unhappy:
                raise RuntimeError("no")
            super().apply(changes, model)

    followed.reasoner._held.attach("unhappy", unhappy := Unhappy())
    for abox in ([], [(EX.new, RDF.type, EX.A)]):
        with pytest.raises(RuntimeError, match="no"):
            followed.reasoner.push(9, [(EX.one, RDF.type, EX.B), *abox])
        after = followed.reasoner.materialization(), followed.reasoner.timestamps, followed.consumer.counts
        assert after == before
    unhappy.is_unhappy = False
    followed.reasoner.push(9, [(EX.one, RDF.type, EX.B)])
    assert followed.consumer.counts == counted(followed.reasoner._held.model)


def test_a_name_is_taken_once():
    followed = ReasonerWithConsumer(1)
    with pytest.raises(OptionError, match="name='counts'"):
        followed.reasoner._held.attach("counts", ClassCounts())


@pytest.mark.parametrize("after_a_failure", [False, True])
def test_what_a_consumer_holds_counts_as_memory(after_a_failure):
    followed = ReasonerWithConsumer(1, max_bytes=10_000_000)
    if after_a_failure:
        with suppress(ZeroDivisionError), followed.reasoner.all_or_nothing():
            raise ZeroDivisionError
    stats = followed.reasoner.stats()
    others = stats.kernel_bytes + stats.books_bytes + stats.vocabulary_bytes
    assert stats.consumer_bytes == followed.consumer.bytes_used > 0
    assert stats.bytes == others + stats.consumer_bytes

    class Large(ClassCounts):
        bytes_used = 20_000_000

    followed.reasoner._held.attach("large", Large())
    with pytest.raises(MemoryLimitError):
        followed.push()


def test_a_consumer_attached_between_parts_is_told_of_the_further_part_alone():
    followed = ReasonerWithConsumer(3)
    for place in range(12):
        followed.push()
        followed.reasoner._held.attach(f"late {place}", late := ClassCounts())
        followed.again()
        followed.again()
        if place % 2:
            followed.block()
        assert late.counts == counted(followed.reasoner._held.model)


def test_a_consumer_is_told_of_a_window_that_has_become_empty():
    reasoner = StreamReasoner(Ontology.from_rules(DOMAIN[:1]), Window(2))
    reasoner._held.attach("counts", consumer := ClassCounts())
    reasoner.push(1, [(EX.one, RDF.type, EX.B)])
    reasoner.advance(9)
    assert consumer.counts == {}


class Restored(ReasonerWithConsumer):
    """As its base, but saved and restored now and then, inside blocks and between parts too."""

    saves = 0

    def save_and_restore(self):
        data = self.reasoner.snapshot({"now": self.now})
        assert data == self.reasoner.snapshot({"now": self.now})
        unattached = StreamReasoner.restore(data, self.reasoner.ontology)
        assert unattached.snapshot({"now": self.now}) == data
        self.reasoner = StreamReasoner.restore(unattached.snapshot(), self.reasoner.ontology)
        self.consumer = ClassCounts(PERIOD)
        self.reasoner._held.attach("counts", self.consumer)
        self.saves += 1

    def step(self):
        super().step()
        if self.random.random() < 0.3:
            self.save_and_restore()
            assert self.consumer.counts == counted(self.reasoner._held.model)


@pytest.mark.parametrize("keep", ["newest", "every"])
@pytest.mark.parametrize("seed", seeds(2, 6))
def test_a_restored_consumer_goes_on_like_one_that_was_never_stopped(seed, keep):
    followed = Restored(seed, keep=keep)
    for _ in range(40):
        followed.step()
    assert followed.saves > 3


class Arrivals(ClassCounts):
    """How many assertions ever came, which the model does not know."""

    arrived = 0

    def apply(self, changes, model):
        super().apply(changes, model)
        self.arrived += len(survivors(changes.entries))

    def mark(self):
        return super().mark(), self.arrived

    def back(self, mark):
        counts, self.arrived = mark
        super().back(counts)

    def rebuilt(self, model, saved):
        super().rebuilt(model, None)
        self.arrived = int(saved or 0)

    def saved(self):
        return known_bytes(str(self.arrived).encode())


def test_a_consumer_saved_inside_a_block_knows_what_the_block_brought():
    ontology = Ontology.from_rules(DOMAIN[:1])
    reasoner = StreamReasoner(ontology, Window(2))
    reasoner._held.attach("arrivals", steady := Arrivals())
    with reasoner.all_or_nothing():
        for at in range(7):
            reasoner.push(at, [(EX.one, RDF.type, EX.B)])
        restored = StreamReasoner.restore(reasoner.snapshot(), ontology)
    restored._held.attach("arrivals", other := Arrivals())
    assert steady.arrived == other.arrived == 7


def test_who_is_attached_in_a_block_that_fails_is_not_attached():
    followed = ReasonerWithConsumer(5)
    with pytest.raises(ZeroDivisionError), followed.reasoner.all_or_nothing():
        followed.reasoner.push(followed.now + 1, followed.abox())
        followed.reasoner._held.attach("late", ClassCounts())
        raise ZeroDivisionError
    followed.reasoner._held.attach("late", late := ClassCounts())
    followed.push()
    assert late.counts == followed.consumer.counts


def test_a_checkpoint_without_consumers_says_nothing_of_them():
    reasoner = StreamReasoner(Ontology.from_rules(DOMAIN[:1]), Window(2))
    reasoner.push(1, [(EX.one, RDF.type, EX.B)])
    before = reasoner.snapshot()
    assert b"consumer" not in before
    reasoner._held.attach("counts", ClassCounts())
    assert b"consumer.counts" in reasoner.snapshot()
