"""Where facts were asserted in the window, by numbers; assertions are made of them when someone looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from pantarhei.encoding.forms import Forms
from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import Integers
from pantarhei.language.term import Triple
from pantarhei.language.time import TimePoint
from pantarhei.window.log import Entry, Log, trace


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Facts with the timestamps that assert them.

    Args:
        rows: a row `place of the timestamp, predicate, subject, object` each, ascending, each once.
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
    """What the arrival of an ABox cut, not looked up yet.

    Args:
        older: the log before the ABox.
        arriving: the ABox, with what its arrival cut.
        lexicon: what the facts' numbers mean.
    """

    older: Log
    arriving: Entry
    lexicon: Lexicon


def look_up(removals: Sequence[Removal]) -> Iterator[Occurrences]:
    """The occurrences that each of several removals of one stream took out, oldest first.

    Costs one look at the facts of their logs, however many removals there are.
    """
    for _, together in groupby(removals, key=lambda removal: id(removal.lexicon)):
        yield from _look_up(list(together))


def _look_up(removals: Sequence[Removal]) -> Iterator[Occurrences]:
    """`look_up` of removals with one lexicon."""
    entries: list[Entry] = []
    arrivals: list[int] = []  # the places of the arriving ABoxes
    for removal in removals:
        entries += removal.older.timeline.after(entries[-1].level if entries else -1)
        arrivals.append(len(entries))
        entries.append(removal.arriving)
    levels = np.array([entry.level for entry in entries])
    found = trace(entries, np.concatenate([removal.arriving.cut for removal in removals]))
    order = np.argsort(found.cut_at, kind="stable")
    starts, ends = (np.searchsorted(found.cut_at[order], arrivals, side) for side in ("left", "right"))
    for removal, start, end in zip(removals, starts.tolist(), ends.tolist(), strict=True):
        cut = order[start:end]
        # older ones had left by then
        cut = cut[levels[found.places[cut]] >= removal.older.timeline.first_level]
        used, places = np.unique(found.places[cut], return_inverse=True)
        rows = _ascending(np.column_stack([places, found.facts[cut]]).astype(np.int32))
        times, forms = (tuple(getattr(entries[i], name) for i in used.tolist()) for name in ("at", "forms"))
        yield Occurrences(rows, times, forms, removal.lexicon)


def _ascending(rows: Integers) -> Integers:
    """The different rows, in order."""
    rows = rows[np.lexsort(rows.T[::-1])]
    new = np.ones(len(rows), np.bool_)
    new[1:] = np.any(rows[1:] != rows[:-1], axis=1)
    return rows[new]
