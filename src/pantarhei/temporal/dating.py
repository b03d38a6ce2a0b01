"""@: what holds at a tick, as rows with the tick's time for their object, and the ticks of windows.

p@n has (x, time of u) until u + n        for each tick u at which p(x) was said
tick~n has (unit, time of u) until u + n  for each tick u
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, NONE, Fact, Integers, as_tuples, each_once
from pantarhei.temporal.data_stream import union, without
from pantarhei.temporal.expiry_model import Expiries, ExpiryModel
from pantarhei.temporal.numbered import Feed, NumberedProgram
from pantarhei.temporal.operators import NOTHING, Rows
from pantarhei.temporal.pairs import Pairs
from pantarhei.temporal.past import Past, held_at

Parts = Iterator[tuple[Integers, Expiries]]
"""Rows of the second kernel with their expiries."""


class Dating:
    """The rows with times. States and remembered conclusions cost their number at each tick.

    Args:
        program: the rules.
        pairs: numbers the arguments of facts that have two.
        first: where the timeline begins.
    """

    def __init__(self, program: NumberedProgram, pairs: Pairs, first: int) -> None:
        self._program, self._pairs, self._first = program, pairs, first
        self._states = [feed for feed in program.dated_feeds if not feed.is_asserted]
        self._events = [feed for feed in program.dated_feeds if feed.is_asserted]
        self._standing = NO_FACTS  # states that are asked for
        self._concluded = NO_FACTS  # remembered conclusions, when the last closed tick ended

    def begin(self, past: Past, states: Integers, concluded: Integers, tick: int) -> Parts:
        """What was said before a tick; states and conclusions are those of the tick before."""
        self._standing = _of(states, {feed.source for feed in self._states})
        self._concluded = _of(concluded, self._program.dated)
        yield from self._clocks(self._first, tick)
        for said in past:
            yield from self.events(said.events, said.tick)
        turns = [(said.tick, said.came, said.went) for said in past]
        for feed in self._states:
            yield from self._held(turns, states, feed.source, feed.target, feed.size, past.begun, tick)
        turns = [(said.tick, said.concluded, said.withdrawn) for said in past]
        for source, windows in self._program.dated.items():
            for target, size in windows:
                yield from self._held(turns, concluded, source, target, size, past.begun, tick)
        yield from self._fed(self._states, self._standing, tick)

    def come_to(self, tick: int, ended: int, concluded: Integers, withdrawn: Integers) -> Parts:
        """A new tick has come after one that ended, at which conclusions came and went."""
        came, went = (_of(rows, self._program.dated) for rows in (concluded, withdrawn))
        self._concluded = union(without(self._concluded, went), came)
        yield from self._clocks(ended + 1, tick)
        for source, windows in self._program.dated.items():
            for target, size in windows:
                yield self._rows(_of(self._concluded, (source,)), target, ended, size)
        yield from self._fed(self._states, self._standing, tick)

    def states(self, came: Integers, went: Integers, tick: int) -> tuple[Parts, Integers]:
        """What comes with states at the present tick, and the rows that go with them."""
        asked = {feed.source for feed in self._states}
        coming, going = _of(came, asked), _of(went, asked)
        self._standing = union(without(self._standing, going), coming)
        gone = [rows for rows, _ in self._fed(self._states, going, tick)]
        return self._fed(self._states, coming, tick), np.concatenate([NO_FACTS, *gone])

    def events(self, events: Integers, tick: int) -> Parts:
        """What comes with what is asserted at a tick."""
        return self._fed(self._events, events, tick)

    def is_repeating(self, concludes_at_ticks: bool) -> bool:
        """Whether the next tick brings something though nothing is said at it.

        Args:
            concludes_at_ticks: whether anything is concluded at a tick that is named: it may be a later one.
        """
        return len(self._standing) > 0 or len(self._concluded) > 0 or concludes_at_ticks

    def _fed(self, feeds: Iterable[Feed], facts: Integers, tick: int) -> Parts:
        for feed in feeds:
            yield self._rows(_of(facts, (feed.source,)), feed.target, tick, feed.size)

    def _held(
        self,
        turns: list[tuple[int, Integers, Integers]],
        facts: Integers,
        source: int,
        target: int,
        size: int,
        begun: int,
        tick: int,
    ) -> Parts:
        """What held at the ticks before, of facts of one predicate that come and go."""
        for each, standing in held_at(turns, as_tuples(facts), tick - 1, max(begun, tick - size)):
            there = sorted(fact for fact in standing if fact[0] == source)
            yield self._rows(np.array(there, np.int32).reshape(-1, 3), target, each, size)

    def _clocks(self, after: int, tick: int) -> Parts:
        for target, size in self._program.clocks:
            for each in range(max(after, self._first, tick - size), tick + 1):
                yield self._rows(np.array([(target, self._program.unit, NONE)], np.int32), target, each, size)

    def _rows(self, facts: Integers, target: int, tick: int, size: int) -> tuple[Integers, Expiries]:
        """The rows of facts of one predicate at a tick."""
        if not len(facts):
            return NO_FACTS, np.empty(0, np.int64)
        rows, expiry = facts.copy(), tick + size
        if facts[0, 2] != NONE:
            rows[:, 1] = self._pairs.numbers(facts[:, 1:], expiry)
        rows[:, 0], rows[:, 2] = target, self._program.time(tick)
        return rows, np.full(len(rows), expiry, np.int64)


class EnoughTicks:
    """At enough ticks of a window, of conclusions. An operator (`operators.Operator`).

    Args:
        source, target: predicates, as `program.DatedRun` has them.
        size: how many ticks the window reaches back.
        times: at how many of its ticks; None for all.
        arity: of the target.
        pairs: knows the arguments of what has two.
        first: where the timeline begins.
        tick: the present one.
    """

    def __init__(
        self,
        source: int,
        target: int,
        size: int,
        times: int | None,
        arity: int,
        pairs: Pairs,
        first: int,
        tick: int,
    ) -> None:
        self._target, self._size, self._times = target, size, times
        self._arity, self._pairs = arity, pairs
        self._first, self._tick = first, tick
        self._there: set[int] = set()  # keys of the rows that hold
        self._ticks: Counter[int] = Counter()  # at how many ticks of the window each subject holds
        self._held: dict[int, Fact] = {}  # rows by their subjects
        self._asked = self._number_asked()  # when it last looked
        self.watched = (source,)

    def react(self, changed: Integers, model: ExpiryModel) -> Rows:
        """See `Operator`. Costs what has changed, while the window grows all that is held."""
        self._tick = model.tick
        rows = each_once(changed)
        subjects = rows[:, 1].tolist()
        keys = np.ascontiguousarray(rows[:, 1:]).view(np.int64)[:, 0].tolist()
        for key, subject, holds in zip(keys, subjects, model.present(rows).tolist(), strict=True):
            if holds and key not in self._there:
                self._there.add(key)
                self._ticks[subject] += 1
            elif not holds and key in self._there:
                self._there.discard(key)
                self._ticks[subject] -= 1
        before, self._asked = self._asked, self._number_asked()
        return self._rows(dict.fromkeys(subjects if before == self._asked else [*self._held, *subjects]))

    def come_to(self, tick: int, model: ExpiryModel) -> Rows:
        """See `Operator`: it looks when it reacts."""
        return NOTHING

    def next_due(self) -> int | None:
        """See `Operator`: while the window grows, what holds at each tick needs one more at the next."""
        is_growing = self._times is None and self._asked <= self._size
        return self._tick + 1 if self._held and is_growing else None

    def _number_asked(self) -> int:
        """At how many ticks it is to hold."""
        return self._times or min(self._size, self._tick - self._first) + 1

    def _rows(self, subjects: Iterable[int]) -> Rows:
        coming, going = list[Fact](), list[Fact]()
        for subject in subjects:
            holds = self._ticks[subject] >= self._asked
            if holds and subject not in self._held:
                terms = (subject, NONE) if self._arity == 1 else self._pairs.terms(subject)
                self._held[subject] = self._target, *terms
                coming.append(self._held[subject])
            elif not holds and subject in self._held:
                going.append(self._held.pop(subject))
            if not self._ticks[subject]:
                del self._ticks[subject]
        return Rows(*(np.array(rows, np.int32).reshape(-1, 3) for rows in (coming, going)))


def _of(facts: Integers, predicates: Collection[int]) -> Integers:
    """The facts of some predicates."""
    if not len(facts) or not predicates:
        return NO_FACTS
    if len(predicates) == 1:
        (predicate,) = predicates
        found: Integers = facts[facts[:, 0] == predicate]
        return found
    return facts[np.isin(facts[:, 0], list(predicates))]
