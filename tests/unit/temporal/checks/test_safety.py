"""Which variables a body binds."""

import pytest

import pantarhei as pr
from pantarhei.temporal.checks.safety import check_safety
from pantarhei.temporal.text.reading import read_rules

PREFIXES = {"": "http://example.org/"}


def read(text):
    (rule,) = read_rules(text, PREFIXES).rules
    return rule


@pytest.mark.parametrize(
    "text",
    [
        "a(X) :- b(X).",
        "a(X) at T :- b(X) at T in [3].",
        "a(X) :- b(X) always in [3], not c(X), X < 5.",
        "a(X) :- b(X) at least 3 times in [3].",
        "a(R) :- b(X), R = S * 2, S = X + 1.",
        "a(X) :- b(T), c(X) at T.",
        "a(X) :- c(X) at 5.",
        "a(X) :- b(T) at T in [3], c(X) at T.",
        "a(U) :- b(T), c(X) at T, U = X + 1, d(Y) at U, not e(Y).",
        "a at T+1 :- b at T in [3].",
        "a :- b, not c.",
        "a.",
    ],
)
def test_what_positive_atoms_and_computations_bind_is_bound(text):
    check_safety(read(text))


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("a(X).", 1, "X is in the head, and nothing binds it; expected an atom of the body that has it"),
        ("a(X) :- b(Y).", 1, "X is in the head"),
        ("a at T :- b.", 1, "T is in the head"),
        ("a :- b, not c(X).", 9, "X is in not c(X)"),
        ("a :- b, not c at T.", 9, "T is in not c at T"),
        ("a :- b, X < 5.", 1, "X is in X < 5"),
        ("a(X) :- b, X = Y.", 1, "X is in the head"),
        ("a(X) :- b, not c(X), X != 5.", 1, "X is in the head"),
        ("a :- b(X), X = Y * 2.", 1, "Y is in X = Y * 2"),
        ("a(X) :- X = Y + 1, Y = X - 1.", 1, "X is in the head"),
        ("a at T :- b at T+1.", 11, "nothing bounds the time _1"),
        ("a(?x) :- b.", 1, "?x is in the head"),
        (
            "a :- b at T.",
            6,
            "nothing bounds the time T of b at T; expected a window, as in b at T in [10]",
        ),
        ("a(T) :- b(T) at T.", 9, "nothing bounds the time T"),
        ("a :- b at T, c at T.", 6, "nothing bounds the time T of b at T"),
        ("a :- b(X) at T, T = X + 1.", 6, "nothing bounds the time T of b(X) at T"),
        ("a :- b at T, not c(T).", 6, "nothing bounds the time T"),
    ],
)
def test_what_nothing_binds_is_refused_where_it_stands(text, column, said):
    with pytest.raises(pr.TemporalRuleError) as told:
        check_safety(read(text))
    assert said in str(told.value)
    assert (told.value.line, told.value.column, told.value.source_line) == (1, column, text)
