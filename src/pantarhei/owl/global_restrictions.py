"""OWL 2 DL's global restrictions on properties: which axioms break them.

W3C: OWL 2 structural specification, section 11. They keep OWL 2 DL decidable; rules need none of them, so
    that what breaks them is reported and has its effect all the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import NamedTuple

from rdflib import OWL

from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import Axiom, InverseOf, PropertyExpression, PropertyKind, Trait
from pantarhei.owl.normal_form import inverse

_SIMPLE_TRAITS = frozenset({Trait.FUNCTIONAL, Trait.INVERSE_FUNCTIONAL, Trait.IRREFLEXIVE, Trait.ASYMMETRIC})
_UNIVERSAL = frozenset({OWL.topObjectProperty, OWL.bottomObjectProperty})
_Edges = defaultdict[PropertyExpression, dict[PropertyExpression, None]]


class Breach(NamedTuple):
    """An axiom, and which restriction of OWL 2 DL it breaks."""

    axiom: Axiom
    reason: str


def breaches(axioms: Iterable[Axiom]) -> tuple[Breach, ...]:
    """The axioms that need a simple property and have another, and the chains that run in a circle.

    Costs a walk of the property hierarchy for each property of such an axiom.

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

    def why_not_simple(self, on: PropertyExpression) -> str | None:
        """What makes the property not simple, None if it is."""
        for lower in _reached(on, self.below):
            why = "it is universal or empty" if _named(lower).iri in _UNIVERSAL else self.composite.get(lower)
            if why is not None:
                return why if _named(lower) == _named(on) else f"{lower} lies below it: {why}"
        return None

    def leads_up_to(self, lower: PropertyExpression, upper: PropertyExpression) -> bool:
        """Whether `lower` is `upper` or included in it, either way round."""
        return any(_named(p) == _named(upper) for p in _reached(lower, self.above))


def _reached(start: PropertyExpression, edges: _Edges) -> Iterator[PropertyExpression]:
    """What edges lead to, the start first."""
    waiting, seen = [start], {start}
    for property_ in waiting:
        yield property_
        new = [other for other in edges.get(property_, ()) if other not in seen]
        seen.update(new)
        waiting += new


def _named(on: PropertyExpression) -> owl.Property:
    return on.inverted if isinstance(on, InverseOf) else on


# --- Simple properties ---


def _about_simple_properties(axioms: Iterable[Axiom], hierarchy: _Hierarchy) -> Iterator[Breach]:
    known: dict[PropertyExpression, str | None] = {}
    for axiom in axioms:
        for on in dict.fromkeys(_needed_simple(axiom)):
            if on.kind is not PropertyKind.DATA:
                if on not in known:
                    known[on] = hierarchy.why_not_simple(on)
                if known[on] is not None:
                    yield Breach(axiom, f"{on} is not simple, since {known[on]}")


def _needed_simple(part: object) -> Iterator[PropertyExpression]:
    """The properties of an axiom or expression that have to be simple."""
    match part:
        case owl.Characteristic(trait, on):
            yield from (on,) if trait in _SIMPLE_TRAITS else ()
        case owl.DisjointProperties(properties):
            yield from properties
        case owl.Cardinality(_, _, on) | owl.HasSelf(on):
            yield on
    if isinstance(part, tuple):
        for inner in part:
            yield from _needed_simple(inner)
    elif is_dataclass(part):
        for field in fields(part):
            yield from _needed_simple(getattr(part, field.name))


# --- Chains ---


def _about_chains(axioms: Sequence[Axiom], hierarchy: _Hierarchy) -> Iterator[Breach]:
    """Chains for which no order of the properties exists.

    Each member of a chain is to stand before what the chain implies, but for that itself at one end of it;
    and nothing may stand before what is included in it.
    """
    chains = [a for a in axioms if isinstance(a, owl.SubPropertyChainOf) and len(a.chain) > 1]
    before: dict[owl.Property, set[owl.Property]] = defaultdict(set)
    for chain in chains:
        for member in _to_stand_before(chain):
            before[_named(member)].add(_named(chain.super))
    after: dict[owl.Property, set[owl.Property]] = defaultdict(set)
    for early, late in before.items():
        for one in late:
            after[one].add(early)
    for chain in chains:
        members = tuple(_to_stand_before(chain))
        if any(_named(member) == _named(chain.super) for member in members):
            yield Breach(chain, f"the chain holds {chain.super} itself, not only at one of its ends")
            continue
        earlier = _closure(map(_named, members), after)
        later = _closure([_named(chain.super)], before)
        circle = next(
            (early for early in earlier if any(hierarchy.leads_up_to(late, early) for late in later)), None
        )
        if circle is not None:
            yield Breach(chain, f"the chain is irregular: {circle} is both below and above {chain.super}")


def _to_stand_before(axiom: owl.SubPropertyChainOf) -> Iterator[PropertyExpression]:
    chain, super_ = axiom.chain, axiom.super
    if _named(super_).iri == OWL.topObjectProperty or chain == (super_, super_):
        return
    is_at_start = chain[0] == super_
    is_at_end = not is_at_start and chain[-1] == super_
    yield from chain[1 if is_at_start else 0 : -1 if is_at_end else None]


def _closure(
    start: Iterable[owl.Property], edges: dict[owl.Property, set[owl.Property]]
) -> list[owl.Property]:
    """What edges lead to, the start included, in the order met."""
    waiting = list(dict.fromkeys(start))
    seen = set(waiting)
    for property_ in waiting:
        new = sorted(edges.get(property_, set()) - seen, key=str)
        seen.update(new)
        waiting += new
    return waiting
