"""Picture of temporal rules over time: intervals of conclusions above the intervals of their conditions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain
from typing import Protocol

from rdflib import RDF, Literal, URIRef

from pantarhei.errors import OptionError
from pantarhei.model.labels import NO_LABELS, Labels, labels_among
from pantarhei.model.message_text import counted
from pantarhei.model.rule import Argument
from pantarhei.model.temporal_rule import Formula, TemporalAtom, TemporalRule
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint, kind_of, show_time, ticks_of
from pantarhei.proofs.interval_chart import CONCLUDED, FOUND, KEPT, ChartRow, ChartSection, chart_svg
from pantarhei.proofs.sentences import TimeFormat
from pantarhei.proofs.step import atom_sentence
from pantarhei.temporal.conclusion_sets import ConclusionChanges

_MOST_CONCLUSIONS = 6

_Intervals = tuple[tuple[TimePoint, TimePoint | None], ...]


class TripleChanges(Protocol):
    """Inserted and deleted triples, with the names shown for IRIs."""

    @property
    def labels(self) -> Labels: ...
    @property
    def added(self) -> frozenset[Triple]: ...
    @property
    def removed(self) -> frozenset[Triple]: ...


class ArrivedAssertions(Protocol):
    """Assertions of a step."""

    @property
    def arrived(self) -> frozenset[Triple]: ...


class ObservedStep(Protocol):
    """Update of a reasoner with temporal rules."""

    @property
    def at(self) -> TimePoint: ...
    @property
    def conclusions(self) -> ConclusionChanges: ...
    @property
    def delta(self) -> TripleChanges: ...
    @property
    def assertions(self) -> ArrivedAssertions: ...


class ObservedFacts:
    """Intervals of conclusions and states, and times of events, over consecutive steps.

    Args:
        rules: the rules; facts of other predicates than those of their bodies and heads are ignored.
        steps: the steps, oldest first. Costs linear time in their changes.
        since: the first time of the picture; None for the time of the first step.

    Raises:
        OptionError: there are no steps.
    """

    def __init__(
        self, rules: Sequence[TemporalRule], steps: Iterable[ObservedStep], since: TimePoint | None = None
    ) -> None:
        atoms = [formula.atom for rule in rules for formula in rule.body]
        self._states = {atom.predicate for atom in atoms if not atom.is_asserted}
        self._events = {atom.predicate for atom in atoms if atom.is_asserted}
        self._intervals: dict[TemporalAtom, list[tuple[TimePoint, TimePoint | None]]] = defaultdict(list)
        self._times: dict[TemporalAtom, list[TimePoint]] = defaultdict(list)
        self.concluded: set[TemporalAtom] = set()
        self.labels: Labels = NO_LABELS
        self._first: TimePoint | None = None
        self._since: TimePoint | None = None
        self.steps: list[TimePoint] = []
        newest = NO_LABELS
        for step in steps:
            if self._first is None:
                self._first = step.at
                self._since = step.at if since is None else _checked(since, step.at)
            if self._is_shown(step.at):
                self.steps.append(step.at)
            self._observe(step)
            if step.delta.labels is not newest:  # a restored update has the labels of its own names alone
                newest = step.delta.labels
                self.labels = {**self.labels, **newest} if self.labels else newest
        if not self.steps:
            problem = "no update" if since is None else f"no update at or after {show_time(since)}"
            raise OptionError("updates", problem, "at least one update, as returned by push and advance")

    def _observe(self, step: ObservedStep) -> None:
        for turn in step.conclusions.turns:
            self.concluded |= turn.added | turn.removed
            self._change(turn.added, turn.removed, turn.at)
        if self._states:
            delta = step.delta
            self._change(self._in_states(delta.added), self._in_states(delta.removed), step.at)
        if self._events:
            for atom in _atoms(step.assertions.arrived):
                if atom.predicate in self._events:
                    self._times[atom].append(step.at)

    def _in_states(self, triples: Iterable[Triple]) -> set[TemporalAtom]:
        return {atom for atom in _atoms(triples) if atom.predicate in self._states}

    def _change(self, added: Set[TemporalAtom], removed: Set[TemporalAtom], at: TimePoint) -> None:
        """Record the ends and the starts of intervals; the first step starts those with an unknown start."""
        for atom in removed:
            intervals = self._intervals[atom]
            if not intervals:
                assert self._first is not None, "a step has been observed"
                intervals.append((self._first, at))
            elif intervals[-1][1] is None:
                intervals[-1] = intervals[-1][0], at
        for atom in added:
            intervals = self._intervals[atom]
            if not intervals or intervals[-1][1] is not None:
                intervals.append((at, None))

    def of(self, predicate: URIRef, are_events: bool = False) -> list[TemporalAtom]:
        """Return the atoms of a predicate that held or were asserted, the earliest first."""
        if are_events:
            firsts = {atom: times[0] for atom, times in self._times.items()}
        else:
            firsts = {atom: intervals[0][0] for atom, intervals in self._intervals.items()}
        return sorted(
            (atom for atom in firsts if atom.predicate == predicate),
            key=lambda atom: (firsts[atom], [term.n3() for term in atom.arguments]),
        )

    @property
    def terms(self) -> Iterator[Argument]:
        """The predicates and arguments of the observed atoms."""
        for atom in chain(self._intervals, self._times):
            yield from (atom.predicate, *atom.arguments)

    def intervals(self, atoms: Iterable[TemporalAtom]) -> _Intervals:
        """Return the intervals in which atoms held, an open one without an end."""
        return tuple(
            (start if self._is_shown(start) else self.steps[0], end)
            for atom in atoms
            for start, end in self._intervals.get(atom, ())
            if end is None or (self._is_shown(end) and end != self._since)
        )

    def times(self, atoms: Iterable[TemporalAtom]) -> tuple[TimePoint, ...]:
        """Return the times at which atoms were asserted."""
        return tuple(at for atom in atoms for at in self._times.get(atom, ()) if self._is_shown(at))

    def _is_shown(self, at: TimePoint) -> bool:
        """Test whether a time is in the picture."""
        return self._since is None or at >= self._since  # type: ignore[operator]


def _checked(since: TimePoint, at: TimePoint) -> TimePoint:
    """Check that a time is of the kind of a stream's times. Raises `TimestampError`."""
    ticks_of(since, kind_of(at))
    return since


