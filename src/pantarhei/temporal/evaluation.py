"""One run of temporal rules: the second kernel, and the operators around it.

Within a tick things may change several times: the tick is tentative until time moves on, and each change at
it can be taken back. What is remembered of it is what stood when it ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, NONE, Fact, Integers, as_tuples
from pantarhei.language.temporal_rule import Mode
from pantarhei.temporal.boxes import EventBox, StateBox
from pantarhei.temporal.counting import Counting
from pantarhei.temporal.dating import Dating, EnoughTicks
from pantarhei.temporal.expiry_model import UNTIL_REMOVED, Expiries, ExpiryModel
from pantarhei.temporal.heard import without
from pantarhei.temporal.numbered import Feed, NumberedProgram
from pantarhei.temporal.occurrences import Occurrence
from pantarhei.temporal.operators import ConclusionBox, Negation, Operator, Rows, of, rows_of
from pantarhei.temporal.pairs import Pairs
from pantarhei.temporal.past import Past, held_at


class Standing(NamedTuple):
    """What held when the last closed tick ended; facts of shape (n, 3).

    Args:
        states: what the window said.
        concluded: remembered conclusions, in the second kernel's predicates.
    """

    states: Integers = NO_FACTS
    concluded: Integers = NO_FACTS


class Evaluation:
    """The rules at the present tick.

    Args:
        program: the rules.
        first: where the timeline begins: windows look back no further.
        tick: the present tick; what was said at it is still to come.
    """

    def __init__(self, program: NumberedProgram, first: int, tick: int) -> None:
        self.program, self.first, self.tick = program, first, tick
        self.model = ExpiryModel(program.compiled, program.literals, tick)
        self._added: list[tuple[Integers, Expiries]] = []  # at the present tick, with what they were before
        self._before: dict[Fact, int] | None = None  # the same, once someone looks
        self._events = NO_FACTS
        self._changed: list[Integers] = []
        self._state_boxes = {feed: StateBox(feed.size, first) for feed in program.boxes(is_asserted=False)}
        self._event_boxes = {feed: EventBox(feed.size, first) for feed in program.boxes(is_asserted=True)}
        self._pairs = Pairs(*program.pairs)
        self._dating = Dating(program, self._pairs, first)
        self._at_ticks = 0  # how many conclusions there are at ticks that heads name
        self._counts = {key: Counting(feeds, first) for key, feeds in _by_window(program.counted).items()}
        self._repeating: dict[Fact, None] = {}  # the states that are counted, as they stand
        self._boxes = {
            run: ConclusionBox(run.source, run.target, run.size, first, run.source in program.windows)
            for run in program.runs
        }
        negations = [Negation(*guard) for guard in program.guards]
        dated = [
            EnoughTicks(source, target, size, times, arity, self._pairs, first, tick)
            for source, target, size, times, arity in program.dated_runs
        ]
        self._operators: list[Operator] = [self._pairs, *negations, *dated, *self._boxes.values()]
        self._pending: dict[int, list[Integers]] = {}  # changes by the place of the operator
        self._watching: dict[int, list[int]] = {}  # operators by what they watch
        for place, operator in enumerate(self._operators):
            for predicate in operator.watched:
                self._watching.setdefault(predicate, []).append(place)

    # -- beginning ---------------------------------------------------------------------------------

    def begin(self, past: Past, standing: Standing) -> None:
        """Start from what was said before the present tick. Costs the past, and the states."""
        rows = [self._lasting(np.array([self.program.always], np.int32))]
        rows += self._of_events(past)
        rows += self._of_states(past, standing.states)
        rows += self._of_conclusions(past, standing.concluded)
        self._begin_counts(past, standing.states)
        self._add(rows, notes=False)
        self._add_dated(self._dating.begin(past, standing.states, standing.concluded, self.tick))
        for place, operator in enumerate(self._operators):  # what held need not hold any more
            if isinstance(operator, ConclusionBox):
                self._pending[place] = [standing.concluded]
        self._settle()
        self._changed.clear()

    def _of_events(self, past: Past) -> Iterator[tuple[Integers, Expiries]]:
        runs: dict[Fact, int] = {}
        last = self.tick
        for said in past:
            went_on = runs if said.tick == last + 1 else {}
            runs = {fact: went_on.get(fact, said.tick) for fact in as_tuples(said.events)}
            last = said.tick
            for feed, part in self._parts(said.events, True):
                expiry = said.tick + feed.size
                if feed.mode is Mode.SOMETIME and not feed.is_counted and expiry >= self.tick:
                    yield of(part, feed.target), np.full(len(part), expiry, np.int64)
        if last != self.tick - 1:
            return
        for feed, box in self._event_boxes.items():
            running = {fact: start for fact, start in runs.items() if fact[0] == feed.source}
            facts = np.array(list(running), np.int32).reshape(-1, 3)
            box.begin(facts, np.array(list(running.values()), np.int64), last)

    def _of_states(self, past: Past, states: Integers) -> Iterator[tuple[Integers, Expiries]]:
        came, went = _turns((said.tick, said.came, said.went) for said in past)
        for feed, part in self._parts(states, False):
            if feed.is_direct:
                yield self._lasting(of(part, feed.target))
            elif feed in self._state_boxes:
                starts = {fact: came.get(fact, past.begun) for fact in as_tuples(part)}
                held = self._state_boxes[feed].begin(starts, self.tick)
                yield self._lasting(of(np.array(held, np.int32).reshape(-1, 3), feed.target))
        gone = np.array(list(went), np.int32).reshape(-1, 3)
        for feed, part in self._parts(gone, False):
            if feed.mode is Mode.SOMETIME and feed.is_direct:
                yield self._until(part, [went[fact] - 1 + feed.size for fact in as_tuples(part)], feed.target)

    def _of_conclusions(self, past: Past, concluded: Integers) -> Iterator[tuple[Integers, Expiries]]:
        came, went = _turns((said.tick, said.concluded, said.withdrawn) for said in past)
        gone = np.array(list(went), np.int32).reshape(-1, 3)
        for source, windows in self.program.windows.items():
            standing, left = concluded[concluded[:, 0] == source], gone[gone[:, 0] == source]
            for target, size in windows:
                yield self._lasting(of(standing, target))
                yield self._until(left, [went[fact] - 1 + size for fact in as_tuples(left)], target)
        for run, box in self._boxes.items():
            standing = concluded[concluded[:, 0] == run.source]
            starts = {fact: came.get(fact, past.begun) for fact in as_tuples(standing)}
            yield self._lasting(box.begin(starts, self.tick))

    def _begin_counts(self, past: Past, states: Integers) -> None:
        for key, counting in self._counts.items():
            if key.is_asserted:
                events = ((said.tick, fact) for said in past for fact in as_tuples(said.events))
                counting.begin((Occurrence(*each) for each in events), self.tick)
            else:
                self._repeating = dict.fromkeys(as_tuples(states))
                turns = ((said.tick, said.came, said.went) for said in past)
                held = held_at(turns, self._repeating, self.tick - 1, max(past.begun, self.tick - key.size))
                occurred = [Occurrence(tick, fact) for tick, facts in held for fact in facts]
                counting.begin(reversed(occurred), self.tick)

    def _lasting(self, rows: Integers) -> tuple[Integers, Expiries]:
        return rows, np.full(len(rows), UNTIL_REMOVED, np.int64)

    def _until(self, rows: Integers, expiries: Sequence[int], target: int) -> tuple[Integers, Expiries]:
        ending = np.array(expiries, np.int64)
        kept = ending >= self.tick
        return of(rows[kept], target), ending[kept]

    # -- time passes -------------------------------------------------------------------------------

    def next_due(self) -> int | None:
        """The next tick at which something ends or begins to hold though nothing new is said."""
        expiry = self.model.next_expiry()
        ticks = [None if expiry is None else expiry + 1]
        ticks += [box.next_due() for box in self._state_boxes.values()]
        ticks += [box.next_due() for box in self._event_boxes.values()]
        ticks += [each.next_due(repeats=not key.is_asserted) for key, each in self._counts.items()]
        ticks += [operator.next_due() for operator in self._operators]
        ticks += [self.tick + 1] if self._dating.is_repeating(self._at_ticks > 0) else []
        return min((tick for tick in ticks if tick is not None), default=None)

    def come_to(self, tick: int, concluded: Integers, withdrawn: Integers) -> None:
        """The present tick ends, and a later one begins. What follows there is known after the next `change`.

        Args:
            tick: the later one.
            concluded: remembered conclusions that came in the tick that ends.
            withdrawn: those that went in it.
        """
        ended, self.tick = self.tick, tick
        self._added, self._before, self._events = [], None, NO_FACTS
        self.model.come_to(tick)
        for source, windows in self.program.windows.items():
            came, went = (rows[rows[:, 0] == source] for rows in (concluded, withdrawn))
            for target, size in windows:
                self._add([self._lasting(of(came, target))], notes=False)
                self._lower(of(went, target), np.full(len(went), ended - 1 + size, np.int64))
        self._add_dated(self._dating.come_to(tick, ended, concluded, withdrawn))
        for feed, box in self._state_boxes.items():
            self._come_and_go(Rows(rows_of(box.come_to(tick), feed.target), NO_FACTS))
        for place, operator in enumerate(self._operators):
            self._come_and_go(operator.come_to(tick, self.model))
            if isinstance(operator, EnoughTicks):  # its window is another one, whatever changes
                self._pending[place] = [NO_FACTS]
        for counting in self._counts.values():
            counting.come_to(tick)

    # -- what is said at the present tick ----------------------------------------------------------

    def change(self, came: Integers, went: Integers, events: Integers) -> None:
        """States came and went, and these are all events of the present tick, each once."""
        self._change_states(came, went)
        self._change_events(events)
        self._look_at_windows()
        self._settle()

    def _change_states(self, came: Integers, went: Integers) -> None:
        lowered: list[tuple[Integers, Expiries]] = []
        added: list[tuple[Integers, Expiries]] = []
        for feed, part in self._parts(went, False):
            rows = of(part, feed.target)
            if feed.is_direct:
                lowered.append((rows, self._earlier(rows, self.tick - 1 + feed.size)))
        for feed, part in self._parts(came, False):
            if feed.is_direct:
                added.append(self._lasting(of(part, feed.target)))
        dated, gone = self._dating.states(came, went, self.tick)
        for rows, expiries in lowered:
            self._lower(rows, expiries)
        self._lower(gone, np.full(len(gone), NONE, np.int64))
        self._add(added)
        self._add_dated(dated)
        if any(not key.is_asserted for key in self._counts):
            for fact in as_tuples(went):
                self._repeating.pop(fact, None)
            self._repeating.update(dict.fromkeys(as_tuples(came)))
        for feed, box in self._state_boxes.items():
            fresh, ended = box.change(_of_source(came, feed), _of_source(went, feed), self.tick)
            self._come_and_go(Rows(rows_of(fresh, feed.target), rows_of(ended, feed.target)))

    def _change_events(self, events: Integers) -> None:
        lost, fresh = without(self._events, events), without(events, self._events)
        self._events = events
        for feed, part in self._parts(lost, True):
            rows = of(part, feed.target)
            if feed.is_direct:
                self._lower(rows, self._earlier(rows, NONE))
        for rows, _ in self._dating.events(lost, self.tick):
            self._lower(rows, np.full(len(rows), NONE, np.int64))
        self._add_dated(self._dating.events(fresh, self.tick))
        self._add(
            (of(part, feed.target), np.full(len(part), self.tick + feed.size, np.int64))
            for feed, part in self._parts(fresh, True)
            if feed.is_direct
        )

    def _look_at_windows(self) -> None:
        """Bring up to date what takes all that is said at the present tick."""
        for key, counting in self._counts.items():
            facts = self._events if key.is_asserted else _array(self._repeating)
            self._come_and_go(counting.change(facts, self.model))
        for feed, box in self._event_boxes.items():
            fresh, ended = box.change(self._events[self._events[:, 0] == feed.source], self.tick)
            self._come_and_go(Rows(of(fresh, feed.target), of(ended, feed.target)))

    def _earlier(self, rows: Integers, otherwise: int) -> Expiries:
        """What the expiries of rows were before they were raised at this tick; else `otherwise`."""
        if self._before is None:
            self._before = {
                fact: expiry
                for added, expiries in self._added
                for fact, expiry in zip(as_tuples(added), expiries.tolist(), strict=True)
            }
        known = self._before
        return np.array([known.get(fact, otherwise) for fact in as_tuples(rows)], np.int64)

    # -- what follows ------------------------------------------------------------------------------

    def take_changes(self) -> Integers:
        """Conclusions that came (1) and went (-1, last column) since the last call; a fact may recur."""
        changed, self._changed = self._changed, []
        return np.concatenate([np.empty((0, 4), np.int32), *changed])

    def _settle(self) -> None:
        """Let the operators react until nothing changes; those of lower strata first."""
        self._distribute()
        while self._pending:
            place = min(self._pending)
            changed = np.concatenate(self._pending.pop(place))
            self._come_and_go(self._operators[place].react(changed, self.model))
            self._distribute()

    def _distribute(self) -> None:
        changes = self.model.take_changes()
        if not len(changes):
            return
        concluded = self.program.is_conclusion[changes[:, 0]]
        if concluded.any():
            self._changed.append(changes[concluded])
        self._at_ticks += int(changes[self.program.at_ticks[changes[:, 0]], 3].sum())
        for predicate in set(changes[:, 0].tolist()) & self._watching.keys():
            part = changes[changes[:, 0] == predicate, :3]
            for place in self._watching[predicate]:
                self._pending.setdefault(place, []).append(part)

    # -- rows --------------------------------------------------------------------------------------

    @property
    def oldest_counted(self) -> int | None:
        """The tick of the oldest assertion that some window of assertions holds."""
        ticks = [each.oldest for key, each in self._counts.items() if key.counts_tuples]
        return min((tick for tick in ticks if tick is not None), default=None)

    def _parts(self, facts: Integers, is_asserted: bool) -> Iterator[tuple[Feed, Integers]]:
        """The facts by what they feed."""
        feeds = self.program.feeds_of(is_asserted)
        for predicate in sorted(set(facts[:, 0].tolist()) & feeds.keys()):
            part = facts[facts[:, 0] == predicate]
            for feed in feeds[predicate]:
                yield feed, part

    def _add(self, parts: Iterable[tuple[Integers, Expiries]], notes: bool = True) -> None:
        """Raise rows; noted, they can be lowered again at this tick to what they were."""
        given = [part for part in parts if len(part[0])]
        if not given:
            return
        rows, expiries = (np.concatenate(column) for column in zip(*given, strict=True))
        before = self.model.add(rows, expiries)
        if notes:
            self._added.append((rows, before))
            self._before = None

    def _add_dated(self, parts: Iterable[tuple[Integers, Expiries]]) -> None:
        """Raise rows with times that are not over, and those that say what the pairs in them are."""
        given = [*parts, self._pairs.take_links()]
        lasting = ((rows, expiries, expiries >= self.tick) for rows, expiries in given)
        self._add(((rows[kept], expiries[kept]) for rows, expiries, kept in lasting), notes=False)

    def _lower(self, rows: Integers, expiries: Expiries) -> None:
        if len(rows):
            self.model.lower(rows, expiries)

    def _come_and_go(self, rows: Rows) -> None:
        """Base rows that hold until they are taken out."""
        self._lower(rows.going, np.full(len(rows.going), NONE, np.int64))
        if len(rows.coming):
            self.model.add(*self._lasting(rows.coming))


class _Seen(NamedTuple):
    """A window that feeds share."""

    is_asserted: bool
    size: int
    counts_tuples: bool


def _by_window(feeds: Iterable[Feed]) -> dict[_Seen, list[Feed]]:
    found: dict[_Seen, list[Feed]] = {}
    for feed in feeds:
        found.setdefault(_Seen(feed.is_asserted, feed.size, feed.counts_tuples), []).append(feed)
    return found


def _array(facts: Iterable[Fact]) -> Integers:
    return np.array(list(facts), np.int32).reshape(-1, 3)


def _turns(
    ticks: Iterable[tuple[int, Integers, Integers]],
) -> tuple[dict[Fact, int], dict[Fact, int]]:
    """When what came last came, and when what is gone went."""
    came: dict[Fact, int] = {}
    went: dict[Fact, int] = {}
    for tick, coming, going in ticks:
        for fact in as_tuples(coming):
            came[fact] = tick
            went.pop(fact, None)
        for fact in as_tuples(going):
            went[fact] = tick
            came.pop(fact, None)
    return came, went


def _of_source(facts: Integers, feed: Feed) -> list[Fact]:
    return as_tuples(facts[facts[:, 0] == feed.source])
