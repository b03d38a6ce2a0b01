"""Plots: cost by the size of the window, the rate, the change, and the ontology.

A picture is drawn if its figures were measured. Lines are labelled at their ends. Both axes are logarithmic
if their values span more than two orders of magnitude, so that a slope of one is proportional cost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.measuring import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OURS, GREYS = "#b5371c", ("#1f4e79", "#5b7f3a", "#7a5195", "#8a6d1c", "#4d4d4d", "#2a8c8c")
SIZE = (7.2, 4.2)  # inches


@dataclass(frozen=True, slots=True)
class Line:
    """Points from left to right; lines of this engine are emphasized."""

    name: str
    points: Sequence[tuple[float, float]]
    ours: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """Picture with its file name and axis labels."""

    name: str
    title: str
    across: str
    up: str
    lines: Sequence[Line]
    zero: bool = False  # true if the horizontal axis begins at 0


def draw(figures: Sequence[Figure], folder: Path) -> list[Path]:
    """Draw the pictures that `figures` allow as SVG files in `folder`; does nothing without matplotlib."""
    try:
        import matplotlib as mpl
    except ImportError:
        return []
    mpl.use("Agg")
    # equal figures give equal files
    mpl.rcParams.update({"svg.hashsalt": "bench", "svg.fonttype": "path", "font.size": 9.5})
    folder.mkdir(parents=True, exist_ok=True)
    return [_draw(picture, folder) for picture in pictures(figures) if any(x.points for x in picture.lines)]


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


# -- drawing -------------------------------------------------------------------------------------------------


def _draw(picture: Picture, folder: Path) -> Path:
    from matplotlib import pyplot as plt

    sheet, axes = plt.subplots(figsize=SIZE, layout="constrained")
    lines = [line for line in picture.lines if line.points]
    colours = iter(GREYS * 2)
    ends: list[tuple[float, float, str, str]] = []
    for number, line in enumerate(lines):
        colour = OURS if line.ours else next(colours)
        across, up = zip(*line.points, strict=True)
        style = "--" if line.ours and any(other.ours for other in lines[:number]) else "-"
        axes.plot(
            across, up, style, color=colour, marker="o", markersize=4, linewidth=2.2 if line.ours else 1.4
        )
        ends.append((across[-1], up[-1], line.name, colour))
    _scale(axes, picture, lines)
    _name_ends(axes, ends)
    axes.set(xlabel=picture.across, ylabel=picture.up)
    axes.set_title(picture.title, loc="left", fontsize=11)
    axes.grid(True, which="major", color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    path = folder / f"{picture.name}.svg"
    sheet.savefig(path, metadata={"Date": None})
    plt.close(sheet)
    return path


def _scale(axes: Axes, picture: Picture, lines: Sequence[Line]) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    across = sorted({x for line in lines for x, _ in line.points})
    up = [y for line in lines for _, y in line.points]
    plain = FuncFormatter(lambda value, _: f"{value:,.10g}")
    if picture.zero:
        axes.set_xscale("symlog", linthresh=1)
    else:
        axes.set_xscale("log")
    axes.set_xticks(across)
    axes.xaxis.set_major_formatter(plain)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.minorticks_off()
    if max(up) > 20 * min(up):
        axes.set_yscale("log")
    else:
        axes.set_ylim(0, 1.15 * max(up))
    axes.yaxis.set_major_formatter(plain)


def _name_ends(axes: Axes, ends: Iterable[tuple[float, float, str, str]]) -> None:
    """Write each line's name beside its last point, moved up if it would cover another name."""
    axes.figure.canvas.draw()
    lowest = -1e9
    for x, y, name, colour in sorted(ends, key=lambda end: end[1]):
        _, height = axes.transData.transform((x, y))
        place = max(height, lowest + 16)
        lowest = place
        points = (place - height) * 72 / axes.figure.dpi
        axes.annotate(
            name, (x, y), (8, points), textcoords="offset points", color=colour, va="center",
            annotation_clip=False,
        )  # fmt: skip
