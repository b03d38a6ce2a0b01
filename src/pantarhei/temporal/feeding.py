"""What is said, as base rows of the second kernel: `p now`, and `p within n ticks`.

asserted at t     holds until t + n
a state           holds until it is removed; one that goes at t was last there at t - 1: until t - 1 + n
remembered        as a state, one tick later
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from pantarhei.encoding.numbers import Fact, Integers, as_tuples
from pantarhei.temporal.expiry_model import EXPIRED, UNTIL_REMOVED, Expiries, ExpiryModel, Until
from pantarhei.temporal.numbered import NumberedProgram
from pantarhei.temporal.past import Past, Turns
from pantarhei.temporal.row_supports import RowSupports
from pantarhei.temporal.selecting import WHOLE, Followed, Following


class Feeding:
    """The rows whose expiries what is said sets. Costs what changes.

    Args:
        program: the rules.
        model: holds the rows.
    """

    def __init__(self, program: NumberedProgram, model: ExpiryModel) -> None:
        self._model = model
        self._of_events, self._of_states = (
            Following(
                program.selectors,
                (
                    Followed(source, feed.target, feed.size, feed.selector or WHOLE)
                    for source, feeds in program.feeds_of(is_asserted).items()
                    for feed in feeds
                    if feed.is_direct
                ),
            )
            for is_asserted in (True, False)
        )
        self._of_conclusions = Following(
            program.selectors,
            (
                Followed(source, target, size)
                for source, windows in program.windows.items()
                for target, size in windows
            ),
        )
        self._supports = RowSupports(self._of_events)
        self._raised: list[tuple[Integers, Integers]] = []  # at the present tick, with their levels before
        self._before: dict[Fact, int] = {}  # earlier expiries of rows that left `_raised`

    def begin(self, past: Past, states: Integers, concluded: Integers) -> None:
        """Start from what was said before the present tick.

        Args:
            states, concluded: what held, and what was concluded and is remembered, at the tick before.
        """
        events, said_at = past.events
        for size, rows, places in self._of_events.parts(events):
            self._add_lasting(rows, said_at[places] + size)
        self._begin(self._of_states, states, past.states)
        self._begin(self._of_conclusions, concluded, past.conclusions)

    def _begin(self, following: Following[int], standing: Integers, turns: Turns) -> None:
        for _, rows, _ in following.parts(standing):
            self._model.add(rows, UNTIL_REMOVED)
        for size, rows, places in following.parts(turns.gone):
            self._add_lasting(rows, turns.until[places] - 1 + size)

    def come_to(self, ended: int, concluded: Integers, withdrawn: Integers) -> None:
        """A new tick has come after one that ended, at which remembered conclusions came and went."""
        self._raised, self._before = [], {}
        self._supports.come_to_tick()
        for _, rows, _ in self._of_conclusions.parts(concluded):
            self._model.add(rows, UNTIL_REMOVED)
        for size, rows, _ in self._of_conclusions.parts(withdrawn):
            self._model.lower(rows, ended - 1 + size)

    def change_states(self, came: Integers, went: Integers) -> None:
        """States came and went at the present tick."""
        for size, rows, _ in self._of_states.parts(went):
            self._model.lower(rows, self._earlier(rows, self._model.tick - 1 + size))
        self._raise([(rows, UNTIL_REMOVED) for _, rows, _ in self._of_states.parts(came)])

    def lose_events(self, lost: Integers, remaining: Callable[[], Integers]) -> None:
        """Remove events of the present tick.

        Args:
            remaining: returns the other events, without the ones to be added next.
        """
        parts = [rows for _, rows, _ in self._of_events.parts(lost)]
        for rows in self._supports.unsupported(parts, lambda: self._rows(remaining())):
            if len(rows):
                self._model.lower(rows, self._earlier(rows, EXPIRED))

    def _rows(self, events: Integers) -> Iterator[Integers]:
        return (rows for _, rows, _ in self._of_events.parts(events))

    def add_events(self, fresh: Integers) -> None:
        """Add events of the present tick."""
        parts = self._of_events.parts(fresh)
        for _, rows, _ in parts:
            self._supports.add(rows)
        self._raise([(rows, self._model.tick + size) for size, rows, _ in parts])

    def _raise(self, parts: Sequence[tuple[Integers, int]]) -> None:
        """Raise rows, such that they can be lowered again at this tick to what they were."""
        if parts:
            self._raised.append(self._model.add_parts(parts))

    def _earlier(self, rows: Integers, otherwise: Until) -> Until:
        """What the expiries of rows were before they were raised at this tick; else `otherwise`."""
        known = self._before
        for raised, levels in self._raised:
            for fact, expiry in zip(as_tuples(raised), self._model.expiries(levels).tolist(), strict=True):
                known.setdefault(fact, expiry)  # the first time that one was raised counts
        self._raised = []
        if not known:
            return otherwise
        others = np.broadcast_to(np.asarray(otherwise, np.int64), len(rows))
        facts = zip(as_tuples(rows), others.tolist(), strict=True)
        return np.array([known.get(fact, other) for fact, other in facts], np.int64)

    def _add_lasting(self, rows: Integers, expiries: Expiries) -> None:
        """Add the rows whose time is not over."""
        lasting = expiries >= self._model.tick
        if lasting.any():
            self._model.add(rows[lasting], expiries[lasting])
