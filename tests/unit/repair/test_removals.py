"""Removed facts with the conflicts that explain their removal."""

from itertools import permutations

from rdflib import RDF

from pantarhei.model.rule import Atom, Rule
from pantarhei.repair.removals import other_assertions, removed_facts
from pantarhei.repair.result import Conflict, Repair
from strategies import EX

OPEN, SHUT, STUCK = ((EX.valve, RDF.type, EX[name]) for name in ("Open", "Shut", "Stuck"))
DISJOINT = Rule("cax-dw", (Atom(EX.Open, ()), Atom(EX.Shut, ())), None)
OLD, NEW = (
    Conflict(frozenset({(1, OPEN), (at, other)}), (DISJOINT,)) for at, other in ((2, SHUT), (3, STUCK))
)
EQUAL = Conflict(frozenset({(1, OPEN), (3, SHUT)}), (DISJOINT,))


def removed(conflicts, *assertions):
    return removed_facts(Repair.of(3, "newest", conflicts, frozenset(assertions), frozenset()))


def test_a_removed_fact_has_all_its_times():
    (found,) = removed([OLD], (1, OPEN), (0, OPEN))
    assert (found.triple, found.times, found.conflict, found.others) == (OPEN, (0, 1), OLD, ((2, SHUT),))


def test_the_conflict_with_the_newest_facts_explains_in_any_order():
    for order in permutations([OLD, NEW, EQUAL]):
        assert removed(order, (1, OPEN))[0].conflict is EQUAL  # of two at 3 the first by its text


def test_a_fact_without_a_recorded_conflict_is_listed():
    (found,) = removed([], (1, OPEN))
    assert found.conflict is None and found.others == ()


def test_a_fact_that_contradicts_the_background_has_no_others():
    assert other_assertions(Conflict(frozenset({(1, OPEN)}), (DISJOINT,)), OPEN) == ()
