"""Cuts: the assertions that a repair removes.

The exact cut consists of the assertions that some maximal consistent subset of the window lacks, where newer
assertions have priority (PB26 Def. 6 and 7). Levels are decided newest first, with closures of Horn rules
(`materialize.kernel.horn`). A fact is IN if all maximal subsets contain it, OUT if none does, and OPEN if
facts of one timestamp contradict each other and the choice between them may matter for older ones. If all
conflicts of open facts are pairs, the pair rule decides them; otherwise the choices are searched, each by its
closure. docs/semantics.md has the algorithm and its proof.

The cuts of `repair="grounded"` and `repair="algorithm3"` are computed from conflict sets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NONE, Integers
from pantarhei.materialize.kernel.constants import OPEN, OUT
from pantarhei.materialize.kernel_values import Lineage, contiguous
from pantarhei.proofs.supports import BudgetExceeded, RowSet, StepBudget, minimal_sets, minimal_supports
from pantarhei.repair.conflict import Budget, OpenGroup, OpenRules, Rank, decision_of

Method = Literal["exact", "grounded", "algorithm3", "off"]
METHODS: tuple[Method, ...] = ("exact", "grounded", "algorithm3", "off")


@dataclass(frozen=True, slots=True)
class Grounded:
    """Decisions of the grounded fixpoint: members of conflict sets that are kept, removed and undecided."""

    in_: RowSet
    out: RowSet
    undecided: RowSet


def grounded(conflicts: Sequence[RowSet], times: Mapping[int, int]) -> Grounded:
    """Compute the grounded fixpoint: a subset of the exact decisions, usually all of them.

    *e is out* if some conflict set has all its other members in, and none of them is older than e. *e is in*
    if each conflict set with e contains a member older than e or a member that is out. Costs linear time in
    the total size of the conflict sets.
    """
    oldest = [
        {e for e in conflict if times[e] == min(map(times.__getitem__, conflict))} for conflict in conflicts
    ]
    of: dict[int, list[int]] = defaultdict(list)
    threats: dict[
        int, int
    ] = {}  # number of conflicts in which e is among the oldest members and no member is out
    for number, conflict in enumerate(conflicts):
        for e in conflict:
            of[e].append(number)
            threats[e] = threats.get(e, 0) + (e in oldest[number])
    not_in = [len(conflict) for conflict in conflicts]
    settled = [False] * len(conflicts)
    in_: set[int] = set()
    out = {e for conflict in conflicts if len(conflict) == 1 for e in conflict}
    queue = [e for e, count in threats.items() if not count]
    in_.update(queue)
    queue += sorted(out)
    while queue:
        e = queue.pop()
        for number in of[e]:
            if settled[number]:
                continue
            if e in in_:
                not_in[number] -= 1
                if not_in[number] == 1:
                    (last,) = conflicts[number] - in_
                    if last in oldest[number] and last not in out:
                        out.add(last)
                        queue.append(last)
            else:
                settled[number] = True
                for other in oldest[number]:
                    threats[other] -= 1
                    if not threats[other] and other not in in_ and other not in out:
                        in_.add(other)
                        queue.append(other)
    return Grounded(frozenset(in_), frozenset(out), frozenset(threats) - in_ - out)


def algorithm3(conflicts: Sequence[RowSet], times: Mapping[int, int]) -> RowSet:
    """Return the set that PB26's Algorithm 3 removes; it is not the exact cut (docs/semantics.md)."""
    oldest = {c: frozenset(e for e in c if times[e] == min(map(times.__getitem__, c))) for c in conflicts}
    waiting = list(conflicts)
    singles: set[int] = set()
    groups: set[RowSet] = set()
    while waiting:
        newest = max(times[next(iter(oldest[c]))] for c in waiting)
        recent = [c for c in waiting if times[next(iter(oldest[c]))] == newest]
        for c in recent:
            if len(oldest[c]) == 1:
                singles |= oldest[c]
        waiting = [c for c in waiting if not c & singles]
        groups.update(oldest[c] for c in recent if not any(oldest[d] < oldest[c] for d in recent))
        waiting = [c for c in waiting if not any(group <= c for group in groups)]
    return frozenset(singles).union(*groups)


# Maximum steps of all searches of a repair, as a multiple of those of one search.
_SEARCHES = 100

_NOTHING = np.empty(0, np.intp)
_CUT, _SEARCH = 1, 2  # values in the result of `Residue.settle`


