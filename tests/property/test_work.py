"""Work follows the change and not the window: by the counters of the reasoner."""

from itertools import product

import pytest
from rdflib import RDF, Literal, Namespace, Variable

from pantarhei import Budget, Ontology, StreamReasoner, Window
from pantarhei.model.rule import Atom, Rule

EX = Namespace("http://example.org/")
x, y, z = Variable("x"), Variable("y"), Variable("z")
both_ways = pytest.mark.parametrize("keep", ["newest", "every"])


def is_a(name, who=x):
    return Atom(EX[name], (who,))


def member(name, who):
    return EX[who], RDF.type, EX[name]


HOT_ROOM = Rule("cls-svf1", (Atom(EX.hasSensor, (x, y)), is_a("Hot", y)), is_a("HotRoom"))
ALARM = Rule("cax-sco", (is_a("HotRoom"),), is_a("Alarm"))
HOT_OR_COLD = Rule("cax-dw", (is_a("Hot"), is_a("Cold")), None)


def spent(reasoner, step):
    """The work counters that `step` moved."""
    before = reasoner.work
    step()
    return type(before)(*(now - then for then, now in zip(before, reasoner.work, strict=True)))


def rooms(count, keep="newest", range=100_000):
    """A room for each of `count` sensors, all rooms hot but the last."""
    background = [(EX[f"r{i}"], EX.hasSensor, EX[f"s{i}"]) for i in range_of(count)]
    return StreamReasoner(
        Ontology.from_rules([HOT_ROOM, ALARM, HOT_OR_COLD]), Window(range), background, keep=keep
    )


range_of = range


@both_ways
def test_one_arrival_costs_the_same_in_a_large_window(keep):
    counts = []
    for size in (100, 10_000 if keep == "newest" else 1000):
        reasoner = rooms(size, keep)
        for i in range(size - 1):
            reasoner.push(i, [member("Hot", f"s{i}")])
        counts.append(spent(reasoner, lambda: reasoner.push(size, [member("Hot", f"s{size - 1}")])))  # noqa: B023
    assert counts[0] == counts[1]
    assert counts[0].firings <= 4


@both_ways
def test_one_repaired_arrival_costs_the_same_in_a_large_window(keep):
    counts = []
    for size in (100, 10_000 if keep == "newest" else 1000):
        reasoner = rooms(size, keep)
        for i in range(size):
            reasoner.push(i, [member("Hot", f"s{i}")])
        counts.append(spent(reasoner, lambda: reasoner.push(size, [member("Cold", "s50")])))  # noqa: B023
        assert len(reasoner.materialization()) == size + 3 * size - 3 + 1
    assert counts[0] == counts[1]


@both_ways
def test_dropping_partitions_fires_no_rule(keep):
    reasoner = rooms(200, keep, range=199)
    for i in range(200):
        reasoner.push(i, [member("Hot", f"s{i}")])
    work = spent(reasoner, lambda: reasoner.advance(300))
    assert len(reasoner.timestamps) == 99
    assert work == (0, 0, 0, 0, 0)
    assert spent(reasoner, lambda: reasoner.push(10_000, [])) == (0, 0, 0, 0, 0)
    assert len(reasoner.materialization()) == 200


def test_a_repeated_assertion_pops_nothing():
    reasoner = rooms(50)
    abox = [member("Hot", f"s{i}") for i in range(50)]
    reasoner.push(1, abox)
    assert spent(reasoner, lambda: reasoner.push(2, abox)) == (0, 0, 0, 0, 0)
    assert spent(reasoner, lambda: reasoner.push(3, abox[:10])) == (0, 0, 0, 0, 0)


def test_renewal_costs_what_is_renewed():
    reasoner = rooms(1000, range=5)
    reasoner.push(1, [member("Hot", f"s{i}") for i in range(1000)])
    reasoner.push(3, [member("Hot", f"s{i}") for i in range(10)])
    work = spent(reasoner, lambda: reasoner.advance(7))
    assert work.renewals == 10
    assert work.pops <= 30
    assert len(reasoner.materialization()) == 1000 + 30


def test_looking_twice_settles_once():
    reasoner = rooms(100)
    for at in (1, 2):
        reasoner.push(at, [member("Hot", f"s{i}") for i in range(100)])
    assert len(reasoner.interpretation(2)) == 300
    assert spent(reasoner, lambda: reasoner.interpretation(2)) == (0, 0, 0, 0, 0)


