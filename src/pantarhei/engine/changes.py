"""What one step changed: one value, made once and handed to whoever listens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from rdflib import Literal

from pantarhei.encoding.numbers import NO_FACTS, NONE, Fact, Integers, net_changes, signed
from pantarhei.materialize.level_changes import LevelChanges
from pantarhei.materialize.model import WindowModel
from pantarhei.model.time import TimePoint
from pantarhei.window.log import Entry, Log, among
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
    _signed: Integers | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def signed(self) -> Integers:
        """Facts that were not visible before the step and are now (1), and those that were and are not (-1).

        Shape (n, 4), each fact once, the sign last. Also where the model went back to before the newest
        timestamp on the way. Made at the first look, which costs sorting what was noted.
        """
        if self._signed is None:
            object.__setattr__(self, "_signed", net_changes(self.noted))
        assert self._signed is not None
        return self._signed

    @property
    def asserted(self) -> Integers:
        """The assertions that came and survived the repair of their own timestamp, shape (n, 3).

        In the order in which they came, repetitions included; all parts of the ABox together.
        """
        return np.concatenate([NO_FACTS, *map(_survivors, self.entries)])

    @property
    def cut(self) -> Integers:
        """The facts that were taken out, shape (n, 3)."""
        return np.concatenate([NO_FACTS, *(entry.cut for entry in self.entries)])

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


def _survivors(entry: Entry) -> Integers:
    return entry.facts[~among(entry.cut, entry.facts)] if len(entry.cut) else entry.facts
