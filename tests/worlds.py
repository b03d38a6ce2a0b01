"""Worlds for reasoners: large random ones, all from one seed, and small ones beside the definitions."""

import random
from contextlib import contextmanager

import pytest
from hypothesis import strategies as st
from rdflib import RDF, Literal

from oracle.canonical_literals import canonical_triple
from oracle.conflicts import conflict_sets
from oracle.materialization import closure, is_consistent
from oracle.window import INFINITY, newest, with_oldest_assertion
from oracle.window_repair import repair
from pantarhei import Ontology, StreamReasoner
from pantarhei.materialize.model import WindowModel
from pantarhei.rules.compilation import plan as dispatch_module
from pantarhei.rules.compilation import program as program_module
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


class World:
    """Rules, a background and random ABoxes, all from one seed."""

    def __init__(self, seed, constraints):
        self.random = random.Random(seed)
        pick = self.random.sample
        self.individuals = [EX[f"i{number}"] for number in range(self.random.choice((30, 60)))]
        rules = pick(DERIVING_RULES, 6) + pick(OVER_LITERALS[:3], 1)
        if not constraints:
            rules += pick(HAS_VALUE, 2)  # hubs, which would put everything into contradiction
        rules += self.random.choice((TRANSITIVE[:1], CHAIN[:1], DOMAIN[:1]))
        self.rules = tuple(dict.fromkeys(rules + pick(CONSTRAINTS, constraints)))
        self.background = frozenset()
        for fact in self.facts(20):
            if is_consistent(self.rules, self.background | {fact}):
                self.background |= {fact}

    def facts(self, count):
        """Return random facts; the relations form sparse graphs."""
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


MOST_FACTS = 8  # the oracle enumerates subsets

# Subsets of a pool of eight, mostly of two or three members (lists of random length would mostly be empty).
subsets = st.tuples(st.integers(0, 255), st.integers(0, 255), st.booleans()).map(
    lambda drawn: [i for i in range(8) if (drawn[0] & (drawn[1] if drawn[2] else 255)) >> i & 1][:4]
)
# Gaps in time, with the arrival after each: without a gap a further part of the newest ABox; None for none.
arrivals = st.lists(
    st.tuples(st.sampled_from((1, 1, 1, 0, 2, 4)), st.one_of(subsets, subsets, subsets, st.none())),
    min_size=4,
    max_size=10,
)
windows = st.sampled_from(((0, 1), (1, 1), (2, 1), (2, 2), (3, 1), (5, 1), (5, 2)))


@contextmanager
def at_once(wanted=True):
    """Make models materialize column by column even for few facts; the default choice if not `wanted`."""
    with pytest.MonkeyPatch.context() as patch:
        if wanted:
            patch.setattr(WindowModel, "bulk_from", 0)
            patch.setattr(WindowModel, "bulk_share", 0.0)
        yield


