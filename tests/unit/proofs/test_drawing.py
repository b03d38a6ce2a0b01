from xml.etree import ElementTree

from pantarhei.proofs.drawing import element, picture, text_element, width_of, wrapped


def test_text_is_escaped():
    shown = picture(10, 10, "a & b", [text_element('</text><script>"', 1, 2, 12), element("g", id='"><x')])
    root = ElementTree.fromstring(shown)
    assert [child.tag.rpartition("}")[2] for child in root] == ["title", "rect", "text", "g"]
    assert root[2].text == '</text><script>"'


def test_wide_characters_take_more_room():
    assert width_of("部屋", 10) == 20 > width_of("ab", 10)


def test_long_words_are_broken():
    assert wrapped("x" * 70, 30) == ["x" * 30, "x" * 30, "x" * 10]
    assert wrapped("") == [""]
