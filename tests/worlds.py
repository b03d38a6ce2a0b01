"""Random ontologies and streams over many individuals, all from one seed."""

import random

from rdflib import RDF, Literal

from pantarhei import Ontology, StreamReasoner
from pantarhei.reference.canonical import canonical_triple
from pantarhei.reference.closure import is_consistent
from strategies import (
    CHAIN,
    CLASSES,
    DERIVING_RULES,
    DISJOINT_CLASSES,
    DISJOINT_PROPERTIES,
    DOMAIN,
    EX,
    FUNCTIONAL,
    HAS_VALUE,
    IRREFLEXIVE,
    OVER_LITERALS,
    PROPERTIES,
    TRANSITIVE,
    V,
)

CONSTRAINTS = [*DISJOINT_CLASSES, *DISJOINT_PROPERTIES, *IRREFLEXIVE, *FUNCTIONAL]


class World:
    """Rules, a background and random ABoxes, all from one seed."""

    def __init__(self, seed, constraints):
        self.random = random.Random(seed)
        pick = self.random.sample
        self.individuals = [EX[f"i{number}"] for number in range(self.random.choice((30, 60)))]
        rules = pick(DERIVING_RULES, 6) + pick(OVER_LITERALS[:3], 1)
        if not constraints:
            rules += pick(HAS_VALUE, 2)  # hubs, in which everything would contradict everything
        rules += self.random.choice((TRANSITIVE[:1], CHAIN[:1], DOMAIN[:1]))
        self.rules = tuple(dict.fromkeys(rules + pick(CONSTRAINTS, constraints)))
        self.background = frozenset()
        for fact in self.facts(20):
            if is_consistent(self.rules, self.background | {fact}):
                self.background |= {fact}

    def facts(self, count):
        """Random facts; the relations form sparse graphs."""
        choose = self.random.choice
        for _ in range(count):
            kind, who = self.random.random(), choose(self.individuals)
            if kind < 0.5:
                yield who, RDF.type, choose(CLASSES)
            elif kind < 0.9:
                yield who, choose(PROPERTIES), choose(self.individuals)
            else:
                yield who, V, Literal(choose((1, 2)))

    def reasoner(self, window, **options):
        return StreamReasoner(Ontology.from_rules(self.rules), window, self.background, **options)


def interpretations(reasoner):
    return {at: reasoner.interpretation(at) for at in reasoner.timestamps}


def canonical(triples):
    return set(map(canonical_triple, triples))