class Cut(NamedTuple):
    """Removed facts, as ascending rows of a lineage.

    Args:
        places: rows of all removed facts.
        undecided: rows of facts that are removed because a limit left them undecided.
    """

    places: npt.NDArray[np.intp]
    undecided: npt.NDArray[np.intp]


def exact_cut(lineage: Lineage, budget: Budget, rank: Rank) -> Cut:
    """Return the exact cut of the facts in a lineage. Costs linear time, and the search in groups of open
    facts.

    Args:
        lineage: the lineage of the violations in the window.
        budget: limits of the search.
        rank: sort keys of facts, so that a limit ends a search independently of the numbers of terms.
    """
    places = np.flatnonzero(lineage.asserted)
    order = places[np.argsort(lineage.assertion_levels[places], kind="stable")[::-1]]
    levels = lineage.assertion_levels[order]
    starts = np.concatenate([[0], np.flatnonzero(levels[1:] != levels[:-1]) + 1, [len(order)]])
    decision = decision_of(lineage, budget)
    opened = decision.decide_by_levels(contiguous(order), contiguous(starts))
    status = decision.statuses()
    is_cut = status == OUT
    undecided = np.flatnonzero(lineage.is_below_floor) if lineage.cut_short else _NOTHING
    if opened:
        lacking, lost = _settled(lineage, decision, status, budget, rank)
        is_cut[lacking] = True
        undecided = np.sort(np.concatenate([undecided, lost]))
    is_cut[undecided] = True
    return Cut(np.flatnonzero(is_cut), undecided)


def _settled(
    lineage: Lineage, decision: Any, status: npt.NDArray[np.uint8], budget: Budget, rank: Rank
) -> tuple[Integers, Integers]:
    """Return the rows of open facts that some maximal subset lacks, and of facts beyond the budget."""
    places, *columns = decision.residue()
    levels = np.where(status[places] == OPEN, lineage.assertion_levels[places], NONE)
    rules = OpenRules(levels, *columns)
    residue = rules.residue()
    if not decision.is_complete:
        # the pair rule is unsound for untested atoms, which may be contradictory by themselves
        residue.join(contiguous(np.flatnonzero(decision.are_untested()[places])))
    settled = np.asarray(residue.settle())
    cut = places[settled == _CUT]
    if not np.any(settled == _SEARCH):
        return cut, cut[:0]
    # renumber the atoms of searched groups, so that the search does not depend on the numbers of terms
    leaders = residue.leaders()
    is_searched = np.zeros(len(places), np.bool_)
    is_searched[leaders[settled == _SEARCH]] = True
    chosen = is_searched[leaders]
    searched = np.flatnonzero(chosen)
    keys = rank(lineage.facts[places[searched]])
    in_order = searched[sorted(range(len(searched)), key=keys.__getitem__)]
    order = np.concatenate([in_order, np.flatnonzero(~chosen)])
    rules, places = rules.reordered(order), places[order]
    lacking, lost = _search(rules.groups(chosen[order], leaders[order]), rules.levels, budget)
    return np.concatenate([cut, places[sorted(lacking)]]), places[sorted(lost)]


def _search(
    groups: Iterable[OpenGroup], levels: npt.NDArray[np.int64], budget: Budget
) -> tuple[set[int], set[int]]:
    """Return the atoms that some maximal subset lacks, and the atoms beyond the budget."""
    lacking, lost = set[int](), set[int]()
    left = _SEARCHES * budget.steps
    for group in groups:
        meter = StepBudget(budget.sets, min(budget.steps, left))
        times = {atom: int(levels[atom]) for atom in group.asserted}
        found, undecided = _SubsetSearch(group, times, meter).run()
        lacking |= found
        lost |= undecided
        left -= min(budget.steps, left) - max(meter.steps, 0)
    return lacking, lost


