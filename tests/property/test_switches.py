"""With plans on switches wherever there can be, answers are those of the definitions and of plain plans."""

import pytest
from hypothesis import given, settings
from rdflib import RDF, Namespace, Variable

from counts import cases, seeds
from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.model.rule import Atom, Rule
from strategies import worlds
from worlds import SideBySide, World, arrivals, interpretations, switches_everywhere, windows

EX = Namespace("http://example.org/")
x, y = Variable("x"), Variable("y")
both_ways = pytest.mark.parametrize("keep", ["newest", "every"])


@both_ways
@given(world=worlds(), window=windows, steps=arrivals)
@settings(max_examples=cases(10, 120), deadline=None)
def test_answers_are_those_of_the_definitions(keep, world, window, steps):
    rules, background, pool = world
    with switches_everywhere():
        reasoner = StreamReasoner(Ontology.from_rules(rules), Window(*window), background, keep=keep)
        SideBySide(reasoner, rules, background).follow(pool, steps)


@both_ways
@pytest.mark.parametrize("seed", seeds(3, 12))
def test_answers_are_those_of_plain_plans(keep, seed):
    """Over many individuals, with repairs."""
    world = World(seed, constraints=seed % 3)
    choose = world.random.choice
    window, repair = Window(choose((2, 5, 12))), choose(("exact", "grounded", "off"))
    plain = world.reasoner(window, keep=keep, repair=repair)
    with switches_everywhere():
        switched = world.reasoner(window, keep=keep, repair=repair)
        for at in range(1, 30):
            abox = list(world.facts(choose((0, 5, 20))))
            one, other = plain.push(at, abox), switched.push(at, abox)
            assert one.delta == other.delta
            assert one.repair.removed == other.repair.removed
            assert set(one.repair.conflict_sets) == set(other.repair.conflict_sets)
            switched._held.model.kernel.check_invariants()
        assert plain.materialization() == switched.materialization()
        if keep == "newest":
            assert interpretations(plain) == interpretations(switched)
        plans = switched._held.model.program.plans
        assert len(plans.forward.kinds) and len(plans.backward.kinds)


@both_ways
def test_a_hub_in_more_classes_than_there_are_plans_loses_no_conclusion(keep):
    rules = [
        Rule("cls-svf1", (Atom(EX.R, (x, y)), Atom(EX[f"F{i}"], (y,))), Atom(EX[f"G{i}"], (x,)))
        for i in (1, 2)
    ]
    rules += [
        Rule("cls-svf1", (Atom(EX.S, (x, y)), Atom(EX[f"F{i}"], (y,))), Atom(EX.H, (x,))) for i in range(9)
    ]
    with switches_everywhere():
        reasoner = StreamReasoner(Ontology.from_rules(rules), Window(10), keep=keep)
        reasoner.push(1, [(EX.hub, RDF.type, EX[f"F{i}"]) for i in range(9)])
        update = reasoner.push(2, [(EX.a, EX.R, EX.hub)])
    assert update.delta.added == {(EX.a, EX.R, EX.hub), *((EX.a, RDF.type, EX[f"G{i}"]) for i in (1, 2))}
