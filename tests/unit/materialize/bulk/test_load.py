"""Facts into the kernel at once: it then holds what it would have found row by row."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given as given_of_hypothesis
from hypothesis import settings
from hypothesis import strategies as st

from oracle.materialization import closure, instances
from pantarhei.encoding.numbers import FIRST_LITERAL
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.bulk import evaluation
from pantarhei.materialize.bulk.evaluation import BulkProgram, TooManyError
from pantarhei.materialize.bulk.load import ABoxProgram, load, most_aboxes
from pantarhei.materialize.kernel.rows import CapacityExceededError
from pantarhei.materialize.kernel_values import contiguous
from pantarhei.materialize.model import WindowModel
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
        self.model._advance_to(9)
        self.program, self.at_once = BulkProgram(program.plans), at_once

    def add(self, given):
        kernel, vocabulary = self.model.kernel, self.model.vocabulary
        facts, levels = vocabulary.encode(given).facts, np.array(list(given.values()), np.int32)
        previous = np.empty(len(facts), np.int32)
        if self.at_once:
            load(kernel, self.program, facts, levels, previous, vocabulary)
        else:
            kernel.add(contiguous(facts), contiguous(levels), contiguous(previous))
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
    monkeypatch.setattr(evaluation, "_BUDGET", -(10**9))
    slow, by_row = Loaded(True), Loaded(False)
    assert slow.add(FIRST) == by_row.add(FIRST)
    assert slow.levels() == by_row.levels() and slow.model.kernel.pops > 0


def test_too_many_facts_are_found_out_before_any_is_stored():
    loaded = Loaded(True)
    with pytest.raises(CapacityExceededError), loaded.model.limited(5, None):
        loaded.add({member(A, EX[f"i{number}"]): 0 for number in range(5)})
    assert loaded.model.kernel.store.live == 0


DERIVING = RULES[:3]
BACKGROUND = {member(B, c), (c, R, c), member(A, c)}
TRIPLES = [(s, R, o) for s in (a, b, c) for o in (a, b, c)] + [
    member(class_, who) for class_ in (A, B, C) for who in (a, b, c)
]
aboxes = st.lists(st.lists(st.sampled_from(TRIPLES), max_size=6), min_size=1, max_size=4)


def close(given, **more):
    """Of each ABox which facts are first, what is derived, and whether it is contradictory."""
    program = compile_(RULES)
    vocabulary = Vocabulary(program)
    background = vocabulary.encode(sorted(closure(DERIVING, BACKGROUND))).facts
    facts = vocabulary.encode([triple for abox in given for triple in abox]).facts
    bounds = np.cumsum([0, *map(len, given)]).tolist()
    closing = ABoxProgram(program.plans, background)
    made = closing.close(facts, bounds, len(vocabulary.names), vocabulary, **more)
    derived = [list(vocabulary.decode(part)) for part in made.derived]
    firsts = [made.first[start:end].tolist() for start, end in pairwise(bounds)]
    return firsts, derived, made.contradictory


@settings(max_examples=80, deadline=None)
@given_of_hypothesis(aboxes)
def test_each_model_is_the_closure_of_its_abox_with_the_background_and_nothing_else(given):
    always = closure(DERIVING, BACKGROUND)
    firsts, derived, contradictory = close(given)
    for number, abox in enumerate(given):
        whole = closure(DERIVING, always | set(abox))
        assert sorted(derived[number]) == sorted(whole - always - set(abox))
        assert (number in contradictory) == any(
            member(B, who) in whole and member(C, who) in whole for who in (a, b, c)
        )
        assert firsts[number] == [triple not in abox[:place] for place, triple in enumerate(abox)]


def test_what_is_derived_comes_after_what_it_follows_from():
    abox = [(a, R, b), (b, R, c), member(A, b)]
    _, (derived,), _ = close([abox])
    known = closure(DERIVING, BACKGROUND) | set(abox)
    for fact in derived:
        known = known | {fact}
        assert any(head == fact and fact not in body for _, body, head in instances(DERIVING, known))


def test_all_models_together_may_have_no_more_facts_than_that():
    given = [[member(A, a)], [member(A, b)]]
    assert [len(part) for part in close(given, most=4)[1]] == [1, 1]
    with pytest.raises(TooManyError):
        close(given, most=3)


@pytest.mark.parametrize("names", [1, 2, 3, 1024, 1025, 1 << 30])
def test_the_number_of_an_abox_and_of_a_name_share_31_bits(names):
    most = most_aboxes(names)
    bits = (1 << 31) // most
    assert names <= bits and (names <= 2 or bits < 2 * names) and most >= 1
    assert bits // 2 <= FIRST_LITERAL
