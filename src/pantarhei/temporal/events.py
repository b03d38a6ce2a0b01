"""The events of the present tick, kept as ABoxes come and repairs cut."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from pantarhei.encoding.numbers import NO_FACTS, Fact, Integers, as_tuples, each_once, from_tuples
from pantarhei.temporal.data_stream import Appended, Asserted, assert_part


class EventChanges(NamedTuple):
    """Changes of the events of a tick; facts of shape (n, 3).

    Args:
        fresh: events that are new, in their order.
        lost: events that are none any more.
        is_appended: whether the fresh ones are the last, and nothing is lost.
    """

    fresh: Integers = NO_FACTS
    lost: Integers = NO_FACTS
    is_appended: bool = True


class TickEvents:
    """The events of a tick, each once, in the order given. Costs what changes.

    Where a further part of a timestamp calls for another repair, costs all events of the tick.
    """

    def __init__(self) -> None:
        self._seen = Appended[Asserted]()
        self._only: Integers | None = NO_FACTS  # all of them as long as there is one ABox and nothing is cut
        self._facts: dict[Fact, None] = {}  # all of them else

    def follow(self, asserted: Appended[Asserted]) -> EventChanges:
        """Return what changes with the ABoxes of the tick as they are now."""
        parts, self._seen = asserted.after(self._seen), asserted
        if parts is None:
            return self._redo(asserted)
        if not parts:
            return EventChanges()
        if self._only is not None and not len(self._only) and not len(parts[0].cut) and len(parts) == 1:
            self._only = each_once(parts[0].facts)
            return EventChanges(self._only)
        events, fresh, lost = self._all(), dict[Fact, None](), dict[Fact, None]()
        for part in parts:
            came, went = assert_part(events, part)
            lost.update(dict.fromkeys(fact for fact in went if fact not in fresh))
            for fact in went:
                fresh.pop(fact, None)
            fresh.update(dict.fromkeys(came))
        # what was lost and came again stands elsewhere in the order
        return EventChanges(from_tuples(fresh), from_tuples(lost), not lost)

    def _redo(self, asserted: Appended[Asserted]) -> EventChanges:
        before, events = self._all(), dict[Fact, None]()
        for part in asserted:
            assert_part(events, part)
        self._facts = events
        fresh = [fact for fact in events if fact not in before]
        lost = [fact for fact in before if fact not in events]
        return EventChanges(from_tuples(fresh), from_tuples(lost), is_appended=False)

    def _all(self) -> dict[Fact, None]:
        if self._only is not None:
            self._facts, self._only = dict.fromkeys(as_tuples(self._only)), None
        return self._facts

    def last(self, most: int) -> list[Fact]:
        """Return the last events, at most so many, in their order."""
        return list(islice(reversed(self._all()), most))[::-1]

    @property
    def facts(self) -> Integers:
        """All of them, shape (n, 3). Costs their number."""
        return from_tuples(self._facts) if self._only is None else self._only
