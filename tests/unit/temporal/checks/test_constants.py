"""Warnings of names that stand where variables are meant."""

import pytest

import pantarhei as pr

PREFIXES = {"": "http://example.org/"}


def warnings_of(text):
    return pr.load_rules(f"{text}\n", prefixes=PREFIXES).warnings


@pytest.mark.parametrize("text", ["alarm(v) :- hot(v) in [5].", "alarm(:V) :- hot(:V), not served(:V)."])
def test_a_rule_about_one_name_alone_has_a_warning(text):
    (warning,) = warnings_of(f"ok(X) :- hot(X).\n{text}")
    name = str(warning.name).rpartition("/")[2]
    assert str(warning).startswith("line 2, column 1: alarm(")
    assert f"is about {name} alone, and has no variable" in str(warning)
    assert str(warning).endswith(f"or with a question mark: ?{name}")


@pytest.mark.parametrize(
    "text",
    [
        "alarm(X) :- hot(X), near(X, k).",
        "on :- hot(k).",
        "alarm(k) :- hot(j).",
        "alarm(k).",
        "on(3) :- b(3).",
    ],
)
def test_other_rules_have_none(text):
    assert warnings_of(text) == ()
