"""What is pairwise disjoint: a constraint for each pair, as if each pair stood alone."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import OWL, Graph, Variable

import pantarhei as pr
from pantarhei.model.rule import Atom, Origin, Rule
from pantarhei.owl import axiom as owl
from pantarhei.rules.translation import body, constraint
from pantarhei.rules.translation.body import Body, NeverError, property_atom
from pantarhei.rules.translation.canonical_rule import canonical
from pantarhei.rules.translation.constraint import constraints_of
from pantarhei.rules.translation.translate import without_duplicates
from strategies import EX, rules

ORIGIN = Origin("here")
x, y = Variable("x"), Variable("y")
CLASSES = [owl.Class(EX[name]) for name in ("B", "A", "é", "a")] + [owl.NOTHING, owl.THING]
PROPERTIES = [owl.Property(EX[name]) for name in ("q", "p", "P")] + [owl.Property(OWL.bottomObjectProperty)]
EXPRESSIONS = PROPERTIES + [owl.InverseOf(on) for on in PROPERTIES[:2]]


def one_by_one(operands, name, atoms_of):
    """The canonical constraint of each pair of which neither is empty by itself."""
    for pair in combinations(operands, 2):
        try:
            body_ = tuple(atom for each in pair for atom in atoms_of(each))
            yield canonical(Rule(name, body_, None, origin=ORIGIN))
        except NeverError:
            continue


def class_atoms(class_):
    conditions = Body()
    conditions.require(class_, x)
    return conditions.atoms


@given(st.lists(st.sampled_from(CLASSES), min_size=3))
def test_disjoint_classes_are_disjoint_pair_by_pair(operands):
    if operands.count(owl.THING) > 1:
        return  # nothing can be at all: there is no body
    found = constraints_of(owl.DisjointClasses(tuple(operands)), ORIGIN)
    assert found == tuple(one_by_one(operands, "cax-adc", class_atoms))


@given(st.lists(st.sampled_from(EXPRESSIONS), min_size=3))
def test_disjoint_properties_are_disjoint_pair_by_pair(operands):
    found = constraints_of(owl.DisjointProperties(tuple(operands)), ORIGIN)
    assert found == tuple(one_by_one(operands, "prp-adp", lambda on: [property_atom(on, x, y)]))


@pytest.mark.parametrize(
    ("axiom", "constraints"),
    [
        (owl.DisjointClasses((CLASSES[1], owl.NOTHING, CLASSES[0])), ["⊥ :- A(?x), B(?x)."]),
        (owl.DisjointProperties((*PROPERTIES[:2], PROPERTIES[3])), ["⊥ :- p(?x, ?y), q(?x, ?y)."]),
    ],
)
def test_what_is_empty_leaves_the_others_disjoint(axiom, constraints):
    assert list(map(str, constraints_of(axiom, ORIGIN))) == constraints


def test_a_hundred_disjoint_classes_are_put_in_canonical_form_without_a_search(monkeypatch):
    monkeypatch.setattr(constraint, "Body", None)
    monkeypatch.setattr(body, "canonical", None)
    classes = tuple(owl.Class(EX[f"C{i}"]) for i in range(100))
    assert len(constraints_of(owl.DisjointClasses(classes), ORIGIN)) == 4950


@given(st.lists(rules(literals=True), max_size=3))
def test_of_rules_that_differ_in_name_and_origin_only_the_first_is_kept(several):
    given_ = tuple(
        Rule(f"{name}-{i}", r.body, r.head, r.different, str(i), r.tests)
        for i, drawn in enumerate(several)
        for name in ("one", "two")
        for r in drawn
    )
    found = without_duplicates(given_)
    alike = [(r.body, r.head, r.different, r.tests) for r in given_]
    assert found == tuple(r for at, r in enumerate(given_) if alike.index(alike[at]) == at)


def test_disjoint_classes_with_an_empty_one_among_them_contradict_each_other():
    text = (
        "@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "
        "[] a owl:AllDisjointClasses ; owl:members ( :A :B owl:Nothing ) . :i a :A, :B ."
    )
    with pytest.raises(pr.InconsistentOntologyError):
        pr.load_ontology(Graph().parse(data=text, format="turtle"))


def test_an_atom_of_a_pair_is_that_of_the_predicate():
    (found,) = constraints_of(owl.DisjointClasses((CLASSES[0], CLASSES[1])), ORIGIN)
    assert found == Rule("cax-dw", (Atom(EX.A, (x,)), Atom(EX.B, (x,))), None, origin=ORIGIN)
