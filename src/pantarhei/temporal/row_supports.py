"""Support counts of rows: which rows are removed when a fact of a tick is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from pantarhei.encoding.numbers import Fact, Integers, as_tuples
from pantarhei.temporal.selecting import Following


class RowSupports:
    """Counts of the facts that rows follow from, kept from the first loss in a tick on.

    Without counts where different facts have different rows. The first loss costs all facts of the tick.

    Args:
        followings: which rows follow from which facts.
    """

    def __init__(self, *followings: Following[Any]) -> None:
        targets = [target for following in followings for target in following.targets]
        is_shared = len(set(targets)) < len(targets)
        self._is_needed = is_shared or not all(each.is_one_to_one for each in followings)
        self._counts: Counter[Fact] | None = None

    def come_to_tick(self) -> None:
        """Begin a tick, without supported rows."""
        self._counts = None

    def add(self, rows: Integers) -> None:
        """Count rows of added facts."""
        if self._counts is not None:
            self._counts.update(as_tuples(rows))

    def unsupported(
        self, lost: Sequence[Integers], remaining: Callable[[], Iterable[Integers]]
    ) -> list[Integers]:
        """Return the rows of lost facts that no other fact supports.

        Args:
            lost: the rows of the lost facts.
            remaining: returns the rows of all other facts, without the ones to be added next.
        """
        if not self._is_needed or not any(map(len, lost)):
            return list(lost)
        if self._counts is None:
            self._counts = Counter(row for rows in remaining() for row in as_tuples(rows))
        else:
            self._counts.subtract(row for rows in lost for row in as_tuples(rows))
        counts = self._counts
        return [rows[np.array([counts[row] <= 0 for row in as_tuples(rows)], bool)] for rows in lost]
