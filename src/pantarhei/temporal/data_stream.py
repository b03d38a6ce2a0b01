"""Data stream (LA17): the part of the input history that windows of rules can still read, and the present
tick.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from pantarhei.encoding.numbers import (
    NO_CHANGES,
    NO_FACTS,
    NONE,
    Fact,
    Integers,
    Renaming,
    as_tuples,
    distinct_facts,
    from_tuples,
    net_changes,
    signed,
    split_changes,
)
from pantarhei.temporal.tick_history import TickHistory, TickRecord
from pantarhei.temporal.tuples import TupleNumbers, are_tuples, renamed_facts
from pantarhei.window.log import Entry, among

T = TypeVar("T")


class Appended(Generic[T]):
    """Immutable sequence that shares its items with the sequence to which an item was appended.

    The first append to a sequence costs O(1), a further append to the same sequence O(n).

    Args:
        items: the first items.
        bytes: size of the items in bytes.
    """

    __slots__ = ("_items", "_length", "bytes")

    def __init__(self, items: Iterable[T] = (), bytes: int = 0) -> None:
        self._items = list(items)
        self._length, self.bytes = len(self._items), bytes

    def with_item(self, item: T, bytes: int) -> Appended[T]:
        """Return a sequence with one further item.

        Args:
            bytes: size of the item in bytes.
        """
        longer = Appended[T](bytes=self.bytes + bytes)
        is_last = 0 < self._length == len(self._items)  # no other sequence has appended to the shared list
        longer._items = self._items if is_last else self._items[: self._length]
        longer._items.append(item)
        longer._length = self._length + 1
        return longer

    def after(self, other: Appended[T]) -> list[T] | None:
        """Return the items that were appended to `other` to build this sequence; None if it was built
        otherwise.
        """
        if other._length and (self._items is not other._items or self._length < other._length):
            return None
        return self._items[other._length : self._length]

    def __iter__(self) -> Iterator[T]:
        return iter(self._items[: self._length])

    def __len__(self) -> int:
        return self._length

    @property
    def last(self) -> T | None:
        """Last item; None if there is none."""
        return self._items[self._length - 1] if self._length else None


class AssertedPart(NamedTuple):
    """Facts of an ABox of the present tick, or facts added to an ABox later at the same timestamp.

    Args:
        at: timestamp, in the stream's smallest units.
        facts: facts that are input of rules, in the given order.
        cut: facts that the repair of this timestamp removes, from this ABox and from older ones. If further
            facts arrive for the timestamp, a different repair may restore them.
        given: number of all facts of the ABox, this part included; 0 if unknown.
    """

    at: int
    facts: Integers
    cut: Integers = NO_FACTS
    given: int = 0

    @property
    def bytes(self) -> int:
        """Size of the facts in bytes."""
        return self.facts.nbytes + self.cut.nbytes


_NOTHING_CHANGED = Appended[Integers]()
_NOTHING_ASSERTED = Appended[AssertedPart]()


class DataStream(NamedTuple):
    """Data stream of LA17 with the remembered conclusions. Immutable; arrays of facts have shape (n, 3).

    Args:
        first: first tick of the timeline.
        tick: the present tick.
        past: the closed ticks.
        tuples: numbers of the tuples in conclusions.
        concluded: remembered conclusions at the end of the last closed tick; predicates are numbered by the
            temporal kernel.
        changed: changes of states at the present tick, in order of arrival, as arrays of shape (n, 4); the
            last column is 1 for a state that began, -1 for one that ended.
        asserted: ABoxes of the present tick, oldest first.
        oldest: timestamp of the oldest ABox in the window; None if the window is empty.
    """

    first: int
    tick: int
    past: TickHistory
    tuples: TupleNumbers
    concluded: Integers = NO_FACTS
    changed: Appended[Integers] = _NOTHING_CHANGED
    asserted: Appended[AssertedPart] = _NOTHING_ASSERTED
    oldest: int | None = None

    @property
    def events(self) -> Integers:
        """Assertions of the present tick that no repair has cut, in the given order, without duplicates."""
        parts = list(self.asserted)
        if any(len(part.cut) for part in parts):
            survived: dict[Fact, None] = {}
            for part in parts:
                apply_part(survived, part)
            return from_tuples(survived)
        return distinct_facts(np.concatenate([NO_FACTS, *(part.facts for part in parts)]))

    @property
    def net_state_changes(self) -> tuple[Integers, Integers]:
        """States that began, and states that ended, since the end of the last closed tick."""
        return split_changes(net_changes(np.concatenate([NO_CHANGES, *self.changed])))

    def with_changes(self, added: Integers, removed: Integers) -> DataStream:
        """Return the data stream with further begun and ended states at the present tick."""
        changes = np.concatenate([signed(added, 1), signed(removed, -1)])
        return self._replace(changed=self.changed.with_item(changes, changes.nbytes))

    def with_abox(self, entry: Entry, fed: Callable[[Integers], Integers]) -> DataStream:
        """Return the data stream with a new ABox of the present tick, or with the extended newest ABox.

        Costs time linear in the new facts; in all facts of the ABox if one of its repairs cuts facts.

        Args:
            fed: selects the facts that are input of rules.
        """
        older, facts, cut, last = self.asserted, entry.facts, fed(entry.cut), self.asserted.last
        if last is not None and last.at == entry.ticks:
            if last.given and not len(cut) and not len(last.cut):
                facts = facts[last.given :]
            else:
                others = [part for part in self.asserted if part.at != last.at]
                older = Appended(others, sum(part.bytes for part in others))
        part = AssertedPart(entry.ticks, fed(facts), cut, len(entry.facts))
        return self._replace(asserted=older.with_item(part, part.bytes))

    def close_tick(self, tick: int, concluded: Integers, withdrawn: Integers, needed: int) -> DataStream:
        """Return the data stream after the present tick is closed and time has advanced.

        Args:
            tick: the new present tick.
            concluded, withdrawn: remembered conclusions that began and ended at the closed tick.
            needed: oldest tick that windows still read.
        """
        record = TickRecord(self.tick, self.events, *self.net_state_changes, concluded, withdrawn)
        past = self.past.with_tick(record, needed)
        remembered = union(difference(self.concluded, withdrawn), concluded)
        return DataStream(self.first, tick, past, self.tuples, remembered, oldest=self.oldest)

    @property
    def bytes(self) -> int:
        """Size of the history in bytes."""
        return self.past.bytes + self.concluded.nbytes + self.changed.bytes + self.asserted.bytes

    def states_before(self, states: Integers) -> Integers:
        """Return the states at the end of the last closed tick, given the present states."""
        added, removed = self.net_state_changes
        return union(difference(states, added), removed)

    def stream_facts(self) -> Iterator[Integers]:
        """Yield all facts whose predicates are numbered by the vocabulary, as arrays."""
        past = self.past.columns
        yield past.facts[~past.of_rules]
        yield from (changes[:, :3] for changes in self.changed)
        for abox in self.asserted:
            yield from (abox.facts, abox.cut)

    def kernel_facts(self) -> Iterator[Integers]:
        """Yield all facts whose predicates are numbered by the temporal kernel, as arrays."""
        past = self.past.columns
        yield past.facts[past.of_rules]
        yield self.concluded

    def mapped(
        self, stream: Callable[[Integers], Integers], rules: Callable[[Integers], Integers]
    ) -> DataStream:
        """Return the data stream with functions applied to all facts; see `TickHistory.mapped`."""
        return self._replace(
            past=self.past.mapped(stream, rules),
            concluded=rules(self.concluded),
            changed=state_changes(*map(stream, self.net_state_changes)),
            asserted=Appended(
                (each._replace(facts=stream(each.facts), cut=stream(each.cut)) for each in self.asserted),
                self.asserted.bytes,
            ),
        )

    def renamed(self, renaming: Renaming) -> DataStream:
        """Return the data stream with renumbered terms; kernel predicates and tuples keep their numbers."""
        used = (
            number for facts in self.kernel_facts() for number in facts[are_tuples(facts[:, 1]), 1].tolist()
        )
        tuples = self.tuples.renamed(renaming, used)
        return self.mapped(renaming.facts, partial(renamed_facts, renaming))._replace(tuples=tuples)


def state_changes(added: Integers, removed: Integers) -> Appended[Integers]:
    """Return begun and ended states in the form of `DataStream.changed`, as one item."""
    changes = np.concatenate([signed(added, 1), signed(removed, -1)])
    return Appended([changes], changes.nbytes)


def apply_part(events: dict[Fact, None], part: AssertedPart) -> tuple[list[Fact], list[Fact]]:
    """Remove the facts that an ABox's repair cuts from the events of a tick, and append the facts of the
    ABox.

    Returns: The inserted events, and the removed events.
    """
    cut = dict.fromkeys(as_tuples(part.cut))
    lost = [fact for fact in cut if fact in events]
    for fact in lost:
        del events[fact]
    given = dict.fromkeys(as_tuples(part.facts))
    fresh = [fact for fact in given if fact not in events and fact not in cut]
    events.update(dict.fromkeys(fresh))
    return fresh, lost


class LazyFactSet:
    """Set of facts that applies changes when it is read. A change costs O(1), a read after changes the whole
    set.

    Args:
        facts: initial facts.
    """

    def __init__(self, facts: Integers = NO_FACTS) -> None:
        self._facts, self._changes, self._count = facts, list[Integers](), len(facts)

    def change(self, added: Integers, removed: Integers) -> None:
        """Add facts that are absent from the set, and remove facts that are in it."""
        if len(added) or len(removed):
            self._changes += (signed(added, 1), signed(removed, -1))
            self._count += len(added) - len(removed)

    @property
    def facts(self) -> Integers:
        """All facts, shape (n, 3)."""
        if self._changes:
            added, removed = split_changes(net_changes(np.concatenate(self._changes)))
            self._facts, self._changes = union(difference(self._facts, removed), added), []
        return self._facts

    def __len__(self) -> int:
        return self._count


def without_predicates(facts: Integers) -> Integers:
    """Return a copy of facts with predicate `NONE`."""
    bare = facts.copy()
    bare[:, 0] = NONE
    return bare


def difference(facts: Integers, others: Integers) -> Integers:
    """Return the facts that are not among `others`."""
    return facts[~among(others, facts)] if len(facts) and len(others) else facts


def union(facts: Integers, others: Integers) -> Integers:
    """Return the union of two disjoint sets of facts."""
    return np.concatenate([facts, others]) if len(others) else facts


class EventChanges(NamedTuple):
    """Changes of the events of a tick; arrays have shape (n, 3).

    Args:
        fresh: inserted events, in their order.
        lost: removed events.
        is_appended: true if no event was removed, so that the inserted events follow all earlier ones.
    """

    fresh: Integers = NO_FACTS
    lost: Integers = NO_FACTS
    is_appended: bool = True


class TickEvents:
    """Events of the present tick, in the given order, without duplicates.

    An update costs time linear in the new facts; in all events of the tick if a timestamp receives further
    facts and its repair changes.
    """

    def __init__(self) -> None:
        self._seen = Appended[AssertedPart]()
        self._only: Integers | None = NO_FACTS  # all events, while the tick has at most one ABox and no cut
        self._facts: dict[Fact, None] = {}  # otherwise all events, in their order

    def update(self, asserted: Appended[AssertedPart]) -> EventChanges:
        """Update the events to the present ABoxes of the tick; return the changes."""
        parts, self._seen = asserted.after(self._seen), asserted
        if parts is None:
            return self._redo(asserted)
        if not parts:
            return EventChanges()
        if self._only is not None and not len(self._only) and not len(parts[0].cut) and len(parts) == 1:
            self._only = distinct_facts(parts[0].facts)
            return EventChanges(self._only)
        events, fresh, lost = self._all(), dict[Fact, None](), dict[Fact, None]()
        for part in parts:
            added, removed = apply_part(events, part)
            lost.update(dict.fromkeys(fact for fact in removed if fact not in fresh))
            for fact in removed:
                fresh.pop(fact, None)
            fresh.update(dict.fromkeys(added))
        # an event that was removed and inserted again moves to the end
        return EventChanges(from_tuples(fresh), from_tuples(lost), not lost)

    def _redo(self, asserted: Appended[AssertedPart]) -> EventChanges:
        before, events = self._all(), dict[Fact, None]()
        for part in asserted:
            apply_part(events, part)
        self._facts = events
        fresh = [fact for fact in events if fact not in before]
        lost = [fact for fact in before if fact not in events]
        return EventChanges(from_tuples(fresh), from_tuples(lost), is_appended=False)

    def _all(self) -> dict[Fact, None]:
        if self._only is not None:
            self._facts, self._only = dict.fromkeys(as_tuples(self._only)), None
        return self._facts

    def last(self, most: int) -> list[Fact]:
        """Return the last `most` events, or all if there are fewer, in their order."""
        return list(islice(reversed(self._all()), most))[::-1]

    @property
    def facts(self) -> Integers:
        """All events, shape (n, 3). Costs time linear in their number."""
        return from_tuples(self._facts) if self._only is None else self._only
