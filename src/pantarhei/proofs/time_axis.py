"""Horizontal axis of times in a picture: positions, round marks whose labels do not overlap, and groups of
points that are too close to be drawn apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta, timezone
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

from pantarhei.model.datetimes import MICROSECOND
from pantarhei.model.time import TimeKind, TimePoint, in_zone_of, kind_of, ticks_of, time_of
from pantarhei.proofs.sentences import TimeFormat
from pantarhei.proofs.svg import FAINT, PALE, element, text_element, width_of

LABEL_SIZE = 11.0
_LABEL_LINE, _LABEL_GAP, _OVERHANG = 13.0, 10.0, 40.0
_SECOND = 1_000_000
_ROUND = [
    *(digit * 10**power for power in range(6) for digit in (1, 2, 5)),
    *(_SECOND * s for s in (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800)),
    *(3600 * _SECOND * h for h in (1, 2, 3, 6, 12, 24)),
]
_MOST_MARKS = 10
_NUMBER_SIZE, _DOT = 9.0, 14.0

_T = TypeVar("_T")


class AxisMark(NamedTuple):
    """Mark of an axis.

    Args:
        at: the time.
        x: its position.
        lines: its label: the time, and below it the day where it changes.
        middle: the horizontal centre of the label.
    """

    at: TimePoint
    x: float
    lines: tuple[str, ...]
    middle: float

    @property
    def half(self) -> float:
        """Half the width of the label."""
        return max(width_of(line, LABEL_SIZE) for line in self.lines) / 2


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """Mapping from times to horizontal positions. Create it with `over`.

    Args:
        kind: the kind of the times.
        first, last: the ticks at the ends of the axis.
        left, right: the positions of the ends, in pixels.
        offset: the difference of the labels' time zone from UTC; None if the clocks of the zone are changed
            between the times: labels are then in UTC and end with Z.
    """

    kind: TimeKind
    first: int
    last: int
    left: float
    right: float
    offset: timedelta | None = timedelta()

    @classmethod
    def over(cls, times: Sequence[TimePoint], left: float, right: float, shown: TimeFormat) -> TimeAxis:
        """Return the axis from the first time to the last, in the zone of a format.

        >>> axis = TimeAxis.over([0, 10, 4], 0.0, 100.0, TimeFormat.of([0, 10, 4]))
        >>> axis.x(5), [mark.at for mark in axis.marks()]
        (50.0, [0, 5, 10])
        """
        given = times if shown.oldest is None else [in_zone_of(at, shown.oldest) for at in times]
        kind = TimeKind.FLOAT if any(isinstance(at, float) for at in given) else kind_of(given[0])
        ticks = [ticks_of(at, kind) for at in given]
        offsets = {at.utcoffset() for at in given if isinstance(at, datetime)}
        offset = offsets.pop() if len(offsets) == 1 else None
        return cls(kind, min(ticks), max(ticks), left, right, offset)

    def x(self, at: TimePoint) -> float:
        """Return the position of a time, which may be outside the axis."""
        return self._place(ticks_of(at, self.kind))

    def marks(self) -> list[AxisMark]:
        """Return at most ten round times whose labels do not overlap."""
        if self.first == self.last:
            return self._labelled([self.first])
        for step in self._steps():
            marks = self._labelled(range(self._first_multiple(step), self.last + 1, step))
            if all(
                one.middle + one.half + _LABEL_GAP <= other.middle - other.half
                for one, other in pairwise(marks)
            ):
                break
        return marks

    def height(self) -> float:
        """Return the height of the labels, in pixels."""
        return _LABEL_LINE * max((len(mark.lines) for mark in self.marks()), default=1)

    def grid(self, top: float, bottom: float) -> Iterator[str]:
        """Draw the marks: labels above `top`, and lines down to `bottom`."""
        lines = max((len(mark.lines) for mark in self.marks()), default=1)
        for mark in self.marks():
            yield element("line", x1=mark.x, y1=top - 6, x2=mark.x, y2=bottom, stroke=FAINT)
            for place, line in enumerate(mark.lines, 1 - lines):
                y = top - 12 + place * _LABEL_LINE
                yield text_element(line, mark.middle, y, LABEL_SIZE, PALE, text_anchor="middle")

    def _place(self, ticks: int) -> float:
        if self.first == self.last:
            return (self.left + self.right) / 2
        return self.left + (self.right - self.left) * (ticks - self.first) / (self.last - self.first)

    def _steps(self) -> Iterator[int]:
        """Yield round distances of marks in ticks, from about ten marks up to at most one mark."""
        length = self.last - self.first
        least = -(-length // _MOST_MARKS)
        if self.kind is TimeKind.DATETIME:
            yield from (step for step in _ROUND if step >= least)
            days = max(1, -(-least // _ROUND[-1]))
            yield from (count * _ROUND[-1] for count in range(days, days + _MOST_MARKS * days + 2))
            return
        power: int = 10 ** (len(str(least)) - 1)
        while power <= 10 * length:
            yield from (unit * power for unit in (1, 2, 5) if unit * power >= least)
            power *= 10

    def _first_multiple(self, step: int) -> int:
        """Return the first multiple of a step on the axis; datetimes are counted in their time zone."""
        shift = (self.offset or timedelta()) // MICROSECOND
        return -(-(self.first + shift) // step) * step - shift

    def _time(self, ticks: int) -> TimePoint:
        at = time_of(ticks, self.kind)
        return at.astimezone(timezone(self.offset or timedelta())) if isinstance(at, datetime) else at

    def _labelled(self, ticks: Sequence[int]) -> list[AxisMark]:
        """Return the marks at some ticks, with the digits needed to distinguish them."""
        times, marks, day = [self._time(at) for at in ticks], list[AxisMark](), ""
        shown = TimeFormat.clocks(times)
        zone = "Z" if self.kind is TimeKind.DATETIME and self.offset is None else ""
        clocks = {at.time() for at in times if isinstance(at, datetime)}
        for tick, at in zip(ticks, times, strict=True):
            lines = [f"{shown(at)}{zone}"]
            if isinstance(at, datetime) and self._has_several_days():
                date = at.date().isoformat()
                lines = [date] if clocks == {time()} else [*lines, *([date] if date != day else ())]
                day = date
            x = self._place(tick)
            half = max(width_of(line, LABEL_SIZE) for line in lines) / 2
            middle = max(self.left - _OVERHANG + half, min(x, self.right + _OVERHANG - half))
            marks.append(AxisMark(at, x, tuple(lines), middle))
        return marks

    def _has_several_days(self) -> bool:
        first, last = self._time(self.first), self._time(self.last)
        return isinstance(first, datetime) and isinstance(last, datetime) and first.date() != last.date()


class PointGroup(NamedTuple, Generic[_T]):
    """Points that are drawn as one.

    Args:
        x: the mean position.
        members: the points, from left to right.
    """

    x: float
    members: list[_T]


def grouped(points: Iterable[tuple[float, _T]], width: Callable[[list[_T]], float]) -> list[PointGroup[_T]]:
    """Group points until no two groups overlap. A group is at the mean of its points.

    Args:
        points: positions with the points.
        width: returns the width of a group in pixels.

    >>> [group.members for group in grouped([(0, "a"), (3, "b"), (20, "c")], lambda members: 10)]
    [['a', 'b'], ['c']]
    """
    found: list[tuple[float, float, list[_T]]] = []  # mean, width, members
    for x, point in sorted(points, key=lambda each: each[0]):
        mean, members = x, [point]
        size = width(members)
        while found and found[-1][0] + found[-1][1] / 2 > mean - size / 2:
            before, _, earlier = found.pop()
            mean = (before * len(earlier) + mean * len(members)) / (len(earlier) + len(members))
            members = earlier + members
            size = width(members)
        found.append((mean, size, members))
    return [PointGroup(mean, members) for mean, _, members in found]


def width_of_dot(members: Sequence[object]) -> float:
    """Return the width in pixels of the dot of some points, with their number above it."""
    number = width_of(f"{len(members):,}", _NUMBER_SIZE) + 4 if len(members) > 1 else 0
    return max(_DOT, number)
