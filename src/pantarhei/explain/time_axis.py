"""Where times stand on a line, and the round ones to mark there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pantarhei.model.time import TimeKind, TimePoint, kind_of, ticks_of, time_of

_SECOND = 1_000_000
_ROUND = [
    1,
    1_000,
    *(_SECOND * s for s in (1, 5, 10, 30, 60, 300, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400)),
]
_MOST_MARKS = 10


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """A line of times. Make it with `over`.

    Args:
        kind: of the times.
        first: the tick on the left, `last` that on the right.
        left: where the first is, `right` where the last is, in pixels.
    """

    kind: TimeKind
    first: int
    last: int
    left: float
    right: float

    @classmethod
    def over(cls, times: Iterable[TimePoint], left: float, right: float) -> TimeAxis:
        """The axis from the first of some times to the last.

        >>> axis = TimeAxis.over([0, 10, 4], 0.0, 100.0)
        >>> axis.x(5), axis.marks()[:3]
        (50.0, [(0, 0.0), (1, 10.0), (2, 20.0)])
        """
        given = list(times)
        kind = TimeKind.FLOAT if any(isinstance(at, float) for at in given) else kind_of(given[0])
        ticks = [ticks_of(at, kind) for at in given]
        return cls(kind, min(ticks), max(ticks), left, right)

    def x(self, at: TimePoint) -> float:
        """Where a time is, also beyond the ends."""
        return self._place(ticks_of(at, self.kind))

    def marks(self) -> list[tuple[TimePoint, float]]:
        """Round times, at most ten or so, with their places."""
        step = self._step()
        begin = -(-self.first // step) * step
        return [(time_of(at, self.kind), self._place(at)) for at in range(begin, self.last + 1, step)]

    def _place(self, ticks: int) -> float:
        if self.first == self.last:
            return (self.left + self.right) / 2
        return self.left + (self.right - self.left) * (ticks - self.first) / (self.last - self.first)

    def _step(self) -> int:
        """How many ticks lie between two marks."""
        least = -(-(self.last - self.first) // _MOST_MARKS) or 1
        if self.kind is TimeKind.DATETIME:
            return next((step for step in _ROUND if step >= least), _days(least))
        return next(unit * power for power in _powers() for unit in (1, 2, 5) if unit * power >= least)


def _days(least: int) -> int:
    """Whole days that are no fewer than some ticks."""
    return -(-least // _ROUND[-1]) * _ROUND[-1]


def _powers() -> Iterable[int]:
    power = 1
    while True:
        yield power
        power *= 10
