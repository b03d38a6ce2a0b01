"""Chains and the order of properties: as the definition says, and at sizes at which pairs cannot be tried."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from rdflib import OWL, URIRef

from pantarhei.owl import regularity
from pantarhei.owl.axiom import (
    Characteristic,
    InverseOf,
    Property,
    PropertyKind,
    SubPropertyChainOf,
    SubPropertyOf,
    Trait,
)
from pantarhei.owl.global_restrictions import breaches


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
    monkeypatch.setattr(regularity, "_AT_A_TIME", at_a_time)
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
