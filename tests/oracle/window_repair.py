"""Window repairs: the assertions that are kept of a contradictory window, newer ones before older ones.

Window order and repair are PB26's Definitions 6 and 7. The latter is read as a fold: each ABox, in time
order, is added to the assertions kept by the repair before, and the union is repaired. All functions work on
occurrences: a fact asserted at two timestamps is two assertions. The functions on conflict sets also accept
abstract elements `(timestamp, anything)`.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import TypeVar

from oracle.conflicts import Assertion, canonical_assertions, conflict_sets
from pantarhei.model.rule import Rule
from pantarhei.model.term import Triple

_Thing = TypeVar("_Thing", bound=Hashable)


def precedes(x: Collection[tuple[int, _Thing]], y: Collection[tuple[int, _Thing]]) -> bool:
    """True if `x` is strictly below `y` in the window order.

    PB26 Definition 6: at the newest timestamp at which they differ, the elements of `x` are a proper subset
    of those of `y`.

    >>> precedes({(1, "a"), (1, "b")}, {(2, "c")}), precedes({(1, "a"), (2, "b")}, {(2, "b"), (2, "c")})
    (True, True)
    """
    differing = set(x) ^ set(y)
    if not differing:
        return False
    newest = max(at for at, _ in differing)
    return not any(element in x for element in differing if element[0] == newest)


def maximal_subsets_without_conflict(
    elements: Collection[tuple[int, _Thing]], conflicts: Collection[Collection[tuple[int, _Thing]]]
) -> frozenset[frozenset[tuple[int, _Thing]]]:
    """Return the subsets of `elements` that contain no conflict set and are maximal in the window order.

    Only subsets of the elements of conflict sets are enumerated: all other elements belong to every maximal
    subset. A subset that is maximal in the window order is maximal under inclusion, and every other subset is
    below a maximal one.
    """
    everything = frozenset(elements)
    inside = {frozenset(conflict) for conflict in conflicts if everything.issuperset(conflict)}
    disputed: frozenset[tuple[int, _Thing]] = frozenset().union(*inside)
    maximal: list[frozenset[tuple[int, _Thing]]] = []
    for chosen in _subsets_largest_first(disputed):
        if not any(conflict <= chosen for conflict in inside) and not any(chosen <= kept for kept in maximal):
            maximal.append(chosen)
    return frozenset(
        chosen | (everything - disputed)
        for chosen in maximal
        if not any(precedes(chosen, other) for other in maximal)
    )


def repair_of_conflicts(
    elements: Collection[tuple[int, _Thing]], conflicts: Collection[Collection[tuple[int, _Thing]]]
) -> frozenset[tuple[int, _Thing]]:
    """Return the intersection of all subsets of `elements` without conflict that are maximal in the window
    order.

    One step of PB26 Definition 7 on a hypergraph of conflict sets. The result is empty if there is no such
    subset, which is only the case if a conflict set is empty.
    """
    return _intersection(maximal_subsets_without_conflict(elements, conflicts))


def maximal_consistent_subsets(
    rules: Iterable[Rule], assertions: Collection[Assertion], background: Collection[Triple] = ()
) -> frozenset[frozenset[Assertion]]:
    """Return the subsets of `assertions`, consistent with `background`, that are maximal in the window order.

    A set of assertions is consistent if and only if it contains no conflict set.
    """
    assertions = canonical_assertions(assertions)
    return maximal_subsets_without_conflict(assertions, conflict_sets(rules, assertions, background))


def repair(
    rules: Iterable[Rule], assertions: Collection[Assertion], background: Collection[Triple] = ()
) -> frozenset[Assertion]:
    """Return the intersection of all maximal consistent subsets of `assertions` in the window order.

    One step of PB26 Definition 7, on occurrences. The background is never removed.
    """
    return _intersection(maximal_consistent_subsets(rules, assertions, background))


def fold(
    rules: Iterable[Rule],
    aboxes: Sequence[tuple[int, Collection[Triple]]],
    width: int | None,
    background: Collection[Triple] = (),
) -> list[frozenset[Assertion]]:
    """Return the assertions that the window repair keeps after each ABox.

    The fold of `repair` over the ABoxes in time order (PB26 Definition 7 as its text describes it): at time
    `at`, assertions older than `at - width` are dropped first, then the rest is repaired together with the
    ABox. A removed assertion stays removed.

    Args:
        aboxes: one ABox per timestamp, in time order.
        width: the width of the window, both ends included; None for a window without expiry.
    """
    rules = tuple(rules)
    timestamps = [at for at, _ in aboxes]
    if timestamps != sorted(set(timestamps)):
        raise ValueError(f"one ABox a timestamp is expected, in ascending order, and not {timestamps}")
    kept: frozenset[Assertion] = frozenset()
    steps = []
    for at, abox in aboxes:
        inside = {(s, fact) for s, fact in kept if width is None or s >= at - width}
        kept = repair(rules, inside | {(at, fact) for fact in abox}, background)
        steps.append(kept)
    return steps


def algorithm3(conflicts: Collection[Collection[tuple[int, _Thing]]]) -> frozenset[tuple[int, _Thing]]:
    """Return the assertions that PB26's Algorithm 3 removes, `D ∪ ⋃N`, given the conflict sets of a window
    and a new ABox.

    This is the algorithm as printed. Its result is not the complement of the intersection of all repairs: it
    can keep an assertion that is not in a repair, and remove one that is in all repairs. It is read as
    follows, by line:

    - `min S` are the oldest assertions of `S`; the most recent conflict sets (line 12) are those with the
      newest `min S`.
    - `⊄` in line 15 is read as "not a proper subset". With "not a subset", the paper's meaning elsewhere, no
      set would ever be added to `N`, since `S_j` can be `S_i` itself, and the loop would not terminate on two
      contradicting facts of one ABox.
    - Line 15 ranges over `C1` as computed in line 12, including the conflict sets dropped by line 14. This
      changes
      nothing: a set that line 14 drops from `C1` has a `min` in `D`, or a `min` with a proper subset in `D`;
      and since one-element sets in `D` are also added to `N`, line 16 alone would drop the sets that line 14
      drops.

    With this reading, each round drops all of `C1` and the loop terminates.

    Raises:
        ValueError: a conflict set is empty, so that it has no oldest assertion.
    """
    pending = {frozenset(conflict) for conflict in conflicts}
    if frozenset() in pending:
        raise ValueError(
            "a conflict set without assertions is given: the background is inconsistent by itself"
        )
    removed: set[tuple[int, _Thing]] = set()  # D
    shared: set[frozenset[tuple[int, _Thing]]] = set()  # N
    while pending:
        newest = max(_oldest_time(conflict) for conflict in pending)
        recent = [_oldest(conflict) for conflict in pending if _oldest_time(conflict) == newest]
        removed.update(element for oldest in recent if len(oldest) == 1 for element in oldest)  # 13
        pending = {conflict for conflict in pending if not conflict & removed}  # 14
        shared.update(oldest for oldest in recent if not any(other < oldest for other in recent))  # 15
        pending = {conflict for conflict in pending if not any(oldest <= conflict for oldest in shared)}  # 16
    return frozenset(removed).union(*shared)  # 18


def _oldest_time(conflict: Collection[tuple[int, _Thing]]) -> int:
    return min(at for at, _ in conflict)


def _oldest(conflict: frozenset[tuple[int, _Thing]]) -> frozenset[tuple[int, _Thing]]:
    """Return PB26's `min S`: the oldest elements of a conflict set."""
    at = _oldest_time(conflict)
    return frozenset(element for element in conflict if element[0] == at)


def _subsets_largest_first(elements: frozenset[_Thing]) -> Iterator[frozenset[_Thing]]:
    for size in range(len(elements), -1, -1):
        yield from map(frozenset, combinations(elements, size))


def _intersection(sets: frozenset[frozenset[_Thing]]) -> frozenset[_Thing]:
    return frozenset.intersection(*sets) if sets else frozenset()