class _SubsetSearch:
    """Search for the maximal consistent subsets of one group, level by level from the newest, by their
    closures.
    """

    def __init__(self, group: OpenGroup, times: Mapping[int, int], meter: StepBudget) -> None:
        self.rules: list[tuple[int | None, tuple[int, ...]]] = [
            *sorted(group.instances),
            *((None, body) for body in sorted({body for _, body in group.violations})),
        ]
        self.meter, self.sets = meter, meter.sets
        self.at: dict[int, list[int]] = defaultdict(list)
        for atom in group.asserted:
            self.at[times[atom]].append(atom)
        self.uses: dict[int, list[int]] = defaultdict(list)
        for number, (_, body) in enumerate(self.rules):
            for atom in body:
                self.uses[atom].append(number)

    def run(self) -> tuple[set[int], set[int]]:
        """Return the atoms that some maximal subset lacks, and the atoms beyond the budget."""
        states: set[RowSet] = {
            frozenset()
        }  # closures of the kept atoms, restricted to atoms that older ones meet
        lacking: set[int] = set()
        ladder = sorted(self.at, reverse=True)
        met_from = self._met_from(ladder)
        for rung, time in enumerate(ladder):
            is_last = rung == len(ladder) - 1
            try:
                found, states = self._level(states, self.at[time], is_last, rung, met_from)
            except BudgetExceeded:
                return lacking, {atom for then in ladder[rung:] for atom in self.at[then]}
            lacking |= found
        return lacking, set()

    def _level(
        self, states: set[RowSet], level: list[int], is_last: bool, rung: int, met_from: Mapping[int, int]
    ) -> tuple[set[int], set[RowSet]]:
        """Return the atoms of a level that some maximal subset lacks, and the states after the level."""
        lacking: set[int] = set()
        following: set[RowSet] = set()
        for known in sorted(states, key=sorted) if len(states) > 1 else states:
            sets = self._conflicts(known, level)
            lacking.update(*sets)
            if is_last:
                continue
            for hit in self._minimal_hitting_sets(sets):
                kept = self._closed(known, [atom for atom in level if atom not in hit])
                following.add(frozenset([atom for atom in kept if met_from.get(atom, 0) > rung]))
                self.meter.spend(1)
        return lacking, following

    def _met_from(self, ladder: Sequence[int]) -> dict[int, int]:
        """Return, for each atom, the last step of the ladder whose consequences share a rule body with the
        atom.

        Args:
            ladder: the levels, newest first; a step is an index into it.
        """
        found: dict[int, int] = {}
        reached: set[int] = set()
        for rung in range(len(ladder) - 1, 0, -1):
            waiting = [atom for atom in self.at[ladder[rung]] if atom not in reached]
            reached.update(waiting)
            while waiting:
                for number in self.uses[waiting.pop()]:
                    head, body = self.rules[number]
                    for atom in body:
                        found.setdefault(atom, rung)
                    if head is not None and head not in reached:
                        reached.add(head)
                        waiting.append(head)
        return found

    def _closed(self, known: Iterable[int], added: Iterable[int]) -> RowSet:
        """Return `known` with `added` and its consequences."""
        found = set(known)
        waiting = [atom for atom in added if atom not in found]
        found.update(waiting)
        while waiting:
            atom = waiting.pop()
            self.meter.spend(len(self.uses[atom]) + 1)
            for number in self.uses[atom]:
                head, body = self.rules[number]
                if head is not None and head not in found and found.issuperset(body):
                    found.add(head)
                    waiting.append(head)
        return frozenset(found)

    def _conflicts(self, known: RowSet, level: list[int]) -> list[RowSet]:
        """Return the minimal sets of atoms of a level that are inconsistent with the known atoms."""
        free = [atom for atom in level if atom not in known]
        self.meter.sets = self.sets  # the sets of the previous state are no longer stored
        reached = self._closed(known, free)
        numbers = {number for atom in reached - known for number in self.uses[atom]}
        self.meter.spend(len(numbers))
        fired = (self.rules[number] for number in sorted(numbers))
        rules = [
            (head, tuple(atom for atom in body if atom not in known))
            for head, body in fired
            if (head is None or head not in known) and reached.issuperset(body)
        ]
        goals = [body for head, body in rules if head is None]
        if not goals:
            return []
        supports = minimal_supports(
            free, [(head, body) for head, body in rules if head is not None], self.meter
        )
        found = {
            support
            for body in goals
            for support in self.meter.unions(frozenset(), [supports[atom] for atom in body])
        }
        return minimal_sets(found, self.meter.spend)

    def _minimal_hitting_sets(self, sets: list[RowSet]) -> list[RowSet]:
        """Return the minimal sets that intersect each of `sets` (Berge's algorithm)."""
        hitting: list[RowSet] = [frozenset()]
        for one in sets:
            self.meter.spend(len(hitting) * len(one))
            hitting = minimal_sets(
                (h if h & one else h | {e} for h in hitting for e in (one if not h & one else (0,))),
                self.meter.spend,
            )
        return hitting
