"""Chart of facts over time in SVG: each row is a fact with the times or the intervals at which it held, and
rows that explain one another are in one section.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pantarhei.model.time import TimePoint
from pantarhei.proofs.sentences import TimeFormat
from pantarhei.proofs.svg import (
    AMBER,
    DARK,
    GREEN,
    PALE,
    RED,
    TEAL,
    element,
    picture,
    shortened,
    text_element,
)  # fmt: skip
from pantarhei.proofs.time_axis import PointGroup, TimeAxis, grouped, width_of_dot

_MARGIN, _LABEL_WIDTH, _AXIS_WIDTH, _GAP = 20.0, 330.0, 520.0, 28.0
_SIZE, _SMALL, _TINY, _LINE, _PAD = 12.0, 11.0, 9.0, 15.0, 14.0
_RADIUS, _BAR = 5.0, 8.0
_MOST_LINES, _MOST_SECTIONS, _MOST_ROWS = 2, 30, 12
KEPT, REMOVED, FOUND, CONCLUDED = GREEN, RED, AMBER, TEAL
"""Colours of rows."""


@dataclass(frozen=True, slots=True)
class ChartRow:
    """Fact of a chart.

    Args:
        label: the fact as a sentence.
        colour: `KEPT`, `REMOVED`, `FOUND` or `CONCLUDED`; the times of removed facts are crosses.
        times: the times at which it was asserted.
        intervals: the intervals in which it held, both ends included; an end that is None is the end of the
            chart, where the interval is open.
    """

    label: str
    colour: str
    times: tuple[TimePoint, ...] = ()
    intervals: tuple[tuple[TimePoint, TimePoint | None], ...] = ()


@dataclass(frozen=True, slots=True)
class ChartSection:
    """Rows that explain one another.

    Args:
        heading: the reason, as a sentence.
        rows: the facts, the explained one first.
        is_linked: lines lead from the times of the first row to the times of the others.
    """

    heading: str
    rows: tuple[ChartRow, ...]
    is_linked: bool = False


def chart_svg(title: str, sections: Sequence[ChartSection], further_times: Sequence[TimePoint] = ()) -> str:
    """Return the picture of sections below one another. At most 30 sections and 12 rows of each are drawn.

    Args:
        title: the heading.
        further_times: times that the axis includes besides the times of the rows; there is at least one time.
    """
    return _Chart(title, sections, further_times).svg()


class _Chart:
    """Picture of sections."""

    def __init__(self, title: str, sections: Sequence[ChartSection], further: Sequence[TimePoint]) -> None:
        self._title, self._sections = title, sections[:_MOST_SECTIONS]
        self._left_out = len(sections) - len(self._sections)
        times = [at for section in self._sections for row in section.rows for at in _times(row)]
        left = _MARGIN + _LABEL_WIDTH + _GAP
        self._shown = TimeFormat.of(further, times)
        self._axis = TimeAxis.over([*further, *times], left, left + _AXIS_WIDTH, self._shown)
        self._width = left + _AXIS_WIDTH + _GAP + _MARGIN

    def svg(self) -> str:
        day = f", {self._shown.day}" if self._shown.day else ""
        drawn, y = [], _MARGIN + 10
        for line, full in self._lines(f"{self._title}{day}", self._width - 2 * _MARGIN, _SIZE):
            drawn.append(text_element(line, _MARGIN, y, _SIZE, DARK, full))
            y += _LINE + 2
        top = y + 8 + self._axis.height()
        y = top
        for section in self._sections:
            for line, full in self._lines(section.heading, self._width - 2 * _MARGIN, _SMALL):
                y += _LINE
                drawn.append(text_element(line, _MARGIN, y, _SMALL, PALE, full))
            y += 4
            middles = []
            for row in section.rows[:_MOST_ROWS]:
                lines = list(self._lines(row.label, _LABEL_WIDTH - 18, _SIZE))
                middles.append(y + (len(lines) * _LINE + _PAD) / 2)
                drawn += self._row(row, lines, y, middles[-1])
                y += len(lines) * _LINE + _PAD
            if more := len(section.rows) - len(middles):
                y += _LINE
                drawn.append(text_element(f"and {more:,} more", _MARGIN + 18, y, _SMALL, PALE))
            if section.is_linked:
                drawn += self._links(section.rows, middles)
            y += 6
        grid = list(self._axis.grid(top, y))
        if self._left_out:
            y += _LINE
            drawn.append(text_element(f"and {self._left_out:,} more", _MARGIN, y, _SMALL, PALE))
        return picture(self._width, y + _MARGIN, self._title, [*grid, *drawn])

    def _lines(self, text: str, width: float, size: float) -> Iterator[tuple[str, str]]:
        """Yield the lines of a text, each with the whole text."""
        return ((line, text) for line in shortened(text, width, size, _MOST_LINES))

    def _row(
        self, row: ChartRow, lines: Sequence[tuple[str, str]], top: float, middle: float
    ) -> Iterator[str]:
        mark = "✗" if row.colour == REMOVED else "●" if row.times else "━"
        yield text_element(mark, _MARGIN, top + _PAD / 2 + 11, _SIZE, row.colour)
        for place, (line, full) in enumerate(lines):
            y = top + _PAD / 2 + 11 + place * _LINE
            yield text_element(line, _MARGIN + 18, y, _SIZE, DARK, full)
        for start, end in row.intervals:
            yield self._bar(start, end, row.colour, middle)
        for group in self._groups(row):
            first, last = self._shown(group.members[0]), self._shown(group.members[-1])
            title = element("title", first if first == last else f"{first} to {last}")
            if row.colour == REMOVED:
                yield element("path", title, d=_cross(group.x, middle), stroke=RED, stroke_width=2.2)
            else:
                yield element("circle", title, cx=group.x, cy=middle, r=_RADIUS, fill=row.colour)
            if len(group.members) > 1:
                number = f"{len(group.members):,}"
                yield text_element(number, group.x, middle - 7, _TINY, PALE, text_anchor="middle")

    def _bar(self, start: TimePoint, end: TimePoint | None, colour: str, middle: float) -> str:
        """Return the bar of an interval. Bars of open intervals end at the right end of the axis."""
        left = self._axis.x(start)
        right = self._axis.right if end is None else self._axis.x(end)
        when = f"from {self._shown(start)}" + ("" if end is None else f" to {self._shown(end)}")
        return element(
            "rect",
            element("title", when),
            x=left - 1.5,
            y=middle - _BAR / 2,
            width=max(3.0, right - left + 1.5),
            height=_BAR,
            rx=2,
            fill=colour,
        )

    def _groups(self, row: ChartRow) -> list[PointGroup[TimePoint]]:
        """Return the times of a row, those too close to be drawn apart as one."""
        return grouped(((self._axis.x(at), at) for at in row.times), width_of_dot)

    def _links(self, rows: Sequence[ChartRow], middles: Sequence[float]) -> Iterator[str]:
        """Yield lines from the newest time of the first row to the newest time of each other row."""
        ends = [
            (groups[-1].x, middle)
            for row, middle in zip(rows, middles, strict=False)
            if (groups := self._groups(row))
        ]
        for x, y in ends[1:]:
            yield element(
                "line",
                x1=ends[0][0],
                y1=ends[0][1] + _RADIUS,
                x2=x,
                y2=y - _RADIUS,
                stroke=rows[0].colour,
                stroke_width=1.2,
            )


def _times(row: ChartRow) -> Iterator[TimePoint]:
    yield from row.times
    for interval in row.intervals:
        yield from (at for at in interval if at is not None)


def _cross(x: float, y: float) -> str:
    size = _RADIUS - 1
    return (
        f"M{x - size:.1f},{y - size:.1f} L{x + size:.1f},{y + size:.1f} "
        f"M{x - size:.1f},{y + size:.1f} L{x + size:.1f},{y - size:.1f}"
    )
