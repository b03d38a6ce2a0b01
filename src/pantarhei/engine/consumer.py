"""Engines that live beside the window model and follow it step by step: what they must be able to do.

What a consumer does when it is told of a step is part of the step: after an error it is asked to go back, and
the step has not happened. It is called in this order:

1. For each moment that `due` names, until it names none: the window slides to that moment, `apply` tells what
   that changed, then comes `before`. So what is due in the midst of a jump of time is not lost.
2. The window slides on, the ABox enters, its contradictions are repaired.
3. `apply`, once, with all that changed since the last call. Inside `all_or_nothing` that is when the block
   ends, or when a moment comes that is due; inside `all_or_nothing(each_step=True)` at each step.

A further part of a timestamp replaces what was told of it: consumers go `back` to before its first part, and
`apply` tells of all parts together. One that `follows_parts`, or that was attached, or restored, between the
parts is told of what the further part changed; `entries` has the whole ABox then too.

One that `follows_steps` is told of each step when it is made, inside `all_or_nothing` too, before the others;
a further part of a timestamp is a step to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple, Protocol

from pantarhei.encoding.numbers import Symbols, together
from pantarhei.encoding.renaming import Renaming, UsedTerms
from pantarhei.engine.changes import Changes
from pantarhei.errors import OptionError
from pantarhei.materialize.model import Overfull, WindowModel
from pantarhei.window.sliding import Step

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
        derived, a consumer that is about to ask for more has them derived first (`Upkeep.want_facts`).
        """

    @property
    def follows_parts(self) -> bool:
        """Whether it goes on from the first part of a timestamp when a further one comes."""

    @property
    def follows_steps(self) -> bool:
        """Whether it is told of each step apart, always; then it follows parts."""

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


class Crowded(Overfull):
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


class Told(NamedTuple):
    """What consumers have been told, and what they are still to be told.

    Args:
        marks: how they stood before `newest`; none where they have not been told anything yet.
        newest: what they were told last: the changes of the newest timestamp, and those told with it.
        waiting: what they are to be told still, inside `all_or_nothing`.
        followed: how many of `waiting` those have been told that follow steps.
    """

    marks: Marks | None = None
    newest: Changes | None = None
    waiting: tuple[Changes, ...] = ()
    followed: int = 0

    def with_step(self, changes: Changes, before: Step | None) -> Told:
        """With the changes of a further step, which are to be told.

        What changes nothing is not, but for the time that it comes to.

        Args:
            before: where time stood before the step.
        """
        if changes.is_empty and self._stands_at(changes.step, before):
            return self
        return Told(self.marks, self.newest, (*self.waiting, changes), self.followed)

    def _stands_at(self, step: Step | None, before: Step | None) -> bool:
        """Whether consumers know, once told what waits, that time has come to a step; `before` as above."""
        last = self.waiting[-1] if self.waiting else self.newest
        return before == step if last is None else last.step == step and not last.on_the_way

    def without(self, name: str) -> Told:
        """As one who has not been told yet: the consumer that has just been attached by that name."""
        marks = {other: mark for other, mark in (self.marks or {}).items() if other != name}
        return self._replace(marks=marks)

    @property
    def continues(self) -> bool:
        """Whether what waits has a further part of a timestamp that was told already."""
        told = set() if self.newest is None else {entry.level for entry in self.newest.entries}
        return any(entry.level in told for changes in self.waiting for entry in changes.entries)


NOTHING_TOLD = Told()


class Consumers:
    """The consumers of a reasoner by name, told in the order in which they were attached.

    `wants_levels` says whether any asks for changes of level. A copy keeps who is attached.
    """

    def __init__(self) -> None:
        self._attached: dict[str, Consumer] = {}
        self.wants_levels = False
        # of those that a checkpoint had, and that are still to be attached
        self._saved: dict[str, bytes] = {}

    def attach(self, name: str, consumer: Consumer, model: WindowModel) -> None:
        """Tell `consumer` of each step from now on.

        Raises:
            OptionError: there is one of that name.
        """
        if name in self._attached:
            raise OptionError("name", repr(name), "a name that no other consumer has")
        consumer.rebuilt(model, self._saved.get(name))
        self._attach({**self._attached, name: consumer})
        self._saved = {other: kept for other, kept in self._saved.items() if other != name}

    def detach(self, name: str) -> None:
        """Tell the consumer of that name no more."""
        self._attach({other: each for other, each in self._attached.items() if other != name})

    def _attach(self, consumers: dict[str, Consumer]) -> None:
        self._attached = consumers
        self.wants_levels = any(consumer.wants_levels for consumer in self)

    def look_again(self) -> None:
        """Ask all of them again whether they want levels."""
        self._attach(self._attached)

    def __bool__(self) -> bool:
        return bool(self._attached)

    def __iter__(self) -> Iterator[Consumer]:
        return iter(self._attached.values())

    @property
    def asks_for(self) -> Symbols:
        """The classes and properties whose facts any looks at."""
        return together(*(consumer.asks_for for consumer in self))

    @property
    def bytes_used(self) -> int:
        """What all of them hold."""
        return sum(consumer.bytes_used for consumer in self)

    def due(self, after: int, until: int) -> int | None:
        """The first tick at which any is to be called."""
        first: int | None = None
        for consumer in self._attached.values():
            tick = consumer.due(after, until)
            if tick is not None and (first is None or tick < first):
                first = tick
        return first

    def before(self, after: int, step: Step, model: WindowModel) -> None:
        """Time has come to `step`, from `after`: call those to whom that matters."""
        for consumer in self:
            if consumer.due(after, step.now) == step.now:
                consumer.before(step, model)

    def tell(self, told: Told, model: WindowModel) -> Told:
        """Tell what waits; returns what has been told then."""
        if not self:
            return NOTHING_TOLD
        if not told.waiting:
            return told
        self.tell_steps(told, model)
        fresh = changes = Changes.together(told.waiting)
        following = [consumer for consumer in self._attached.values() if consumer.follows_parts]
        for consumer in following:
            if not consumer.follows_steps:
                consumer.apply(fresh, model)
        if len(following) == len(self._attached):
            return Told({}, fresh)
        if told.continues and told.marks is not None and told.newest is not None:
            marks, changes = told.marks, Changes.together([told.newest, fresh])
            self.back(marks)
        else:
            marks = self.mark(with_followers=False)
        for name, consumer in self._attached.items():
            if not consumer.follows_parts:
                consumer.apply(changes if name in marks else fresh, model)
        return Told(marks, changes)

    def tell_steps(self, told: Told, model: WindowModel) -> Told:
        """Tell those who follow steps what waits for them; returns what has been told then."""
        for changes in told.waiting[told.followed :]:
            for consumer in self:
                if consumer.follows_steps:
                    consumer.apply(changes, model)
        return told._replace(followed=len(told.waiting))

    def mark(self, with_followers: bool = True) -> Marks:
        """How they stand: all of them, or those that do not follow parts."""
        return {
            name: consumer.mark()
            for name, consumer in self._attached.items()
            if with_followers or not consumer.follows_parts
        }

    def back(self, marks: Marks) -> None:
        """Be as when the marks were given; one attached since then stays as it is."""
        for name, consumer in self._attached.items():
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
        return kept | {name: consumer.saved() for name, consumer in self._attached.items()}

    def restored(self, saved: Mapping[str, bytes]) -> None:
        """Keep what a checkpoint had, for those that will be attached."""
        self._saved = dict(saved)
