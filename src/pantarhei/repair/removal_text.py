"""Texts of removals and of contradictions: one notation for the API, the command line and logs.

    08:49:30 press-0 temp_c: 68.9 replaces 70.7 (08:49:00); one value allowed
    08:49:30 removed: x is an open valve (08:49:00), contradicted by x is a closed valve; nothing is both …

The first time is the time of the repair, a time in brackets the timestamp of an assertion; a fact without a
time is asserted at the time of the repair. Times on one day are without the day.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Generic, Protocol, TypeVar

from rdflib import XSD, Literal

from pantarhei.model.labels import NO_LABELS, Labels, labels_among
from pantarhei.model.message_text import disambiguate, one_line
from pantarhei.model.rule import Rule, names_of
from pantarhei.model.term import Term, Triple, short
from pantarhei.model.time import TimePoint
from pantarhei.proofs.sentences import TimeFormat, denied_statement, sentence, term_name
from pantarhei.proofs.step import Assertion

_OF_ONE_VALUE = frozenset(("prp-fp", "cls-maxc2"))
ONE_VALUE = "one value allowed"


class ConflictingAssertions(Protocol):
    """Conflict set with its violated constraints."""

    @property
    def assertions(self) -> frozenset[Assertion]: ...
    @property
    def constraints(self) -> tuple[Rule, ...]: ...


C = TypeVar("C", bound=ConflictingAssertions)
Place = tuple[Term, Term]
"""Subject and property of a value."""


def conflict_text(conflict: ConflictingAssertions, labels: Labels = NO_LABELS) -> str:
    """Return a conflict set with its timestamps and the statement that it contradicts."""
    words = _Words.of(conflict.assertions, labels)

    def text() -> str:
        members = [each for _, each in sorted((at_text(each), each) for each in conflict.assertions)]
        reason = words.denied(conflict)
        place, is_typed = value_place(conflict), _shows_datatypes(conflict)
        if place is not None:
            shown = [f"{words.value(triple, is_typed)} ({words.when(at)})" for at, triple in members]
            return f"{words.place(place)}: {' contradicts '.join(shown)}; {reason}"
        *others, last = (f"{words.sentence(triple, is_typed)} ({words.when(at)})" for at, triple in members)
        if not others:
            cause = "is not possible" if is_typed else "contradicts itself or the background"
            return f"{last} {cause}; {reason}"
        verb = "contradict" if len(others) > 1 else "contradicts"
        return f"{_listed(others)} {verb} {last}; {reason}"

    def at_text(assertion: Assertion) -> tuple[int, str, str]:
        at, triple = assertion
        return words.order[at], words.sentence(triple), str(triple)

    return disambiguate(text, names_of(conflict.constraints))


def removal_texts(
    at: TimePoint,
    removed: Iterable[Assertion],
    undecided: Iterable[Assertion],
    conflicts: Iterable[C],
    labels: Labels = NO_LABELS,
) -> list[tuple[str, C | None]]:
    """Return a text for each removed fact, or for each group of facts that removed each other, with the
    conflict set that it states; None if no conflict set of the fact is known. Sorted by text.

    Args:
        at: the time of the repair.
        removed: the removed assertions.
        undecided: the removed facts that are undecided.
        conflicts: the conflict sets.
    """
    times: dict[Triple, list[TimePoint]] = {}
    for time, triple in removed:
        times.setdefault(triple, []).append(time)
    why = reasons(conflicts, times)
    others = chain.from_iterable(conflict.assertions for conflict in why.values())
    words = _Words.of({(at, triple) for triple in times} | {*removed, *others}, labels, [at])
    lines = _Removals(at, times, frozenset(triple for _, triple in undecided), why, words)
    rules = (rule for conflict in why.values() for rule in conflict.constraints)
    return disambiguate(lambda: sorted(lines.texts(), key=lambda each: each[0]), names_of(rules))


def reasons(conflicts: Iterable[C], removed: Collection[Triple]) -> dict[Triple, C]:
    """Return for each removed fact the conflict set that is stated as the reason of its removal.

    The conflict set with the newest other facts is chosen; among equally new ones the first by the sentences
    of the others, so that the result does not depend on their order.
    """
    best: dict[Triple, tuple[list[TimePoint], list[str], C]] = {}
    for conflict in conflicts:
        for _, triple in conflict.assertions:
            if triple not in removed:
                continue
            others = [assertion for assertion in conflict.assertions if assertion[1] != triple]
            age, text = sorted(at for at, _ in others), sorted(sentence(fact) for _, fact in others)
            newest, first, _ = best.get(triple, ([], [], None))
            if triple not in best or age > newest or (age == newest and text < first):
                best[triple] = age, text, conflict
    return {triple: conflict for triple, (*_, conflict) in best.items()}


def contradicted_by(
    triple: Triple, at: TimePoint, conflicts: Iterable[C], labels: Labels, times: TimeFormat
) -> str | None:
    """Return the facts because of which a fact was removed, as `removal_texts` does; None if none is known.

    Args:
        at: the time of the repair.
        conflicts: the conflict sets with the fact.
        times: the format of the times of the text.
    """
    conflict = reasons(conflicts, (triple,)).get(triple)
    if conflict is None:
        return None
    words = replace(_Words.of(conflict.assertions, labels), times=times)
    return words.contradicted_by(words.others(conflict, [triple]), at, (), _shows_datatypes(conflict))


def value_place(conflict: ConflictingAssertions) -> Place | None:
    """Return the subject and the property of two values of which one is allowed; None for other conflicts."""
    places = {(subject, predicate) for _, (subject, predicate, _) in conflict.assertions}
    is_value = len(places) == 1 and len(conflict.assertions) == 2
    if is_value and all(rule.name in _OF_ONE_VALUE for rule in conflict.constraints):
        return places.pop()
    return None


def _shows_datatypes(conflict: ConflictingAssertions) -> bool:
    """Return whether the datatypes of values can be the reason of a conflict."""
    values = [value for _, (_, _, value) in conflict.assertions if isinstance(value, Literal)]
    return bool(values) and (len(conflict.assertions) == 1 or len({value.datatype for value in values}) > 1)


def _datatype(value: Literal) -> str:
    datatype = value.datatype or XSD.string
    return f"xsd:{short(datatype)}" if datatype.startswith(str(XSD)) else one_line(short(datatype))


@dataclass(frozen=True, slots=True)
class _Words:
    """Texts of facts, values and times, with one format for all times of a text.

    Args:
        labels: labels of the terms of the text, disambiguated.
        all_labels: labels of all names, for axioms.
        order: rank of each time.
    """

    labels: Labels
    all_labels: Labels
    times: TimeFormat
    order: Mapping[TimePoint, int]

    @classmethod
    def of(cls, assertions: Collection[Assertion], labels: Labels, first: Iterable[TimePoint] = ()) -> _Words:
        """Return the texts, with times in the zone of `first`; by default of the oldest assertion."""
        times = sorted({at for at, _ in assertions})
        found = labels_among(labels, (term for _, triple in assertions for term in triple))
        return cls(found, labels, TimeFormat.of(first, times), {at: rank for rank, at in enumerate(times)})

    def when(self, *times: TimePoint) -> str:
        """Return times: `08:49`, or `at 5` for numbers."""
        listed = self.times.listed(times)
        return listed.removeprefix("at ") if isinstance(times[0], datetime) else listed

    def sentence(self, triple: Triple, is_typed: bool = False) -> str:
        """Return a fact as a sentence; with `is_typed`, a value with its property and datatype."""
        subject, predicate, object_ = triple
        if is_typed and isinstance(object_, Literal):
            return f"{self.place((subject, predicate))} {self.value(triple, is_typed)}"
        return sentence(triple, self.labels)

    def place(self, place: Place) -> str:
        return " ".join(term_name(term, self.labels) for term in place)

    def value(self, triple: Triple, is_typed: bool = False) -> str:
        value = triple[2]
        if is_typed and isinstance(value, Literal):
            suffix = f"@{value.language}" if value.language else ""
            return f'"{one_line(str(value))}"{suffix or f"^^{_datatype(value)}"}'
        return term_name(value, self.labels)

    def others(self, conflict: ConflictingAssertions, group: Collection[Triple]) -> list[Assertion]:
        """Return the assertions of a conflict set except those of a group of facts, oldest first."""
        return sorted(
            (each for each in conflict.assertions if each[1] not in group),
            key=lambda each: (self.order[each[0]], self.sentence(each[1])),
        )

    def contradicted_by(
        self, others: Iterable[Assertion], now: TimePoint, removed: Collection[Triple], is_typed: bool
    ) -> str:
        """Return the assertions that contradict a removed fact.

        Args:
            now: the time of the repair, which is not repeated.
            removed: the facts that the repair removed.
        """
        texts = [
            f"{self.sentence(triple, is_typed)}{self.unless_now(at, now)}"
            f"{' (removed as well)' if triple in removed else ''}"
            for at, triple in others
        ]
        return f"contradicted by {_listed(texts or ['itself or the background'])}"

    def unless_now(self, at: TimePoint, now: TimePoint) -> str:
        return "" if at == now else f" ({self.when(at)})"

    def denied(self, conflict: ConflictingAssertions) -> str:
        """Return the statement that a conflict set contradicts."""
        if value_place(conflict) is not None:
            return ONE_VALUE
        values = [value for _, (_, _, value) in conflict.assertions if isinstance(value, Literal)]
        if values and any(rule.name == "dt-not-type" for rule in conflict.constraints):
            return f"not a valid {_datatype(values[0])}"
        return "; ".join(
            dict.fromkeys(denied_statement(rule, self.all_labels) for rule in conflict.constraints)
        )


@dataclass(frozen=True, slots=True)
class _Removals(Generic[C]):
    """Removed facts of one repair.

    Args:
        at: time of the repair.
        times: timestamps of each removed fact.
        undecided: the removed facts that are undecided.
        why: conflict set of each removed fact, if known.
    """

    at: TimePoint
    times: Mapping[Triple, Sequence[TimePoint]]
    undecided: frozenset[Triple]
    why: Mapping[Triple, C]
    words: _Words

    def texts(self) -> Iterator[tuple[str, C | None]]:
        groups: dict[object, list[Triple]] = {}
        for triple in self.times:
            groups.setdefault(self._group(triple), []).append(triple)
        for group in groups.values():
            conflict = self.why.get(group[0])
            yield f"{self.words.when(self.at)} {self._text(group, conflict)}", conflict

    def _group(self, triple: Triple) -> object:
        """Return a key that is equal for facts whose removal is stated together."""
        conflict = self.why.get(triple)
        if conflict is None or triple in self.undecided:
            return triple
        removed = [fact for _, fact in conflict.assertions if fact in self.times]
        if len(removed) == len(conflict.assertions):  # the facts removed each other
            times = {at for at, _ in conflict.assertions}
            if len(times) > 1:
                return triple
            if (place := value_place(conflict)) is not None:
                return place, *times
        of_one = (
            fact not in self.undecided and self.why[fact].assertions == conflict.assertions
            for fact in removed
        )
        return conflict.assertions if all(of_one) else triple

    def _text(self, group: list[Triple], conflict: C | None) -> str:
        first, words = group[0], self.words
        if conflict is None:
            return f"{self._verb(first)}: {self._removed(first)}"
        reason, place, is_typed = words.denied(conflict), value_place(conflict), _shows_datatypes(conflict)
        others = words.others(conflict, group)
        if place is not None and len(group) > 1:
            values = self._equally_new(group, partial(words.value, is_typed=is_typed))
            return f"{words.place(place)}: {values} removed; {reason}"
        if place is not None and first not in self.undecided:
            (at, new), times = others[0], self._times(first)
            value, old = (words.value(fact, is_typed) for fact in (new, first))
            value += words.unless_now(at, self.at)
            if new in self.times:
                fate = f"{old} ({times}) removed, contradicted by {value} (removed as well)"
            else:
                fate = f"{value} replaces {old} ({times})"
            return f"{words.place(place)}: {fate}; {reason}"
        if len(group) > 1 and not others:
            facts = self._equally_new(group, partial(words.sentence, is_typed=is_typed))
            return f"removed: {facts}; {reason}"
        removed = f"{self._verb(first)}: {_listed(sorted(self._removed(fact, is_typed) for fact in group))}"
        if is_typed and len(conflict.assertions) == 1:
            return f"{removed}; {reason}"
        return f"{removed}, {words.contradicted_by(others, self.at, self.times, is_typed)}; {reason}"

    def _equally_new(self, group: list[Triple], text: Callable[[Triple], str]) -> str:
        """Return the texts of facts that contradict each other, with their times."""
        shown = sorted((text(triple), self._times(triple)) for triple in group)
        if len({times for _, times in shown}) == 1:
            return f"{_listed([fact for fact, _ in shown])} ({shown[0][1]}, equally new)"
        return f"{_listed([f'{fact} ({times})' for fact, times in shown])} (equally new)"

    def _verb(self, triple: Triple) -> str:
        return "removed undecided" if triple in self.undecided else "removed"

    def _removed(self, triple: Triple, is_typed: bool = False) -> str:
        return f"{self.words.sentence(triple, is_typed)} ({self._times(triple)})"

    def _times(self, triple: Triple) -> str:
        return self.words.when(*sorted(self.times[triple]))


def _listed(texts: Sequence[str]) -> str:
    """Return texts with commas, and `and` before the last one."""
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last
