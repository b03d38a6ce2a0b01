"""Where removed facts were asserted in the window, by numbers; assertions are made of them on demand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from pantarhei.encoding.forms import Forms
from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import Integers
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint
from pantarhei.repair.conflict import Levels
from pantarhei.window.log import Entry, Log


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Facts with the timestamps that assert them.

    Args:
        rows: a row `place of the timestamp, predicate, subject, object` each; those of a removal ascend, and
            are there once.
        times: the timestamps.
        forms: for each of them the forms of its literals that are not the first ones of their values.
        lexicon: what the facts' numbers mean.
    """

    rows: Integers
    times: tuple[TimePoint, ...]
    forms: tuple[Forms, ...]
    lexicon: Lexicon

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def has_forms(self) -> bool:
        """Whether a literal may be written in another form than the lexicon's."""
        return any(self.forms)

    def assertions(self) -> frozenset[tuple[TimePoint, Triple]]:
        """The same as timestamps and triples."""
        ends = np.searchsorted(self.rows[:, 0], np.arange(1, len(self.times) + 1)).tolist()
        starts: Sequence[int] = (0, *ends)
        return frozenset(
            (at, triple)
            for at, forms, start, end in zip(self.times, self.forms, starts, ends, strict=False)
            for triple in self.lexicon.decode(self.rows[start:end, 1:], forms.by_fact)
        )


@dataclass(frozen=True, slots=True)
class Removal:
    """Facts that a repair removed from a window.

    Args:
        older: the log before the arriving ABox.
        arriving: the ABox.
        facts: the removed facts, each once, shape (n, 3).
        levels: the newest level at which each was asserted.
        lexicon: what the facts' numbers mean.
    """

    older: Log
    arriving: Entry
    facts: Integers
    levels: Levels
    lexicon: Lexicon

    def __len__(self) -> int:
        return len(self.facts)

    def occurrences(self) -> Occurrences:
        """All occurrences of the removed facts in the window of the time.

        From each ABox that asserts a fact a link leads to the one before. Costs a look at the ABoxes that
        assert some of the facts, independently of the window's size.
        """
        at: dict[int, list[Integers]] = defaultdict(list)  # level -> places of facts asserted there
        waiting: list[int] = []

        def reach(levels: Levels, places: Integers) -> None:
            few = len(levels) == 1
            for level in levels.tolist() if few else np.unique(levels).tolist():
                if level >= self.older.timeline.first_level:
                    if level not in at:
                        heappush(waiting, -level)
                    at[level].append(places if few else places[levels == level])

        found: list[tuple[Entry, Integers]] = []
        reach(self.levels, np.arange(len(self.facts), dtype=np.int32))
        while waiting:
            level = -heappop(waiting)
            entry = self.arriving if level == self.arriving.level else self.older.timeline.at_level(level)
            assert entry is not None, "a fact was asserted there"
            places = np.concatenate(at.pop(level))
            found.append((entry, self.facts[places]))
            reach(entry.levels_before(self.facts[places]), places)
        found.reverse()
        return Occurrences(
            np.concatenate([np.empty((0, 4), np.int32), *map(_rows, range(len(found)), found)]),
            tuple(entry.at for entry, _ in found),
            tuple(entry.forms for entry, _ in found),
            self.lexicon,
        )


def _rows(place: int, found: tuple[Entry, Integers]) -> Integers:
    facts = found[1] if len(found[1]) == 1 else found[1][np.lexsort(found[1].T[::-1])]
    rows = np.empty((len(facts), 4), np.int32)
    rows[:, 0], rows[:, 1:] = place, facts
    return rows
