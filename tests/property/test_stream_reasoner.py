"""Engine and reference side by side: after every step the same assertions are kept, the same facts hold."""

from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from counts import LONG
from pantarhei import Ontology, StreamReasoner, Window
from strategies import worlds
from worlds import SideBySide, subsets

STEPS = Counter()


class Stepping(RuleBasedStateMachine):
    """A stream reasoner and the definitions, driven by the same random arrivals."""

    keep = "newest"

    @initialize(
        world=worlds(),
        range=st.sampled_from((0, 1, 2, 3, 5)),
        slide=st.sampled_from((1, 1, 2)),
    )
    def begin(self, world, range, slide):
        rules, background, self.pool = world
        window = Window(range, min(slide, range + 1))
        reasoner = StreamReasoner(Ontology.from_rules(rules), window, background, keep=self.keep)
        reasoner._held.model.renumber_at = 9  # far too soon, so that it happens
        self.both = SideBySide(reasoner, rules, background)

    @rule(gap=st.sampled_from((1, 1, 1, 2, 4)), choice=subsets)
    def push(self, gap, choice):
        self.both.push(gap, [self.pool[i] for i in choice])

    @precondition(lambda self: self.both.may_push_more)
    @rule(choice=subsets)
    def push_more(self, choice):
        self.both.push_more([self.pool[i] for i in choice])

    @rule(gap=st.sampled_from((1, 1, 2, 5)))
    def advance(self, gap):
        self.both.advance(gap)

    @rule()
    def the_laws_hold(self):
        self.both.check_laws()

    def teardown(self):
        if hasattr(self, "both"):
            self.both.check_laws()
            STEPS[self.keep] += self.both.steps


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
