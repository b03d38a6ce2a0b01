"""Regular expressions of XPath, and what stops them."""

import time

import pytest

from pantarhei.errors import QueryError, QueryTimeoutError
from pantarhei.query.expressions import check_pattern
from pantarhei.query.expressions.regular_expressions import compiled, matches, replace_matches
from pantarhei.query.expressions.scalars import ExpressionError
from pantarhei.query.solutions import QueryLimits

CATASTROPHIC = "x" * 3000 + "z"


def _matches(text: str, pattern: str, flags: str = "") -> bool:
    return matches([text], compiled(pattern, flags), QueryLimits())[0]


@pytest.mark.parametrize(
    ("text", "pattern", "flags", "expected"),
    [
        ("abc", "b", "", True),
        ("abc\n", "c$", "", False),
        ("abc\nd", "c$", "m", True),
        ("abc\nd", "^d", "m", True),
        ("a\nc", "a.c", "", False),
        ("a\rc", "a.c", "", False),
        ("a\nc", "a.c", "s", True),
        ("a.c", "a[.]c$", "", True),
        ("ABC", "b", "i", True),
        ("abc", "a b c", "x", True),
        ("a b", "a[ ]b", "x", True),
        ("a+b", "a+b", "q", True),
        ("aab", "a+b$", "q", False),
        ("bcd", "^[a-z-[aeiou]]+$", "", True),
        ("bad", "^[a-z-[aeiou]]+$", "", False),
        ("x-1", r"^\i\c*$", "", True),
        ("-x", r"^\i", "", False),
        ("-", r"^[\i-]$", "", True),
        ("٣", r"^\d$", "", True),
        ("ä", r"^\p{L}$", "", True),
        ("abab", r"^(ab)\1$", "", True),
        ("$", r"^\$$", "", True),
        ("]", r"^[]]$", "", True),
        ("[", r"^[\[]$", "", True),
    ],
)
def test_patterns_mean_what_xpath_says(text: str, pattern: str, flags: str, expected: bool) -> None:
    assert _matches(text, pattern, flags) is expected


@pytest.mark.parametrize(
    ("pattern", "flags", "reason"),
    [
        ("a(b", "", r"'a\(b' is malformed: missing \) at 3"),
        ("*", "", "nothing to repeat at 0"),
        ("[a", "", "malformed"),
        ("a{2,1}", "", "min repeat greater than max repeat"),
        (r"\p{Nothing}", "", "unknown property"),
        ("[a-z-[b]c]", "", "has text after a subtracted class"),
        (r"[\I]", "", "inside a class is not supported"),
        ("a", "iz", "unknown flag 'z'; expected some of i, s, m, x, q"),
        ("(" * 300 + "*", "", "…"),
    ],
)
def test_what_is_wrong_with_a_constant_pattern_is_said(pattern: str, flags: str, reason: str) -> None:
    with pytest.raises(QueryError, match=reason):
        check_pattern(pattern, flags)


def test_a_good_pattern_is_let_through() -> None:
    check_pattern("a|b", "i")


def test_a_catastrophic_pattern_is_stopped_at_the_limit_of_the_query() -> None:
    start = time.monotonic()
    with pytest.raises(QueryTimeoutError):
        matches([CATASTROPHIC], compiled("(x+x+)+y$", ""), QueryLimits(0.2))
    assert time.monotonic() - start < 5


def test_a_catastrophic_pattern_is_stopped_without_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pantarhei.query.expressions.regular_expressions.LONGEST_MATCH", 0.2)
    with pytest.raises(QueryTimeoutError):
        matches([CATASTROPHIC], compiled("(x+x+)+y$", ""), QueryLimits())
    with pytest.raises(QueryTimeoutError):
        replace_matches(CATASTROPHIC, compiled("(x+x+)+y$", ""), "", QueryLimits())


def test_long_texts_are_guarded_even_where_a_pattern_is_tame() -> None:
    texts = ["a" * 2000, "b"]
    assert matches(texts, compiled("a+b", ""), QueryLimits(5.0)) == [False, False]


@pytest.mark.parametrize(
    ("pattern", "replacement", "result"),
    [
        ("b(.)", "[$1]", "a[c]d"),
        ("(b)|x", "$1$2", "abcd"),
        ("b", r"\$\\", r"a$\cd"),
        ("(b)", "$12", "ab2cd"),
    ],
)
def test_groups_are_replaced_by_what_they_matched(pattern: str, replacement: str, result: str) -> None:
    assert replace_matches("abcd", compiled(pattern, ""), replacement, QueryLimits()) == result


@pytest.mark.parametrize(("pattern", "replacement"), [("b*", "x"), ("b", "$x"), ("b", "$"), ("b", "\\n")])
def test_empty_matches_and_stray_signs_are_errors(pattern: str, replacement: str) -> None:
    with pytest.raises(ExpressionError):
        replace_matches("abcd", compiled(pattern, ""), replacement, QueryLimits())


@pytest.mark.parametrize("flags", ["", "i"])  # as a text, and as a pattern
@pytest.mark.parametrize(
    ("text", "pattern", "replacement", "expected"),
    [("abcabc", "b", "x", "axcaxc"), ("aa", "aa", "<$0>", "<aa>"), ("abab", "b", r"\$", "a$a$")],
)
def test_a_pattern_that_is_a_text_replaces_as_one(text, pattern, replacement, expected, flags):
    assert replace_matches(text, compiled(pattern, flags), replacement, QueryLimits()) == expected
