"""What a repair removed and why, in lines for people."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from rdflib import RDF

from pantarhei.language.shown import NO_NAMES, ShownNames, told_apart
from pantarhei.language.term import Triple, short
from pantarhei.language.time import TimePoint
from pantarhei.streams.write import time_text

if TYPE_CHECKING:
    import pantarhei as pr

_CONFLICTS_LOOKED_AT = 1000


def cut_lines(repair: pr.Repair, names: ShownNames = NO_NAMES) -> list[str]:
    """The facts that the repair removed, with their timestamps and the newest conflict that each was in."""
    return told_apart(lambda: list(_cut_lines(repair)), names)


def assertion_texts(
    assertions: Iterable[tuple[TimePoint, Triple]], names: ShownNames = NO_NAMES
) -> list[str]:
    """The facts with their timestamps, for people; in order."""
    given = tuple(assertions)
    return told_apart(lambda: sorted(map(_assertion_text, given)), names)


def _cut_lines(repair: pr.Repair) -> Iterator[str]:
    times: dict[Triple, list[TimePoint]] = {}
    for at, triple in repair.removed:
        times.setdefault(triple, []).append(at)
    reasons = _reasons(repair, times) if times else {}
    for text, triple in sorted((fact_text(triple), triple) for triple in times):
        when = ", ".join(map(time_text, sorted(times[triple])))
        yield f"removed {text} at {when}{reasons.get(triple, '')}"


def _reasons(repair: pr.Repair, removed: Collection[Triple]) -> dict[Triple, str]:
    """Why each fact was removed: of the conflicts it was in, the one whose other facts are newest; of those
    that are equally new the first as they read, since the order of conflicts is not fixed.
    """
    best: dict[Triple, tuple[list[TimePoint], str]] = {}
    for conflict in islice(repair.conflicts, _CONFLICTS_LOOKED_AT):
        for _, triple in conflict.assertions:
            if triple not in removed:
                continue
            others = [assertion for assertion in conflict.assertions if assertion[1] != triple]
            age = sorted(at for at, _ in others)
            newest, text = best.get(triple, ([], ""))
            if triple in best and age < newest:
                continue
            reason = _reason(others, conflict.constraints)
            if triple not in best or age > newest or reason < text:
                best[triple] = (age, reason)
    return {triple: reason for triple, (_, reason) in best.items()}


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
