"""A text with some parts exchanged for others, which knows where each of its characters was before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Edit(NamedTuple):
    """What stands in a text instead of its characters from `start` on, up to `end`."""

    start: int
    end: int
    instead: str = " "


@dataclass(frozen=True, slots=True)
class Edited:
    """A text after edits. Build with `of`.

    Args:
        given: the text before.
        edits: ascending, none over another.
    """

    given: str
    edits: tuple[Edit, ...]

    @classmethod
    def of(cls, given: str, edits: Iterable[Edit]) -> Edited:
        return cls(given, tuple(sorted(edits)))

    @property
    def text(self) -> str:
        """The text after.

        >>> Edited.of("ask from x {}", [Edit(4, 10, "?")]).text
        'ask ? {}'
        """
        parts, at = [], 0
        for start, end, instead in self.edits:
            parts += [self.given[at:start], instead]
            at = end
        return "".join((*parts, self.given[at:]))

    def place_before(self, line: int, column: int) -> int:
        """Where a place of the text was before, in characters from 0; line and column are counted from 1.

        >>> Edited.of("ask from x {}", [Edit(4, 10, "?")]).place_before(1, 7)
        11
        """
        lines = self.text.split("\n")
        place, longer = sum(len(each) + 1 for each in lines[: line - 1]) + column - 1, 0
        for start, end, instead in self.edits:
            if place < start + longer:
                break
            if place < start + longer + len(instead):
                return start
            longer += len(instead) - (end - start)
        return place - longer
