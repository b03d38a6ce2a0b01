"""Words that are taken for canonical terms are just what pyoxigraph writes when it has read them."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import cases
from pantarhei.rdf import canonical_words as canonical
from pantarhei.rdf.canonical_words import CanonicalTerms, are_ordinary_iris
from pantarhei.rdf.word_columns import split_lines

ORDINARY = [
    "<http://a>",
    "<http://example.org/a>",
    "<https://example.org/>",
    "<https://example.org#b>",
    "<http://example.org/a/b_c~d.e-f#g/h>",
    "<http://1.2.3.4/5>",
    "<http://a//b>",
    "<http://a/#>",
]
OTHERS = [
    "<urn:a>",
    "<http://>",
    "<http:///a>",
    "<http://a:80/>",
    "<http://a/?b>",
    "<http://a#b#c>",
    "<http://a/é>",
    "<http://a/%20>",
    "<http://a",
    "http://aaaaaaaa>",
    "<<http://a>>",
    "<http://a>b>",
    "<http://a<b>",
    "<HTTP://a/b>",
    "<http:#//aaaaa>",
    "<http://a:b#c>",
    "_:b",
    '"a"',
    ".",
    "",
]

pieces = st.sampled_from(
    ["<", ">", "http", "https", "s", ":", "/", "//", "#", "a", "9", "-", "_", "é", "[", "@"]
)
words = st.one_of(
    st.lists(pieces, max_size=12).map("".join),
    st.lists(pieces, max_size=5).map(lambda rest: f"<http://{''.join(rest)}>"),
    st.lists(pieces, max_size=5).map(lambda rest: f"<https://x{''.join(rest)}>"),
    st.sampled_from(['"a"', '"a"@en', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>', "_:a", "."]),
)


def written_anew(text):
    """What pyoxigraph makes of a term, None if it is none or not of RDF 1.1."""
    try:
        (quad,) = ox.parse(f"<urn:x> <urn:x> {text} .\n".encode(), ox.RdfFormat.N_TRIPLES)
    except (SyntaxError, ValueError):
        return None
    return None if isinstance(quad.object, ox.Triple) else str(quad.object)


def split(texts):
    found = split_lines("\n".join(texts).encode() + b"\n", 1).words
    return found, found.decoded()


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_iris_are_told_from_their_bytes(text):
    assert are_ordinary_iris(split([text])[0]).tolist() == [True]
    assert written_anew(text) == text


@pytest.mark.parametrize("text", OTHERS)
def test_others_are_not(text):
    assert are_ordinary_iris(split(["<http://a>", text, "<http://b>"])[0]).tolist() == [True, False, True]


@settings(deadline=None, max_examples=cases(130, 400))
@given(st.lists(words, min_size=1, max_size=20))
def test_canonical_words_are_what_the_parser_would_write(texts):
    found, decoded = split(texts)
    flags = CanonicalTerms().among(found, decoded).tolist()
    written = [written_anew(text) == text for text in decoded]
    assert flags == written


@settings(deadline=None)
@given(st.lists(st.lists(words, min_size=1, max_size=6), max_size=5), st.sampled_from([1, 3]))
def test_what_was_asked_before_changes_no_answer(several, cached):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canonical, "MOST_CACHED", cached)
        known = CanonicalTerms()
        for texts in several:
            found, decoded = split(texts)
            assert known.among(found, decoded).tolist() == CanonicalTerms().among(found, decoded).tolist()


@settings(deadline=None)
@given(st.from_regex(canonical._ORDINARY, fullmatch=True))
def test_a_term_that_looks_ordinary_is_canonical(text):
    assert written_anew(text) == text
