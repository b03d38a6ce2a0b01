"""Agreement with two other OWL 2 RL reasoners, owlrl and reasonable, on generated data.

What is compared is the closure of the data: the triples on its individuals. What the peers derive beyond
ours is named here, kind by kind. Where a peer departs from the W3C's rules (OWL 2 Profiles, section 4.3), a
small case shows it, and the axioms concerned are restated for that peer, or left out for both.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import pytest
import rdflib
from rdflib import OWL, RDF, RDFS, XSD, BNode, Graph, Literal, Namespace

from brick_building import Building, brick_file, module
from pantarhei import StreamReasoner, Window, load_ontology
from pantarhei.owl.document import read_document
from university import ONTOLOGY, U, University

owlrl = pytest.importorskip("owlrl")
reasonable = pytest.importorskip("reasonable")
with_brick = pytest.mark.skipif(brick_file("1.4") is None, reason="the package brickschema is not installed")
with_and_without_aliases = pytest.mark.parametrize("aliases", [False, True], ids=["one-name", "two-names"])

EX = Namespace("http://example.org/")
INVERSE = Namespace("http://example.org/inverse-of-")


class Surplus(NamedTuple):
    """A kind of triple that a peer derives and we leave out, and why."""

    reason: str
    contains: Callable[[tuple], bool]


THING = Surplus(
    "scm-cls puts each class under owl:Thing and cax-sco each instance into it: true of everything",
    lambda triple: triple[1:] == (RDF.type, OWL.Thing),
)
RESOURCE = Surplus(
    "Brick puts classes under rdfs:Resource, the RDF name of everything; owl:Thing again",
    lambda triple: triple[1:] == (RDF.type, RDFS.Resource),
)
REFLEXIVE = Surplus(
    "eq-ref makes each name the same as itself: true of everything",
    lambda triple: triple[1] == OWL.sameAs and triple[0] == triple[2],
)
EXPRESSION = Surplus(
    "cls-svf1, cls-int1 and others classify under the node of a class expression; our rules see through to "
    "the named classes, and an expression's node has no instances",
    lambda triple: triple[1] == RDF.type and isinstance(triple[2], BNode),
)


@pytest.fixture(autouse=True)
def literals_as_written(monkeypatch):
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", False)


def graph_of(triples):
    graph = Graph()
    for triple in triples:
        graph.add(triple)
    return graph


def by_owlrl(triples):
    graph = graph_of(triples)
    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics).expand(graph)
    return set(graph)


def by_reasonable(triples):
    reasoner = reasonable.PyReasoner()
    reasoner.from_graph(graph_of(triples))
    return {tuple(map(without_string_type, triple)) for triple in reasoner.reason()}


def without_string_type(term):
    """RDF 1.1: `"x"` and `"x"^^xsd:string` are one literal."""
    return Literal(str(term)) if isinstance(term, Literal) and term.datatype == XSD.string else term


def by_us(ontology, data, **options):
    loaded = load_ontology(graph_of(ontology), imports="skip")
    reasoner = StreamReasoner(loaded, Window(range=0), **options)
    assert not reasoner.push(1, data).repair.conflict_sets
    return reasoner.materialization()


def on_individuals(triples, data):
    """The triples whose subject is an individual of the data."""
    subjects = {s for s, _, _ in data} | {o for _, p, o in data if p != RDF.type}
    return {triple for triple in triples if triple[0] in subjects and not isinstance(triple[0], Literal)}


def assert_agreement(ours, theirs, data, *surplus):
    """The peer derives all that we derive, and beyond that each named kind of surplus, and nothing else."""
    ours, theirs = on_individuals(ours, data), on_individuals(theirs, data)
    assert ours > data
    assert ours - theirs == set()
    kinds = [{triple for triple in theirs - ours if kind.contains(triple)} for kind in surplus]
    assert theirs - ours == set().union(*kinds)
    assert all(kinds)


# --- Universities ---


@cache
def university(aliases):
    return frozenset(University(seed=1, aliases=aliases).triples)


@pytest.mark.long
@with_and_without_aliases
def test_owlrl_agrees_on_universities(aliases):
    ontology, data = read_document(ONTOLOGY).triples, university(aliases)
    ours = by_us(ontology, data, unique_names=not aliases)
    theirs = by_owlrl({*with_doubled_keys(ontology), *data})
    assert_agreement(ours, theirs, data, THING, REFLEXIVE, EXPRESSION)


@with_and_without_aliases
def test_reasonable_agrees_on_universities_but_for_chains_and_keys(aliases):
    ontology, data = without_chains_and_keys(read_document(ONTOLOGY).triples), university(aliases)
    ours = by_us(ontology, data, unique_names=not aliases)
    theirs = by_reasonable({*with_functional_inverses(ontology), *data})
    theirs = {triple for triple in theirs if triple[1] not in INVERSE}
    assert_agreement(ours, theirs, data, THING, REFLEXIVE, EXPRESSION)


def test_the_universities_exercise_every_axiom_on_individuals():
    data = university(aliases=True)
    ours = by_us(read_document(ONTOLOGY).triples, data, unique_names=False)
    classes = {o for _, p, o in ours if p == RDF.type}
    assert {U.Chair, U.Dean, U.Teacher, U.TeachingStudent, U.Scholar, U.Local, U.Card} <= classes
    properties = {p for _, p, _ in ours - data}
    assert {U.affiliatedWith, U.hasUnit, U.hasGraduate, U.worksWith, U.phone, OWL.sameAs} <= properties
    assert 9_000 < len(data) < 11_000


# --- A building ---


@cache
def brick():
    return frozenset(read_document(brick_file("1.4")).triples)


@cache
def building():
    return frozenset(Building(seed=1).triples)


@pytest.mark.long
@with_brick
def test_reasonable_agrees_on_a_building_in_all_of_brick():
    theirs = by_reasonable(brick() | building())
    assert_agreement(by_us(brick(), building()), theirs, building(), THING, RESOURCE)


@pytest.mark.long
@with_brick
def test_owlrl_agrees_on_a_building_in_its_module_of_brick():
    """owlrl takes minutes for all of Brick."""
    axioms = module(brick(), building())
    theirs = by_owlrl(axioms | building())
    assert_agreement(by_us(axioms, building()), theirs, building(), THING, RESOURCE, REFLEXIVE)


@pytest.mark.long
@with_brick
def test_the_module_of_brick_has_the_consequences_of_all_of_brick():
    whole, part = by_us(brick(), building()), by_us(module(brick(), building()), building())
    assert on_individuals(whole, building()) == on_individuals(part, building())


# --- Where the peers depart from the W3C's rules ---


def case(turtle):
    prefixes = f"@prefix : <{EX}> . @prefix owl: <{OWL}> . "
    return set(Graph().parse(data=prefixes + turtle, format="turtle"))


KEY = "[] a owl:Ontology . :Person a owl:Class ; owl:hasKey ( :number ) . :number a owl:DatatypeProperty . "
CHAIN = ":uncle a owl:ObjectProperty ; owl:propertyChainAxiom ( :parent :brother ) . "
CARD = ":holds a owl:ObjectProperty , owl:InverseFunctionalProperty . "
TWO_NUMBERS = ':a a :Person ; :number "1" . :b a :Person ; :number "2" . '
ONE_NUMBER = ':a a :Person ; :number "1" . :b a :Person ; :number "1" . '
A_IS_B, A_UNCLE_C = (EX.a, OWL.sameAs, EX.b), (EX.a, EX.uncle, EX.c)


class Departure(NamedTuple):
    """A case in which a peer does not follow a rule.

    Args:
        rule: what the W3C's rule says.
        premise: ontology and data in Turtle.
        triple: what the peer derives against the rule, or fails to derive by it.
        follows: whether it follows by the rule.
    """

    peer: Callable
    rule: str
    premise: str
    triple: tuple
    follows: bool


DEPARTURES = {
    "owlrl-prp-key": Departure(
        by_owlrl,
        "prp-key: two instances of the class are the same if they share a value of *each* property of the "
        "key; owlrl compares all but the last, so with a key of one property all instances are the same",
        KEY + TWO_NUMBERS,
        A_IS_B,
        follows=False,
    ),
    "reasonable-prp-key": Departure(
        by_reasonable,
        "prp-key: two instances of the class are the same if they share a value of each property of the key; "
        "reasonable has no such rule",
        KEY + ONE_NUMBER,
        A_IS_B,
        follows=True,
    ),
    "reasonable-prp-spo2": Departure(
        by_reasonable,
        "prp-spo2: the ends of a path along the chain are related; reasonable has no such rule",
        CHAIN + ":a :parent :b . :b :brother :c .",
        A_UNCLE_C,
        follows=True,
    ),
    "reasonable-prp-ifp": Departure(
        by_reasonable,
        "prp-ifp: two names with *the same* value of an inverse functional property are the same; reasonable "
        "takes any two names that have a value",
        CARD + ":a :holds :card1 . :b :holds :card2 .",
        A_IS_B,
        follows=False,
    ),
}


@pytest.mark.parametrize("departure", DEPARTURES.values(), ids=DEPARTURES)
def test_we_follow_the_rule_where_a_peer_does_not(departure):
    premise = case(departure.premise)
    ours = by_us(premise, {t for t in premise if t[0] in (EX.a, EX.b)}, unique_names=False)
    assert (departure.triple in ours) is departure.follows
    assert (departure.triple in departure.peer(premise)) is not departure.follows


def with_doubled_keys(ontology):
    """The same axioms, each key naming its last property twice: owlrl leaves the last uncompared."""
    rest = {s: o for s, p, o in ontology if p == RDF.rest}
    first = {s: o for s, p, o in ontology if p == RDF.first}
    doubled = set(ontology)
    for head in (o for _, p, o in ontology if p == OWL.hasKey):
        end = head
        while rest[end] != RDF.nil:
            end = rest[end]
        again = BNode(f"{end}again")
        doubled.remove((end, RDF.rest, RDF.nil))
        doubled |= {(end, RDF.rest, again), (again, RDF.first, first[end]), (again, RDF.rest, RDF.nil)}
    return doubled


def without_chains_and_keys(ontology):
    return {triple for triple in ontology if triple[1] not in (OWL.propertyChainAxiom, OWL.hasKey)}


def with_functional_inverses(ontology):
    """The same axioms, each inverse functional property having a functional inverse instead."""
    restated = set(ontology)
    for triple in ontology:
        if triple[1:] == (RDF.type, OWL.InverseFunctionalProperty):
            inverse = INVERSE[triple[0].rpartition("#")[2]]
            restated.remove(triple)
            restated |= {(triple[0], OWL.inverseOf, inverse), (inverse, RDF.type, OWL.FunctionalProperty)}
    return restated
