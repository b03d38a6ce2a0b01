"""Warnings of windows over what nobody remembers."""

import pytest

import pantarhei as pr

PREFIXES = {"": "http://example.org/"}


@pytest.mark.parametrize("condition", ["b in [3]", "b always in [1 sec]", "b at T in [3]", "not b in [PT1M]"])
def test_a_window_over_conclusions_of_earlier_ticks_has_a_warning(condition):
    rules = pr.load_rules(f"b :- c.\na :- {condition}.", prefixes=PREFIXES)
    (warning,) = rules.warnings
    assert warning.predicate.endswith("b")
    assert str(warning).startswith(
        f"line 2, column 6: {warning.formula} looks back at conclusions of earlier"
    )
    assert "write: remember b." in str(warning)


@pytest.mark.parametrize(
    "text",
    [
        "b :- c. a :- b in [3]. remember b.",
        "b :- c. a :- b in [0].",
        "b :- c. a :- b in [0 sec].",
        "b :- c. a :- b.",
        "b :- c. a :- b at 3.",
        "b :- c. a :- asserted b in [3].",
        "b at T :- c at T in [9]. a :- b in [3].",
        "a :- b in [3].",
    ],
)
def test_what_looks_at_the_present_or_is_remembered_has_none(text):
    assert pr.load_rules(f"{text}\n", prefixes=PREFIXES).warnings == ()
