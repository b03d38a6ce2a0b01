"""What is said, as base rows of the second kernel: `p now`, and `p within n ticks`.

asserted at t     holds until t + n
a state           holds until it is removed; one that goes at t was last there at t - 1: until t - 1 + n
remembered        as a state, one tick later
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NONE, Fact, Integers, as_tuples
from pantarhei.temporal.expiry_model import UNTIL_REMOVED, Expiries, ExpiryModel, Until
from pantarhei.temporal.numbered import NumberedProgram, by_source
from pantarhei.temporal.past import Past, Turns
from pantarhei.temporal.selecting import Batch, Batches, Places


class Feeding:
    """The rows whose expiries what is said sets. Costs what changes.

    Args:
        program: the rules.
        model: holds the rows.
    """

    def __init__(self, program: NumberedProgram, model: ExpiryModel) -> None:
        self._model = model
        self._of_events, self._of_states = (
            Targets(
                {
                    source: [(feed.target, feed.size) for feed in feeds if feed.is_direct]
                    for source, feeds in program.feeds_of(is_asserted).items()
                }
            )
            for is_asserted in (True, False)
        )
        self._of_conclusions = Targets(program.windows)
        self._selected = by_source(program.selected_feeds)
        self._raised: list[tuple[Integers, Integers]] = []  # at the present tick, with their levels before
        self._before: dict[Fact, int] | None = None  # their expiries before, once someone looks

    def begin(self, past: Past, states: Integers, concluded: Integers) -> None:
        """Start from what was said before the present tick.

        Args:
            states, concluded: what held, and what was concluded and is remembered, at the tick before.
        """
        events, said_at = past.events
        for rows, sizes, which in self._of_events.rows(events):
            self._add_lasting(rows, said_at[which] + sizes)
        for source in self._selected if len(events) else ():
            of_source = events[:, 0] == source
            batch, times = Batch(events[of_source]), said_at[of_source]
            for rows, size, which in self._following(source, batch):
                self._add_lasting(rows, times[which] + size)
        self._begin(self._of_states, states, past.states)
        self._begin(self._of_conclusions, concluded, past.conclusions)

    def _begin(self, targets: Targets, standing: Integers, turns: Turns) -> None:
        for rows, _, _ in targets.rows(standing):
            self._model.add(rows, UNTIL_REMOVED)
        for rows, sizes, which in targets.rows(turns.gone):
            self._add_lasting(rows, turns.until[which] - 1 + sizes)

    def come_to(self, ended: int, concluded: Integers, withdrawn: Integers) -> None:
        """A new tick has come after one that ended, at which remembered conclusions came and went."""
        self._raised, self._before = [], None
        for rows, _, _ in self._of_conclusions.rows(concluded):
            self._model.add(rows, UNTIL_REMOVED)
        for rows, sizes, _ in self._of_conclusions.rows(withdrawn):
            self._model.lower(rows, ended - 1 + sizes)

    def change_states(self, came: Integers, went: Integers) -> None:
        """States came and went at the present tick."""
        for rows, sizes, _ in self._of_states.rows(went):
            self._model.lower(rows, self._earlier(rows, self._model.tick - 1 + sizes))
        for rows, _, _ in self._of_states.rows(came):
            self._raise([(rows, UNTIL_REMOVED)])

    def lose_events(self, lost: Batches) -> None:
        """These are asserted at the present tick no more; add those that are."""
        for rows, _ in self._rows_of(lost):
            self._model.lower(rows, self._earlier(rows, NONE))

    def add_events(self, fresh: Batches) -> None:
        """These are asserted at the present tick."""
        self._raise([(rows, self._model.tick + sizes) for rows, sizes in self._rows_of(fresh)])

    def _rows_of(self, events: Batches) -> Iterator[tuple[Integers, Until]]:
        """The rows that events are or select, with the sizes of their windows."""
        for rows, sizes, _ in self._of_events.rows(events.facts):
            yield rows, sizes
        for source, batch in events.by_predicate.items() if self._selected else ():
            for rows, size, _ in self._following(source, batch):
                yield rows, size

    def _following(self, source: int, batch: Batch) -> Iterator[tuple[Integers, int, Places]]:
        """The rows that follow from events of one predicate, the sizes of their windows, and from which."""
        for feed in self._selected.get(source, ()):
            assert feed.selector is not None, "it is a selected feed"
            rows, which = feed.selector.rows(batch, feed.target)
            if len(rows):
                yield rows, feed.size, which

    def _raise(self, parts: Sequence[tuple[Integers, Until]]) -> None:
        """Raise rows, such that they can be lowered again at this tick to what they were."""
        if parts:
            self._raised.append(self._model.add_parts(parts))
            self._before = None

    def _earlier(self, rows: Integers, otherwise: Until) -> Until:
        """What the expiries of rows were before they were raised at this tick; else `otherwise`."""
        if not self._raised:
            return otherwise
        if self._before is None:
            self._before = {
                fact: expiry
                for raised, levels in reversed(self._raised)  # the first time that one was raised counts
                for fact, expiry in zip(
                    as_tuples(raised[::-1]), self._model.expiries(levels[::-1]).tolist(), strict=True
                )
            }
        known, others = self._before, np.broadcast_to(np.asarray(otherwise, np.int64), len(rows))
        facts = zip(as_tuples(rows), others.tolist(), strict=True)
        return np.array([known.get(fact, other) for fact, other in facts], np.int64)

    def _add_lasting(self, rows: Integers, expiries: Expiries) -> None:
        """Add the rows whose time is not over."""
        lasting = expiries >= self._model.tick
        if lasting.any():
            self._model.add(rows[lasting], expiries[lasting])


class _Wave(NamedTuple):
    """A target of each predicate, by its number; of what has none it is `NONE`, as in the last entry."""

    targets: Integers
    sizes: npt.NDArray[np.int64] | int


class Targets:
    """Which rows facts are, by their predicates.

    Args:
        targets: the predicates of the rows, and the sizes of their windows.
    """

    def __init__(self, targets: Mapping[int, Sequence[tuple[int, int]]]) -> None:
        self._count = max(targets, default=-1) + 2
        deepest = max(map(len, targets.values()), default=0)
        self._waves = [
            self._wave((source, *given[place]) for source, given in targets.items() if place < len(given))
            for place in range(deepest)
        ]

    def _wave(self, feeds: Iterable[tuple[int, int, int]]) -> _Wave:
        targets, sizes = np.full(self._count, NONE, np.int32), np.zeros(self._count, np.int64)
        alike = set()
        for source, target, size in feeds:
            targets[source], sizes[source] = target, size
            alike.add(size)
        return _Wave(targets, alike.pop() if len(alike) == 1 else sizes)

    def rows(self, facts: Integers) -> Iterator[tuple[Integers, Until, npt.NDArray[np.intp]]]:
        """The rows that facts are, the sizes of their windows, and the places of the facts.

        Costs the facts, once for each feed that any predicate has.
        """
        if not len(facts):
            return
        predicates = facts[:, 0]
        for targets, sizes in self._waves:
            found = targets.take(predicates, mode="clip")
            which = (found != NONE).nonzero()[0]
            if len(which):
                rows = facts.take(which, axis=0)
                rows[:, 0] = found.take(which)
                yield rows, sizes if isinstance(sizes, int) else sizes.take(predicates[which]), which
