"""Facts into the kernel at once: it then holds what it would have found row by row."""

import numpy as np
import pytest

from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.bulk import evaluation
from pantarhei.materialize.bulk.evaluation import BulkProgram
from pantarhei.materialize.bulk.load import load
from pantarhei.materialize.kernel.rows import Overfull
from pantarhei.materialize.model import WindowModel
from pantarhei.materialize.readable import readable
from pantarhei.model.rule import Rule
from pantarhei.rules.compilation.program import compile_
from strategies import EX, A, B, C, R, a, b, c, is_a, member, related, x, y, z

RULES = [
    Rule("sub", (is_a(A, x),), is_a(B, x)),
    Rule("svf", (related(R, x, y), is_a(B, y)), is_a(A, x)),
    Rule("prp-trp", (related(R, x, y), related(R, y, z)), related(R, x, z)),
    Rule("disjoint", (is_a(B, x), is_a(C, x)), None),
]
FIRST = {(a, R, b): 1, member(A, b): 0}
THEN = {(b, R, c): 2, member(A, c): 2, (a, R, b): 3, member(C, a): 3}


class Loaded:
    """A model that facts are added to at once, or by the kernel."""

    def __init__(self, at_once):
        program = compile_(RULES)
        self.model = WindowModel(program, "newest", Vocabulary(program))
        self.model._come_to(9)
        self.program, self.at_once = BulkProgram(program.plans), at_once

    def add(self, given):
        kernel, vocabulary = self.model.kernel, self.model.vocabulary
        facts, levels = vocabulary.encode(given).facts, np.array(list(given.values()), np.int32)
        previous = np.empty(len(facts), np.int32)
        if self.at_once:
            load(kernel, self.program, facts, levels, previous, vocabulary)
        else:
            kernel.add(readable(facts), readable(levels), readable(previous))
        kernel.check_invariants()
        return previous.tolist()

    def levels(self):
        self.model.kernel.settle()
        *fact, levels = self.model.kernel.store.columns("predicate", "subject", "object", "level")
        triples = self.model.vocabulary.decode(np.stack(fact, axis=1))
        return dict(zip(triples, levels.tolist(), strict=True))

    def violations(self):
        rows = self.model.violations()
        return {
            frozenset(self.model.vocabulary.decode(self.model.facts_of([r for r in body if r >= 0])))
            for _, *body in rows.tolist()
        }


def test_the_kernel_then_holds_what_it_would_have_found_itself():
    at_once, by_row = Loaded(True), Loaded(False)
    for given in (FIRST, THEN):
        assert at_once.add(given) == by_row.add(given), "what undoes it is the same too"
        assert at_once.levels() == by_row.levels()
        assert at_once.violations() == by_row.violations()
    changes = [sorted(each.model.take_changes().tolist()) for each in (at_once, by_row)]
    assert changes[0] == changes[1]


def test_what_was_loaded_can_be_cut_and_extended_as_if_the_kernel_had_found_it():
    at_once, by_row = Loaded(True), Loaded(False)
    for each in (at_once, by_row):
        each.add({**FIRST, **THEN})
        each.at_once = False
        each.model.cut(each.model.vocabulary.encode([(b, R, c)]).facts)
        each.add({(c, R, EX.d): 4, (b, R, EX.d): 4})
    assert at_once.levels() == by_row.levels()


def test_a_violation_between_what_is_there_and_what_comes_is_noted():
    loaded = Loaded(True)
    loaded.add(FIRST)
    assert loaded.violations() == set()
    loaded.add({member(C, a): 2})
    assert loaded.violations() == {frozenset({member(B, a), member(C, a)})}


def test_what_follows_few_at_a_time_is_left_to_the_kernel(monkeypatch):
    monkeypatch.setattr(evaluation, "_PATIENCE", -(10**9))
    slow, by_row = Loaded(True), Loaded(False)
    assert slow.add(FIRST) == by_row.add(FIRST)
    assert slow.levels() == by_row.levels() and slow.model.kernel.pops > 0


def test_too_many_facts_are_found_out_before_any_is_stored():
    loaded = Loaded(True)
    with pytest.raises(Overfull), loaded.model.limited(5, None):
        loaded.add({member(A, EX[f"i{number}"]): 0 for number in range(5)})
    assert loaded.model.kernel.store.live == 0
