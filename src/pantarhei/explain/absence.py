"""Why a triple does not hold: what is missing, what became of it, what contradicts it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pantarhei.language.rule import Rule, names_of
from pantarhei.language.shown import told_apart
from pantarhei.language.term import Term, Triple, short
from pantarhei.language.time import TimePoint, show_time
from pantarhei.proofs.proof import Proof
from pantarhei.rdf.pickling import exactly
from pantarhei.repair.result import Conflict


@dataclass(frozen=True, slots=True)
class Gone:
    """What became of an assertion that is not in the window any more.

    Args:
        asserted_at: its timestamp.
        left_at: the time at which its timestamp left the window; None if a repair took it out before.
        removed_at: the timestamp of the ABox whose repair took it out; None if none did.
        conflicts: the contradictions that it was in then.
        left_early: it left before its time, because of `max_facts` or `max_bytes`.
    """

    asserted_at: TimePoint
    left_at: TimePoint | None = None
    removed_at: TimePoint | None = None
    conflicts: tuple[Conflict, ...] = ()
    left_early: bool = False


@dataclass(frozen=True, slots=True)
class MissingFact:
    """A triple that is not in the window.

    Args:
        triple: the triple.
        gone: what became of its assertions, as far as is remembered, newest first; none if it was never
            asserted.
    """

    triple: Triple
    gone: tuple[Gone, ...] = ()


@dataclass(frozen=True, slots=True)
class WouldHold:
    """One way in which the triple would hold: with these facts, and without any part of them not.

    Args:
        missing: the facts, in order; a new name in them stands for anything.
        proof: how the triple follows with them; in it they are supposed, at the newest timestamp.
        present: the facts of the window that the proof uses next to them, in order.
        is_contradicted: a repair would not leave all as it is.
        conflicts: what contradicts what then; the first few, none where there are too many to find.
    """

    missing: tuple[MissingFact, ...]
    proof: Proof
    present: tuple[Triple, ...]
    is_contradicted: bool = False
    conflicts: tuple[Conflict, ...] = ()

    @property
    def triples(self) -> frozenset[Triple]:
        """The missing triples."""
        return frozenset(each.triple for each in self.missing)

    @property
    def rule(self) -> Rule:
        """The rule that would conclude the triple."""
        rule = self.proof.steps[-1].rule
        assert rule is not None, "the triple itself is not assumed"
        return rule


@dataclass(frozen=True, slots=True)
class UnknownName:
    """A name that neither ontology nor background nor stream uses.

    Args:
        name: the name.
        kind: what it would be: "class", "property" or "name".
        nearest: known names of that kind that look like it, the nearest first.
    """

    name: Term
    kind: str
    nearest: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Absence:
    """Why a triple does not hold at a time.

    Args:
        triple: the triple.
        at: the time; None where none has passed.
        gone: what became of it where it was asserted itself, newest first.
        ways: the ways in which it would hold: those with the fewest missing facts first, of these the ones
            with the most facts present.
        concluded: whether some rule concludes such triples.
        asserted: whether the stream asserts such triples.
        unknown: its names that nobody knows.
        complete: whether all was looked at; if not, there may be further ways.
    """

    triple: Triple
    at: TimePoint | None
    gone: tuple[Gone, ...] = ()
    ways: tuple[WouldHold, ...] = ()
    concluded: bool = False
    asserted: bool = False
    unknown: tuple[UnknownName, ...] = ()
    complete: bool = True

    @property
    def missing(self) -> tuple[frozenset[Triple], ...]:
        """The missing triples of each way."""
        return tuple(way.triples for way in self.ways)

    def __str__(self) -> str:
        return told_apart(lambda: "\n".join(_lines(self)), names_of(way.rule for way in self.ways))

    def __reduce__(self) -> tuple[Any, ...]:
        fields = self.triple, self.at, self.gone, self.ways, self.concluded, self.asserted, self.unknown
        return exactly(Absence, *fields, self.complete)


def _lines(absence: Absence) -> Iterator[str]:
    when = "" if absence.at is None else f" at {show_time(absence.at)}"
    yield f"{_text(absence.triple)} does not hold{when}."
    for unknown in absence.unknown:
        nearest = f"; did you mean {' or '.join(map(short, unknown.nearest))}?" if unknown.nearest else ""
        yield f"Nothing is known of the {unknown.kind} {short(unknown.name)}{nearest}"
    for gone in absence.gone:
        yield f"It was {_gone_text(gone)}."
        yield from _conflict_lines(gone.conflicts, "  ")
    if not absence.concluded:
        yield "No rule concludes it."
    elif not absence.ways and not absence.unknown:
        yield "No rule concludes it from what the stream asserts."
    for number, way in enumerate(absence.ways, 1):
        yield from _way_lines(number, way)
    if not absence.complete:
        yield "There may be further ways: not all was looked at."


def _way_lines(number: int, way: WouldHold) -> Iterator[str]:
    yield f"{number}. It would hold by {way.rule.name}, {way.rule.axiom}, with"
    for each in way.missing:
        fate = "".join(f"; it was {_gone_text(gone)}" for gone in each.gone[:1])
        yield f"   missing: {_text(each.triple)}{fate}"
        for gone in each.gone[:1]:
            yield from _conflict_lines(gone.conflicts, "     ")
    yield from (f"   present: {_text(triple)}" for triple in way.present)
    for conflict in way.conflicts:
        yield f"   but that contradicts: {conflict}"


def _gone_text(gone: Gone) -> str:
    asserted = f"asserted at {show_time(gone.asserted_at)}"
    if gone.removed_at is not None:
        return f"{asserted} and removed at {show_time(gone.removed_at)} by a repair"
    if gone.left_at is None:
        return asserted
    early = " early, because of the limits," if gone.left_early else ""
    return f"{asserted}, which left the window{early} at {show_time(gone.left_at)}"


def _conflict_lines(conflicts: tuple[Conflict, ...], indent: str) -> Iterator[str]:
    for conflict in conflicts[:3]:
        yield f"{indent}{conflict}"
        for proof in conflict.proofs[:1]:
            yield from (f"{indent}  {line}" for line in proof.lines())


def _text(triple: Triple) -> str:
    return " ".join(map(short, triple))
