"""Conflict sets by enumeration: the minimal inconsistent sets of assertions (PB26 Definition 10)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import combinations

from oracle.canonical_literals import canonical_triple
from oracle.materialization import is_consistent
from pantarhei.model.rule import Rule
from pantarhei.model.term import Triple

Assertion = tuple[int, Triple]
"""A fact with the timestamp of its ABox."""


def conflict_sets(
    rules: Iterable[Rule], assertions: Collection[Assertion], background: Collection[Triple] = ()
) -> frozenset[frozenset[Assertion]]:
    """Return the minimal sets of assertions that are inconsistent together with `background`.

    PB26 Definition 10: the set is inconsistent, and every proper subset is consistent. A fact asserted at two
    timestamps is two assertions, which belong to different conflict sets. If the background alone is
    inconsistent, the only conflict set is the empty set. Cost: exponential in the number of assertions,
    unless they are consistent.
    """
    rules, background = tuple(rules), tuple(background)
    assertions = canonical_assertions(assertions)

    def consistent(chosen: Iterable[Assertion]) -> bool:
        return is_consistent(rules, [fact for _, fact in chosen] + list(background))

    found: list[frozenset[Assertion]] = []
    if consistent(assertions):  # then every subset is consistent
        return frozenset()
    for size in range(len(assertions) + 1):
        for chosen in map(frozenset, combinations(assertions, size)):
            if not any(smaller <= chosen for smaller in found) and not consistent(chosen):
                found.append(chosen)
    return frozenset(found)


def canonical_assertions(assertions: Iterable[Assertion]) -> frozenset[Assertion]:
    """Replace literals by canonical ones, so that equal values at one timestamp are one assertion."""
    return frozenset((at, canonical_triple(fact)) for at, fact in assertions)
