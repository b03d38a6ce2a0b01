"""Global restrictions of OWL 2 DL on properties, and the axioms that violate them.

W3C: OWL 2 structural specification, section 11. These restrictions keep OWL 2 DL decidable. Rules do not need
them: an axiom that violates one is reported, and translated nevertheless.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rdflib import OWL

from pantarhei.model.graphs import Edges, components, gathered, reached
from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import (
    Axiom,
    InverseOf,
    Property,
    PropertyExpression,
    PropertyKind,
    SubPropertyChainOf,
    Trait,
    parts,
)
from pantarhei.owl.normal_form import inverse
from pantarhei.owl.simplify import named

# Number of properties whose predecessors are computed together, with one bit for each.
_PROPERTIES_PER_PASS = 4096


def required_before(axiom: SubPropertyChainOf) -> tuple[Property, ...]:
    """Return the properties that have to precede the property implied by the chain, in the order of the
    chain; inversions are ignored.
    """
    chain, super_ = axiom.chain, axiom.super
    if named(super_).iri == OWL.topObjectProperty or chain == (super_, super_):
        return ()
    is_at_start = chain[0] == super_
    is_at_end = not is_at_start and chain[-1] == super_
    return tuple(map(named, chain[1 if is_at_start else 0 : -1 if is_at_end else None]))


def irregular_chains(
    chains: Sequence[SubPropertyChainOf], above: Mapping[PropertyExpression, Iterable[PropertyExpression]]
) -> dict[int, Property]:
    """Return the indexes of the chains for which no order of properties exists, each with a property that
    would have to be both before and after the implied one.

    W3C: OWL 2 structural specification, section 11.2. There must be a strict partial order in which each
    member of a chain precedes the property that the chain implies, except for that property itself at one end
    of the chain; and in which no property precedes one of its subproperties.

    The cost is linear in the size of the input if there are no cycles; otherwise the graph is also traversed
    once for every 4,096 properties in cycles.

    Args:
        above: the superproperties of each property expression, also for inverses.
    """
    order = _Order.of(chains, above)
    return {
        index: order.properties[order.cyclic_property(index) if member is None else member]
        for index, member in sorted(order.irregular().items())
    }


@dataclass(frozen=True, slots=True)
class _Order:
    """Properties as numbers, in the order of their names, and the relations between them.

    Args:
        properties: property `i` has the property expressions `2 * i`, and `2 * i + 1` for its inverse.
        supers: the property implied by each chain.
        members: for each chain the properties that have to precede the implied one.
        before: for each property the properties it has to precede; `after` has the edges reversed.
        included: for each property expression its superproperties.
    """

    properties: tuple[Property, ...]
    supers: tuple[int, ...]
    members: tuple[tuple[int, ...], ...]
    before: Edges
    after: Edges
    included: Edges

    @classmethod
    def of(
        cls,
        chains: Sequence[SubPropertyChainOf],
        above: Mapping[PropertyExpression, Iterable[PropertyExpression]],
    ) -> _Order:
        expressions = {on for lower, uppers in above.items() for on in (lower, *uppers)}
        expressions.update(on for axiom in chains for on in (*axiom.chain, axiom.super))
        by_name = sorted(set(map(named, expressions)), key=lambda on: (str(on), on.iri, on.kind.value))
        number = {on: i for i, on in enumerate(by_name)}
        supers = tuple(number[named(axiom.super)] for axiom in chains)
        members = tuple(tuple(dict.fromkeys(number[on] for on in required_before(axiom))) for axiom in chains)
        edges = {(early, late) for earlier, late in zip(members, supers, strict=True) for early in earlier}
        index = {on: 2 * number[named(on)] + isinstance(on, InverseOf) for on in expressions}
        inclusions = {(index[lower], index[upper]) for lower, uppers in above.items() for upper in uppers}
        return cls(
            tuple(by_name),
            supers,
            members,
            _edges(len(number), edges),
            _edges(len(number), ((late, early) for early, late in edges)),
            _edges(2 * len(number), inclusions),
        )

    def irregular(self) -> dict[int, int | None]:
        """Map each chain for which no order exists to a member that the implied property would have to
        precede; None if only a predecessor of a member is such a property.
        """
        suspects, on_cycles = self._suspects()
        found: dict[int, int | None] = {}
        order, order_of_inclusion = components(self.before), components(self.included)
        for begin in range(0, len(on_cycles), _PROPERTIES_PER_PASS):
            own = [0] * len(self.properties)
            for index, number in enumerate(on_cycles[begin : begin + _PROPERTIES_PER_PASS]):
                own[number] = 1 << index
            included = gathered(order_of_inclusion, self.included, [own[e // 2] for e in range(2 * len(own))])
            above = gathered(order, self.before, included[::2])
            below = gathered(order[::-1], self.after, own)
            for index in suspects:
                after, members = above[self.supers[index]], self.members[index]
                if any(after & below[member] for member in members):
                    known = found.get(index)
                    direct = (member for member in members if after & own[member] or member == known)
                    found[index] = next(direct, None)
        return found

    def _suspects(self) -> tuple[list[int], list[int]]:
        """Return the chains with a member that is reachable from the implied property by edges of any kind,
        and the properties on such paths.

        Only these chains can be part of cycles.
        """
        steps = [
            [*later, *(upper // 2 for end in (0, 1) for upper in self.included[2 * number + end])]
            for number, later in enumerate(self.before)
        ]
        component = [0] * len(steps)
        for index, numbers in enumerate(components(steps)):
            for number in numbers:
                component[number] = index
        suspects = [
            index
            for index, (super_, members) in enumerate(zip(self.supers, self.members, strict=True))
            if any(component[member] == component[super_] for member in members)
        ]
        on_cycles = {component[self.supers[index]] for index in suspects}
        return suspects, [number for number, index in enumerate(component) if index in on_cycles]

    def cyclic_property(self, chain: int) -> int:
        """Return the first property, searched from the chain's members to their predecessors, that has to
        follow the implied one.
        """
        later = reached([self.supers[chain]], self.before.__getitem__)
        above = {upper // 2 for upper in reached((2 * number for number in later), self.included.__getitem__)}
        return next(
            number for number in reached(self.members[chain], self.after.__getitem__) if number in above
        )


def _edges(count: int, pairs: Iterable[tuple[int, int]]) -> Edges:
    edges: list[list[int]] = [[] for _ in range(count)]
    for start, end in sorted(pairs):
        edges[start].append(end)
    return edges


_SIMPLE_TRAITS = frozenset({Trait.FUNCTIONAL, Trait.INVERSE_FUNCTIONAL, Trait.IRREFLEXIVE, Trait.ASYMMETRIC})
_UNIVERSAL = frozenset({OWL.topObjectProperty, OWL.bottomObjectProperty})
_Edges = defaultdict[PropertyExpression, dict[PropertyExpression, None]]


class Breach(NamedTuple):
    """Axiom with the restriction of OWL 2 DL that it violates."""

    axiom: Axiom
    reason: str


def breaches(axioms: Iterable[Axiom]) -> tuple[Breach, ...]:
    """Return the axioms that require a simple property but have another one, and the chains for which no
    order of properties exists.

    The property hierarchy is traversed once, and again for each property that has to be simple and is not.

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
    """Hierarchy of properties.

    Args:
        above, below: superproperties and subproperties of each property expression.
        composite: the properties implied by chains or transitive, with the reason.
    """

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
        """Return the properties that are not simple."""
        start = [on for on in (*self.above, *self.composite) if self._why_composite(on) is not None]
        return frozenset(reached(start, _next_in(self.above)))

    def why_not_simple(self, on: PropertyExpression) -> str | None:
        """Return the reason why the property is not simple; None if it is simple."""
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
    """Yield the properties of an axiom that have to be simple."""
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
    irregular = irregular_chains(chains, hierarchy.above)
    for index, chain in enumerate(chains):
        if named(chain.super) in required_before(chain):
            yield Breach(chain, f"the chain holds {chain.super} itself, not only at one of its ends")
        elif index in irregular:
            reason = f"the chain is irregular: {irregular[index]} is both below and above {chain.super}"
            yield Breach(chain, reason)
