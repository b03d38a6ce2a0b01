"""Changes of one step: the value that the engine hands to its consumers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from rdflib import Literal

from pantarhei.encoding.numbers import (
    NONE,
    Fact,
    Integers,
    signed,
)
from pantarhei.materialize.kernel_values import LevelChanges
from pantarhei.materialize.model import WindowModel
from pantarhei.model.time import TimePoint
from pantarhei.window.log import Entry, Log
from pantarhei.window.sliding import Step


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of one step, in the numbers of its time. Immutable.

    Args:
        noted: facts that the window model inserted (1) and deleted (-1, last column), shape (n, 4); a fact
            may recur, a deletion and an insertion cancel each other.
        entries: the inserted ABoxes, with the facts that their repairs removed; at most one for one step.
        dropped: the ABoxes that left the window, oldest first.
        levels: facts whose level changed, inserted and deleted facts included; None if no consumer reads
            levels.
        forms: facts whose literal now has a form other than the first one of its value, or had one before
            (None); not all of them need have changed.
        at: the time after the step, None for a graph without time.
        step: the time and the window after the step, None without a window.
        log: the ABoxes in the window after the step.
        on_the_way: True for changes in the middle of a step, at a tick that is due for a consumer.
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
        """True if nothing was inserted, deleted, asserted or dropped, and no level changed."""
        if len(self.noted) or self.entries or self.dropped:
            return False
        return self.levels is None or not len(self.levels.facts)

    def with_forms(self, forms: Mapping[Fact, Literal | None]) -> Changes:
        """Return the changes with these forms of literals."""
        return replace(self, forms=forms) if forms or self.forms else self

    @classmethod
    def of_all(cls, model: WindowModel, sign: int) -> Changes:
        """Return the insertion (1) or the deletion (-1) of all facts of a model."""
        facts, levels = model.facts(), None
        if model.notes_levels:
            nowhere, known = np.full(len(facts), NONE, np.int64), model.levels(facts)
            levels = LevelChanges(facts, *((nowhere, known) if sign > 0 else (known, nowhere)))
        return cls(signed(facts, sign), levels=levels)

    @classmethod
    def together(cls, steps: Sequence[Changes]) -> Changes:
        """Combine the changes of consecutive steps.

        An ABox that came in parts appears once, with its last part.
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
