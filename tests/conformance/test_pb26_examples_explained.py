"""PB26's worked examples, explained as the paper argues."""

import pytest
from rdflib import RDF, Namespace, Variable

from pantarhei import NotEntailedError, Ontology, StreamReasoner, Window
from pantarhei.model.rule import Atom, Rule

EX = Namespace("http://example.org/")
x, y = Variable("x"), Variable("y")


def the(name, who="a"):
    return EX[who], RDF.type, EX[name]


def facts(names):
    return {the(name) for name in names}


def is_a(name, who=x):
    return Atom(EX[name], (who,))


def implies(body, head):
    return Rule("cls-int1", tuple(map(is_a, body)), is_a(head) if head else None)


def reasoner_of(*rules, width, **options):
    return StreamReasoner(Ontology.from_rules(rules), Window(width), **options)


def given_in(proof):
    """The names of what a proof rests on, by the time of each."""
    return {at: "".join(sorted(named(f) for t, f in proof.supports if t == at)) for at, _ in proof.supports}


def named(fact):
    return str(fact[2]).removeprefix(EX)


def test_example_1_each_of_the_older_assertions_is_disproved_by_the_newer_one():
    reasoner = reasoner_of(implies("AC", None), implies("BC", None), width=1)
    reasoner.push(1, facts("AB"))
    reasoner.push(2, facts("C"))
    assert given_in(reasoner.explain(the("C"))) == {2: "C"}
    for name in "AB":
        (gone,) = reasoner.why_not(the(name)).gone
        assert (gone.asserted_at, gone.removed_at) == (1, 2)
        ((proof,),) = (conflict.proofs for conflict in gone.conflicts)
        assert given_in(proof) == {1: name, 2: "C"}
        assert reasoner.explain(the(name), at=1).timestamp == 1


@pytest.mark.parametrize("keep", ["newest", "every"])
def test_example_2_the_conclusion_rests_on_both_aboxes_and_leaves_with_the_older(keep):
    reasoner = reasoner_of(implies("AB", "C"), width=1, keep=keep)
    reasoner.push(1, facts("A"))
    reasoner.push(2, facts("B"))
    proof = reasoner.explain(the("C"))
    assert given_in(proof) == {1: "A", 2: "B"} and proof.timestamp == 1
    reasoner.advance(3)
    (way,) = reasoner.why_not(the("C")).ways
    assert way.triples == facts("A") and set(way.present) == facts("B")
    ((gone,),) = (missing.gone for missing in way.missing)
    assert (gone.asserted_at, gone.left_at, gone.removed_at) == (1, 3, None)


def test_example_3_the_gas_pedal_is_disproved_by_the_brakes_and_stays_so():
    pedals = implies(["Gas", "Brakes"], None)
    reasoner = reasoner_of(pedals, width=2)
    for at, names in enumerate([["Gas"], ["Gas"], [], ["Brakes"], ["Brakes", "Clutch"]]):
        reasoner.push(at, facts(names))
    assert given_in(reasoner.explain(the("Gas"), at=2)) == {1: "Gas"}
    assert given_in(reasoner.explain(the("Brakes"), at=3)) == {3: "Brakes"}
    assert given_in(reasoner.explain(the("Brakes"))) == {4: "Brakes"}  # at its newest occurrence
    newest, oldest = reasoner.why_not(the("Gas")).gone
    assert (newest.asserted_at, newest.removed_at) == (1, 3)
    ((proof,),) = (conflict.proofs for conflict in newest.conflicts)
    assert given_in(proof) == {1: "Gas", 3: "Brakes"}
    assert (oldest.asserted_at, oldest.left_at, oldest.removed_at) == (0, 3, None)
    assert "removed at 3" in str(reasoner.why_not(the("Gas"), at=3))


def test_example_4_what_follows_rests_on_the_newest_assertions_that_give_it():
    #   t       1     2    3    4        T = { A ⊓ C ⊑ D,  B ⊓ D ⊑ E }, window of 2
    #   ABox    A,B   C    A    B
    reasoner = reasoner_of(implies("AC", "D"), implies("BD", "E"), width=2)
    for at, names in enumerate(["AB", "C", "A", "B"], 1):
        reasoner.push(at, facts(names))
    assert given_in(reasoner.explain(the("D"), at=2)) == {1: "A", 2: "C"}
    assert given_in(reasoner.explain(the("E"), at=2)) == {1: "AB", 2: "C"}
    assert given_in(reasoner.explain(the("D"), at=3)) == {2: "C", 3: "A"}
    assert given_in(reasoner.explain(the("E"), at=3)) == {1: "B", 2: "C", 3: "A"}
    proof = reasoner.explain(the("E"))
    assert given_in(proof) == {2: "C", 3: "A", 4: "B"} and proof.timestamp == 2
    assert [step.fact and named(step.fact) for step in proof.steps if step.rule] == ["D", "E"]


@pytest.mark.parametrize("length", [1, 2, 5, 40])
def test_example_5_the_whole_chain_of_a_recursive_constraint_is_told(length):
    some = Rule("cls-svf1", (Atom(EX.R, (x, y)), is_a("B", y)), is_a("B"))
    reasoner = reasoner_of(some, implies("AB", None), width=100)
    chain = [(EX[f"n{i}"], EX.R, EX[f"n{i + 1}"]) for i in range(length)]
    for at, link in enumerate(chain):
        reasoner.push(at, [link])
    start, end = the("A", "n0"), the("B", f"n{length}")
    reasoner.push(length, [start])
    (conflict,) = reasoner.push(length + 1, [end]).repair.conflicts
    (proof,) = conflict.proofs
    assert proof.supports == {*enumerate(chain), (length, start), (length + 1, end)}
    concluded = [step.fact for step in proof.steps if step.rule]
    assert concluded == [the("B", f"n{i}") for i in reversed(range(length))] + [None]
    (way,) = (way for way in reasoner.why_not(the("B", "n0"), limit=100).ways if way.triples == {chain[0]})
    assert way.is_contradicted
    ((gone,),) = (missing.gone for missing in way.missing)
    assert gone.removed_at == length + 1 and gone.conflicts == (conflict,)


def test_example_6_the_conflict_with_the_newest_facts_says_why():
    reasoner = reasoner_of(implies("ABC", None), implies("BD", None), width=2)
    for at, names in enumerate(["A", "B", "CD"], 1):
        reasoner.push(at, facts(names))
    (gone,) = reasoner.why_not(the("B")).gone
    assert (gone.asserted_at, gone.removed_at) == (2, 3)
    told = [given_in(proof) for conflict in gone.conflicts for proof in conflict.proofs]
    assert told == [{2: "B", 3: "D"}, {1: "A", 2: "B", 3: "C"}]  # the first one is why
    assert given_in(reasoner.explain(the("A"))) == {1: "A"}
    with pytest.raises(NotEntailedError):
        reasoner.explain(the("B"))
