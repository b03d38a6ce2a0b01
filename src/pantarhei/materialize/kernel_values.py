"""Arrays as the kernel can read them, compiled or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NONE, Integers
from pantarhei.materialize.kernel.constants import FOREVER
from pantarhei.materialize.kernel.rows import COMPILED


def readable(array: npt.NDArray[Any], dtype: npt.DTypeLike = np.int32) -> npt.NDArray[Any] | memoryview:
    """`array` for the kernel; uncompiled a memoryview, whose elements are Python ints."""
    contiguous = np.ascontiguousarray(array, dtype)
    return contiguous if COMPILED else memoryview(contiguous.data)


LevelNumbers = npt.NDArray[np.int64]


class LevelChanges(NamedTuple):
    """Facts whose level is another one now, those that came and those that went among them.

    Levels are settled: the newest timestamp from which on the facts asserted since prove the fact, as its
    number on the timeline, `FOREVER` for the background. Reports of what is known already raise a level;
    repairs, and going back to before a timestamp, lower one.

    Args:
        facts: shape (n, 3), each once.
        old, new: their levels before and after, -1 where they were or are not visible.
    """

    facts: Integers
    old: LevelNumbers
    new: LevelNumbers

    @property
    def stayed(self) -> LevelChanges:
        """Those of facts that were visible before and are so now."""
        both = (self.old >= 0) & (self.new >= 0)
        return LevelChanges(self.facts[both], self.old[both], self.new[both])

    @classmethod
    def over(cls, parts: Sequence[LevelChanges]) -> LevelChanges:
        """Changes one after another as one: of each fact the first `old` and the last `new`, if they differ.

        Within one part too a fact may recur. Costs sorting the facts.
        """
        facts = np.concatenate([part.facts for part in parts])
        order = np.lexsort(facts[:, ::-1].T)  # stable: changes of one fact stay in their order
        facts = facts[order]
        begins = np.append(True, (facts[1:] != facts[:-1]).any(axis=1))[: len(facts)]
        ends = np.append(begins[1:], True)[: len(facts)]
        old = np.concatenate([part.old for part in parts])[order][begins]
        new = np.concatenate([part.new for part in parts])[order][ends]
        differ = old != new
        return cls(facts[begins][differ], old[differ], new[differ])


class Lineage(NamedTuple):
    """Facts, or violations, and all rule instances that can take part in a proof of one.

    Args:
        violations: a row `rule, body rows…` each, -1 where the body is shorter; one may recur. None where
            facts were asked for.
        instances: a row `head row, rule, body rows…` each.
        rows: the rows met.
        facts: their facts.
        levels: of the facts, as they are stored; `FOREVER` for what the background entails.
        bases: the newest level of the window that asserts each, -1 if none does; `FOREVER` for what is given
            and always holds.
        cut_short: the instances were too many, and those that give their heads the level `floor` or a lower
            one are left out, violations with such facts too; all rows are there.
        floor: NONE if nothing is left out.
    """

    violations: Integers
    instances: Integers
    rows: Integers
    facts: Integers
    levels: npt.NDArray[np.int64]
    bases: npt.NDArray[np.int64]
    cut_short: bool
    floor: int = NONE

    @property
    def asserted(self) -> npt.NDArray[np.bool_]:
        """The facts that the window asserts above the floor, without the background."""
        found: npt.NDArray[np.bool_] = (self.bases != NONE) & ~self.background & (self.bases > self.floor)
        return found

    @property
    def is_below_floor(self) -> npt.NDArray[np.bool_]:
        """The facts that the window asserts at the floor or below, without the background."""
        found: npt.NDArray[np.bool_] = (self.bases != NONE) & ~self.background & (self.bases <= self.floor)
        return found

    @property
    def background(self) -> npt.NDArray[np.bool_]:
        """Which of the facts the background entails."""
        entailed: npt.NDArray[np.bool_] = self.levels == FOREVER
        return entailed

    @property
    def bytes(self) -> int:
        """Memory it takes."""
        return sum(column.nbytes for column in self if isinstance(column, np.ndarray))

    @property
    def instance_levels(self) -> npt.NDArray[np.int64]:
        """Of each instance the level that it gives its head: the lowest of its body."""
        if not len(self.instances):
            return np.empty(0, np.int64)
        bodies = self.instances[:, 2:]
        levels = np.where(bodies == NONE, FOREVER, self.levels[self.places(bodies)])
        lowest: npt.NDArray[np.int64] = levels.min(axis=1, initial=FOREVER)
        return lowest

    def places(self, rows: Integers) -> npt.NDArray[np.int64]:
        """Where `rows`, which were met, stand in the columns."""
        place = np.empty(int(self.rows.max()) + 1, np.int64)
        place[self.rows] = np.arange(len(self.rows))
        return place[rows]
