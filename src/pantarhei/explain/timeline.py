"""Pictures of a stream in SVG: time runs from left to right, and each step is a row with its window and its
repair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from pantarhei.model.message_text import counted
from pantarhei.model.time import TimeKind, TimePoint, kind_of, ticks_of, time_of
from pantarhei.proofs.sentences import TimeFormat
from pantarhei.proofs.svg import DARK, PALE, element, picture, text_element, width_of, wrapped

_SECOND = 1_000_000
_ROUND = [
    1,
    1_000,
    *(_SECOND * s for s in (1, 5, 10, 30, 60, 300, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400)),
]
_MOST_MARKS = 10


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """Mapping from times to horizontal positions. Create it with `over`.

    Args:
        kind: the kind of the times.
        first, last: the ticks at the ends of the axis.
        left, right: the positions of the ends, in pixels.
    """

    kind: TimeKind
    first: int
    last: int
    left: float
    right: float

    @classmethod
    def over(cls, times: Iterable[TimePoint], left: float, right: float) -> TimeAxis:
        """Return the axis from the first time to the last.

        >>> axis = TimeAxis.over([0, 10, 4], 0.0, 100.0)
        >>> axis.x(5), axis.marks()[:3]
        (50.0, [(0, 0.0), (1, 10.0), (2, 20.0)])
        """
        given = list(times)
        kind = TimeKind.FLOAT if any(isinstance(at, float) for at in given) else kind_of(given[0])
        ticks = [ticks_of(at, kind) for at in given]
        return cls(kind, min(ticks), max(ticks), left, right)

    def x(self, at: TimePoint) -> float:
        """Return the position of a time, which may be outside the axis."""
        return self._place(ticks_of(at, self.kind))

    def marks(self) -> list[tuple[TimePoint, float]]:
        """Return about ten round times with their positions."""
        step = self._step()
        begin = -(-self.first // step) * step
        return [(time_of(at, self.kind), self._place(at)) for at in range(begin, self.last + 1, step)]

    def _place(self, ticks: int) -> float:
        if self.first == self.last:
            return (self.left + self.right) / 2
        return self.left + (self.right - self.left) * (ticks - self.first) / (self.last - self.first)

    def _step(self) -> int:
        """Return the number of ticks between two marks."""
        least = -(-(self.last - self.first) // _MOST_MARKS) or 1
        if self.kind is TimeKind.DATETIME:
            days = -(-least // _ROUND[-1])
            return next((step for step in _ROUND if step >= least), days * _ROUND[-1])
        power: int = 10 ** (len(str(least)) - 1)
        return next(unit * power for unit in (1, 2, 5, 10) if unit * power >= least)


_GREEN, _RED, _AMBER, _BLUE, _FAINT = "#2e7d32", "#b3261e", "#b7791f", "#1f5fa8", "#d5dbe3"
_MARGIN, _AXIS_WIDTH, _NOTES_WIDTH, _GAP = 20.0, 620.0, 680.0, 28.0
_SIZE, _SMALL, _LINE, _LEAST_ROW = 12.0, 11.0, 15.0, 36.0
_MOST_NOTES = 3
_LEGEND = (
    (_BLUE, "─", "the window at each step; on the left the time of the step"),
    (_GREEN, "●", "what was asserted at a timestamp and is kept: the larger, the more"),
    (_RED, "✗", "how many assertions a repair took out then, with lines to what they contradict"),
)


@dataclass(frozen=True, slots=True)
class Contradicted:
    """Contradiction at a step.

    Args:
        fact: the fact removed by the repair, as a sentence; if none was removed, one of the contradicting
            facts.
        times: the timestamps at which this fact was asserted.
        others: the other contradicting facts as sentences, each with its time; empty if the fact contradicts
            the background.
        forbidden: the violated constraint as a sentence; empty if it is no longer stored.
        is_cut: the repair removed the fact.
    """

    fact: str
    times: tuple[TimePoint, ...]
    others: tuple[tuple[str, TimePoint], ...] = ()
    forbidden: str = ""
    is_cut: bool = True


@dataclass(frozen=True, slots=True)
class DrawnStep:
    """Step of the stream.

    Args:
        at: the time of the step.
        start, end: the ends of the window.
        kept: for each timestamp in the window the number of assertions that were kept.
        contradicted: the contradictions found in the step.
    """

    at: TimePoint
    start: TimePoint
    end: TimePoint
    kept: Mapping[TimePoint, int]
    contradicted: tuple[Contradicted, ...] = ()


def timeline_svg(steps: Sequence[DrawnStep], earlier: int = 0) -> str:
    """Return the picture of at least one step, in the order given.

    Args:
        earlier: the number of earlier steps that are not drawn.
    """
    return _Drawing(steps, earlier).svg()


class _Drawing:
    """Picture of a timeline."""

    def __init__(self, steps: Sequence[DrawnStep], earlier: int) -> None:
        times = [time for step in steps for time in (step.at, step.end, *step.kept)]
        self._steps, self._earlier = steps, earlier
        self._shown = TimeFormat.of(times)
        self._left = _MARGIN + max(width_of(self._shown(step.at), _SIZE) for step in steps) + _GAP
        self._axis = TimeAxis.over(times, self._left, self._left + _AXIS_WIDTH)
        self._most = max((count for step in steps for count in step.kept.values()), default=1) or 1
        self._notes = self._left + _AXIS_WIDTH + _GAP

    def svg(self) -> str:
        drawn: list[str] = []
        y = _MARGIN + 10
        for line in self._heading():
            drawn.append(text_element(line, _MARGIN, y, _SIZE, DARK))
            y += _LINE + 2
        top = y + 22
        y = top
        for step in self._steps:
            lines = list(self._lines(step))
            height = max(_LEAST_ROW, len(lines) * _LINE + 12)
            drawn += self._row(step, y, lines)
            y += height
        width = (
            self._notes + (_NOTES_WIDTH if any(step.contradicted for step in self._steps) else 0) + _MARGIN
        )
        grid = self._grid(top, y)
        legend = list(self._legend(y + 26))
        return picture(width, y + 26 + len(_LEGEND) * (_LINE + 2), "Timeline", [*grid, *drawn, *legend])

    def _heading(self) -> Iterator[str]:
        first, last = self._steps[0], self._steps[-1]
        day = f", {self._shown.day}" if self._shown.day else ""
        steps = counted(len(self._steps), "step")
        yield f"{steps} from {self._shown(first.at)} to {self._shown(last.at)}{day}"
        if self._earlier:
            yield f"{counted(self._earlier, 'earlier step')} not drawn"

    def _grid(self, top: float, bottom: float) -> Iterator[str]:
        for at, x in self._axis.marks():
            yield element("line", x1=x, y1=top - 8, x2=x, y2=bottom, stroke=_FAINT)
            yield text_element(self._shown(at), x, top - 14, _SMALL, PALE, text_anchor="middle")

    def _row(self, step: DrawnStep, top: float, notes: Iterable[tuple[str, str]]) -> Iterator[str]:
        y = top + _LEAST_ROW / 2
        yield text_element(self._shown(step.at), self._left - 14, y + 4, _SIZE, DARK, text_anchor="end")
        yield from self._window(step, y)
        ends = {
            (other, time, found.is_cut): None
            for found in step.contradicted
            for time in found.times
            for _, other in found.others
            if other != time
        }
        yield from (self._curve(self._axis.x(one), self._axis.x(to), y, is_cut) for one, to, is_cut in ends)
        for time, count in step.kept.items():
            yield self._partition(self._axis.x(time), y, count)
        cut = Counter(time for found in step.contradicted if found.is_cut for time in found.times)
        for time, count in cut.items():
            text = f"✗{count:,}"
            yield text_element(text, self._axis.x(time), y + 20, _SMALL, _RED, text_anchor="middle")
        for place, (line, colour) in enumerate(notes):
            yield text_element(line, self._notes, y + 4 + place * _LINE, _SMALL, colour)

    def _window(self, step: DrawnStep, y: float) -> Iterator[str]:
        """Yield the line of the window, with a tick mark at each end that is inside the picture."""
        start, end = self._axis.x(step.start), self._axis.x(step.end)
        left = max(start, self._axis.left)
        yield element("line", x1=left, y1=y, x2=end, y2=y, stroke=_BLUE, stroke_width=2)
        for x in (start, end):
            if x >= self._axis.left:
                yield element("line", x1=x, y1=y - 6, x2=x, y2=y + 6, stroke=_BLUE, stroke_width=2)

    def _partition(self, x: float, y: float, count: int) -> str:
        if not count:
            return element("circle", cx=x, cy=y, r=3.0, fill="#ffffff", stroke=_GREEN)
        return element("circle", cx=x, cy=y, r=3.0 + 3.5 * sqrt(count / self._most), fill=_GREEN)

    def _curve(self, x: float, to_x: float, y: float, is_cut: bool) -> str:
        """Return a line between two contradicting facts."""
        path = f"M{x:.1f},{y:.1f} Q{(x + to_x) / 2:.1f},{y - 18:.1f} {to_x:.1f},{y:.1f}"
        return element("path", d=path, stroke=_RED if is_cut else _AMBER, fill="none", stroke_width=1.2)

    def _lines(self, step: DrawnStep) -> Iterator[tuple[str, str]]:
        """Yield the notes to the right of a row, each line with its colour."""
        columns = int(_NOTES_WIDTH / width_of("x", _SMALL))
        for found in step.contradicted[:_MOST_NOTES]:
            mark, colour = ("✗", _RED) if found.is_cut else ("!", _AMBER)
            when = ", ".join(map(self._shown, found.times))
            yield from ((line, colour) for line in wrapped(f"{mark} {found.fact} ({when})", columns))
            yield from ((line, PALE) for line in wrapped(self._reason(found), columns) if found.forbidden)
        if (more := len(step.contradicted) - _MOST_NOTES) > 0:
            yield f"and {more:,} more", PALE

    def _reason(self, found: Contradicted) -> str:
        against = " and ".join(f"{fact} ({self._shown(at)})" for fact, at in found.others)
        return f"against {against or 'the background'}: {found.forbidden}"

    def _legend(self, y: float) -> Iterator[str]:
        for colour, mark, meaning in _LEGEND:
            yield text_element(mark, _MARGIN, y, _SIZE, colour)
            yield text_element(meaning, _MARGIN + 20, y, _SMALL, PALE)
            y += _LINE + 2
