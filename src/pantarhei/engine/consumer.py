"""Engines that live beside the window model and follow it step by step: what they must be able to do.

What a consumer does when it is told of a step is part of the step: after an error it is asked to go back, and
the step has not happened. It is called in this order:

1. For each moment that `due` names, until it names none: the window slides to that moment, `apply` tells what
   that changed, then comes `before`. So what is due in the midst of a jump of time is not lost.
2. The window slides on, the ABox enters, its contradictions are repaired.
3. `apply`, once, with all that changed since the last call. Inside `all_or_nothing` that is when the block
   ends, or when a moment comes that is due; inside `all_or_nothing(each_step=True)` at each step.

For a further part of a timestamp, `apply` gets what that part changed; `entries` has the whole ABox.

One that `follows_steps` is told of each step when it is made, inside `all_or_nothing` too, before the others;
a further part of a timestamp is a step to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
from rdflib import Literal

from pantarhei.encoding.numbers import (
    NONE,
    Fact,
    Integers,
    Renaming,
    Symbols,
    UsedTerms,
    concat_symbols,
    signed,
)
from pantarhei.errors import OptionError
from pantarhei.materialize.kernel_values import LevelChanges
from pantarhei.materialize.model import Overfull, WindowModel
from pantarhei.model.time import TimePoint
from pantarhei.window.log import Entry, Log
from pantarhei.window.sliding import Step


@dataclass(frozen=True, slots=True)
class Changes:
    """What one step changed, in the numbers of its time. Nothing in it changes any more.

    Args:
        noted: what the window model noted: facts that came (1) and went (-1, last column), shape (n, 4); a
            fact may recur, and what went and came again adds up to nothing.
        entries: the ABoxes that the step took in, with what their repairs cut; one or none, but where several
            steps are told as one.
        dropped: the ABoxes whose partitions left, oldest first.
        levels: facts whose level is another one now, those that came and went too; None where no consumer
            asks for them.
        forms: facts whose literal is written otherwise now than the first of its value that was met, or was
            so before (None); not all of them need have changed.
        at: the time that it came to, None where there is no time.
        step: where time and window have come to, None where there is no window.
        log: the ABoxes that are in the window then.
        on_the_way: it is the time alone that has come to a moment that is due, in the midst of a step.
    """

    noted: Integers
    entries: tuple[Entry, ...] = ()
    dropped: tuple[Entry, ...] = ()
    levels: LevelChanges | None = None
    forms: Mapping[Fact, Literal | None] = field(default_factory=dict)
    at: TimePoint | None = None
    step: Step | None = None
    log: Log | None = None
    on_the_way: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing came, went, was asserted or dropped, or changed its level."""
        if len(self.noted) or self.entries or self.dropped:
            return False
        return self.levels is None or not len(self.levels.facts)

    def with_forms(self, forms: Mapping[Fact, Literal | None]) -> Changes:
        """The same with these forms of literals."""
        return replace(self, forms=forms) if forms or self.forms else self

    @classmethod
    def of_all(cls, model: WindowModel, sign: int) -> Changes:
        """The changes by which all facts of a model came (1), or went (-1)."""
        facts, levels = model.facts(), None
        if model.notes_levels:
            nowhere, known = np.full(len(facts), NONE, np.int64), model.levels(facts)
            levels = LevelChanges(facts, *((nowhere, known) if sign > 0 else (known, nowhere)))
        return cls(signed(facts, sign), levels=levels)

    @classmethod
    def together(cls, steps: Sequence[Changes]) -> Changes:
        """The changes of steps, one after another, as those of one step.

        An ABox that came in parts stands there once, as it was taken in last.
        """
        if len(steps) == 1:
            return steps[0]
        entries = {entry.level: entry for step in steps for entry in step.entries}
        dropped = tuple(entry for step in steps for entry in step.dropped)
        levels = [step.levels for step in steps if step.levels is not None]
        noted = np.concatenate([step.noted for step in steps])
        # a step without levels was noted before anyone asked for them: what levels were then is not known
        known = LevelChanges.over(levels) if len(levels) == len(steps) else None
        forms = {fact: form for step in steps for fact, form in step.forms.items()}
        return cls(
            noted,
            tuple(entries.values()),
            dropped,
            known,
            forms,
            steps[-1].at,
            steps[-1].step,
            steps[-1].log,
            steps[-1].on_the_way,
        )


