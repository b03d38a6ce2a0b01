"""What is found out of terms, by their numbers: once for each, since values recur."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar

MOST_REMEMBERED: Final = 1 << 16
"""So many terms at most are remembered."""

T = TypeVar("T")


class Remembered(dict[int, T], Generic[T]):
    """What is known of terms by their numbers, found out when first asked for.

    Args:
        find: finds it out, of a number.
    """

    def __init__(self, find: Callable[[int], T]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, number: int) -> T:
        if len(self) > MOST_REMEMBERED:
            self.clear()
        found = self[number] = self._find(number)
        return found
