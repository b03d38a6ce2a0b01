"""Warnings of conclusions that may have a literal in first place, where they are to be asserted."""

import pytest

import pantarhei as pr

PREFIXES = {"": "http://example.org/"}


def warnings_of(text, **options):
    return pr.load_rules(f"{text}\n", prefixes=PREFIXES, **options).warnings


@pytest.mark.parametrize(
    ("rule", "named"),
    [
        ("a(Y) :- b(X, Y).", "Y"),
        ("a(M, X) :- b(X, N), M = N + 1.", "M"),
        ("a(3) :- d(X).", "3"),
        ("a(T) :- d(X) at T in [3].", "T"),
    ],
)
def test_a_head_that_may_begin_with_a_literal_has_a_warning(rule, named):
    (warning,) = warnings_of(f"ok(X) :- b(X, Y).\n{rule}", feedback=True)
    assert warning.rule.head.atom.predicate.endswith("a")
    assert str(warning).startswith(f"line 2, column 1: {named} may be a literal in a(")
    assert "not_fed_back" in str(warning)


@pytest.mark.parametrize("rule", ["a(Y) :- b(X, Y), c(Y).", "a(X) :- b(X, 3).", "a(k) :- b(X, Y)."])
def test_a_head_that_begins_with_a_name_has_none(rule):
    assert warnings_of(rule, feedback=True) == ()


def test_nor_has_one_that_is_not_to_be_asserted():
    assert warnings_of("a(Y) :- b(X, Y).") == ()


def test_what_follows_from_a_literal_by_another_rule_is_told_of_too():
    found = warnings_of("a(Y) :- b(X, Y).\nc(Z) :- a(Z).", feedback=True)
    assert [warning.rule.head.atom.predicate[-1] for warning in found] == ["a", "c"]
