"""What a repair removed and why, in lines for people."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from rdflib import RDF

from pantarhei.io.write import time_text
from pantarhei.model.display_names import NO_NAMES, ShownNames, told_apart
from pantarhei.model.term import Triple, short
from pantarhei.model.time import TimePoint

if TYPE_CHECKING:
    import pantarhei as pr

_CONFLICTS_LOOKED_AT = 1000
_MOST_LINES = 40


class Chains:
    """Tells how contradictions follow where a removal alone does not say it; each kind once."""

    def __init__(self) -> None:
        self._told: set[tuple[str, ...]] = set()

    def lines(self, conflict: pr.Conflict) -> list[str]:
        """The derivation of ⊥ on all sides; nothing where the constraint is about the assertions themselves,
        or if the same was told of other facts.
        """
        kinds = sorted(str(triple[2 if triple[1] == RDF.type else 1]) for _, triple in conflict.assertions)
        key = (*kinds, *(rule.axiom for rule in conflict.constraints))
        if key in self._told:
            return []
        self._told.add(key)
        return [line for proof in conflict.proofs if _is_derived(proof) for line in _whole(proof)]


def _is_derived(proof: pr.Proof) -> bool:
    return any(step.rule is not None for step in proof.steps[:-1])


def _whole(proof: pr.Proof) -> list[str]:
    lines = str(proof).splitlines()
    left_out = len(lines) - _MOST_LINES
    return [*lines[:_MOST_LINES], f"… and {left_out} more lines"] if left_out > 0 else lines


def cut_lines(repair: pr.Repair, names: ShownNames = NO_NAMES, chains: Chains | None = None) -> list[str]:
    """The facts that the repair removed, with their timestamps and the newest conflict that each was in.

    Args:
        chains: tells how these contradictions follow, in lines of their own.
    """
    return told_apart(lambda: list(_cut_lines(repair, chains)), names)


def assertion_texts(
    assertions: Iterable[tuple[TimePoint, Triple]], names: ShownNames = NO_NAMES
) -> list[str]:
    """The facts with their timestamps, for people; in order."""
    given = tuple(assertions)
    return told_apart(lambda: sorted(map(_assertion_text, given)), names)


def _cut_lines(repair: pr.Repair, chains: Chains | None) -> Iterator[str]:
    times: dict[Triple, list[TimePoint]] = {}
    for at, triple in repair.removed:
        times.setdefault(triple, []).append(at)
    why = reasons(repair, times) if times else {}
    for text, triple in sorted((fact_text(triple), triple) for triple in times):
        when = ", ".join(map(time_text, sorted(times[triple])))
        reason, conflict = why.get(triple, ("", None))
        yield f"removed {text} at {when}{reason}"
        if chains is not None and conflict is not None:
            yield from (f"    {line}" for line in chains.lines(conflict))


def reasons(repair: pr.Repair, removed: Collection[Triple]) -> dict[Triple, tuple[str, pr.Conflict]]:
    """Why each fact was removed: of the conflicts it was in, the one whose other facts are newest; of those
    that are equally new the first as they read, since the order of conflicts is not fixed.
    """
    best: dict[Triple, tuple[list[TimePoint], str, pr.Conflict]] = {}
    for conflict in islice(repair.conflicts, _CONFLICTS_LOOKED_AT):
        for _, triple in conflict.assertions:
            if triple not in removed:
                continue
            others = [assertion for assertion in conflict.assertions if assertion[1] != triple]
            age = sorted(at for at, _ in others)
            newest, text, _ = best.get(triple, ([], "", None))
            if triple in best and age < newest:
                continue
            reason = _reason(others, conflict.constraints)
            if triple not in best or age > newest or reason < text:
                best[triple] = (age, reason, conflict)
    return {triple: (reason, conflict) for triple, (_, reason, conflict) in best.items()}


def _reason(others: Iterable[tuple[TimePoint, Triple]], constraints: Iterable[pr.Rule]) -> str:
    """Who contradicts, and by which axiom."""
    facts = " and ".join(assertion_texts(others)) or "itself or the background"
    axioms = " and ".join(dict.fromkeys(rule.axiom for rule in constraints))
    return f", contradicted by {facts}: {axioms}"


def _assertion_text(assertion: tuple[TimePoint, Triple]) -> str:
    """The fact and its timestamp, for people."""
    at, triple = assertion
    return f"{fact_text(triple)} at {time_text(at)}"


def fact_text(triple: Triple) -> str:
    """`Class(x)` or `property(x, y)`, for people.

    >>> from rdflib import URIRef
    >>> fact_text((URIRef("urn:x#belt"), RDF.type, URIRef("urn:x#Stopped")))
    'Stopped(belt)'
    """
    subject, predicate, object_ = triple
    if predicate == RDF.type:
        return f"{short(object_)}({short(subject)})"
    return f"{short(predicate)}({short(subject)}, {short(object_)})"
