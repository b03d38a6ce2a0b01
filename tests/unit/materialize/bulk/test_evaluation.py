"""What follows from many facts, set at a time: levels, violations, counts and limits."""

import numpy as np
import pytest
from rdflib import Literal

from pantarhei.encoding.numbers import NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.bulk import evaluation
from pantarhei.materialize.bulk.columns import columns_of
from pantarhei.materialize.bulk.evaluation import (
    BulkProgram,
    TooManyError,
    TooSlowError,
    derives_edges,
    edges_of,
    with_edges,
)
from pantarhei.model.rule import Different, Rule
from pantarhei.rules.compilation.plan import JoinPlan
from pantarhei.rules.compilation.program import compile_
from strategies import EX, A, B, C, R, S, V, a, b, c, is_a, member, related, x, y, z

SUBCLASS = Rule("sub", (is_a(A, x),), is_a(B, x))
DOMAIN = Rule("svf", (related(R, x, y), is_a(A, y)), is_a(A, x))
DISJOINT = Rule("disjoint", (is_a(B, x), is_a(C, x)), None)
FUNCTIONAL = Rule("functional", (related(V, x, y), related(V, x, z)), None, (Different(y, z),))
TRANSITIVE = Rule("prp-trp", (related(R, x, y), related(R, y, z)), related(R, x, z))


class Closing:
    def __init__(self, *rules):
        self.compiled = compile_(rules)
        self.vocabulary = Vocabulary(self.compiled)
        self.program = BulkProgram(self.compiled.plans)

    def rows(self, given):
        facts = self.vocabulary.encode(given).facts
        return facts, np.array(list(given.values()), np.int32)

    def __call__(self, given, stored=None, **more):
        known = columns_of(*self.rows(stored)) if stored else {}
        return self.program.closure(known, *self.rows(given), self.vocabulary, **more)

    def levels(self, made):
        """The last level at which each fact settled."""
        found = {}
        for part in made.settled:
            triples = self.vocabulary.decode(part.facts)
            found.update(zip(triples, part.columns.levels.tolist(), strict=True))
        return found


def test_a_level_is_the_largest_over_the_derivations_of_the_smallest_in_the_body():
    closing = Closing(SUBCLASS, DOMAIN)
    given = {(a, R, b): 5, member(A, b): 2, (a, R, c): 3, member(A, c): 4}
    derived = {member(A, a): 3, member(B, a): 3, member(B, b): 2, member(B, c): 4}
    made = closing(given)
    assert closing.levels(made) == given | derived
    assert made.inserted == len(given | derived)


def test_what_is_stored_is_joined_with_and_comes_again_only_where_it_rises():
    closing = Closing(SUBCLASS, DOMAIN)
    stored = {member(A, b): 2, member(B, b): 2, member(A, a): 1, member(B, a): 1}
    made = closing({(a, R, b): 5}, stored)
    assert closing.levels(made) == {(a, R, b): 5, member(A, a): 2, member(B, a): 2}
    assert made.inserted == 1


def test_each_fact_settles_after_what_it_follows_from():
    closing = Closing(SUBCLASS, Rule("sub", (is_a(B, x),), is_a(C, x)))
    order = [predicate for predicate, _ in closing({member(A, a): 1}).settled]
    assert [closing.vocabulary.symbols[predicate].name for predicate in order] == [A, B, C]


def test_violations_are_the_facts_with_which_a_constraint_matches_with_its_plan():
    closing = Closing(SUBCLASS, DISJOINT, FUNCTIONAL)
    one, two = ((a, V, Literal(n)) for n in (1, 2))
    made = closing({member(A, a): 1, member(C, a): 1, member(C, b): 1, one: 1, two: 1})
    code, found = closing.compiled.plans.code.tolist(), {}
    for offset, facts in made.violating:
        plan = JoinPlan.at(code, offset)
        assert plan.head[0] == NONE
        rule = closing.compiled.rules[plan.rule].name
        found.setdefault(rule, set()).update(closing.vocabulary.decode(facts))
    assert found.keys() == {"disjoint", "functional"}
    assert found["disjoint"] <= {member(B, a), member(C, a)} and found["functional"] == {one, two}


