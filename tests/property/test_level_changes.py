"""A consumer that asks for levels knows that of each fact, as the model settles it, by changes alone."""

from collections import Counter
from contextlib import suppress

import numpy as np
import pytest
from rdflib import RDF, Variable

from class_counts import ClassCounts
from counts import seeds
from pantarhei import MemoryLimitError, Ontology, OptionError, StreamReasoner, Window
from pantarhei.encoding.numbers import net_changes
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.materialize.model import WindowModel
from pantarhei.model.rule import Atom, Rule
from reasoner_with_consumer import ReasonerWithConsumer
from strategies import DISJOINT_CLASSES, DOMAIN, EX, SUBCLASS, TRANSITIVE

x, y = Variable("x"), Variable("y")
SEEN = Counter()


def settled(model):
    """The levels of a model's facts, by looking at all of them."""
    model.kernel.settle()
    facts = model.facts()
    return dict(zip(map(tuple, facts.tolist()), model.levels(facts).tolist(), strict=True))


class KnownLevels(ClassCounts):
    """The level of each fact, by its number; and the counts of classes, as its base has them."""

    needs_levels = True

    def __init__(self, period=None):
        super().__init__(period)
        self.levels = {}

    def before(self, step, model):
        super().before(step, model)
        assert self.levels == settled(model)

    def apply(self, changes, model):
        super().apply(changes, model)
        levels = dict(self.levels)
        signs = {tuple(fact): sign for *fact, sign in net_changes(changes.fact_changes).tolist()}
        facts, *columns = (part.tolist() for part in changes.levels)
        for fact, old, new in zip(map(tuple, facts), *columns, strict=True):
            assert old == levels.get(fact, -1) != new
            assert signs.pop(fact, 0) == (new >= 0) - (old >= 0)
            SEEN.update(came=old < 0, went=new < 0, rose=0 <= old < new, sank=0 <= new < old)
            if new < 0:
                del levels[fact]
            else:
                levels[fact] = new
        assert not signs, "a fact came or went without a level"
        assert len(changes.levels.stayed.facts) == len(changes.levels.facts) - len(
            net_changes(changes.fact_changes)
        )
        self.levels = levels
        assert levels == settled(model)

    def mark(self):
        return super().mark(), self.levels

    def back(self, mark):
        counts, self.levels = mark
        super().back(counts)

    def used_terms(self, used):
        super().used_terms(used)
        if self.levels:
            used.add(np.array(list(self.levels), np.int32))

    def renamed(self, renaming):
        super().renamed(renaming)
        facts = np.array(list(self.levels), np.int32).reshape(-1, 3)
        self.levels = dict(zip(map(tuple, renaming.facts(facts).tolist()), self.levels.values(), strict=True))

    def rebuilt(self, model, saved):
        super().rebuilt(model, saved)
        self.levels = settled(model)


class FollowedLevels(ReasonerWithConsumer):
    """As its base, with repetitions and ABoxes that are closed already."""

    consumer_type = KnownLevels

    def __init__(self, seed, **options):
        super().__init__(seed, **options)
        self.worker = ABoxMaterializer(Foundation.of(self.reasoner.ontology, self.world.background))

    def world_of(self, seed):
        world = super().world_of(seed)
        if seed % 2:  # in which a fact often follows from several, and some of these are cut
            world.individuals, world.background = world.individuals[:4], frozenset()
            world.rules = (SUBCLASS[2], SUBCLASS[5], DOMAIN[1], TRANSITIVE[0], DISJOINT_CLASSES[1])
        return world

    def abox(self):
        known = sorted(self.reasoner.assertions(), key=str)
        again = self.random.sample(known, min(len(known), self.random.randint(0, 3)))
        return [*super().abox(), *(triple for _, triple in again)]

    def step(self):
        super().step()
        held = self.reasoner._held
        held.model.kernel.check_invariants()
        anew, _ = held._build(held.history)
        assert self.consumer.levels == settled(held.model) == settled(anew)
        if self.random.random() < 0.1:
            self.reasoner._held.drop_model()  # as an error does
        if self.random.random() < 0.2:
            self.now += 1
            self.reasoner.push_materialized(self.now, self.worker.materialize(self.abox()))


