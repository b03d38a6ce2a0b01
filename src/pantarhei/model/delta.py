"""Signed changes to a set of facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

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
