"""Repairs with many proofs: what is found, and what is kept past the budget."""

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from rdflib import RDF, XSD, Literal, Namespace, Variable

from pantarhei import Budget, Ontology, StreamReasoner, Window, load_ontology
from pantarhei.encoding.numbers import NO_FACTS
from pantarhei.interpretation.foundation import Foundation
from pantarhei.model.rule import Atom, Different, Rule
from pantarhei.repair.conflict import KeptEvidence
from pantarhei.repair.cut import Cut
from pantarhei.repair.repairer import RepairReport
from pantarhei.repair.result import Conflict
from pantarhei.window.log import Entry, Log
from strategies import EX as StrategiesEX
from strategies import A, C, V, a, b, related
from strategies import B as StrategiesB
from strategies import is_a as is_a_of_strategies
from strategies import member as member_of_strategies
from strategies import x as x_of_strategies
from strategies import y as y_of_strategies
from strategies import z as z_of_strategies

ROOT = Path(__file__).resolve().parents[3]

EX = Namespace("http://example.org/")
x, y, z = Variable("x"), Variable("y"), Variable("z")
BEFORE = [
    Rule("prp-trp", (Atom(EX.before, (x, y)), Atom(EX.before, (y, z))), Atom(EX.before, (x, z))),
    Rule("prp-irp", (Atom(EX.before, (x, x)),), None),
]
ONE_VALUE = Rule("prp-fp", (Atom(EX.at, (x, y)), Atom(EX.at, (x, z))), None, (Different(y, z),))


def chain(length):
    return [(EX[f"n{i}"], EX.before, EX[f"n{i + 1}"]) for i in range(length)]


@pytest.mark.parametrize("length", [2, 5, 12])
def test_closing_a_cycle_is_one_conflict_and_cuts_its_oldest_edge(length):
    reasoner = StreamReasoner(Ontology.from_rules(BEFORE), Window(1000))
    edges = chain(length)
    for at, edge in enumerate(edges):
        reasoner.push(at, [edge])
    closing = (EX[f"n{length}"], EX.before, EX.n0)
    update = reasoner.push(length, [closing])
    assert list(update.repair.conflict_sets) == [frozenset([*enumerate(edges), (length, closing)])]
    assert update.repair.removed == {(0, edges[0])}
    assert not update.repair.undecided


@pytest.mark.timeout(60)
@pytest.mark.parametrize("length", [30, 60])
@pytest.mark.parametrize("steps", [0, 1000])
def test_a_cut_is_decided_where_the_conflict_sets_are_too_many_to_list(length, steps):
    reasoner = StreamReasoner(Ontology.from_rules(BEFORE), Window(1000), budget=Budget(steps=steps))
    edges = chain(length)
    for at, edge in enumerate(edges):
        reasoner.push(at, [edge])
    update = reasoner.push(length, [(EX[f"n{length}"], EX.before, EX.n0)])
    assert len(update.repair.conflict_sets) == 0 and not update.repair.conflicts.complete
    assert update.repair.removed == {(0, edges[0])}
    assert not update.repair.undecided


@pytest.mark.timeout(60)
@pytest.mark.filterwarnings("ignore::pantarhei.UndecidedRepairWarning")
def test_past_the_instances_older_assertions_in_the_lineage_go_and_the_rest_stays():
    reasoner = StreamReasoner(Ontology.from_rules(BEFORE), Window(1000), budget=Budget(instances=50))
    reasoner.push(0, [*chain(20), (EX.n0, RDF.type, EX.Event)])
    update = reasoner.push(1, [(EX.n20, EX.before, EX.n0)])
    assert update.repair.removed == update.repair.undecided == {(0, edge) for edge in chain(20)}
    assert reasoner.materialization() == {(EX.n0, RDF.type, EX.Event), (EX.n20, EX.before, EX.n0)}


def ways(count):
    """Rules: each of `count` classes follows from either of two, and nothing is in all of them."""
    both = [(side, number) for number in range(count) for side in "PQ"]
    rules = [Rule("cax-sco", (is_a(f"{side}{number}"),), is_a(f"H{number}")) for side, number in both]
    return [*rules, Rule("cls-com", tuple(is_a(f"H{number}") for number in range(count)), None)]


