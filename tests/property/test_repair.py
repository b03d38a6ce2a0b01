"""The choice of the cut, on abstract conflicts and end to end through the reasoner."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Namespace, Variable

from counts import cases
from pantarhei import Budget, Ontology, StreamReasoner, Window
from pantarhei.language.rule import Atom, Rule
from pantarhei.reference import window_repair as reference
from pantarhei.repair.choose import choose, grounded
from strategies import conflict_hypergraphs

EX = Namespace("http://example.org/")
CAR = EX.car


def numbered(hypergraph):
    """(time of each element by its number, conflicts of numbers)."""
    elements, conflicts = hypergraph
    number = {element: i for i, element in enumerate(sorted(elements))}
    times = {i: element[0] for element, i in number.items()}
    return times, [frozenset(number[e] for e in conflict) for conflict in conflicts]


def named(elements, times):
    return frozenset((times[e], e) for e in elements)


@given(conflict_hypergraphs())
@settings(max_examples=cases(80, 500), deadline=None)
def test_the_exact_cut_is_what_some_maximal_subset_lacks(hypergraph):
    times, conflicts = numbered(hypergraph)
    kept = reference.repair_of_conflicts(named(times, times), [named(c, times) for c in conflicts])
    choice = choose(conflicts, times, "exact", Budget())
    assert named(set(times) - choice.cut, times) == kept
    assert not choice.undecided


@given(conflict_hypergraphs())
@settings(max_examples=cases(50, 300), deadline=None)
def test_the_grounded_fixpoint_decides_nothing_wrong(hypergraph):
    times, conflicts = numbered(hypergraph)
    exact = choose(conflicts, times, "exact", Budget()).cut
    state = grounded(conflicts, times)
    assert state.out <= exact
    assert not state.in_ & exact
    assert choose(conflicts, times, "grounded", Budget()).cut == state.out | state.undecided >= exact


@given(conflict_hypergraphs())
@settings(max_examples=cases(50, 300), deadline=None)
def test_algorithm3_is_the_printed_one(hypergraph):
    times, conflicts = numbered(hypergraph)
    removed = reference.algorithm3([named(c, times) for c in conflicts])
    assert named(choose(conflicts, times, "algorithm3", Budget()).cut, times) == removed


@given(conflict_hypergraphs(), st.integers(0, 12))
@settings(max_examples=cases(50, 300), deadline=None)
def test_past_its_budget_a_search_removes_what_it_did_not_decide(hypergraph, steps):
    times, conflicts = numbered(hypergraph)
    exact = choose(conflicts, times, "exact", Budget()).cut
    choice = choose(conflicts, times, "exact", Budget(steps=steps))
    assert exact <= choice.cut
    assert choice.cut - exact <= choice.undecided
    assert all(conflict & choice.cut for conflict in conflicts)


def of_conflicts(conflicts):
    """One constraint a conflict: the classes of its elements have no common member."""
    x = Variable("x")
    return Ontology.from_rules(
        Rule("pr-conflict", tuple(Atom(EX[name], (x,)) for _, name in sorted(conflict)), None)
        for conflict in conflicts
    )


@pytest.mark.parametrize("keep", ["newest", "every"])
@pytest.mark.parametrize("method", ["exact", "grounded", "algorithm3", "off"])
@given(hypergraph=conflict_hypergraphs())
@settings(max_examples=cases(25, 60), deadline=None)
def test_the_reasoner_follows_the_fold(keep, method, hypergraph):
    """One car, one class an element; elements arrive in time order, and each arrival is repaired."""
    elements, conflicts = hypergraph
    reasoner = StreamReasoner(of_conflicts(conflicts), Window(10), repair=method, keep=keep)
    kept = frozenset()
    for at in sorted({time for time, _ in elements}):
        arriving = frozenset(e for e in elements if e[0] == at)
        known = kept | arriving
        active = [c for c in conflicts if c <= known]
        update = reasoner.push(at, [(CAR, RDF.type, EX[name]) for _, name in arriving])
        times = {e: e[0] for e in known}
        if method == "exact":
            kept = reference.repair_of_conflicts(known, active)
        elif method == "grounded":
            kept = known - (set(grounded(active, times).out) | set(grounded(active, times).undecided))
        elif method == "algorithm3":
            kept = known - reference.algorithm3(active)
        else:
            kept = known
        assert reasoner.assertions() == {(time, (CAR, RDF.type, EX[name])) for time, name in kept}
        if method != "off":
            assert set(update.repair.conflict_sets) == {
                frozenset((time, (CAR, RDF.type, EX[name])) for time, name in c) for c in active
            }
