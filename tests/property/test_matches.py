"""Matches of a body with some facts: against all ways to put facts in the place of its atoms."""

import random
from collections import Counter

import numpy as np
import pytest
from rdflib import Variable

from counts import seeds
from pantarhei import InvalidRuleError, Ontology, StreamReasoner, Window
from pantarhei.encoding.numbers import Symbol
from pantarhei.materialize.model import FOREVER
from pantarhei.model.rule import Atom, Different, Rule
from strategies import CLASSES, EX, PROPERTIES, TRANSITIVE
from worlds import World

NAMES = [Variable(name) for name in "xyz"]
x, y, z = NAMES
SEEN = Counter()


def some_body(chance, individuals):
    """Atoms each of which has a variable of those before it, and an inequality now and then."""
    body, bound = [], []
    for _ in range(chance.randint(1, 3)):
        first = chance.choice(bound or NAMES)
        second = chance.choice([*NAMES, chance.choice(individuals)])
        if chance.random() < 0.3:
            body.append(Atom(chance.choice(CLASSES), (first,)))
        else:
            places = (
                (first, second)
                if chance.random() < 0.5 or not isinstance(second, Variable)
                else (second, first)
            )
            body.append(Atom(chance.choice([*PROPERTIES, TRANSITIVE[0].body[0].predicate]), places))
        bound = [*dict.fromkeys([*bound, *(a for a in body[-1].arguments if isinstance(a, Variable))])]
    different = (
        [Different(bound[0], chance.choice([*bound[1:], individuals[0]]))] if chance.random() < 0.3 else []
    )
    return body, different


def by_definition(model, variables, body, different, facts, given):
    """The bindings by which all atoms become facts, one of them of `given`, each with its lowest level."""
    vocabulary, found = model.vocabulary, {}

    def known(argument, binding):
        return binding.get(argument) if isinstance(argument, Variable) else vocabulary.number(argument)

    def match(atoms, binding, chosen):
        if not atoms:
            differ = all(known(d.left, binding) != known(d.right, binding) for d in different)
            if differ and not given.isdisjoint(chosen):
                found[tuple(map(binding.get, variables))] = min(facts[fact] for fact in chosen)
            return
        atom, *others = atoms
        is_class = len(atom.arguments) == 1
        symbol = (vocabulary.find_class if is_class else vocabulary.find_property)(atom.predicate)
        for fact in facts:
            if fact[0] == symbol:
                more = dict(binding)
                pairs = list(zip(atom.arguments, fact[1:], strict=False))
                more.update((a, term) for a, term in pairs if known(a, more) is None)
                if all(known(a, more) == term for a, term in pairs):
                    match(others, more, [*chosen, fact])

    match(body, {}, [])
    return found


def told(matches):
    rows = list(map(tuple, matches.bindings.tolist()))
    assert len(set(rows)) == len(rows), "a match recurs"
    return dict(zip(rows, matches.levels.tolist(), strict=True))


def levels_of(model):
    facts = model.facts()
    levels = model.levels(facts).tolist() if model._keeps_newest else [0] * len(facts)
    return dict(zip(map(tuple, facts.tolist()), levels, strict=True))


def array(facts):
    return np.array(sorted(facts), np.int32).reshape(-1, 3)