@contextmanager
def switches_everywhere():
    """Make the kernel dispatch on constants even if there is only one key."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dispatch_module, "LEAST_CONSTANTS", 1)
        patch.setattr(dispatch_module.dispatch, "__defaults__", ((), 1))
        patch.setattr(program_module, "LEAST_CLASSES_BACKWARD", 1)
        yield


class SideBySide:
    """Stream reasoner and the definitions, which take equal steps and must agree after each step.

    Args:
        reasoner: the tested reasoner, before its first step.
        rules: its rules, written out.
        background: facts that always hold.
        meaning: function from a triple to its canonical form.
    """

    def __init__(self, reasoner, rules, background=(), meaning=canonical_triple):
        self.reasoner, self.rules, self.meaning = reasoner, tuple(rules), meaning
        self.background = frozenset(map(meaning, background))
        self.steps = 0
        self.now = 0
        self.abox = frozenset()  # the newest ABox
        self.before = frozenset()  # assertions kept before it
        self.kept = frozenset()
        self.arrived = []  # timestamps
        self.last = reasoner.materialization()
        self.check_state()

    def follow(self, pool, arrivals):
        """Take steps drawn from `arrivals`, then check the laws."""
        for gap, choice in arrivals:
            if choice is None:
                self.advance(gap or 1)
            elif gap or not self.may_push_more:
                self.push(gap or 1, [pool[i] for i in choice if i < len(pool)])
            else:
                self.push_more([pool[i] for i in choice if i < len(pool)])
        self.check_laws()

    # -- steps -------------------------------------------------------------------------------------

    def push(self, gap, triples):
        self.now += gap
        self.before = self.in_window(self.kept)
        abox = frozenset(map(self.meaning, triples))
        if len({triple for _, triple in self.before} | abox) > MOST_FACTS:
            abox, triples = frozenset(), []
        self.abox = abox
        conflicts, removed = self.reference_step()
        self.arrived = [at for at in self.arrived if at >= self.first()] + [self.now]
        self.compare(self.reasoner.push(self.now, triples), conflicts, removed)

    @property
    def may_push_more(self):
        return bool(self.arrived) and self.arrived[-1] == self.now

    def push_more(self, triples):
        """Check that a second part at the newest timestamp equals one push of the union."""
        more = frozenset(map(self.meaning, triples))
        if len({triple for _, triple in self.before} | self.abox | more) > MOST_FACTS:
            return
        self.abox |= more
        conflicts, removed = self.reference_step()
        self.compare(self.reasoner.push(self.now, triples), conflicts, removed)

    def advance(self, gap):
        self.now += gap
        self.kept = self.in_window(self.kept)
        self.before, self.abox = self.kept, frozenset()
        self.arrived = [at for at in self.arrived if at >= self.first()]
        self.compare(self.reasoner.advance(self.now), frozenset(), frozenset())

    def first(self):
        window = self.reasoner.window
        slide = window.slide or 1  # by default one tick
        return -(-self.now // slide) * slide - window.range

    def in_window(self, assertions):
        return frozenset(one for one in assertions if one[0] >= self.first())

    def reference_step(self):
        """Repair `before` and the ABox, as facts at their newest timestamps."""
        occurrences = self.before | {(self.now, triple) for triple in self.abox}
        timed = {}
        for time, triple in occurrences:
            timed[triple] = max(time, timed.get(triple, time))
        facts = frozenset((time, triple) for triple, time in timed.items())
        whole = {triple for _, triple in repair(self.rules, facts, self.background)}
        self.kept = frozenset(one for one in occurrences if one[1] in whole)
        return conflict_sets(self.rules, facts, self.background), occurrences - self.kept

    # -- comparisons -------------------------------------------------------------------------------

    def compare(self, update, conflicts, removed):
        self.steps += 1
        assert self.meant(update.repair.removed) == removed
        assert frozenset(map(self.meant, update.repair.conflict_sets)) == conflicts
        assert len(update.repair.conflict_sets) == len(conflicts)
        now = self.reasoner.materialization()
        assert update.delta.added == now - self.last
        assert update.delta.removed == self.last - now
        self.last = now
        self.check_state()

    def meant(self, assertions):
        return frozenset((at, self.meaning(triple)) for at, triple in assertions)

    def check_state(self):
        self.reasoner._held.model.kernel.check_invariants()
        assert self.reasoner.materialization() == self.last
        assert list(self.reasoner.timestamps) == self.arrived
        assert self.meant(self.reasoner.assertions()) == self.kept
        facts = {triple for _, triple in self.kept} | self.background
        assert set(map(self.meaning, self.last)) == closure(self.rules, facts)

    def check_laws(self):
        """Check the laws of docs/semantics.md; reading settles pending renewals, and must not always happen.

        1. The union of all interpretations is the materialization of the repaired window and the background.
        2. From any timestamp on, the union of the interpretations is the materialization of that sub-window.
        3. `newest ⊆ I_t ⊆ facts with a proof whose oldest assertion is t`.
        """
        aboxes = {at: {triple for time, triple in self.kept if time == at} for at in self.arrived}
        levels = newest(self.rules, aboxes, self.background)
        upper = with_oldest_assertion(self.rules, aboxes, self.background)
        union = set(closure(self.rules, self.background))
        sub_window = set(self.background)
        for at in reversed(self.arrived):
            interpretation = set(map(self.meaning, self.reasoner.interpretation(at)))
            lower = {triple for triple, level in levels.items() if level == at}
            if self.reasoner.options.keep == "newest":
                assert interpretation == lower
            assert lower <= interpretation
            assert interpretation <= upper[at]
            union |= interpretation
            sub_window |= aboxes[at]
            assert union == closure(self.rules, sub_window)
        self.check_state()
        assert all(level == INFINITY or level in self.arrived for level in levels.values())
