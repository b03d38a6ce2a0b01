"""Pictures of proofs."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import RDF

from pantarhei.proofs.svg import (
    _ON_DARK,
    element,
    layout,
    picture,
    shortened,
    text_element,
    width_of,
    wrapped,
)
from proof_examples import chain, contradiction, malicious, plant
from strategies import EX
from svg_checks import SVG, assert_harmless


def boxes(root):
    """The boxes of a picture, without its ground."""
    keys = ("x", "y", "width", "height")
    return [{key: float(box.get(key)) for key in keys} for box in root.iter(f"{SVG}rect") if box.get("rx")]


def wasteful():
    return plant().explain((EX.room, RDF.type, EX.Wasteful))


@pytest.mark.parametrize("make", [wasteful, contradiction, malicious, lambda: chain(40)])
def test_a_picture_has_a_box_for_each_fact_and_none_overlap(make):
    proof = make()
    root = ElementTree.fromstring(proof.to_svg())
    found = boxes(root)
    assert len(found) == len(proof.steps)
    width, height = float(root.get("width")), float(root.get("height"))
    for one in found:
        assert one["x"] >= 0 and one["x"] + one["width"] <= width and one["y"] + one["height"] <= height
        for other in found:
            apart = (
                one["x"] + one["width"] <= other["x"]
                or other["x"] + other["width"] <= one["x"]
                or one["y"] + one["height"] <= other["y"]
                or other["y"] + other["height"] <= one["y"]
            )
            assert apart or one is other
    arrows = sum(len(set(step.premises)) for step in proof.steps)
    assert sum(path.get("marker-end") is not None for path in root.iter(f"{SVG}path")) == arrows


def test_what_is_proved_stands_on_top():
    texts = [text.text for text in ElementTree.fromstring(wasteful().to_svg()).iter(f"{SVG}text")]
    assert texts[:2] == ["room is a wasteful room", "[1] cls-int1"]
    assert "asserted at 07:05" in texts
    assert "It rests on 2 assertions made from 07:00 to 07:05 on 2026-03-02 (UTC)." in texts


def test_a_picture_has_no_script_and_nothing_from_elsewhere():
    svg = malicious().to_svg()
    assert_harmless(svg)
    root = ElementTree.fromstring(svg)
    names = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert names == {"svg", "title", "style", "rect", "defs", "marker", "path", "text"}
    assert any("<script>" in (text.text or "") for text in root.iter(f"{SVG}text"))
    assert all(len(text.text) < 200 for text in root.iter(f"{SVG}text"))


def test_of_a_large_proof_the_part_around_what_is_proved_is_drawn():
    proof = chain(3_000)
    root = ElementTree.fromstring(proof.to_svg())
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert len(boxes(root)) == 119
    assert f"{len(proof.steps) - 119:,} facts further down are not drawn." in texts
    assert texts.count("[1] prp-trp, 2 not drawn") == 1


@st.composite
def graphs(draw):
    """A graph without circles, all of which is below its node 0."""
    size = draw(st.integers(1, 12))
    edges = {(draw(st.integers(0, node - 1)), node) for node in range(1, size)}
    pairs = [(one, other) for other in range(size) for one in range(other)]
    edges |= set(draw(st.lists(st.sampled_from(pairs), max_size=10))) if pairs else set()
    return sorted(edges), {node: float(draw(st.integers(10, 300))) for node in range(size)}


@given(graphs())
def test_edges_lead_down_and_nothing_overlaps(drawn):
    edges, widths = drawn
    placed = layout(0, edges, widths)
    assert set(placed.layer) == set(placed.middle) == set(widths)
    assert [node for node, layer in placed.layer.items() if layer == 0] == [0]
    for upper, lower in edges:
        assert len(placed.lines[upper, lower]) == placed.layer[lower] - placed.layer[upper] - 1 >= 0
    for one in widths:
        assert widths[one] / 2 <= placed.middle[one] + 1e-6
        assert placed.middle[one] + widths[one] / 2 <= placed.width + 1e-6
        for other in widths:
            if one != other and placed.layer[one] == placed.layer[other]:
                apart = abs(placed.middle[one] - placed.middle[other])
                assert apart >= (widths[one] + widths[other]) / 2 - 1e-6
    for (upper, _), middles in placed.lines.items():
        for layer, middle in enumerate(middles, placed.layer[upper] + 1):
            for node, width in widths.items():
                assert placed.layer[node] != layer or abs(middle - placed.middle[node]) > width / 2


def test_a_chain_stands_in_one_column():
    placed = layout(0, [(0, 1), (1, 2)], {0: 10.0, 1: 50.0, 2: 30.0})
    assert set(placed.middle.values()) == {25.0}


def test_text_is_escaped():
    shown = picture(10, 10, "a & b", [text_element('</text><script>"', 1, 2, 12), element("g", id='"><x')])
    root = ElementTree.fromstring(shown)
    assert [child.tag.rpartition("}")[2] for child in root] == ["title", "style", "rect", "text", "g"]
    assert root[3].text == '</text><script>"'


def test_wide_characters_take_more_room():
    assert width_of("部屋", 10) == 20 > width_of("ab", 10)


def test_long_words_are_broken():
    assert wrapped("x" * 70, 30) == ["x" * 30, "x" * 30, "x" * 10]
    assert wrapped("") == [""]


def test_colours_follow_the_preferred_scheme():
    used = {
        value
        for element in ElementTree.fromstring(wasteful().to_svg()).iter()
        for value in element.attrib.values()
    }
    colours = {value for value in used if value.startswith("#")}
    style = ElementTree.fromstring(wasteful().to_svg()).find(f"{SVG}style").text
    assert style.startswith("@media (prefers-color-scheme:dark){.pantarhei [")
    assert colours and colours <= set(_ON_DARK) | {"#8794a5", "#6b9e6e"}


@given(st.text())
def test_any_text_gives_well_formed_xml(text):
    shown = picture(10, 10, text, [text_element(text, 1, 2, 12, full=text + "x")])
    root = ElementTree.fromstring(shown)
    if text.isprintable():
        assert root.findtext(f"{SVG}text") == text


@given(
    st.text(st.characters(min_codepoint=32, max_codepoint=0x9FFF)), st.integers(20, 900), st.integers(1, 3)
)
def test_shortened_lines_have_at_most_the_given_width(text, width, most):
    lines = shortened(text, width, 11, most)
    assert 1 <= len(lines) <= most
    assert max(width_of(line, 11) for line in lines) <= max(width, 22)