@pytest.mark.parametrize("bulk", [False, True])
@pytest.mark.parametrize("seed", seeds(4, 12))
def test_levels_are_known_from_changes_alone(seed, bulk, monkeypatch):
    if bulk:
        monkeypatch.setattr(WindowModel, "bulk_from", 0)
        monkeypatch.setattr(WindowModel, "bulk_share", 0.0)
    if seed % 3 == 0:
        monkeypatch.setattr(WindowModel, "renumber_at", 16)
    followed = FollowedLevels(seed)
    for _ in range(40):
        followed.step()


def test_levels_follow_steps_that_take_several_attempts(monkeypatch):
    monkeypatch.setattr("pantarhei.window.retention.SLACK", 0)
    early = 0
    for seed in range(5):
        most = len(FollowedLevels(seed).reasoner.materialization()) + 15
        followed = FollowedLevels(seed, max_facts=most, on_limit="drop")
        at = followed.now
        for _ in range(40):
            at += followed.random.choice((1, 1, 4))
            with suppress(MemoryLimitError):
                early += len(followed.reasoner.push(at, followed.abox()).dropped_early)
            held = followed.reasoner._held
            assert followed.consumer.levels == settled(held._build(held.history)[0])
    assert early > 5, "few timestamps had to leave early"


def test_all_kinds_of_changes_were_seen():
    assert all(SEEN[kind] > 1 for kind in ("came", "went", "rose", "sank")), SEEN


def test_a_consumer_that_asks_for_levels_is_refused_where_facts_have_several():
    followed = ReasonerWithConsumer(1, keep="every")
    with pytest.raises(OptionError, match=r'keep="every".*newest'):
        followed.reasoner._held.attach("levels", KnownLevels())
    followed.push()
    assert followed.consumer.seen[-1].levels is None


def test_a_level_sinks_where_its_newest_support_is_cut():
    rules = [SUBCLASS[2], SUBCLASS[5], DISJOINT_CLASSES[1]]
    reasoner, known = StreamReasoner(Ontology.from_rules(rules), Window(10)), KnownLevels()
    reasoner._held.attach("levels", known)
    for at, name in enumerate("BAC"):
        reasoner.push(at, [(EX.i, RDF.type, EX[name])])
    stayed = known.seen[-1].levels.stayed
    assert list(reasoner._held.vocabulary.decode(stayed.facts)) == [(EX.i, RDF.type, EX.D)]
    assert (stayed.old.tolist(), stayed.new.tolist()) == ([1], [0])


def test_levels_are_noted_from_the_first_consumer_that_asks_on():
    followed = ReasonerWithConsumer(2)
    held = followed.reasoner._held
    followed.push()
    held.attach("levels", known := KnownLevels())
    followed.again()  # which a consumer of before takes as one with the first part
    for _ in range(10):
        followed.step()
        assert known.levels == settled(held._build(held.history)[0])
    known.needs_levels, known.apply = False, lambda changes, model: None
    held.consumers.refresh()
    followed.push()
    assert not held.model.records_levels and followed.consumer.seen[-1].levels is None


@pytest.mark.parametrize("size", [100, 3000])
def test_to_know_levels_costs_what_changes(size, monkeypatch):
    rules = [Rule("prp-dom", (Atom(EX.R, (x, y)),), Atom(EX.A, (x,)))]
    reasoner = StreamReasoner(Ontology.from_rules(rules), Window(100_000))
    reasoner.push(0, [(EX[f"n{i}"], EX.R, EX.b) for i in range(size)])
    reasoner._held.attach("levels", KnownLevels())
    kernel, known = reasoner._held.model.kernel, reasoner._held.consumers
    monkeypatch.setattr(KnownLevels, "apply", lambda self, changes, model: self.seen.append(changes))
    before = reasoner.work
    reasoner.push(1, [(EX.n1, EX.R, EX.b), (EX.n2, EX.R, EX.b)])
    assert reasoner.work.pops - before.pops == 4 and kernel is reasoner._held.model.kernel
    (consumer,) = known
    assert len(consumer.seen[-1].levels.facts) == 4
    assert (
        consumer.seen[-1].levels.new.tolist() == [1] * 4
        and len(net_changes(consumer.seen[-1].fact_changes)) == 0
    )
