"""@: what holds at a tick, as rows with the tick's time for their object, and the ticks of windows.

p@n has (x, time of u) until u + n        for each tick u at which p(x) was said
tick~n has (unit, time of u) until u + n  for each tick u
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, NONE, Fact, Integers, as_tuples
from pantarhei.temporal.expiry_model import Expiries, ExpiryModel
from pantarhei.temporal.numbered import Feed, NumberedProgram
from pantarhei.temporal.operators import NOTHING, Rows, distinct
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
        self._standing: dict[Fact, None] = {}  # states that are asked for
        self._concluded: dict[Fact, None] = {}  # remembered conclusions, when the last closed tick ended

    def begin(self, past: Past, states: Integers, concluded: Integers, tick: int) -> Parts:
        """What was said before a tick; states and conclusions are those of the tick before."""
        self._standing = dict.fromkeys(_of(states, {feed.source for feed in self._states}))
        self._concluded = dict.fromkeys(_of(concluded, self._program.dated))
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
        yield from self._stand(tick)

    def come_to(self, tick: int, ended: int, concluded: Integers, withdrawn: Integers) -> Parts:
        """A new tick has come after one that ended, at which conclusions came and went."""
        self._concluded = _after(self._concluded, _of(concluded, self._program.dated), as_tuples(withdrawn))
        yield from self._clocks(ended + 1, tick)
        for source, windows in self._program.dated.items():
            facts = [fact for fact in self._concluded if fact[0] == source]
            for target, size in windows:
                yield self._rows(facts, target, ended, size)
        yield from self._stand(tick)

    def states(self, came: Integers, went: Integers, tick: int) -> tuple[Parts, Integers]:
        """What comes with states at the present tick, and the rows that go with them."""
        asked = {feed.source for feed in self._states}
        coming, going = _of(came, asked), _of(went, asked)
        self._standing = _after(self._standing, coming, going)
        gone = [self._rows(_from(going, feed), feed.target, tick, feed.size)[0] for feed in self._states]
        return self._fed(self._states, coming, tick), np.concatenate([NO_FACTS, *gone])

    def events(self, events: Integers, tick: int) -> Parts:
        """What comes with what is asserted at a tick."""
        return self._fed(self._events, as_tuples(events), tick) if self._events else iter(())

    def is_repeating(self, concludes_at_ticks: bool) -> bool:
        """Whether the next tick brings something though nothing is said at it.

        Args:
            concludes_at_ticks: whether anything is concluded at a tick that is named: it may be a later one.
        """
        return bool(self._standing or self._concluded or concludes_at_ticks)

    def _stand(self, tick: int) -> Parts:
        return self._fed(self._states, self._standing, tick)

    def _fed(self, feeds: Iterable[Feed], facts: Iterable[Fact], tick: int) -> Parts:
        given = list(facts)
        for feed in feeds:
            yield self._rows(_from(given, feed), feed.target, tick, feed.size)

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
            yield self._rows((fact for fact in standing if fact[0] == source), target, each, size)

    def _clocks(self, after: int, tick: int) -> Parts:
        for target, size in self._program.clocks:
            for each in range(max(after, self._first, tick - size), tick + 1):
                yield self._rows([(target, self._program.unit, NONE)], target, each, size)

    def _rows(self, facts: Iterable[Fact], target: int, tick: int, size: int) -> tuple[Integers, Expiries]:
        given = list(facts)
        if not given:
            return NO_FACTS, np.empty(0, np.int64)
        time, expiry, pair = self._program.time(tick), tick + size, self._pairs.number
        rows = [(target, s if o == NONE else pair(s, o, expiry), time) for _, s, o in given]
        return np.array(rows, np.int32), np.full(len(rows), expiry, np.int64)


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
        self._there: set[Fact] = set()
        self._ticks: Counter[int] = Counter()  # at how many ticks of the window each subject holds
        self._held: dict[int, Fact] = {}  # rows by their subjects
        self.watched = (source,)

    def react(self, changed: Integers, model: ExpiryModel) -> Rows:
        """See `Operator`."""
        rows = distinct(changed)
        for fact, holds in zip(as_tuples(rows), model.present(rows).tolist(), strict=True):
            if holds and fact not in self._there:
                self._there.add(fact)
                self._ticks[fact[1]] += 1
            elif not holds and fact in self._there:
                self._there.discard(fact)
                self._ticks[fact[1]] -= 1
        return self._rows({*self._held, *rows[:, 1].tolist()})

    def come_to(self, tick: int, model: ExpiryModel) -> Rows:
        """See `Operator`: what changed is told afterwards."""
        self._tick = tick
        return NOTHING

    def next_due(self) -> int | None:
        """See `Operator`: what holds at each tick needs one more at the next."""
        return self._tick + 1 if self._held else None

    def _rows(self, subjects: Iterable[int]) -> Rows:
        asked = self._times or min(self._size, self._tick - self._first) + 1
        coming, going = list[Fact](), list[Fact]()
        for subject in sorted(subjects):
            holds = self._ticks[subject] >= asked
            if holds and subject not in self._held:
                terms = (subject, NONE) if self._arity == 1 else self._pairs.terms(subject)
                self._held[subject] = self._target, *terms
                coming.append(self._held[subject])
            elif not holds and subject in self._held:
                going.append(self._held.pop(subject))
            if not self._ticks[subject]:
                del self._ticks[subject]
        return Rows(*(np.array(rows, np.int32).reshape(-1, 3) for rows in (coming, going)))


def _of(facts: Integers, predicates: Iterable[int]) -> list[Fact]:
    asked = set(predicates)
    return [fact for fact in as_tuples(facts) if fact[0] in asked] if asked else []


def _from(facts: Iterable[Fact], feed: Feed) -> list[Fact]:
    return [fact for fact in facts if fact[0] == feed.source]


def _after(facts: dict[Fact, None], coming: Iterable[Fact], going: Iterable[Fact]) -> dict[Fact, None]:
    for fact in going:
        facts.pop(fact, None)
    facts.update(dict.fromkeys(coming))
    return facts
