"""Events of the present tick, updated by ABoxes and by the cuts of repairs."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from pantarhei.encoding.numbers import NO_FACTS, Fact, Integers, as_tuples, each_once, from_tuples
from pantarhei.temporal.data_stream import Appended, Asserted, assert_part


class EventChanges(NamedTuple):
    """Changes of the events of a tick; facts of shape (n, 3).

    Args:
        fresh: events that are new, in their order.
        lost: events that were removed.
        is_appended: whether the fresh events are the last ones, and no event is lost.
    """

    fresh: Integers = NO_FACTS
    lost: Integers = NO_FACTS
    is_appended: bool = True


class TickEvents:
    """Events of a tick, each once, in the order given.

    Costs the changes; all events of the tick where a further part of a timestamp calls for another repair.
    """

    def __init__(self) -> None:
        self._seen = Appended[Asserted]()
        self._only: Integers | None = NO_FACTS  # all events, while there is one ABox without cuts
        self._facts: dict[Fact, None] = {}  # else all events

    def follow(self, asserted: Appended[Asserted]) -> EventChanges:
        """Update the events to the present ABoxes of the tick; return the changes."""
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
        # an event that was lost and came again has another place
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
        """Return the last events, at most `most`, in their order."""
        return list(islice(reversed(self._all()), most))[::-1]

    @property
    def facts(self) -> Integers:
        """All events, shape (n, 3). Costs their number."""
        return from_tuples(self._facts) if self._only is None else self._only