def is_a(name, who=x):
    return Atom(EX[name], (who,))


def member(name, who="i"):
    return EX[who], RDF.type, EX[name]


@pytest.mark.timeout(60)
@pytest.mark.filterwarnings("ignore::pantarhei.UndecidedRepairWarning")
@pytest.mark.parametrize("method", ["exact", "grounded", "algorithm3"])
def test_where_conflict_sets_are_too_many_a_method_goes_by_the_exact_cut(method):
    """Twelve classes in two ways each: 2,048 conflict sets, all with the oldest two as the oldest."""
    budget = Budget(steps=2000)
    reasoner = StreamReasoner(
        Ontology.from_rules([*ways(12), *BEFORE]), Window(99), repair=method, budget=budget
    )
    for at in range(11):
        reasoner.push(at, [member(f"P{at}"), member(f"Q{at}")])
    update = reasoner.push(11, [member("P11"), (EX.a, EX.before, EX.a)])
    self_made = (11, (EX.a, EX.before, EX.a))
    oldest = {(0, member("P0")), (0, member("Q0"))}
    assert update.repair.removed == {self_made, *oldest}
    assert not update.repair.conflicts.complete
    assert list(update.repair.conflict_sets) == [frozenset({self_made})]
    undecided = set() if method == "exact" else oldest
    assert update.repair.undecided - {self_made} == undecided


@pytest.mark.timeout(60)
@pytest.mark.parametrize("method", ["exact", "grounded", "algorithm3"])
def test_each_violation_is_repaired_however_many_there_are(method):
    one_of_each = [Rule("cax-dw", (is_a("Hot"), is_a("Cold")), None)]
    reasoner = StreamReasoner(Ontology.from_rules(one_of_each), Window(9), repair=method)
    reasoner.push(1, [member("Hot", f"i{number}") for number in range(500)])
    update = reasoner.push(2, [member("Cold", f"i{number}") for number in range(0, 500, 2)])
    assert update.repair.removed == {(1, member("Hot", f"i{number}")) for number in range(0, 500, 2)}
    assert len(update.repair.conflicts) == 250 and update.repair.conflicts.complete


@pytest.mark.timeout(60)
@pytest.mark.filterwarnings("ignore::pantarhei.UndecidedRepairWarning")
@pytest.mark.parametrize("method", ["exact", "grounded", "algorithm3"])
def test_what_is_kept_is_consistent_where_pairs_are_too_many_to_list(method):
    """500 things that turn cold, and one that is at forty places at once."""
    rules = Ontology.from_rules([ONE_VALUE, Rule("cax-dw", (is_a("Hot"), is_a("Cold")), None)])
    reasoner = StreamReasoner(rules, Window(9), repair=method, budget=Budget(steps=100))
    hot = [member("Hot", f"i{number}") for number in range(500)]
    places = [(EX.badge, EX.at, EX[f"room{number}"]) for number in range(40)]
    reasoner.push(1, [*hot, (EX.badge, EX.at, EX.old)])
    update = reasoner.push(2, [*(member("Cold", f"i{number}") for number in range(500)), *places])
    assert not update.repair.conflicts.complete
    fresh = StreamReasoner(rules, Window(9), repair="off")
    fresh.push(1, [triple for _, triple in reasoner.assertions()])
    assert len(fresh.conflicts()) == 0
    older = {(1, triple) for triple in [*hot, (EX.badge, EX.at, EX.old)]}
    assert update.repair.removed == older | {(2, triple) for triple in places}


def test_without_a_violation_nothing_is_repaired():
    reasoner = StreamReasoner(Ontology.from_rules(BEFORE), Window(9))
    update = reasoner.push(1, chain(3))
    assert not update.repair and len(update.repair.conflicts) == 0 and update.repair.conflicts.complete
    assert update.repair.removed == update.repair.undecided == set()
    assert update.repair.undecided_facts == 0


# -- a building ------------------------------------------------------------------------------------

