"""Engine of temporal rules: a consumer that evaluates the rules beside the window model.

The history of ticks is an immutable value (`DataStream`). The temporal kernel is derived from it and from the
window model, and is rebuilt after an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from rdflib import URIRef

from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import (
    FIRST_LITERAL,
    NO_CHANGES,
    NO_FACTS,
    NONE,
    Integers,
    Renaming,
    Symbol,
    Symbols,
    UsedTerms,
    as_tuples,
    net_changes,
    signed,
    split_changes,
)
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.consumer import ConsumersExceedMemoryError, Saved
from pantarhei.engine.update import Feedback, FixpointDetector
from pantarhei.materialize.model import CapacityExceededError, WindowModel
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.model.term import Triple
from pantarhei.model.time import Duration, TimePoint
from pantarhei.temporal.conclusion_sets import (
    NOTHING_CONCLUDED,
    ConclusionChanges,
    ConclusionSet,
    TickConclusions,
)
from pantarhei.temporal.data_stream import DataStream, difference, union, without_predicates
from pantarhei.temporal.numbered import NumberedTemporalProgram
from pantarhei.temporal.reasons.occurrence_intervals import KernelFacts
from pantarhei.temporal.reasons.proof_search import ProofContext
from pantarhei.temporal.reification import reify_pairs
from pantarhei.temporal.rule_evaluation import RuleEvaluation, rebuild_evaluation, wastes_memory
from pantarhei.temporal.rule_form import check_jump
from pantarhei.temporal.rules import RulesWithOntology, TemporalRules
from pantarhei.temporal.rules_checkpoint import data_of, kind_of_saved, to_bytes
from pantarhei.temporal.tick_history import TickHistory
from pantarhei.temporal.ticks import Ticks, compile_for_time_kind
from pantarhei.temporal.translation import translate_rules
from pantarhei.temporal.tuples import TupleNumbers
from pantarhei.temporal.unfolding import unfold
from pantarhei.window.log import Changes
from pantarhei.window.sliding import Step, Window


class ConclusionDecoder(NamedTuple):
    """Decoder of the temporal kernel's facts to conclusions. It is valid until terms are renumbered.

    Args:
        numbered: the rules in the present numbers.
        lexicon: the terms.
        tuples: the tuples that stand for several arguments.
    """

    numbered: NumberedTemporalProgram
    lexicon: Lexicon
    tuples: TupleNumbers

    def atoms(self, facts: Integers) -> frozenset[TemporalAtom]:
        """Decode facts to atoms."""
        return frozenset(self._atoms(facts))

    def _atoms(self, facts: Integers) -> Iterator[TemporalAtom]:
        names, term = self.numbered.conclusions, self.lexicon.term
        for predicate, subject, last in as_tuples(facts):
            if predicate in names:  # otherwise it is decoded with its tuple
                name, arity = names[predicate]
                terms = self.tuples.terms(subject) + ([] if last == NONE else [last])
                yield TemporalAtom(name, tuple(map(term, terms[len(terms) - arity :])))

    def triples(self, facts: Integers) -> frozenset[Triple]:
        """Decode the facts that are triples."""
        return frozenset(self.lexicon.decode(self.numbered.triples(facts)))


_FEW: Final = 256
"""Number of changes that are kept at least for the next reader."""


class ConclusionLog:
    """Changes of the conclusions that their readers have not received yet.

    Readers are the update of a step (`take_changes`), the set of conclusions (`triples`) and registered
    queries (`take_facts`).
    """

    def __init__(self) -> None:
        # With tick and time, for the update of the step.
        self._changed: list[tuple[int, TimePoint, Integers]] = []
        self._known: ConclusionSet | None = None  # the conclusions when last read
        self._unapplied: list[Integers] = []  # the changes since then
        self._count = 0  # of these changes
        self._is_followed, self._undelivered = False, tuple[Integers, ...]()  # as triples, for queries

    def record(self, tick: int, at: TimePoint, changes: Integers, numbered: NumberedTemporalProgram) -> None:
        """Record inserted (1) and deleted (-1, last column) conclusions.

        Args:
            tick: the tick.
            at: a time within the tick.
            changes: the changes.
            numbered: the rules in the present numbers.
        """
        if not len(changes):
            return
        self._changed.append((tick, at, changes))
        if self._known is not None:
            self._unapplied.append(changes)
            self._count += len(changes)
            if self._count > len(self._known) + _FEW:
                self.reset()  # decoding all conclusions again costs no more
        if self._is_followed:
            self._undelivered = (*self._undelivered, numbered.triples(changes))

    def take_changes(self, decoder: ConclusionDecoder) -> ConclusionChanges:
        """Return the conclusions inserted and deleted since the last call."""
        changed, self._changed = self._changed, []
        if not changed:
            return NOTHING_CONCLUDED

        def by_tick_changes() -> Iterator[TickConclusions]:
            by_tick: dict[int, list[tuple[TimePoint, Integers]]] = {}
            for tick, at, part in changed:
                by_tick.setdefault(tick, []).append((at, part))
            for given in by_tick.values():
                inserted, deleted = split_changes(net_changes(np.concatenate([part for _, part in given])))
                yield TickConclusions(given[-1][0], decoder.atoms(inserted), decoder.atoms(deleted))

        def total_changes() -> tuple[frozenset[Triple], frozenset[Triple]]:
            inserted, deleted = split_changes(net_changes(np.concatenate([part for _, _, part in changed])))
            return decoder.triples(inserted), decoder.triples(deleted)

        return ConclusionChanges(lambda: tuple(by_tick_changes()), total_changes)

    def triples(self, decoder: ConclusionDecoder, concluded: Callable[[], Integers]) -> ConclusionSet:
        """Return the conclusions that are triples. Costs time linear in the changes since the last call.

        Args:
            concluded: function that returns all conclusions.
        """
        if self._known is None:
            self._known = ConclusionSet(decoder.triples(concluded()))
        elif self._unapplied:
            inserted, deleted = map(
                decoder.triples, split_changes(net_changes(np.concatenate(self._unapplied)))
            )
            self._known = self._known.next_state(inserted - deleted, deleted - inserted)
        self._unapplied, self._count = [], 0
        return self._known

    def follow(self) -> None:
        """From now on, record the changes that `take_facts` returns."""
        self._is_followed = True

    def take_facts(self) -> Integers:
        """Return the triples inserted (1) and deleted (-1, last column) since the last call, each triple
        once.
        """
        undelivered, self._undelivered = self._undelivered, ()
        return net_changes(np.concatenate([NO_CHANGES, *undelivered]))

    def reset(self) -> None:
        """Drop the cached conclusions, because they may have changed or were renumbered."""
        self._known, self._unapplied, self._count = None, [], 0

    def mark(self) -> object:
        """Return the state, for `back`."""
        return self._undelivered

    def back(self, mark: object) -> None:
        """Restore the state that `mark` returned, except the conclusions themselves."""
        assert isinstance(mark, tuple)
        self._undelivered, self._changed = mark, []


CONCLUSIONS: Final = "conclusions"
"""The name that temporal rules are attached by."""


class TemporalRuleEngine:
    """Consumer (engine/consumer.py) that evaluates temporal rules.

    Args:
        given: the rules, and the rules of the ontology that are evaluated with them.
        window: the window of the reasoner.
        vocabulary: the vocabulary of the reasoner, in which the terms of the rules are numbered.
        most_bytes: limit of bytes, of which the temporal kernel may take twice as many during a step; None
            for no limit.
        tick: length of a tick; None for the slide of the window.

    Raises:
        TemporalRuleError: a window of a rule does not fit the ticks of the stream, or a rule uses an
            unsupported construct.
    """

    needs_levels = False
    receives_each_step = True

    def __init__(
        self,
        given: RulesWithOntology,
        window: Window,
        vocabulary: Vocabulary,
        most_bytes: int | None = None,
        tick: Duration | None = None,
    ) -> None:
        self._given, self._vocabulary, self._most_bytes = given, vocabulary, most_bytes
        # for the first kind of time that fits; the stream's first timestamp decides
        compile_for_time_kind(given.rules.rules, window, given.rules.start, self._compile, tick)
        self._data: DataStream | None = None  # before the first tick of the timeline
        self._evaluation: RuleEvaluation | None = None
        self._log = ConclusionLog()

    def _compile(self, ticks: Ticks) -> None:
        """Compile the program for a stream with this kind of time. If that fails, nothing has changed."""
        rules, ontology, remembered, unique_names = self._given
        begins = ticks.start_tick(rules.start)
        whole = translate_rules(rules.rules, remembered, ticks, ontology, rules.feedback, unique_names)
        program = reify_pairs(unfold(whole))
        self._ticks, self._begins, self._whole, self._program = ticks, begins, whole, program
        self._numbered = NumberedTemporalProgram(program, self._vocabulary)

    @property
    def rules(self) -> TemporalRules:
        """The given rules, without those of the ontology."""
        return self._given.rules

    # -- conclusions -------------------------------------------------------------------------------

    def take_changes(self) -> ConclusionChanges:
        """Return the conclusions inserted and deleted since the last call."""
        return self._log.take_changes(self._decoder)

    def atoms(self, model: WindowModel) -> frozenset[TemporalAtom]:
        """Return the conclusions at the present tick. Costs a pass over the temporal kernel."""
        if self._data is None:
            return frozenset()
        return self._decoder.atoms(self._concluded(self._make_evaluation(model)))

    def triples(self, model: WindowModel) -> ConclusionSet:
        """Return the conclusions that are triples. Costs time linear in the changes since the last call."""
        if self._data is None:
            return ConclusionSet(())
        evaluation = self._make_evaluation(model)
        return self._log.triples(self._decoder, lambda: self._concluded(evaluation))

    def _concluded(self, evaluation: RuleEvaluation) -> Integers:
        return evaluation.model.facts(self._numbered.is_conclusion)

    @property
    def symbols(self) -> frozenset[Symbol]:
        """Classes and properties that the rules conclude."""
        return frozenset(Symbol(*named) for named in self._numbered.conclusions.values())

    def facts(self, model: WindowModel) -> Integers:
        """Return the conclusions that are triples, in the vocabulary's numbers. Costs as `atoms`."""
        if self._data is None:
            return NO_FACTS
        return self._numbered.triples(self._concluded(self._make_evaluation(model)))

    def testimony(self, model: WindowModel) -> ProofContext | None:
        """Return the context of proofs; None before the first tick. Costs a pass over the temporal kernel."""
        if self._data is None:
            return None
        given, data, facts = self._given, self._data, self._make_evaluation(model).model.facts()
        numbered, vocabulary, states = self._numbered, self._vocabulary, self._current_states(model)

        def at_ticks() -> KernelFacts:
            whole = NumberedTemporalProgram(reify_pairs(self._whole), vocabulary)
            there = data.mapped(lambda said: said, lambda rows: whole.of_conclusions(rows, numbered))
            return rebuild_evaluation(whole, there, states).model.facts(), whole

        return ProofContext(given, self._ticks, numbered, vocabulary, data, states, facts, at_ticks)

    def tick_of(self, ticks: int) -> int:
        """Return the tick of a timestamp in the smallest units of the stream's time."""
        return self._ticks.tick_of_time(ticks)

    def concludes(self, predicate: URIRef) -> bool:
        """Return true if rules conclude this class or property."""
        return any(predicate == name for name, _ in self._program.conclusions.values())

    def follow(self) -> None:
        """From now on, record the changes that `take_facts` returns."""
        self._log.follow()

    def take_facts(self) -> Integers:
        """Return the changes of `facts` since the last call: inserted (1) and deleted (-1, last column), each
        fact once.
        """
        return self._log.take_facts()

    def _record(self, at: TimePoint, changes: Integers) -> None:
        """Record changes of the conclusions, at a time within the present tick."""
        assert self._data is not None, "a tick has begun"
        self._log.record(self._data.tick, at, changes, self._numbered)

    @property
    def _decoder(self) -> ConclusionDecoder:
        tuples = TupleNumbers() if self._data is None else self._data.tuples
        return ConclusionDecoder(self._numbered, self._vocabulary.lexicon, tuples)

    # -- feedback ----------------------------------------------------------------------------------

    @property
    def feeds_back(self) -> bool:
        """True if the conclusions of a tick are asserted at the next tick."""
        return self._given.rules.feedback

    def next_feedback(self, after: int, until: int, model: WindowModel) -> Feedback | None:
        """Return the next conclusions to assert after one time and up to another; None if there are none.

        Times are in the smallest units of the stream's time.
        """
        data = self._data
        if data is None:
            begun = self.due(after, until)
            return None if begun is None else Feedback(begun, NO_FACTS)
        if data.tick >= self._ticks.tick_of_time(until):
            return None
        concluded, numbered, ticks = self._make_evaluation(model).model.facts(), self._numbered, self._ticks
        facts, left_out = numbered.fed_back(concluded), numbered.not_assertable(concluded)
        due = self.due(after, until)
        if due is not None and due <= ticks.end_of(data.tick):  # conclusions may change before the tick ends
            return Feedback(due, NO_FACTS)
        if len(facts):
            return Feedback(ticks.end_of(data.tick) + 1, facts, left_out)
        if due is None and left_out:
            due = ticks.end_of(ticks.tick_of_time(until) - 1) + 1  # counted at each tick until then
        return (
            None if due is None else Feedback(due, NO_FACTS, left_out * (ticks.tick_of_time(due) - data.tick))
        )

    @property
    def fixpoint_detector(self) -> FixpointDetector:
        """A new detector of identical ticks for these rules."""
        return FixpointDetector(self._numbered.reach)

    # -- the steps ---------------------------------------------------------------------------------

    @property
    def needed_symbols(self) -> Symbols:
        """See `Consumer`: the classes and properties whose states the rules read."""
        return frozenset(each.source for each in self._program.inputs if not each.is_asserted)

    @property
    def bytes_used(self) -> int:
        """See `Consumer`."""
        said = 0 if self._data is None else self._data.bytes
        return said + (0 if self._evaluation is None else self._evaluation.model.bytes_used)

    def due(self, after: int, until: int) -> int | None:
        """See `Consumer`: the next tick at which a fact or conclusion may start or cease to hold, or the
        first tick.

        Raises:
            TemporalRuleError: conclusions change at each tick, and `until` is too many ticks ahead.
        """
        if self._evaluation is not None and self._evaluation.is_repeating and self._data is not None:
            check_jump(self._ticks.tick_of_time(until) - self._data.tick)
        due = list(self._due_ticks())
        if (left := self._next_eviction) is not None:
            due.append(self._ticks.tick_of_time(left))
        ends = map(self._ticks.end_of, due)
        last = self._ticks.end_of(self._ticks.tick_of_time(until) - 1)
        return min((end for end in ends if after < end <= last), default=None)

    @property
    def next_turn(self) -> int | None:
        """Next time at which a fact or conclusion may start or cease to hold, or at which conclusions are
        asserted; None if there is no such time.
        """
        due = list(self._due_ticks())
        if self.feeds_back and self._data is not None and self._evaluation is not None:
            facts = self._numbered.fed_back(self._evaluation.model.facts())
            due += [self._data.tick + 1] * bool(len(facts))
        times = [self._ticks.end_of(tick - 1) + 1 for tick in due]
        return min(times if (left := self._next_eviction) is None else [*times, left], default=None)

    def _due_ticks(self) -> Iterator[int]:
        """Yield later ticks at which facts or conclusions may start or cease to hold without new input or
        evictions.
        """
        data = self._data
        if data is None:
            yield from () if self._begins is None else (self._begins,)
            return
        if self._evaluation is None or self.is_unsettled():
            yield data.tick + 1
        if self._evaluation is not None and (due := self._evaluation.next_due()) is not None:
            yield max(due, data.tick + 1)

    @property
    def _next_eviction(self) -> int | None:
        """Time at which the oldest ABox leaves the window; None without one."""
        oldest = None if self._data is None else self._data.oldest
        return None if oldest is None else self._ticks.eviction_time(oldest)

    def is_unsettled(self) -> bool:
        """Return true if remembered conclusions changed at the present tick, so that the next tick may
        differ.
        """
        return self._evaluation is not None and self._evaluation.has_remembered_changes

    def before(self, step: Step, model: WindowModel) -> None:
        """See `Consumer`. Nothing remains to be done, since `apply` has received all changes."""

    def apply(self, changes: Changes, model: WindowModel) -> None:
        """Update the conclusions of the temporal rules by the changes of a step, as a `Consumer`.

        Raises:
            ConsumersExceedMemoryError: the temporal kernel exceeds the limit of bytes.
        """
        try:
            self._apply(changes, model)
        except CapacityExceededError as error:
            raise ConsumersExceedMemoryError(error.bytes, error.bytes) from None
        evaluation, data = self._evaluation, self._data
        if evaluation is not None and data is not None and wastes_memory(evaluation, data, self._most_bytes):
            self._evaluation = rebuild_evaluation(self._numbered, data, self._current_states(model))

    def _apply(self, changes: Changes, model: WindowModel) -> None:
        assert changes.step is not None and changes.at is not None, "temporal rules belong to a window"
        if self._data is None and changes.step.kind is not self._ticks.kind:
            self._compile(replace(self._ticks, kind=changes.step.kind))
        tick = self._ticks.tick_of_step(changes.step)
        if not self._numbered.fits:
            self._renumber()
        states = net_changes(self._numbered.select_inputs(changes.fact_changes, is_asserted=False))
        inserted, deleted = split_changes(states)
        if self._data is None:
            first = tick - self._program.largest if self._begins is None else self._begins
            if tick < first:
                return
            self._data = DataStream(first, tick, TickHistory(first), TupleNumbers())
            self._evaluation = RuleEvaluation(self._numbered, first, tick, self._data.tuples)
            self._evaluation.restore(self._data.past)
            initial = self._concluded(self._evaluation)
            self._record(changes.at, signed(initial, 1))
            inserted, deleted = self._current_states(model), NO_FACTS
        evaluation = self._evaluation
        if evaluation is None:
            states = union(difference(self._current_states(model), inserted), deleted)
            evaluation = self._evaluation = rebuild_evaluation(self._numbered, self._data, states)
        if self._most_bytes is not None:
            evaluation.model.limit(2 * self._most_bytes)
        if tick > self._data.tick:
            self._close_tick(evaluation, tick, changes.at)
        self._data = self._with_step(self._data, changes, inserted, deleted)
        evaluation.change(inserted, deleted, self._data.asserted)
        self._evaluation = evaluation
        self._record(changes.at, evaluation.take_changes())

    def _close_tick(self, evaluation: RuleEvaluation, tick: int, at: TimePoint) -> None:
        """Close the present tick and advance to a later one.

        Args:
            evaluation: the evaluation; it counts as lost until it has advanced.
            tick: the later tick.
            at: a time within the later tick.
        """
        data = self._data
        assert data is not None, "a tick has begun"
        concluded, withdrawn = evaluation.remembered_changes
        counted = evaluation.oldest_counted
        needed = data.tick - self._program.largest
        needed = needed if counted is None else min(needed, counted)
        needed = data.first if self._program.keeps_all else needed
        self._data = data.close_tick(tick, concluded, withdrawn, needed)
        self._evaluation = None  # until it is done
        evaluation.advance(tick, concluded, withdrawn)
        self._record(at, evaluation.take_changes())

    def _with_step(
        self, data: DataStream, changes: Changes, inserted: Integers, deleted: Integers
    ) -> DataStream:
        """Return the history of ticks with the changes of a step at the present tick."""
        if len(inserted) or len(deleted):
            data = data.with_changes(inserted, deleted)
        for entry in changes.entries:
            data = data.with_abox(entry, partial(self._numbered.select_inputs, is_asserted=True))
        oldest = next(iter(changes.log or ()), None)
        return data._replace(oldest=None if oldest is None else oldest.ticks)

    def _current_states(self, model: WindowModel) -> Integers:
        """Return the facts of the window model that the rules read."""
        return self._numbered.select_inputs(model.facts(), is_asserted=False)

    # -- the evaluation, made again ----------------------------------------------------------------

    def _make_evaluation(self, model: WindowModel) -> RuleEvaluation:
        """Return the evaluation. If an error lost it, it is rebuilt, at the cost of a pass over history and
        states.
        """
        if not self._numbered.fits:
            self._renumber()
        if self._evaluation is None:
            assert self._data is not None, "a tick has begun"
            self._evaluation = rebuild_evaluation(self._numbered, self._data, self._current_states(model))
        return self._evaluation

    def mark(self) -> object:
        """See `Consumer`."""
        return self._data, self._log.mark()

    def back(self, mark: object) -> None:
        """See `Consumer`."""
        assert isinstance(mark, tuple)
        data, notes = mark
        self._log.back(notes)
        if data is not self._data:
            self._data, self._evaluation = data, None
            self._log.reset()

    # -- terms -------------------------------------------------------------------------------------

    def used_terms(self, used: UsedTerms) -> None:
        """See `Consumer`."""
        if self._data is not None:
            for part in self._data.stream_facts():
                used.add(part)
            for part in self._data.kernel_facts():
                used.add(without_predicates(self._data.tuples.without_tuples(part)))
        numbers = [self._vocabulary.number_symbol(each.source) for each in self._program.inputs]
        used.symbols[numbers] = 1
        used.symbols[self._numbered.symbols] = 1
        if self._evaluation is not None:
            facts = without_predicates(self._evaluation.model.facts())
            terms, names = facts[:, 1:], self._vocabulary.counts[1]
            terms[(terms >= names) & (terms < FIRST_LITERAL)] = NONE  # pairs and tuples: numbers of their own
            used.add(facts)

    def renamed(self, renaming: Renaming) -> None:
        """See `Consumer`."""
        self._renumber()
        if self._data is not None:
            self._data = self._data.renamed(renaming)

    def _renumber(self) -> None:
        """Compile the program with the present numbers of the vocabulary; the evaluation must be rebuilt."""
        self._numbered, self._evaluation = NumberedTemporalProgram(self._program, self._vocabulary), None
        self._log.reset()

    def rebuilt(self, model: WindowModel, saved: bytes | None) -> None:
        """See `Consumer`."""
        if saved:
            self._compile(replace(self._ticks, kind=kind_of_saved(saved)))
            self._data, self._evaluation = data_of(saved, self._numbered, self._vocabulary), None
            self._log.reset()
        if saved and self._data is not None:
            self._make_evaluation(model)  # conclusions keep their literals if equal values arrive

    def saved(self) -> Saved:
        """See `Consumer`."""
        given = self._given.rules, self._data, self._numbered, self._vocabulary.lexicon
        return lambda pace: to_bytes(*given, pace)


class ConclusionFeed:
    """Conclusions that are triples, for registered queries.

    Args:
        engine: the engine of temporal rules.
        model: function that returns the window model.
        are_joined: true if conclusions belong to the default graph too.
    """

    def __init__(
        self, engine: TemporalRuleEngine, model: Callable[[], WindowModel], are_joined: bool
    ) -> None:
        self._engine, self._model, self._are_joined = engine, model, are_joined
        engine.follow()

    def are_joined_for(self, needed: Symbols) -> bool:
        """Return true if conclusions belong to the default graph of a query.

        Args:
            needed: classes and properties in the query; None for all.
        """
        return self._are_joined and (needed is None or not needed.isdisjoint(self._engine.symbols))

    def facts(self) -> Integers:
        """Return all conclusions, shape (n, 3)."""
        return self._engine.facts(self._model())

    def take_facts(self) -> Integers:
        """See `TemporalRuleEngine`."""
        return self._engine.take_facts()
