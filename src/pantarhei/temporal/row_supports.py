"""Rows that several facts of a tick support: which of them go when a fact is lost."""

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
        """Begin a tick: no fact supports a row."""
        self._counts = None

    def add(self, rows: Integers) -> None:
        """Count rows of facts that came."""
        if self._counts is not None:
            self._counts.update(as_tuples(rows))

    def unsupported(
        self, lost: Sequence[Integers], remaining: Callable[[], Iterable[Integers]]
    ) -> list[Integers]:
        """Return the rows of lost facts that no other fact supports.

        Args:
            lost: the rows of the lost facts.
            remaining: returns the rows of all other facts, without those that come next.
        """
        if not self._is_needed or not any(map(len, lost)):
            return list(lost)
        if self._counts is None:
            self._counts = Counter(row for rows in remaining() for row in as_tuples(rows))
        else:
            self._counts.subtract(row for rows in lost for row in as_tuples(rows))
        counts = self._counts
        return [rows[np.array([counts[row] <= 0 for row in as_tuples(rows)], bool)] for rows in lost]
