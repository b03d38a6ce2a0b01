"""Why a fact holds: at steps of random streams, proofs that the checker accepts, from the supports of the
definition; and nothing changes because somebody asked.
"""

from collections import Counter
from contextlib import suppress
from itertools import product
from random import Random

import pytest
from rdflib import OWL, RDF, Literal, Variable

import random_ontologies
from counts import of_many, seeds
from explained import Explained
from pantarhei import Budget, InconsistentOntologyError, Ontology, StreamReasoner, Window, load_ontology
from pantarhei.model.term import in_order
from random_ontologies import CLASSES, DATA_PROPERTIES, INDIVIDUALS, LITERALS, OBJECT_PROPERTIES
from scenes import FORMS, OTHERS, OVER_FORMS
from strategies import (
    ALL_VALUES,
    CHAIN,
    CONSTRAINTS,
    DERIVING_RULES,
    INTERSECTION,
    INVERSE,
    OVER_LITERALS,
    PROPERTIES,
    PROPERTY_FACTS,
    SOME_VALUES,
    SYMMETRIC,
    TRANSITIVE,
    V,
    a,
    b,
    c,
)  # fmt: skip
from strategies import CLASSES as OTHER_CLASSES
from worlds import World

OF_RULES, OF_ONTOLOGIES, OF_LARGE = Counter(), Counter(), Counter()
WINDOWS = (Window(1), Window(3), Window(3), Window(5), Window(5, 2), Window(3, closed="right"))
KNOWN = {*CLASSES, *OBJECT_PROPERTIES, *DATA_PROPERTIES, *OTHER_CLASSES, *PROPERTIES, V}
OF_DATA = {V, *DATA_PROPERTIES}

pytestmark = pytest.mark.usefixtures("quiet")


def asked_for(rules, names, values):
    """The facts over `names` and `values` that the bodies of `rules` ask for, of known predicates."""
    found = set()
    for atom in dict.fromkeys(atom for rule in rules for atom in rule.body if atom.predicate in KNOWN):
        subject, *object_ = ([each] if not isinstance(each, Variable) else names for each in atom.arguments)
        if atom.predicate in OF_DATA and isinstance(atom.arguments[1], Variable):
            object_ = [values]
        for who, *what in product(subject, *object_):
            found.add((who, atom.predicate, *what) if what else (who, RDF.type, atom.predicate))
    return in_order(fact for fact in found if not isinstance(fact[0], Literal))


def some_of(random, things, most):
    return random.sample(things, min(most, len(things)))


def random_options(random):
    return {
        "keep": random.choice(("newest", "newest", "every")),
        "unique_names": random.random() < 0.7,
        "repair": random.choice(("exact", "exact", "exact", "grounded", "algorithm3", "off")),
        "budget": random.choice((None, None, Budget(sets=2, steps=20, instances=8))),
        "derive": random.choice(("all", "all", "needed")),
    }


def follow(both, pool):
    """Steps of all kinds, with questions in between."""
    random, same = both.random, both.twin._held.growing.same
    for _ in range(8):
        if random.random() < 0.15:
            both.restore()
        if random.random() < 0.15:
            both.forget()
        if random.random() < 0.1:
            both.step(random.randint(1, 4), None)
        else:
            abox = random.sample(pool, random.randint(1, 3))
            both.step(random.choice((0, 1, 1, 1, 2)), abox, as_table=random.random() < 0.3)
        if random.random() < 0.6:
            both.ask(() if same else pool)  # of a merged name that holds which is said of the others
            both.compare(levels=random.random() < 0.5)
    both.end()


# -- rules by which much follows in several ways ---------------------------------------------------

JOINS = [*INTERSECTION, *SOME_VALUES, *CHAIN, *ALL_VALUES, *TRANSITIVE, *SYMMETRIC, *INVERSE]
VALUES = [literal for forms in FORMS for literal in forms]


def rules_and_facts(random):
    """An ontology of rules most of which join, and few facts, most of which these rules ask for."""
    rules = random.sample(JOINS, random.randint(2, 5)) + random.sample(DERIVING_RULES, random.randint(1, 5))
    rules += random.sample(OVER_LITERALS[:3], random.choice((0, 1, 2)))
    rules += random.sample(OVER_FORMS, random.choice((0, 1, 3)))
    rules += random.sample(CONSTRAINTS, random.choice((0, 1, 2)))
    pool = some_of(random, asked_for(rules, random.choice(((a, b), (a, b, c))), VALUES), 9)
    pool += random.sample(PROPERTY_FACTS, 2) + random.sample(OTHERS, random.choice((0, 1, 3)))
    background = random.sample(pool, random.choice((0, 1, 2)))
    return without_contradiction(lambda: Ontology.from_rules(rules, background)), pool


