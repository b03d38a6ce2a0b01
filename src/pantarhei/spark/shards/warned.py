"""What shards warn of, brought from the workers to the driver, where somebody sees it."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from pyspark import Accumulator, AccumulatorParam, SparkContext

from pantarhei.errors import AxiomsInStreamWarning, NumbersApartWarning, UndecidedRepairWarning

Given = dict[Hashable, Warning]
"""The first warning of each kind."""


class _FirstOfEach(AccumulatorParam[Given]):
    def zero(self, value: Given) -> Given:
        return {}

    def addInPlace(self, value1: Given, value2: Given) -> Given:
        return {**value2, **value1}


class ShardWarnings:
    """The warnings of the shards of a stream, one of a kind; each is told once, on the driver."""

    def __init__(self, context: SparkContext) -> None:
        self.given: Accumulator[Given] = context.accumulator({}, _FirstOfEach())
        self._told = set[Hashable]()

    def tell(self) -> None:
        """Warn of what is new since the last time."""
        for kind, warning in self.given.value.items():
            if kind not in self._told:
                self._told.add(kind)
                warnings.warn(warning, stacklevel=2)


@contextmanager
def told_to(given: Accumulator[Given] | None) -> Iterator[None]:
    """Bring what a shard of a worker warns of inside to the driver; leave other warnings alone."""
    if given is None:
        yield
        return
    with warnings.catch_warnings(record=True) as caught:
        for kind in (AxiomsInStreamWarning, NumbersApartWarning, UndecidedRepairWarning):
            warnings.simplefilter("always", kind)
        yield
    found: Given = {}
    for each in caught:
        if isinstance(each.message, NumbersApartWarning):
            found.setdefault(("numbers", each.message.of_conditions), each.message)
        elif isinstance(each.message, AxiomsInStreamWarning):
            found.setdefault("axioms", each.message)
        elif isinstance(each.message, UndecidedRepairWarning):
            found.setdefault("undecided", each.message)
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    if found:
        given.add(found)
