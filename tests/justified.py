"""Definition of all justifications of an entailment, tested on the ontology's axioms."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from itertools import combinations
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def are_all(
    sets: Collection[frozenset[T]], axioms: Iterable[T], follows: Callable[[frozenset[T]], bool]
) -> bool:
    """Return whether `sets` are all minimal subsets of the axioms from which something follows.

    From each set it follows, and not from a set with one member less; and it does not follow from the axioms
    without a set that has a member of each (Reiter, *A theory of diagnosis from first principles*, 1987).
    """
    each = all(follows(one) and not any(follows(one - {member}) for member in one) for one in sets)
    members = sorted(frozenset[T]().union(*sets))
    hitting = [
        chosen
        for size in range(len(members) + 1)
        for chosen in map(frozenset, combinations(members, size))
        if all(chosen & one for one in sets)
    ]
    least = [chosen for chosen in hitting if not any(other < chosen for other in hitting)]
    everything = frozenset(axioms)
    return each and not any(follows(everything - chosen) for chosen in least)
