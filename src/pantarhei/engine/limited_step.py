"""A step of a stream reasoner with limits on facts and bytes. If a limit is exceeded, a shorter window is
tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace

from pantarhei.encoding.numbers import UsedTerms
from pantarhei.engine.consumer import ConsumersExceedMemoryError, DeliveryState
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
    """A step on the model of the whole window, or on a model of the newest part of the window.

    Args:
        step: the step on the whole window.
        common: the numbers of terms that are always in use.
        model_of: builds the model of a history. Returns the model, and the history with the undo record of
            its newest ABox in that model.
        deliver: delivers changes to consumers, given the model; returns the changes that remain to be
            delivered.
    """

    step: StepTransaction
    common: FoundationCounts
    model_of: Callable[[StreamHistory], tuple[WindowModel, StreamHistory]]
    deliver: Callable[[DeliveryState, WindowModel], DeliveryState]

    def outcome(self) -> tuple[WindowModel, Outcome]:
        """Run the step; returns the changed model and the result.

        A step may reduce the memory of consumers. If it fails because of the memory that they hold before, it
        runs again without counting this memory.

        Raises:
            MemoryLimitError: a limit is exceeded in any case.
        """
        step = self.step
        try:
            return self._run_counted()
        except MemoryLimitError:
            if not step.memory.of_consumers:
                raise
        step.consumers.back(step.marks)
        model, history = self.model_of(step.history)
        memory = replace(step.memory, counts_consumers=False)
        return replace(self, step=replace(step, model=model, history=history, memory=memory))._run_counted()

    def _run_counted(self) -> tuple[WindowModel, Outcome]:
        """Run the step, counting the memory of consumers if `step.memory` does.

        If the whole window exceeds a limit, the step runs without the past and its terms. If the policy
        allows to evict timestamps, the step first runs with the new ABox alone, to see whether it fits, then
        with later and later starts of the window.

        Raises:
            MemoryLimitError: a limit is exceeded in any case.
        """
        limits, step = self.step.memory.limits, self.step.step
        try:
            return self._run_limited(self.step, self.step.memory.left_for_model(self.step.history.log))
        except CapacityExceededError as error:
            full = error
        try:
            if starts := self._starts(full):
                return self._run_later(starts)
        except CapacityExceededError as error:
            full = error
        beside = full.beside if isinstance(full, ConsumersExceedMemoryError) else 0
        exceeded = limits.exceeded_by(full.facts, full.bytes)
        raise limits.error(exceeded, time_of(step.now, step.kind), beside)

    def _starts(self, full: CapacityExceededError) -> Sequence[int]:
        """Return the levels at which the window may start instead, ascending.

        The first level of the window itself is one of them if dropping the past may free enough bytes.
        """
        limits, history = self.step.memory.limits, self.step.history
        later = self._later_starts() if limits.drops else []
        if history.past and limits.exceeded(full.facts, 0) is None:
            return [history.log.timeline.first_level, *later]
        return later

    def _later_starts(self) -> Sequence[int]:
        """Return the later levels at which the window may start, ascending."""
        step, log, newest = self.step.step, self.step.history.log, self.step.history.log.newest
        continues = newest is not None and newest.ticks == step.now
        end = newest.level if newest is not None and continues else log.timeline.next_level
        return list(later_starts([entry for entry in log if step.first <= entry.ticks < step.now], end))

    def _run_later(self, starts: Sequence[int]) -> tuple[WindowModel, Outcome]:
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
            self._run_from(starts[-1], before)  # not kept: two models at once may exceed the limit
            for level in starts[:-1]:
                with suppress(CapacityExceededError):
                    return self._run_from(level, before)
        return self._run_from(starts[-1], before)

    def _run_from(self, level: int, before: Changes) -> tuple[WindowModel, Outcome]:
        """Run the step without the past and the ABoxes below `level`, in a new model.

        Its changes begin with `before`, the deletion of the whole window. Consumers are rolled back first,
        since an earlier attempt may have delivered changes to them.
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
        return self._run_limited(step, step.memory.counting(used).left_for_model(log))

    def _run_limited(self, step: StepTransaction, bytes_left: int | None) -> tuple[WindowModel, Outcome]:
        """Run a step whose model may grow to `bytes_left` bytes, and deliver its changes.

        Raises:
            CapacityExceededError: the model, or the consumers afterwards, exceed a limit.
        """
        before = step.memory.of_consumers
        with step.model.limited(step.memory.limits.most_facts_on_the_way, bytes_left):
            done = step.run()
        if done.needs_recheck:
            self._recheck(done)
        done = done._replace(
            delivery=self.deliver(done.delivery, step.model),
            memory=replace(done.memory, counts_consumers=True),
        )
        spare = step.model.spare_bytes if done.needs_rebuild else 0
        exceeded = done.memory.exceeded_since(before, step.model, done.history.log, spare)
        if exceeded is not None:
            raise ConsumersExceedMemoryError(exceeded[2], done.memory.of_consumers)
        return step.model, _within_room(step.model, done) if done.memory.of_consumers > before else done

    def _recheck(self, done: Outcome) -> None:
        """Check that the result, rebuilt with the terms in use only, stays within the limits.

        Raises:
            MemoryLimitError: a limit is exceeded.
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


def _within_room(model: WindowModel, done: Outcome) -> Outcome:
    """Return the result with the past reduced to the bytes that the consumers leave."""
    history, room = done.history, done.memory.left_for_history(model, done.history.log)
    if room is None:
        return done
    past = history.past.within(room)
    forgotten = Counters(forgotten_early=past.fewer_than(history.past))
    return done._replace(history=replace(history, past=past, counters=history.counters.plus(forgotten)))
