"""Joining with edges only comes to what joining everything comes to, whatever is done to the model."""

import random
from dataclasses import replace

import numpy as np
import pytest

from counts import seeds
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.model import WindowModel
from pantarhei.model.rule import Rule
from pantarhei.rules.compilation.program import NO_EDGE, compile_
from strategies import EX, is_a, related, x, y, z

P, Q, S, N = EX.p, EX.q, EX.s, EX.n

TRANSITIVE_P = Rule("prp-trp", (related(P, x, y), related(P, y, z)), related(P, x, z))
TURNED = Rule("prp-trp", (related(Q, y, z), related(Q, x, y)), related(Q, x, z))  # the other atom first
COPYING = [
    TURNED,
    Rule("prp-inv", (related(Q, x, y),), related(P, y, x)),
    Rule("prp-inv", (related(P, x, y),), related(Q, y, x)),
    Rule("prp-symp", (related(P, x, y),), related(P, y, x)),
    Rule("prp-spo1", (related(S, x, y),), related(P, x, y)),
    Rule("prp-spo1", (related(P, x, y),), related(N, x, y)),
    Rule("prp-spo1", (related(N, x, y),), related(Q, x, y)),
]
OTHERS = [
    Rule("prp-spo2", (related(S, x, y), related(P, y, z)), related(P, x, z)),
    Rule("prp-spo2", (related(P, x, y), related(S, y, z)), related(S, x, z)),
    Rule("cls-svf1", (related(P, x, y), is_a(EX.C, y)), is_a(EX.C, x)),
    Rule("cls-hv1", (is_a(EX.C, x),), related(P, x, EX.i0)),
    Rule("prp-rflp", (is_a(EX.C, x),), related(P, x, x)),
]


