"""The account of a repair: the members of conflicts, what was removed or undecided, as assertions."""

from itertools import pairwise

import numpy as np
import pytest
from rdflib import XSD, Literal

from pantarhei import Ontology
from pantarhei.encoding.numbers import NO_FACTS
from pantarhei.interpretation.foundation import Foundation
from pantarhei.model.rule import Different, Rule
from pantarhei.repair.account import RepairAccount
from pantarhei.repair.conflict import Budget, KeptEvidence
from pantarhei.repair.exact import Cut
from pantarhei.repair.result import Conflict
from pantarhei.window.log import Entry, Log
from strategies import EX, A, B, C, V, a, b, is_a, member, related, x, y, z

SUBCLASS = Rule("sub", (is_a(A, x),), is_a(B, x))
DISJOINT = Rule("disjoint", (is_a(B, x), is_a(C, x)), None)
FUNCTIONAL = Rule("functional", (related(V, x, y), related(V, x, z)), None, (Different(y, z),))
ONE, ZERO_ONE, TWO = (Literal(n, datatype=XSD.integer, normalize=False) for n in ("1", "01", "2"))
BUDGET = Budget()


class Arrived:
    """The account when the last of some ABoxes arrives, and its lineage."""

    def __init__(self, *aboxes, rules=(SUBCLASS, DISJOINT, FUNCTIONAL)):
        self.foundation = Foundation.of(Ontology.from_rules(rules))
        model, entries = self.foundation.model(), []
        for level, triples in enumerate(aboxes):
            facts, forms = self.foundation.vocabulary.encode(triples)
            back = model.levels_back(model.add(facts, level), level)
            entries.append(Entry(level, f"t{level}", level, facts, NO_FACTS, forms, back))
        *older, arriving = entries
        self.lexicon, rules = self.foundation.vocabulary.lexicon, self.foundation.growing.program.rules
        self.lineage = model.lineage(BUDGET.instances)
        self.account = RepairAccount(Log.of(older), arriving, self.lexicon, rules)

    def repair(self, cut=(), undecided=()):
        """The repair that cut some triples."""
        return self.account.of(
            "exact",
            self.lineage,
            Cut(self.places(cut), self.places(undecided)),
            KeptEvidence(self.lineage, BUDGET),
        )

    def places(self, triples):
        """Where the facts of triples stand in the lineage."""
        wanted = list(triples)
        found = [place for place, one in enumerate(self.lexicon.decode(self.lineage.facts)) if one in wanted]
        assert len(found) == len(wanted)
        return np.array(found, np.intp)


def test_a_conflict_has_the_newest_time_of_each_assertion_and_the_constraint():
    repair = Arrived([member(A, a)], [member(A, a), member(A, b)], [member(C, a)]).repair()
    members = frozenset({("t1", member(A, a)), ("t2", member(C, a))})
    assert list(repair.conflicts) == [Conflict(members, (DISJOINT,))]
    assert (repair.at, repair.method, repair.removed, repair.undecided) == ("t2", "exact", set(), set())
    assert not repair


def test_a_cut_fact_is_removed_with_all_its_times():
    repair = Arrived([member(A, a)], [member(A, a), member(A, b)], [member(C, a)]).repair([member(A, a)])
    assert repair.removed == {("t0", member(A, a)), ("t1", member(A, a))}
    assert repair and not repair.undecided


def test_an_undecided_fact_has_its_newest_time():
    both = [member(A, a), member(C, a)]
    repair = Arrived([member(A, a)], both).repair(both, both)
    assert repair.undecided == {("t1", member(A, a)), ("t1", member(C, a))}
    assert repair.undecided_facts == 2 and len(repair.removed) == 3


def test_small_conflicts_come_first_then_those_of_older_members_then_by_text():
    together = Rule("three", (is_a(A, x), is_a(B, x), related(V, x, ONE)), None)
    rules = (SUBCLASS, DISJOINT, FUNCTIONAL, together)
    first, then = [member(A, EX.d), (EX.c, V, ONE)], [member(C, who) for who in (EX.d, EX.c, EX.b)]
    last = [(EX.c, V, TWO), member(A, EX.c), member(A, EX.b)]
    conflicts = Arrived(first, then, last, rules=rules).repair().conflicts
    found = [sorted((at, str(triple[0])[-1]) for at, triple in each.assertions) for each in conflicts]
    assert found == [
        [("t0", "c"), ("t2", "c")],  # the value
        [("t0", "c"), ("t2", "c")],  # A, and so B, with the value
        [("t0", "d"), ("t1", "d")],
        [("t1", "b"), ("t2", "b")],
        [("t1", "c"), ("t2", "c")],
    ]
    assert [each.constraints[0].name for each in conflicts][:3] == ["functional", "three", "disjoint"]


@pytest.mark.parametrize("given", [ONE, ZERO_ONE])
def test_a_literal_is_shown_as_it_was_written_last(given):
    (conflict,) = Arrived([(a, V, ONE)], [(a, V, given)], [(a, V, TWO)]).repair().conflicts
    assert {(at, str(triple[2])) for at, triple in conflict.assertions} == {("t1", str(given)), ("t2", "2")}


@pytest.mark.parametrize(
    "step", [lambda repair: len(repair.conflicts), lambda repair: repair.conflicts.complete, bool]
)
def test_nothing_is_decoded_before_it_is_read(monkeypatch, step):
    arrived = Arrived([member(A, a), member(A, b)], [member(C, a), member(C, b)])
    repair = arrived.repair([member(A, a)])
    decoded = []
    whole = type(arrived.lexicon).decode
    monkeypatch.setattr(
        type(arrived.lexicon), "decode", lambda *given: decoded.append(given) or whole(*given)
    )
    step(repair)
    assert not decoded
    assert len(repair.conflicts) == len(list(repair.conflicts)) == 2
    assert decoded


def test_members_alone_are_decoded(monkeypatch):
    """The lineage has a chain of derived facts between them."""
    classes = [EX[f"D{number}"] for number in range(200)]
    chain = [Rule("sub", (is_a(one, x),), is_a(other, x)) for one, other in pairwise(classes)]
    arrived = Arrived(
        [member(classes[0], a)],
        [member(C, a)],
        rules=[*chain, Rule("end", (is_a(classes[-1], x), is_a(C, x)), None)],
    )
    repair, decoded = arrived.repair(), []
    whole = type(arrived.lexicon).decode
    monkeypatch.setattr(
        type(arrived.lexicon),
        "decode",
        lambda self, facts, *rest: decoded.append(len(facts)) or whole(self, facts, *rest),
    )
    (conflict,) = repair.conflicts
    assert len(arrived.lineage.rows) > 200 and len(conflict.assertions) == sum(decoded) == 2
