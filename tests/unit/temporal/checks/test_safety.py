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
        ("a(X).", 3, "X is in the head, and nothing binds it; expected an atom of the body that has it"),
        ("a(X) :- b(Y).", 3, "X is in the head"),
        ("a at T :- b.", 6, "T is in the head"),
        ("a :- b, not c(X).", 15, "X is in not c(X)"),
        ("a :- b, not c at T.", 18, "T is in not c at T"),
        ("a :- b, X < 5.", 9, "X is in X < 5"),
        ("a(X, Y) :- b(X).", 6, "Y is in the head"),
        ("a(X) :- b, X = Y.", 3, "X is in the head"),
        ("a(X) :- b, not c(X), X != 5.", 3, "X is in the head"),
        ("a :- b(X), X = Y * 2.", 16, "Y is in X = Y * 2"),
        ("a(X) :- X = Y + 1, Y = X - 1.", 3, "X is in the head"),
        ("a at T :- b at T+1.", 11, "nothing bounds the time _1"),
        ("a(?x) :- b.", 3, "?x is in the head"),
        (
            "a :- b at T.",
            11,
            "nothing bounds the time T of b at T; expected a window, as in b at T in [10]",
        ),
        ("a(T) :- b(T) at T.", 11, "nothing bounds the time T"),
        ("a :- b at T, c at T.", 11, "nothing bounds the time T of b at T"),
        ("a :- b(X) at T, T = X + 1.", 14, "nothing bounds the time T of b(X) at T"),
        ("a :- b at T, not c(T).", 11, "nothing bounds the time T"),
    ],
)
def test_what_nothing_binds_is_refused_where_it_stands(text, column, said):
    with pytest.raises(pr.TemporalRuleError) as told:
        check_safety(read(text))
    assert said in str(told.value)
    assert (told.value.line, told.value.column, told.value.source_line) == (1, column, text)


@pytest.mark.parametrize(
    ("denied", "instead"),
    [
        ("c(X, Y) in [3]", "a rule some(X) :- c(X, Y) in [3]., and not some(X)"),
        ("c(Z, Y)", "a rule some :- c(Z, Y)., and not some"),
    ],
)
def test_where_none_at_all_may_be_meant_it_is_said_how(denied, instead):
    with pytest.raises(pr.TemporalRuleError) as told:
        check_safety(read(f"a(X) :- b(X), not {denied}."))
    assert told.value.expected.endswith(f"; for none at all {instead}")


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a(X) :-\n b(X),\n  Y < 5.", 3, 3),
        ("a(X) :-\n b(X),\n 3 < 5 + Y.", 3, 10),
        ("a(X) :-\n b(X),\n Z = X * Y - 1.", 3, 10),
        ("a(X) :-\n b(X),\n COMP(<,X,Y).", 3, 11),
        ("a(X) :-\n b(X),\n not\n c(Y).", 4, 4),
        ("a(X,\n  % Y, as it is called here\n  Y) :- b(X).", 3, 3),
        ("a(X) at\n  T :- b(X).", 2, 3),
        ("% Y\n\na(X,\n  Y) :-\n  b(X).", 4, 3),
        ("a(X) :- b(X),\n not c(X,\n   ?Y)\n in [3].", 3, 4),
    ],
)
def test_a_condition_is_refused_on_its_own_line(text, line, column):
    with pytest.raises(pr.TemporalRuleError, match="nothing binds it") as told:
        check_safety(read(text))
    assert (told.value.line, told.value.column) == (line, column)
