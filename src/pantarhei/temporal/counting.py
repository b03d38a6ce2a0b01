"""What holds because facts occur often enough in a window: of the last assertions, or of ticks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, Fact, Integers, as_tuples
from pantarhei.language.temporal_rule import Mode
from pantarhei.temporal.expiry_model import ExpiryModel
from pantarhei.temporal.numbered import Feed
from pantarhei.temporal.occurrences import Occurrence, Occurrences
from pantarhei.temporal.operators import Rows, of


class Counting:
    """The rows of feeds that look at one window.

    Args:
        feeds: what it feeds; all with the same window.
        first: where the timeline begins.
    """

    def __init__(self, feeds: Sequence[Feed], first: int) -> None:
        self._feeds = feeds
        self._inside = Occurrences(feeds[0].size, feeds[0].counts_tuples, first)
        self._sources = {feed.source for feed in feeds}
        self._touched: set[Fact] = set()
        self._tick = first

    def begin(self, closed: Iterable[Occurrence], tick: int) -> None:
        """Go on at a tick, after what occurred before it; the rows come with the next change."""
        self._inside.begin(closed, tick)
        self._tick = tick
        self._touched = set(self._inside.counts)

    def come_to(self, tick: int) -> None:
        """A new tick has come; the rows come with the next change."""
        self._touched |= self._inside.come_to(tick)
        self._tick = tick

    def change(self, facts: Integers, model: ExpiryModel) -> Rows:
        """These are all facts of the present tick, in their order."""
        told = as_tuples(facts)
        if not self._inside.counts_tuples:
            told = [fact for fact in told if fact[0] in self._sources]
        touched, self._touched = self._touched | self._inside.change(told), set()
        coming, going = [NO_FACTS], [NO_FACTS]
        for feed in self._feeds:
            looked_at = {fact for fact in touched if fact[0] == feed.source}
            if feed.mode is Mode.ALWAYS:
                looked_at.update(fact for fact in self._inside.counts if fact[0] == feed.source)
            given = sorted(looked_at)
            rows = of(np.array(given, np.int32).reshape(-1, 3), feed.target)
            wanted = np.array([self._holds(feed, fact) for fact in given], bool)
            there = model.present(rows)
            coming.append(rows[wanted & ~there])
            going.append(rows[there & ~wanted])
        return Rows(np.concatenate(coming), np.concatenate(going))

    def _holds(self, feed: Feed, fact: Fact) -> bool:
        count = self._inside.counts[fact]
        if feed.mode is Mode.ALWAYS:
            return count == self._tick - self._inside.start + 1
        return count >= feed.times

    def next_due(self, repeats: bool) -> int | None:
        """The next tick that brings something though nothing is said.

        Args:
            repeats: whether what is there occurs at each tick anew, as states do.
        """
        if self._inside.counts and (repeats or any(feed.mode is Mode.ALWAYS for feed in self._feeds)):
            return self._tick + 1
        return self._inside.next_due()

    @property
    def oldest(self) -> int | None:
        """The tick of the oldest assertion that it counts, None if there is none."""
        return self._inside.oldest
