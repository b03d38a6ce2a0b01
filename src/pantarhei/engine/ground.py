"""The ground truth that a model is derived from: what the books of a stream and those of a graph share."""

from __future__ import annotations

from typing import Protocol, TypeVar

from pantarhei.encoding.renaming import Renaming, UsedTerms
from pantarhei.model.time import TimePoint
from pantarhei.window.log import Log


class Ground(Protocol):
    """What was asserted, and whatever else a model made anew needs to be told."""

    @property
    def step(self) -> object:
        """Where things have come to: another object after each step, and after none but steps."""

    @property
    def now(self) -> TimePoint | None:
        """The same as a time; None before the first step."""

    @property
    def log(self) -> Log:
        """The ABoxes that have a timestamp."""

    def copy(self: GroundT) -> GroundT:
        """The same, which later changes do not reach."""

    def used_terms(self, used: UsedTerms) -> int:
        """Note the symbols and terms that it has numbers of. Returns how many facts are stored, roughly."""

    def renamed(self: GroundT, renaming: Renaming) -> GroundT:
        """The same in new numbers, on its own from here on."""


GroundT = TypeVar("GroundT", bound=Ground)
