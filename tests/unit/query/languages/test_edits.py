"""A place of an edited text is known in the text before."""

from hypothesis import given
from hypothesis import strategies as st

from pantarhei.query.languages.edits import Edit, Edited


@st.composite
def edited(draw):
    """A text of different characters and lines, and edits of it."""
    text = "".join(
        chr(0x4E00 + each) if draw(st.booleans()) else "\n" for each in range(draw(st.integers(0, 20)))
    )
    ends = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    words = st.sampled_from(["", " ", "x", "GRAPH\n<w> "])
    return Edited.of(text, [Edit(*pair, draw(words)) for pair in zip(ends[::2], ends[1::2], strict=False)])


@given(edited())
def test_what_is_not_edited_is_found_where_it_was(made):
    kept = set(range(len(made.given))).difference(*(range(start, end) for start, end, _ in made.edits))
    found = set()
    for number, line in enumerate(made.text.split("\n")):
        for column, character in enumerate(line):
            before = made.place_before(number + 1, column + 1)
            if character >= "\u4e00":
                assert made.given[before] == character
                found.add(before)
            else:
                assert before in {edit.start for edit in made.edits}
    assert found == {place for place in kept if made.given[place] != "\n"}


def test_parts_are_exchanged():
    made = Edited.of("SELECT *\nFROM <s>\n{ }", [Edit(18, 19, "<"), Edit(9, 17)])
    assert made.text == "SELECT *\n \n< }"
    assert made.place_before(3, 3) == 20
    assert made.place_before(2, 1) == 9
