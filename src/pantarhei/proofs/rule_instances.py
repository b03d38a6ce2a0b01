"""Rule instances as a hypergraph: derivability from given facts, and derivations with the fewest instances.

Facts are identified by their row ids in the kernel; ⊥ has the row id `BOTTOM`. A derivation maps each derived
row to one instance and has no cycles.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from typing import NamedTuple

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel_values import Lineage
from pantarhei.proofs.step import ProofStep
from pantarhei.proofs.supports import BudgetExceeded, StepBudget

BOTTOM = -2
"""The row of ⊥."""

RankKey = tuple[str, ...]

# Derivations with more instances than this are not shortened: the search recurses once for each instance.
_MOST_SEARCHED = 200


class RuleInstance(NamedTuple):
    """Application of a rule that derives a head row from body rows."""

    head: int
    rule: int
    body: tuple[int, ...]


Derivation = Mapping[int, RuleInstance]
"""The instance that derives each row."""


def _by_numbers(instance: RuleInstance) -> RankKey:
    return tuple(map(str, (instance.rule, *instance.body)))


@dataclass(frozen=True)
class RuleInstances:
    """Rule instances of a lineage.

    Args:
        found: the instances; instances of constraints have the head `BOTTOM`.
        rank: a sort key for instances with the same head. It must not depend on row ids, so that the order is
            the same in every process. It is computed only if there is more than one instance.
    """

    found: tuple[RuleInstance, ...]
    rank: Callable[[RuleInstance], RankKey] = field(default=_by_numbers, repr=False)
    _ranks: dict[RuleInstance, RankKey] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, lineage: Lineage, rank: Callable[[RuleInstance], RankKey] = _by_numbers) -> RuleInstances:
        """Return the rule instances and violations of a lineage."""
        instances = [
            RuleInstance(head, rule, tuple(row for row in body if row != NONE))
            for head, rule, *body in lineage.instances.tolist()
        ]
        instances += [
            RuleInstance(BOTTOM, rule, tuple(row for row in body if row != NONE))
            for rule, *body in lineage.violations.tolist()
        ]
        return cls(tuple(dict.fromkeys(instances)), rank)

    def among(self, some: Iterable[RuleInstance]) -> RuleInstances:
        """Return the given subset of the instances; ranks already computed are shared."""
        return RuleInstances(tuple(some), self.rank_of)

    @cached_property
    def by_head(self) -> Mapping[int, list[RuleInstance]]:
        """The instances that derive each row."""
        found: defaultdict[int, list[RuleInstance]] = defaultdict(list)
        for instance in self.found:
            found[instance.head].append(instance)
        return found

    def leave_no_choice(self, given: Collection[int]) -> bool:
        """Return True if each derived row has exactly one instance and is not in `given`."""
        return all(len(found) == 1 and head not in given for head, found in self.by_head.items())

    @cached_property
    def uses(self) -> Mapping[int, list[int]]:
        """For each row the indexes in `found` of the instances whose bodies contain it."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for index, instance in enumerate(self.found):
            for row in set(instance.body):
                found[row].append(index)
        return found

    @cached_property
    def _sizes(self) -> list[int]:
        """The number of distinct body rows of each instance."""
        return [len(set(instance.body)) for instance in self.found]

    def heights(self, leaves: Iterable[int]) -> dict[int, int]:
        """Return for each row derivable from `leaves` the smallest height of its derivations. The cost is
        linear in the number of instances.
        """
        missing = self._sizes.copy()
        heights: dict[int, int] = dict.fromkeys(leaves, 0)
        queue, height = list(heights), 0
        while queue:
            height += 1
            later: list[int] = []
            for row in queue:
                for index in self.uses.get(row, ()):
                    missing[index] -= 1
                    head = self.found[index].head
                    if not missing[index] and head not in heights:
                        heights[head] = height
                        later.append(head)
            queue = later
        return heights

    def cheapest(self, leaves: Mapping[int, int]) -> dict[int, RuleInstance]:
        """Return for each row derivable from `leaves` the last instance of its cheapest derivation.

        The cost of an instance is 1 plus the costs of its body rows; a row that is used twice in a derivation
        counts twice (Knuth's generalization of Dijkstra's algorithm). The time is O(n log n) in the number n
        of instances.

        Args:
            leaves: the costs of the given rows.
        """
        missing = self._sizes.copy()
        price = [1] * len(self.found)
        best: dict[int, tuple[int, RuleInstance | None]] = {row: (cost, None) for row, cost in leaves.items()}
        waiting = [(cost, row) for row, cost in leaves.items()]
        waiting.sort()
        done: set[int] = set()
        while waiting:
            cost, row = heappop(waiting)
            if row in done:
                continue
            done.add(row)
            for index in self.uses.get(row, ()):
                missing[index] -= 1
                price[index] += cost
                instance = self.found[index]
                if missing[index] or instance.head in done:
                    continue
                known = best.get(instance.head)
                if known is None or price[index] < known[0]:
                    heappush(waiting, (price[index], instance.head))
                elif (
                    price[index] > known[0]
                    or known[1] is None
                    or self.rank_of(instance) >= self.rank_of(known[1])
                ):
                    continue
                best[instance.head] = (price[index], instance)
        return {row: chosen for row in done if (chosen := best[row][1]) is not None}

    def fewest(
        self, goal: int, leaves: Collection[int], budget: StepBudget
    ) -> tuple[dict[int, RuleInstance], bool]:
        """Return a derivation of `goal` with few instances, and True if no derivation has fewer.

        Args:
            goal: a row that follows from `leaves` and is not one of them.
            budget: limits of the search. If they are reached, the best derivation found so far is returned.
        """
        heights = self.heights(leaves)
        cheapest = self.cheapest(dict.fromkeys(leaves, 0))
        found = {row: cheapest[row] for row in used_by(cheapest, goal) if row in cheapest}
        if len(found) <= heights[goal]:  # a derivation has at least as many instances as its height
            return found, True
        if len(found) > _MOST_SEARCHED:
            return found, False
        search = _ShortestDerivation(self, frozenset(leaves), heights, found, budget)
        try:
            search.complete({}, [goal])
        except BudgetExceeded:
            return search.best, False
        return search.best, True

    def rank_of(self, instance: RuleInstance) -> RankKey:
        """Return the cached rank of an instance."""
        known = self._ranks.get(instance)
        if known is None:
            known = self._ranks[instance] = self.rank(instance)
        return known


