"""Which assertions go: the cut, from conflict sets whose members have times.

Order sets of assertions newest first (PB26 Def. 6). The cut of the *exact* repair is what some maximal subset
without a conflict lacks; a subset is maximal exactly if at each time, newest first, it adds a maximal part
that is consistent with its newer ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pantarhei.graphs.groups import grouped
from pantarhei.proofs.antichain import Exceeded, Meter, Set, minimal
from pantarhei.repair.component import Allowance
from pantarhei.repair.conflict import Budget

Method = Literal["exact", "grounded", "algorithm3", "off"]
METHODS: tuple[Method, ...] = ("exact", "grounded", "algorithm3", "off")


@dataclass(frozen=True, slots=True)
class Choice:
    """What is cut, and which of it only because a decision was out of reach."""

    cut: Set
    undecided: Set = frozenset()


def choose(conflicts: Sequence[Set], times: Mapping[int, int], method: Method, budget: Budget) -> Choice:
    """The cut for `conflicts`, each a minimal set of members timed by `times`.

    >>> times = {1: 10, 2: 10, 3: 20}
    >>> choose([frozenset({1, 3})], times, "exact", Budget()).cut
    frozenset({1})
    """
    if method == "off" or not conflicts:
        return Choice(frozenset())
    if method == "algorithm3":
        return Choice(algorithm3(conflicts, times))
    state = grounded(conflicts, times)
    if method == "grounded" or not state.undecided:
        return Choice(state.out | state.undecided, state.undecided)
    cut, undecided = set(state.out), set[int]()
    left = [conflict - state.in_ for conflict in conflicts if not conflict & state.out]
    allowance = Allowance(budget.sets, budget.steps)
    for component, meter in allowance.metered(grouped(left, iter), lambda sets: sum(map(len, sets))):
        search = _CutSearch(component, times, meter)
        search.run()
        cut |= search.lacking
        undecided |= search.undecided
    return Choice(frozenset(cut | undecided), frozenset(undecided))


@dataclass(frozen=True, slots=True)
class Grounded:
    """A partition of the members of conflicts."""

    in_: Set
    out: Set
    undecided: Set


def grounded(conflicts: Sequence[Set], times: Mapping[int, int]) -> Grounded:
    """The grounded fixpoint: a subset of the exact answer, and mostly all of it. Costs the total size of the
    conflicts.

    *e is out* if some conflict has all its other members in and none of them older than e. *e is in* if each
    conflict of e contains a member older than e or a member that is out.
    """
    oldest = [
        {e for e in conflict if times[e] == min(map(times.__getitem__, conflict))} for conflict in conflicts
    ]
    of: dict[int, list[int]] = defaultdict(list)
    threats: dict[int, int] = {}  # conflicts in which e is among the oldest and nobody is out
    for number, conflict in enumerate(conflicts):
        for e in conflict:
            of[e].append(number)
            threats[e] = threats.get(e, 0) + (e in oldest[number])
    not_in = [len(conflict) for conflict in conflicts]
    settled = [False] * len(conflicts)
    in_: set[int] = set()
    out: set[int] = set()
    news = [e for e, count in threats.items() if not count]
    in_.update(news)
    while news:
        e = news.pop()
        for number in of[e]:
            if settled[number]:
                continue
            if e in in_:
                not_in[number] -= 1
                if not_in[number] == 1:
                    (last,) = conflicts[number] - in_
                    if last in oldest[number] and last not in out:
                        out.add(last)
                        news.append(last)
            else:
                settled[number] = True
                for other in oldest[number]:
                    threats[other] -= 1
                    if not threats[other] and other not in in_ and other not in out:
                        in_.add(other)
                        news.append(other)
    return Grounded(frozenset(in_), frozenset(out), frozenset(threats) - in_ - out)


def algorithm3(conflicts: Sequence[Set], times: Mapping[int, int]) -> Set:
    """The set that PB26's Algorithm 3 removes. It is not the exact cut; see the docs' page on semantics."""
    oldest = {c: frozenset(e for e in c if times[e] == min(map(times.__getitem__, c))) for c in conflicts}
    waiting = list(conflicts)
    singles: set[int] = set()
    groups: set[Set] = set()
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


class _CutSearch:
    """All maximal subsets of one component, time by time from the newest: what some of them lacks.

    What is kept at a time depends on newer times only, so an answer for a time never waits for older ones.
    """

    def __init__(self, conflicts: Sequence[Set], times: Mapping[int, int], meter: Meter) -> None:
        self.members = frozenset().union(*conflicts)
        self.at: dict[int, Set] = {
            time: frozenset(e for e in self.members if times[e] == time)
            for time in {times[e] for e in self.members}
        }
        self.ladder = sorted(self.at, reverse=True)
        self.decided_at: dict[int, list[tuple[Set, Set]]] = defaultdict(
            list
        )  # time -> (members then, newer members)
        for conflict in conflicts:
            time = min(times[e] for e in conflict)
            then = conflict & self.at[time]
            self.decided_at[time].append((then, conflict - then))
        self.meter = meter
        self.lacking: Set = frozenset()
        self.undecided: Set = frozenset()

    def run(self) -> None:
        """Fill `lacking` with what some maximal subset lacks, `undecided` with what took too long."""
        states: set[Set] = {frozenset()}  # kept so far, as far as it matters for what is older
        for rung, time in enumerate(self.ladder):
            matters = frozenset().union(
                *(newer for older in self.ladder[rung + 1 :] for _, newer in self.decided_at[older])
            )
            following: set[Set] = set()
            lacking: set[int] = set()
            try:
                for kept in states:
                    active = [then for then, newer in self.decided_at[time] if newer <= kept]
                    for hit in self._minimal_hitting_sets(minimal(active, self.meter.spend)):
                        lacking |= hit
                        following.add((kept | (self.at[time] - hit)) & matters)
                        self.meter.spend(1)
            except Exceeded:
                self.undecided = self.members - self.lacking - self._decided_before(rung)
                return
            self.lacking |= lacking
            states = following

    def _decided_before(self, rung: int) -> Set:
        return frozenset().union(*(self.at[time] for time in self.ladder[:rung]))

    def _minimal_hitting_sets(self, sets: Sequence[Set]) -> list[Set]:
        """The minimal sets that meet each of `sets` (Berge's algorithm)."""
        hitting: list[Set] = [frozenset()]
        for one in sets:
            self.meter.spend(len(hitting) * len(one))
            hitting = minimal(
                (h if h & one else h | {e} for h in hitting for e in (one if not h & one else (0,))),
                self.meter.spend,
            )
        return hitting
