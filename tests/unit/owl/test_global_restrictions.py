"""OWL 2 DL's restrictions on properties: what breaks them, and what does not."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from rdflib import OWL, Graph, URIRef

from pantarhei.owl import global_restrictions
from pantarhei.owl.axiom import (
    Characteristic,
    InverseOf,
    Property,
    PropertyKind,
    SubPropertyChainOf,
    SubPropertyOf,
    Trait,
)
from pantarhei.owl.axiom_mapping import read_axioms
from pantarhei.owl.global_restrictions import breaches

PREFIXES = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:p a owl:ObjectProperty . :q a owl:ObjectProperty . :r a owl:ObjectProperty . :s a owl:ObjectProperty .
"""
TRANSITIVE = ":p a owl:TransitiveProperty ."


def found(text):
    axioms = read_axioms(Graph().parse(data=PREFIXES + text, format="turtle")).axioms
    return [f"{axiom}: {reason}" for axiom, reason in breaches(axioms)]


@pytest.mark.parametrize(
    ("text", "axiom"),
    [
        (":p a owl:FunctionalProperty .", "FunctionalObjectProperty(p)"),
        (":p a owl:InverseFunctionalProperty .", "InverseFunctionalObjectProperty(p)"),
        (":p a owl:IrreflexiveProperty .", "IrreflexiveObjectProperty(p)"),
        (":p a owl:AsymmetricProperty .", "AsymmetricObjectProperty(p)"),
        (":q owl:propertyDisjointWith :p .", "DisjointObjectProperties(q p)"),
        (
            ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:maxCardinality 1 ] .",
            "SubClassOf(A ObjectMaxCardinality(1 p))",
        ),
        (
            ":A rdfs:subClassOf [ owl:complementOf [ owl:onProperty :p ; owl:hasSelf true ] ] .",
            "SubClassOf(A ObjectComplementOf(ObjectHasSelf(p)))",
        ),
    ],
)
def test_what_needs_a_simple_property(text, axiom):
    assert found(TRANSITIVE + text) == [f"{axiom}: p is not simple, since it is transitive"]
    assert found(text) == []


def test_a_property_above_a_transitive_one_is_not_simple():
    (reason,) = found(
        f"{TRANSITIVE} :p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :r . :r a owl:FunctionalProperty ."
    )
    assert reason.endswith("r is not simple, since p lies below it: it is transitive")
    assert not found(f"{TRANSITIVE} :q rdfs:subPropertyOf :p . :q a owl:FunctionalProperty .")


def test_a_property_that_a_chain_implies_is_not_simple():
    chain = ":p owl:propertyChainAxiom ( :q :r ) ."
    assert found(chain + ":p a owl:AsymmetricProperty .")[0].endswith("since a chain implies it")
    assert not found(chain + ":q a owl:AsymmetricProperty .")


def test_an_inverse_is_as_simple_as_its_property():
    assert found(f"{TRANSITIVE} :q owl:inverseOf :p ; a owl:FunctionalProperty .")
    assert found(f"{TRANSITIVE} [ owl:inverseOf :p ] rdfs:subPropertyOf :q . :q a owl:FunctionalProperty .")


def test_equivalent_properties_are_simple_together():
    assert found(f"{TRANSITIVE} :q owl:equivalentProperty :p ; a owl:FunctionalProperty .")


def test_data_properties_are_simple():
    assert not found(
        ":v a owl:DatatypeProperty , owl:FunctionalProperty ."
        ":w a owl:DatatypeProperty ; rdfs:subPropertyOf :v ."
    )


@pytest.mark.parametrize(
    "chain",
    [
        ":p owl:propertyChainAxiom ( :p :p ) .",
        ":p owl:propertyChainAxiom ( :p :q :r ) .",
        ":p owl:propertyChainAxiom ( :q :r :p ) .",
        ":p owl:propertyChainAxiom ( :q :r ) . :s owl:propertyChainAxiom ( :p :q ) .",
        ":p owl:propertyChainAxiom ( :q :r ) . :q rdfs:subPropertyOf :p .",
        "owl:topObjectProperty owl:propertyChainAxiom ( :q owl:topObjectProperty :r ) .",
    ],
)
def test_regular_chains(chain):
    assert found(chain) == []


@pytest.mark.parametrize(
    "chain",
    [
        ":p owl:propertyChainAxiom ( :q :p :r ) .",
        ":p owl:propertyChainAxiom ( :p :q :p ) .",
        ":p owl:propertyChainAxiom ( [ owl:inverseOf :p ] :q ) .",
    ],
)
def test_a_chain_that_holds_what_it_implies(chain):
    (reason,) = found(chain)
    assert "the chain holds p itself" in reason


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (":p owl:propertyChainAxiom ( :q :r ) . :q owl:propertyChainAxiom ( :p :r ) .", 2),
        (":p owl:propertyChainAxiom ( :q :r ) . :p rdfs:subPropertyOf :q .", 1),
        (":p owl:propertyChainAxiom ( :q :r ) . :p owl:inverseOf :q .", 1),
        (
            ":p owl:propertyChainAxiom ( :q :q ) . :r owl:propertyChainAxiom ( :p :p ) ."
            ":r rdfs:subPropertyOf :q .",
            2,
        ),
    ],
)
def test_chains_in_a_circle_are_irregular(text, number):
    reasons = found(text)
    assert len(reasons) == number
    assert all("is irregular" in reason for reason in reasons)