def test_no_more_facts_come_than_may_those_stored_not_counted():
    closing, stored = Closing(SUBCLASS), {member(A, c): 1, member(B, c): 1}
    given = {member(A, a): 1, member(A, b): 1}
    assert closing(given, stored, most=4).inserted == 4
    with pytest.raises(TooManyError) as raised:
        closing(given, stored, most=3)
    assert raised.value.facts > 3


def test_edges_are_told_apart_from_what_transitivity_derives():
    closing = Closing(TRANSITIVE)
    path = {(EX[f"n{i}"], R, EX[f"n{i + 1}"]): i for i in range(5)}
    made = closing(path)
    assert {t for part in made.edges for t in closing.vocabulary.decode(part.facts)} == set(path)
    assert len(closing.levels(made)) == 15 and closing.levels(made)[(EX.n0, R, EX.n5)] == 0


def test_a_long_chain_is_given_up_for_the_kernel_of_rows(monkeypatch):
    monkeypatch.setattr(evaluation, "_BUDGET", 0)
    closing = Closing(DOMAIN)
    chain = {(EX[f"n{i}"], R, EX[f"n{i + 1}"]): 0 for i in range(300)}
    with pytest.raises(TooSlowError):
        closing({**chain, member(A, EX.n300): 0})
    star = {(EX[f"n{i}"], R, EX.n300): 0 for i in range(300)}
    assert closing({**star, member(A, EX.n300): 0}).inserted == 601


COPY = Rule("prp-symp", (related(R, x, y),), related(R, y, x))
ASSERTING = Rule("hv", (is_a(A, x),), related(R, x, a))
OTHER = Rule("prp-dom", (related(S, x, y),), is_a(A, x))


def plans_of(rule):
    """(trigger's predicate, plan) of a rule among all, the plans of the program, and the number of R."""
    program = compile_([TRANSITIVE, COPY, ASSERTING, OTHER])
    forward, found = program.plans.forward, []
    for predicate in range(len(program.predicates)):
        for offset in forward.plans[forward.start[predicate] : forward.start[predicate + 1]].tolist():
            plan = JoinPlan.at(program.plans.code.tolist(), offset)
            if program.rules[plan.rule] == rule:
                found.append((predicate, plan))
    (number,) = [n for n, symbol in enumerate(program.predicates) if symbol.name == R]
    return sorted(found, key=lambda each: each[1].atom), program.plans, number


@pytest.mark.parametrize("predicate", [0, 1, 7, 1 << 20])
def test_numbers_of_edges_are_those_of_no_predicate_and_lead_back(predicate):
    assert edges_of(predicate) < -1 and edges_of(edges_of(predicate)) == predicate


def test_transitivity_joins_any_fact_with_an_edge_from_either_side():
    ((_, path), (_, edge)), plans, number = plans_of(TRANSITIVE)
    ((trigger, plan),) = with_edges(number, path, plans)
    assert trigger == number and [step.predicate for step in plan.steps] == [edges_of(number)]
    ((trigger, plan),) = with_edges(number, edge, plans)
    assert trigger == edges_of(number) and [step.predicate for step in plan.steps] == [number]
    assert plan.head[0] == number, "what it derives is no edge"


def test_a_copy_makes_facts_of_facts_and_edges_of_edges():
    ((_, copy),), plans, number = plans_of(COPY)
    (one, plain), (other, among_edges) = with_edges(number, copy, plans)
    assert (one, plain) == (number, copy)
    assert other == edges_of(number) == among_edges.head[0] and among_edges.head[1:] == copy.head[1:]


@pytest.mark.parametrize("rule", [ASSERTING, OTHER])
def test_other_plans_stay_what_they_are(rule):
    ((predicate, plan),), plans, _ = plans_of(rule)
    assert list(with_edges(predicate, plan, plans)) == [(predicate, plan)]


@pytest.mark.parametrize(
    ("rule", "makes"), [(TRANSITIVE, False), (COPY, False), (ASSERTING, True), (OTHER, False)]
)
def test_edges_are_made_by_all_but_transitivity_and_copies(rule, makes):
    found, plans, _ = plans_of(rule)
    assert {derives_edges(plan, plans) for _, plan in found} == {makes}
