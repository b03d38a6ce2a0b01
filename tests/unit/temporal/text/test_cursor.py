"""The tokens of a text of rules."""

import pytest

from pantarhei.temporal.text.cursor import TokenCursor, tokens


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a(X) :- b.", "name sign name sign arrow name sign end"),
        ("a:-b", "name arrow name end"),
        ("ex:a :b x-1:c ex:", "prefixed prefixed prefixed prefixed end"),
        ("ex:a.b", "prefixed sign name end"),
        ("T-1", "name sign number end"),
        ("1.5 1. 1e3 5min", "number number sign number number name end"),
        ("[PT0.5S] PT5M", "sign duration sign name end"),
        ('"a\\"b"@en-GB "c"^^xsd:d', "string string sign prefixed end"),
        ("'a b' <urn:a> ?x", "quoted iri variable end"),
        ("X<Y<=Z ≠", "name relation name relation name relation end"),
        ("a % b. :-\n// c\n/* d\n */ %* e *% f", "name name end"),
        ("", "end"),
    ],
)
def test_a_text_is_made_of_tokens(text, kinds):
    assert " ".join(token.kind for token in tokens(text)) == kinds


def test_the_end_is_behind_the_last_word():
    assert tokens("a.\n\n  ")[-1].start == 2


def test_a_cursor_stays_at_the_end():
    cursor = TokenCursor("a")
    cursor.take()
    assert [cursor.take().kind, cursor.take().kind, cursor.peek(5).kind] == ["end"] * 3
    assert not cursor.is_at("")


def test_a_long_token_is_shown_in_part():
    assert len(tokens("a" * 1000)[0].shown) < 100
