"""Rules made on demand, and what a reading of names makes of rules."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from rdflib import OWL, RDF, BNode, Literal, Namespace, Variable

import random_ontologies
from counts import seeds
from oracle.materialization import closure, is_consistent
from pantarhei.encoding.numbers import Symbol
from pantarhei.model.data_range import ILL_TYPED
from pantarhei.model.rule import Atom, Different, Member, Rule
from pantarhei.ontology.closure import AssertionClosure, is_internal
from pantarhei.owl.axiom_mapping import read_axioms
from pantarhei.rules.translation.demand import (
    DIFFERENT,
    SAME,
    THING,
    TYPE,
    Theory,
    by_class,
    fireable_rules,
    gives_literal_class,
    has_class_variables,
    over_one_relation,
    relations_of,
    relevant_rules,
)
from pantarhei.rules.translation.translate import translate
from pantarhei.values.membership import COMPARABLE
from strategies import EX as StrategiesEX
from strategies import A, B, R, V, a, b, facts, related, rules, z
from strategies import is_a as is_a_of_strategies
from strategies import x as x_of_strategies
from strategies import y as y_of_strategies

CLASS, PROPERTY = Symbol(StrategiesEX.C, 1), Symbol(StrategiesEX.p, 2)
NOTHING, EMPTY = Symbol(OWL.Nothing, 1), Symbol(OWL.bottomObjectProperty, 2)
OF_THINGS = Rule(
    "cax-sco", (is_a_of_strategies(OWL.Thing, x_of_strategies),), is_a_of_strategies(A, x_of_strategies)
)


def made(theory, *symbols, ill_typed=()):
    return sorted(f"{rule.name}: {rule}" for rule in theory.demanded(symbols, ill_typed))


def test_without_names_that_say_something_of_all_nothing_is_demanded():
    for unique_names in (True, False):
        assert made(Theory.of([], unique_names), CLASS, PROPERTY) == []


def test_equality_is_written_out_for_each_symbol():
    assert made(Theory.of([], unique_names=False), SAME, CLASS, PROPERTY) == [
        "eq-rep-o: p(?x, ?z) :- p(?x, ?y), sameAs(?z, ?y).",
        "eq-rep-s: C(?y) :- C(?x), sameAs(?x, ?y).",
        "eq-rep-s: p(?z, ?y) :- p(?x, ?y), sameAs(?x, ?z).",
        "eq-sym: sameAs(?y, ?x) :- sameAs(?x, ?y).",
        "eq-trans: sameAs(?x, ?z) :- sameAs(?x, ?y), sameAs(?y, ?z), ?x ≠ ?z.",
    ]


def test_under_unique_names_an_equality_of_two_is_denied():
    (rule,) = Theory.of([], unique_names=True).demanded([SAME, CLASS], [])
    assert rule.name == "pr-unique"
    assert rule.head is None and rule.different


@pytest.mark.parametrize("unique_names", [True, False])
def test_what_is_empty_or_ill_typed_is_denied_once_it_is_met(unique_names):
    theory = Theory.of([], unique_names)
    assert made(theory, NOTHING, EMPTY) == [
        "cls-nothing2: ⊥ :- Nothing(?x).",
        "pr-empty: ⊥ :- bottomObjectProperty(?x, ?y).",
    ]
    (rule,) = theory.demanded([Symbol(V, 2)], [V])
    assert rule.name == "dt-not-type"
    assert rule.tests == (Member(y_of_strategies, ILL_TYPED),)


def test_nothing_differs_from_itself_and_difference_goes_both_ways():
    assert made(Theory.of([], unique_names=True), DIFFERENT) == ["eq-diff1: ⊥ :- differentFrom(?x, ?x)."]
    assert "pr-different: differentFrom(?y, ?x) :- differentFrom(?x, ?y)." in made(
        Theory.of([], unique_names=False), DIFFERENT
    )


def test_each_argument_of_each_predicate_is_a_thing_where_that_is_asked():
    assert made(Theory.of([OF_THINGS], unique_names=True), THING, CLASS, PROPERTY) == [
        "pr-thing: Thing(?x) :- C(?x).",
        "pr-thing: Thing(?x) :- p(?x, ?y).",
        "pr-thing: Thing(?y) :- p(?x, ?y).",
    ]


def test_a_theory_follows_what_it_speaks_of():
    plain, open_ = Theory.of([], unique_names=True), Theory.of([], unique_names=False)
    things = Theory.of([OF_THINGS], unique_names=True)
    assert not plain.demands_rules([CLASS, PROPERTY], [CLASS, PROPERTY])
    assert not open_.demands_rules([CLASS, PROPERTY], [CLASS, PROPERTY])
    assert things.demands_rules([CLASS], [CLASS])
    assert open_.demands_rules([CLASS], [SAME, CLASS])
    assert not plain.demands_rules([CLASS], [SAME, CLASS])
    assert not any(theory.demands_rules([], [SAME]) for theory in (plain, open_, things))
    for symbol in (SAME, DIFFERENT, NOTHING, EMPTY):
        assert all(theory.demands_rules([symbol], [symbol]) for theory in (plain, open_, things))


def test_without_unique_names_denied_values_are_equal_and_denied_literals_contradict():
    functional = Rule(
        "prp-fp",
        (related(R, x_of_strategies, y_of_strategies), related(R, x_of_strategies, z)),
        None,
        (Different(y_of_strategies, z),),
    )
    assert Theory.of([functional], unique_names=True).rules == (functional,)
    equal, literals = Theory.of([functional], unique_names=False).rules
    assert equal.head.predicate == OWL.sameAs and equal.different
    assert literals.head is None and literals.different
    assert {test.range for test in literals.tests} == {COMPARABLE}


def test_without_unique_names_an_inequality_on_which_more_depends_must_be_known():
    rule = Rule(
        "pr-swrl",
        (related(R, x_of_strategies, y_of_strategies), related(R, x_of_strategies, z)),
        is_a_of_strategies(B, x_of_strategies),
        (Different(y_of_strategies, z),),
    )
    denied = Rule(
        "pr-oneof",
        (is_a_of_strategies(A, x_of_strategies),),
        None,
        (Different(x_of_strategies, a), Different(x_of_strategies, b)),
    )
    for made_ in Theory.of([rule, denied], unique_names=False).rules:
        assert not made_.different or not any(atom.predicate == OWL.differentFrom for atom in made_.body)
    assert any(
        atom.predicate == OWL.differentFrom
        for made_ in Theory.of([rule], unique_names=False).rules
        for atom in made_.body
    )


EX = Namespace("http://example.org/")
X, Y = Variable("x"), Variable("y")


def is_a(class_, who=X):
    return Atom(class_, (who,))


def symbols(triples):
    return [Symbol(o, 1) if p == RDF.type else Symbol(p, 2) for _, p, o in triples]


def facts_of(closure_):
    """Its facts, without what goes without saying and is there only where a rule asks for it."""
    found = closure_.match(None, None, None)
    return {(s, p, o) for s, p, o in found if o != OWL.Thing and not is_internal(o)}


def test_a_rule_fires_through_others_and_not_without_all_of_its_body():
    first = Rule("r", (is_a(EX.A),), is_a(EX.B))
    second = Rule("r", (is_a(EX.B), Atom(EX.p, (X, Y))), is_a(EX.C, Y))
    assert fireable_rules([second, first], [Symbol(EX.A, 1)]) == (first,)
    assert fireable_rules([second, first], [Symbol(EX.A, 1), Symbol(EX.p, 2)]) == (second, first)


def test_a_class_and_a_property_of_one_name_are_two_predicates():
    rule = Rule("r", (is_a(EX.A),), is_a(EX.B))
    assert fireable_rules([rule], [Symbol(EX.A, 2)]) == ()


def test_what_is_made_on_demand_is_never_waited_for():
    given_ = tuple(Rule("r", (Atom(name, (X, Y)),), is_a(EX.A)) for name in (OWL.sameAs, OWL.differentFrom))
    given_ += (Rule("r", (is_a(OWL.Thing),), is_a(EX.B)),)
    assert fireable_rules(given_, []) == given_


def test_a_long_chain_is_followed_to_its_end_in_linear_time():
    chain = [Rule("r", (is_a(EX[f"c{i}"]),), is_a(EX[f"c{i + 1}"])) for i in range(20_000)]
    assert len(fireable_rules(reversed(chain), [Symbol(EX.c0, 1)])) == 20_000


@given(rules(), facts())
def test_the_closure_by_the_rules_that_can_fire_is_the_closure(rules_, facts_):
    relevant = fireable_rules(rules_, symbols(facts_))
    assert closure(relevant, facts_) == closure(rules_, facts_)
    assert is_consistent(relevant, facts_) == is_consistent(rules_, facts_)


@pytest.mark.parametrize("seed", seeds(25, 150))
def test_neither_equality_nor_things_nor_contradictions_are_lost(seed):
    generator = random_ontologies.Generator(seed)
    written = [generator.axiom() for _ in range(8)] + [generator.assertion() for _ in range(4)]
    reading = read_axioms(random_ontologies.graph(written))
    translations = [translate(axiom) for axiom in reading.axioms]
    rules_ = [rule for t in translations for rule in (*t.rules, *t.constraints)]
    Random(seed).shuffle(rules_)
    facts_ = [*reading.assertions, *(fact for t in translations for fact in t.facts)]
    whole, relevant = (
        AssertionClosure(rules_, facts_),
        AssertionClosure(fireable_rules(rules_, symbols(facts_)), facts_),
    )
    assert whole.inconsistent == relevant.inconsistent
    assert (whole.proof_of_void() is None) == (relevant.proof_of_void() is None)
    assert facts_of(whole) == facts_of(relevant)


def test_a_rule_matters_for_what_follows_by_others_from_its_head():
    first = Rule("r", (is_a(EX.A),), is_a(EX.B))
    second = Rule("r", (is_a(EX.B), Atom(EX.p, (X, Y))), is_a(EX.C, Y))
    other = Rule("r", (is_a(EX.C),), is_a(EX.D))
    assert relevant_rules([other, second, first], [Symbol(EX.C, 1)]) == (second, first)
    assert relevant_rules([other, second, first], [Symbol(EX.B, 1)]) == (first,)
    assert relevant_rules([other, second, first], [Symbol(EX.C, 2)]) == ()


def test_constraints_and_what_violates_them_matter_always():
    constraint = Rule("r", (is_a(EX.B), is_a(EX.C)), None)
    first = Rule("r", (is_a(EX.A),), is_a(EX.B))
    other = Rule("r", (is_a(EX.A),), is_a(EX.D))
    assert relevant_rules([constraint, other, first], ()) == (constraint, first)


@given(rules(), facts(), facts())
def test_of_what_is_asked_for_as_much_follows_by_the_rules_that_matter(given_rules, triples, asked):
    wanted = set(symbols(asked))
    matter = relevant_rules(given_rules, wanted)

    def asked_for(by):
        found = closure([rule for rule in by if rule.head is not None], set(triples))
        return {triple for triple, symbol in zip(found, symbols(found), strict=True) if symbol in wanted}

    assert asked_for(matter) == asked_for(given_rules)
    assert is_consistent(matter, set(triples)) == is_consistent(given_rules, set(triples))


x, y = Variable("x"), Variable("y")
KIND = Rule("prp-spo1", (Atom(EX.kind, (x, y)),), Atom(RDF.type, (x, y)))
SUBCLASS = Rule("cax-sco", (Atom(EX.Cat, (x,)),), Atom(EX.Animal, (x,)))


def of_type(who, class_):
    return Atom(RDF.type, (who, class_))


def test_the_two_forms_of_an_atom_are_one_triple_and_one_text():
    for class_ in (EX.Cat, BNode("b")):
        atom = Atom(class_, (x,))
        assert atom.as_type == of_type(x, class_)
        assert atom.as_type.as_class == atom == atom.as_class
        assert str(atom) == str(atom.as_type)
        assert atom.ground({x: EX.a}) == atom.as_type.ground({x: EX.a})


def test_variables_literals_and_other_properties_have_one_form():
    for atom in (of_type(x, y), of_type(x, Literal("Cat")), Atom(EX.kind, (x, EX.Cat))):
        assert atom.as_class is atom
        assert atom.as_type is atom


def test_rules_are_by_class_where_classes_are_names():
    written = Rule("cls-hv1", (of_type(x, EX.Cat),), of_type(x, EX.Animal))
    assert by_class(written).body == SUBCLASS.body
    assert by_class(written).head == SUBCLASS.head
    assert by_class(KIND) is KIND


def test_class_variables_are_found_in_bodies_and_heads():
    assert has_class_variables([SUBCLASS, KIND])
    assert has_class_variables([Rule("prp-dom", (of_type(x, y),), Atom(EX.D, (x,)))])
    assert not has_class_variables([SUBCLASS, Rule("r", (of_type(x, EX.Cat),), None)])


def test_all_rules_are_over_one_relation_then():
    (rule,) = over_one_relation([SUBCLASS])
    assert rule.body == (of_type(x, EX.Cat),)
    assert rule.head == of_type(x, EX.Animal)
    assert over_one_relation([KIND]) == (KIND,)
    asked = frozenset({Symbol(EX.Cat, 1), Symbol(EX.kind, 2)})
    assert relations_of(asked) == {TYPE, Symbol(EX.kind, 2)}


def test_a_literal_as_class_is_seen_in_heads_alone():
    assert gives_literal_class(Rule("r", (Atom(EX.Cat, (x,)),), of_type(x, Literal("c"))))
    assert not gives_literal_class(Rule("r", (of_type(x, Literal("c")),), Atom(EX.Cat, (x,))))
    assert not gives_literal_class(KIND)


def test_a_theory_with_a_class_variable_demands_no_rules_for_classes():
    theory = Theory.of([KIND, SUBCLASS, Rule("r", (Atom(OWL.Thing, (x,)),), Atom(EX.Any, (x,)))], True)
    assert theory.has_class_variables
    assert all(len(atom.arguments) == 2 for rule in theory.rules for atom in rule.atoms)
    assert any(rule.name == "cls-nothing2" for rule in theory.rules)
    assert not theory.demands_rules([Symbol(EX.New, 1)], [])
    demanded = theory.demanded([Symbol(EX.New, 1), TYPE, Symbol(EX.kind, 2)], ())
    thing = of_type(x, OWL.Thing)
    assert [str(rule) for rule in demanded if rule.head == thing and rule.body == (of_type(x, y),)]
    assert all(len(atom.arguments) == 2 for rule in demanded for atom in rule.atoms)


def test_without_class_variables_a_theory_has_a_relation_for_each_class():
    theory = Theory.of([SUBCLASS], True)
    assert not theory.has_class_variables
    assert theory.rules == (SUBCLASS,)
