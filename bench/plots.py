"""Plots: cost by the size of the window, the rate, the change, and the ontology; times beside other engines.

A plot is drawn if its figures were measured. Lines are labelled at their ends. The horizontal axis is
logarithmic, the vertical one if its values span more than a factor of 20, so that a slope of one is
proportional cost. Plots follow the reader's light or dark colour scheme.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, pairwise
from math import ceil, floor, log10
from pathlib import Path

from bench.measuring import Figure
from pantarhei.proofs.svg import (
    AMBER,
    BLUE,
    DARK,
    FAINT,
    GREEN,
    PALE,
    PAPER,
    RED,
    TEAL,
    element,
    picture,
    text_element,
    width_of,
)  # fmt: skip

OURS, OTHERS, VIOLET = BLUE, (AMBER, GREEN, TEAL, RED, PALE), "#6b46c1"
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 700.0, 380.0, 70.0, 240.0, 62.0, 58.0
SIZE, SMALL, ROW = 14.0, 13.0, 22.0


@dataclass(frozen=True, slots=True)
class Line:
    """Points from left to right; lines of this engine are emphasized."""

    name: str
    points: Sequence[tuple[float, float]]
    ours: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """Lines with the file's name and the labels of the axes."""

    name: str
    title: str
    across: str
    up: str
    lines: Sequence[Line]
    zero: bool = False  # true if the horizontal axis begins at 0

    @property
    def is_empty(self) -> bool:
        """True if no line has points."""
        return not any(line.points for line in self.lines)

    def svg(self) -> str:
        """Return the plot."""
        return _line_plot(self)


@dataclass(frozen=True, slots=True)
class DotPlot:
    """Times of several engines, a row for each task, on a logarithmic axis.

    Args:
        rows: for each task the time of each engine that was measured, this engine first.
    """

    name: str
    title: str
    across: str
    rows: Sequence[tuple[str, dict[str, float]]]

    @property
    def is_empty(self) -> bool:
        """True if no time was measured."""
        return not any(times for _, times in self.rows)

    def svg(self) -> str:
        """Return the plot."""
        return _dot_plot(self)