def test_each_axiom_is_named_once_for_a_property():
    twice = "[ a owl:Restriction ; owl:onProperty :p ; owl:maxCardinality {} ]"
    text = f":A rdfs:subClassOf [ owl:unionOf ( {twice.format(1)} {twice.format(2)} ) ] ."
    assert len(found(TRANSITIVE + text)) == 1


def named(number):
    return Property(URIRef(f"urn:x/q{number}"), PropertyKind.OBJECT)


def turned(on):
    return on.inverted if isinstance(on, InverseOf) else InverseOf(on)


def transitive(pairs):
    pairs = set(pairs)
    while further := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
        pairs |= further
    return pairs


def is_like_transitivity(chain):
    return chain.super.iri == OWL.topObjectProperty or chain.chain == (chain.super, chain.super)


def to_be_lower(chain):
    """Structural specification, section 11.2: the members that must stand before what the chain implies."""
    if is_like_transitivity(chain):
        return []
    members = list(chain.chain)
    if members[0] == chain.super:
        return members[1:]
    return members[:-1] if members[-1] == chain.super else members


def irregular(chains, inclusions):
    """The places of the chains that take part in what no strict order allows, by the definition."""
    both = [pair for a, b in inclusions for pair in ((a, b), (turned(a), turned(b)))]
    included = transitive([*both, *((on, on) for pair in both for on in pair)])
    steps = [(low, chain.super) for chain in chains for low in to_be_lower(chain)]
    ways = list(product((lambda on: on, turned), repeat=2))  # an inverse stands where its property does
    lower = transitive((f(low), g(high)) for low, high in steps for f, g in ways)
    wrong = {(a, b) for a, b in lower if (b, a) in included or a == b}

    def stands_before_or_is(low, high):
        return (low, high) in lower or low in (high, turned(high))

    def takes_part(low, high):
        return any(stands_before_or_is(a, low) and stands_before_or_is(high, b) for a, b in wrong)

    return {i for i, c in enumerate(chains) if any(takes_part(low, c.super) for low in to_be_lower(c))}


def random_hierarchy(seed):
    random = Random(seed)
    names = [named(i) for i in range(random.choice((2, 4, 8)))]
    if random.random() < 0.2:
        names.append(Property(OWL.topObjectProperty, PropertyKind.OBJECT))

    def expression():
        on = random.choice(names)
        return InverseOf(on) if random.random() < 0.2 else on

    chains = [
        SubPropertyChainOf(tuple(expression() for _ in range(random.choice((2, 2, 3)))), random.choice(names))
        for _ in range(random.randint(1, 5))
    ]
    return chains, [(expression(), expression()) for _ in range(random.randint(0, 4))]


@pytest.mark.parametrize("at_a_time", [1, 3, 4096])
def test_chains_are_irregular_by_the_definition(monkeypatch, at_a_time):
    monkeypatch.setattr(global_restrictions, "_PROPERTIES_PER_PASS", at_a_time)
    found = 0
    for seed in range(400):
        chains, inclusions = random_hierarchy(seed)
        axioms = [*chains, *(SubPropertyOf(low, high) for low, high in inclusions)]
        reported = [axiom for axiom, _ in breaches(axioms)]
        expected = [chains[place] for place in sorted(irregular(chains, inclusions))]
        assert reported == expected, seed
        found += len(expected)
    assert found > 300


@pytest.mark.parametrize("way_round", [0, 1])
def test_thousands_of_chains_that_lead_up_to_one_another(way_round):
    count = 6_000
    ends = [(i + 5) % count if way_round else i + 5 for i in range(count)]
    chains = [SubPropertyChainOf((named(end), named(end)), named(i)) for i, end in enumerate(ends)]
    assert len(breaches(chains)) == count * way_round


def test_properties_one_above_the_other_by_the_thousand_are_simple():
    count = 6_000
    axioms = [SubPropertyOf(named(i), named(i + 1)) for i in range(count)]
    functional = [Characteristic(Trait.FUNCTIONAL, named(i)) for i in range(count)]
    assert breaches([*axioms, *functional]) == ()
    (reason,) = breaches([*axioms, functional[2], Characteristic(Trait.TRANSITIVE, named(1))])
    assert reason.reason == "q2 is not simple, since q1 lies below it: it is transitive"
