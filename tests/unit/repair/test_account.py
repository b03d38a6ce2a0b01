"""The account of a repair: who was in conflict, as it was last given."""

import pytest
from rdflib import XSD, Literal

from pantarhei import Ontology
from pantarhei.encoding.numbers import NO_FACTS
from pantarhei.interpretation.foundation import Foundation
from pantarhei.language.rule import Different, Rule
from pantarhei.repair.account import RepairAccount
from pantarhei.repair.conflict import Budget, find_conflicts
from pantarhei.repair.result import Conflict
from pantarhei.window.log import Entry, Log
from strategies import A, B, C, V, a, b, is_a, member, related, x, y, z

SUBCLASS = Rule("sub", (is_a(A, x),), is_a(B, x))
DISJOINT = Rule("disjoint", (is_a(B, x), is_a(C, x)), None)
FUNCTIONAL = Rule("functional", (related(V, x, y), related(V, x, z)), None, (Different(y, z),))
ONE, ZERO_ONE, TWO = (Literal(n, datatype=XSD.integer, normalize=False) for n in ("1", "01", "2"))


def account_of(*aboxes, rules=(SUBCLASS, DISJOINT, FUNCTIONAL)):
    """The account when the last of the ABoxes arrives, its lineage and its conflicts."""
    foundation = Foundation.of(Ontology.from_rules(rules))
    model, entries = foundation.model(), []
    for level, triples in enumerate(aboxes):
        facts, forms = foundation.vocabulary.encode(triples)
        model.add(facts, level)
        entries.append(Entry(level, f"t{level}", level, facts, NO_FACTS, forms))
    *older, arriving = entries
    lexicon, known = foundation.vocabulary.lexicon, foundation.growing.program.rules
    lineage = model.lineage(Budget().instances)
    conflicts = find_conflicts(lineage, arriving.level, Budget())
    return RepairAccount(Log.of(older), arriving, lexicon, known), lineage, conflicts


def test_a_conflict_has_the_newest_time_of_each_assertion_and_the_constraint():
    account, *found = account_of([member(A, a)], [member(A, a), member(A, b)], [member(C, a)])
    repair = account.of("exact", *found, NO_FACTS, NO_FACTS)
    members = frozenset({("t1", member(A, a)), ("t2", member(C, a))})
    assert list(repair.conflicts) == [Conflict(members, (DISJOINT,))]
    assert (repair.at, repair.method, repair.removed, repair.undecided) == ("t2", "exact", set(), set())


def test_what_was_cut_is_told_with_all_its_times():
    account, lineage, conflicts = account_of([member(A, a)], [member(A, a), member(A, b)], [member(C, a)])
    cut = account.older.newest.facts[:1]
    repair = account.of("exact", lineage, conflicts, cut, NO_FACTS)
    assert repair.removed == {("t0", member(A, a)), ("t1", member(A, a))}


def test_what_was_undecided_is_told_as_it_was_asserted_last():
    account, lineage, conflicts = account_of([member(A, a)], [member(A, a), member(C, a)])
    repair = account.of("exact", lineage, conflicts, account.arriving.facts, account.arriving.facts)
    assert repair.undecided == {("t1", member(A, a)), ("t1", member(C, a))}


@pytest.mark.parametrize("given", [ONE, ZERO_ONE])
def test_a_literal_is_shown_as_it_was_written_last(given):
    account, lineage, conflicts = account_of([(a, V, ONE)], [(a, V, given)], [(a, V, TWO)])
    (conflict,) = account.of("exact", lineage, conflicts, NO_FACTS, NO_FACTS).conflicts
    assert {(at, str(triple[2])) for at, triple in conflict.assertions} == {("t1", str(given)), ("t2", "2")}


def test_conflicts_are_counted_before_they_are_told():
    account, lineage, conflicts = account_of([member(A, a), member(A, b)], [member(C, a), member(C, b)])
    repair = account.of("exact", lineage._replace(rows=None), conflicts, NO_FACTS, NO_FACTS)
    assert len(repair.conflicts) == 2
    with pytest.raises(AttributeError):
        list(repair.conflicts)
