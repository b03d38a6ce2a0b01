"""OWL 2 DL's global restrictions on properties: which axioms break them.

W3C: OWL 2 structural specification, section 11. They keep OWL 2 DL decidable; rules need none of them, so
    that what breaks them is reported and has its effect all the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rdflib import OWL

from pantarhei.model.graphs import reached
from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import Axiom, PropertyExpression, PropertyKind, Trait
from pantarhei.owl.expression import parts
from pantarhei.owl.normal_form import inverse
from pantarhei.owl.regularity import circles, named, to_stand_before

_SIMPLE_TRAITS = frozenset({Trait.FUNCTIONAL, Trait.INVERSE_FUNCTIONAL, Trait.IRREFLEXIVE, Trait.ASYMMETRIC})
_UNIVERSAL = frozenset({OWL.topObjectProperty, OWL.bottomObjectProperty})
_Edges = defaultdict[PropertyExpression, dict[PropertyExpression, None]]


class Breach(NamedTuple):
    """An axiom, and which restriction of OWL 2 DL it breaks."""

    axiom: Axiom
    reason: str


def breaches(axioms: Iterable[Axiom]) -> tuple[Breach, ...]:
    """The axioms that need a simple property and have another, and the chains that run in a circle.

    Costs a walk of the property hierarchy, and one for each property that is not simple and has to be.

    >>> from rdflib import URIRef
    >>> p = owl.Property(URIRef("urn:x/partOf"))
    >>> axioms = [owl.Characteristic(trait, p) for trait in (Trait.TRANSITIVE, Trait.FUNCTIONAL)]
    >>> for axiom, reason in breaches(axioms):
    ...     print(f"{axiom}: {reason}")
    FunctionalObjectProperty(partOf): partOf is not simple, since it is transitive
    """
    given = tuple(axioms)
    hierarchy = _Hierarchy.of(given)
    return (*_about_simple_properties(given, hierarchy), *_about_chains(given, hierarchy))


@dataclass(frozen=True, slots=True)
class _Hierarchy:
    """What lies above and below each property, and which properties are made of chains, and why."""

    above: _Edges
    below: _Edges
    composite: dict[PropertyExpression, str]

    @classmethod
    def of(cls, axioms: Iterable[Axiom]) -> _Hierarchy:
        hierarchy = cls(defaultdict(dict), defaultdict(dict), {})
        for axiom in axioms:
            match axiom:
                case owl.SubPropertyOf(sub, super_):
                    hierarchy._include(sub, super_)
                case owl.EquivalentProperties(properties):
                    for first, second in zip(properties, (*properties[1:], properties[0]), strict=True):
                        hierarchy._include(first, second)
                case owl.InverseProperties(first, second):
                    hierarchy._include(first, inverse(second))
                    hierarchy._include(second, inverse(first))
                case owl.Characteristic(Trait.SYMMETRIC, on):
                    hierarchy._include(on, inverse(on))
                case owl.Characteristic(Trait.TRANSITIVE, on):
                    hierarchy._compose(on, "it is transitive")
                case owl.SubPropertyChainOf(chain, super_) if len(chain) > 1:
                    hierarchy._compose(super_, "a chain implies it")
        return hierarchy

    def _include(self, sub: PropertyExpression, super_: PropertyExpression) -> None:
        if sub.kind is PropertyKind.DATA:
            return
        for lower, upper in ((sub, super_), (inverse(sub), inverse(super_))):
            self.above[lower][upper] = None
            self.below[upper][lower] = None

    def _compose(self, on: PropertyExpression, why: str) -> None:
        self.composite.setdefault(on, why)
        self.composite.setdefault(inverse(on), why)

    def not_simple(self) -> frozenset[PropertyExpression]:
        """The properties of the hierarchy that are not simple."""
        start = [on for on in (*self.above, *self.composite) if self._why_composite(on) is not None]
        return frozenset(reached(start, _next_in(self.above)))

    def why_not_simple(self, on: PropertyExpression) -> str | None:
        """What makes the property not simple, None if it is."""
        for lower in reached([on], _next_in(self.below)):
            why = self._why_composite(lower)
            if why is not None:
                return why if named(lower) == named(on) else f"{lower} lies below it: {why}"
        return None

    def _why_composite(self, on: PropertyExpression) -> str | None:
        return "it is universal or empty" if named(on).iri in _UNIVERSAL else self.composite.get(on)


def _next_in(edges: _Edges) -> Callable[[PropertyExpression], Iterable[PropertyExpression]]:
    return lambda on: edges.get(on, ())


# --- Simple properties ---


def _about_simple_properties(axioms: Iterable[Axiom], hierarchy: _Hierarchy) -> Iterator[Breach]:
    not_simple = hierarchy.not_simple()
    known: dict[PropertyExpression, str | None] = {}
    for axiom in axioms:
        for on in dict.fromkeys(_needed_simple(axiom)):
            if on.kind is PropertyKind.DATA or (on not in not_simple and named(on).iri not in _UNIVERSAL):
                continue
            if on not in known:
                known[on] = hierarchy.why_not_simple(on)
            yield Breach(axiom, f"{on} is not simple, since {known[on]}")


def _needed_simple(axiom: Axiom) -> Iterator[PropertyExpression]:
    """The properties of an axiom that have to be simple."""
    for part in parts(axiom):
        match part:
            case owl.Characteristic(trait, on):
                yield from (on,) if trait in _SIMPLE_TRAITS else ()
            case owl.DisjointProperties(properties):
                yield from properties
            case owl.Cardinality(_, _, on) | owl.HasSelf(on):
                yield on


# --- Chains ---


def _about_chains(axioms: Sequence[Axiom], hierarchy: _Hierarchy) -> Iterator[Breach]:
    chains = [a for a in axioms if isinstance(a, owl.SubPropertyChainOf) and len(a.chain) > 1]
    irregular = circles(chains, hierarchy.above)
    for place, chain in enumerate(chains):
        if named(chain.super) in to_stand_before(chain):
            yield Breach(chain, f"the chain holds {chain.super} itself, not only at one of its ends")
        elif place in irregular:
            reason = f"the chain is irregular: {irregular[place]} is both below and above {chain.super}"
            yield Breach(chain, reason)
