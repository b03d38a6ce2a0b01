"""Where facts were asserted in the window, by numbers; assertions are made of them when someone looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import Forms, Integers
from pantarhei.language.term import Triple
from pantarhei.language.time import TimePoint
from pantarhei.window.log import Log

_NO_ROWS = np.empty((0, 4), np.int32)


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

    @classmethod
    def of(cls, log: Log, facts: Integers, lexicon: Lexicon) -> Occurrences:
        """Where `facts` were asserted in the log and not cut before. Costs a look at its facts."""
        found = [(entry, rows) for entry, rows in log.occurrences(facts) if len(rows)][::-1]
        parts = [np.insert(rows, 0, place, axis=1) for place, (_, rows) in enumerate(found)]
        times, forms = (tuple(getattr(entry, name) for entry, _ in found) for name in ("at", "forms"))
        return cls(_ascending(np.concatenate([_NO_ROWS, *parts])), times, forms, lexicon)

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
            for triple in self.lexicon.decode(self.rows[start:end, 1:], forms)
        )


def _ascending(rows: Integers) -> Integers:
    """The different rows, in order."""
    rows = rows[np.lexsort(rows.T[::-1])]
    new = np.ones(len(rows), np.bool_)
    new[1:] = np.any(rows[1:] != rows[:-1], axis=1)
    return rows[new]