@pytest.mark.parametrize("keep", ["newest", "every"])
@pytest.mark.parametrize("seed", seeds(5, 10))
def test_matches_are_found_before_and_after_a_step(seed, keep):
    world, chance, found = World(seed, constraints=2), random.Random(seed), 0
    world.individuals, world.rules = world.individuals[:6], (*world.rules, TRANSITIVE[0])
    reasoner = StreamReasoner(Ontology.from_rules(world.rules), Window(4), keep=keep)
    bodies = [some_body(chance, world.individuals) for _ in range(6)]
    plans = [reasoner._held.model.plan(*body) for body in bodies]
    before = {}
    for at in range(15):
        reasoner.push(at, list(world.facts(5)))
        model = reasoner._held.model
        after = levels_of(model)
        came, went = set(after) - set(before), set(before) - set(after)
        some = set(chance.sample(sorted(after), 3)) if len(after) > 3 else set()
        stayed = {fact: level for fact, level in after.items() if fact not in came}
        old = {**stayed, **dict.fromkeys(went, FOREVER)}
        for (body, different), plan in zip(bodies, plans, strict=True):
            for facts, without, there in (
                (came, set(), after),  # what came
                (went, came, old),  # what went, told afterwards
                (some, set(), after),  # told before they go
                (some, came, stayed),
            ):
                expected = by_definition(model, plan.variables, body, different, there, facts - without)
                matches = told(model.matches_with(plan, array(facts), array(without)))
                assert set(matches) == set(expected)
                assert keep == "every" or matches == expected
                found += len(expected)
        model.kernel.check_invariants()
        assert levels_of(model) == after and len(model.take_changes()) == 0
        before = after
    SEEN["matches"] += found


def test_a_fact_that_is_not_to_be_matched_is_not_even_if_it_is_given_and_has_gone():
    model = StreamReasoner(Ontology.from_rules([TRANSITIVE[0]]), Window(4))._held.model
    plan = model.plan([Atom(EX.A, (x,))])
    gone, other = (
        (model.vocabulary.number_symbol(Symbol(EX.A, 1)), model.vocabulary.number(EX[name]), -1)
        for name in ("gone", "other")
    )
    found = model.matches_with(plan, array([gone, other]), array([gone]))
    assert found.bindings.tolist() == [[other[1]]] and len(model) == 0


def test_there_were_matches():
    assert SEEN["matches"] > 1000


@pytest.mark.parametrize("other", [Atom(EX.S, (z, z)), Atom(EX.A, (z,)), Atom(EX.A, (EX.a,))])
def test_a_body_that_is_not_connected_is_refused(other):
    model = StreamReasoner(Ontology.from_rules([TRANSITIVE[0]]), Window(4))._held.model
    with pytest.raises(InvalidRuleError, match="not connected"):
        model.plan([Atom(EX.R, (x, y)), other])


def test_a_plan_serves_the_model_that_is_made_anew_with_a_grown_program():
    reasoner = StreamReasoner(Ontology.from_rules([TRANSITIVE[0]]), Window(4))
    plan = reasoner._held.model.plan([Atom(EX.new, (x, y)), Atom(TRANSITIVE[0].body[0].predicate, (y, z))])
    P = TRANSITIVE[0].body[0].predicate
    reasoner.push(1, [(EX.a, EX.new, EX.b), (EX.b, P, EX.c), (EX.c, P, EX.d)])
    held = reasoner._held
    number = held.vocabulary.number
    expected = {tuple(map(number, (EX.a, EX.b, end))) for end in (EX.c, EX.d)}
    for _ in range(2):
        facts = held.model.facts()
        assert set(map(tuple, held.model.matches_with(plan, facts).bindings.tolist())) == expected
        held.drop_model()
        held.growing.grow()


@pytest.mark.parametrize("size", [100, 10_000])
def test_matching_few_facts_costs_what_matches(size):
    rules = [Rule("cax-sco", (Atom(EX.A, (x,)),), Atom(EX.B, (x,)))]
    reasoner = StreamReasoner(Ontology.from_rules(rules), Window(100_000))
    reasoner.push(0, [(EX[f"n{i}"], EX.R, EX[f"n{i + 1}"]) for i in range(size)])
    reasoner.push(1, [(EX.n7, EX.S, EX.n8)])
    model = reasoner._held.model
    plan = model.plan([Atom(EX.R, (x, y)), Atom(EX.S, (x, y)), Atom(EX.R, (y, z))])
    (given,) = [fact for fact in model.facts().tolist() if fact[0] == model.vocabulary.find_property(EX.S)]
    model.matches_with(plan, array([given]))
    before = model.kernel.candidates
    assert len(model.matches_with(plan, array([given])).bindings) == 1
    assert model.kernel.candidates - before == 3