def without_contradiction(load):
    """What is loaded; None where it contradicts itself, or does under unique names."""
    with suppress(InconsistentOntologyError):
        ontology = load()
        StreamReasoner(ontology, Window(0))
        return ontology
    return None


def drawn_until_consistent(draw, random):
    ontology, pool = draw(random)
    return (ontology, pool) if ontology else drawn_until_consistent(draw, random)


@pytest.mark.parametrize("seed", seeds(6, 250, long=10_000))
def test_explanations_by_joining_rules_are_those_of_the_definition(seed):
    random = Random(seed)
    ontology, pool = drawn_until_consistent(rules_and_facts, random)
    both = Explained(ontology, random.choice(WINDOWS), random_options(random), seed, OF_RULES)
    follow(both, pool)


# -- ontologies, with and without unique names -----------------------------------------------------

ABOUT_NAMES = [(i, p, j) for p in (OWL.sameAs, OWL.differentFrom) for i, j in product(INDIVIDUALS, repeat=2)]


def ontology_and_facts(random):
    """A random ontology in OWL 2 RL with some assertions, and few facts, which its rules ask for."""
    drawn = random_ontologies.Generator(random.randrange(1 << 30), rules_only=True)
    axioms = [drawn.axiom() for _ in range(random.randint(4, 12))]
    axioms += [drawn.assertion() for _ in range(random.randint(0, 2))]
    ontology = without_contradiction(lambda: load_ontology(random_ontologies.graph(axioms)))
    if ontology is None:
        return None, []
    rules = (*ontology.rules, *ontology.constraints)
    names = random.choice((INDIVIDUALS, INDIVIDUALS[:2]))
    pool = some_of(random, asked_for(rules, names, LITERALS), 9)
    return ontology, pool + random.sample(ABOUT_NAMES, random.choice((1, 1, 3)))


@pytest.mark.parametrize("seed", seeds(5, 200, long=10_000))
def test_explanations_over_ontologies_are_those_of_the_definition(seed):
    random = Random(seed)
    ontology, pool = drawn_until_consistent(ontology_and_facts, random)
    both = Explained(ontology, random.choice(WINDOWS), random_options(random), seed, OF_ONTOLOGIES)
    follow(both, pool)


# -- larger windows --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", seeds(1, 12, long=200))
def test_explanations_in_large_windows_are_sound_minimal_and_at_the_right_time(seed):
    world, random = World(seed, constraints=2), Random(seed)
    options = {
        "background": world.background,
        "keep": random.choice(("newest", "every")),
        "derive": random.choice(("all", "needed")),
    }
    both = Explained(Ontology.from_rules(world.rules), Window(5), options, seed, OF_LARGE)
    for at in range(12):
        again = random.sample(sorted(both.twin.assertions(), key=str), min(2, len(both.twin.assertions())))
        both.step(at % 5 != 0, [*world.facts(4), *(triple for _, triple in again)])
        if at % 3 == 2:
            both.ask(list(world.facts(3)), sample=6)
            both.compare(levels=at % 2)
        if at % 4 == 3:
            both.restore()
    both.end()


# -- there was something to see --------------------------------------------------------------------

OFTEN = "derived", "joined", "of several supports", "limited", "open", "absent", "cut", "dropped"
NOW_AND_THEN = (
    "deep", "on background", "on both", "by equality", "by tests", "with a choice", "restored", "compacted",
    "contradictions", "in conflict",
)  # fmt: skip


@of_many
@pytest.mark.parametrize("seen", [OF_RULES, OF_ONTOLOGIES])
def test_random_cases_have_what_explanations_are_about(seen):
    if not seen:
        pytest.skip("nothing was explained")
    assert seen["proofs"] >= 4000 and seen["compared"] >= 1500 and seen["given up"] <= 40
    assert not [kind for kind in OFTEN if seen[kind] < 100]
    assert not [kind for kind in NOW_AND_THEN if seen[kind] < 20]
