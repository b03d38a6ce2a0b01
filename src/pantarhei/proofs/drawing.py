"""What pictures are made of: text that is measured and wrapped, and elements of SVG with all text escaped."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from html import escape
from itertools import pairwise
from unicodedata import east_asian_width

from pantarhei.proofs.kind import StepKind

COLUMNS = 30
"""How wide a box is at most, in characters."""

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
"""How a fact is filled, and its outline."""

DARK, PALE = "#1a1a1a", "#4b5563"
_CHARACTER = 0.58  # of the size of a font without serifs, on average; a wide one takes all of it


def wrapped(text: str, columns: int = COLUMNS) -> list[str]:
    """The text in lines of so many characters."""
    return textwrap.wrap(text, columns, break_on_hyphens=False) or [""]


def width_of(text: str, size: float) -> float:
    """About how wide a line of text is, in pixels."""
    return size * sum(1.0 if east_asian_width(c) in "WF" else _CHARACTER for c in text)


def element(name: str, content: str | Iterable[str] = "", /, **attributes: object) -> str:
    """An element of SVG; `_` in an attribute's name stands for `-`.

    Args:
        content: elements; text is to be given to `text_element`.

    >>> element("rect", x=1, rx=2.50, stroke_width=1)
    '<rect x="1" rx="2.5" stroke-width="1"/>'
    """
    said = "".join(f' {key.replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    inside = content if isinstance(content, str) else "".join(content)
    return f"<{name}{said}>{inside}</{name}>" if inside else f"<{name}{said}/>"


def text_element(text: str, x: float, y: float, size: float, fill: str = DARK, **attributes: object) -> str:
    """A line of text whose base line begins at a place.

    >>> text_element("a < b", 1, 2, 12)
    '<text x="1" y="2" font-size="12" fill="#1a1a1a">a &lt; b</text>'
    """
    return element("text", escape(text), x=x, y=y, font_size=size, fill=fill, **attributes)


def curve(points: Iterable[tuple[float, float]], **attributes: object) -> str:
    """A line through points, upright at each."""
    given = list(points)
    path = [f"M{given[0][0]:.1f},{given[0][1]:.1f}"]
    for (x, y), (to_x, to_y) in pairwise(given):
        half = (y + to_y) / 2
        path.append(f"C{x:.1f},{half:.1f} {to_x:.1f},{half:.1f} {to_x:.1f},{to_y:.1f}")
    return element("path", d=" ".join(path), fill="none", stroke=PALE, stroke_width=1.2, **attributes)


def picture(width: float, height: float, title: str, content: Iterable[str]) -> str:
    """A whole SVG on white, that shows dark text also where the page around it is dark."""
    return element(
        "svg",
        (
            element("title", escape(title)),
            element("rect", width=width, height=height, fill="#ffffff"),
            *content,
        ),
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=height,
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        font_family="sans-serif",
        role="img",
    )


def _value(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else escape(str(value))
