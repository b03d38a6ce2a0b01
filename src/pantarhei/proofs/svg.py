"""Proofs as pictures: what is proved on top, below it what it follows from, arrows in between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pantarhei.model.messages import counted
from pantarhei.proofs.drawing import (
    COLOURS,
    DARK,
    PALE,
    curve,
    element,
    picture,
    text_element,
    width_of,
    wrapped,
)
from pantarhei.proofs.kind import StepKind
from pantarhei.proofs.layout import Layout, layout
from pantarhei.proofs.telling import Telling

if TYPE_CHECKING:
    from pantarhei.proofs.proof import Proof

MOST = 120
"""So many facts are drawn at most: those closest to what is proved, with all that each follows from."""

_SIZE, _SMALL, _LINE, _PAD, _MARGIN, _BETWEEN = 13, 11, 17, 10, 20, 44
_LEAST_WIDTH = 560.0
_ARROW = element(
    "defs",
    element(
        "marker",
        element("path", d="M0,0 L8,4 L0,8 z", fill=PALE),
        id="arrow",
        viewBox="0 0 8 8",
        refX=7,
        refY=4,
        markerWidth=8,
        markerHeight=8,
        orient="auto",
    ),
)


def svg_of(proof: Proof) -> str:
    """The picture, with the axioms below it; of a large proof the part around what is proved."""
    telling = Telling(proof)
    return telling.told(lambda: _Picture(telling).svg())


class _Picture:
    """A proof that is being drawn."""

    def __init__(self, telling: Telling) -> None:
        self._telling, self._steps = telling, telling.proof.steps
        self._root = len(self._steps) - 1
        self._drawn = self._nearest()
        self._lines = {place: wrapped(telling.fact(self._steps[place])) for place in self._drawn}
        self._small = {place: self._known_by(place) for place in self._drawn}
        self._widths = {
            place: max(
                *(width_of(line, _SIZE) for line in self._lines[place]),
                width_of(self._small[place], _SMALL),
            )
            + 2 * _PAD
            for place in self._drawn
        }

    def _nearest(self) -> list[int]:
        """The facts to be drawn, those closest to what is proved first."""
        found = [self._root]
        for place in found:  # grows meanwhile
            fresh = [
                premise for premise in dict.fromkeys(self._steps[place].premises) if premise not in found
            ]
            if len(found) + len(fresh) > MOST:
                break
            found += fresh
        return found

    def svg(self) -> str:
        """The picture."""
        edges = [
            (place, premise)
            for place in self._drawn
            for premise in dict.fromkeys(self._steps[place].premises)
            if premise in self._lines
        ]
        placed = layout(self._root, edges, self._widths)
        tops = self._tops(placed)
        width = max(placed.width, _LEAST_WIDTH) + 2 * _MARGIN
        shift = (width - placed.width) / 2
        drawn = [_ARROW, *(self._arrow(edge, placed, tops, shift) for edge in edges)]
        for place in self._drawn:
            drawn += self._box(place, placed.middle[place] + shift, tops[placed.layer[place]])
        bottom = tops[-1]
        for line in self._notes(width):
            drawn.append(text_element(line, _MARGIN, bottom, _SMALL, PALE))
            bottom += 15
        return picture(width, bottom, self._telling.fact(self._steps[self._root]), drawn)

    def _tops(self, placed: Layout) -> list[float]:
        """Where the boxes of each layer begin, and where the notes do."""
        tops = [float(_MARGIN)]
        for layer in range(max(placed.layer.values()) + 1):
            heights = [self._height(place) for place in self._drawn if placed.layer[place] == layer]
            tops.append(tops[-1] + max(heights) + _BETWEEN)
        return tops

    def _height(self, place: int) -> float:
        return len(self._lines[place]) * _LINE + 14 + 2 * _PAD

    def _box(self, place: int, middle: float, top: float) -> Iterator[str]:
        step, width = self._steps[place], self._widths[place]
        fill, line = COLOURS[step.kind]
        yield element(
            "rect",
            x=middle - width / 2,
            y=top,
            width=width,
            height=self._height(place),
            rx=7,
            fill=fill,
            stroke=line,
            stroke_width=2 if place == self._root else 1.2,
            **{"stroke_dasharray": "5 3"} if step.kind in (StepKind.UNEXPLORED, StepKind.SUPPOSED) else {},
        )
        y = top + _PAD + _SIZE - 1
        for text in self._lines[place]:
            yield text_element(text, middle, y, _SIZE, DARK, text_anchor="middle")
            y += _LINE
        yield text_element(self._small[place], middle, y, _SMALL, PALE, text_anchor="middle")

    def _known_by(self, place: int) -> str:
        known = self._telling.known_by(self._steps[place])
        hidden = sum(premise not in self._drawn for premise in self._steps[place].premises)
        return f"{known}, {hidden} not drawn" if hidden else known

    def _arrow(self, edge: tuple[int, int], placed: Layout, tops: list[float], shift: float) -> str:
        """A line from a premise up to what follows from it, by the gaps that were left for it."""
        above, below = edge
        first = placed.layer[above]
        points = [(placed.middle[above], tops[first] + self._height(above) + 2)]
        for layer, middle in enumerate(placed.lines[edge], first + 1):
            points += [(middle, tops[layer] - 6), (middle, tops[layer + 1] - _BETWEEN + 6)]
        points.append((placed.middle[below], tops[placed.layer[below]]))
        return curve([(x + shift, y) for x, y in reversed(points)], marker_end="url(#arrow)")

    def _notes(self, width: float) -> Iterator[str]:
        """What stands below the boxes."""
        columns = int((width - 2 * _MARGIN) / width_of("x", _SMALL))
        left_out = len(self._steps) - len(self._drawn)
        notes = [self._telling.ground(), self._telling.caveat(), *self._telling.axioms()]
        if left_out:
            notes.insert(1, f"{counted(left_out, 'fact')} further down are not drawn.")
        for note in filter(None, notes):
            yield from wrapped(note, columns)
