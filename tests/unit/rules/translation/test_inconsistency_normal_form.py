"""PB26's inconsistency-normal form: constraints over what is asserted."""

from __future__ import annotations

from itertools import islice, product

from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import URIRef, Variable

from counts import cases
from pantarhei.model.rule import Atom, Rule
from pantarhei.ontology.ontology import Ontology
from pantarhei.rules.translation.inconsistency_normal_form import InconsistencyNormalForm

X, Y, Z = map(Variable, "xyz")


def c(name, argument=X):
    return Atom(URIRef("urn:x/" + name), (argument,))


def p(name, first=X, second=Y):
    return Atom(URIRef("urn:x/" + name), (first, second))


def rule(head, *body):
    return Rule("pr-test", body, head)


def texts(form, depth=3):
    return [sorted(map(str, constraint.conjunctions(depth))) for constraint in form.constraints]


def test_a_constraint_is_rewritten_over_the_classes_below():
    form = InconsistencyNormalForm.of(
        [rule(c("A"), c("A1")), rule(c("B"), p("r"))], [rule(None, c("A"), c("B"))]
    )
    assert not form.constraints[0].recursive
    assert texts(form) == [
        ["⊥ :- A(?x), B(?x).", "⊥ :- A(?x), r(?x, ?y).", "⊥ :- A1(?x), B(?x).", "⊥ :- A1(?x), r(?x, ?y)."]
    ]


def test_example_5_is_recursive():
    """PB26, Example 5: `∃R.B ⊑ B` and `A ⊓ B ⊑ ⊥`."""
    rules = [rule(c("B"), p("R"), c("B", Y))]
    form = InconsistencyNormalForm.of(rules, [rule(None, c("A"), c("B"))])
    assert form.constraints[0].recursive
    assert texts(form, depth=2) == [
        [
            "⊥ :- A(?x), B(?x).",
            "⊥ :- A(?x), R(?x, ?y), B(?y).",
            "⊥ :- A(?x), R(?x, ?y), R(?y, ?z), B(?z).",
        ]
    ]
    assert "recursive" in str(form)


def test_equivalence_and_symmetry_are_not_recursive():
    rules = [rule(c("A"), c("B")), rule(c("B"), c("A")), rule(p("r"), p("r", Y, X))]
    form = InconsistencyNormalForm.of(rules, [rule(None, c("A"), p("r"))])
    assert not form.constraints[0].recursive
    assert len(texts(form)[0]) == 4


def test_a_constant_in_a_head_narrows_the_constraint():
    i = URIRef("urn:x/i")
    form = InconsistencyNormalForm.of([rule(p("r", X, i), c("A"))], [rule(None, p("r"), c("B", Y))])
    assert texts(form) == [["⊥ :- B(i), A(?x).", "⊥ :- r(?x, ?y), B(?y)."]]


def test_a_thousand_subclasses_each_are_not_multiplied_out():
    names = [(f"A{i}", f"B{i}") for i in range(1000)]
    rules = [rule(c(side[0]), c(side)) for pair in names for side in pair]
    form = InconsistencyNormalForm.of(rules, [rule(None, c("A"), c("B"))])
    assert len(str(form)) < 5_000
    assert len(list(islice(form.constraints[0].conjunctions(3), 100))) == 100


def test_each_atom_of_a_constraint_is_shown_however_many_ways_there_are_to_another():
    rules = [rule(c("A"), c(f"A{i}")) for i in range(1000)] + [rule(c("B"), p("r"))]
    form = InconsistencyNormalForm.of(rules, [rule(None, c("A"), c("B"))])
    lines = str(form).splitlines()
    assert "    A(?x) :- … more ways" in lines
    assert lines[-1] == "    B(?x) :- r(?x, ?y)."


def test_programs_get_the_form_factorized():
    rules = [rule(c("B"), p("R"), c("B", Y)), rule(c("A"), c("A1"))]
    form = InconsistencyNormalForm.of(rules, [rule(None, c("A"), c("B"))], depth=1)
    (constraint,) = form.to_data()["constraints"]
    assert constraint["recursive"]
    assert constraint["constraint"] == "⊥ :- A(?x), B(?x)."
    assert constraint["atoms"] == [
        {"atom": "A(?x)", "derived_by": ["A(?x) :- A1(?x)."], "complete": True},
        {"atom": "B(?x)", "derived_by": ["B(?x) :- R(?x, ?y), B(?y)."], "complete": True},
    ]


def test_the_summary_counts_recursive_constraints():
    rules = [rule(c("B"), p("R"), c("B", Y))]
    constraints = [rule(None, c("A"), c("B")), rule(None, c("A"), c("C"))]
    form = InconsistencyNormalForm.of(rules, constraints)
    assert form.summary() == "2 constraints, 1 of them recursive"


def test_a_chain_of_five_thousand_subclasses_ends():
    rules = [rule(c(f"C{i}"), c(f"C{i + 1}")) for i in range(5000)]
    form = InconsistencyNormalForm.of(rules, [rule(None, c("C0"), c("D"))])
    assert len(list(islice(form.constraints[0].conjunctions(3), 200))) == 200


def test_an_ontology_gives_its_normal_form():
    ontology = Ontology.from_rules([rule(c("A"), c("A1")), rule(None, c("A"), c("B"))])
    assert len(list(ontology.inconsistency_normal_form().constraints[0].conjunctions(1))) == 2


CLASS_NAMES = "ABCD"
class_rules = st.lists(
    st.builds(
        lambda head, body: rule(c(head), *map(c, sorted(body))),
        st.sampled_from(CLASS_NAMES),
        st.sets(st.sampled_from(CLASS_NAMES), min_size=1, max_size=2),
    ),
    max_size=5,
)


@given(class_rules, st.sets(st.sampled_from(CLASS_NAMES), min_size=1, max_size=2))
@settings(max_examples=cases(25, 150), deadline=None)
def test_the_normal_form_sees_at_first_glance_what_rules_derive(rules, denied):
    rules = [r for r in rules if r.head not in r.body]
    form = InconsistencyNormalForm.of(rules, [rule(None, *map(c, sorted(denied)))])
    bodies = [{str(a) for a in r.body} for r in form.constraints[0].conjunctions(0)]
    assert not form.constraints[0].recursive
    for choice in product([False, True], repeat=len(CLASS_NAMES)):
        asserted = {str(c(name)) for name, chosen in zip(CLASS_NAMES, choice, strict=True) if chosen}
        closed = set(asserted)
        while new := {str(r.head) for r in rules if {str(a) for a in r.body} <= closed} - closed:
            closed |= new
        assert any(body <= asserted for body in bodies) == ({str(c(name)) for name in denied} <= closed)
