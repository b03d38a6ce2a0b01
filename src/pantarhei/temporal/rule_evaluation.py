"""Incremental evaluation of temporal rules: the temporal kernel and the operators around it.

The present tick can be revised until time advances; each change of its input can be undone by the opposite
change.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, cast

import numpy as np

from pantarhei.encoding.numbers import NO_CHANGES, NO_FACTS, Fact, Integers, as_tuples, signed, split_changes
from pantarhei.materialize.kernel.change_dispatch import ChangeDispatch
from pantarhei.temporal import expiry_model
from pantarhei.temporal.data_stream import Appended, AssertedPart, DataStream, TickEvents, difference, union
from pantarhei.temporal.inputs import EventBoxes, InputRows, StateBoxes, Timers
from pantarhei.temporal.numbered import NumberedInput, NumberedTemporalProgram
from pantarhei.temporal.occurrence_counts import Occurrence, OccurrenceRows
from pantarhei.temporal.tick_history import TickHistory, facts_by_tick
from pantarhei.temporal.timestamped_rows import TickCounter, TimestampedRows
from pantarhei.temporal.tuples import PairNumbers, TupleNumbers, TupleRows


class RuleEvaluation:
    """Evaluation of rules at the present tick.

    Args:
        program: the rules.
        first: first tick of the timeline; windows are truncated there.
        tick: the present tick; `change` supplies its input.
        tuples: numbers of tuples.
    """

    def __init__(
        self, program: NumberedTemporalProgram, first: int, tick: int, tuples: TupleNumbers | None = None
    ) -> None:
        self.program, self.first, self.tick = program, first, tick
        self.model = expiry_model.ExpiryModel(program.compiled, program.literals, tick)
        self._input_rows = InputRows(program, self.model)
        self._events = TickEvents()
        self._changed: list[Integers] = []  # of conclusions, since the last `take_changes`
        self._remembered: dict[Fact, int] = {}  # changes of remembered conclusions at the present tick
        boxes = {True: list[Sequence[NumberedInput]](), False: list[Sequence[NumberedInput]]()}
        for feeds in program.boxes:
            boxes[len(feeds) == 1 and feeds[0].follows_states].append(feeds)
        self._state_boxes = StateBoxes((feed for (feed,) in boxes[True]), first)
        self._event_boxes = EventBoxes(program, boxes[False], first)
        self._pairs = PairNumbers(*program.pairs)
        self._tuples = TupleRows(tuples or TupleNumbers(), *program.tuples) if program.tuples else None
        self._timestamped = TimestampedRows(program, self._pairs, first) if program.is_dated else None
        self._dated: list[tuple[Integers, int]] = []  # queued rows, with their expiries
        self._at_ticks = 0  # number of conclusions at named ticks
        self._counts = {
            key: OccurrenceRows(feeds, program, self._pairs, first)
            for key, feeds in _by_window(program.counted).items()
        }
        self._counted_states: dict[Fact, None] = {}  # the present states, if states are counted
        conclusion_boxes = [expiry_model.ConclusionBox(*run, first) for run in program.runs]
        negations = [expiry_model.Negation(*guard, self.model) for guard in program.guards]
        dated = [
            TickCounter(source, target, size, times, arity, self._pairs, first, tick)
            for source, target, size, times, arity in program.dated_runs
        ]
        numbering = [self._pairs] if self._tuples is None else [self._tuples, self._pairs]
        others: list[expiry_model.StratumOperator] = [*negations, *dated, *conclusion_boxes]
        others.sort(key=lambda each: program.ranks[each.derives])
        self._operators: list[expiry_model.StratumOperator] = [*numbering, *others]
        self._timers = Timers(self._operators)
        self._pending: dict[int, list[Integers]] = {}  # changes to read, by the index of the operator
        self._dispatch = self._dispatch_table()

    def _dispatch_table(self) -> ChangeDispatch:
        """Return the receivers of the changes of each predicate.

        Receivers are numbered: operators by their index, then conclusions, remembered conclusions, and
        conclusions at named ticks.
        """
        program = self.program
        watched: list[Iterable[int]] = [operator.watched for operator in self._operators]
        watched += [program.is_conclusion.nonzero()[0], program.windows, program.at_ticks.nonzero()[0]]
        receivers = defaultdict[int, tuple[int, ...]](tuple)
        for receiver, predicates in enumerate(watched):
            for predicate in predicates:
                receivers[predicate] += (receiver,)
        self.model.record_only(receivers.keys())
        groups_of = {group: number for number, group in enumerate(dict.fromkeys([(), *receivers.values()]))}
        groups = [groups_of[receivers.get(predicate, ())] for predicate in range(len(program.is_conclusion))]
        return ChangeDispatch(groups, list(groups_of))

    # -- start -------------------------------------------------------------------------------------

    def restore(self, past: TickHistory, states: Integers = NO_FACTS, concluded: Integers = NO_FACTS) -> None:
        """Insert the input before the present tick. Costs time linear in the history and the states.

        Args:
            states: facts of the materialization at the end of the last closed tick.
            concluded: remembered conclusions at the end of the last closed tick; numbered by the temporal
                kernel.
        """
        self.program.literals.begin()
        self._insert([np.array([self.program.always], np.int32)])
        if self._tuples is not None:
            before = past.columns
            self._insert(map(self._tuples.define, (concluded, before.facts[before.of_rules])))
        self._input_rows.restore(past, states, concluded)
        self._event_boxes.restore(past, states, self.tick)
        self._insert(self._state_boxes.restore(past, states, self.tick))
        changes = past.last_changes("concluded", "withdrawn")
        for receiver, operator in enumerate(self._operators):
            if isinstance(operator, expiry_model.ConclusionBox):
                running = concluded[concluded[:, 0] == operator.source]
                self._insert([operator.restore(changes.starts_of(running, past.complete_from), self.tick)])
                self._pending[receiver] = [signed(running, 1)]  # some may no longer be derived
            self._timers.update(receiver)
        self._begin_counts(past, states)
        if self._timestamped is not None:
            self._add_dated(self._timestamped.restore(past, states, concluded, self.tick))
        self._settle()
        self._changed.clear()
        self._remember(signed(concluded, -1))

    def _begin_counts(self, past: TickHistory, states: Integers) -> None:
        for key, counting in self._counts.items():
            if key.is_asserted:
                events, ticks = past.part("events")
                asserted = zip(ticks.tolist(), as_tuples(events), strict=True)
                counting.restore((Occurrence(*each) for each in asserted), self.tick)
            else:
                self._counted_states = dict.fromkeys(as_tuples(states))
                state_changes = ((each.tick, each.added, each.removed) for each in past)
                held = facts_by_tick(
                    state_changes,
                    self._counted_states,
                    self.tick - 1,
                    max(past.complete_from, self.tick - key.size),
                )
                occurred = [Occurrence(tick, fact) for tick, facts in held for fact in facts]
                counting.restore(reversed(occurred), self.tick, self._counted_states)

    # -- time --------------------------------------------------------------------------------------

    @property
    def is_repeating(self) -> bool:
        """Test whether facts change at each tick even if no input arrives."""
        return self._timestamped is not None and self._timestamped.is_repeating(self._at_ticks > 0)

    def next_due(self) -> int | None:
        """Return the next tick at which facts change although no input arrives; None if there is none."""
        expiry = self.model.next_expiry()
        ticks = [None if expiry is None else expiry + 1]
        ticks += [each.next_due() for each in (self._state_boxes, self._event_boxes, self._timers)]
        ticks += [each.next_due(repeats=not key.is_asserted) for key, each in self._counts.items()]
        if self.is_repeating:
            ticks.append(self.tick + 1)
        return min((tick for tick in ticks if tick is not None), default=None)

    def advance(self, tick: int, concluded: Integers, withdrawn: Integers) -> None:
        """Close the present tick and start a later one; the next `change` derives the conclusions of the new
        tick.

        Args:
            tick: the later tick.
            concluded: remembered conclusions that began at the closed tick.
            withdrawn: remembered conclusions that ended at the closed tick.
        """
        ended, self.tick = self.tick, tick
        self.program.literals.begin()
        self._events, self._remembered = TickEvents(), {}
        self.model.advance(tick)
        self._input_rows.advance(ended, concluded, withdrawn)
        if self._timestamped is not None:
            self._add_dated(self._timestamped.advance(tick, ended, concluded, withdrawn))
        self._insert(self._state_boxes.advance(tick))
        self._delete(self._pairs.remove_unused(ended))  # operators read these deletions at the new tick
        if self._tuples is not None:
            self._delete(self._tuples.remove_unused(self.model))
        for receiver in self._timers.due(tick):
            self._apply(self._operators[receiver].advance(tick, self.model))
            self._pending[receiver] = [NO_CHANGES]  # it reacts even if no watched fact changes
        for key, counting in self._counts.items():
            counting.advance(tick, () if key.is_asserted else self._counted_states)

    @property
    def remembered_changes(self) -> tuple[Integers, Integers]:
        """Remembered conclusions that began, and those that ended, at the present tick so far."""
        changes = [(*fact, sign) for fact, sign in sorted(self._remembered.items())]
        return split_changes(np.array(changes, np.int32).reshape(-1, 4))

    @property
    def has_remembered_changes(self) -> bool:
        """Test whether remembered conclusions have changed at the present tick so far."""
        return bool(self._remembered)

    def _remember(self, changes: Integers) -> None:
        """Add changes of remembered conclusions, shape (n, 4), with 1 (inserted) or -1 (deleted) last."""
        if not self.program.windows:
            return
        for *fact, sign in changes.tolist():
            key = cast(Fact, tuple(fact))
            if total := self._remembered.pop(key, 0) + sign:
                self._remembered[key] = total

    # -- input of the present tick -----------------------------------------------------------------

    def change(self, added: Integers, removed: Integers, asserted: Appended[AssertedPart]) -> None:
        """Apply changes of states, and the ABoxes of the present tick. Costs what depends on the changes."""
        self.program.literals.begin()
        fresh, lost, is_appended = self._events.update(asserted)
        if len(added) or len(removed):
            self._change_states(added, removed, fresh, lost)
        if len(fresh) or len(lost):
            self._change_events(fresh, lost)
        for key, counting in self._counts.items():
            if key.is_asserted:
                last = None if is_appended else self._events.last
                self._apply(counting.change(fresh, lost, self.model, last))
            else:
                self._apply(counting.change(added, removed, self.model))
        self._apply(self._event_boxes.change(fresh, lost, self.tick))
        self._settle()

    def _change_states(self, added: Integers, removed: Integers, fresh: Integers, lost: Integers) -> None:
        """Apply changes of states; delete rows that only ended states support.

        Args:
            fresh, lost: changes of events, already applied to `_events` but not yet to the rows.
        """
        self._input_rows.change_states(added, removed)
        if self._timestamped is not None:
            dated, lost_rows = self._timestamped.states(
                added, removed, self.tick, lambda: union(difference(self._events.facts, fresh), lost)
            )
            self._delete(lost_rows)
            self._add_dated(dated)
        if any(not key.is_asserted for key in self._counts):
            for fact in as_tuples(removed):
                self._counted_states.pop(fact, None)
            self._counted_states.update(dict.fromkeys(as_tuples(added)))
        for rows in self._state_boxes.change(added, removed, self.tick):
            self._apply(rows)
        self._event_boxes.change_states(added, removed)

    def _change_events(self, fresh: Integers, lost: Integers) -> None:
        def remaining() -> Integers:
            return difference(self._events.facts, fresh)

        if len(lost):
            self._input_rows.remove_events(lost, remaining)
        self._input_rows.add_events(fresh)
        if self._timestamped is not None:
            dated, lost_rows = self._timestamped.change_events(fresh, lost, self.tick, remaining)
            self._delete(lost_rows)
            self._add_dated(dated)

    # -- conclusions -------------------------------------------------------------------------------

    def take_changes(self) -> Integers:
        """Return the changes of conclusions since the last call, shape (n, 4).

        The last column is 1 for an inserted conclusion, -1 for a deleted one. A fact may occur several times.
        """
        changed, self._changed = self._changed, []
        return np.concatenate([np.empty((0, 4), np.int32), *changed])

    def _settle(self) -> None:
        """Run operators, lower strata first, until no operator has pending changes."""
        self._insert_dated()
        self._distribute()
        while self._pending:
            receiver = min(self._pending)
            changed = np.concatenate(self._pending.pop(receiver))
            rows = self._operators[receiver].react(changed, self.model)
            self._timers.update(receiver)
            if len(rows.inserted) or len(rows.deleted):
                self._apply(rows)
                self._distribute()

    def _distribute(self) -> None:
        concluded, remembered, at_ticks = range(len(self._operators), len(self._operators) + 3)
        for receiver, part in self._dispatch.split(self.model.take_changes()):
            if receiver < concluded:
                self._pending.setdefault(receiver, []).append(part)
            elif receiver == concluded:
                self._changed.append(part)
            elif receiver == remembered:
                self._remember(part)
            elif receiver == at_ticks:
                self._at_ticks += int(part[:, 3].sum())

    # -- rows --------------------------------------------------------------------------------------

    @property
    def oldest_counted(self) -> int | None:
        """Tick of the oldest assertion in any window of the last assertions; None if there is none."""
        ticks = [each.oldest for key, each in self._counts.items() if key.counts_tuples]
        return min((tick for tick in ticks if tick is not None), default=None)

    def _add_dated(self, parts: Iterable[tuple[Integers, int]]) -> None:
        """Queue rows with expiries, and the rows that define their pairs.

        Queued rows are inserted together, before other rows are deleted or operators react.
        """
        given = (*parts, *self._pairs.take_links())  # in this order: consuming `parts` numbers the pairs
        self._dated += (part for part in given if part[1] >= self.tick)

    def _apply(self, rows: expiry_model.RowChanges) -> None:
        """Apply changes of base rows without expiry."""
        self._delete(rows.deleted)
        self._insert([rows.inserted])

    def _insert(self, parts: Iterable[Integers]) -> None:
        given = [rows for rows in parts if len(rows)]
        if given:
            self.model.add(np.concatenate(given), expiry_model.UNTIL_REMOVED)

    def _delete(self, rows: Integers) -> None:
        if len(rows):
            self._insert_dated()
            self.model.lower(rows, expiry_model.EXPIRED)

    def _insert_dated(self) -> None:
        if self._dated:
            self.model.add_parts(self._dated)
            self._dated = []


class _WindowKey(NamedTuple):
    """Key of inputs that share an occurrence window."""

    is_asserted: bool
    size: int
    counts_tuples: bool


def _by_window(feeds: Iterable[NumberedInput]) -> dict[_WindowKey, list[NumberedInput]]:
    found: dict[_WindowKey, list[NumberedInput]] = {}
    for feed in feeds:
        found.setdefault(_WindowKey(feed.is_asserted, feed.size, feed.counts_tuples), []).append(feed)
    return found


LEAST_SPARE: Final = 1 << 16
"""Minimum number of bytes to be saved by rebuilding."""


def rebuild_evaluation(
    numbered: NumberedTemporalProgram, data: DataStream, states: Integers
) -> RuleEvaluation:
    """Build the evaluation of a data stream. Costs time linear in the history and the states.

    Args:
        states: present states.
    """
    evaluation = RuleEvaluation(numbered, data.first, data.tick, data.tuples)
    evaluation.restore(data.past, data.states_before(states), data.concluded)
    evaluation.change(*data.net_state_changes, data.asserted)
    evaluation.take_changes()
    return evaluation


def wastes_memory(evaluation: RuleEvaluation, data: DataStream, most_bytes: int | None) -> bool:
    """Test whether rebuilding an evaluation would release enough memory.

    Enough is half of the model's size, or an eighth if the model takes more than half of the limit
    `most_bytes`. It is never less than the size of the data stream, so that rebuilds are amortized by the
    changes between them.
    """
    used = evaluation.model.bytes_used
    if used <= LEAST_SPARE:
        return False
    share = 2 if most_bytes is None or used <= most_bytes // 2 else 8
    return evaluation.model.spare_bytes > max(LEAST_SPARE, used // share, data.bytes)
