"""A step of a stream reasoner within limits, retried with a shorter window if a limit is exceeded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace

from pantarhei.encoding.numbers import UsedTerms
from pantarhei.engine.consumer import ConsumersOverfull, DeliveryState
from pantarhei.engine.memory import compact
from pantarhei.engine.step_transaction import Outcome, StepTransaction
from pantarhei.engine.stream_history import Counters, StreamHistory
from pantarhei.errors import MemoryLimitError
from pantarhei.interpretation.foundation import FoundationCounts
from pantarhei.materialize.model import CapacityExceededError, WindowModel
from pantarhei.model.time import time_of
from pantarhei.window.log import Changes
from pantarhei.window.retention import later_starts


@dataclass(frozen=True, slots=True)
class LimitedStep:
    """A step on the model of the whole window, or on a model of its newest part.

    Args:
        step: the step on the whole window.
        common: the numbers of terms that are always in use.
        model_of: builds the model of a history; returns it, and the history with what undoing its newest ABox
            takes in that model.
        deliver: delivers changes to consumers, given the model; returns the changes still to be delivered.
    """

    step: StepTransaction
    common: FoundationCounts
    model_of: Callable[[StreamHistory], tuple[WindowModel, StreamHistory]]
    deliver: Callable[[DeliveryState, WindowModel], DeliveryState]

    def outcome(self) -> tuple[WindowModel, Outcome]:
        """Run the step; return the model that it has changed, and the result.

        Consumers may hold less memory after the step than before. If the step fails because of what they hold
        before, it runs again without counting that.

        Raises:
            MemoryLimitError: a limit is exceeded in any case.
        """
        step = self.step
        try:
            return self._counted()
        except MemoryLimitError:
            if not step.memory.of_consumers:
                raise
        step.consumers.back(step.marks)
        model, history = self.model_of(step.history)
        memory = replace(step.memory, counts_consumers=False)
        return replace(self, step=replace(step, model=model, history=history, memory=memory))._counted()

    def _counted(self) -> tuple[WindowModel, Outcome]:
        """Run the step, counting the memory of consumers if `step.memory` does.

        If the whole window exceeds a limit on the way, the step runs without the history and its terms. If
        timestamps may be evicted, it first runs with the ABox alone, then with later starts of the window.

        Raises:
            MemoryLimitError: a limit is exceeded in any case.
        """
        limits, step = self.step.memory.limits, self.step.step
        try:
            return self._within(self.step, self.step.memory.left_for_model(self.step.history.log))
        except CapacityExceededError as error:
            full = error
        try:
            if starts := self._starts(full):
                return self._begun_later(starts)
        except CapacityExceededError as error:
            full = error
        beside = full.beside if isinstance(full, ConsumersOverfull) else 0
        exceeded = limits.exceeded_by(full.facts, full.bytes)
        raise limits.error(exceeded, time_of(step.now, step.kind), beside)

    def _starts(self, full: CapacityExceededError) -> Sequence[int]:
        """Return the levels at which the window may begin instead.

        The window's own first level is one of them if the history takes some of the bytes.
        """
        limits, history = self.step.memory.limits, self.step.history
        later = self._later_starts() if limits.drops else []
        if history.past and limits.exceeded(full.facts, 0) is None:
            return [history.log.timeline.first_level, *later]
        return later

    def _later_starts(self) -> Sequence[int]:
        """Return later levels at which the window may begin, ascending."""
        step, log, newest = self.step.step, self.step.history.log, self.step.history.log.newest
        continues = newest is not None and newest.ticks == step.now
        end = newest.level if newest is not None and continues else log.timeline.next_level
        return list(later_starts([entry for entry in log if step.first <= entry.ticks < step.now], end))

    def _begun_later(self, starts: Sequence[int]) -> tuple[WindowModel, Outcome]:
        """Run the step from the first of `starts` that stays within the limits.

        Costs a materialization of the window, and one of the rest of the window for each start. The last
        start is tried first: if it fails all others do.

        Raises:
            CapacityExceededError, MemoryLimitError: the ABox alone exceeds a limit.
        """
        whole, _ = self.model_of(self.step.history)
        before = Changes.of_all(whole, -1)
        del whole
        if len(starts) > 1:
            self._from(starts[-1], before)  # not kept: two models at once may exceed the limit
            for level in starts[:-1]:
                with suppress(CapacityExceededError):
                    return self._from(level, before)
        return self._from(starts[-1], before)

    def _from(self, level: int, before: Changes) -> tuple[WindowModel, Outcome]:
        """Run the step without the ABoxes below `level` and without the past, in a model of its own.

        Its changes begin with `before`, the deletion of the whole window. Consumers are reset first: an
        earlier attempt may have delivered changes to them.
        """
        step, log = self.step, self.step.history.log.from_level(level)
        step.consumers.back(step.marks)
        model, history = self.model_of(replace(step.history, log=log))
        before = Changes.together([before, Changes.of_all(model, 1)])
        past = step.history.past.within(0)
        forgotten = Counters(forgotten_early=past.fewer_than(step.history.past))
        history = replace(history, log=step.history.log, past=past, counters=history.counters.plus(forgotten))
        step = replace(step, model=model, history=history, start=level, before=before)
        used = UsedTerms(*step.memory.vocabulary.counts)
        used.add_first(*self.common)
        model.mark_terms(used)
        if step.given is not None:
            used.add(step.given.asserted.facts)
        return self._within(step, step.memory.counting(used).left_for_model(log))

    def _within(self, step: StepTransaction, bytes_left: int | None) -> tuple[WindowModel, Outcome]:
        """Run a step whose model may grow to `bytes_left`, and deliver its changes.

        Raises:
            CapacityExceededError: a limit is exceeded, by the model or by consumers afterwards.
        """
        before = step.memory.of_consumers
        with step.model.limited(step.memory.limits.most_facts_on_the_way, bytes_left):
            done = step.run()
        if done.needs_recheck:
            self._check_anew(done)
        done = done._replace(
            delivery=self.deliver(done.delivery, step.model),
            memory=replace(done.memory, counts_consumers=True),
        )
        spare = step.model.spare_bytes if done.needs_rebuild else 0
        exceeded = done.memory.exceeded_since(before, step.model, done.history.log, spare)
        if exceeded is not None:
            raise ConsumersOverfull(exceeded[2], done.memory.of_consumers)
        return step.model, _with_room(step.model, done) if done.memory.of_consumers > before else done

    def _check_anew(self, done: Outcome) -> None:
        """Check that the result stays within the limits when it is rebuilt with the terms in use alone.

        Raises:
            MemoryLimitError: it does not.
        """
        step = self.step
        model, history = self.model_of(done.history)
        forms, vocabulary = step.forms.copy().after(done.forms), copy(step.memory.vocabulary)
        vocabulary.replace_tables(
            compact(vocabulary, self.common, history, forms, model, step.consumers).tables
        )
        exceeded = replace(step.memory, vocabulary=vocabulary, unused=0).exceeded(model, history.log)
        if exceeded is not None:
            raise step.memory.limits.error(exceeded, done.update.at, step.memory.of_consumers)


def _with_room(model: WindowModel, done: Outcome) -> Outcome:
    """Return the result with the past reduced to the bytes that consumers leave for it."""
    history, room = done.history, done.memory.left_for_history(model, done.history.log)
    if room is None:
        return done
    past = history.past.within(room)
    forgotten = Counters(forgotten_early=past.fewer_than(history.past))
    return done._replace(history=replace(history, past=past, counters=history.counters.plus(forgotten)))
