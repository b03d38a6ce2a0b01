"""Pictures of proofs."""

from xml.etree import ElementTree

import pytest
from rdflib import RDF

from shown_proofs import chain, contradiction, evil, plant
from strategies import EX

SVG = "{http://www.w3.org/2000/svg}"


def boxes(root):
    """The boxes of a picture, without its ground."""
    keys = ("x", "y", "width", "height")
    return [{key: float(box.get(key)) for key in keys} for box in root.iter(f"{SVG}rect") if box.get("rx")]


def wasteful():
    return plant().explain((EX.room, RDF.type, EX.Wasteful))


@pytest.mark.parametrize("make", [wasteful, contradiction, evil, lambda: chain(40)])
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
    root = ElementTree.fromstring(evil().to_svg())
    names = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert names == {"svg", "title", "rect", "defs", "marker", "path", "text"}
    attributes = {(key, value) for element in root.iter() for key, value in element.attrib.items()}
    assert not [key for key, _ in attributes if key.startswith("on") or "href" in key]
    assert [value for _, value in attributes if "url(" in value] == ["url(#arrow)"]
    assert any("<script>" in (text.text or "") for text in root.iter(f"{SVG}text"))
    assert all(len(text.text) < 200 for text in root.iter(f"{SVG}text"))


def test_of_a_large_proof_the_part_around_what_is_proved_is_drawn():
    proof = chain(3_000)
    root = ElementTree.fromstring(proof.to_svg())
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert len(boxes(root)) == 119
    assert f"{len(proof.steps) - 119:,} facts further down are not drawn." in texts
    assert texts.count("[1] prp-trp, 2 not drawn") == 1
