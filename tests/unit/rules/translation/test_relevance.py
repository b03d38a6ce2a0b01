"""The rules that can fire: leaving the others out changes no closure."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from rdflib import OWL, RDF, Namespace, Variable

import random_ontologies
from counts import seeds
from oracle.materialization import closure, is_consistent
from pantarhei.encoding.numbers import Symbol
from pantarhei.model.rule import Atom, Rule
from pantarhei.ontology.closure import Closure, is_internal
from pantarhei.owl.axiom_mapping import read_axioms
from pantarhei.rules.translation.relevance import that_can_fire, that_matter
from pantarhei.rules.translation.translate import translate
from strategies import facts, rules

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
    assert that_can_fire([second, first], [Symbol(EX.A, 1)]) == (first,)
    assert that_can_fire([second, first], [Symbol(EX.A, 1), Symbol(EX.p, 2)]) == (second, first)


def test_a_class_and_a_property_of_one_name_are_two_predicates():
    rule = Rule("r", (is_a(EX.A),), is_a(EX.B))
    assert that_can_fire([rule], [Symbol(EX.A, 2)]) == ()


def test_what_is_made_on_demand_is_never_waited_for():
    given_ = tuple(Rule("r", (Atom(name, (X, Y)),), is_a(EX.A)) for name in (OWL.sameAs, OWL.differentFrom))
    given_ += (Rule("r", (is_a(OWL.Thing),), is_a(EX.B)),)
    assert that_can_fire(given_, []) == given_


def test_a_long_chain_is_followed_to_its_end_in_linear_time():
    chain = [Rule("r", (is_a(EX[f"c{i}"]),), is_a(EX[f"c{i + 1}"])) for i in range(20_000)]
    assert len(that_can_fire(reversed(chain), [Symbol(EX.c0, 1)])) == 20_000


@given(rules(), facts())
def test_the_closure_by_the_rules_that_can_fire_is_the_closure(rules_, facts_):
    relevant = that_can_fire(rules_, symbols(facts_))
    assert closure(relevant, facts_) == closure(rules_, facts_)
    assert is_consistent(relevant, facts_) == is_consistent(rules_, facts_)


@pytest.mark.parametrize("seed", seeds(50, 150))
def test_neither_equality_nor_things_nor_contradictions_are_lost(seed):
    generator = random_ontologies.Generator(seed)
    written = [generator.axiom() for _ in range(8)] + [generator.assertion() for _ in range(4)]
    reading = read_axioms(random_ontologies.graph(written))
    translations = [translate(axiom) for axiom in reading.axioms]
    rules_ = [rule for t in translations for rule in (*t.rules, *t.constraints)]
    Random(seed).shuffle(rules_)
    facts_ = [*reading.assertions, *(fact for t in translations for fact in t.facts)]
    whole, relevant = Closure(rules_, facts_), Closure(that_can_fire(rules_, symbols(facts_)), facts_)
    assert whole.inconsistent == relevant.inconsistent
    assert (whole.proof_of_void() is None) == (relevant.proof_of_void() is None)
    assert facts_of(whole) == facts_of(relevant)


def test_a_rule_matters_for_what_follows_by_others_from_its_head():
    first = Rule("r", (is_a(EX.A),), is_a(EX.B))
    second = Rule("r", (is_a(EX.B), Atom(EX.p, (X, Y))), is_a(EX.C, Y))
    other = Rule("r", (is_a(EX.C),), is_a(EX.D))
    assert that_matter([other, second, first], [Symbol(EX.C, 1)]) == (second, first)
    assert that_matter([other, second, first], [Symbol(EX.B, 1)]) == (first,)
    assert that_matter([other, second, first], [Symbol(EX.C, 2)]) == ()


def test_constraints_and_what_violates_them_matter_always():
    constraint = Rule("r", (is_a(EX.B), is_a(EX.C)), None)
    first = Rule("r", (is_a(EX.A),), is_a(EX.B))
    other = Rule("r", (is_a(EX.A),), is_a(EX.D))
    assert that_matter([constraint, other, first], ()) == (constraint, first)


@given(rules(), facts(), facts())
def test_of_what_is_asked_for_as_much_follows_by_the_rules_that_matter(given_rules, triples, asked):
    wanted = set(symbols(asked))
    matter = that_matter(given_rules, wanted)

    def asked_for(by):
        found = closure([rule for rule in by if rule.head is not None], set(triples))
        return {triple for triple, symbol in zip(found, symbols(found), strict=True) if symbol in wanted}

    assert asked_for(matter) == asked_for(given_rules)
    assert is_consistent(matter, set(triples)) == is_consistent(given_rules, set(triples))
