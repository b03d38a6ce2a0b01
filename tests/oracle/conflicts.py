"""Conflict sets: the minimal inconsistent sets of assertions (PB26 Definition 10), by enumeration."""

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
    """The minimal sets of assertions that are inconsistent together with `background`.

    PB26 Definition 10: inconsistent, and every strict subset is consistent. A fact asserted at two timestamps
    is two assertions and stands in different conflict sets with each. The empty set is the one conflict set
    of a background that is inconsistent by itself. Cost: exponential in the number of assertions, unless they
    are consistent.
    """
    rules, background = tuple(rules), tuple(background)
    assertions = canonical_assertions(assertions)

    def consistent(chosen: Iterable[Assertion]) -> bool:
        return is_consistent(rules, [fact for _, fact in chosen] + list(background))

    found: list[frozenset[Assertion]] = []
    if consistent(assertions):  # and so is every subset
        return frozenset()
    for size in range(len(assertions) + 1):
        for chosen in map(frozenset, combinations(assertions, size)):
            if not any(smaller <= chosen for smaller in found) and not consistent(chosen):
                found.append(chosen)
    return frozenset(found)


def canonical_assertions(assertions: Iterable[Assertion]) -> frozenset[Assertion]:
    """`assertions` with canonical literals, so that equal values at one timestamp are one assertion."""
    return frozenset((at, canonical_triple(fact)) for at, fact in assertions)
