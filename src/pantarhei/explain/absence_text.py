"""Absences as sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from pantarhei.errors.queries import doubt_of
from pantarhei.model.display_names import told_apart
from pantarhei.model.rule import names_of
from pantarhei.model.temporal_rule import Mode
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimePoint
from pantarhei.proofs.sentences import fit, name, sentence
from pantarhei.proofs.shown_times import ShownTimes
from pantarhei.proofs.temporal import Condition, NotConcluded
from pantarhei.proofs.text import tree_of

if TYPE_CHECKING:
    from pantarhei.explain.absence import Absence, Gone, MissingFact, UnknownName, WouldHold
    from pantarhei.repair.result import Conflict

# So many names are told that would do as well, and so many conflicts of each assertion that is gone.
_MOST_NAMES = 5
_MOST_CONFLICTS = 2


def text_of(absence: Absence) -> str:
    """What does not hold; what became of it; what it would hold with."""
    rules = (rule for way in (*absence.ways, *absence.beyond) for rule in way.proof.rules)
    return told_apart(lambda: "\n".join(_Telling(absence).lines()), names_of(rules))


class _Telling:
    """The words for an absence."""

    def __init__(self, absence: Absence) -> None:
        self.absence, self.labels = absence, absence.labels
        self.times = ShownTimes.of(_times_of(absence))

    def lines(self) -> Iterator[str]:
        absence = self.absence
        when = "" if absence.at is None else f" {self.times.span([absence.at])}"
        if absence.entailed:
            yield f"The ontology entails that {absence.said(self.labels)}; a window has facts alone."
            yield from map(self.unknown, absence.unknown)
            return
        it = "As far as the rules derive, it" if absence.lost else "It"
        yield f"{it} does not hold{when} that {absence.said(self.labels)}."
        if absence.lost:
            yield f"{doubt_of(absence.lost)}."
        yield from map(self.unknown, absence.unknown)
        for gone in absence.gone:
            yield f"It was {self.gone(gone)}."
            yield from self.conflicts(gone.conflicts, "  ")
        for each in absence.temporal:
            yield from self.not_concluded(each)
        yield from self.ways(absence.ways, "It would hold with")
        if absence.beyond:
            yield "From what the stream asserts it cannot follow."
            yield from self.ways(absence.beyond, "It would hold if it were given")
        if not (absence.ways or absence.beyond or absence.temporal):
            yield self.nothing()
        elif not absence.complete:
            yield "Not everything was looked at: there may be further ways."

    def nothing(self) -> str:
        """What is said where no way is known."""
        if not self.absence.complete:
            return "No way was found in which it would hold. Not everything was looked at: there may be one."
        if self.absence.concluded:
            return "Nothing that could be added would make it follow."
        if not self.absence.asserted:
            return "No rule concludes it, and the stream asserts no such facts."
        if self.absence.gone:
            return "No rule concludes it: it holds where the stream asserts it."
        return "No rule concludes it. The stream asserts such facts, and has not asserted this one."

    def not_concluded(self, given: NotConcluded) -> Iterator[str]:
        """Why a temporal rule does not conclude it."""
        yield f"By {fit(given.rule.axiom, 400)}  (rule {given.rule.name})"
        lacking = given.lacking
        if isinstance(lacking, str):
            bindings = ", ".join(f"{name} = {self.name(term)}" for name, term in given.bindings)
            yield f"  it would be concluded if {lacking}, where {bindings}"
            return
        yield f"  it would be concluded if {lacking.said(self.labels, self.times)}"
        if lacking.times:
            yield f"  it was so {self.times.listed(lacking.times)}"
        elif not lacking.formula.is_negated:
            yield f"  {_never(lacking)}"

    def ways(self, ways: Iterable[WouldHold], heading: str) -> Iterator[str]:
        """Ways that differ only in names are told together."""
        groups: dict[object, list[WouldHold]] = {}
        for way in ways:
            groups.setdefault((way.rule, way.shape), []).append(way)
        several = len(groups) > 1
        if groups:
            yield f"{heading}{' one of these' if several else ''}:"
        for number, (first, *others) in enumerate(groups.values(), 1):
            lines = list(self.way(first, others))
            mark = f"{number}. " if several else "  "
            yield mark + lines[0]
            yield from (" " * len(mark) + line for line in lines[1:])

    def way(self, way: WouldHold, others: list[WouldHold]) -> Iterator[str]:
        yield from (f"missing: {self.missing(each)}" for each in way.missing)
        if others:
            yield from self.as_well(way, others)
        yield from (f"there is: {self.fact(triple)}" for triple in way.present)
        origin = way.rule.origin
        place = "" if origin is None or origin.source is None else f", {fit(origin.source)}"
        line = "" if origin is None or origin.line is None else f" line {origin.line}"
        yield f"by {fit(way.rule.axiom, 400)}  (rule {way.rule.name}{place}{line})"
        then = [conflict for each in way.missing for gone in each.gone[:1] for conflict in gone.conflicts]
        if then:
            yield "it was taken out because of"
            yield from self.conflicts(then, "  ")
        known = {frozenset(triple for _, triple in conflict.assertions) for conflict in then}
        now = [each for each in way.conflicts if frozenset(t for _, t in each.assertions) not in known]
        if now or (way.is_contradicted and not way.conflicts):
            yield "but it contradicts what is there:" if now else "but it contradicts much of what is there"
            yield from self.conflicts(now, "  ", way.triples)
        elif way.is_contradicted:
            yield "and it would be so again"
        if len(now) > _MOST_CONFLICTS:
            yield "  and more"

    def as_well(self, way: WouldHold, others: list[WouldHold]) -> Iterator[str]:
        """The names with which it would hold as well."""
        mine = {term for triple in way.triples for term in triple}
        others_names = [sorted({term for triple in o.triples for term in triple} - mine) for o in others]
        told = list(dict.fromkeys(" and ".join(map(self.name, names)) for names in others_names if names))
        if told:
            more = ", …" if len(told) > _MOST_NAMES else ""
            yield f"  (or the same of {', '.join(told[:_MOST_NAMES])}{more})"

    def missing(self, missing: MissingFact) -> str:
        fates = [self.gone(gone) for gone in missing.gone[:1]]
        return "; it was ".join([self.fact(missing.triple), *fates])

    def gone(self, gone: Gone) -> str:
        """What became of an assertion."""
        asserted = f"asserted {self.at(gone.asserted_at)}"
        if gone.removed_at is not None:
            return f"{asserted} and taken out {self.at(gone.removed_at)}, since newer facts contradict it"
        if gone.left_at is None:
            return asserted
        early = ", before its time because of the memory limit" if gone.left_early else ""
        return f"{asserted} and left the window {self.at(gone.left_at)}{early}"

    def conflicts(
        self, conflicts: Iterable[Conflict], indent: str, supposed: Collection[Triple] = ()
    ) -> Iterator[str]:
        """How assertions contradict one another, with the whole derivation."""
        for conflict in list(conflicts)[:_MOST_CONFLICTS]:
            for proof in conflict.proofs[:1]:
                told = proof.supposing(supposed).labelled(self.labels)
                yield from (indent + line for line in tree_of(told))
            if not conflict.proofs:
                yield f"{indent}{conflict}"

    def unknown(self, unknown: UnknownName) -> str:
        if unknown.kind == "word of OWL":
            word = self.name(unknown.name)
            return f"{word} is a word of OWL: ontology.explain says what the ontology entails."
        if unknown.kind == "blank node":
            return f"No blank node {self.name(unknown.name)} is known: each message has its own."
        nearest = " or ".join(self.name(term) for term in unknown.nearest)
        question = f"; did you mean {nearest}?" if nearest else "."
        return f"Nothing is known of the {unknown.kind} {self.name(unknown.name)}{question}"

    def fact(self, triple: Triple) -> str:
        return sentence(triple, self.labels)

    def name(self, term: Term) -> str:
        return name(term, self.labels)

    def at(self, at: TimePoint) -> str:
        return f"at {self.times(at)}"


def _never(lacking: Condition) -> str:
    """That what is asked of some ticks was so at none of them."""
    if lacking.formula.mode is Mode.NOW:
        return "it is not so"
    return "it was not so" if lacking.first == lacking.last else "it was never so in that time"


def _times_of(absence: Absence) -> Iterator[TimePoint]:
    """The times that are told."""
    if absence.at is not None:
        yield absence.at
    ticks = (each.lacking for each in absence.temporal if isinstance(each.lacking, Condition))
    yield from (at for each in ticks for at in (each.first, each.last, *each.times))
    missing = (each for way in (*absence.ways, *absence.beyond) for each in way.missing)
    for gone in (*absence.gone, *(gone for each in missing for gone in each.gone)):
        yield from (at for at in (gone.asserted_at, gone.left_at, gone.removed_at) if at is not None)
