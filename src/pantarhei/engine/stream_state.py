"""State of a stream reasoner: history of the stream, window model, vocabulary. Each step changes it
atomically.

The history is the ground truth; the window model is derived from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from rdflib import Literal

from pantarhei.encoding.encode import encode_abox, prefix_of_push
from pantarhei.encoding.footprint import vocabulary_bytes
from pantarhei.encoding.given_forms import NO_CHANGE
from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FACTS, NO_FORMS, Encoded, Fact, Integers
from pantarhei.engine.consumer import DeliveryState
from pantarhei.engine.diagnostics import NameSource
from pantarhei.engine.limited_step import LimitedStep
from pantarhei.engine.maintained_state import MaintainedState, ModelView
from pantarhei.engine.options import Options
from pantarhei.engine.step_transaction import Outcome, StepLog, StepTransaction
from pantarhei.engine.stream_history import Counters, HistoryWriter, StreamHistory
from pantarhei.engine.temporal_engine import CONCLUSIONS, ConclusionFeed, TemporalRuleEngine
from pantarhei.engine.update import FedBack, Stats, WindowUpdate, refuse_endless
from pantarhei.errors import ForeignInterpretationError, InvalidTripleError, TimestampError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import ClosedABox, Interpretation, encode, split
from pantarhei.materialize.model import WindowModel
from pantarhei.model.datetimes import EXACT
from pantarhei.model.rule import Predicate
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.model.time import TimePoint, is_finer, plain_time, show_time, ticks_of, time_of
from pantarhei.repair.quality import Quality, quality_of
from pantarhei.repair.repairer import Repairer
from pantarhei.repair.result import Conflict, ConflictList, Prove
from pantarhei.rules.compilation.program import Program
from pantarhei.temporal.conclusion_sets import ConclusionSet
from pantarhei.temporal.rules import TemporalRules, with_ontology
from pantarhei.window.log import Entry, Log
from pantarhei.window.retention import PastEntries
from pantarhei.window.sliding import Step, step_to
from pantarhei.window.watermark import Waiting

if TYPE_CHECKING:
    import pyarrow as pa

    from pantarhei.encoding.encode import ABox


class Arriving(NamedTuple):
    """An ABox to insert.

    Args:
        parts: the parts of the ABox: graphs, triples or tables; if `are_closed`, interpretations or tables
            with a column `derived`.
        are_closed: true if the parts include all facts that follow from them.
        scope: prefix of the labels of blank nodes in tables; by default a new prefix for each part.
        waiting: the ABoxes that remain to be inserted after this one; None if they do not change.
    """

    parts: Sequence[Any]
    are_closed: bool = False
    scope: str | None = None
    waiting: Waiting[ABox] | None = None


class StreamState(MaintainedState[StreamHistory]):
    """State of a stream reasoner. Not thread-safe.

    Args:
        foundation: the foundation; the state owns it and numbers further terms in it.
        options: the options of the reasoner.
        prove: finds the proofs of conflicts.
        known: function that returns the names of ontology and background.

    `rule_engine` is the engine of temporal rules, None without rules.

    Raises:
        InconsistentOntologyError: the background violates a constraint.
        MemoryLimitError: the background alone exceeds the limits.
    """

    def __init__(
        self, foundation: Foundation, options: Options, prove: Prove, known: NameSource = lambda: None
    ) -> None:
        self.options, self.prove = options, prove
        self._repairer = Repairer(
            options.repair, options.budget, foundation.vocabulary, prove, self._build_plain
        )
        self._log, self._is_limited = StepLog(options.limits), bool(options.limits)
        self._history_writer = HistoryWriter(options.history)
        history = StreamHistory(past=PastEntries(options.history))
        super().__init__(foundation, history, options.keep, options.limits, options.derive, known)
        self.rule_engine: TemporalRuleEngine | None = None

    def conclude(self, rules: TemporalRules, known: Collection[Predicate]) -> None:
        """Evaluate temporal rules from now on.

        Args:
            rules: the rules.
            known: the ontology's classes and properties.

        Raises:
            TemporalRuleError: the rules do not fit the window or the ontology.
        """
        given = with_ontology(rules, self.growing.theory, known)
        most_bytes = self.options.limits.max_bytes
        engine = TemporalRuleEngine(
            given, self.options.window, self.vocabulary, most_bytes, self.options.tick
        )
        self.attach(CONCLUSIONS, engine)
        self.rule_engine = engine

    def conclusions(self) -> frozenset[TemporalAtom]:
        """Return the conclusions of temporal rules at the present tick."""
        return frozenset() if self.rule_engine is None else self.rule_engine.atoms(self.model)

    def concluded_triples(self) -> ConclusionSet:
        """Return the conclusions of the present tick that are triples."""
        return ConclusionSet(()) if self.rule_engine is None else self.rule_engine.triples(self.model)

    @property
    def temporal(self) -> TemporalRules | None:
        """The temporal rules; None without rules."""
        return None if self.rule_engine is None else self.rule_engine.rules

    @property
    def next_turn(self) -> int | None:
        """The next tick at which a conclusion may change, in the smallest unit of the stream's time; None if
        unknown.
        """
        return None if self.rule_engine is None else self.rule_engine.next_turn

    def concluded(self) -> Integers:
        """Return the conclusions that are triples, as facts, shape (n, 3)."""
        return NO_FACTS if self.rule_engine is None else self.rule_engine.facts(self.model)

    def followed_conclusions(self) -> ConclusionFeed | None:
        """Return the feed of conclusions for registered queries; None without rules."""
        if self.rule_engine is None:
            return None
        are_joined = self.options.conclusions == "default"
        return ConclusionFeed(self.rule_engine, lambda: self.model, are_joined)

    # -- steps -------------------------------------------------------------------------------------

    def step(self, at: TimePoint, arriving: Arriving | None) -> WindowUpdate:
        """Run a step: insert an ABox, which may be a further part of the newest one, or only advance the
        time.

        If temporal rules have feedback, their conclusions are asserted at the ticks before; the step is
        atomic nevertheless.

        Args:
            at: the time.
            arriving: the ABox; None to advance the time only.
        """
        is_cut, at, now = self.is_cut(at), plain_time(at), self._version.history.step
        step = step_to(self.options.window, now, at)
        if (engine := self.rule_engine) is None:
            update = self._run(at, step, arriving)
        else:
            if engine.feeds_back and now and engine.next_feedback(now.now, step.now, self.model):
                self.forget_unused(step)
                with self.whole(each_step=True):
                    update = self._feed_back(engine, at, step, arriving)
            else:
                update = self._run(at, step, arriving)
            update = replace(update, conclusions=engine.take_changes())
        if is_cut:
            self.count(Counters(times_cut=1))
        return update

    def _feed_back(
        self, engine: TemporalRuleEngine, at: TimePoint, step: Step, arriving: Arriving | None
    ) -> WindowUpdate:
        """Assert the conclusions of the ticks before a step, then run the step."""
        steps, fed_back = list[WindowUpdate](), list[FedBack]()
        not_assertable = 0
        detector = engine.fixpoint_detector
        while (now := self.history.step) is not None and (
            feedback := engine.next_feedback(now.now, step.now, self.model)
        ) is not None:
            ahead = engine.tick_of(step.now) - engine.tick_of(now.now)
            is_known = not self.options.limits and detector.is_reached(len(self.history.log.timeline))
            refuse_endless(len(fed_back) + is_known * ahead)
            then, facts = time_of(feedback.at, now.kind), feedback.facts
            not_assertable += feedback.not_assertable
            stop = step_to(self.options.window, now, then)
            abox = ClosedABox(facts, Encoded(facts, NO_FORMS), finished=False) if len(facts) else None
            steps.append(self._run(then, stop, abox))
            if len(facts):
                self.count(Counters(fed_back=len(facts)))
                fed_back.append(FedBack(then, len(facts), steps[-1].repair))
            is_all = self._derive == "all" and steps[-1].changes_nothing and not engine.is_unsettled()
            detector.note(facts, is_all)
        self.count(Counters(not_fed_back=not_assertable))
        return self._run(at, step, arriving).after(steps, tuple(fed_back), not_assertable)

    def _run(self, at: TimePoint, step: Step, arriving: Arriving | ClosedABox | None) -> WindowUpdate:
        """Run one step on the model and store the result. If it fails, nothing is stored.

        The model counts as lost until the result is stored; then it is rebuilt from the history if it is
        needed.
        """
        before = self._begin_step(may_forget=self._may_forget(step))
        try:
            given = None if arriving is None else self._encoded(arriving)
            if given is not None:
                given = self._covered(given)
            model, history = self.model, self.history  # a rebuilt model changes the history
            if model.records_levels != self.consumers.needs_levels:
                model.record_levels(self.consumers.needs_levels)
            if isinstance(arriving, Arriving) and arriving.waiting is not None:
                history = replace(history, waiting=arriving.waiting)
            transaction = StepTransaction(
                model,
                history,
                self.forms,
                self._repairer,
                step,
                self.options.window,
                self._version.memory,
                self.consumers,
                at,
                given,
                self._version.delivery,
                before.marks,
                is_limited=self._is_limited,
            )
            self.drop_model()
            if self._is_limited:
                limited = LimitedStep(transaction, self.foundation.common, self._build, self._deliver_now)
                return self._commit(*limited.outcome())
            done = transaction.run()
            if done.delivery.waiting:
                done = done._replace(delivery=self._deliver_now(done.delivery, model))
            return self._commit(model, done)
        except BaseException:
            self._roll_back(before)
            raise

    def _encoded(self, arriving: Arriving | ClosedABox) -> ClosedABox:
        """Encode an ABox in the numbers of the vocabulary.

        Raises:
            InvalidTripleError: a part is not an ABox, or an item is not a triple.
            ForeignInterpretationError: an interpretation was made with another foundation.
        """
        if isinstance(arriving, ClosedABox):
            return arriving
        number, found = self.history.messages + 1, []
        for place, part in enumerate(arriving.parts):
            scope = prefix_of_push(number, place) if arriving.scope is None else arriving.scope
            if arriving.are_closed:
                found.append(self._encoded_closed(part, scope))
            else:
                encoded = encode_abox(self.vocabulary, part, scope)
                found.append(ClosedABox(encoded.facts, encoded, finished=False))
        return found[0] if len(found) == 1 else ClosedABox.together(found)

    def _encoded_closed(self, given: Interpretation | pa.Table, scope: str) -> ClosedABox:
        if not isinstance(given, Interpretation):
            if not hasattr(given, "schema"):
                expected = "an Interpretation, or a pyarrow.Table with a column `derived`"
                raise InvalidTripleError(repr(given)[:200], f"expected {expected}")
            return split(given, encode_abox(self.vocabulary, given, scope))
        made_with, ours = given.foundation, self.foundation
        if made_with != ours.digest:
            raise ForeignInterpretationError(made_with, ours.digest)
        return encode(given, self.vocabulary, ours.common, scope)

    def _covered(self, given: ClosedABox) -> ClosedABox:
        """Extend the program to cover an ABox. Returns the ABox without facts that the rules in force do not
        derive.
        """
        self._cover(given.asserted.facts)
        if given.finished and self.part.lacks:
            return given.without([self.vocabulary.number_symbol(symbol) for symbol in self.part.lacks])
        return given

    @contextmanager
    def whole(self, each_step: bool = False) -> Iterator[None]:
        """Roll back all steps inside the block if one raises. Records for the history sink are written at the
        end.
        """
        with super().whole(each_step):
            yield
        self._write_due()

    def flush_history(self) -> None:
        """Remove all ABoxes from the past and write them to the history sink."""
        past = self.history.past.within(-1)
        self._version = self._version._replace(history=replace(self.history, past=past))
        self._write_due(least=1)

    def _write_due(self, least: int | None = None) -> None:
        """Write ABoxes that have left the past to the history sink, if they fill a batch of `least`
        assertions.
        """
        if self._version.is_part or not self.history.past.due:
            return
        history = self._history_writer.write(self.history, self.vocabulary, least)
        self._version = self._version._replace(history=history)

    def set_waiting(self, waiting: Waiting[ABox]) -> None:
        """Replace the ABoxes that wait to be inserted."""
        self._version = self._version._replace(history=replace(self.history, waiting=waiting))

    def is_cut(self, at: TimePoint) -> bool:
        """Return true if a timestamp is finer than microseconds, so that it is truncated.

        Raises:
            TimestampError: the timestamp is finer, and `precision="exact"`.
        """
        if not is_finer(at):
            return False
        if self.options.precision == "exact":
            raise TimestampError(f"the timestamp {at}", EXACT)
        return True

    def count(self, more: Counters) -> None:
        """Add to the counters."""
        history = replace(self.history, counters=self.history.counters.plus(more))
        self._version = self._version._replace(history=history)

    # -- reads -------------------------------------------------------------------------------------

    def history_at(self, at: TimePoint) -> StreamHistory:
        """Return the history as of the last step at or before a time.

        Raises:
            ForgottenTimeError: the time is outside the window and the history.
            TimestampError: the time is of another kind than the stream's, or the stream has not begun.
        """
        step = self.history.step
        if step is None:
            expected = "a time from the first ABox on, but no ABox has arrived yet"
            raise TimestampError(f"the time {show_time(at)}", expected)
        return self.history.at(ticks_of(at, step.kind), self.options.window)

    def quality(self) -> Quality:
        """Count conflicts and cuts in the window and the past."""
        history = self.history
        departures = [*history.past.due, *history.past.departures()]
        left = {entry.level: each.ticks for each in departures for entry in each.entries}
        entries = [*history.past.entries(), *history.log]
        return quality_of(entries, left, history.repairs, self.vocabulary, history.now, self.prove.labels)

    def shown_of(self, history: StreamHistory) -> ModelView:
        """Build the model of an earlier history. Costs a materialization."""
        model, _ = self._build_from(history, self.growing.program)
        model.violations()
        model.take_changes()
        forms: dict[Fact, Literal] = {}
        for entry in reversed(list(history.log)):  # the form that was given first is shown
            forms.update(entry.forms.by_fact)
        return ModelView(model, forms)

    def conflicts(self) -> ConflictList[Conflict]:
        """Return all conflict sets of the window with `repair="off"`, else none. Costs a pass over the
        facts.
        """
        newest = self.history.log.newest
        if self.options.repair != "off" or newest is None:
            return ConflictList.of(())
        model, older = self.model, self.history.log.without_newest()
        model.find_violations()
        lineage = model.lineage(self.options.budget.instances)
        if lineage is None:
            return ConflictList.of(())
        return self._repairer.repair(model, older, newest, lineage).repair.conflicts

    def stats(self) -> Stats:
        """Return sizes and counters."""
        self.forget_unused()
        model, log, terms = self.model, self.history.log, self.vocabulary
        stored = len(model), log.assertions, len(log.timeline)
        history_bytes = log.bytes + self.history.past.bytes
        size = model.bytes_used, history_bytes, vocabulary_bytes(terms), self.consumers.bytes_used
        done = *self.history.counters, len(self.history.waiting), self.history.past.timestamps
        rules = len(self.growing.program.rules), len(model.program.rules)
        return Stats(*stored, *terms.counts, *size, *model.work, *done, *rules, *self.mistakes)

    def computed_literals(self) -> Integers:
        """Return the numbers of the literals in the materialization that rules have computed."""
        if not self.growing.program.builtins:
            return np.empty(0, np.int32)
        objects = self.model.facts()[:, 2]
        return objects[objects >= FIRST_LITERAL]

    # -- terms that are not used any more ----------------------------------------------------------

    def forget_unused(self, step: Step | None = None) -> None:
        """Collect unused terms if there are many, unless the newest timestamp may get a further part.

        Args:
            step: the step that follows; None if unknown.
        """
        if self._may_forget(step):
            super().forget_unused()

    def _may_forget(self, step: Step | None) -> bool:
        """Return true if terms may be collected. With consumers they may not before a further part of a
        timestamp.
        """
        if not self.consumers.attached:
            return True
        newest = self.history.log.newest
        return newest is None or (step is not None and step.now != newest.ticks)

    # -- one step ----------------------------------------------------------------------------------

    def _deliver_now(self, delivery: DeliveryState, model: WindowModel) -> DeliveryState:
        """Deliver the changes of a step to the consumers that receive them before the end of a block."""
        if self._version.delivers_steps:
            return self._deliver(delivery, model)
        return self.consumers.deliver_steps(delivery, model)

    def _commit(self, model: WindowModel, done: Outcome) -> WindowUpdate:
        """Store the result of a step, which takes effect with this.

        If logging or anything else before fails, the state is unchanged.
        """
        self._log.write(done, self.history.counters)
        forms = self.forms if done.forms is NO_CHANGE else self.forms.after(done.forms)
        kept = None if done.needs_rebuild else model
        self._version = self._version._replace(
            history=done.history, forms=forms, memory=done.memory, model=kept, delivery=done.delivery
        )
        if done.history.past.due:
            self._write_due()
        update = done.update
        return update if self._derive == "all" else replace(update, delta=update.delta.forgotten())

    def _build_plain(self, older: Log, arriving: Entry) -> WindowModel:
        """Build a model with the facts of a log and an arriving ABox. It does not depend on the order or the
        form in which the stream was pushed.
        """
        parts = [(facts, entry.level) for entry, facts in older.kept()][::-1]
        parts.append((arriving.facts, arriving.level))
        model = self.foundation.model("newest", parts[0][1], self.growing.program)
        model.fill(parts)
        return model

    def _build_from(self, history: StreamHistory, program: Program) -> tuple[WindowModel, StreamHistory]:
        newest, arrival = history.log.newest, history.arrival
        older = history.log if newest is None else history.log.without_newest()
        entries = list(older.kept())[::-1]
        first = (
            entries[0][0].level if entries else newest.level if newest else history.log.timeline.next_level
        )
        model = self.foundation.model(self.options.keep, first, program)
        model.fill([(facts, entry.level) for entry, facts in entries])
        if newest is not None and arrival is not None:
            previous = model.add(newest.facts, newest.level)
            if len(newest.cut):
                model.cut(newest.cut)
            history = replace(history, arrival=arrival._replace(facts=newest.facts, previous=previous))
        return model, history
