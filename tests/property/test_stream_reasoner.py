"""Engine and reference side by side: after every step the same assertions are kept, the same facts hold.

The laws are those of docs/semantics.md:

1. the union of all interpretations is the materialization of the repaired window and the background;
2. from any timestamp on, the union of the interpretations is the materialization of that sub-window;
3. `newest ⊆ I_t ⊆ facts with a proof whose oldest assertion is t`.
"""

import os
from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.reference.canonical import canonical_triple
from pantarhei.reference.closure import closure
from pantarhei.reference.conflicts import conflict_sets
from pantarhei.reference.repairs import repair
from pantarhei.reference.window import INFINITY, newest, with_oldest_assertion
from strategies import worlds

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
STEPS = Counter()
MOST_FACTS = 8  # the reference enumerates subsets


# Subsets of a pool of eight, two or three members mostly (lists of random length would mostly be empty).
subsets = st.tuples(st.integers(0, 255), st.integers(0, 255), st.booleans()).map(
    lambda drawn: [i for i in range(8) if (drawn[0] & (drawn[1] if drawn[2] else 255)) >> i & 1][:4]
)


def canonical(assertions):
    return frozenset((at, canonical_triple(triple)) for at, triple in assertions)


class Stepping(RuleBasedStateMachine):
    """A stream reasoner and the definitions, driven by the same random arrivals."""

    keep = "newest"

    @initialize(
        world=worlds(),
        range=st.sampled_from((0, 1, 2, 3, 5)),
        slide=st.sampled_from((1, 1, 2)),
    )
    def begin(self, world, range, slide):
        rules, self.given_background, self.pool = world
        self.rules = rules
        self.background = frozenset(map(canonical_triple, self.given_background))
        slide = min(slide, range + 1)
        self.range, self.slide = range, slide
        self.reasoner = StreamReasoner(
            Ontology.from_rules(rules), Window(range, slide), self.given_background, keep=self.keep
        )
        self.now = 0
        self.reasoner._model.renumber_at = 9  # far too soon, so that it happens
        self.newest_abox = frozenset()
        self.before = frozenset()  # what was kept before the newest ABox
        self.kept = frozenset()
        self.arrived = []  # timestamps
        self.last = self.reasoner.materialization()

    def first(self):
        return -(-self.now // self.slide) * self.slide - self.range

    def in_window(self, assertions):
        return frozenset(one for one in assertions if one[0] >= self.first())

    def reference_step(self, at, abox):
        """Repair `before` and the ABox, as facts timed at their newest occurrence."""
        occurrences = self.before | {(at, triple) for triple in abox}
        timed = {}
        for time, triple in occurrences:
            timed[triple] = max(time, timed.get(triple, time))
        facts = frozenset((time, triple) for triple, time in timed.items())
        whole = {triple for _, triple in repair(self.rules, facts, self.background)}
        self.kept = frozenset(one for one in occurrences if one[1] in whole)
        return conflict_sets(self.rules, facts, self.background), occurrences - self.kept

    def compare(self, update, conflicts, removed):
        STEPS[self.keep] += 1
        assert canonical(update.repair.removed) == removed
        assert frozenset(map(canonical, update.repair.conflict_sets)) == conflicts
        assert len(update.repair.conflict_sets) == len(conflicts)
        now = self.reasoner.materialization()
        assert update.delta.added == now - self.last
        assert update.delta.removed == self.last - now
        self.last = now

    @rule(gap=st.sampled_from((1, 1, 1, 2, 4)), choice=subsets)
    def push(self, gap, choice):
        self.now += gap
        abox = frozenset(canonical_triple(self.pool[i]) for i in choice)
        self.before = self.in_window(self.kept)
        if len({triple for _, triple in self.before} | abox) > MOST_FACTS:
            abox = frozenset()
        self.newest_abox = abox
        conflicts, removed = self.reference_step(self.now, abox)
        self.arrived = [at for at in self.arrived if at >= self.first()] + [self.now]
        given = [self.pool[i] for i in choice] if abox else []
        self.compare(self.reasoner.push(self.now, given), conflicts, removed)

    @precondition(lambda self: self.arrived and self.arrived[-1] == self.now)
    @rule(choice=subsets)
    def push_more(self, choice):
        """A second part at the newest timestamp equals one push of the union."""
        more = frozenset(canonical_triple(self.pool[i]) for i in choice)
        if len({triple for _, triple in self.before} | self.newest_abox | more) > MOST_FACTS:
            return
        self.newest_abox |= more
        conflicts, removed = self.reference_step(self.now, self.newest_abox)
        self.compare(self.reasoner.push(self.now, [self.pool[i] for i in choice]), conflicts, removed)

    @rule(gap=st.sampled_from((1, 1, 2, 5)))
    def advance(self, gap):
        self.now += gap
        self.kept = self.in_window(self.kept)
        self.before, self.newest_abox = self.kept, frozenset()
        self.arrived = [at for at in self.arrived if at >= self.first()]
        self.compare(self.reasoner.advance(self.now), frozenset(), frozenset())

    @invariant()
    def same_assertions_and_facts(self):
        if not hasattr(self, "reasoner"):
            return
        self.reasoner._model.kernel.check_invariants()
        assert list(self.reasoner.timestamps) == self.arrived
        assert canonical(self.reasoner.assertions()) == self.kept
        facts = {triple for _, triple in self.kept} | self.background
        assert set(map(canonical_triple, self.reasoner.materialization())) == closure(self.rules, facts)

    def laws(self):
        aboxes = {at: {triple for time, triple in self.kept if time == at} for at in self.arrived}
        levels = newest(self.rules, aboxes, self.background)
        upper = with_oldest_assertion(self.rules, aboxes, self.background)
        union = set(closure(self.rules, self.background))
        sub_window = set(self.background)
        for at in reversed(self.arrived):
            interpretation = set(map(canonical_triple, self.reasoner.interpretation(at)))
            lower = {triple for triple, level in levels.items() if level == at}
            if self.keep == "newest":
                assert interpretation == lower
            assert lower <= interpretation
            assert interpretation <= upper[at]
            union |= interpretation
            sub_window |= aboxes[at]
            assert union == closure(self.rules, sub_window)
        assert all(level == INFINITY or level in self.arrived for level in levels.values())

    @rule()
    def the_laws_hold(self):
        """As a rule, not an invariant: looking settles what is pending, and must not always happen."""
        self.laws()

    def teardown(self):
        if hasattr(self, "reasoner"):
            self.laws()


class SteppingEvery(Stepping):
    keep = "every"


TestNewest = Stepping.TestCase
TestEvery = SteppingEvery.TestCase
for case in (TestNewest, TestEvery):
    case.settings = settings(
        max_examples=4000 if LONG else 150, stateful_step_count=40 if LONG else 20, deadline=None
    )
del case


def test_there_were_enough_steps():
    """At least 2,000 compared steps, so that a strategy that went thin is noticed; runs last in this file."""
    if len(STEPS) < 2:
        pytest.skip("the state machines were not both run")
    assert sum(STEPS.values()) >= 2000
