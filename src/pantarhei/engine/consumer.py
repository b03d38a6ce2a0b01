"""Consumers of the changes of each step: registered queries, temporal rules, answer streams.

The work of a consumer is part of the step: if the step fails, the consumer is rolled back. In each step a
consumer is called in this order:

1. `due` returns the next tick at which the consumer must be called. The window slides to that tick, `apply`
receives the changes so far, then `before` is called. This is repeated until `due` returns None, so that a
timer in the middle of a time jump is not missed.

2. The window slides to the time of the step, the ABox is inserted, its contradictions are repaired.

3. `apply` receives all changes since its last call. Inside `all_or_nothing` this happens once, at the end of
the block, or earlier at a tick that is due; inside `all_or_nothing(each_step=True)` it happens at each step.

If a timestamp gets a further part, `apply` receives the changes of that part; `entries` has the whole ABox.

A consumer with `receives_each_step` receives the changes of each step at once, even inside `all_or_nothing`,
and before the other consumers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

from pantarhei.encoding.numbers import (
    Pace,
    Renaming,
    Symbols,
    UsedTerms,
    concat_symbols,
)
from pantarhei.errors import OptionError
from pantarhei.materialize.model import CapacityExceededError, WindowModel
from pantarhei.window.log import Changes
from pantarhei.window.sliding import Step

Saved = Callable[[Pace], bytes]
"""Function that returns the bytes of a state; later steps do not change them."""


class Consumer(Protocol):
    """Interface of a consumer. It reads the model and never changes it."""

    @property
    def needs_levels(self) -> bool:
        """True if the consumer reads `Changes.levels`. The model then settles at each step."""

    @property
    def needed_symbols(self) -> Symbols:
        """The classes and properties whose facts the consumer reads, None for all.

        A consumer that is about to read facts of other symbols first calls `MaintainedState.require_facts`.
        """

    @property
    def receives_each_step(self) -> bool:
        """True if the consumer receives the changes of each step separately, even inside a block."""

    @property
    def bytes_used(self) -> int:
        """Approximate memory in bytes; it counts against `max_bytes`."""

    def due(self, after: int, until: int) -> int | None:
        """Return the next tick at which `before` must be called while time advances from `after` to `until`.

        The tick is above `after` (the tick of the previous call, or the present time) and at most `until`.
        None if there is no such tick.
        """

    def before(self, step: Step, model: WindowModel) -> None:
        """React to a tick that was due. The window has slid to the tick, no new ABox has been inserted."""

    def apply(self, changes: Changes, model: WindowModel) -> None:
        """Apply the changes of a step. The model is in its state after the step.

        `model.matches_with` returns the inserted and deleted matches of one body, `model.signed_matches`
        those of many bodies.
        """

    def mark(self) -> object:
        """Return the present state, for `back`. Called at every step, so it must be cheap."""

    def back(self, mark: object) -> None:
        """Restore the state that `mark` returned. May be called several times with the same mark."""

    def used_terms(self, used: UsedTerms) -> None:
        """Mark the symbols and terms whose numbers the consumer stores, so that they are not collected."""

    def renamed(self, renaming: Renaming) -> None:
        """Renumber the stored terms. Marks become invalid, except one taken immediately before this call."""

    def rebuilt(self, model: WindowModel, saved: bytes | None) -> None:
        """Start from the present model; after a restore also from the bytes that were `saved`.

        After a restore, terms and levels have other numbers than when the bytes were saved.
        """

    def saved(self) -> Saved:
        """Return a function that returns the bytes of the present state for a checkpoint.

        The function is called later, while other threads may run steps. Equal states give equal bytes.
        """


def known_bytes(saved: bytes) -> Saved:
    """Return a function that returns the bytes of a checkpoint."""
    return lambda pace: saved


class ConsumersExceedMemoryError(CapacityExceededError):
    """Consumers exceed the memory limit. They are rolled back.

    Args:
        bytes: total bytes that count against the limit.
        beside: bytes of the consumers among them.
    """

    def __init__(self, bytes: int, beside: int) -> None:
        super().__init__(0, bytes)
        self.beside = beside


Marks = Mapping[str, object]

QUERIES = "queries"
"""The name that registered queries are attached by."""


class DeliveryState(NamedTuple):
    """Changes that consumers have not received yet, because an `all_or_nothing` block is running.

    Args:
        waiting: the changes, oldest first.
        followed: the number of changes that consumers with `receives_each_step` have received already.
    """

    waiting: tuple[Changes, ...] = ()
    followed: int = 0

    def with_step(self, changes: Changes, before: Step | None) -> DeliveryState:
        """Add the changes of a step, unless they are empty and time did not advance.

        Args:
            before: the time and window before the step.
        """
        if changes.is_empty and changes.step == before:
            return self
        return DeliveryState((*self.waiting, changes), self.followed)


NOTHING_PENDING = DeliveryState()


class Consumers:
    """Consumers of a reasoner by name, called in the order in which they were attached.

    `needs_levels` is true if any of them reads level changes. A copy has the same consumers, but is not
    affected by attaching others.
    """

    def __init__(self) -> None:
        self.attached: dict[str, Consumer] = {}
        self.needs_levels = False
        # states from a checkpoint, of consumers that are still to be attached
        self._saved: dict[str, bytes] = {}

    def attach(self, name: str, consumer: Consumer, model: WindowModel) -> None:
        """Add a consumer.

        Raises:
            OptionError: another consumer has the name.
        """
        if name in self.attached:
            raise OptionError("name", repr(name), "a name that no other consumer has")
        consumer.rebuilt(model, self._saved.get(name))
        self._attach({**self.attached, name: consumer})
        self._saved = {other: kept for other, kept in self._saved.items() if other != name}

    def _attach(self, consumers: dict[str, Consumer]) -> None:
        self.attached = consumers
        self.needs_levels = any(consumer.needs_levels for consumer in self)

    def refresh(self) -> None:
        """Update `needs_levels`."""
        self._attach(self.attached)

    def __bool__(self) -> bool:
        return bool(self.attached)

    def __iter__(self) -> Iterator[Consumer]:
        return iter(self.attached.values())

    @property
    def needed_symbols(self) -> Symbols:
        """The classes and properties whose facts any consumer reads, None for all."""
        return concat_symbols(*(consumer.needed_symbols for consumer in self))

    @property
    def bytes_used(self) -> int:
        """Memory of all consumers, in bytes."""
        return sum(consumer.bytes_used for consumer in self)

    def due(self, after: int, until: int) -> int | None:
        """Return the first tick at which some consumer must be called."""
        first: int | None = None
        for consumer in self.attached.values():
            tick = consumer.due(after, until)
            if tick is not None and (first is None or tick < first):
                first = tick
        return first

    def before(self, after: int, step: Step, model: WindowModel) -> None:
        """Call the consumers for which the time of `step` is due. `after` is the time before."""
        for consumer in self:
            if consumer.due(after, step.now) == step.now:
                consumer.before(step, model)

    def deliver(self, delivery: DeliveryState, model: WindowModel) -> DeliveryState:
        """Deliver the pending changes to all consumers; returns the new delivery state."""
        if not delivery.waiting:
            return NOTHING_PENDING
        self.deliver_steps(delivery, model)
        changes = Changes.together(delivery.waiting)
        for consumer in self:
            if not consumer.receives_each_step:
                consumer.apply(changes, model)
        return NOTHING_PENDING

    def deliver_steps(self, delivery: DeliveryState, model: WindowModel) -> DeliveryState:
        """Deliver the pending changes to the consumers with `receives_each_step`; returns the new delivery
        state.
        """
        for changes in delivery.waiting[delivery.followed :]:
            for consumer in self:
                if consumer.receives_each_step:
                    consumer.apply(changes, model)
        return delivery._replace(followed=len(delivery.waiting))

    def mark(self) -> Marks:
        """Return the marks of all consumers, by name."""
        return {name: consumer.mark() for name, consumer in self.attached.items()}

    def back(self, marks: Marks) -> None:
        """Restore the marked states. A consumer attached after the mark is unchanged."""
        for name, consumer in self.attached.items():
            if name in marks:
                consumer.back(marks[name])

    def used_terms(self, used: UsedTerms) -> None:
        """Mark the terms that any consumer stores."""
        for consumer in self:
            consumer.used_terms(used)

    def renamed(self, renaming: Renaming) -> None:
        """Renumber the stored terms of all consumers. After an exception no consumer is renumbered."""
        marks = self.mark()
        try:
            for consumer in self:
                consumer.renamed(renaming)
        except BaseException:
            self.back(marks)
            raise

    def saved(self) -> dict[str, Saved]:
        """Return the functions for a checkpoint by name, including saved states of consumers that were not
        attached again since a restore.
        """
        kept: dict[str, Saved] = {name: known_bytes(each) for name, each in self._saved.items()}
        return kept | {name: consumer.saved() for name, consumer in self.attached.items()}

    def restored(self, saved: Mapping[str, bytes]) -> None:
        """Store the saved states of consumers that are attached later."""
        self._saved = dict(saved)
