"""Property chains for which no order of the properties exists.

W3C: OWL 2 structural specification, section 11.2. Each member of a chain is to stand before what the chain
    implies, but for that itself at one end of it; and nothing may stand before what is included in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rdflib import OWL

from pantarhei.model.graphs import Edges, components, gathered, reached
from pantarhei.owl.axiom import InverseOf, Property, PropertyExpression, SubPropertyChainOf

# For how many properties at a time it is asked what leads to them: a bit for each with each property.
_AT_A_TIME = 4096


def named(on: PropertyExpression) -> Property:
    """The property itself, where `on` is its inverse."""
    return on.inverted if isinstance(on, InverseOf) else on


def to_stand_before(axiom: SubPropertyChainOf) -> tuple[Property, ...]:
    """What is to stand before the property that the chain implies, whichever way round, in order."""
    chain, super_ = axiom.chain, axiom.super
    if named(super_).iri == OWL.topObjectProperty or chain == (super_, super_):
        return ()
    is_at_start = chain[0] == super_
    is_at_end = not is_at_start and chain[-1] == super_
    return tuple(map(named, chain[1 if is_at_start else 0 : -1 if is_at_end else None]))


def circles(
    chains: Sequence[SubPropertyChainOf], above: Mapping[PropertyExpression, Iterable[PropertyExpression]]
) -> dict[int, Property]:
    """The places of the chains for which no order exists, each with a property both below and above it.

    Args:
        above: in what each property is included, written out for inverses too.

    Costs time linear in their size where nothing runs in a circle; else also, for each few thousand
    properties that do, a walk over all.
    """
    order = _Order.of(chains, above)
    return {
        place: order.properties[order.circle(place) if member is None else member]
        for place, member in sorted(order.irregular().items())
    }


@dataclass(frozen=True, slots=True)
class _Order:
    """Properties as numbers, in the order of their names, and what leads to what.

    Args:
        properties: the property `i` is the expression `2 * i`, and `2 * i + 1` the inverse of it.
        supers: for each chain what it implies.
        members: for each chain what is to stand before that.
        before: for each property those that it is to stand before; `after` is the other way.
        included: for each expression those that it is included in.
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
        members = tuple(tuple(dict.fromkeys(number[on] for on in to_stand_before(axiom))) for axiom in chains)
        edges = {(early, late) for earlier, late in zip(members, supers, strict=True) for early in earlier}
        place = {on: 2 * number[named(on)] + isinstance(on, InverseOf) for on in expressions}
        inclusions = {(place[lower], place[upper]) for lower, uppers in above.items() for upper in uppers}
        return cls(
            tuple(by_name),
            supers,
            members,
            _edges(len(number), edges),
            _edges(len(number), ((late, early) for early, late in edges)),
            _edges(2 * len(number), inclusions),
        )

    def irregular(self) -> dict[int, int | None]:
        """The chains of which something that is to stand before what they imply comes after it.

        Each with its first member that does; None if it is only what stands before a member.
        """
        suspects, around = self._suspects()
        found: dict[int, int | None] = {}
        order, order_of_inclusion = components(self.before), components(self.included)
        for begin in range(0, len(around), _AT_A_TIME):
            own = [0] * len(self.properties)
            for place, number in enumerate(around[begin : begin + _AT_A_TIME]):
                own[number] = 1 << place
            included = gathered(order_of_inclusion, self.included, [own[e // 2] for e in range(2 * len(own))])
            above = gathered(order, self.before, included[::2])
            below = gathered(order[::-1], self.after, own)
            for place in suspects:
                after, members = above[self.supers[place]], self.members[place]
                if any(after & below[member] for member in members):
                    known = found.get(place)
                    direct = (member for member in members if after & own[member] or member == known)
                    found[place] = next(direct, None)
        return found

    def _suspects(self) -> tuple[list[int], list[int]]:
        """The chains of which a member comes after what the chain implies, by whatever steps in any order;
        and the properties on such ways. Only among these can there be circles.
        """
        steps = [
            [*later, *(upper // 2 for end in (0, 1) for upper in self.included[2 * number + end])]
            for number, later in enumerate(self.before)
        ]
        component = [0] * len(steps)
        for place, numbers in enumerate(components(steps)):
            for number in numbers:
                component[number] = place
        suspects = [
            place
            for place, (super_, members) in enumerate(zip(self.supers, self.members, strict=True))
            if any(component[member] == component[super_] for member in members)
        ]
        around = {component[self.supers[place]] for place in suspects}
        return suspects, [number for number, place in enumerate(component) if place in around]

    def circle(self, chain: int) -> int:
        """The first property, from the chain's members downwards, that comes after what it implies."""
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