B, SITE = Namespace("http://example.org/building#"), Namespace("http://example.org/building/")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("keep", ["newest", "every"])
def test_one_bad_report_takes_no_good_ones_with_it(keep):
    """150 rooms with seven sensors each, all of which report; three carts are reported in a floor.

    A floor in use has an occupied room and is a floor: each good report has a support of its violations that
    contains the bad one, which contradicts alone.
    """
    ontology = load_ontology(ROOT / "ontologies" / "building.ttl")
    floor, tower = SITE["floor-1"], SITE.tower
    background, good = (
        [(tower, RDF.type, B.Building), (floor, RDF.type, B.Floor), (floor, B.partOf, tower)],
        [],
    )
    carts = [SITE[f"cart-{number}"] for number in range(3)]
    background += [(cart, RDF.type, B.Asset) for cart in carts]
    for number in range(150):
        room = SITE[f"room-{number}"]
        background += [(room, RDF.type, B.Office), (room, B.partOf, floor)]
        for sensor in (SITE[f"motion-{number}-{place}"] for place in range(7)):
            background.append((sensor, B.installedIn, room))
            good.append((sensor, RDF.type, B.ActiveMotionSensor))
    reasoner = StreamReasoner(ontology, Window(10), background, keep=keep)
    in_rooms = [(cart, B.locatedIn, SITE[f"room-{number}"]) for number, cart in enumerate(carts)]
    reasoner.push(0, [*in_rooms, *good[:3]])
    reasoner.push(9, good)
    bad = [(cart, B.locatedIn, floor) for cart in carts]
    repair = reasoner.push(11, bad).repair
    assert len(repair.conflicts) == 3 and repair.conflicts.complete
    assert repair.removed == {(11, triple) for triple in bad}
    assert not repair.undecided
    assert reasoner.assertions() == {(9, triple) for triple in good} and len(good) == 1050


@pytest.mark.timeout(60)
@pytest.mark.parametrize("method", ["exact", "grounded", "algorithm3"])
def test_many_values_of_a_functional_property_at_one_time_cut_one_another_and_the_older(method):
    reasoner = StreamReasoner(Ontology.from_rules([ONE_VALUE]), Window(10), repair=method)
    reasoner.push(1, [(EX.badge, EX.at, EX.old), (EX.other, EX.at, EX.old)])
    count = 40
    update = reasoner.push(2, [(EX.badge, EX.at, EX[f"room{i}"]) for i in range(count)])
    assert len(update.repair.conflict_sets) == count * (count - 1) // 2 + count
    assert len(update.repair.removed) == count + 1
    assert reasoner.materialization() == {(EX.other, EX.at, EX.old)}


@pytest.mark.parametrize("keep", ["newest", "every"])
def test_off_reports_all_contradictions_of_the_window_at_each_step(keep):
    a, b, c = ((EX.i, RDF.type, EX[name]) for name in "ABC")
    rules = [
        Rule("cax-dw", (Atom(EX.A, (x,)), Atom(EX.B, (x,))), None),
        Rule("cls-com", (Atom(EX.A, (x,)), Atom(EX.B, (x,)), Atom(EX.C, (x,))), None),
    ]
    reasoner = StreamReasoner(Ontology.from_rules(rules), Window(10), repair="off", keep=keep)
    assert list(reasoner.push(1, [a, b]).repair.conflict_sets) == [frozenset({(1, a), (1, b)})]
    assert list(reasoner.push(2, [c]).repair.conflict_sets) == [frozenset({(1, a), (1, b)})]
    update = reasoner.push(3, [a])
    assert list(update.repair.conflict_sets) == [frozenset({(3, a), (1, b)})]
    assert not update.repair.removed
    assert reasoner.materialization() == {a, b, c}


