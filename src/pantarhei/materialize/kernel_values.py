"""Values exchanged with the kernel: contiguous arrays, level changes, lineages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NONE, Integers
from pantarhei.materialize.kernel.constants import FOREVER
from pantarhei.materialize.kernel.rows import COMPILED


def contiguous(array: npt.NDArray[Any], dtype: npt.DTypeLike = np.int32) -> npt.NDArray[Any] | memoryview:
    """Return a contiguous `array` for the kernel; in an uncompiled kernel a memoryview, whose items are
    Python ints.
    """
    contiguous = np.ascontiguousarray(array, dtype)
    return contiguous if COMPILED else memoryview(contiguous.data)


LevelNumbers = npt.NDArray[np.int64]


class LevelChanges(NamedTuple):
    """Facts whose level changed, including inserted and deleted facts.

    Levels are final. The level of a fact is the newest timestamp such that the assertions since then entail
    the fact, as its number on the timeline; `FOREVER` for the background. An assertion that is repeated may
    raise a level; repairs and withdrawals lower levels.

    Args:
        facts: shape (n, 3), distinct.
        old, new: levels before and after, -1 if the fact does not hold.
    """

    facts: Integers
    old: LevelNumbers
    new: LevelNumbers

    @property
    def stayed(self) -> LevelChanges:
        """Changes of the facts that hold before and after."""
        both = (self.old >= 0) & (self.new >= 0)
        return LevelChanges(self.facts[both], self.old[both], self.new[both])

    @classmethod
    def over(cls, parts: Sequence[LevelChanges]) -> LevelChanges:
        """Compose consecutive changes: for each fact the first `old` and the last `new`, if they differ.

        A fact may recur within a part. The cost is that of sorting the facts.
        """
        facts = np.concatenate([part.facts for part in parts])
        order = np.lexsort(facts[:, ::-1].T)  # stable: changes of one fact keep their order
        facts = facts[order]
        begins = np.append(True, (facts[1:] != facts[:-1]).any(axis=1))[: len(facts)]
        ends = np.append(begins[1:], True)[: len(facts)]
        old = np.concatenate([part.old for part in parts])[order][begins]
        new = np.concatenate([part.new for part in parts])[order][ends]
        differ = old != new
        return cls(facts[begins][differ], old[differ], new[differ])


class Lineage(NamedTuple):
    """Facts or violations, with all rule instances in their derivations.

    Args:
        violations: rows `rule, body rows…`, padded with -1; a row may recur. Empty for the lineage of facts.
        instances: rows `head row, rule, body rows…`.
        rows: the kernel's rows of all facts in the lineage.
        facts: their facts.
        levels: their levels; `FOREVER` for facts that the background entails.
        assertion_levels: for each fact the newest level of the window that asserts it, -1 if none does;
            `FOREVER` for facts that the background asserts.
        cut_short: the limit of instances was reached. Instances whose head has the level `floor` or a lower
            one are missing, and violations with such facts; `rows` is complete.
        floor: NONE if nothing is missing.
    """

    violations: Integers
    instances: Integers
    rows: Integers
    facts: Integers
    levels: npt.NDArray[np.int64]
    assertion_levels: npt.NDArray[np.int64]
    cut_short: bool
    floor: int = NONE

    @property
    def asserted(self) -> npt.NDArray[np.bool_]:
        """Mask of the facts asserted in the window above the floor, without the background."""
        found: npt.NDArray[np.bool_] = (
            (self.assertion_levels != NONE) & ~self.background & (self.assertion_levels > self.floor)
        )
        return found

    @property
    def is_below_floor(self) -> npt.NDArray[np.bool_]:
        """Mask of the facts asserted in the window at the floor or below, without the background."""
        found: npt.NDArray[np.bool_] = (
            (self.assertion_levels != NONE) & ~self.background & (self.assertion_levels <= self.floor)
        )
        return found

    @property
    def background(self) -> npt.NDArray[np.bool_]:
        """Mask of the facts that the background entails."""
        entailed: npt.NDArray[np.bool_] = self.levels == FOREVER
        return entailed

    @property
    def bytes(self) -> int:
        """Memory of the arrays, in bytes."""
        return sum(column.nbytes for column in self if isinstance(column, np.ndarray))

    def places(self, rows: Integers) -> npt.NDArray[np.int64]:
        """Return the indexes of these kernel rows, which must be in the lineage, in `rows`."""
        place = np.empty(int(self.rows.max()) + 1, np.int64)
        place[self.rows] = np.arange(len(self.rows))
        return place[rows]
