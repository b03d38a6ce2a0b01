"""Numbers with their nouns."""

import pytest

from pantarhei.model.counted import counted


@pytest.mark.parametrize(
    ("number", "nouns", "text"),
    [
        (1, ("fact",), "1 fact"),
        (0, ("fact",), "0 facts"),
        (12_345, ("ABox",), "12,345 ABoxes"),
        (1, ("property", "properties"), "1 property"),
        (2, ("property", "properties"), "2 properties"),
    ],
)
def test_a_number_has_its_noun(number, nouns, text):
    assert counted(number, *nouns) == text
