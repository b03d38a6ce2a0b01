"""Small ontologies with random streams, and the assertions that a window keeps by definition.

The rules of a world are grounded once over a small pool of facts (`oracle`); a step then enumerates subsets
(`lineages`).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from rdflib import OWL, Graph, URIRef

import equality
from lineages import Case, Meaning
from oracle.canonical_literals import canonical_triple
from oracle.materialization import closure, instances, is_consistent
from pantarhei import Ontology, StreamReasoner, Window, load_ontology
from pantarhei.model.rule import Different, Rule
from pantarhei.model.term import Triple
from strategies import (
    CONSTRAINTS,
    DERIVING_RULES,
    IRREFLEXIVE,
    LITERALS,
    NO_TRIPLE_INTERSECTION,
    OVER_LITERALS,
    RECURSIVE,
    TRANSITIVE,
    A,
    B,
    R,
    V,
    a,
    b,
    c,
    is_a,
    related,
    w,
    x,
    y,
    z,
)

MOST_FACTS = 7  # distinct facts in the window

_PREFIXES = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
DOCUMENTS = {
    "key": """:A owl:hasKey ( :V ) ; rdfs:subClassOf :B . :B owl:disjointWith :C . :V a owl:DatatypeProperty .
        :A owl:disjointWith :C .""",
    "order": """:R a owl:TransitiveProperty , owl:IrreflexiveProperty .
        :S rdfs:subPropertyOf :R .""",
    "places": """:R a owl:ObjectProperty , owl:FunctionalProperty ; owl:inverseOf :S ; rdfs:range :A .
        :A owl:disjointWith :B . :C rdfs:subClassOf :B .""",
    "chain": """:H owl:propertyChainAxiom ( :R :S ) ; a owl:IrreflexiveProperty ; rdfs:domain :A .
        :H owl:propertyDisjointWith :R . :A owl:disjointWith :B .""",
    "joins": """:R a owl:ObjectProperty . :S a owl:ObjectProperty .
        [] a owl:Restriction ; owl:onProperty :R ; owl:someValuesFrom :A ; rdfs:subClassOf :B .
        [] a owl:Restriction ; owl:onProperty :S ; owl:someValuesFrom :B ; rdfs:subClassOf :A .
        :B owl:disjointWith :C . :A owl:disjointWith :D .""",
    "classes": """:A rdfs:subClassOf :B , [ owl:complementOf :C ] . :B owl:disjointWith :D .
        [] a owl:Class ; owl:intersectionOf ( :C :B ) ; rdfs:subClassOf :D .""",
    "parts": """:E rdfs:subClassOf :A .
        [] a owl:Class ; owl:intersectionOf ( :A :B :C ) ; rdfs:subClassOf :D .
        [] a owl:Class ; owl:intersectionOf ( :B :E ) ; rdfs:subClassOf :F . :D owl:disjointWith :F .
        [] a owl:Class ; owl:intersectionOf ( :A :F ) ; rdfs:subClassOf owl:Nothing . :C rdfs:subClassOf :G .
        :G owl:disjointWith :B .""",
    "values": """:R a owl:FunctionalProperty , owl:ObjectProperty , owl:AsymmetricProperty .
        :A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :R ; owl:hasValue :b ] .
        :B rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :R ; owl:allValuesFrom :C ] .
        :C owl:disjointWith :A .""",
}
KEYS = (
    Rule("prp-key", (is_a(A, x), is_a(A, y), related(V, x, w), related(V, y, w)), None, (Different(x, y),)),
    Rule("prp-key", (is_a(B, x), is_a(B, y), related(R, x, w), related(R, y, w)), None, (Different(x, y),)),
)
ORDERS = ((TRANSITIVE[0], IRREFLEXIVE[0]), (TRANSITIVE[1], IRREFLEXIVE[1]), *RECURSIVE)


# -- worlds --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class World:
    """Ontology, a consistent background, and a pool of facts; grounded.

    Args:
        ontology: the ontology of reasoners.
        rules: its rules, with equality axiomatized.
        background: facts that always hold.
        pool: the facts of its streams.
        unique_names: the reasoners' option.
    """

    ontology: Ontology
    rules: tuple[Rule, ...]
    background: tuple[Triple, ...]
    pool: tuple[Triple, ...]
    unique_names: bool = True
    facts: list[Triple] = field(init=False)
    meaning: Meaning = field(init=False)
    number: dict[Triple, int] = field(init=False)

    def __post_init__(self) -> None:
        given = [*map(canonical_triple, self.pool), *map(canonical_triple, self.background)]
        whole = sorted(closure(self.rules, given), key=str)
        facts = [*dict.fromkeys([*given, *whole])]
        number = {fact: row for row, fact in enumerate(facts)}
        rules, violations = [], []
        constraints = {rule: place for place, rule in enumerate(self.constraints)}
        for rule, body, head in instances(self.rules, whole):
            rows = tuple({number[fact] for fact in body})
            if head is None:
                violations.append((constraints[rule], rows))
            elif number[head] not in rows:
                rules.append((number[head], rows))
        relevant = {row for _, rows in violations for row in rows}
        while more := {row for head, rows in rules if head in relevant for row in rows} - relevant:
            relevant |= more
        rules = [*dict.fromkeys((head, rows) for head, rows in rules if head in relevant)]
        background = frozenset(number[canonical_triple(fact)] for fact in self.background)
        object.__setattr__(self, "facts", facts)
        object.__setattr__(self, "meaning", Meaning(Case({}, rules, violations, background)))
        object.__setattr__(self, "number", number)

    @property
    def constraints(self) -> list[Rule]:
        """Distinct rules without a head."""
        return [*dict.fromkeys(rule for rule in self.rules if rule.is_constraint)]

    def row(self, triple: Triple) -> int:
        """Return the number of a fact, whatever the lexical form of its literal."""
        return self.number[canonical_triple(triple)]

    def reasoner(self, window: Window, **options: Any) -> StreamReasoner:
        """Return a reasoner of this world."""
        options = {"background": self.background, "unique_names": self.unique_names, **options}
        return StreamReasoner(self.ontology, window, **options)


@cache
def _loaded(name: str) -> Ontology:
    return load_ontology(Graph().parse(data=_PREFIXES + DOCUMENTS[name], format="turtle"))


def world(dice: random.Random) -> World:
    """Return a random world: from an OWL document, from rules that axioms translate to, or without unique
    names.
    """
    kind = dice.choice(("document", "document", "rules", "rules", "equality"))
    if kind == "equality":
        axioms = dice.sample(equality.AXIOMS, dice.randint(1, 6))
        given = tuple(dict.fromkeys(rule for rule, _ in axioms))
        rules = equality.EQUALITY + tuple(dict.fromkeys(each for _, written in axioms for each in written))
        names = dice.choice(((a, b), (b, c), equality.NAMES))
        pool = _drawn(dice, sorted(set(equality.matching(given, names)), key=str), 5)
        pairs = [
            (one, predicate, other)
            for predicate in (OWL.sameAs, OWL.differentFrom)
            for one, other in equality.PAIRS
        ]
        return _grounded(dice, Ontology.from_rules(given), rules, [*pool, *_drawn(dice, pairs, 3)], False)
    if kind == "document":
        ontology = _loaded(dice.choice(sorted(DOCUMENTS)))
        rules = (*ontology.rules, *ontology.constraints)
    else:
        groups = [*ORDERS, *((key,) for key in KEYS)]
        drawn = dice.sample(DERIVING_RULES, dice.randint(0, 8)) + dice.sample(CONSTRAINTS, dice.randint(1, 3))
        drawn += dice.choice(groups) if dice.random() < 0.4 else dice.sample(NO_TRIPLE_INTERSECTION, 1)
        drawn += dice.sample(OVER_LITERALS, dice.choice((0, 0, 1, 2)))
        rules = tuple(dict.fromkeys(drawn))
        ontology = Ontology.from_rules(rules)
    names = dice.choice(((a,), (a, b), (a, b), (a, b, c)))
    return _grounded(dice, ontology, rules, _drawn(dice, _matching(rules, names), 9))


def _matching(rules: Sequence[Rule], names: Sequence[URIRef]) -> list[Triple]:
    """Return the facts over `names` that rule bodies match, those of constraints three times."""
    found = []
    for rule in rules:
        for atom, values in product(rule.body, product(names, repeat=4)):
            fact = atom.ground(dict(zip((x, y, z, w), values, strict=True)))
            some = [(fact[0], V, value) for value in LITERALS] if atom.predicate == V else [fact]
            found += some * (3 if rule.is_constraint else 1)
    return sorted(found, key=str)


def _drawn(dice: random.Random, facts: Sequence[Triple], count: int) -> list[Triple]:
    return [*dict.fromkeys(dice.choice(facts) for _ in range(count))]


def _grounded(
    dice: random.Random,
    ontology: Ontology,
    rules: tuple[Rule, ...],
    pool: Sequence[Triple],
    unique_names: bool = True,
) -> World:
    """Return the world with a background of up to two facts."""
    background: tuple[Triple, ...] = tuple(pool[: dice.choice((0, 0, 1, 2))])
    while not is_consistent(rules, (*background, *ontology.background)):
        background = background[:-1]
    return World(ontology, rules, background, tuple(pool), unique_names)


# -- streams -------------------------------------------------------------------------------------------


class Arrival(NamedTuple):
    """Arrival of an ABox, of a further part of the newest ABox (`is_part`), or of time alone (None)."""

    at: int
    facts: tuple[Triple, ...] | None
    is_part: bool = False


def stream(dice: random.Random, pool: Sequence[Triple], length: int) -> Iterator[Arrival]:
    """Yield random arrivals from a pool of facts."""
    at, has_arrived = 0, False
    for _ in range(length):
        gap = dice.choice((0, 1, 1, 1, 1, 2, 4))
        facts = tuple(dice.sample(pool, min(dice.choice((0, 1, 1, 2, 3, 4, 5)), len(pool))))
        if gap == 0 and has_arrived:
            yield Arrival(at, facts, True)
            continue
        at += gap or 1
        has_arrived = dice.random() < 0.9
        yield Arrival(at, facts if has_arrived else None)


class Step(NamedTuple):
    """One step by definition.

    Args:
        kept: the assertions of the window, as pairs of a time and a row.
        removed: the assertions that the repair removes.
        conflicts: the conflict sets, each with the indexes of its constraints in the world.
    """

    kept: frozenset[tuple[int, int]]
    removed: frozenset[tuple[int, int]]
    conflicts: Mapping[frozenset[tuple[int, int]], tuple[int, ...]]


class Fold:
    """Window repair by definition (PB26 Definition 7): each ABox is added to the kept assertions, and the
    union is repaired. Parts of one timestamp are one ABox.

    Args:
        meaning: the entailment relation of the rules.
        window: the window.
        is_repaired: False keeps everything.
    """

    def __init__(self, meaning: Meaning, window: Window, is_repaired: bool = True) -> None:
        self._meaning, self._window, self._is_repaired = meaning, window, is_repaired
        self._before: frozenset[tuple[int, int]] = frozenset()  # assertions kept before the newest ABox
        self._abox: frozenset[int] = frozenset()
        self.kept: frozenset[tuple[int, int]] = frozenset()

    def room_for(self, at: int, rows: Iterable[int], is_part: bool) -> bool:
        """True if the window has few enough facts after an arrival."""
        before = self._before if is_part else self._inside(self.kept, at)
        abox = self._abox if is_part else frozenset()
        return len({row for _, row in before} | abox | set(rows)) <= MOST_FACTS

    def take(self, at: int, rows: Iterable[int] | None, is_part: bool = False) -> Step:
        """Apply an arrival; return the step."""
        if rows is None:
            self.kept = self._before = self._inside(self.kept, at)
            return Step(self.kept, frozenset(), {})
        if is_part:
            self._abox |= set(rows)
        else:
            self._before, self._abox = self._inside(self.kept, at), frozenset(rows)
        occurrences = self._before | {(at, row) for row in self._abox}
        newest = {row: then for then, row in sorted(occurrences)}
        meaning = self._meaning.asserting(newest)
        cut = meaning.cut() if self._is_repaired else frozenset[int]()
        self.kept = frozenset(one for one in occurrences if one[1] not in cut)
        conflicts = {
            frozenset((newest[row], row) for row in members): violated
            for members, violated in meaning.conflict_sets().items()
        }
        return Step(self.kept, occurrences - self.kept, conflicts)

    def _inside(self, assertions: frozenset[tuple[int, int]], now: int) -> frozenset[tuple[int, int]]:
        slide = self._window.slide or 1
        first = -(-now // slide) * slide - self._window.range
        return frozenset(one for one in assertions if one[0] >= first)
