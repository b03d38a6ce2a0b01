"""Picture of the changes of one step in SVG: inserted facts above deleted ones, assertions on the left and
their consequences on the right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from pantarhei.proofs.step import StepKind
from pantarhei.proofs.svg import (
    ARROW,
    COLOURS,
    DARK,
    PALE,
    arrow,
    element,
    picture,
    shortened,
    text_element,
)  # fmt: skip

_MARGIN, _WIDTH, _BETWEEN, _GAP = 20.0, 320.0, 90.0, 12.0
_SIZE, _SMALL, _LINE, _PAD = 13.0, 11.0, 17.0, 8.0
_MOST_LINES = 2
MOST_FACTS = 12
"""Number of facts of each cause that are drawn."""


class Cause(Enum):
    """Cause of a change. The value is the heading of its facts in a picture."""

    ASSERTED = "asserted"
    DERIVED = "derived"
    EXPIRED = "left the window"
    RETRACTED = "deleted"
    CUT = "removed by the repair"
    UNSUPPORTED = "no longer derived"


_BLOCKS = (
    ("+", (Cause.ASSERTED,), (Cause.DERIVED,)),
    ("−", (Cause.EXPIRED, Cause.RETRACTED, Cause.CUT), (Cause.UNSUPPORTED,)),
)  # inserted and deleted facts, each with the causes on the left and on the right
_DASHED = (Cause.EXPIRED, Cause.RETRACTED, Cause.UNSUPPORTED)
_KINDS = {
    Cause.ASSERTED: StepKind.ASSERTED,
    Cause.DERIVED: StepKind.DERIVED,
    Cause.EXPIRED: StepKind.BACKGROUND,
    Cause.RETRACTED: StepKind.BACKGROUND,
    Cause.CUT: StepKind.CONTRADICTION,
    Cause.UNSUPPORTED: StepKind.DERIVED,
}


@dataclass(frozen=True, slots=True)
class ChangedFact:
    """Fact that a step inserted or deleted.

    Args:
        text: the fact as a sentence.
        rests_on: the places, in the same sequence, of the asserted facts from which it was derived.
    """

    text: str
    cause: Cause
    rests_on: tuple[int, ...] = ()


def changes_svg(title: str, facts: Sequence[ChangedFact]) -> str:
    """Return the picture of the changes of a step. Of each cause the first 12 facts are drawn, with arrows
    from assertions to the facts that rest on them.
    """
    return _ChangePicture(title, facts).svg()


class _ChangePicture:
    """Picture of changes; `ends` has the sides of each drawn fact, by its place."""

    def __init__(self, title: str, facts: Sequence[ChangedFact]) -> None:
        self._title, self._facts = title, facts
        self._ends: dict[int, tuple[float, float, float]] = {}  # left, right, middle

    def svg(self) -> str:
        right = _MARGIN + _WIDTH + _BETWEEN
        width = right + _WIDTH + _MARGIN
        drawn, y = list[str](), _MARGIN + 10
        for line in shortened(self._title, width - 2 * _MARGIN, _SIZE, _MOST_LINES):
            drawn.append(text_element(line, _MARGIN, y, _SIZE, DARK, self._title))
            y += _LINE
        for sign, *sides in _BLOCKS:
            tops = []
            for x, causes in zip((_MARGIN, right), sides, strict=True):
                top = y
                for cause in causes:
                    boxes, top = self._group(sign, cause, x, top)
                    drawn += boxes
                tops.append(top)
            y = max(tops)
        return picture(width, y + _MARGIN, self._title, [ARROW, *drawn, *self._arrows()])

    def _group(self, sign: str, cause: Cause, x: float, top: float) -> tuple[list[str], float]:
        """Return the boxes of the facts with a cause, and the position below them."""
        places = sorted(
            (place for place, fact in enumerate(self._facts) if fact.cause is cause), key=self._order
        )
        if not places:
            return [], top
        y = top + _LINE + 6
        drawn = [text_element(f"{sign}{len(places):,} {cause.value}", x, y, _SMALL, PALE)]
        y += 8
        for place in places[:MOST_FACTS]:
            lines = shortened(self._facts[place].text, _WIDTH - 2 * _PAD, _SIZE, _MOST_LINES)
            height = len(lines) * _LINE + 2 * _PAD
            self._ends[place] = x, x + _WIDTH, y + height / 2
            drawn += self._box(place, lines, x, y, height)
            y += height + _GAP
        if (more := len(places) - MOST_FACTS) > 0:
            drawn.append(text_element(f"and {more:,} more", x, y + 4, _SMALL, PALE))
            y += _LINE
        return drawn, y

    def _order(self, place: int) -> tuple[float, int]:
        """Return the mean position of the assertions on which a fact rests, so that few arrows cross."""
        on = [self._ends[premise][2] for premise in self._facts[place].rests_on if premise in self._ends]
        return (sum(on) / len(on) if on else 0.0), place

    def _box(self, place: int, lines: Sequence[str], x: float, y: float, height: float) -> Iterator[str]:
        fact = self._facts[place]
        fill, line = COLOURS[_KINDS[fact.cause]]
        dashes = {"stroke_dasharray": "5 3"} if fact.cause in _DASHED else {}
        shape = {"x": x, "y": y, "width": _WIDTH, "height": height, "rx": 7}
        yield element("rect", **shape, fill=fill, stroke=line, stroke_width=1.2, **dashes)
        for number, text in enumerate(lines):
            baseline = y + _PAD + _SIZE - 1 + number * _LINE
            yield text_element(text, x + _PAD, baseline, _SIZE, DARK, fact.text)

    def _arrows(self) -> Iterator[str]:
        for place, (left, _, middle) in self._ends.items():
            for premise in self._facts[place].rests_on:
                if premise in self._ends:
                    _, right, start = self._ends[premise]
                    yield arrow((right + 2, start), (left - 2, middle))
