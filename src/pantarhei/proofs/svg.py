"""Pictures of proofs in SVG. The proved fact is on top, premises are below their conclusions, and arrows lead
from premises to conclusions.

Boxes are positioned by Sugiyama's method: boxes are assigned to layers, each layer is sorted by the mean
position of the neighbours of each box, and each box is moved as close to this mean as the other boxes permit.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from itertools import accumulate, pairwise
from typing import NamedTuple
from unicodedata import east_asian_width

from pantarhei.model.message_text import counted
from pantarhei.proofs.formatter import ProofFormatter
from pantarhei.proofs.step import StepKind

_ROUNDS = 8
_GAP = 24.0
_LINE_WIDTH = 8.0  # space for a line between boxes

Edge = tuple[int, int]
Node = int | tuple[Edge, int]
"""A box, or the point at which an edge crosses a layer."""

Links = Mapping[Node, tuple[list[Node], list[Node]]]
"""For each node its neighbours in the layer above and in the layer below."""


class Layout(NamedTuple):
    """Positions of boxes and lines, in pixels.

    Args:
        layer: the layer of each box; the top layer is 0.
        middle: the horizontal centre of each box.
        lines: for each edge its horizontal position in each layer between its ends.
        width: the width of the picture.
    """

    layer: dict[int, int]
    middle: dict[int, float]
    lines: dict[Edge, list[float]]
    width: float


def layout(root: int, edges: Sequence[Edge], widths: Mapping[int, float]) -> Layout:
    """Compute the positions of the boxes.

    Args:
        root: the box on top, from which all other boxes can be reached.
        edges: pairs of an upper and a lower box, without cycles.
        widths: the width of each box, in the preferred order from left to right.
    """
    layer = _layers(root, edges)
    between = {edge: [(edge, row) for row in range(layer[edge[0]] + 1, layer[edge[1]])] for edge in edges}
    wide = dict[Node, float](widths.items())
    rows: list[list[Node]] = [[] for _ in range(max(layer.values()) + 1)]
    for node in widths:
        rows[layer[node]].append(node)
    for points in between.values():
        for point in points:
            wide[point] = _LINE_WIDTH
            rows[point[1]].append(point)
    links: Links = {node: ([], []) for row in rows for node in row}
    for (upper, lower), points in between.items():
        chain: list[Node] = [upper, *points, lower]
        for above, below in pairwise(chain):
            links[below][0].append(above)
            links[above][1].append(below)
    _order(rows, links)
    middle = _places(rows, links, wide)
    left = min(middle[node] - wide[node] / 2 for node in middle)
    middle = {node: centre - left for node, centre in middle.items()}
    return Layout(
        layer,
        {node: middle[node] for node in layer},
        {edge: [middle[point] for point in points] for edge, points in between.items()},
        max(middle[node] + wide[node] / 2 for node in middle),
    )


def _layers(root: int, edges: Sequence[Edge]) -> dict[int, int]:
    """Return for each box the length of the longest path from the root."""
    below: dict[int, list[int]] = {}
    above: Counter[int] = Counter(lower for _, lower in edges)
    for upper, lower in edges:
        below.setdefault(upper, []).append(lower)
    layer, ready = {root: 0}, [root]
    while ready:
        node = ready.pop()
        for lower in below.get(node, ()):
            layer[lower] = max(layer.get(lower, 0), layer[node] + 1)
            above[lower] -= 1
            if not above[lower]:
                ready.append(lower)
    return layer


def _order(rows: list[list[Node]], links: Links) -> None:
    """Sort each row by the mean position of the neighbours of each node, in alternating directions; the last
    pass is downwards.
    """
    position = {node: float(index) for row in rows for index, node in enumerate(row)}
    for round_ in range(_ROUNDS + 1):
        side = round_ % 2
        for row in rows if side == 0 else reversed(rows):
            means = {
                node: _mean([position[other] for other in links[node][side]], position[node]) for node in row
            }
            row.sort(key=means.__getitem__)
            position.update((node, float(index)) for index, node in enumerate(row))


def _places(rows: Sequence[Sequence[Node]], links: Links, wide: Mapping[Node, float]) -> dict[Node, float]:
    """Return the horizontal centres of the nodes of sorted rows."""
    middle: dict[Node, float] = {}
    for row in rows:
        middle.update(zip(row, _apart(row, [0.0] * len(row), wide), strict=True))
    for round_ in range(_ROUNDS):
        side = 1 - round_ % 2
        for row in rows if side == 0 else reversed(rows):
            preferred = [_mean([middle[other] for other in links[node][side]], middle[node]) for node in row]
            middle.update(zip(row, _apart(row, preferred, wide), strict=True))
    return middle


def _apart(row: Sequence[Node], preferred: Sequence[float], wide: Mapping[Node, float]) -> list[float]:
    """Return the centres without overlaps that are closest to the `preferred` centres in least squares."""
    offsets = [0.0]
    for one, other in pairwise(row):
        offsets.append(offsets[-1] + (wide[one] + wide[other]) / 2 + _GAP)
    pools: list[tuple[float, int]] = []  # (mean, number of nodes) of each run of touching nodes
    for centre, offset in zip(preferred, offsets, strict=True):
        mean, count = centre - offset, 1
        while pools and pools[-1][0] > mean:
            before, many = pools.pop()
            mean, count = (mean * count + before * many) / (count + many), count + many
        pools.append((mean, count))
    flat = [mean for mean, count in pools for _ in range(count)]
    return [mean + offset for mean, offset in zip(flat, offsets, strict=True)]


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


COLUMNS = 30
"""Largest width of a box, in characters."""

COLOURS: dict[StepKind, tuple[str, str]] = {
    StepKind.DERIVED: ("#ffffff", "#334155"),
    StepKind.ASSERTED: ("#e7f5e8", "#2e7d32"),
    StepKind.BACKGROUND: ("#eef2f6", "#8794a5"),
    StepKind.SUPPOSED: ("#f3ecfb", "#6b46c1"),
    StepKind.UNEXPLORED: ("#fff7e0", "#b7791f"),
    StepKind.CONTRADICTION: ("#fdeaea", "#b3261e"),
    StepKind.CONCLUDED: ("#ffffff", "#0f766e"),
    StepKind.CONDITION: ("#e6f6f4", "#0f766e"),
    StepKind.SAID: ("#e7f5e8", "#6b9e6e"),
}
"""Fill and outline of a box."""

_TO_ARROW = "url(#pantarhei-arrow)"
_EXCLUDED = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # by XML 1.0

DARK, PALE, FAINT, PAPER = "#1a1a1a", "#4b5563", "#d5dbe3", "#ffffff"
GREEN, RED, AMBER, BLUE, TEAL = "#2e7d32", "#b3261e", "#b7791f", "#1f5fa8", "#0f766e"

_ON_DARK = {
    DARK: "#e8eaed",
    PALE: "#a3adba",
    FAINT: "#313a46",
    PAPER: "#14181f",
    GREEN: "#66bb6a",
    RED: "#f28b82",
    AMBER: "#e0a94a",
    BLUE: "#7ab0ee",
    TEAL: "#3fb5a8",
    "#334155": "#9fb0c7",
    "#e7f5e8": "#173420",
    "#eef2f6": "#232b36",
    "#f3ecfb": "#2b2140",
    "#6b46c1": "#a98bf0",
    "#fff7e0": "#3a2e10",
    "#fdeaea": "#431a18",
    "#e6f6f4": "#10332f",
}
"""For each colour the colour that replaces it where a dark colour scheme is preferred."""

# Widths of sans-serif characters in ems, from the widest of the usual fonts.
_NARROW, _WIDE = frozenset("fijlrtI.,:;|!'()[]/ -"), frozenset("mwMW@%—…")
_CAPITALS = frozenset("ABCDEFGHJKLNOPQRSTUVXYZ")
_EMS = {**dict.fromkeys(_NARROW, 0.42), **dict.fromkeys(_WIDE, 1.0), **dict.fromkeys(_CAPITALS, 0.72)}
_CHARACTER = 0.64


def wrapped(text: str, columns: int = COLUMNS) -> list[str]:
    """Wrap the text to lines of at most `columns` characters."""
    return textwrap.wrap(text, columns, break_on_hyphens=False) or [""]


def width_of(text: str, size: float) -> float:
    """Estimate the width of a line of text in pixels, for a font with wide characters."""
    return size * sum(map(_ems, text))


@cache
def _ems(character: str) -> float:
    return 1.0 if east_asian_width(character) in "WF" else _EMS.get(character, _CHARACTER)


def shortened(text: str, width: float, size: float, most: int) -> list[str]:
    """Wrap a text to lines of a width in pixels. If there are more than `most` lines, the last one ends with
    an ellipsis.

    >>> shortened("one two three four", 60, 10, 2)
    ['one two', 'three…']
    """
    columns = max(1, int(width / size / min(_EMS.values())))
    lines = wrapped(text, columns)
    while columns > 1 and max(width_of(line, size) for line in lines) > width - size:
        columns -= 1 + columns // 10
        lines = wrapped(text, columns)
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1]}…"]


def element(name: str, content: str | Iterable[str] = "", /, **attributes: object) -> str:
    """Return an SVG element. Each `_` in the name of an attribute becomes `-`.

    Args:
        content: elements, or text that is already escaped (`text_element` escapes text).

    >>> element("rect", x=1, rx=2.50, stroke_width=1)
    '<rect x="1" rx="2.5" stroke-width="1"/>'
    """
    written = "".join(f' {key.replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    inside = content if isinstance(content, str) else "".join(content)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def escaped(text: str) -> str:
    """Escape a text for XML. Characters that XML excludes are replaced.

    >>> escaped("a < b\\0")
    'a &lt; b�'
    """
    return _EXCLUDED.sub("\ufffd", escape(text))


def text_element(
    text: str, x: float, y: float, size: float, fill: str = DARK, full: str = "", **attributes: object
) -> str:
    """Return a line of text whose baseline starts at (x, y).

    Args:
        full: text shown while the pointer is on the line, for a line that is cut.

    >>> text_element("a < b", 1, 2, 12)
    '<text x="1" y="2" font-size="12" fill="#1a1a1a">a &lt; b</text>'
    """
    shown = escaped(text) + (element("title", escaped(full)) if full and full != text else "")
    return element("text", shown, x=x, y=y, font_size=size, fill=fill, **attributes)


def arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    """Return an arrow from left to right that is horizontal at its ends; the picture has `ARROW`."""
    (x, y), (to_x, to_y) = start, end
    half = (x + to_x) / 2
    path = f"M{x:.1f},{y:.1f} C{half:.1f},{y:.1f} {half:.1f},{to_y:.1f} {to_x:.1f},{to_y:.1f}"
    return element("path", d=path, fill="none", stroke=PALE, stroke_width=1.2, marker_end=_TO_ARROW)


def curve(points: Iterable[tuple[float, float]], **attributes: object) -> str:
    """Return a smooth line through points that is vertical at each point."""
    given = list(points)
    path = [f"M{given[0][0]:.1f},{given[0][1]:.1f}"]
    for (x, y), (to_x, to_y) in pairwise(given):
        half = (y + to_y) / 2
        path.append(f"C{x:.1f},{half:.1f} {to_x:.1f},{half:.1f} {to_x:.1f},{to_y:.1f}")
    return element("path", d=" ".join(path), fill="none", stroke=PALE, stroke_width=1.2, **attributes)


def picture(width: float, height: float, title: str, content: Iterable[str]) -> str:
    """Return an SVG document with a background of its own, which keeps text legible on every page. Colours
    follow the preferred colour scheme.
    """
    drawn = "".join((element("rect", width=width, height=height, fill=PAPER), *content))
    return element(
        "svg",
        (element("title", escaped(title)), _dark_style(drawn), drawn),
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=height,
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        font_family="sans-serif",
        role="img",
        **{"class": "pantarhei"},
    )


def below_one_another(pictures: Sequence[str], title: str) -> str:
    """Return one picture with several SVG documents of `picture` below one another."""
    sizes = [tuple(map(float, _SIZES.findall(each.partition(">")[0]))) for each in pictures]
    *tops, height = accumulate((height for _, height in sizes), initial=0.0)
    placed = zip(pictures, tops, strict=True)
    content = (each.replace("<svg ", f'<svg y="{_value(top)}" ', 1) for each, top in placed)
    return picture(max(width for width, _ in sizes), height, title, content)


_SIZES = re.compile(r'(?<= )(?:width|height)="([\d.]+)"')


def _dark_style(drawn: str) -> str:
    """Return the style of the colours in a drawing for a dark colour scheme."""
    rules = (
        f".pantarhei [{name}='{light}']{{{name}:{dark}}}"
        for light, dark in _ON_DARK.items()
        for name in ("fill", "stroke")
        if f'{name}="{light}"' in drawn
    )
    return element("style", f"@media (prefers-color-scheme:dark){{{''.join(rules)}}}")


def _value(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else escape(str(value))


MOST = 120
"""Largest number of facts drawn. The facts nearest to the proved fact are drawn, with all their premises."""

_SIZE, _SMALL, _LINE, _PAD, _MARGIN, _BETWEEN = 13, 11, 17, 10, 20, 44
_LEAST_WIDTH = 560.0
ARROW = element(
    "defs",
    element(
        "marker",
        element("path", d="M0,0 L8,4 L0,8 z", fill=PALE),
        id="pantarhei-arrow",
        viewBox="0 0 8 8",
        refX=7,
        refY=4,
        markerWidth=8,
        markerHeight=8,
        orient="auto",
    ),
)
"""Head of the arrows of a picture."""


def render_svg(formatter: ProofFormatter) -> str:
    """Render the picture with the axioms below it. If the proof is large, only the steps nearest to the
    proved fact are drawn.
    """
    return _Picture(formatter).svg()


class _Picture:
    """Picture of one proof. Boxes are identified by the indexes of their steps."""

    def __init__(self, formatter: ProofFormatter) -> None:
        self._formatter, self._steps = formatter, formatter.steps
        self._root = len(self._steps) - 1
        self._drawn = self._nearest()
        self._lines = {index: wrapped(formatter.statement(self._steps[index])) for index in self._drawn}
        self._small = {index: self._reason(index) for index in self._drawn}
        self._widths = {
            index: max(
                *(width_of(line, _SIZE) for line in self._lines[index]),
                width_of(self._small[index], _SMALL),
            )
            + 2 * _PAD
            for index in self._drawn
        }

    def _nearest(self) -> list[int]:
        """Return the indexes of the steps to draw, those nearest to the proved fact first."""
        found = [self._root]
        for index in found:  # grows during the iteration
            fresh = [
                premise for premise in dict.fromkeys(self._steps[index].premises) if premise not in found
            ]
            if len(found) + len(fresh) > MOST:
                break
            found += fresh
        return found

    def svg(self) -> str:
        edges = [
            (index, premise)
            for index in self._drawn
            for premise in dict.fromkeys(self._steps[index].premises)
            if premise in self._lines
        ]
        placed = layout(self._root, edges, self._widths)
        tops = [float(_MARGIN)]  # top of each layer, then of the notes
        for layer in range(max(placed.layer.values()) + 1):
            heights = [self._height(index) for index in self._drawn if placed.layer[index] == layer]
            tops.append(tops[-1] + max(heights) + _BETWEEN)
        width = max(placed.width, _LEAST_WIDTH) + 2 * _MARGIN
        shift = (width - placed.width) / 2
        drawn = [ARROW, *(self._arrow(edge, placed, tops, shift) for edge in edges)]
        for index in self._drawn:
            drawn += self._box(index, placed.middle[index] + shift, tops[placed.layer[index]])
        bottom = tops[-1]
        for line in self._notes(width):
            drawn.append(text_element(line, _MARGIN, bottom, _SMALL, PALE))
            bottom += 15
        return picture(width, bottom, self._formatter.statement(self._steps[self._root]), drawn)

    def _height(self, index: int) -> float:
        return len(self._lines[index]) * _LINE + 14 + 2 * _PAD

    def _box(self, index: int, middle: float, top: float) -> Iterator[str]:
        step, width = self._steps[index], self._widths[index]
        fill, line = COLOURS[step.kind]
        yield element(
            "rect",
            x=middle - width / 2,
            y=top,
            width=width,
            height=self._height(index),
            rx=7,
            fill=fill,
            stroke=line,
            stroke_width=2 if index == self._root else 1.2,
            **{"stroke_dasharray": "5 3"} if step.kind in (StepKind.UNEXPLORED, StepKind.SUPPOSED) else {},
        )
        y = top + _PAD + _SIZE - 1
        for text in self._lines[index]:
            yield text_element(text, middle, y, _SIZE, DARK, text_anchor="middle")
            y += _LINE
        yield text_element(self._small[index], middle, y, _SMALL, PALE, text_anchor="middle")

    def _reason(self, index: int) -> str:
        reason = self._formatter.reason(self._steps[index])
        hidden = sum(premise not in self._drawn for premise in self._steps[index].premises)
        return f"{reason}, {hidden} not drawn" if hidden else reason

    def _arrow(self, edge: tuple[int, int], placed: Layout, tops: list[float], shift: float) -> str:
        """Return a line from a premise up to its conclusion, through the gaps in the layers between."""
        above, below = edge
        first = placed.layer[above]
        points = [(placed.middle[above], tops[first] + self._height(above) + 2)]
        for layer, middle in enumerate(placed.lines[edge], first + 1):
            points += [(middle, tops[layer] - 6), (middle, tops[layer + 1] - _BETWEEN + 6)]
        points.append((placed.middle[below], tops[placed.layer[below]]))
        return curve([(x + shift, y) for x, y in reversed(points)], marker_end=_TO_ARROW)

    def _notes(self, width: float) -> Iterator[str]:
        """Yield the lines of text below the boxes."""
        columns = int((width - 2 * _MARGIN) / width_of("x", _SMALL))
        notes = self._formatter.notes()
        if left_out := len(self._steps) - len(self._drawn):
            notes.insert(1, f"{counted(left_out, 'fact')} further down are not drawn.")
        for note in notes:
            yield from wrapped(note, columns)
