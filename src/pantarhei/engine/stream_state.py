"""What a reasoner holds: the books of its stream, the window model, the terms; changed whole or not at all.

The books hold what was asserted and cut: the ground truth, which the window model is derived from.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from rdflib import Literal

from pantarhei.encoding.footprint import vocabulary_bytes
from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FACTS, NO_FORMS, Encoded, Fact, Integers
from pantarhei.engine.consumer import Marks, Told
from pantarhei.engine.diagnostics import Known
from pantarhei.engine.limited_step import Attempts
from pantarhei.engine.maintained_state import ShownModel, Upkeep
from pantarhei.engine.options import Options
from pantarhei.engine.step_transaction import Outcome, StepLog, Tick
from pantarhei.engine.stream_history import Books, Counters, HistoryWriter
from pantarhei.engine.temporal_engine import CONCLUSIONS, Concluding, FollowedConclusions
from pantarhei.engine.update import NO_DELTA, FedBack, Stats, WindowUpdate, refuse_endless
from pantarhei.errors import TimestampError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import ClosedABox
from pantarhei.materialize.model import WindowModel
from pantarhei.model.datetimes import EXACT
from pantarhei.model.rule import Predicate
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.model.time import TimePoint, is_finer, show_time, ticks_of, time_of
from pantarhei.rdf.ntriples import prefix_of_push
from pantarhei.repair.quality import Quality, quality_of
from pantarhei.repair.repairer import Repairer
from pantarhei.repair.result import Conflict, ConflictList, Prove
from pantarhei.rules.compilation.program import Program
from pantarhei.temporal.conclusion_sets import ConclusionSet
from pantarhei.temporal.rules import TemporalRules, with_ontology
from pantarhei.window.log import Entry, Log
from pantarhei.window.retention import Past
from pantarhei.window.sliding import Step, step_to
from pantarhei.window.watermark import Waiting

if TYPE_CHECKING:
    from pantarhei.encoding.encode import ABox


class Holdings(Upkeep[Books]):
    """The state of a reasoner; not for several threads at once.

    Args:
        foundation: what all rests on; it belongs to the holdings, which go on numbering.
        options: what the reasoner was told.
        prove: finds the proofs of conflicts.
        known: gives the names that ontology and background know.

    Raises:
        InconsistentOntologyError: the background violates a constraint.
        MemoryLimitError: the background alone exceeds the limits.
    """

    def __init__(
        self, foundation: Foundation, options: Options, prove: Prove, known: Known = lambda: None
    ) -> None:
        self.options, self.prove = options, prove
        self._repairer = Repairer(
            options.repair, options.budget, foundation.vocabulary, prove, self._filled_anew
        )
        self._log = StepLog(options.limits)
        self._history_writer = HistoryWriter(options.history)
        books = Books(past=Past(options.history))
        super().__init__(foundation, books, options.keep, options.limits, options.derive, known)
        self._concluding: Concluding | None = None

    def conclude(self, rules: TemporalRules, known: Collection[Predicate]) -> None:
        """Evaluate temporal rules from now on.

        Args:
            known: the ontology's classes and properties.

        Raises:
            TemporalRuleError: they do not fit the window or the ontology.
        """
        given = with_ontology(rules, self.growing.theory, known)
        most_bytes = self.options.limits.max_bytes
        concluding = Concluding(given, self.options.window, self.vocabulary, most_bytes)
        self.attach(CONCLUSIONS, concluding)
        self._concluding = concluding

    @property
    def concluding(self) -> Concluding | None:
        """What evaluates temporal rules, None where there are none."""
        return self._concluding

    def conclusions(self) -> frozenset[TemporalAtom]:
        """What temporal rules conclude at the present tick."""
        return frozenset() if self._concluding is None else self._concluding.atoms(self.model)

    def concluded_triples(self) -> ConclusionSet:
        """Return the conclusions of the present tick that are triples."""
        return ConclusionSet(()) if self._concluding is None else self._concluding.triples(self.model)

    @property
    def temporal(self) -> TemporalRules | None:
        """The temporal rules; None where there are none."""
        return None if self._concluding is None else self._concluding.rules

    @property
    def next_turn(self) -> int | None:
        """See `Concluding`; in the stream's smallest units."""
        return None if self._concluding is None else self._concluding.next_turn

    @property
    def concludes(self) -> bool:
        """Whether there are temporal rules."""
        return self._concluding is not None

    def concluded(self) -> Integers:
        """The conclusions that are triples, as facts, shape (n, 3)."""
        return NO_FACTS if self._concluding is None else self._concluding.facts(self.model)

    def followed_conclusions(self) -> FollowedConclusions | None:
        """The same for who follows them; None where there are no rules."""
        if self._concluding is None:
            return None
        are_joined = self.options.conclusions == "default"
        return FollowedConclusions(self._concluding, lambda: self.model, are_joined)

    # -- steps -------------------------------------------------------------------------------------

    def pass_(self, at: TimePoint) -> WindowUpdate:
        """Time alone."""
        return self._after_feedback(at, lambda: self._pass(at))

    def _pass(self, at: TimePoint) -> WindowUpdate:
        return self._step_to(at, lambda step, marks: self._transact(step, marks, lambda tick: tick.pass_(at)))

    def take_in(
        self,
        at: TimePoint,
        parts: Sequence[Callable[[str], ClosedABox]],
        waiting: Waiting[ABox] | None = None,
    ) -> WindowUpdate:
        """Take in an ABox, new or a further part of the newest.

        Args:
            at: its timestamp.
            parts: each encodes a part of it, given the prefix for the labels of its blank nodes.
            waiting: the ABoxes that wait once it is taken in; None for those that wait before.
        """

        def work() -> WindowUpdate:
            return self._step_to(
                at, lambda step, marks: self._take_in(step, marks, at, self._read(parts), waiting)
            )

        return self._after_feedback(at, work)

    def _after_feedback(self, at: TimePoint, work: Callable[[], WindowUpdate]) -> WindowUpdate:
        """What `work` comes to at a time, after conclusions were asserted on the way, where rules have
        feedback; all of it or nothing.
        """
        if self._concluding is None:
            return work()
        if self._concluding.feeds_back and (step := self._step_at(at)) is not None:
            self.forget_unused(step)
            with self.whole(each_step=True):
                update = self._feed_back(step.now, work)
        else:
            update = work()
        return replace(update, conclusions=self._concluding.take_changes())

    def _step_at(self, at: TimePoint) -> Step | None:
        """The step to a time, if conclusions are to be asserted on the way."""
        assert self._concluding is not None, "there are rules"
        step, now = step_to(self.options.window, self.books.step, at), self.books.step
        has_more = now and self._concluding.next_feedback(now.now, step.now, self.model)
        return step if has_more else None

    def _feed_back(self, until: int, work: Callable[[], WindowUpdate]) -> WindowUpdate:
        concluding, steps, fed_back = self._concluding, list[WindowUpdate](), list[FedBack]()
        not_assertable = 0
        assert concluding is not None, "there are rules"
        standstill = concluding.standstill
        while (now := self.books.step) is not None and (
            feedback := concluding.next_feedback(now.now, until, self.model)
        ) is not None:
            ahead = concluding.tick_of(until) - concluding.tick_of(now.now)
            is_known = not self.options.limits and standstill.is_reached(len(self.books.log.timeline))
            refuse_endless(len(fed_back) + is_known * ahead)
            at, facts = time_of(feedback.at, now.kind), feedback.facts
            not_assertable += feedback.not_assertable
            steps.append(self._assert(at, facts) if len(facts) else self._pass(at))
            if len(facts):
                fed_back.append(FedBack(at, len(facts), steps[-1].repair))
            is_all = self._derive == "all" and steps[-1].changes_nothing and not concluding.is_unsettled()
            standstill.note(facts, is_all)
        self.count(Counters(not_fed_back=not_assertable))
        return work().after(steps, tuple(fed_back), not_assertable)

    def _assert(self, at: TimePoint, facts: Integers) -> WindowUpdate:
        """Conclusions as the ABox of a timestamp."""
        given = ClosedABox(facts, Encoded(facts, NO_FORMS), finished=False)
        update = self._step_to(at, lambda step, marks: self._take_in(step, marks, at, given))
        self.count(Counters(fed_back=len(facts)))
        return update

    def _read(self, parts: Sequence[Callable[[str], ClosedABox]]) -> ClosedABox:
        number = self.books.messages + 1
        return ClosedABox.together([read(prefix_of_push(number, place)) for place, read in enumerate(parts)])

    def _step_to(self, at: TimePoint, work: Callable[[Step, Marks], WindowUpdate]) -> WindowUpdate:
        """What `work` comes to at the step to `at`; begun without terms that have long not been used.

        Broken off before it has stored how things stand then, it leaves no trace.
        """
        step = step_to(self.options.window, self.books.step, at)
        self.forget_unused(step)
        return self._undone_if_broken(lambda marks: work(step, marks))

    def _take_in(
        self,
        step: Step,
        marks: Marks,
        at: TimePoint,
        given: ClosedABox,
        waiting: Waiting[ABox] | None = None,
    ) -> WindowUpdate:
        self._cover(given.asserted.facts)
        if given.finished and self.part.lacks:
            given = given.without([self.vocabulary.number_symbol(symbol) for symbol in self.part.lacks])
        newest, arriving = self.books.log.newest, given.asserted.facts
        if newest is not None and newest.ticks == step.now:
            return self._transact(
                step, marks, lambda tick: tick.extend(newest, given.asserted), arriving, waiting
            )
        return self._transact(step, marks, lambda tick: tick.take_in(at, given), arriving, waiting)

    @contextmanager
    def whole(self, each_step: bool = False) -> Iterator[None]:
        """As of all upkeep; what left the history inside is handed to its sink at the end."""
        with super().whole(each_step):
            yield
        self._write_due()

    def flush_history(self) -> None:
        """Let all that has left the window leave the history too, and hand it to the sink."""
        past = self.books.past.within(-1)
        self._standing = self._standing._replace(books=replace(self.books, past=past))
        self._write_due(least=1)

    def _write_due(self, least: int | None = None) -> None:
        """Hand to the sink what has left the history, once that is as much as it takes at once."""
        if self._standing.is_part or not self.books.past.due:
            return
        books = self._history_writer.write(self.books, self.vocabulary, least)
        self._standing = self._standing._replace(books=books)

    def let_wait(self, waiting: Waiting[ABox]) -> None:
        """Hold ABoxes that are not taken in so far, in the place of those that waited before."""
        self._standing = self._standing._replace(books=replace(self.books, waiting=waiting))

    def is_cut(self, at: TimePoint) -> bool:
        """Return whether a timestamp is finer than microseconds, and so is cut.

        Raises:
            TimestampError: it is, and such timestamps are refused.
        """
        if not is_finer(at):
            return False
        if self.options.precision == "exact":
            raise TimestampError(f"the timestamp {at}", EXACT)
        return True

    def count(self, more: Counters) -> None:
        """Add to the counters."""
        books = replace(self.books, counters=self.books.counters.plus(more))
        self._standing = self._standing._replace(books=books)

    # -- looking -----------------------------------------------------------------------------------

    def books_at(self, at: TimePoint) -> Books:
        """The books as they stood after the last step at or before a time, for a model to be made of.

        Raises:
            ForgottenTimeError: the time lies outside window and history.
            TimestampError: it is no timestamp of the stream's kind, or the stream has not begun.
        """
        step = self.books.step
        if step is None:
            raise TimestampError(f"the time {show_time(at)}", "one that has been: no ABox has come so far")
        return self.books.at(ticks_of(at, step.kind), self.options.window)

    def quality(self) -> Quality:
        """How what was asserted in window and history fared."""
        books = self.books
        departures = [*books.past.due, *books.past.departures()]
        left = {entry.level: each.ticks for each in departures for entry in each.entries}
        entries = [*books.past.entries(), *books.log]
        return quality_of(entries, left, books.repairs, self.vocabulary, books.now)

    def shown_of(self, books: Books) -> ShownModel:
        """What followed from older books. Costs a materialization."""
        model, _ = self._filled_from(books, self.growing.program)
        model.violations()
        model.take_changes()
        forms: dict[Fact, Literal] = {}
        for entry in reversed(list(books.log)):  # the form that was given first is shown
            forms.update(entry.forms.by_fact)
        return ShownModel(model, forms)

    def conflicts(self) -> ConflictList[Conflict]:
        """All conflict sets of the window as it is now. Costs a pass over the facts, if none is repaired."""
        newest = self.books.log.newest
        if self.options.repair != "off" or newest is None:
            return ConflictList.of(())
        model, older = self.model, self.books.log.without_newest()
        return self._repairer.repair(model, older, newest, model.program.rules).repair.conflicts

    def stats(self) -> Stats:
        """What is held, and what was done."""
        self.forget_unused()
        model, log, terms = self.model, self.books.log, self.vocabulary
        stored = len(model), log.assertions, len(log.timeline)
        books_bytes = log.bytes + self.books.past.bytes
        size = model.bytes_used, books_bytes, vocabulary_bytes(terms), self.consumers.bytes_used
        done = *self.books.counters, len(self.books.waiting), self.books.past.timestamps
        rules = len(self.growing.program.rules), len(model.program.rules)
        return Stats(*stored, *terms.counts, *size, *model.work, *done, *rules, *self.mistakes)

    def computed_literals(self) -> Integers:
        """The literals in the materialization that need not be in the books: what rules have computed."""
        if not self.growing.program.builtins:
            return np.empty(0, np.int32)
        objects = self.model.facts()[:, 2]
        return objects[objects >= FIRST_LITERAL]

    # -- terms that are not used any more ----------------------------------------------------------

    def forget_unused(self, step: Step | None = None) -> None:
        """As of all upkeep; nor with consumers while a further part of the newest timestamp may come.

        Args:
            step: the step that is about to be made, if one is.
        """
        if not (self.consumers and self._may_continue(step)):
            super().forget_unused()

    def _may_continue(self, step: Step | None) -> bool:
        """Whether a further part of the newest timestamp is coming or may come."""
        newest = self.books.log.newest
        return newest is not None and (step is None or step.now == newest.ticks)

    # -- one step ----------------------------------------------------------------------------------

    def _transact(
        self,
        step: Step,
        marks: Marks,
        stages: Callable[[Tick], Outcome],
        arriving: Integers = NO_FACTS,
        waiting: Waiting[ABox] | None = None,
    ) -> WindowUpdate:
        """A tick's `stages` done to the model and written into the books, or nothing.

        The model counts as lost until all has gone well; who needs it then makes it again from the books.
        `arriving` are the facts of the ABox that it takes in, `waiting` the ABoxes that wait then.
        """
        tick = self._tick(step, marks, waiting)
        self.lose_model()
        if not self.options.limits:
            done = stages(tick)
            return self._put_in_place(tick.model, done._replace(told=self._tell(done.told, tick.model)))
        common = self.foundation.common
        attempts = Attempts(tick, stages, arriving, common, self._made_from, self._tell)
        return self._put_in_place(*attempts.outcome())

    def _tell(self, told: Told, model: WindowModel) -> Told:
        """Tell consumers of a step those that are told now."""
        if self._standing.tells:
            return self._tell_consumers(told, model)
        return self.consumers.tell_steps(told, model)

    def _put_in_place(self, model: WindowModel, done: Outcome) -> WindowUpdate:
        """Store what a tick came to: the one moment from which on it is done.

        An error before, in logging as well, leaves all as it was.
        """
        self._log.write(done, self.books.counters)
        forms, kept = self.forms.after(done.forms), None if done.needs_rebuild else model
        self._standing = self._standing._replace(
            books=done.books, forms=forms, memory=done.memory, model=kept, told=done.told
        )
        if done.books.past.due:
            self._write_due()
        return done.update if self._derive == "all" else replace(done.update, delta=NO_DELTA)

    def _tick(self, step: Step, marks: Marks, waiting: Waiting[ABox] | None) -> Tick:
        model = self.model
        model.note_levels(self.consumers.wants_levels)
        return Tick(
            model,
            self.books if waiting is None else replace(self.books, waiting=waiting),
            self.forms,
            self._repairer,
            step,
            self.options.window,
            self._standing.memory,
            self.consumers,
            self._standing.told,
            marks,
        )

    def _filled_anew(self, older: Log, arriving: Entry) -> WindowModel:
        """A model of a log and an ABox that arrives, independently of how the stream was kept and fed."""
        parts = [(facts, entry.level) for entry, facts in older.kept()][::-1]
        parts.append((arriving.facts, arriving.level))
        model = self.foundation.model("newest", parts[0][1], self.growing.program)
        model.fill(parts)
        return model

    def _filled_from(self, books: Books, program: Program) -> tuple[WindowModel, Books]:
        newest, arrival = books.log.newest, books.arrival
        older = books.log if newest is None else books.log.without_newest()
        entries = list(older.kept())[::-1]
        first = entries[0][0].level if entries else newest.level if newest else books.log.timeline.next_level
        model = self.foundation.model(self.options.keep, first, program)
        model.fill([(facts, entry.level) for entry, facts in entries])
        if newest is not None and arrival is not None:
            previous = model.add(newest.facts, newest.level)
            if len(newest.cut):
                model.cut(newest.cut)
            books = replace(books, arrival=arrival._replace(facts=newest.facts, previous=previous))
        return model, books
