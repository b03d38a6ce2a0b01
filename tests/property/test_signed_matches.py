"""Matches that came and went with a step: against all ways to put facts in the place of atoms, before and
after it.
"""

import random
from collections import Counter

import numpy as np
import pytest
from rdflib import Variable

from counts import seeds
from pantarhei import InvalidRuleError, Ontology, StreamReasoner, Window
from pantarhei.encoding.numbers import NONE
from pantarhei.model.rule import Atom
from pantarhei.rules.compilation.body_plans import FactPattern
from strategies import CLASSES, EX, PROPERTIES, TRANSITIVE
from worlds import World

NAMES = [Variable(name) for name in "xyz"]
RELATIONS = [*PROPERTIES, TRANSITIVE[0].body[0].predicate]
SEEN = Counter()


def some_body(chance, individuals):
    """Up to four atoms, with what is wanted for some of the variables now and then."""

    def argument():
        return chance.choice(NAMES) if chance.random() < 0.8 else chance.choice(individuals)

    atoms = []
    for _ in range(chance.randint(1, 4)):
        if chance.random() < 0.3:
            atoms.append(Atom(chance.choice(CLASSES), (argument(),)))
        else:
            atoms.append(Atom(chance.choice(RELATIONS), (argument(), argument())))
    variables = sorted({a for atom in atoms for a in atom.arguments if isinstance(a, Variable)})
    parameters = chance.sample(variables, chance.randint(0, len(variables)))
    wanted = [tuple(chance.choices(individuals, k=len(parameters))) for _ in range(chance.randint(0, 16))]
    return FactPattern(tuple(atoms), (), tuple(parameters), tuple(wanted))


def some_bodies(chance, model, individuals, count):
    """Bodies that are connected."""
    bodies = []
    while len(bodies) < count:
        body = some_body(chance, individuals)
        try:
            model.plan_bodies([body])
            bodies.append(body)
        except InvalidRuleError:
            pass
    return bodies


def by_definition(model, body, variables, facts, changed):
    """The bindings by which all atoms become facts, one of them changed, and that are wanted."""
    vocabulary, found = model.vocabulary, []
    of_predicate = {}
    for fact in facts:
        of_predicate.setdefault(fact[0], []).append(fact)
    wanted = {tuple(map(vocabulary.number, terms)) for terms in body.requested}

    def known(argument, binding):
        return binding.get(argument) if isinstance(argument, Variable) else vocabulary.number(argument)

    def match(atoms, binding, has_changed):
        if not atoms:
            if has_changed and (
                not body.parameters or tuple(binding[each] for each in body.parameters) in wanted
            ):
                found.append(tuple(map(binding.get, variables)))
            return
        atom, *others = atoms
        is_class = len(atom.arguments) == 1
        symbol = (vocabulary.find_class if is_class else vocabulary.find_property)(atom.predicate)
        for fact in of_predicate.get(symbol, ()):
            more = dict(binding)
            pairs = list(zip(atom.arguments, fact[1:], strict=False))
            more.update((a, term) for a, term in pairs if known(a, more) is None)
            if all(known(a, more) == term for a, term in pairs):
                match(others, more, has_changed or fact in changed)

    match(body.atoms, {}, False)
    return found


def told(plans, matches):
    """The matches as a count of (body, sign, bindings)."""
    rows = matches.tolist()
    for place, _, *bindings in rows:
        assert set(bindings[len(plans.variables[place]) :]) <= {NONE}
    return Counter((row[0], row[1], tuple(row[2 : 2 + len(plans.variables[row[0]])])) for row in rows)


def array(facts, width=3):
    return np.array(facts, np.int32).reshape(-1, width)


def mentions(chance, came, went, others):
    """What may be noted of a step: what came and went, each an odd number of times, others an even number."""
    noted = [(*fact, 1) for fact in came] + [(*fact, -1) for fact in went]
    more = chance.sample(sorted(others), min(len(others), 3)) + chance.sample(sorted(noted), len(noted) // 3)
    noted += [(*fact[:3], sign) for fact in more for sign in (1, -1)]
    chance.shuffle(noted)
    return array(noted, 4)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("keep", ["newest", "every"])
@pytest.mark.parametrize("seed", seeds(2, 10, long=500))
def test_matches_come_and_go_as_the_definition_says(seed, keep):
    world, chance = World(seed, constraints=2), random.Random(seed)
    world.individuals, world.rules = world.individuals[:6], (*world.rules, TRANSITIVE[0])
    reasoner = StreamReasoner(Ontology.from_rules(world.rules), Window(4), keep=keep)
    bodies = some_bodies(chance, reasoner._held.model, world.individuals, 12)
    plans = reasoner._held.model.plan_bodies(bodies)
    before, all_facts = set(), set()
    for at in range(12):
        reasoner.push(at, list(world.facts(8)))
        model = reasoner._held.model
        after = set(map(tuple, model.facts().tolist()))
        all_facts |= after
        came, went = after - before, before - after
        noted = mentions(chance, sorted(came), sorted(went), all_facts - came - went)
        stayed = sorted(after & before)
        reformed = chance.sample(stayed, min(len(stayed), chance.choice((0, 0, 2))))
        expected = Counter(
            (place, sign, binding)
            for place, body in enumerate(bodies)
            for sign, facts, changed in ((1, after, came), (-1, before, went))
            for binding in by_definition(model, body, plans.variables[place], facts, changed.union(reformed))
        )
        assert told(plans, model.signed_matches(plans, noted, array(reformed))) == expected
        assert not len(model.signed_matches(plans, array([], 4)))
        model.kernel.check_invariants()
        assert set(map(tuple, model.facts().tolist())) == after and len(model.take_changes()) == 0
        before = after
        SEEN["steps"] += 1
        SEEN["matches"] += expected.total()
        SEEN["of several atoms, for parameters"] += sum(
            count for (place, *_), count in expected.items()
            if len(bodies[place].atoms) > 1 and bodies[place].parameters
        )  # fmt: skip
    kept = model.plan_bodies(bodies[::-1], plans)
    assert all(kept.of_forms[body.form] is plans.of_forms[body.form] for body in bodies)


def test_there_were_matches():
    assert SEEN["matches"] > 4 * SEEN["steps"] and SEEN["of several atoms, for parameters"] > SEEN["steps"]


def test_plans_serve_the_model_that_is_made_anew_with_a_grown_program():
    x, y, z = NAMES
    relation = TRANSITIVE[0].body[0].predicate
    reasoner = StreamReasoner(Ontology.from_rules([TRANSITIVE[0]]), Window(4))
    body = FactPattern((Atom(EX.new, (x, y)), Atom(relation, (y, z))), (), (z,), ((EX.d,),))
    plans = reasoner._held.model.plan_bodies([body])
    reasoner.push(1, [(EX.a, EX.new, EX.b), (EX.b, relation, EX.c), (EX.c, relation, EX.d)])
    held = reasoner._held
    expected = [[0, 1, *map(held.vocabulary.number, (EX.d, EX.a, EX.b))]]
    for _ in range(2):
        noted = np.column_stack([held.model.facts(), np.ones(len(held.model), np.int32)])
        assert held.model.signed_matches(plans, noted).tolist() == expected
        held.drop_model()
        held.growing.grow()
