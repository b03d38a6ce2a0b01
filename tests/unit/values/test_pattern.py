"""Patterns of XML Schema: what they match, what is none, and that no text takes long."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantarhei.values.pattern import MAX_POSITIONS, PatternError, compile_pattern
from pantarhei.values.value import LONGEST_PARSED_LITERAL

CASES = [  # pattern, what it matches, what it does not
    ("", [""], ["a"]),
    ("abc", ["abc"], ["ab", "abcd", "xabc", ""]),
    ("a|b|", ["a", "b", ""], ["ab"]),
    ("(ab)*c", ["c", "abc", "ababc"], ["ac", "ab"]),
    ("a?b+", ["b", "abb"], ["a", "aab"]),
    ("a{3}", ["aaa"], ["aa", "aaaa"]),
    ("a{2,4}", ["aa", "aaa", "aaaa"], ["a", "aaaaa"]),
    ("a{2,}", ["aa", "aaaaaa"], ["a"]),
    ("a{0}b", ["b"], ["ab"]),
    ("(a|bc){2}", ["aa", "abc", "bcbc"], ["a", "abcbc"]),
    ("[a-c]", ["a", "b", "c"], ["d", "-", ""]),
    ("[^a-c]", ["d", "\n"], ["a"]),
    ("[a-z-[aeiou]]+", ["xyz"], ["a", "xay"]),
    ("[a-z-[b-y-[m]]]+", ["azm"], ["b"]),
    ("[-a]", ["-", "a"], ["b"]),
    ("[a-]", ["-", "a"], ["b"]),
    ("[a^.$?*+(){}|]+", ["a^.$?*+(){}|"], ["b"]),
    (r"[\-\[\]\\]+", ["-[]\\"], ["a"]),
    (r"[\t-\r]", ["\t", "\n", "\r"], ["t"]),
    (r"[\d.]+", ["1.5", "٣"], ["a"]),
    (r"\d{2}:\d{2}", ["10:30"], ["1:30"]),
    (r"\i\c*", ["a1", "_x", ":y", "é·"], ["1a", "-a", ""]),
    (r"\I\C", ["1 "], ["a "]),
    (r"\w+", ["aB1é", "+"], ["a b", "a-b", "_"]),
    (r"\W\s\S\D", ["- ab"], ["a ab"]),
    (r"\p{Lu}\P{Lu}", ["Aa", "É1"], ["AA"]),
    (r"[\p{L}\p{Nd}]+", ["aß1"], ["-"]),
    (r"\p{L}\p{P}", ["a."], ["a+"]),
    (r".\.", ["a.", ".."], ["\n.", "ab"]),
    (r"\^\$\|\{\}", ["^$|{}"], [""]),
    ("^a$", ["^a$"], ["a"]),  # no anchors: a pattern stands for the whole text
    (r"\n\r\t", ["\n\r\t"], ["nrt"]),
    ("𝄞{2}", ["𝄞𝄞"], ["𝄞"]),
    ("((((a))))", ["a"], [""]),
]


@pytest.mark.parametrize(("pattern", "inside", "outside"), CASES, ids=lambda given_: str(given_)[:20])
def test_what_a_pattern_matches(pattern, inside, outside):
    compiled = compile_pattern(pattern)
    assert [text for text in inside if not compiled.matches(text)] == []
    assert [text for text in outside if compiled.matches(text)] == []


@pytest.mark.parametrize(
    "pattern",
    [
        "(", ")", "(a", "a)", "[", "[]", "[a", "a]", "*", "a**", "?", "(?:a)", "{", "a{", "a{1", "a{2,1}",
        "a{,2}", "a{x}", "}", "\\", "\\x", "\\b", "\\1", "\\p", "\\pL", "\\p{X}", "\\p{L",
        "\\p{IsBasicLatin}", "[z-a]",
        "[a-\\d]", "[a-[b]c]", "[[a]]", "a{1001}", "(a{100}){100}", "(" * 60 + ")" * 60,
        "a" * (MAX_POSITIONS + 1), "[a-z-[" * 60, "a{99999999999}", "a" * (LONGEST_PARSED_LITERAL + 1),
    ],
    ids=lambda pattern: pattern[:20],
)  # fmt: skip
def test_what_is_no_pattern_or_is_not_supported_is_refused(pattern):
    with pytest.raises(PatternError):
        compile_pattern(pattern)


@pytest.mark.parametrize(
    "pattern", ["(a+)+b", "(a|a)*b", "(a|aa)+b", "(.*)*b", "((a{1,20}){1,20})b", "(a?){400}b"]
)
def test_no_pattern_takes_long(pattern):
    compiled = compile_pattern(pattern)
    assert not compiled.matches("a" * 5000)
    assert len(compiled._steps) <= 5000


def test_counting_nothing_takes_no_time():
    assert compile_pattern("(((()" + "{1000})" * 3 + "{1000}").matches("")


def test_a_very_long_text_matches_no_pattern():
    assert compile_pattern("a*").matches("a" * LONGEST_PARSED_LITERAL)
    assert not compile_pattern("a*").matches("a" * (LONGEST_PARSED_LITERAL + 1))


PATTERNS = st.recursive(
    st.sampled_from(["a", "b", ".", "[ab]", "[^a]", ""]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}", "{2,3}"])).map(
            lambda pair: f"({pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=6,
)


@given(PATTERNS, st.lists(st.text("abc", max_size=6), max_size=10))
def test_patterns_match_what_regular_expressions_match(pattern, texts):
    compiled, expected = compile_pattern(pattern), re.compile(pattern)
    for text in texts:
        assert compiled.matches(text) == (expected.fullmatch(text) is not None), text
