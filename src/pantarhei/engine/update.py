"""What one step did, as its user sees it: what the materialization gained and lost, and the repair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, NoReturn

from pantarhei.encoding.forms import FactForms
from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import Integers
from pantarhei.engine.feedback import FedBack, not_asserted_text
from pantarhei.errors import DeltaNotKeptError
from pantarhei.model.messages import counted
from pantarhei.model.term import Delta, Triple
from pantarhei.model.time import TimePoint, show_time
from pantarhei.query.continuous import AnswerChanges
from pantarhei.rdf.pickling import exactly
from pantarhei.repair.contradiction import Contradiction
from pantarhei.repair.result import Repair
from pantarhei.temporal.conclusion_sets import NOTHING_CONCLUDED, ConclusionChanges


class TripleDelta:
    """What a materialization gained and lost in one step; translated when first looked at."""

    def __init__(self, make: Callable[[], Delta[Triple]]) -> None:
        self._make = make

    @classmethod
    def of(cls, noted: Integers, lexicon: Lexicon, forms: FactForms) -> TripleDelta:
        """The triples of changes that a model noted, with the forms that their literals have or had."""

        def make() -> Delta[Triple]:
            return Delta.of(zip(lexicon.decode(noted[:, :3], forms), noted[:, 3].tolist(), strict=True))

        return cls(make)

    @classmethod
    def together(cls, parts: Sequence[TripleDelta]) -> TripleDelta:
        """What several steps, one after another, have gained and lost in all."""
        if any(isinstance(part, _NotKept) for part in parts):
            return NO_DELTA
        return cls(lambda: Delta.of(change for part in parts for change in part._delta.weights.items()))

    @cached_property
    def _delta(self) -> Delta[Triple]:
        return self._make()

    @cached_property
    def added(self) -> frozenset[Triple]:
        """The triples it gained."""
        return frozenset(triple for triple, weight in self._delta.weights.items() if weight > 0)

    @cached_property
    def removed(self) -> frozenset[Triple]:
        """The triples it lost."""
        return frozenset(triple for triple, weight in self._delta.weights.items() if weight < 0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TripleDelta):
            return NotImplemented
        return (self.added, self.removed) == (other.added, other.removed)

    __hash__ = None  # type: ignore[assignment]

    @property
    def counts(self) -> str:
        """How many triples it gained and lost, for people."""
        return f"+{len(self.added)} -{len(self.removed)} facts"

    def __repr__(self) -> str:
        return f"TripleDelta({self.counts.removesuffix(' facts')})"

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(_restored, self._delta)


def _restored(delta: Delta[Triple]) -> TripleDelta:
    return TripleDelta(lambda: delta)


class _NotKept(TripleDelta):
    """That of a step where not all is derived: nobody knows it, and who looks at it is told so."""

    def __init__(self) -> None:
        super().__init__(_refuse)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _NotKept)

    __hash__ = None

    @property
    def counts(self) -> str:
        return "facts not counted"

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(_NotKept)


def _refuse() -> NoReturn:
    raise DeltaNotKeptError


NO_DELTA: Final[TripleDelta] = _NotKept()
"""The delta of a step where not all is derived."""


@dataclass(frozen=True, slots=True)
class WindowUpdate:
    """What one push or advance did.

    Repair and delta are made into triples when they are looked at; until then, and as long as an update is
    kept, so are the terms that the reasoner knew at the time.

    Args:
        at: the time it came to.
        start: the window's lower end now, `end` its upper end (see `Window` for which are inside).
        dropped: timestamps that left the window.
        repair: the repair of this step.
        delta: what the materialization gained and lost. With `derive="needed"` nobody knows, and to look at
            it is a `DeltaNotKeptError`.
        dropped_early: those of `dropped` that are still inside, and left because of `max_facts` or
            `max_bytes`.
        answers: what changed in the answers of registered queries, by the query or its name; inside
            `all_or_nothing` the last update has what the whole block changed,
            unless it says `each_step`.
        conclusions: which conclusions of temporal rules came and which went; `turns` says it of each tick on
            the way.
        fed_back: what temporal rules with feedback had asserted on the way, oldest first. All else here tells
            of these ABoxes too, but for `repair`.
        not_fed_back: how many conclusions were to be asserted on the way, and could not be, since they have a
            literal in first place; each counts at each tick.
    """

    at: TimePoint
    start: TimePoint
    end: TimePoint
    dropped: tuple[TimePoint, ...]
    repair: Repair
    delta: TripleDelta
    dropped_early: tuple[TimePoint, ...] = ()
    answers: AnswerChanges = field(default_factory=AnswerChanges)
    conclusions: ConclusionChanges = NOTHING_CONCLUDED
    fed_back: tuple[FedBack, ...] = ()
    not_fed_back: int = 0

    @property
    def changes_nothing(self) -> bool:
        """Whether the materialization is as before, and nothing was repaired."""
        return not (self.delta.added or self.delta.removed or self.repair.removed)

    def after(
        self, steps: Sequence[WindowUpdate], fed_back: tuple[FedBack, ...], not_fed_back: int = 0
    ) -> WindowUpdate:
        """This update with what the steps before it did, by which conclusions were asserted."""
        every = (*steps, self)
        return replace(
            self,
            dropped=tuple(at for step in every for at in step.dropped),
            delta=TripleDelta.together([step.delta for step in every]),
            dropped_early=tuple(at for step in every for at in step.dropped_early),
            fed_back=fed_back,
            not_fed_back=not_fed_back,
        )

    def __str__(self) -> str:
        window = f"window {show_time(self.start)} to {show_time(self.end)}"
        left = counted(len(self.dropped), "timestamp")
        parts = [window, f"{left} left", self.delta.counts, self.repair.summary()]
        if fed_back := sum(each.facts for each in self.fed_back):
            parts.append(f"{counted(fed_back, 'conclusion')} asserted")
        if self.not_fed_back:
            parts.append(not_asserted_text(self.not_fed_back))
        return f"at {show_time(self.at)}: {', '.join(parts)}"


@dataclass(frozen=True, slots=True)
class GraphUpdate:
    """What one change of a graph without time did.

    Args:
        at: the number of the change, counted from 1.
        delta: as `WindowUpdate` has it.
        already_asserted: how many of the triples to be inserted were asserted before.
        not_asserted: how many of the triples to be deleted were not.
        is_consistent: whether what is asserted now contradicts nothing.
        conflicts: all minimal contradictions; `complete` of the list is False where the budget did not
            suffice to list all.
        answers: what changed in the answers of registered queries, by the query or its name; inside
            `all_or_nothing` the last update has what the whole block changed,
            unless it says `each_step`.
    """

    at: int
    delta: TripleDelta
    already_asserted: int = 0
    not_asserted: int = 0
    is_consistent: bool = True
    conflicts: Sequence[Contradiction] = ()
    answers: AnswerChanges = field(default_factory=AnswerChanges)

    def __str__(self) -> str:
        parts = [f"change {self.at}: {self.delta.counts}"]
        if self.already_asserted:
            parts.append(f"{self.already_asserted} asserted already")
        if self.not_asserted:
            parts.append(f"{self.not_asserted} to be deleted not asserted")
        if not self.is_consistent:
            parts.append(counted(len(self.conflicts), "conflict"))
        return ", ".join(parts)
