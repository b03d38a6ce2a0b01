"""The canonical window model, its two bounds and its laws, PB26's Proposition 2 among them."""

from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Variable

from counts import cases
from oracle.materialization import closure
from oracle.window import INFINITY, interpretations, minimal_sets, newest, with_oldest_assertion
from pantarhei.model.rule import Rule
from strategies import A, B, C, D, a, aboxes, is_a, member, ontologies

x = Variable("x")


def classes_of(model):
    """The classes of `a` in each interpretation."""
    return {at: {class_ for _, _, class_ in facts} for at, facts in model.items()}


def implies(*names):
    *body, head = names
    return Rule("cls-int1", tuple(is_a(name, x) for name in body), is_a(head, x))


def asserted(**at):
    """ABoxes over `a`: `asserted(t1={A})` asserts A(a) at time 1."""
    return {int(name[1:]): {member(class_, a) for class_ in classes} for name, classes in at.items()}


#   at:   1    2
#         A
#         B    C         A ⊓ B ⊑ D is whole in I_1, A ⊓ C ⊑ D needs both
def test_a_derived_fact_belongs_to_the_oldest_interpretation_that_contributed():
    model = interpretations([implies(A, C, D)], asserted(t1={A, B}, t2={C}))
    assert classes_of(model) == {1: {A, B, D}, 2: {C}, INFINITY: set()}


#   at:   1    2    3
#         C    A    B
#                   C    whole body: {2, 3} is minimal and {1, 2, 3} is not
def test_bodies_are_matched_whole_so_that_a_set_that_is_not_minimal_gets_no_head():
    model = interpretations([implies(A, B, C, D)], asserted(t1={C}, t2={A}, t3={B, C}))
    assert classes_of(model) == {1: {C}, 2: {A, D}, 3: {B, C}, INFINITY: set()}


#   at:   1    2    3    4
#         A    B    A    B      {1, 2}, {2, 3}, {1, 4}, {3, 4} are all minimal
def test_a_fact_stands_in_the_oldest_interpretation_of_every_minimal_set():
    model = interpretations([implies(A, B, C)], asserted(t1={A}, t2={B}, t3={A}, t4={B}))
    assert classes_of(model) == {1: {A, C}, 2: {B, C}, 3: {A, C}, 4: {B}, INFINITY: set()}
    assert newest([implies(A, B, C)], asserted(t1={A}, t2={B}, t3={A}, t4={B}))[member(C, a)] == 3


def test_an_empty_abox_has_an_empty_interpretation():
    assert interpretations([], {3: set()}) == {3: frozenset(), INFINITY: frozenset()}


def test_what_the_background_derives_alone_belongs_to_it_and_to_no_timestamp():
    model = interpretations([implies(A, B)], {5: set()}, background=[member(A, a)])
    assert classes_of(model) == {5: set(), INFINITY: {A, B}}


def test_the_background_takes_part_in_every_union_and_is_older_than_nothing():
    model = interpretations([implies(A, B, C)], asserted(t1={B}, t2={D}), background=[member(A, a)])
    assert classes_of(model) == {1: {B, C}, 2: {D}, INFINITY: {A}}


#   at:   1    2
#         B    A         with D in the background, I_2 has B by A ⊓ D ⊑ B before I_1 is looked at
def test_a_new_interpretation_starts_with_what_the_background_adds_to_it():
    rules = [implies(A, D, B), implies(A, B, C)]
    model = interpretations(rules, asserted(t1={B}, t2={A}), background=[member(D, a)])
    assert classes_of(model) == {1: {B}, 2: {A, B, C}, INFINITY: {D}}


def test_a_re_assertion_of_the_background_stays_an_assertion():
    model = interpretations([implies(A, B)], asserted(t1={A}), background=[member(A, a)])
    assert classes_of(model) == {1: {A, B}, INFINITY: {A, B}}


def test_an_earlier_attachment_is_kept_when_a_smaller_set_makes_it_superfluous():
    rules = [implies(A, B, C)]
    early = interpretations(rules, asserted(t1={A}, t2={B}))
    late = interpretations(rules, asserted(t1={A}, t2={B}, t3={A}))
    assert early[1] == late[1]


def test_minimal_sets_are_none_for_a_body_that_does_not_hold_and_empty_for_the_background():
    model = {1: {member(A, a)}, 2: {member(A, a), member(B, a)}, INFINITY: {member(C, a)}}
    assert minimal_sets([member(A, a)], model) == [{1}, {2}]
    assert minimal_sets([member(A, a), member(B, a)], model) == [{2}]
    assert minimal_sets([member(C, a)], model) == [frozenset()]
    assert minimal_sets([member(D, a)], model) == []


def test_a_proof_that_is_not_minimal_counts_for_the_upper_bound_only():
    # C(a) also follows from A(a)@1 by way of B(a)@2 and A(a)@1; the newest proof has B(a) alone.
    rules = [implies(A, B, C), implies(B, C)]
    window = asserted(t1={A}, t2={B})
    assert newest(rules, window)[member(C, a)] == 2
    assert member(C, a) in with_oldest_assertion(rules, window)[1]


@settings(max_examples=cases(8, 100), deadline=None)
@given(ontologies(literals=True), aboxes(literals=True))
def test_every_interpretation_lies_between_the_newest_proofs_and_all_proofs(ontology, window):
    rules, background = ontology
    model = interpretations(rules, window, background)
    every = with_oldest_assertion(rules, window, background)
    assert model.keys() == every.keys() == {*window, INFINITY}
    assert all(fact in model[at] for fact, at in newest(rules, window, background).items())
    assert all(model[at] <= every[at] for at in model)


@settings(max_examples=cases(8, 100), deadline=None)
@given(ontologies(literals=True), aboxes(literals=True))
def test_the_interpretations_from_any_time_on_are_the_materialization_of_that_part(ontology, window):
    rules, background = ontology
    model = interpretations(rules, window, background)
    for start in [*window, INFINITY]:
        facts = {fact for at, abox in window.items() if at >= start for fact in abox}
        union = {fact for at, held in model.items() if at >= start for fact in held}
        assert union == closure(rules, facts | background)


@settings(max_examples=cases(8, 100), deadline=None)
@given(ontologies(), aboxes(), st.integers(0, 8))
def test_dropping_old_interpretations_gives_the_model_of_the_window_without_them(ontology, window, start):
    rules, background = ontology
    kept = {at: held for at, held in interpretations(rules, window, background).items() if at >= start}
    assert kept == interpretations(
        rules, {at: abox for at, abox in window.items() if at >= start}, background
    )


@settings(max_examples=cases(8, 100), deadline=None)
@given(ontologies(), aboxes())
def test_the_newest_proof_of_a_fact_is_the_newest_interpretation_that_holds_it(ontology, window):
    rules, background = ontology
    model = interpretations(rules, window, background)
    assert newest(rules, window, background) == {
        fact: max(at for at, held in model.items() if fact in held)
        for fact in frozenset().union(*model.values())
    }