Saved = Callable[[], bytes]
"""Function that returns the bytes of a state; later steps do not change them."""


class Consumer(Protocol):
    """What is told of each step. It looks at the model, and never changes it."""

    @property
    def wants_levels(self) -> bool:
        """Whether `Changes.levels` is to be filled, always or never; the model settles at each step then."""

    @property
    def asks_for(self) -> Symbols:
        """The classes and properties whose facts it looks at, None for all. Where only what is asked for is
        derived, a consumer that is about to ask for more has them derived first (`MaintainedState.want_facts`).
        """

    @property
    def follows_steps(self) -> bool:
        """Whether it is told of each step apart, always."""

    @property
    def bytes_used(self) -> int:
        """What it holds, in bytes, roughly; it counts against `max_bytes`."""

    def due(self, after: int, until: int) -> int | None:
        """The next tick at which `before` is to be called, on the way from `after` to `until`.

        Above `after`, where it was called last or where time stood, and not above `until`; None for no more.
        """

    def before(self, step: Step, model: WindowModel) -> None:
        """Time has come to a moment that was due: the window has slid there, no new ABox has entered."""

    def apply(self, changes: Changes, model: WindowModel) -> None:
        """Take over what changed; the model is as it is afterwards.

        `model.matches_with` tells which matches of a body came or went with the facts that did,
        `model.signed_matches` which of many bodies.
        """

    def mark(self) -> object:
        """How things stand, for `back`; comes with every step."""

    def back(self, mark: object) -> None:
        """Be as when `mark` was given. May come several times with one mark."""

    def used_terms(self, used: UsedTerms) -> None:
        """Note the symbols and terms whose numbers it holds."""

    def renamed(self, renaming: Renaming) -> None:
        """Go on in the numbers that terms have from now on. Marks given before are used no more, but for one
        given just before this call.
        """

    def rebuilt(self, model: WindowModel, saved: bytes | None) -> None:
        """Begin, from what the model holds: when it is attached, after a restore with what it had `saved`.

        Terms and levels have other numbers after a restore.
        """

    def saved(self) -> Saved:
        """Return what makes the bytes that a checkpoint keeps of the present state.

        It is called later, while other threads may do steps. The same state gives the same bytes.
        """


class ConsumersOverfull(Overfull):
    """Consumers have come to hold too much; they are to go back.

    Args:
        bytes: how many bytes there are in all.
        beside: how many of them consumers hold.
    """

    def __init__(self, bytes: int, beside: int) -> None:
        super().__init__(0, bytes)
        self.beside = beside


Marks = Mapping[str, object]

QUERIES = "queries"
"""The name that registered queries are attached by."""


class DeliveryState(NamedTuple):
    """Changes that consumers still have to receive, inside `all_or_nothing`.

    Args:
        waiting: the changes, oldest first.
        followed: how many of them the consumers that follow steps have received.
    """

    waiting: tuple[Changes, ...] = ()
    followed: int = 0

    def with_step(self, changes: Changes, before: Step | None) -> DeliveryState:
        """Add the changes of a step, unless it changed nothing and time stood still.

        Args:
            before: where time and window were before the step.
        """
        if changes.is_empty and changes.step == before:
            return self
        return DeliveryState((*self.waiting, changes), self.followed)


NOTHING_PENDING = DeliveryState()


