"""Base rows for formulas that count: windows of the last n assertions, and `at least k times` in n ticks.

!p~3#, !p□3#, p~n×k   facts that occur at enough ticks of the window
!p@3#                 for each occurrence of p(x) in the window at tick u, the row (x, time of u);
                      for p(x, y), the row (pair of x and the time of u, y)

window [3 #], arrivals by tick          1: a b     2: a     3: c a        at 3: a twice, c once
                                            ----------------------
                                           evicted |  last three
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NO_FACTS, NONE, Fact, Integers, as_tuples
from pantarhei.model.temporal_rule import Mode
from pantarhei.temporal.expiry_model import NO_ROW_CHANGES, ExpiryModel, RowChanges, rows_of
from pantarhei.temporal.numbered import NumberedInput, NumberedTemporalProgram
from pantarhei.temporal.tuples import PairNumbers


class Occurrence(NamedTuple):
    """Fact that occurs at a tick."""

    tick: int
    fact: Fact


OccurrenceChanges = Mapping[Occurrence, bool]
"""Occurrences that entered a window (true) or left it (false)."""


class OccurrenceWindow:
    """Occurrences in a sliding window; a fact occurs at most once at a tick.

    The present tick may be replaced repeatedly. A change costs time linear in the given facts, and in the
    occurrences that leave the window.

    Args:
        size: number of assertions, or length in ticks.
        counts_tuples: true for a window of the last assertions.
        first: first tick of the timeline.
    """

    def __init__(self, size: int, counts_tuples: bool, first: int) -> None:
        self._size, self.counts_tuples, self._first = size, counts_tuples, first
        self._inside: deque[Occurrence] = deque()  # in a window of ticks, without the present tick
        self._closed: list[Occurrence] = []  # the last assertions before the present tick
        self._present: dict[Fact, None] = {}  # for windows of ticks: facts of the present tick
        self._tick = first
        self.counts: Counter[Fact] = Counter()

    def restore(self, closed: Iterable[Occurrence], tick: int) -> None:
        """Resume at a tick with the earlier occurrences, oldest first."""
        for each in closed:
            self._inside.append(each)
            self.counts[each.fact] += 1
            if self.counts_tuples and len(self._inside) > self._size:
                self._leave()
        self.advance(tick)

    def advance(self, tick: int) -> OccurrenceChanges:
        """Start a new tick; return the occurrences that leave the window."""
        ended, self._tick = self._tick, tick
        if self.counts_tuples:
            self._closed = list(self._inside)
            return {}
        self._inside.extend(Occurrence(ended, fact) for fact in self._present)
        self._present = {}
        changed: dict[Occurrence, bool] = {}
        while self._inside and self._inside[0].tick < tick - self._size:
            changed[self._leave()] = False
        return changed

    def add(self, fresh: Iterable[Fact]) -> OccurrenceChanges:
        """Append facts to the present tick.

        Returns: Occurrences that entered the window (True), and occurrences that left it (False).
        """
        changed: dict[Occurrence, bool] = {}
        for fact in fresh:
            entered = Occurrence(self._tick, fact)
            changed[entered] = True
            self.counts[fact] += 1
            if not self.counts_tuples:
                self._present[fact] = None
                continue
            self._inside.append(entered)
            if len(self._inside) > self._size:
                changed[self._leave()] = False
        return changed

    def remove(self, lost: Iterable[Fact]) -> OccurrenceChanges:
        """Remove facts of the present tick from a window of ticks; return the occurrences that leave."""
        for fact in lost:
            del self._present[fact]
            self._less(fact)
        return {Occurrence(self._tick, fact): False for fact in lost}

    def replace(self, last: list[Fact]) -> OccurrenceChanges:
        """Replace the occurrences of the present tick in a window of the last assertions.

        Costs time linear in the size of the window.

        Args:
            last: the last facts of the tick, in their order, at most as many as the window contains.

        Returns: Occurrences that are in the window (True), and occurrences that were in it and left (False).
        """
        before, room = self._inside, self._size - len(last)
        older = self._closed[-room:] if room > 0 else []
        self._inside = deque([*older, *(Occurrence(self._tick, fact) for fact in last[-self._size :])])
        self.counts = Counter(each.fact for each in self._inside)
        return {**dict.fromkeys(before, False), **dict.fromkeys(self._inside, True)}

    def __iter__(self) -> Iterator[Occurrence]:
        """Yield the occurrences in the window, oldest first."""
        yield from self._inside
        yield from (Occurrence(self._tick, fact) for fact in self._present)

    @property
    def start(self) -> int:
        """First tick that the window covers (LA17 Definitions 3 and 4)."""
        if not self.counts_tuples:
            return max(self._first, self._tick - self._size)
        return self._inside[0].tick if len(self._inside) == self._size else self._first

    @property
    def oldest(self) -> int | None:
        """Tick of the oldest occurrence in the window; None if the window is empty."""
        return next((each.tick for each in self), None)

    def next_due(self) -> int | None:
        """Return the next tick at which an occurrence leaves although nothing arrives, or None."""
        oldest = None if self.counts_tuples else self.oldest
        return None if oldest is None else oldest + self._size + 1

    def _leave(self) -> Occurrence:
        left = self._inside.popleft()
        self._less(left.fact)
        return left

    def _less(self, fact: Fact) -> None:
        self.counts[fact] -= 1
        if not self.counts[fact]:
            del self.counts[fact]


_Expected = tuple[Integers, npt.NDArray[np.bool_]]
"""Rows that may have changed, and a mask of the rows that must hold."""


class OccurrenceRows:
    """Base rows of all inputs that share a window.

    Args:
        feeds: the inputs.
        program: numbers the times of ticks.
        pairs: numbers the pairs of a first argument and a time, for facts with two arguments.
        first: first tick of the timeline.
    """

    def __init__(
        self, feeds: Sequence[NumberedInput], program: NumberedTemporalProgram, pairs: PairNumbers, first: int
    ) -> None:
        self._feeds, self._program, self._pairs = feeds, program, pairs
        self._inside = OccurrenceWindow(feeds[0].size, feeds[0].counts_tuples, first)
        self._sources = {feed.source for feed in feeds}
        self._changed: dict[Occurrence, bool] = {}
        self._tick = first

    def restore(self, closed: Iterable[Occurrence], tick: int, persistent: Iterable[Fact] = ()) -> None:
        """Resume at a tick with the earlier occurrences, oldest first; `change` returns the rows.

        Args:
            persistent: facts that occur at each tick until they end, such as states.
        """
        self._inside.restore(closed, tick)
        self._inside.add(fact for fact in persistent if fact[0] in self._sources)
        self._tick = tick
        self._changed = dict.fromkeys(self._inside, True)

    def advance(self, tick: int, persistent: Iterable[Fact] = ()) -> None:
        """Start a new tick; `change` returns the row changes.

        Args:
            persistent: facts that occur at each tick until they end, such as states.
        """
        self._changed.update(self._inside.advance(tick))
        self._changed.update(self._inside.add(fact for fact in persistent if fact[0] in self._sources))
        self._tick = tick

    def change(
        self,
        fresh: Integers,
        lost: Integers,
        model: ExpiryModel,
        last: Callable[[int], list[Fact]] | None = None,
    ) -> RowChanges:
        """Apply new and removed facts of the present tick; return the row changes since the last call.

        Args:
            last: returns the last n facts of the tick in their order. None if no fact was removed, so that
                the new facts are the last ones.
        """
        if self._inside.counts_tuples and last is not None:
            self._changed.update(self._inside.replace(last(self._feeds[0].size)))
        elif len(fresh) or len(lost):
            self._changed.update(self._inside.remove(self._counted_facts(lost)))
            self._changed.update(self._inside.add(self._counted_facts(fresh)))
        changed, self._changed = self._changed, {}
        if not changed and all(feed.mode is not Mode.ALWAYS for feed in self._feeds):
            return NO_ROW_CHANGES
        return self._rows(changed, model)

    def _counted_facts(self, facts: Integers) -> list[Fact]:
        given = as_tuples(facts)
        if self._inside.counts_tuples:
            return given
        return [fact for fact in given if fact[0] in self._sources]

    def _rows(self, changed: OccurrenceChanges, model: ExpiryModel) -> RowChanges:
        changed_facts = {each.fact for each in changed}
        inserted, deleted = [NO_FACTS], [NO_FACTS]
        for feed in self._feeds:
            has_pairs = False
            if feed.mode is Mode.AT:
                rows, expected, has_pairs = self._dated(feed, changed)
            else:
                rows, expected = self._counted(feed, changed_facts)
            present = model.present(rows)
            fresh, obsolete = rows[expected & ~present], rows[present & ~expected]
            inserted.append(fresh)
            deleted.append(obsolete)
            if has_pairs:
                inserted.append(self._pairs.use(fresh[:, 1], obsolete[:, 1]))
        return RowChanges(np.concatenate(inserted), np.concatenate(deleted))

    def _counted(self, feed: NumberedInput, changed_facts: set[Fact]) -> _Expected:
        candidates = {fact for fact in changed_facts if fact[0] == feed.source}
        if feed.mode is Mode.ALWAYS:
            candidates.update(fact for fact in self._inside.counts if fact[0] == feed.source)
        given = sorted(candidates)
        return rows_of(given, feed.target), np.array([self._holds(feed, fact) for fact in given], bool)

    def _dated(
        self, feed: NumberedInput, changed: OccurrenceChanges
    ) -> tuple[Integers, npt.NDArray[np.bool_], bool]:
        """Return a row for each changed occurrence, a mask of those inside, and true if the rows contain
        pairs.
        """
        given = [each for each in changed if each.fact[0] == feed.source]
        rows = rows_of([each.fact for each in given], feed.target)
        times = np.array([self._program.time(each.tick) for each in given], np.int32)
        has_pairs = len(rows) > 0 and rows[0, 2] != NONE
        if has_pairs:
            rows[:, 1] = self._pairs.numbers(np.column_stack([rows[:, 1], times]))
        else:
            rows[:, 2] = times
        return rows, np.array([changed[each] for each in given], bool), has_pairs

    def _holds(self, feed: NumberedInput, fact: Fact) -> bool:
        count = self._inside.counts[fact]
        if feed.mode is Mode.ALWAYS:
            return count == self._tick - self._inside.start + 1
        return count >= feed.times

    def next_due(self, repeats: bool) -> int | None:
        """Return the next tick at which rows change even if no input arrives; None if there is none.

        Args:
            repeats: true if the present facts occur again at each tick, as states do.
        """
        if self._inside.counts and (repeats or any(feed.mode is Mode.ALWAYS for feed in self._feeds)):
            return self._tick + 1
        return self._inside.next_due()

    @property
    def oldest(self) -> int | None:
        """Tick of the oldest occurrence in the window; None if the window is empty."""
        return self._inside.oldest
