"""Plans that join with edges, which stand under numbers of their own."""

import pytest

from pantarhei.materialize.bulk.edge_joins import edges_of, makes_edges, with_edges
from pantarhei.model.rule import Rule
from pantarhei.rules.compilation.plan import JoinPlan
from pantarhei.rules.compilation.program import compile_
from strategies import A, R, S, a, is_a, related, x, y, z

TRANSITIVE = Rule("prp-trp", (related(R, x, y), related(R, y, z)), related(R, x, z))
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
    assert {makes_edges(plan, plans) for _, plan in found} == {makes}
