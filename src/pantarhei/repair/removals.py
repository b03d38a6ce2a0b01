"""Facts that a repair removed, each with the conflict that explains its removal."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from typing import NamedTuple

from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint
from pantarhei.proofs.step import Assertion
from pantarhei.rdf.ntriples import write_triple
from pantarhei.repair.result import Conflict, Repair

_INSPECTED_CONFLICTS = 1000


class RemovedFact(NamedTuple):
    """Fact that a repair removed.

    Args:
        triple: the fact.
        times: the timestamps at which it was asserted, ascending.
        conflict: the conflict with the newest other facts; None if none is recorded.
    """

    triple: Triple
    times: tuple[TimePoint, ...]
    conflict: Conflict | None

    @property
    def others(self) -> tuple[Assertion, ...]:
        """The assertions of the conflict about other facts, oldest first; empty if the fact contradicts the
        background.
        """
        return () if self.conflict is None else other_assertions(self.conflict, self.triple)


def other_assertions(conflict: Conflict, triple: Triple) -> tuple[Assertion, ...]:
    """Return the assertions of a conflict about other facts than `triple`, oldest first."""
    others = (assertion for assertion in conflict.assertions if assertion[1] != triple)
    return tuple(sorted(others, key=lambda each: (each[0], write_triple(each[1]))))


def removed_facts(repair: Repair) -> list[RemovedFact]:
    """Return the removed facts in the order of their texts in N-Triples.

    Costs linear time in the removed assertions and the inspected conflicts, at most a thousand. Of a fact's
    conflicts the one with the newest other facts is chosen, among equally new ones the first by its text, so
    that the result does not depend on their order.
    """
    times: dict[Triple, list[TimePoint]] = {}
    for at, triple in repair.removed:
        times.setdefault(triple, []).append(at)
    why = _conflicts(repair, times) if times else {}
    return [
        RemovedFact(triple, tuple(sorted(times[triple])), why.get(triple))
        for triple in sorted(times, key=write_triple)
    ]


def _conflicts(repair: Repair, removed: Collection[Triple]) -> dict[Triple, Conflict]:
    """Return for each removed fact the conflict that explains its removal."""
    best: dict[Triple, tuple[list[TimePoint], str, Conflict]] = {}
    for conflict in islice(repair.conflicts, _INSPECTED_CONFLICTS):
        for triple in {triple for _, triple in conflict.assertions if triple in removed}:
            others = other_assertions(conflict, triple)
            age = [at for at, _ in others]
            newest, text, _ = best.get(triple, ([], "", conflict))
            if triple in best and age < newest:
                continue
            facts = " ".join(write_triple(fact) for _, fact in others)
            reason = f"{facts} {' '.join(rule.axiom for rule in conflict.constraints)}"
            if triple not in best or age > newest or reason < text:
                best[triple] = (age, reason, conflict)
    return {triple: conflict for triple, (_, _, conflict) in best.items()}