def steps_of(
    derivation: Derivation, goal: int, step: Callable[[int, RuleInstance | None, tuple[int, ...]], ProofStep]
) -> tuple[ProofStep, ...]:
    """Return the steps of a proof, each after its premises.

    Args:
        step: creates a step from a row, its instance (None for a given row), and the indexes of its premises.
    """
    indexes: dict[int, int] = {}
    steps: list[ProofStep] = []
    for row in _in_order(derivation, goal):
        instance = derivation.get(row)
        body = () if instance is None else instance.body
        steps.append(step(row, instance, tuple(indexes[premise] for premise in body)))
        indexes[row] = len(indexes)
    return tuple(steps)


def used_by(derivation: Derivation, goal: int) -> set[int]:
    """Return the rows that occur in the derivation of `goal`, including `goal`."""
    found, waiting = {goal}, [goal]
    while waiting:
        instance = derivation.get(waiting.pop())
        fresh = set() if instance is None else set(instance.body) - found
        found |= fresh
        waiting += fresh
    return found


def _in_order(derivation: Derivation, goal: int) -> Iterator[int]:
    """Yield the rows that occur in the derivation of `goal`, each after its premises."""
    done: set[int] = set()
    work = [(goal, False)]
    while work:
        row, visited = work.pop()
        if row in done:
            continue
        instance = derivation.get(row)
        if visited or instance is None:
            done.add(row)
            yield row
        else:
            work.append((row, True))
            work += [(premise, False) for premise in reversed(instance.body) if premise not in done]


class _ShortestDerivation:
    """Depth-first search for a derivation with fewer instances than the best one found so far."""

    def __init__(
        self,
        instances: RuleInstances,
        leaves: Collection[int],
        derivable: Collection[int],
        best: dict[int, RuleInstance],
        budget: StepBudget,
    ) -> None:
        self.instances, self.leaves, self.derivable = instances, leaves, derivable
        self.best, self.budget = best, budget
        self._choices: dict[int, list[RuleInstance]] = {}

    def complete(self, chosen: dict[int, RuleInstance], open_: list[int]) -> None:
        """Extend a partial derivation in all ways that can have fewer instances than the best one.

        Args:
            chosen: the instance chosen for each row.
            open_: distinct rows for which an instance has to be chosen.

        Raises:
            BudgetExceeded: the steps are used up.
        """
        if len(chosen) + len(open_) >= len(self.best):
            return
        if not open_:
            self.best = dict(chosen)
            return
        row = min(open_, key=lambda row: len(self._choices_for(row)))
        others = [other for other in open_ if other != row]
        for instance in self._choices_for(row):
            self.budget.spend(1)
            if self._depends_on(chosen, instance.body, row):
                continue
            fresh = [
                premise
                for premise in dict.fromkeys(instance.body)
                if premise not in self.leaves and premise not in chosen and premise not in others
            ]
            chosen[row] = instance
            self.complete(chosen, others + fresh)
            del chosen[row]

    def _choices_for(self, row: int) -> list[RuleInstance]:
        known = self._choices.get(row)
        if known is None:
            known = self._choices[row] = [
                instance
                for instance in self.instances.by_head.get(row, ())
                if all(premise in self.derivable for premise in instance.body)
            ]
            if len(known) > 1:
                known.sort(key=self.instances.rank_of)
        return known

    def _depends_on(self, chosen: Derivation, body: Iterable[int], row: int) -> bool:
        """Return True if a row of `body` is `row`, or depends on it through the chosen instances."""
        waiting, seen = list(body), set(body)
        while waiting:
            at = waiting.pop()
            if at == row:
                return True
            instance = chosen.get(at)
            for premise in () if instance is None else instance.body:
                if premise not in seen:
                    seen.add(premise)
                    waiting.append(premise)
        return False