@pytest.mark.long
@pytest.mark.timeout(60)
def test_off_lists_all_pairs_of_the_values_of_a_functional_property():
    count = 200
    reasoner = StreamReasoner(Ontology.from_rules([ONE_VALUE]), Window(1000), repair="off")
    for at in range(count // 2):
        reasoner.push(at, [(EX.badge, EX.at, EX[f"room{2 * at + side}"]) for side in (0, 1)])
    conflicts = reasoner.conflicts()
    assert len(conflicts) == count * (count - 1) // 2 and conflicts.complete
    of_room = {f"room{number}": number // 2 for number in range(count)}
    assert {each.assertions for each in conflicts} == {
        frozenset((of_room[room], (EX.badge, EX.at, EX[room])) for room in pair)
        for pair in combinations(of_room, 2)
    }
    assert len(reasoner.assertions()) == count


SUBCLASS = Rule(
    "sub", (is_a_of_strategies(A, x_of_strategies),), is_a_of_strategies(StrategiesB, x_of_strategies)
)
DISJOINT = Rule(
    "disjoint",
    (is_a_of_strategies(StrategiesB, x_of_strategies), is_a_of_strategies(C, x_of_strategies)),
    None,
)
FUNCTIONAL = Rule(
    "functional",
    (related(V, x_of_strategies, y_of_strategies), related(V, x_of_strategies, z_of_strategies)),
    None,
    (Different(y_of_strategies, z_of_strategies),),
)
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
        self.account = RepairReport(Log.of(older), arriving, self.lexicon, rules)

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
    repair = Arrived(
        [member_of_strategies(A, a)],
        [member_of_strategies(A, a), member_of_strategies(A, b)],
        [member_of_strategies(C, a)],
    ).repair()
    members = frozenset({("t1", member_of_strategies(A, a)), ("t2", member_of_strategies(C, a))})
    assert list(repair.conflicts) == [Conflict(members, (DISJOINT,))]
    assert (repair.at, repair.method, repair.removed, repair.undecided) == ("t2", "exact", set(), set())
    assert not repair


def test_a_cut_fact_is_removed_with_all_its_times():
    repair = Arrived(
        [member_of_strategies(A, a)],
        [member_of_strategies(A, a), member_of_strategies(A, b)],
        [member_of_strategies(C, a)],
    ).repair([member_of_strategies(A, a)])
    assert repair.removed == {("t0", member_of_strategies(A, a)), ("t1", member_of_strategies(A, a))}
    assert repair and not repair.undecided


def test_an_undecided_fact_has_its_newest_time():
    both = [member_of_strategies(A, a), member_of_strategies(C, a)]
    repair = Arrived([member_of_strategies(A, a)], both).repair(both, both)
    assert repair.undecided == {("t1", member_of_strategies(A, a)), ("t1", member_of_strategies(C, a))}
    assert repair.undecided_facts == 2 and len(repair.removed) == 3


def test_small_conflicts_come_first_then_those_of_older_members_then_by_text():
    together = Rule(
        "three",
        (
            is_a_of_strategies(A, x_of_strategies),
            is_a_of_strategies(StrategiesB, x_of_strategies),
            related(V, x_of_strategies, ONE),
        ),
        None,
    )
    rules = (SUBCLASS, DISJOINT, FUNCTIONAL, together)
    first, then = (
        [member_of_strategies(A, StrategiesEX.d), (StrategiesEX.c, V, ONE)],
        [member_of_strategies(C, who) for who in (StrategiesEX.d, StrategiesEX.c, StrategiesEX.b)],
    )
    last = [
        (StrategiesEX.c, V, TWO),
        member_of_strategies(A, StrategiesEX.c),
        member_of_strategies(A, StrategiesEX.b),
    ]
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
    arrived = Arrived(
        [member_of_strategies(A, a), member_of_strategies(A, b)],
        [member_of_strategies(C, a), member_of_strategies(C, b)],
    )
    repair = arrived.repair([member_of_strategies(A, a)])
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
    classes = [StrategiesEX[f"D{number}"] for number in range(200)]
    chain = [
        Rule("sub", (is_a_of_strategies(one, x_of_strategies),), is_a_of_strategies(other, x_of_strategies))
        for one, other in pairwise(classes)
    ]
    arrived = Arrived(
        [member_of_strategies(classes[0], a)],
        [member_of_strategies(C, a)],
        rules=[
            *chain,
            Rule(
                "end",
                (is_a_of_strategies(classes[-1], x_of_strategies), is_a_of_strategies(C, x_of_strategies)),
                None,
            ),
        ],
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
