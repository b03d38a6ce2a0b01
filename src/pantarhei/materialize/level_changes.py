"""Facts that came to other levels: what a consumer needs to know the times of the facts it follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import Integers

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
