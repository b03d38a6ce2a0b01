"""Obstacles to a key of shards, and options under which a key becomes usable, in the words of the axioms."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from rdflib import RDF, URIRef, Variable

from pantarhei.model.representation import html_of, short_repr
from pantarhei.model.rule import Argument, Atom, Predicate, Rule
from pantarhei.model.term import short
from pantarhei.owl.manchester import axiom_text, manchester_syntax
from pantarhei.rules.sharding.key_map import ANY_OTHER, SUBJECT, Key

# Largest number of names that a text lists.
_MOST_NAMES = 12


class LocatedFacts(NamedTuple):
    """Facts that match an atom of a rule, and the shard that may hold them.

    Args:
        atom: the body atom.
        owner: the argument whose key identifies the shard, or the key itself if this argument is a constant;
            None if the facts may be in any shard.
        rule: the rule that derives such facts from facts with another position of the key; None if the facts
            are in the shard of their subject.
    """

    atom: Atom
    owner: Argument | None
    rule: Rule | None


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Rule or constraint that joins facts of different shards.

    Args:
        rule: the rule or constraint.
        facts: the facts of the first two body atoms that need not have the same key.
        reason: the shards in which the atoms may be, and the rules from which this follows.
        key: the key.

    >>> from pantarhei import load_ontology
    >>> from rdflib import Graph
    >>> ontology = load_ontology(Graph().parse(data='''
    ...     @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    ...     @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . :fedBy a owl:ObjectProperty .
    ...     [ a owl:Restriction ; owl:onProperty :fedBy ; owl:someValuesFrom :Hot ]
    ...         rdfs:subClassOf :AtRisk .'''))
    >>> (obstacle,) = ontology.sharding_report().obstacles["subject"]
    >>> obstacle.axiom
    'SubClassOf(ObjectSomeValuesFrom(fedBy Hot) AtRisk)'
    >>> obstacle.meeting
    'needs "?x fedBy ?y" and "?y Type Hot" in one shard, but they are in the shards of ?x and of ?y'
    """

    rule: Rule
    facts: tuple[LocatedFacts, LocatedFacts]
    reason: str
    key: Key

    __repr__ = short_repr
    _repr_html_ = html_of

    @property
    def atoms(self) -> tuple[Atom, Atom]:
        """The two body atoms."""
        return self.facts[0].atom, self.facts[1].atom

    @property
    def axiom(self) -> str:
        """The axiom from which the rule was translated, in OWL's functional-style syntax; the rule itself if
        it has no axiom.
        """
        return self.rule.axiom

    @property
    def meeting(self) -> str:
        """The facts that the axiom joins, and the shards where they may be, as a clause about the axiom."""
        one, other = (f'"{_fact_text(each.atom)}"' for each in self.facts)
        return f"needs {one} and {other} in one shard, but {self._where(one, other)}"

    def __str__(self) -> str:
        return f"{axiom_text(self.rule)}: {self.meeting}"

    def _where(self, one: str, other: str) -> str:
        first, second = self.facts
        if first.owner is not None and second.owner is not None and first.rule is second.rule is None:
            owners = " and of ".join(self._owner_text(each.owner) for each in self.facts if each.owner)
            return f"they are in the shards of {owners}"
        if first.owner is second.owner is None and first.rule == second.rule:
            return f"both may be in any shard{self._derivation(first.rule, 'them')}"
        return "; ".join(self._place(text, each) for text, each in zip((one, other), self.facts, strict=True))

    def _place(self, text: str, facts: LocatedFacts) -> str:
        owner = facts.owner
        where = "may be in any shard" if owner is None else f"is in the shard of {self._owner_text(owner)}"
        return f"{text} {where}{self._derivation(facts.rule, 'it')}"

    def _derivation(self, rule: Rule | None, derived: str) -> str:
        if rule is None:
            return ""
        is_own = axiom_text(rule) == axiom_text(self.rule)
        return f", as {'this axiom' if is_own else axiom_text(rule)} derives {derived}"

    def _owner_text(self, owner: Argument) -> str:
        if self.key == SUBJECT or not isinstance(owner, Variable):
            return short(owner)
        return f"{short(owner)}'s {short(URIRef(self.key))}"


def _fact_text(atom: Atom) -> str:
    """Return the pattern of the facts that match an atom, in Manchester syntax.

    >>> x, y = Variable("x"), Variable("y")
    >>> _fact_text(Atom(RDF.type, (x, y))), _fact_text(Atom(ANY_OTHER[1].name, (x, y)))
    ('?x Type ?y', '?x (any other property) ?y')
    """
    subject, *rest = atom.as_class.arguments
    predicate = atom.as_class.predicate
    if predicate == ANY_OTHER[1].name:
        return f"{manchester_syntax(subject)} (any other property) {manchester_syntax(rest[0])}"
    return manchester_syntax((subject, predicate, rest[0]) if rest else (subject, RDF.type, predicate))


@dataclass(frozen=True, slots=True)
class Remedy:
    """Options under which a key is usable. The analysis was repeated with them.

    Args:
        key: the key; None for a property that the background does not have yet, as the key.
        colocated: properties to add to `colocated`.
        not_streaming: classes and properties that the stream does not assert; their facts may be in the
            background.
        linking: properties of the background whose facts must connect names of equal key; empty if `key` is
            given, since the facts of the background are known.

    >>> follows, convoy = URIRef("http://example.org/follows"), URIRef("http://example.org/inConvoy")
    >>> print(Remedy(convoy, colocated=(follows,)))
    usable with colocated=[follows], if streamed facts of follows connect only names with equal inConvoy
    """

    key: Key | None
    colocated: tuple[URIRef, ...] = ()
    not_streaming: tuple[Predicate, ...] = ()
    linking: tuple[URIRef, ...] = ()

    __repr__ = short_repr

    def __str__(self) -> str:
        if self.not_streaming:
            names = listed(self.not_streaming)
            return f"usable with streaming=[…] without {names}; facts of these may be in the background"
        promise = f" with colocated={bracketed(self.colocated)}" if self.colocated else ""
        if self.key is not None:
            equal = short(URIRef(self.key))
            of = listed(self.colocated)
            return f"usable{promise}, if streamed facts of {of} connect only names with equal {equal}"
        connecting = [
            *(["these"] if self.colocated else []),
            *([listed(self.linking)] if self.linking else []),
        ]
        names = " or by ".join(connecting)
        key = f"a background property that is equal for names connected by {names}"
        return f"usable{promise} by another key: {key}"


def bracketed(names: Collection[Predicate]) -> str:
    """Return names as the text of a list."""
    return f"[{', '.join(map(short, names))}]"


def listed(names: Iterable[Key | Predicate]) -> str:
    """Join names for messages; only the first twelve are listed.

    >>> listed((SUBJECT, URIRef("http://example.org/inBuilding")))
    'subject, inBuilding'
    """
    given = [_OTHERS.get(name) or (short(name) if isinstance(name, URIRef) else str(name)) for name in names]
    shown = ", ".join(given[:_MOST_NAMES])
    return shown if len(given) <= _MOST_NAMES else f"{shown} and {len(given) - _MOST_NAMES} more"


_OTHERS: dict[Key | Predicate, str] = {ANY_OTHER[1].name: "properties that the ontology does not mention"}


@dataclass(frozen=True, slots=True)
class NoKey:
    """Reason why a property does not define a key.

    Args:
        reason: the reason, as text.

    >>> NoKey("it has no background facts").reason
    'it has no background facts'
    """

    reason: str

    __repr__ = short_repr

    def __str__(self) -> str:
        return self.reason
