"""Checks of pictures: texts and dots do not overlap, and hostile texts leave the XML well formed."""

from math import hypot
from xml.etree import ElementTree

from hypothesis import strategies as st

from pantarhei.proofs.svg import width_of

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = st.sampled_from(
    ["x is open", "</text><script>alert(1)</script>", "]]>&", "部屋" * 60, "\x1b[31m" + "W" * 99]
)
ROUND = 1e-6


def texts_with_places(root):
    """Each text with its box, by the estimated width: left, right, top, bottom."""
    for text in root.iter(f"{SVG}text"):
        size, x, y = (float(text.get(key)) for key in ("font-size", "x", "y"))
        width = width_of(text.text, size)
        shift = {"middle": width / 2, "end": width}.get(text.get("text-anchor"), 0)
        yield text.text, x - shift, x - shift + width, y - 0.75 * size, y + 0.2 * size


ELEMENTS = {"svg", "title", "style", "rect", "defs", "marker", "path", "text", "line", "circle"}


def assert_harmless(svg):
    """Check that a picture has no script, and loads nothing."""
    root = ElementTree.fromstring(svg)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= ELEMENTS
    attributes = {(key, value) for element in root.iter() for key, value in element.attrib.items()}
    assert not [key for key, _ in attributes if key.startswith("on") or "href" in key]
    assert {value for _, value in attributes if "url(" in value} <= {"url(#pantarhei-arrow)"}
    assert "url(" not in root.findtext(f"{SVG}style") and "@import" not in root.findtext(f"{SVG}style")


def assert_apart(svg, dots=True):
    """Check that no two texts and, with `dots`, no two dots of a picture overlap, that all are
    inside, and that the picture is harmless.
    """
    assert_harmless(svg)
    root = ElementTree.fromstring(svg)
    boxes = list(texts_with_places(root))
    for place, (one, left, right, top, bottom) in enumerate(boxes):
        assert left >= -ROUND and right <= float(root.get("width")) + ROUND, one
        assert top >= -ROUND and bottom <= float(root.get("height")) + ROUND, one
        for other, its_left, its_right, its_top, its_bottom in boxes[:place]:
            beside = right <= its_left + ROUND or its_right <= left + ROUND
            assert beside or bottom <= its_top + ROUND or its_bottom <= top + ROUND, (one, other)
    if not dots:
        return
    dots = [tuple(float(dot.get(key)) for key in ("cx", "cy", "r")) for dot in root.iter(f"{SVG}circle")]
    for place, (x, y, radius) in enumerate(dots):
        for its_x, its_y, its_radius in dots[:place]:
            assert hypot(x - its_x, y - its_y) >= radius + its_radius