class Pair:
    """A model that joins with edges, and one that joins everything; both are given the same.

    Their vocabularies number alike, as the programs differ in nothing else.
    """

    def __init__(self, seed):
        self.random = random.Random(seed)
        pick = self.random.sample
        rules = (TRANSITIVE_P, *pick(COPYING, self.random.choice((0, 1, 2, 4))), *pick(OTHERS, seed % 3 // 2))
        program = compile_(rules)
        plans = program.plans
        joining_all = replace(plans, edge_atoms=np.full_like(plans.edge_atoms, NO_EDGE))
        programs = (program, replace(program, plans=joining_all))
        self.vocabulary = Vocabulary(program)
        self.models = [WindowModel(each, "newest", self.vocabulary) for each in programs]
        self.scratch = programs[1]
        self.level, self.oldest, self.asserted = 0, 0, {}
        self.background = self.facts(self.random.choice((0, 4)))
        for model in self.models:
            model.add_background(self.background)

    def facts(self, count):
        """Random facts; most lead one way, or all would be in one circle and never be lost."""
        choose = self.random.choice
        given = []
        for _ in range(count):
            ends = sorted(self.random.choices(range(6), k=2), reverse=self.random.random() < 0.1)
            given.append((EX[f"i{ends[0]}"], choose((P, P, P, Q, S, N)), EX[f"i{ends[1]}"]))
        return np.unique(self.vocabulary.encode(given).facts, axis=0).astype(np.int32)

    def _next(self):
        self.level += self.random.choice((0, 0, 1, 2))
        return self.facts(self.random.choice((1, 2, 4)))

    def add(self):
        facts = self._next()
        at_once = self.random.random() < 0.3  # by column
        for model in self.models:
            model.bulk_from, model.bulk_share = (1, 0.0) if at_once else (1000, 1.0)
            model.add(facts, self.level)
        self.asserted[self.level] = [*self.asserted.get(self.level, []), *map(tuple, facts.tolist())]

    def withdraw(self):
        self.level += 1
        facts = self.facts(3)
        for model in self.models:
            model.withdraw(facts, model.add(facts, self.level), self.level)

    def merge(self):
        facts = self._next()
        self.level += self.level in self.asserted
        alone = WindowModel(self.scratch, "newest", self.vocabulary)
        alone.add_background(self.background)
        known = set(map(tuple, alone.facts().tolist()))
        alone.add(facts, 0)
        follows = {*map(tuple, alone.facts().tolist())} - known - set(map(tuple, facts.tolist()))
        closed = np.array([*map(tuple, facts.tolist()), *sorted(follows)], np.int32)
        for model in self.models:
            model.merge(closed, len(facts), self.level)
        self.asserted[self.level] = list(map(tuple, facts.tolist()))

    def cut(self):
        known = {fact for facts in self.asserted.values() for fact in facts}
        known = sorted(known - set(map(tuple, self.background.tolist())))
        if not known:
            return
        facts = np.array(self.random.sample(known, min(len(known), self.random.choice((1, 2)))), np.int32)
        for model in self.models:
            model.cut(facts)
        out = set(map(tuple, facts.tolist()))
        self.asserted = {level: [f for f in given if f not in out] for level, given in self.asserted.items()}

    def slide(self):
        self.oldest = max(self.oldest, self.level - self.random.choice((0, 1, 2, 4)))
        for model in self.models:
            model.slide(self.oldest)
        self.asserted = {level: facts for level, facts in self.asserted.items() if level >= self.oldest}

    def check(self):
        for model in self.models:
            model.kernel.check_invariants()
        assert facts_of(self.models[0]) == facts_of(self.models[1])

    def check_levels(self):
        for model in self.models:
            model.kernel.settle()
        assert levels_of(self.models[0]) == levels_of(self.models[1])


def facts_of(model):
    return set(map(tuple, model.facts().tolist()))


def levels_of(model):
    *fact, level = model.kernel.store.columns("predicate", "subject", "object", "level")
    return {row[:3]: row[3] for row in zip(*(c.tolist() for c in (*fact, level)), strict=True) if row[0] >= 0}


@pytest.mark.parametrize("merging", [False, True])
@pytest.mark.parametrize("seed", seeds(15, 150))
def test_the_same_facts_at_the_same_levels_whatever_is_done(seed, merging):
    pair = Pair(seed)
    kinds = ("add", "add", "add", "slide", "cut", "withdraw", *(["merge"] if merging else []))
    for _ in range(25):
        getattr(pair, pair.random.choice(kinds))()
        pair.check()
        if pair.random.random() < 0.2:
            pair.check_levels()
    pair.check_levels()


PATH = [(EX.i0, P, EX.i1), (EX.i1, P, EX.i2), (EX.i3, P, EX.i0), (EX.i4, Q, EX.i2)]
FROM_S = Rule("prp-spo1", (related(S, x, y),), related(P, x, y))
INVERSE = [
    Rule("prp-inv", (related(P, x, y),), related(Q, y, x)),
    Rule("prp-trp", (related(Q, x, y), related(Q, y, z)), related(Q, x, z)),
]


@pytest.mark.parametrize(
    ("rules", "edge", "cut", "kept"),
    [
        ([], (EX.i0, P, EX.i2), PATH[0], (EX.i3, P, EX.i2)),
        ([FROM_S], (EX.i0, S, EX.i2), PATH[0], (EX.i3, P, EX.i2)),
        # i2 Q i0 is copied, and i4 Q i2 is joined to it; the path that it was copied from before is lost
        (INVERSE, (EX.i0, P, EX.i2), PATH[0], (EX.i4, Q, EX.i0)),
    ],
)
def test_what_becomes_an_edge_outlives_the_path_that_it_was_derived_from(rules, edge, cut, kept):
    program = compile_((TRANSITIVE_P, *rules))
    vocabulary = Vocabulary(program)
    model = WindowModel(program, "newest", vocabulary)
    model.add(vocabulary.encode(PATH).facts, 1)
    model.add(vocabulary.encode([edge]).facts, 1)
    model.cut(vocabulary.encode([cut]).facts)
    assert tuple(vocabulary.encode([kept]).facts[0]) in facts_of(model)
    assert tuple(vocabulary.encode([cut]).facts[0]) not in facts_of(model)


def test_a_chain_costs_a_firing_for_each_fact_that_follows():
    program = compile_((TRANSITIVE_P,))
    vocabulary = Vocabulary(program)
    model = WindowModel(program, "newest", vocabulary)
    steps = [(EX[f"i{number}"], P, EX[f"i{number + 1}"]) for number in range(40)]
    for level, step in enumerate(steps):
        model.add(vocabulary.encode([step]).facts, level)
    assert len(model) == 40 * 41 // 2
    assert model.work.firings == len(model) - len(steps)
