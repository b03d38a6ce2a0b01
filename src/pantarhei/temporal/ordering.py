"""In which order operators react: those first whose rows the others' rest on, so that each is told once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.graphs import components
from pantarhei.model.rule import Atom, Rule


class Making(NamedTuple):
    """A predicate that follows from others."""

    made: Symbol
    of: tuple[Symbol, ...]


def ranks(rules: Iterable[Rule], others: Iterable[Making]) -> dict[Symbol, int]:
    """Predicates by an order in which each comes after those that it rests on. Costs linear time.

    Args:
        rules: by which they follow.
        others: what follows by operators.

    >>> from rdflib import URIRef
    >>> a, b, c = (Symbol(URIRef(name), 1) for name in "abc")
    >>> ranks([], [Making(a, (b,)), Making(b, (c,))]) == {c: 0, b: 1, a: 2}
    True
    """
    makings = [
        Making(_symbol(rule.head), tuple(map(_symbol, rule.body))) for rule in rules if rule.head is not None
    ]
    makings += others
    numbers: dict[Symbol, int] = {}
    for each in makings:
        for symbol in (each.made, *each.of):
            numbers.setdefault(symbol, len(numbers))
    rests_on: list[list[int]] = [[] for _ in numbers]
    for each in makings:
        rests_on[numbers[each.made]] += map(numbers.__getitem__, each.of)
    symbols = list(numbers)
    found = enumerate(components(rests_on))
    return {symbols[number]: rank for rank, component in found for number in component}


def _symbol(atom: Atom) -> Symbol:
    return Symbol(atom.predicate, len(atom.arguments))
