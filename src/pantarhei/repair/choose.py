"""The cut of `repair="grounded"` and `repair="algorithm3"`, from conflict sets whose members have times."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pantarhei.proofs.antichain import Set

Method = Literal["exact", "grounded", "algorithm3", "off"]
METHODS: tuple[Method, ...] = ("exact", "grounded", "algorithm3", "off")


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
    out = {e for conflict in conflicts if len(conflict) == 1 for e in conflict}
    news = [e for e, count in threats.items() if not count]
    in_.update(news)
    news += sorted(out)
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