def draw(figures: Sequence[Figure], folder: Path) -> list[Path]:
    """Draw the plots that `figures` allow as SVG files in `folder`. Equal figures give equal files."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for each in (*pictures(figures), *dot_plots(figures)):
        if not each.is_empty:
            drawn.append(folder / f"{each.name}.svg")
            drawn[-1].write_text(each.svg() + "\n")
    return drawn


def pictures(figures: Sequence[Figure]) -> Iterator[Picture]:
    """Yield the pictures that the figures allow."""
    yield Picture(
        "window",
        "IMaRS: one step that changes 1 % of the window",
        "assertions in the window",
        "CPU time of a step, ms",
        [
            Line(_ways(way), _against_window(figures, way), way == "ours, 1 %")
            for way in (
                "ours, 1 %",
                "DRed in the same engine, 1 %",
                "recompute, 1 %",
                "Nemo, anew",
                "Nemo, anew, linear rule",
                "clingo, anew, linear rule",
            )
        ],
    )
    yield Picture(
        "change",
        "IMaRS: one step of the window of 100,000 assertions",
        "share of the window that changes, %",
        "CPU time of a step, ms",
        list(_against_change(figures, "IMaRS, window 100,000")),
    )
    yield Picture(
        "rate",
        "Sensors: one reading, as more come at a time",
        "readings a tick",
        "CPU time of a reading, µs",
        list(_against_rate(figures)),
    )
    yield Picture(
        "contradictions",
        "Repair: one reading, as more of them contradict",
        "readings that contradict an older one, %",
        "CPU time of a reading, µs",
        list(_against_share(figures)),
        zero=True,
    )
    yield Picture(
        "growth",
        "A tick of 1,000 facts, as the window grows",
        "assertions in the window",
        "CPU time of a tick, µs",
        [Line("pantarhei", list(_numbered(figures, "growth", r"([\d,]+) assertions", "µs a tick")), True)],
    )
    yield Picture(
        "axioms",
        "One reading, as the ontology grows",
        "axioms",
        "CPU time of a reading, µs",
        [
            Line(
                f"axioms on {variant}",
                list(_numbered(figures, f"axioms, {variant}", r"([\d,]+) axioms", "µs a reading")),
                variant == "other words",
            )
            for variant in ("other words", "the same property")
        ],
    )


# -- points --------------------------------------------------------------------------------------------------


def _ways(way: str) -> str:
    return way.removesuffix(", 1 %").replace("ours", "pantarhei")


def _against_window(figures: Iterable[Figure], way: str) -> list[tuple[float, float]]:
    before = "IMaRS, window "
    return sorted(
        (_number(each.workload.removeprefix(before)), each.value)
        for each in figures
        if each.workload.startswith(before) and each.way == way and each.value is not None
    )


def _against_change(figures: Sequence[Figure], workload: str) -> Iterator[Line]:
    mine = [f for f in figures if f.workload == workload and f.unit == "ms"]
    lines: dict[str, list[tuple[float, float]]] = {}
    shares = set()
    for each in mine:
        matched = re.fullmatch(r"(.*), (\d+) %", each.way)
        if matched and each.value is not None:
            lines.setdefault(matched[1], []).append((float(matched[2]), each.value))
            shares.add(float(matched[2]))
    for name, points in lines.items():
        yield Line(name.replace("ours", "pantarhei"), sorted(points), name == "ours")
    for each in mine:
        if ", anew" in each.way and each.value is not None:
            yield Line(each.way, [(share, each.value) for share in sorted(shares)])


def _against_rate(figures: Sequence[Figure]) -> Iterator[Line]:
    names = {"interned columns": "in numbers", "Arrow, dictionaries": "Arrow tables"}
    rates: set[float] = set()
    for variant in ("changing", "repeating"):
        for way, name in names.items():
            pattern = rf"([\d,]+) a tick, {way}"
            points = list(_numbered(figures, f"rates, {variant}", pattern, "µs a reading"))
            rates |= {rate for rate, _ in points}
            yield Line(f"{variant}, {name}", points, way == "interned columns")
    for each in figures:
        if (each.workload, each.way) == ("rates, changing", "the window anew, Nemo") and each.value:
            yield Line("Nemo, window anew each tick", [(r, 1e3 * each.value / r) for r in sorted(rates)])


def _against_share(figures: Sequence[Figure]) -> Iterator[Line]:
    names = {
        "interned columns": "pantarhei, in numbers",
        "Arrow, dictionaries": "pantarhei, Arrow tables",
        "clingo, solved anew": "clingo, solved anew",
    }
    for way, name in names.items():
        points = []
        for each in figures:
            matched = re.fullmatch(r"contradictions, (\d+) %", each.workload)
            if matched and each.way == way and each.value is not None:
                points.append((float(matched[1]), each.value))
        yield Line(name, sorted(points), way == "interned columns")


def _numbered(
    figures: Iterable[Figure], workload: str, pattern: str, unit: str
) -> Iterator[tuple[float, float]]:
    for each in figures:
        matched = re.fullmatch(pattern, each.way)
        if each.workload == workload and each.unit == unit and matched and each.value is not None:
            yield _number(matched[1]), each.value


def _number(text: str) -> float:
    return float(text.replace(",", ""))


_TASKS = {
    "numbers": {
        "pantarhei": "in ids: pantarhei, in a window model",
        "pantarhei, closure alone": "in ids: pantarhei, closed by column",
        "Nemo": "in ids: Nemo, with its import of numbers",
    },
    "files": {
        "pantarhei": "end to end: pantarhei",
        "Nemo": "end to end: Nemo, rules ready made",
        "reasonable": "reasonable, load and reason",
    },
}
_DATA = ("university 100 k", "university 1.0 M", "Brick 104 k")
_INPUTS = (
    "N-Quads",
    "N-Triples as a table",
    "Turtle as a table",
    "TriG",
    "Arrow, strings",
    "rdflib's parser",
)


def dot_plots(figures: Iterable[Figure]) -> Iterator[DotPlot]:
    """Yield the plots of engines side by side."""
    known = {(each.workload, each.way): each.value for each in figures if each.value is not None}

    def times(workload: str, ways: dict[str, str]) -> dict[str, float]:
        return {name: known[workload, way] for name, way in ways.items() if (workload, way) in known}

    yield DotPlot(
        "batch",
        "All facts at once",
        "CPU time, s",
        [
            (f"{data}, from {task}", times(f"batch, {data}", ways))
            for data in _DATA
            for task, ways in _TASKS.items()
        ],
    )
    yield DotPlot(
        "queries",
        "One-shot queries over 500,000 facts",
        "CPU time of a query, ms",
        [
            (query, times("queries, 500 k", {who: f"{query}, {who}" for who in ("pantarhei", "pyoxigraph")}))
            for query in _names(known, "queries, 500 k", ", pantarhei")
        ],
    )
    yield DotPlot(
        "registered",
        "Registered queries: one step of a window",
        "CPU time of a step, µs",
        [
            (
                f"{query}, {each} changed",
                times(
                    f"registered queries and Pathway, {each} a step",
                    {
                        "pantarhei": query,
                        "pantarhei, rows decoded": f"{query}, with all changed rows decoded",
                        "Pathway": f"{query}, Pathway",
                    },
                ),
            )
            for each in (1, 25)
            for query in ("star with filter", "join", "average by room")
        ],
    )
    yield DotPlot(
        "temporal",
        "Temporal rules: one report, all answers",
        "CPU time of a report, µs",
        [
            (
                rule,
                times(
                    "temporal rules, window 20, 200 a tick",
                    {
                        "pantarhei": f"{rule}, numbers, all answers",
                        "pantarhei, in triples": f"{rule}, public face, all answers",
                        "ARES": f"{rule}, ARES, all answers",
                        "clingo": f"{rule}, clingo, all answers",
                    },
                ),
            )
            for rule in _names(known, "temporal rules, window 20, 200 a tick", ", numbers, all answers")
        ],
    )
    yield DotPlot(
        "ingest",
        "Input of 100,800 triples",
        "CPU time of a triple, µs",
        [
            (
                way,
                {
                    name: known[workload, way]
                    for name, workload in (
                        ("parsed", "ingest, 100,800 triples, to ids"),
                        ("in a window", "ingest, 100,800 triples, to a window"),
                    )
                    if (workload, way) in known
                },
            )
            for way in _INPUTS
        ],
    )


def _names(known: Iterable[tuple[str, str]], workload: str, suffix: str) -> list[str]:
    """Return the beginnings of the ways of a workload with a suffix."""
    return [way.removesuffix(suffix) for each, way in known if each == workload and way.endswith(suffix)]


# -- drawing -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Scale:
    """Mapping from values to positions, linear or logarithmic.

    Args:
        low, high: the values at the ends.
        start, end: the positions of the ends, in pixels.
    """

    low: float
    high: float
    start: float
    end: float
    is_log: bool

    @classmethod
    def over(cls, values: Sequence[float], start: float, end: float, is_log: bool) -> _Scale:
        """Return the scale with round ends around some values; linear if none of them is positive."""
        high, positive = max(values), [value for value in values if value > 0]
        if not (is_log and positive):
            step = _round_up((high or 1) / 5)
            return cls(0, step * ceil(high / step) or step, start, end, False)
        return cls(_round_down(min(positive)), _round_up(high), start, end, True)

    def at(self, value: float) -> float:
        """Return the position of a value; the middle of a scale with one value, and the start of a
        logarithmic scale for values that are not positive.
        """
        if self.low == self.high:
            return (self.start + self.end) / 2
        if self.is_log:
            share = log10(value / self.low) / log10(self.high / self.low) if value > 0 else 0.0
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def marks(self) -> list[float]:
        """Return round values on the scale."""
        if not self.is_log:
            step = _round_up(self.high / 5)
            return [step * count for count in range(round(self.high / step) + 1)]
        decades = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
        digits = (1, 2, 5) if len(decades) < 4 else (1,)
        marks = [digit * 10.0**decade for decade in decades for digit in digits]
        return [mark for mark in marks if self.low * 0.999 <= mark <= self.high * 1.001]


def _round_up(value: float) -> float:
    """Return the smallest number 1, 2 or 5 times a power of ten that is not below a value."""
    power = 10.0 ** floor(log10(value))
    return next(digit * power for digit in (1, 2, 5, 10) if digit * power >= value * 0.999)


def _round_down(value: float) -> float:
    power = 10.0 ** floor(log10(value))
    return next(digit * power for digit in (5, 2, 1) if digit * power <= value * 1.001)


def _plain(value: float) -> str:
    return f"{value:,.10g}"


def _line_plot(plot: Picture) -> str:
    lines = [line for line in plot.lines if line.points]
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    up = [y for line in lines for _, y in line.points]
    y_scale = _Scale.over(up, bottom, TOP, max(up) > 20 * min(up) > 0)
    across = sorted({x for line in lines for x, _ in line.points})
    positive = [x for x in across if x > 0] or [1.0]
    x_scale = _Scale(positive[0], positive[-1], LEFT + (70 if plot.zero else 12), right - 12, True)

    def place(x: float) -> float:
        return x_scale.at(x) if x > 0 else LEFT + 12

    drawn = [text_element(plot.title, 16, 24, SIZE, DARK), text_element(plot.up, 16, 44, SMALL, PALE)]
    for mark in y_scale.marks():
        y = y_scale.at(mark)
        drawn.append(element("line", x1=LEFT, y1=y, x2=right, y2=y, stroke=FAINT))
        drawn.append(text_element(_plain(mark), LEFT - 8, y + 4, SMALL, PALE, text_anchor="end"))
    shown = -1e9
    for x in across:
        half = width_of(_plain(x), SMALL) / 2
        if place(x) - half > shown:
            drawn.append(text_element(_plain(x), place(x), bottom + 18, SMALL, PALE, text_anchor="middle"))
            shown = place(x) + half + 6
    drawn.append(
        text_element(plot.across, (LEFT + right) / 2, bottom + 42, SMALL, PALE, text_anchor="middle")
    )
    others, ends = cycle((*OTHERS, VIOLET)), []
    for number, line in enumerate(lines):
        colour = OURS if line.ours else next(others)
        dashes = {"stroke_dasharray": "6 3"} if line.ours and any(x.ours for x in lines[:number]) else {}
        points = [(place(x), y_scale.at(y)) for x, y in line.points]
        path = "M" + " L".join(f"{x:.1f},{y:.1f}" for x, y in points)
        width = 2.6 if line.ours else 1.6
        drawn.append(element("path", d=path, fill="none", stroke=colour, stroke_width=width, **dashes))
        for (x, y), (at, value) in zip(points, line.points, strict=True):
            title = element("title", f"{line.name}: {_plain(at)}: {value:,.4g}")
            drawn.append(element("circle", title, cx=x, cy=y, r=4 if line.ours else 3, fill=colour))
        ends.append((points[-1][1], line.name, colour))
    drawn += _line_names(ends, right + 10)
    return picture(WIDTH, HEIGHT, plot.title, drawn)


def _line_names(ends: Iterable[tuple[float, str, str]], x: float) -> Iterator[str]:
    """Yield the name of each line beside its end, moved where it would cover another name."""
    ordered = sorted(ends)
    places = [y for y, _, _ in ordered]
    for before, after in pairwise(range(len(places))):
        places[after] = max(places[after], places[before] + 17)
    shift = max(0.0, places[-1] - (HEIGHT - BOTTOM)) if places else 0.0
    for y, (_, name, colour) in zip(places, ordered, strict=True):
        yield text_element(name, x, y - shift + 4, SMALL, colour)


def _dot_plot(plot: DotPlot) -> str:
    rows = [(task, times) for task, times in plot.rows if times]
    left = 24 + max(width_of(task, SMALL) for task, _ in rows)
    height = TOP + 34 + ROW * len(rows) + BOTTOM
    bottom = height - BOTTOM
    times = [value for _, each in rows for value in each.values()]
    scale = _Scale.over(times, left + 10, WIDTH - 30, True)
    engines = list(dict.fromkeys(engine for _, each in plot.rows for engine in each))
    colours = dict(zip(engines, (OURS, *OTHERS), strict=False))
    drawn, x = [text_element(plot.title, 16, 24, SIZE, DARK)], 16.0
    for engine in engines:
        drawn.append(_dot(x + 5, 46, engine, engine == engines[0], colours[engine]))
        drawn.append(text_element(engine, x + 16, 51, SMALL, DARK))
        x += 28 + 0.92 * width_of(engine, SMALL)
    for mark in scale.marks():
        drawn.append(
            element("line", x1=scale.at(mark), y1=TOP + 16, x2=scale.at(mark), y2=bottom, stroke=FAINT)
        )
        label = _plain(mark)
        drawn.append(text_element(label, scale.at(mark), bottom + 18, SMALL, PALE, text_anchor="middle"))
    drawn.append(
        text_element(plot.across, (left + WIDTH) / 2, bottom + 40, SMALL, PALE, text_anchor="middle")
    )
    for number, (task, each) in enumerate(rows):
        y = TOP + 34 + ROW * number
        drawn.append(text_element(task, left, y + 4, SMALL, DARK, text_anchor="end"))
        for engine, value in reversed(each.items()):
            title = f"{task}, {engine}: {value:,.4g}"
            drawn.append(_dot(scale.at(value), y, title, engine == engines[0], colours[engine]))
    return picture(WIDTH, height, plot.title, drawn)


def _dot(x: float, y: float, title: str, is_ours: bool, colour: str) -> str:
    """Return a dot: filled for this engine, hollow for others."""
    shape = {"fill": colour} if is_ours else {"fill": PAPER, "stroke": colour, "stroke_width": 2}
    return element("circle", element("title", title), cx=x, cy=y, r=5.5 if is_ours else 4.5, **shape)
