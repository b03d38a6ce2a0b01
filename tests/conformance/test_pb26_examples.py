"""PB26's worked examples through the engine, as printed."""

import pytest
from rdflib import RDF, Namespace, Variable

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.model.rule import Atom, Rule

EX = Namespace("http://example.org/")
x, y = Variable("x"), Variable("y")


def is_a(name, who=x):
    return Atom(EX[name], (who,))


def facts(names, who="a"):
    return {(EX[who], RDF.type, EX[name]) for name in names}


def implies(body, head):
    return Rule("cls-int1", tuple(map(is_a, body)), is_a(head) if head else None)


def names(triples):
    return "".join(sorted(str(triple[2]).rsplit("/", 1)[1] for triple in triples))


def test_example_1_the_newer_level_is_kept():
    """A(a), B(a) at level 1, C(a) at level 2; C disjoint with both: C(a) alone remains."""
    reasoner = StreamReasoner(Ontology.from_rules([implies("AC", None), implies("BC", None)]), Window(1))
    reasoner.push(1, facts("AB"))
    reasoner.push(2, facts("C"))
    assert reasoner.materialization() == facts("C")


@pytest.mark.parametrize("keep", ["newest", "every"])
def test_example_2_a_window_is_more_than_its_aboxes(keep):
    reasoner = StreamReasoner(Ontology.from_rules([implies("AB", "C")]), Window(1), keep=keep)
    reasoner.push(1, facts("A"))
    reasoner.push(2, facts("B"))
    assert reasoner.materialization() == facts("ABC")
    assert names(reasoner.interpretation(1)) == "AC"
    assert names(reasoner.interpretation(2)) == "B"


def test_example_3_the_brakes_disprove_the_gas_pedal():
    #   t      0    1    2    3    4
    #   ABox   gas  gas  -    br   br, clutch        window of 2 seconds, sliding by 1
    gas, brakes, clutch = (
        {(EX.x, RDF.type, EX[c])} for c in ("GasPedalPressed", "BreaksPressed", "ClutchPressed")
    )
    pedals = Rule("cax-dw", (is_a("GasPedalPressed"), is_a("BreaksPressed")), None)
    reasoner = StreamReasoner(Ontology.from_rules([pedals]), Window(range=2, slide=1))
    for at, abox in enumerate([gas, gas, set()]):
        assert not reasoner.push(at, abox).repair.removed
    assert reasoner.timestamps == (0, 1, 2)
    assert reasoner.materialization() == gas
    update = reasoner.push(3, brakes)
    assert update.dropped == (0,)
    assert update.repair.removed == {(1, *gas)}
    assert list(update.repair.conflict_sets) == [frozenset({(1, *gas), (3, *brakes)})]
    assert reasoner.materialization() == brakes
    assert not reasoner.push(4, brakes | clutch).repair.removed
    assert reasoner.materialization() == brakes | clutch
    assert reasoner.timestamps == (2, 3, 4)


def test_example_4_interpretation_by_interpretation():
    #   t       1     2    3    4        T = { A ⊓ C ⊑ D,  B ⊓ D ⊑ E }
    #   ABox    A,B   C    A    B
    #   W1     [-------]                 I1 = ABDE, I2 = C
    #   W2     [-----------]             I1 = ABDE, I2 = CD, I3 = A
    #   W3           [-----------]       I2 = CDE, I3 = A, I4 = B
    tbox = Ontology.from_rules([implies("AC", "D"), implies("BD", "E")])
    growing = StreamReasoner(tbox, Window(2), keep="every")
    growing.push(1, facts("AB"))
    growing.push(2, facts("C"))
    assert names(growing.interpretation(1)) == "ABDE"
    assert names(growing.interpretation(2)) == "C"
    growing.push(3, facts("A"))
    assert [names(growing.interpretation(t)) for t in (1, 2, 3)] == ["ABDE", "CD", "A"]
    update = growing.push(4, facts("B"))
    assert update.dropped == (1,)
    assert growing.timestamps == (2, 3, 4)
    assert [names(growing.interpretation(t)) for t in (2, 3, 4)] == ["CDE", "A", "B"]


def test_example_4_keeping_only_the_newest():
    tbox = Ontology.from_rules([implies("AC", "D"), implies("BD", "E")])
    reasoner = StreamReasoner(tbox, Window(2))
    reasoner.push(1, facts("AB"))
    reasoner.push(2, facts("C"))
    reasoner.push(3, facts("A"))
    assert [names(reasoner.interpretation(t)) for t in (1, 2, 3)] == ["BE", "CD", "A"]
    reasoner.push(4, facts("B"))
    assert [names(reasoner.interpretation(t)) for t in (2, 3, 4)] == ["CDE", "A", "B"]


@pytest.mark.parametrize("length", [1, 2, 5])
def test_example_5_recursive_constraints_are_found_at_any_depth(length):
    """∃R.B ⊑ B and A ⊓ B ⊑ ⊥ (the paper prints ∀R.B, which is not RL, and argues with ∃R.B)."""
    some = Rule("cls-svf1", (Atom(EX.R, (x, y)), is_a("B", y)), is_a("B"))
    reasoner = StreamReasoner(Ontology.from_rules([some, implies("AB", None)]), Window(100))
    chain = [(EX[f"n{i}"], EX.R, EX[f"n{i + 1}"]) for i in range(length)]
    for at, step in enumerate(chain):
        reasoner.push(at, [step])
    (start,), (end,) = facts("A", "n0"), facts("B", f"n{length}")
    reasoner.push(length, [start])
    update = reasoner.push(length + 1, [end])
    assert list(update.repair.conflict_sets) == [
        frozenset([*enumerate(chain), (length, start), (length + 1, end)])
    ]
    assert update.repair.removed == {(0, chain[0])}


def test_example_6_the_most_recent_conflict_settles_the_other():
    tbox = Ontology.from_rules([implies("ABC", None), implies("BD", None)])
    reasoner = StreamReasoner(tbox, Window(2))
    reasoner.push(1, facts("A"))
    reasoner.push(2, facts("B"))
    update = reasoner.push(3, facts("CD"))
    (a,), (b,), (c,), (d,) = (facts(name) for name in "ABCD")
    assert set(update.repair.conflict_sets) == {
        frozenset({(1, a), (2, b), (3, c)}),
        frozenset({(2, b), (3, d)}),
    }
    assert update.repair.removed == {(2, b)}
    assert reasoner.materialization() == facts("ACD")


def test_algorithm_3_keeps_what_one_repair_lacks():
    """Conflicts {e3,e4}, {e1,e4}, {e0,e1,e3}; e3, e4 at 2, e0, e1, e2 at 1: {e3,e1,e2} is a repair."""
    classes = {
        name: Rule("pr-conflict", tuple(is_a(f"e{i}") for i in name), None) for name in ("34", "14", "013")
    }
    kept = {}
    for method in ("exact", "grounded", "algorithm3"):
        reasoner = StreamReasoner(Ontology.from_rules(classes.values()), Window(5), repair=method)
        # the conflict {e0, e1, e3} arises with e3; what is older is consistent
        reasoner.push(1, facts(["e0", "e1", "e2"]))
        reasoner.push(2, facts(["e3", "e4"]))
        kept[method] = {str(triple[2])[-1] for _, triple in reasoner.assertions()}
    assert kept == {"exact": {"2"}, "grounded": {"2"}, "algorithm3": {"0", "2"}}
