"""Pictures of a stream in SVG: time runs from left to right, and each step is a row with its window and its
repair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt

from pantarhei.model.message_text import counted
from pantarhei.model.time import TimePoint
from pantarhei.proofs.sentences import TimeFormat
from pantarhei.proofs.svg import (
    AMBER,
    BLUE,
    DARK,
    GREEN,
    PALE,
    PAPER,
    RED,
    element,
    picture,
    shortened,
    text_element,
    width_of,
)  # fmt: skip
from pantarhei.proofs.time_axis import PointGroup, TimeAxis, grouped, width_of_dot

_MARGIN, _AXIS_WIDTH, _NOTES_WIDTH, _GAP = 20.0, 620.0, 680.0, 28.0
_SIZE, _SMALL, _TINY, _LINE, _LEAST_ROW = 12.0, 11.0, 9.0, 15.0, 44.0
_SMALLEST, _GROWTH = 3.0, 3.5
_MOST_NOTES, _MOST_LINES = 3, 2
_LEGEND = (
    (BLUE, "─", "window of each step; on the left the time of the step"),
    (GREEN, "●", "assertions of a timestamp that are kept: the larger, the more"),
    (RED, "✗", "number of assertions that the repair removed, with lines to the facts that contradict them"),
)
_OF_GROUPS = (PALE, "12", "above a dot: the number of timestamps too close to be drawn apart")


@dataclass(frozen=True, slots=True)
class DrawnStep:
    """Step of the stream.

    Args:
        at: the time of the step.
        start, end: the ends of the window.
        kept: for each timestamp in the window the number of assertions that were kept.
        cut: for each timestamp the number of assertions that the repair removed.
        notes: the removals as texts; the conflicts if nothing was removed.
        links: the times of contradicting facts, the removed or older one first.
    """

    at: TimePoint
    start: TimePoint
    end: TimePoint
    kept: Mapping[TimePoint, int]
    cut: Mapping[TimePoint, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    links: tuple[tuple[TimePoint, TimePoint], ...] = ()


def timeline_svg(steps: Sequence[DrawnStep], earlier: int = 0) -> str:
    """Return the picture of at least one step, in the order given.

    Args:
        earlier: the number of earlier steps that are not drawn.
    """
    return _Drawing(steps, earlier).svg()


class _Drawing:
    """Picture of a timeline."""

    def __init__(self, steps: Sequence[DrawnStep], earlier: int) -> None:
        given = [time for step in steps for time in (step.at, *step.kept)]
        ends = [step.end for step in steps]
        self._steps, self._earlier = steps, earlier
        self._shown = TimeFormat.of(given, ends)
        self._left = _MARGIN + max(width_of(self._shown(step.at), _SIZE) for step in steps) + _GAP
        self._axis = TimeAxis.over([*given, *ends], self._left, self._left + _AXIS_WIDTH, self._shown)
        asserted = {time: self._axis.x(time) for step in steps for time in step.kept}
        self._groups = grouped(((x, time) for time, x in asserted.items()), width_of_dot)
        self._place = {time: group for group in self._groups for time in group.members}
        self._most = max((max(self._sums(step).values()) for step in steps if step.kept), default=1) or 1
        self._notes = self._left + _AXIS_WIDTH + _GAP

    def _sums(self, step: DrawnStep) -> dict[float, int]:
        """Return the number of kept assertions at each position."""
        sums = Counter[float]()
        for time, count in step.kept.items():
            sums[self._place[time].x] += count
        return sums

    def svg(self) -> str:
        drawn: list[str] = []
        y = _MARGIN + 10
        for line in self._heading():
            drawn.append(text_element(line, _MARGIN, y, _SIZE, DARK))
            y += _LINE + 2
        top = y + 8 + self._axis.height()
        y = top
        for step in self._steps:
            notes = list(self._lines(step))
            height = max(_LEAST_ROW, len(notes) * _LINE + 12)
            drawn += self._row(step, y, notes)
            y += height
        width = self._notes + (_NOTES_WIDTH if any(step.notes for step in self._steps) else 0) + _MARGIN
        is_grouped = any(len(group.members) > 1 for group in self._groups)
        legend = (*_LEGEND, _OF_GROUPS) if is_grouped else _LEGEND
        drawn += self._legend(legend, y + 26)
        title = f"Timeline: {next(self._heading())}"
        return picture(width, y + 26 + len(legend) * (_LINE + 2), title, [*self._axis.grid(top, y), *drawn])

    def _heading(self) -> Iterator[str]:
        first, last = self._steps[0], self._steps[-1]
        day = f", {self._shown.day}" if self._shown.day else ""
        steps = counted(len(self._steps), "step")
        yield f"{steps} {self._shown.reach((first.at, last.at))}{day}"
        if self._earlier:
            yield f"{counted(self._earlier, 'earlier step')} not drawn"

    def _row(self, step: DrawnStep, top: float, notes: Iterable[tuple[str, str, str]]) -> Iterator[str]:
        y = top + 18
        yield text_element(self._shown(step.at), self._left - 14, y + 4, _SIZE, DARK, text_anchor="end")
        yield from self._window(step, y)
        colour = RED if step.cut else AMBER
        ends = {(self._x(one), self._x(to)): None for one, to in step.links}
        yield from (self._curve(one, to, y, colour) for one, to in ends if one != to)
        groups = {id(group): group for group in map(self._place.__getitem__, step.kept)}
        for group in groups.values():
            yield from self._partition(group, [time for time in group.members if time in step.kept], step, y)
        for place in grouped(((self._x(at), count) for at, count in step.cut.items()), _width_of_cut):
            text = _text_of_cut(place.members)
            yield text_element(text, place.x, y + 21, _SMALL, RED, text_anchor="middle")
        for number, (line, colour, full) in enumerate(notes):
            yield text_element(line, self._notes, y + 4 + number * _LINE, _SMALL, colour, full)

    def _x(self, at: TimePoint) -> float:
        """Return the position at which a timestamp is drawn."""
        return self._place[at].x if at in self._place else self._axis.x(at)

    def _window(self, step: DrawnStep, y: float) -> Iterator[str]:
        """Yield the line of the window, with a tick mark at each end that is inside the picture."""
        start, end = self._axis.x(step.start), self._axis.x(step.end)
        left = max(start, self._axis.left)
        yield element("line", x1=left, y1=y, x2=end, y2=y, stroke=BLUE, stroke_width=2)
        for x in (start, end):
            if x >= self._axis.left:
                yield element("line", x1=x, y1=y - 6, x2=x, y2=y + 6, stroke=BLUE, stroke_width=2)

    def _partition(
        self, group: PointGroup[TimePoint], times: Sequence[TimePoint], step: DrawnStep, y: float
    ) -> Iterator[str]:
        """Yield the dot of the timestamps of a row that are drawn as one."""
        count = sum(step.kept[time] for time in times)
        first, last = (self._shown(at) for at in (times[0], times[-1]))
        when = first if len(times) == 1 else f"{counted(len(times), 'timestamp')} from {first} to {last}"
        title = element("title", f"{when}: {counted(count, 'assertion')} kept")
        if count:
            radius = _SMALLEST + _GROWTH * sqrt(count / self._most)
            yield element("circle", title, cx=group.x, cy=y, r=radius, fill=GREEN)
        else:
            yield element("circle", title, cx=group.x, cy=y, r=_SMALLEST, fill=PAPER, stroke=GREEN)
        if len(times) > 1:
            yield text_element(f"{len(times):,}", group.x, y - 9, _TINY, PALE, text_anchor="middle")

    def _curve(self, x: float, to_x: float, y: float, colour: str) -> str:
        """Return a line between two contradicting facts."""
        path = f"M{x:.1f},{y:.1f} Q{(x + to_x) / 2:.1f},{y - 18:.1f} {to_x:.1f},{y:.1f}"
        return element("path", d=path, stroke=colour, fill="none", stroke_width=1.2)

    def _lines(self, step: DrawnStep) -> Iterator[tuple[str, str, str]]:
        """Yield the notes to the right of a row: each line with its colour and the whole note."""
        colour = RED if step.cut else AMBER
        for note in step.notes[:_MOST_NOTES]:
            for line in shortened(note, _NOTES_WIDTH, _SMALL, _MOST_LINES):
                yield line, colour, note
        if (more := len(step.notes) - _MOST_NOTES) > 0:
            yield f"and {more:,} more", PALE, ""

    def _legend(self, entries: Iterable[tuple[str, str, str]], y: float) -> Iterator[str]:
        for colour, mark, meaning in entries:
            yield text_element(mark, _MARGIN, y, _SIZE, colour)
            yield text_element(meaning, _MARGIN + 20, y, _SMALL, PALE)
            y += _LINE + 2


def _text_of_cut(counts: Sequence[int]) -> str:
    return f"✗{sum(counts):,}"


def _width_of_cut(counts: Sequence[int]) -> float:
    return width_of(_text_of_cut(counts), _SMALL) + 3
