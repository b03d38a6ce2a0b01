"""Signed changes to a set of facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from pantarhei.language.pickling import exactly
from pantarhei.language.term import Triple

F = TypeVar("F", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Delta(Generic[F]):
    """Signed change to a multiset of facts; no weight is zero. Build with `of`.

    >>> Delta.of([("a", 1), ("b", 1), ("a", -1)])
    Delta(weights={'b': 1})
    """

    weights: Mapping[F, int]

    @classmethod
    def of(cls, changes: Iterable[tuple[F, int]]) -> Delta[F]:
        total: Counter[F] = Counter()
        for fact, weight in changes:
            total[fact] += weight
        return cls({fact: weight for fact, weight in total.items() if weight})


class TripleDelta:
    """What a materialization gained and lost in one step; translated when first looked at."""

    def __init__(self, make: Callable[[], Delta[Triple]]) -> None:
        self._make = make

    @cached_property
    def _delta(self) -> Delta[Triple]:
        return self._make()

    @cached_property
    def added(self) -> frozenset[Triple]:
        """The triples it gained."""
        return frozenset(triple for triple, weight in self._delta.weights.items() if weight > 0)

    @cached_property
    def removed(self) -> frozenset[Triple]:
        """The triples it lost."""
        return frozenset(triple for triple, weight in self._delta.weights.items() if weight < 0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TripleDelta):
            return NotImplemented
        return (self.added, self.removed) == (other.added, other.removed)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"TripleDelta(+{len(self.added)} -{len(self.removed)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(_restored, self._delta)


def _restored(delta: Delta[Triple]) -> TripleDelta:
    return TripleDelta(lambda: delta)
