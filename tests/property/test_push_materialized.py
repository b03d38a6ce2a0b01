"""ABoxes closed elsewhere give what ABoxes as they are give, at every step and in every respect."""

from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from rdflib import RDF, Variable

from counts import LONG, cases, of_many, some
from oracle.canonical_literals import canonical_triple
from pantarhei import Ontology, Rule, StreamReasoner, Window
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import InterpretationTables
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.model.rule import Atom
from strategies import EX, FUNCTIONAL, INVERSE, SYMMETRIC, TRANSITIVE, worlds
from worlds import World, interpretations, subsets

SEEN = Counter()


class SideBySide(RuleBasedStateMachine):
    """One reasoner is given ABoxes, the other what was made of them elsewhere, now and then an ABox too."""

    keep = "newest"

    @initialize(
        world=worlds(),
        range=st.sampled_from((0, 1, 2, 3, 5)),
        slide=st.sampled_from((1, 1, 2)),
        repair=st.sampled_from(("exact", "exact", "grounded", "algorithm3", "off")),
        unique_names=st.sampled_from((True, True, False)),
    )
    def begin(self, world, range, slide, repair, unique_names):
        rules, background, self.pool = world
        self.ontology = Ontology.from_rules(rules)
        options = {"repair": repair, "keep": self.keep, "unique_names": unique_names}
        window = Window(range, min(slide, range + 1))
        self.plain, self.merged = (StreamReasoner(self.ontology, window, background, **options) for _ in "12")
        for reasoner in (self.plain, self.merged):
            reasoner._held.model.renumber_at = 9
        foundation = Foundation.of(self.ontology, background, unique_names)
        self.texts = InterpretationTables(foundation)
        self.worker = ABoxMaterializer(foundation)
        self.now = 0

    def abox(self, choice):
        """An ABox with no fact in two forms: an interpretation has a fact once, and which form came first is
        not to be seen in it.
        """
        chosen = [self.pool[i] for i in choice]
        return list({canonical_triple(triple): triple for triple in chosen}.values())

    @rule(
        gap=st.sampled_from((1, 1, 1, 2, 4)),
        choice=subsets,
        how=st.sampled_from(("interpretation", "interpretation", "table", "abox")),
    )
    def push(self, gap, choice, how):
        self.now += gap
        abox = self.abox(choice)
        update = self.plain.push(self.now, abox)
        if how == "abox":
            other = self.merged.push(self.now, abox)
        else:
            made = self.worker.materialize(abox)
            SEEN["derived"] += len(made.facts) > made.asserted
            SEEN["contradictory"] += made.contradictory
            given = made if how == "interpretation" else self.texts.table(made)
            other = self.merged.push_materialized(self.now, given)
        self.compare(update, other)

    @precondition(lambda self: self.now)
    @rule(choice=subsets, materialized=st.booleans())
    def push_more(self, choice, materialized):
        abox = self.abox(choice)
        update = self.plain.push(self.now, abox)
        if materialized:
            other = self.merged.push_materialized(self.now, self.worker.materialize(abox))
        else:
            other = self.merged.push(self.now, abox)
        self.compare(update, other)

    @rule(gap=st.sampled_from((1, 1, 2, 5)))
    def advance(self, gap):
        self.now += gap
        self.compare(self.plain.advance(self.now), self.merged.advance(self.now))

    @rule()
    def interpretations_are_equal(self):
        assert interpretations(self.plain) == interpretations(self.merged)

    def compare(self, plain, merged):
        self.merged._held.model.kernel.check_invariants()
        assert self.plain.assertions() == self.merged.assertions()
        assert self.plain.materialization() == self.merged.materialization()
        assert (plain.delta.added, plain.delta.removed) == (merged.delta.added, merged.delta.removed)
        assert (plain.start, plain.end, plain.dropped) == (merged.start, merged.end, merged.dropped)
        assert as_sets(plain.repair) == as_sets(merged.repair)
        SEEN["repairs"] += bool(plain.repair.removed)
        SEEN["steps"] += 1


def as_sets(repair):
    conflicts = {(conflict.assertions, frozenset(conflict.constraints)) for conflict in repair.conflicts}
    return repair.at, repair.method, conflicts, repair.removed, repair.undecided


class SideBySideEvery(SideBySide):
    keep = "every"


TestNewest = SideBySide.TestCase
TestEvery = SideBySideEvery.TestCase
TestNewest.settings = settings(
    max_examples=cases(25, 250, long=4_000), stateful_step_count=40 if LONG else 20, deadline=None
)
TestEvery.settings = settings(
    max_examples=cases(5, 40, long=1_000), stateful_step_count=40 if LONG else 20, deadline=None
)


@of_many
def test_there_was_something_to_see():
    """So that a strategy that went thin is noticed: half of what a run usually sees. Last in this file."""
    if not SEEN:
        pytest.skip("the state machines were not run")
    assert SEEN["steps"] >= 1500 and SEEN["derived"] >= 180
    assert SEEN["repairs"] >= 100 and SEEN["contradictory"] >= 20


CIRCLES = [*INVERSE, *SYMMETRIC, *TRANSITIVE, *FUNCTIONAL]


@pytest.mark.parametrize("seed", some(range(300 if LONG else 16), range(1, 4)))
def test_facts_that_follow_from_one_another_do_not_outlive_what_they_rest_on(seed):
    """Large windows with rules in circles, many repetitions and many cuts, in one reasoner and the other."""
    world = World(seed, constraints=seed % 3)
    pick = world.random.sample
    world.rules = tuple(dict.fromkeys((*world.rules, *pick(CIRCLES, 6), *pick(FUNCTIONAL, 1))))
    world.background = frozenset()
    window = Window(world.random.choice((2, 5, 9)))
    plain, merged = (world.reasoner(window) for _ in "12")
    worker = ABoxMaterializer(merged.foundation)
    pool = list(world.facts(30))
    for at in range(30):
        abox = list(dict.fromkeys((*pick(pool, 5), *world.facts(2))))
        one = plain.push(at, abox)
        other = merged.push_materialized(at, worker.materialize(abox))
        merged._held.model.kernel.check_invariants()
        assert one.repair.removed == other.repair.removed
        assert plain.assertions() == merged.assertions()
        assert plain.materialization() == merged.materialization()
        if at % 7 == 0:
            assert interpretations(plain) == interpretations(merged)


def test_what_follows_from_a_level_that_was_brought_along_proves_nothing_of_it_either():
    """`a` and `b` bring `c`, which gives `e` with `d`, and `e` gives `a`: without the given `a` none is."""
    x, (a, b, c, d, e, z) = Variable("x"), (EX[name] for name in "abcdez")

    def rule_of(*classes):
        *body, head = (None if each is None else Atom(each, (x,)) for each in classes)
        return Rule("pr-test", tuple(body), head)

    ontology = Ontology.from_rules([rule_of(a, b, c), rule_of(c, d, e), rule_of(e, a), rule_of(a, z, None)])
    reasoner = StreamReasoner(ontology, Window(10))
    worker = ABoxMaterializer(reasoner.foundation)
    for at, classes in enumerate([[a], [a, b], [d], [z]]):
        abox = [(EX.i, RDF.type, each) for each in classes]
        reasoner.push_materialized(at, worker.materialize(abox))
    assert {each for _, _, each in reasoner.materialization()} == {b, d, z}
