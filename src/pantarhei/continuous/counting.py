"""What a window that counts holds: the newest ABoxes, each as a whole.

                            a    b    c    d    e        held, and ! where it closes
    triples of the ABox     2    2    1    5    1
    [TRIPLES 3 STEP 3]      a    ab!  c    cd!  e        it tumbles
    [TRIPLES 3 STEP 1]      a!   ab!  bc!  d!   de!      the newest that have 3 or more

A window closes with the ABox that completes its step, and moves when the next one comes.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

from pantarhei.query.languages.stream_text import CountWindow

_Held = TypeVar("_Held")


class Counted(Generic[_Held]):
    """The content of a window that counts.

    It holds what came since it moved last, and before that the newest ABoxes for which there is room: until
    all have `size`, or would have when the step is complete. An ABox of nothing is none of them.

    >>> window = Counted(CountWindow(3, 3, "triples"))
    >>> [(window.take(name, count), *window.content) for name, count in (("a", 2), ("b", 2), ("c", 1))]
    [(False, 'a'), (True, 'a', 'b'), (False, 'c')]
    """

    def __init__(self, window: CountWindow) -> None:
        self._window = window
        self._older: deque[tuple[_Held, int]] = deque()
        self._newer: list[tuple[_Held, int]] = []
        self._before = self._since = 0  # the counts of the two

    def take(self, held: _Held, triples: int) -> bool:
        """An ABox comes; whether the window closes with it.

        Args:
            triples: how many it has.
        """
        count = triples if self._window.of == "triples" else 1
        if not count:
            return False
        if self._since >= self._window.step:
            self._older += self._newer
            self._before, self._since = self._before + self._since, 0
            self._newer = []
        self._newer.append((held, count))
        self._since += count
        room = self._window.size - max(self._since, self._window.step)
        while self._older and self._before - self._older[0][1] >= room:
            self._before -= self._older.popleft()[1]
        return self._since >= self._window.step

    @property
    def is_full(self) -> bool:
        """Whether it has its size."""
        return self._before + self._since >= self._window.size

    @property
    def content(self) -> tuple[_Held, ...]:
        """The ABoxes inside, oldest first."""
        return tuple(held for held, _ in (*self._older, *self._newer))
