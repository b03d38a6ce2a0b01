"""The choice of the cut, on abstract conflicts and end to end through the reasoner."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Namespace, Variable

from counts import cases
from lineages import Case, Meaning, lineage_of, rank
from oracle import window_repair as reference
from pantarhei import Budget, Ontology, StreamReasoner, Window
from pantarhei.model.rule import Atom, Rule
from pantarhei.repair.cut import algorithm3, exact_cut, grounded
from strategies import conflict_hypergraphs

pytestmark = pytest.mark.timeout(120)
UNLIMITED = Budget()
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


def exact(conflicts, times, budget=UNLIMITED):
    """(removed, undecided) where each conflict is the body of a violated constraint."""
    if not conflicts:
        return frozenset(), frozenset()
    lineage = lineage_of(Case(times, [], [(0, tuple(conflict)) for conflict in conflicts]))
    cut = exact_cut(lineage, budget, rank)
    return tuple(frozenset(lineage.rows[places].tolist()) for places in cut)


@given(conflict_hypergraphs())
@settings(max_examples=cases(40, 500), deadline=None)
def test_the_exact_cut_is_what_some_maximal_subset_lacks(hypergraph):
    times, conflicts = numbered(hypergraph)
    kept = reference.repair_of_conflicts(named(times, times), [named(c, times) for c in conflicts])
    removed, undecided = exact(conflicts, times)
    assert named(set(times) - removed, times) == kept
    assert not undecided


@given(conflict_hypergraphs())
@settings(max_examples=cases(25, 300), deadline=None)
def test_all_members_of_minimal_conflicts_of_one_time_are_cut(hypergraph):
    """Some maximal subset lacks each of them, since some minimal hitting set has it."""
    times, conflicts = numbered(hypergraph)
    assert exact(conflicts, dict.fromkeys(times, 1))[0] == frozenset().union(*conflicts)


@given(conflict_hypergraphs())
@settings(max_examples=cases(25, 300), deadline=None)
def test_maximal_subsets_of_one_time_are_the_complements_of_minimal_hitting_sets(hypergraph):
    times, conflicts = numbered(hypergraph)
    everything = frozenset(times)
    subsets = [frozenset(each) for n in range(len(everything) + 1) for each in combinations(everything, n)]
    hitting = [each for each in subsets if all(each & conflict for conflict in conflicts)]
    least = {each for each in hitting if not any(other < each for other in hitting)}
    meaning = Meaning(Case(dict.fromkeys(times, 1), [], [(0, tuple(conflict)) for conflict in conflicts]))
    assert meaning.maximal_subsets() == {everything - each for each in least}


def fixpoint(conflicts, times):
    """(in, out) by the definition of the grounded fixpoint, applied until nothing is new."""
    kept, out = set(), set()
    while True:
        before = len(kept) + len(out)
        for e in times:
            own = [conflict for conflict in conflicts if e in conflict]
            if any(c - {e} <= kept and times[e] == min(map(times.get, c)) for c in own):
                out.add(e)
            if all(min(map(times.get, c)) < times[e] or c & out - {e} for c in own):
                kept.add(e)
        if len(kept) + len(out) == before:
            return kept, out


@given(conflict_hypergraphs())
@settings(max_examples=cases(25, 300), deadline=None)
def test_the_grounded_fixpoint_is_the_one_of_its_definition_and_decides_nothing_wrong(hypergraph):
    times, conflicts = numbered(hypergraph)
    removed, _ = exact(conflicts, times)
    state = grounded(conflicts, times)
    kept, out = fixpoint(conflicts, {e: times[e] for conflict in conflicts for e in conflict})
    assert (state.in_, state.out) == (kept, out)
    assert state.out <= removed <= state.out | state.undecided
    assert not state.in_ & removed
    assert state.in_ | state.out | state.undecided == frozenset().union(*conflicts)


@given(conflict_hypergraphs())
@settings(max_examples=cases(25, 300), deadline=None)
def test_algorithm3_is_the_printed_one(hypergraph):
    times, conflicts = numbered(hypergraph)
    removed = reference.algorithm3([named(c, times) for c in conflicts])
    assert named(algorithm3(conflicts, times), times) == removed


@given(conflict_hypergraphs(), st.integers(0, 12))
@settings(max_examples=cases(25, 300), deadline=None)
def test_past_its_budget_a_search_removes_what_it_did_not_decide(hypergraph, steps):
    times, conflicts = numbered(hypergraph)
    decided, _ = exact(conflicts, times)
    removed, undecided = exact(conflicts, times, Budget(steps=steps))
    assert decided <= removed
    assert removed - decided <= undecided
    assert all(conflict & removed for conflict in conflicts)


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
@settings(max_examples=cases(12, 60), deadline=None)
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
