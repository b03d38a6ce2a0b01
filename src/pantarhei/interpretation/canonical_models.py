"""The canonical models of ABoxes on one background (PB26 Def. 8, for a single timestamp)."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NO_FACTS, Integers
from pantarhei.materialize.bulk.aboxes import ABoxProgram, ClosedABoxes, most_aboxes
from pantarhei.materialize.bulk.evaluation import TooManyError, TooSlowError
from pantarhei.materialize.lineage_rows import Lineage
from pantarhei.materialize.model import FOREVER, WindowModel

# For several ABoxes together no more new facts than these are looked for at once.
_MOST_FACTS = 1 << 23


class CanonicalModel(NamedTuple):
    """The canonical model of an ABox, without the background's.

    Args:
        asserted: the facts of the ABox, each once, where it stands first; shape (n, 3).
        derived: what follows, shape (n, 3), each fact from facts before it.
        contradictory: whether constraints are violated.
        lineage: how, where that was asked for.
    """

    asserted: Integers
    derived: Integers
    contradictory: bool
    lineage: Lineage | None


class CanonicalModels:
    """Makes the canonical models of ABoxes, each by itself.

    Many facts are closed by column, several ABoxes together. For few, and for lineages, there is a window
    model of the background alone, into which an ABox comes, and leaves again.

    Args:
        model: of the background alone; it belongs to this from now on.
    """

    # So many facts, of one ABox or of several, are closed by column, where an ABox counts as some facts more:
    # from there on it takes less time.
    bulk_from = 6_000
    bulk_each = 50

    def __init__(self, model: WindowModel) -> None:
        self._model = model
        self._level = 0
        self._background = model.facts()
        self._at_once: ABoxProgram | None = None
        model.take_changes()

    @property
    def level(self) -> int:
        """The level of the ABox that was closed last, in its lineage."""
        return self._level

    def close(self, aboxes: Sequence[Integers], instances: int | None = None) -> Iterator[CanonicalModel]:
        """The models of ABoxes, in their order.

        Args:
            instances: tell how constraints are violated, as `WindowModel.lineage` does with this limit.
        """
        names = len(self._model.vocabulary.names)
        most = most_aboxes(names)
        for first in range(0, len(aboxes), most):
            yield from self._close(aboxes[first : first + most], names, instances)

    def _close(
        self, aboxes: Sequence[Integers], names: int, instances: int | None
    ) -> Iterator[CanonicalModel]:
        bounds = [0, *np.cumsum([len(facts) for facts in aboxes]).tolist()]
        is_much = bounds[-1] + self.bulk_each * len(aboxes) >= self.bulk_from
        closed = self._by_column(aboxes, bounds, names) if is_much else None
        for number, (facts, (start, end)) in enumerate(zip(aboxes, pairwise(bounds), strict=True)):
            if closed is None or (instances is not None and number in closed.contradictory):
                yield self._by_row(facts, instances)
            else:
                asserted, derived = facts[closed.first[start:end]], closed.derived[number]
                yield CanonicalModel(asserted, derived, number in closed.contradictory, None)

    def _by_column(
        self, aboxes: Sequence[Integers], bounds: Sequence[int], names: int
    ) -> ClosedABoxes | None:
        """None where it takes too much time or memory."""
        model = self._model
        if self._at_once is None:
            self._at_once = ABoxProgram(model.program.plans, self._background)
            self._background = NO_FACTS  # it has them
        facts = np.concatenate(aboxes)
        most = _MOST_FACTS if len(aboxes) > 1 else sys.maxsize
        try:
            return self._at_once.close(facts, bounds, names, model.vocabulary, most)
        except (TooManyError, TooSlowError):
            return None

    def _by_row(self, facts: Integers, instances: int | None) -> CanonicalModel:
        model = self._model
        self._level += 1
        model.slide(self._level)
        previous = model.add(facts, self._level)
        asserted = facts[_first_places(facts, previous, model.were_new(previous, self._level))]
        derived = model.derived_at(self._level)
        lineage = None
        if instances is None:
            contradictory = len(model.violations()) > 0
        else:
            lineage = model.lineage(instances)
            contradictory = lineage is not None
        model.take_changes()
        return CanonicalModel(asserted, derived, contradictory, lineage)


def _first_places(facts: Integers, previous: Integers, new: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Where each different fact stands first, by what asserting them gave, and which were `new` by that."""
    first = new.copy()
    again = np.flatnonzero(first & (previous == FOREVER))  # facts of the background do not tell
    seen: set[tuple[int, ...]] = set()
    for i, fact in zip(again.tolist(), map(tuple, facts[again].tolist()), strict=True):
        first[i] = fact not in seen
        seen.add(fact)
    return np.flatnonzero(first)