@pytest.mark.parametrize("levels", [1, 10])
def test_retraction_near_a_hub_costs_what_is_affected(levels):
    """One of many hot sensors in one room turns cold; the room stays hot by the others, at the same level."""
    counts = []
    for size in (100, 3000):
        sensors = [f"s{i}" for i in range(size)]
        works = []
        for order, victim in product((1, -1), (0, size // 2, size - 1)):
            background = [(EX.room, EX.hasSensor, EX[sensor]) for sensor in sensors[::order]]
            reasoner = StreamReasoner(
                Ontology.from_rules([HOT_ROOM, ALARM, HOT_OR_COLD]), Window(1000), background
            )
            for at in range(levels):
                reasoner.push(at, [member("Hot", sensor) for sensor in sensors[at::levels]])
            cold = [member("Cold", sensors[victim])]
            works.append(spent(reasoner, lambda: reasoner.push(levels, cold)))  # noqa: B023
            assert member("Alarm", "room") in reasoner.materialization()
        counts.append(max(work.firings + work.searches for work in works))
    assert counts[1] <= 2 * counts[0]


@pytest.mark.parametrize("later", ["Hot", "Raw"])
def test_retraction_near_a_hub_whose_other_support_came_later(later):
    """The room was hot by the sensor that turns cold, and by the others only afterwards, at one level."""
    warms = [Rule("cax-sco", (is_a(kind),), is_a(more)) for kind, more in [("Raw", "Warm"), ("Warm", "Hot")]]
    counts = []
    for size in (100, 3000):
        background = [(EX.room, EX.hasSensor, EX[f"s{i}"]) for i in range(size)]
        rules = Ontology.from_rules([HOT_ROOM, ALARM, HOT_OR_COLD, *warms])
        reasoner = StreamReasoner(rules, Window(1000), background)
        reasoner.push(1, [member("Hot", "s0")])
        reasoner.push(1, [member(later, f"s{i}") for i in range(1, size)])
        work = spent(reasoner, lambda: reasoner.push(2, [member("Cold", "s0")]))  # noqa: B023
        assert member("Alarm", "room") in reasoner.interpretation(1)
        counts.append(work.firings + work.searches)
    assert counts[1] <= 2 * counts[0]


def test_one_fact_against_two_is_one_conflict_set_however_often_they_are_asserted():
    """a at 300 timestamps, b and c at 300 others each; a∧b∧c→⊥ is one conflict set, and not 300³."""
    constraint = Rule("cls-com", (is_a("A"), is_a("B"), is_a("C")), None)
    reasoner = StreamReasoner(Ontology.from_rules([constraint]), Window(10_000))
    for at in range(300):
        reasoner.push(2 * at, [member("B", "i")])
        reasoner.push(2 * at + 1, [member("C", "i")])
    for at in range(600, 899):
        reasoner.push(at, [member("D", "i")])
    update = reasoner.push(900, [member("A", "i")])
    assert list(update.repair.conflict_sets) == [
        frozenset({(598, member("B", "i")), (599, member("C", "i")), (900, member("A", "i"))})
    ]
    assert update.repair.removed == {(2 * at, member("B", "i")) for at in range(300)}
    assert all(reasoner.push(at, [member("A", "i")]).repair.conflicts == () for at in range(901, 1200))


def looked_at(reasoner, step):
    """How many plans and class facts `step` looked at."""
    before = reasoner._held.model.kernel.candidates
    step()
    return reasoner._held.model.kernel.candidates - before


def states(count):
    """`∃hasState.Fᵢ ⊑ Gᵢ`"""
    return [
        Rule("cls-svf1", (Atom(EX.hasState, (x, y)), is_a(f"F{i}", y)), is_a(f"G{i}")) for i in range(count)
    ]


@both_ways
def test_restrictions_that_do_not_concern_a_reading_are_not_looked_at(keep):
    counts = []
    for size in (100, 1000):
        reasoner = StreamReasoner(
            Ontology.from_rules(states(size)), Window(10), [member("F3", "on"), member("F7", "on")], keep=keep
        )
        reading = (EX.a, EX.hasState, EX.on)
        counts.append([looked_at(reasoner, lambda: reasoner.push(1, [reading]))])  # noqa: B023
        assert len(reasoner.materialization()) == 5
        counts[-1].append(looked_at(reasoner, lambda: reasoner._held.model.kernel.settle()))  # noqa: B023
    assert counts[0] == counts[1]
    assert counts[0][0] <= 10


@both_ways
def test_constants_that_do_not_concern_a_reading_are_not_looked_at(keep):
    counts = []
    for size in (100, 1000):
        rules = [Rule("cls-hv2", (Atom(EX.hasState, (x, EX[f"v{i}"])),), is_a(f"G{i}")) for i in range(size)]
        reasoner = StreamReasoner(Ontology.from_rules(rules), Window(10), keep=keep)
        reading = (EX.a, EX.hasState, EX.v3)
        counts.append(looked_at(reasoner, lambda: reasoner.push(1, [reading])))  # noqa: B023
        assert len(reasoner.materialization()) == 2
    assert counts[0] == counts[1] <= 5


@both_ways
def test_a_contradiction_looks_at_no_disjoint_class_that_its_individual_is_not_in(keep):
    """And so does taking out what was cut."""
    counts = []
    for size in (40, 120):
        pairs = [(i, j) for i in range(size) for j in range(i)]
        rules = [Rule("cax-adc", (is_a(f"C{i}"), is_a(f"C{j}")), None) for i, j in pairs]
        reasoner = StreamReasoner(Ontology.from_rules([*rules, *states(size)]), Window(100), keep=keep)
        reasoner.push(1, [member("C3", "a")])
        counts.append(looked_at(reasoner, lambda: reasoner.push(2, [member("C9", "a")])))  # noqa: B023
        assert reasoner.materialization() == {member("C9", "a")}
    assert counts[0] == counts[1] <= 10


@both_ways
def test_subclasses_that_an_individual_is_not_in_are_no_other_support(keep):
    """`Cᵢ ⊑ Top`, with C1 and C2 asserted; C1 is contradicted, Top stays."""
    counts = []
    for size in (300, 1000):
        rules = [Rule("cax-sco", (is_a(f"C{i}"),), is_a("Top")) for i in range(size)]
        rules.append(Rule("cax-dw", (is_a("C1"), is_a("Not1")), None))
        reasoner = StreamReasoner(Ontology.from_rules(rules), Window(100), keep=keep)
        reasoner.push(1, [member("C1", "a"), member("C2", "a")])
        counts.append(looked_at(reasoner, lambda: reasoner.push(2, [member("Not1", "a")])))  # noqa: B023
        assert reasoner.materialization() == {member(name, "a") for name in ("C2", "Top", "Not1")}
    assert counts[0] == counts[1] <= 20


def test_superclasses_that_an_individual_is_in_already_are_not_looked_at_again():
    """Below a hierarchy that is deep: a second class of the individual costs no more than a first one."""
    counts = []
    for depth in (5, 50):
        up = [Rule("cax-sco", (is_a(f"C{i}"),), is_a(f"C{i + 1}")) for i in range(depth)]
        other = Rule("cax-sco", (is_a("Other"),), is_a("C1"))
        reasoner = StreamReasoner(Ontology.from_rules([*up, other]), Window(100))
        reasoner.push(1, [member("C0", "a")])
        counts.append(looked_at(reasoner, lambda: reasoner.push(1, [member("Other", "a")])))  # noqa: B023
        assert len(reasoner.materialization()) == depth + 2
    assert counts[0] == counts[1] <= 3


def two_ways_each(count, budget, at_once=False):
    """`count` facts that each follow in two ways and together contradict: 2^(count - 1) conflict sets."""
    ways = [Rule("cax-sco", (is_a(f"{way}{i}"),), is_a(f"H{i}")) for i in range(count) for way in "PQ"]
    together = Rule("cls-com", tuple(is_a(f"H{i}") for i in range(count)), None)
    reasoner = StreamReasoner(Ontology.from_rules([*ways, together]), Window(100), budget=budget)
    for i in range(count - 1):
        reasoner.push(0 if at_once else i, [member(f"P{i}", "i"), member(f"Q{i}", "i")])
    return reasoner


@pytest.mark.timeout(20)
def test_the_budget_bounds_the_work_of_a_conflict():
    reasoner = two_ways_each(20, Budget(sets=20_000, steps=100_000))
    update = reasoner.push(50, [member("P19", "i")])
    assert update.repair.removed == {(0, member("P0", "i")), (0, member("Q0", "i"))}
    assert not update.repair.undecided, "deciding takes no search"
    assert len(update.repair.conflicts) == 0 and not update.repair.conflicts.complete


@pytest.mark.timeout(20)
def test_the_budget_bounds_the_work_of_a_search():
    """All at one timestamp: each of 2^20 ways to choose one of each two is a conflict set."""
    reasoner = two_ways_each(20, Budget(sets=20_000, steps=100_000), at_once=True)
    update = reasoner.push(50, [member("P19", "i")])
    assert len(update.repair.removed) == 38 and update.repair.removed == update.repair.undecided


@pytest.mark.timeout(20)
def test_many_contradictions_inside_one_abox_do_not_slow_one_another_down():
    """Each pair of a thousand is a component of its own."""
    reasoner = StreamReasoner(Ontology.from_rules([HOT_OR_COLD]), Window(10))
    update = reasoner.push(1, [member(kind, f"s{i}") for i in range(1000) for kind in ("Hot", "Cold")])
    assert len(update.repair.conflict_sets) == 1000
    assert len(update.repair.removed) == 2000


def reading(number, sensor):
    return [
        (EX[f"o{number}"], EX.madeBy, EX[f"s{sensor}"]),
        (EX[f"o{number}"], EX.hasResult, Literal(number % 7)),
    ]


def observing(size, texts):
    """A reasoner with a full window of `size` readings, and registered queries."""
    rooms = [(EX[f"s{i}"], EX.locatedIn, EX[f"r{i % 5}"]) for i in range(10)]
    reasoner = StreamReasoner(Ontology.from_rules([]), Window(size, closed="right"), rooms)
    for text in texts:
        reasoner.register(f"PREFIX : <{EX}> {text}")
    for number in range(size + 5):
        reasoner.push(number, reading(number, number % 10))
    return reasoner


STAR = "SELECT ?o ?v ?r { ?o :madeBy ?s ; :hasResult ?v . ?s :locatedIn ?r }"
QUERIES = [
    STAR,
    STAR[:-1] + "FILTER(?v > 3) }",
    "SELECT ?r (AVG(?v) AS ?mean) { ?o :madeBy ?s ; :hasResult ?v . ?s :locatedIn ?r } GROUP BY ?r",
    "SELECT ?o { ?o :madeBy ?s FILTER NOT EXISTS { ?o :hasResult 3 } }",
    "SELECT ?o ?v { ?o :madeBy ?s OPTIONAL { ?o :hasResult ?v } }",
]


def of_a_reading(reasoner, number):
    """What a reading costs that comes as another goes: rules and facts, and what queries look at."""
    work = []
    looked = looked_at(
        reasoner,
        lambda: work.append(spent(reasoner, lambda: reasoner.push(number, reading(number, number % 10)))),
    )
    return work[0], looked


def test_registered_queries_look_at_what_has_changed_however_large_the_window_is():
    costs = [of_a_reading(observing(size, QUERIES), size + 5) for size in (70, 2100)]
    assert costs[0] == costs[1]
    assert costs[0][1] <= 20  # of four changed facts, for five queries


def test_registered_queries_that_a_step_does_not_touch_are_not_looked_at():
    others = [f"SELECT ?x ?y {{ ?x :other{i} ?y ; :hasResult ?v }}" for i in range(200)]
    costs = [of_a_reading(observing(50, [STAR, *more]), 55) for more in ([], others)]
    assert costs[0] == costs[1]


def test_rules_that_no_query_needs_do_not_fire():
    kinds = 20
    rules = [Rule("cax-sco", (is_a(f"Kind{i}"),), is_a(f"Thing{i}")) for i in range(kinds)]
    text = f"PREFIX : <{EX}> SELECT ?x {{ ?x a :Thing3 }}"
    fired, told = [], []
    for derive in ("all", "needed"):
        reasoner = StreamReasoner(Ontology.from_rules(rules), Window(10), derive=derive)
        query = reasoner.register(text)
        abox = [member(f"Kind{i}", f"x{i}") for i in range(kinds)]
        work = spent(reasoner, lambda: told.append(reasoner.push(1, abox)))  # noqa: B023
        fired.append(work.firings)
        assert told[-1].answers[query].added == {(EX.x3,): 1}
    assert fired == [kinds, 1]