def conclusions_svg(rules: Sequence[TemporalRule], observed: ObservedFacts, labels: Labels) -> str:
    """Return the picture of conclusions; each predicate has a section with the conditions of its rules."""
    labels = labels_among(labels, observed.terms)
    by_head: dict[URIRef, list[TemporalRule]] = defaultdict(list)
    for rule in rules:
        by_head[rule.head.atom.predicate].append(rule)
    sections = [_section(head, mine, observed, labels) for head, mine in by_head.items()]
    first, *_, last = observed.steps * 2
    span = TimeFormat.of(observed.steps).reach([first, last])
    title = f"{counted(len(observed.concluded), 'conclusion')} {span}"
    return chart_svg(title, sections, observed.steps)


def _section(
    head: URIRef, rules: Sequence[TemporalRule], observed: ObservedFacts, labels: Labels
) -> ChartSection:
    """Return the conclusions of a predicate, and the conditions of its rules about their arguments."""
    concluded = [atom for atom in observed.of(head) if atom in observed.concluded]
    rows = list(_rows(concluded, observed, CONCLUDED, labels))[:_MOST_CONCLUSIONS]
    arguments = {argument for atom in concluded[:_MOST_CONCLUSIONS] for argument in atom.arguments}
    conditions = {formula.atom: (rule, formula) for rule in rules for formula in rule.body}
    for rule, formula in conditions.values():
        atoms = observed.of(formula.atom.predicate, formula.atom.is_asserted)
        if formula.variables & rule.head.variables and arguments:
            atoms = [atom for atom in atoms if arguments.intersection(atom.arguments)]
        colour = FOUND if formula.is_negated else KEPT
        rows += _rows(atoms, observed, colour, labels, formula)
    more = len(concluded) - _MOST_CONCLUSIONS
    text = "  ".join(map(str, rules))
    return ChartSection(f"{text}  ({more:,} more conclusions)" if more > 0 else text, tuple(rows))


def _rows(
    atoms: Iterable[TemporalAtom],
    observed: ObservedFacts,
    colour: str,
    labels: Labels,
    formula: Formula | None = None,
) -> Iterator[ChartRow]:
    """Yield the rows of atoms; atoms that differ only in a literal as last argument share a row."""
    together: dict[tuple[Argument, ...], list[TemporalAtom]] = defaultdict(list)
    for atom in atoms:
        *first, last = atom.arguments or (None,)
        key = tuple(first) if first and isinstance(last, Literal) else atom.arguments
        together[key].append(atom)
    for members in together.values():
        text = atom_sentence(members[0], labels)
        if len(members) > 1:
            text += f", and {counted(len(members) - 1, 'other value')}"
        if formula is not None and formula.is_negated:
            text = f"not: {text}"
        are_events = formula is not None and formula.atom.is_asserted
        times = observed.times(members) if are_events else ()
        yield ChartRow(text, colour, times, () if are_events else observed.intervals(members))


def _atoms(triples: Iterable[Triple]) -> Iterator[TemporalAtom]:
    """Yield triples as atoms."""
    for subject, predicate, object_ in triples:
        if predicate == RDF.type and isinstance(object_, URIRef):
            yield TemporalAtom(object_, (subject,))
        else:
            assert isinstance(predicate, URIRef)
            yield TemporalAtom(predicate, (subject, object_))
