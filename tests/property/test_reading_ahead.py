"""Rows and cells that are read ahead: where a small model does it too, nothing is different."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Namespace, Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.model import WindowModel
from pantarhei.model.rule import Atom, Rule
from pantarhei.rules.compilation.program import compile_

N = Namespace("http://example.org/n#")
X, Y, Z = map(Variable, "xyz")
RULES = (
    Rule("transitive", (Atom(N.p, (X, Y)), Atom(N.p, (Y, Z))), Atom(N.p, (X, Z))),
    Rule("inverse", (Atom(N.p, (X, Y)),), Atom(N.q, (Y, X))),
    Rule("some", (Atom(N.p, (X, Y)), Atom(N.A, (Y,))), Atom(N.B, (X,))),
    Rule("sub", (Atom(N.B, (X,)),), Atom(N.C, (X,))),
    Rule("above", (Atom(N.C, (X,)),), Atom(N.D, (X,))),
    Rule("chain", (Atom(N.q, (X, Y)), Atom(N.r, (Y, Z))), Atom(N.r, (X, Z))),
    Rule("disjoint", (Atom(N.A, (X,)), Atom(N.D, (X,))), None),
)
SYMBOLS = (N.p, N.q, N.r, N.A, N.B, N.C, N.D, N.unknown, N.Unknown)
CLASSES = {N.A, N.B, N.C, N.D, N.Unknown}
HIGHEST = 5

facts = st.tuples(st.sampled_from(SYMBOLS), st.integers(0, 5), st.integers(0, 5))
aboxes = st.lists(st.lists(facts, max_size=12), min_size=1, max_size=9)


class _Run:
    """A model, and what the calls on it left."""

    def __init__(self, prefetches):
        program = compile_(RULES)
        self.vocabulary = Vocabulary(program)
        self.model = WindowModel(program, "newest", self.vocabulary)
        self.model.bulk_from = 40
        self.model.kernel.store.prefetches = prefetches
        self.facts = set()

    def encoded(self, abox):
        names = [self.vocabulary.number(N[f"x{i}"]) for i in range(HIGHEST + 1)]
        rows = []
        for name, subject, object_ in abox:
            number = self.vocabulary._number_class if name in CLASSES else self.vocabulary._number_property
            rows.append((number(name), names[subject], NONE if name in CLASSES else names[object_]))
        return np.array(rows, np.int32).reshape(-1, 3)

    def step(self, level, abox, cut):
        given = self.encoded(abox)
        self.model.add(given, level)
        if cut:
            self.model.cut(given[:cut])
        self.model.slide(max(0, level - 2))
        for *fact, sign in self.model.take_changes().tolist():
            (self.facts.add if sign > 0 else self.facts.discard)(tuple(fact))
        self.model.kernel.settle()
        self.model.kernel.check_invariants()
        rows = self.model.kernel.store.columns("predicate", "subject", "object", "level", "assertion_level")
        stored = sorted(row for row in zip(*(column.tolist() for column in rows), strict=True) if row[0] >= 0)
        assert self.facts == {row[:3] for row in stored}
        return stored, self.model.work


@given(aboxes, st.data())
def test_reading_ahead_is_not_to_be_seen(aboxes, data):
    plain, ahead = _Run(False), _Run(True)
    for level, abox in enumerate(aboxes):
        cut = data.draw(st.integers(0, 1)) * data.draw(st.integers(0, len(abox)))
        assert plain.step(level, abox, cut) == ahead.step(level, abox, cut)


def test_a_constraint_of_one_atom_can_be_the_last_that_is_compiled():
    program = compile_([Rule("none", (Atom(N.p, (X, Y)),), None)])
    model = WindowModel(program, "newest", Vocabulary(program))
    model.add(np.array([(0, 0, 1)], np.int32), 0)
    assert len(model) == 1
    assert len(model.kernel.take_violations()) > 0