class Consumers:
    """The consumers of a reasoner by name, told in the order in which they were attached.

    `wants_levels` says whether any asks for changes of level. A copy keeps who is attached.
    """

    def __init__(self) -> None:
        self.attached: dict[str, Consumer] = {}
        self.wants_levels = False
        # of those that a checkpoint had, and that are still to be attached
        self._saved: dict[str, bytes] = {}

    def attach(self, name: str, consumer: Consumer, model: WindowModel) -> None:
        """Tell `consumer` of each step from now on.

        Raises:
            OptionError: there is one of that name.
        """
        if name in self.attached:
            raise OptionError("name", repr(name), "a name that no other consumer has")
        consumer.rebuilt(model, self._saved.get(name))
        self._attach({**self.attached, name: consumer})
        self._saved = {other: kept for other, kept in self._saved.items() if other != name}

    def _attach(self, consumers: dict[str, Consumer]) -> None:
        self.attached = consumers
        self.wants_levels = any(consumer.wants_levels for consumer in self)

    def look_again(self) -> None:
        """Ask all of them again whether they want levels."""
        self._attach(self.attached)

    def __bool__(self) -> bool:
        return bool(self.attached)

    def __iter__(self) -> Iterator[Consumer]:
        return iter(self.attached.values())

    @property
    def asks_for(self) -> Symbols:
        """The classes and properties whose facts any looks at."""
        return concat_symbols(*(consumer.asks_for for consumer in self))

    @property
    def bytes_used(self) -> int:
        """What all of them hold."""
        return sum(consumer.bytes_used for consumer in self)

    def due(self, after: int, until: int) -> int | None:
        """The first tick at which any is to be called."""
        first: int | None = None
        for consumer in self.attached.values():
            tick = consumer.due(after, until)
            if tick is not None and (first is None or tick < first):
                first = tick
        return first

    def before(self, after: int, step: Step, model: WindowModel) -> None:
        """Time has come to `step`, from `after`: call those to whom that matters."""
        for consumer in self:
            if consumer.due(after, step.now) == step.now:
                consumer.before(step, model)

    def tell(self, told: DeliveryState, model: WindowModel) -> DeliveryState:
        """Tell what waits; returns what has been told then."""
        if not told.waiting:
            return NOTHING_PENDING
        self.tell_steps(told, model)
        changes = Changes.together(told.waiting)
        for consumer in self:
            if not consumer.follows_steps:
                consumer.apply(changes, model)
        return NOTHING_PENDING

    def tell_steps(self, told: DeliveryState, model: WindowModel) -> DeliveryState:
        """Tell those who follow steps what waits for them; returns what has been told then."""
        for changes in told.waiting[told.followed :]:
            for consumer in self:
                if consumer.follows_steps:
                    consumer.apply(changes, model)
        return told._replace(followed=len(told.waiting))

    def mark(self) -> Marks:
        """The marks of all consumers, by name."""
        return {name: consumer.mark() for name, consumer in self.attached.items()}

    def back(self, marks: Marks) -> None:
        """Be as when the marks were given; one attached since then stays as it is."""
        for name, consumer in self.attached.items():
            if name in marks:
                consumer.back(marks[name])

    def used_terms(self, used: UsedTerms) -> None:
        """Note what all of them use."""
        for consumer in self:
            consumer.used_terms(used)

    def renamed(self, renaming: Renaming) -> None:
        """Let all of them go on in new numbers; after an error they are as they were."""
        marks = self.mark()
        try:
            for consumer in self:
                consumer.renamed(renaming)
        except BaseException:
            self.back(marks)
            raise

    def saved(self) -> dict[str, Saved]:
        """Return what a checkpoint keeps, by name, also of consumers that have not been attached again."""
        kept: dict[str, Saved] = {name: partial(bytes, each) for name, each in self._saved.items()}
        return kept | {name: consumer.saved() for name, consumer in self.attached.items()}

    def restored(self, saved: Mapping[str, bytes]) -> None:
        """Keep what a checkpoint had, for those that will be attached."""
        self._saved = dict(saved)
