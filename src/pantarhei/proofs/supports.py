"""Minimal supports: for each fact of a lineage, the minimal sets of assertions from which it follows.

Facts are identified by their row ids in the kernel. Background facts are omitted from all sets.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from itertools import groupby

RowSet = frozenset[int]


def minimal_sets(
    sets: Iterable[RowSet], spend: Callable[[int], None] = lambda comparisons: None
) -> list[RowSet]:
    """Return the sets that contain no other given set as a subset, smallest first. `spend` is called with the
    number of comparisons.

    >>> minimal_sets([frozenset({1, 2}), frozenset({2}), frozenset({1, 3})])
    [frozenset({2}), frozenset({1, 3})]
    """
    kept: list[RowSet] = []
    smaller: dict[int, list[RowSet]] = defaultdict(list)  # kept sets of smaller size, by smallest member
    for size, candidates in groupby(sorted(set(sets), key=lambda s: (len(s), sorted(s))), key=len):
        found = []
        for candidate in candidates:
            rivals = [smaller[member] for member in candidate if member in smaller] if size else []
            spend(sum(map(len, rivals)))
            if not any(rival <= candidate for group in rivals for rival in group):
                found.append(candidate)
        for one in found:
            if not one:
                return [one]
            smaller[min(one)].append(one)
        kept += found
    return kept


class BudgetExceeded(Exception):
    """A search has exceeded its budget."""


class StepBudget:
    """Budget of a search: the number of sets that it may store, and the number of steps that it may take."""

    def __init__(self, sets: int, steps: int) -> None:
        self.sets, self.steps = sets, steps

    def keep(self) -> None:
        """Count one stored set."""
        self.sets -= 1
        if self.sets < 0:
            raise BudgetExceeded

    def release(self) -> None:
        """Count one stored set less."""
        self.sets += 1

    def spend(self, steps: int) -> None:
        """Count combinations or comparisons; call it before they are computed."""
        self.steps -= steps
        if self.steps < 0:
            raise BudgetExceeded

    def unions(self, start: RowSet, choices: list[Antichain]) -> list[RowSet]:
        """Return the minimal unions that consist of `start` and one set from each antichain."""
        result = [start]
        for alternatives in choices:
            self.spend(len(result) * len(alternatives.sets))
            unions = {one | other for one in result for other in alternatives.sets}
            if len(unions) > self.sets:
                raise BudgetExceeded
            result = minimal_sets(unions, self.spend) if len(unions) > 1 else list(unions)
        return result


class Antichain:
    """Collection of sets of which none contains another. Adding a set takes time linear in the number of sets
    that share a member with it.
    """

    def __init__(self, budget: StepBudget) -> None:
        self.sets: set[RowSet] = set()
        self._budget = budget
        self._by_smallest: dict[int, list[RowSet]] = defaultdict(list)
        self._by_member: dict[int, set[RowSet]] = defaultdict(set)

    def add(self, new: RowSet) -> bool:
        """Add a set and remove its supersets; return False if the antichain has a subset of it."""
        if new in self.sets:
            return False
        rivals = [self._by_smallest[member] for member in new if member in self._by_smallest]
        larger = self._by_member[min(new)]
        self._budget.spend(len(larger) + sum(map(len, rivals)))
        if any(known <= new for group in rivals for known in group):
            return False
        for known in [known for known in larger if new < known]:
            self._drop(known)
        self._budget.keep()
        self.sets.add(new)
        self._by_smallest[min(new)].append(new)
        for member in new:
            self._by_member[member].add(new)
        return True

    def _drop(self, known: RowSet) -> None:
        self._budget.release()
        self.sets.discard(known)
        self._by_smallest[min(known)].remove(known)
        for member in known:
            self._by_member[member].discard(known)


def minimal_supports(
    asserted: Iterable[int], instances: Iterable[tuple[int, tuple[int, ...]]], budget: StepBudget
) -> dict[int, Antichain]:
    """Return the minimal supports of each row by semi-naive evaluation over antichains.

    A proof that uses its own conclusion is not minimal, so the recursion terminates.

    Args:
        asserted: row ids of the asserted facts.
        instances: rule instances as pairs of the head row and the body rows without background facts.

    Raises:
        BudgetExceeded: the budget is used up.
    """
    supports: dict[int, Antichain] = defaultdict(lambda: Antichain(budget))
    uses: dict[int, list[tuple[int, list[int]]]] = defaultdict(list)
    for head, body in instances:
        for row in body:
            uses[row].append((head, [other for other in body if other != row]))
    queue: deque[tuple[int, RowSet]] = deque()
    for row in asserted:
        supports[row].add(frozenset((row,)))
        queue.append((row, frozenset((row,))))
    while queue:
        row, support = queue.popleft()
        if support not in supports[row].sets:  # a smaller support has replaced it
            continue
        for head, others in uses[row]:
            for union in budget.unions(support, [supports[other] for other in others]):
                if supports[head].add(union):
                    queue.append((head, union))
    return supports
