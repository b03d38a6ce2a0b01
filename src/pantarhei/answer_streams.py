"""Answer streams of temporal rules without strata, over a reasoner's window.

Rules without strata can have several answer streams, with different conclusions. So their conclusions are not
added to the reasoner, unlike those of rules from `load_rules`; the answer streams are computed on request.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Final

from pantarhei.encoding.numbers import Renaming, Symbol, Symbols, UsedTerms
from pantarhei.engine.consumer import Saved, known_bytes
from pantarhei.errors import OptionError, TemporalRuleError, check_type
from pantarhei.materialize.model import WindowModel
from pantarhei.model.message_text import counted
from pantarhei.model.rule import Predicate
from pantarhei.model.temporal_rule import TemporalAtom, TemporalRule, TimeWindow, TupleWindow
from pantarhei.model.term import RDF_TYPE, short
from pantarhei.model.time import TimePoint
from pantarhei.reasoner import StreamReasoner
from pantarhei.temporal.answer_sets import AnswerStream, AtomStream, TickAtoms, answer_streams
from pantarhei.temporal.rule_form import check_count, check_form, check_time_kind, rule_error
from pantarhei.temporal.rules import read_source
from pantarhei.temporal.safety import check_safety, is_unbounded
from pantarhei.temporal.ticks import Ticks, compile_for_time_kind
from pantarhei.window.log import Changes
from pantarhei.window.sliding import Step

if TYPE_CHECKING:
    from pantarhei.model.term import Triple

CONSUMER_NAME: Final = "answer streams"
"""Name of the consumer in a reasoner."""


class AnswerStreams:
    """Temporal rules without strata over the repaired window of a reasoner (LA17 Definition 5).

    The data stream is that of temporal rules (docs/temporal-rules.md). It is recorded as far back as the
    rules' windows reach, in memory only: checkpoints do not contain it.

    Args:
        reasoner: a reasoner before its first push, without another `AnswerStreams` object.
        rules: a path or a text as for `load_rules`, or rules built in Python.
        start: timestamp of the first tick; by default the first step minus the largest window.
        prefixes: predeclared prefixes, as for `load_rules`.

    Raises:
        TemporalRuleError: a rule is unsafe or has an unsupported form; a predicate is remembered; or a head
            is a class or property of the ontology.
        InputError: the file cannot be read.
        OptionError: the reasoner has received an ABox, or has another `AnswerStreams` object.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> rules = "wait(X) :- :Car(X), not go(X). go(X) :- :Car(X), not wait(X)."
    >>> streams = pr.AnswerStreams(reasoner, rules, prefixes={"": str(EX)})
    >>> _ = reasoner.push(1, [gas])
    >>> len(streams.models())
    2
    """

    def __init__(
        self,
        reasoner: StreamReasoner,
        rules: str | PathLike[str] | Iterable[TemporalRule],
        start: TimePoint | None = None,
        prefixes: Mapping[str, str] | None = None,
    ) -> None:
        check_type("reasoner", reasoner, StreamReasoner, "a StreamReasoner")
        self.rules = rules_without_strata(rules, prefixes, reasoner.ontology.predicates)
        if reasoner._held.history.step is not None:
            raise OptionError("reasoner", repr(reasoner)[:200], "a reasoner before its first push")
        self._reasoner = reasoner
        self._recorder = _StreamRecorder(self.rules, start, reasoner)
        with reasoner._lock:
            reasoner._held.attach(CONSUMER_NAME, self._recorder)

    def __repr__(self) -> str:
        return f"AnswerStreams({counted(len(self.rules), 'rule')})"

    def models(self, most: int = 0) -> tuple[AnswerStream, ...]:
        """Compute the answer streams at the present tick with clingo, sorted by text; empty before the first
        step.

        The time is in the worst case exponential in the number of conclusions.

        Args:
            most: maximum number of answer streams, 0 for all. Clingo decides which answer streams are found.

        Raises:
            ClingoNotFoundError: clingo is not installed.
            OptionError: `most` is not a number from 0 on.
        """
        if not isinstance(most, int) or isinstance(most, bool) or most < 0:
            raise OptionError("most", repr(most), "a whole number, 0 for all answer streams")
        with self._reasoner._lock:
            recorded, ticks = self._recorder.recorded, self._recorder.ticks
        return () if recorded is None else answer_streams(self.rules, recorded, ticks, most)


def rules_without_strata(
    rules: str | PathLike[str] | Iterable[TemporalRule],
    prefixes: Mapping[str, str] | None,
    predicates: Collection[Predicate],
) -> tuple[TemporalRule, ...]:
    """Read and validate rules that need no strata, for `AnswerStreams`.

    Args:
        predicates: the classes and properties of the ontology, which must not be concluded.

    Raises:
        TemporalRuleError, InputError: as for `AnswerStreams`.
    """
    read = _read(rules, prefixes)
    check_form(read)
    for rule in read:
        check_safety(rule)
        if rule.head.atom.predicate in predicates:
            problem = f"{short(rule.head.atom.predicate)} is concluded, but belongs to the ontology"
            raise rule_error(problem, "a head that is not in the ontology", rule.head, rule)
    return read


def largest_windows(rules: Iterable[TemporalRule], ticks: Ticks) -> tuple[int, int]:
    """Return the length of the longest time window in ticks, and the size of the largest tuple window.

    Raises:
        TemporalRuleError: the length of a window is not a whole number of ticks.
    """
    timed, counted = [0], [0]
    for rule in rules:
        check_time_kind(rule, ticks.kind)
    for formula in (formula for rule in rules for formula in rule.body):
        if isinstance(formula.window, TimeWindow):
            timed.append(ticks.window_size(formula.window, formula))
            check_count(formula, timed[-1])
        elif isinstance(formula.window, TupleWindow):
            counted.append(formula.window.size)
    return max(timed), max(counted)


def _read(
    rules: str | PathLike[str] | Iterable[TemporalRule], prefixes: Mapping[str, str] | None
) -> tuple[TemporalRule, ...]:
    if not isinstance(rules, str | PathLike):
        expected = "a path, a text, or rules such as the .rules of load_rules"
        check_type("rules", rules, Iterable, expected)
        given = tuple(rules)
        for rule in given:
            check_type("rules", rule, TemporalRule, "TemporalRule objects from rule(…).when(…)")
        return given
    read = read_source(rules, prefixes)
    if read.remembered:
        predicate, written = min(read.remembered.items())
        problem = f"{short(predicate)} is remembered, but answer streams remember no conclusions"
        raise TemporalRuleError(problem, "rules without remembered conclusions, or load_rules", *written)
    return read.rules


class _StreamRecorder:
    """Consumer (engine/consumer.py) that records the data stream, as far back as the rules' windows reach.

    The cost of a step is linear in the materialization.
    """

    needs_levels = False
    receives_each_step = True
    bytes_used = 0

    def __init__(
        self,
        rules: tuple[TemporalRule, ...],
        start: TimePoint | None,
        reasoner: StreamReasoner,
    ) -> None:
        self._rules, self._reasoner, self._start = rules, reasoner, start
        # Validates the rules for the likely kind of time; the first timestamp of the stream decides the kind.
        compile_for_time_kind(rules, reasoner.window, start, self._set, reasoner.options.tick)
        atoms = (formula.atom for rule in rules for formula in rule.formulas)
        self._symbols = frozenset(Symbol(atom.predicate, len(atom.arguments)) for atom in atoms)
        self._record: tuple[TickAtoms, ...] = ()
        self._first: int | None = None
        self._oldest: int | None = None

    def _set(self, ticks: Ticks) -> None:
        self.ticks, self._begins = ticks, ticks.start_tick(self._start)
        self._largest, self._counts = largest_windows(self._rules, ticks)
        if ticks.tick is not None and ticks.length > max(1, ticks.window.length(ticks.kind)):
            problem = f"the window of {ticks.window.range} is shorter than the tick of {ticks.tick}"
            raise TemporalRuleError(problem, "a range of at least the tick for answer streams")
        self._keeps_all = any(is_unbounded(formula) for rule in self._rules for formula in rule.body)

    @property
    def recorded(self) -> AtomStream | None:
        """Recorded data stream; None before the first step."""
        if self._first is None or not self._record:
            return None
        return AtomStream(self._first, self._record[-1].tick, self._record)

    @property
    def needed_symbols(self) -> Symbols:
        """Classes and properties that occur in the rules."""
        return self._symbols

    def due(self, after: int, until: int) -> int | None:
        """Return the next tick at which the oldest ABox leaves the window (see `Consumer`)."""
        if self._oldest is None or not self._record:
            return None
        end = self.ticks.end_of(self.ticks.tick_of_time(self.ticks.eviction_time(self._oldest)))
        return end if after < end <= self.ticks.end_of(self.ticks.tick_of_time(until) - 1) else None

    def before(self, step: Step, model: WindowModel) -> None:
        """Do nothing: `apply` records each step."""

    def apply(self, changes: Changes, model: WindowModel) -> None:
        """Record the facts and events at the tick of the step."""
        assert changes.step is not None and changes.log is not None, "a reasoner has a window"
        if self.ticks.kind is not changes.step.kind:
            self._set(replace(self.ticks, kind=changes.step.kind))
        tick, vocabulary = self.ticks.tick_of_step(changes.step), self._reasoner._held.vocabulary
        if self._first is None:
            self._first = tick - self._largest if self._begins is None else self._begins
        states = map(_atom, vocabulary.decode(model.facts()))
        held = frozenset(
            each for each in states if Symbol(each.predicate, len(each.arguments)) in self._symbols
        )
        kept = [
            (entry, facts)
            for entry, facts in changes.log.kept()
            if self.ticks.tick_of_time(entry.ticks) == tick
        ]
        events = (_atom(each) for entry, facts in reversed(kept) for each in vocabulary.decode(facts))
        earlier = tuple(each for each in self._record if each.tick < tick)
        self._record = self._needed((*earlier, TickAtoms(tick, held, tuple(dict.fromkeys(events)))))
        oldest = next(iter(changes.log), None)
        self._oldest = None if oldest is None else oldest.ticks

    def _needed(self, record: tuple[TickAtoms, ...]) -> tuple[TickAtoms, ...]:
        """Return the recorded ticks that are in a window of a rule at the present tick or a later one."""
        first, events, place = record[-1].tick - self._largest, 0, len(record) - 1
        while place and (self._keeps_all or record[place].tick > first or events < self._counts):
            place -= 1
            events += len(record[place].events)
        return record[place:]

    def mark(self) -> object:
        return self._record, self._first, self._oldest

    def back(self, mark: object) -> None:
        assert isinstance(mark, tuple)
        self._record, self._first, self._oldest = mark

    def used_terms(self, used: UsedTerms) -> None:
        """Do nothing: the record holds terms, not numbers."""

    def renamed(self, renaming: Renaming) -> None:
        """Do nothing: the record holds terms, not numbers."""

    def rebuilt(self, model: WindowModel, saved: bytes | None) -> None:
        """Do nothing: the record remains valid."""

    def saved(self) -> Saved:
        """Return an empty state, since checkpoints do not contain the record."""
        return known_bytes(b"")


def _atom(triple: Triple) -> TemporalAtom:
    """Convert a triple to an atom."""
    subject, predicate, object_ = triple
    if predicate == RDF_TYPE:
        return TemporalAtom(object_, (subject,))  # type: ignore[arg-type]
    return TemporalAtom(predicate, (subject, object_))  # type: ignore[arg-type]
