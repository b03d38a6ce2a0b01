"""What only an equation says is said in the form that says it."""

import pytest

import pantarhei as pr


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("q(X) :- p(Y), X = Y.", "q(Y) :- p(Y)."),
        ("q(X) :- p(Y), Y = X.", "q(Y) :- p(Y)."),
        ("q(X) :- p, X = bob.", "q(bob) :- p."),
        ("q(X, Y) :- p, X = 5, Y = X.", "q(5, 5) :- p."),
        ("q(X, Y) :- p, Y = X, X = 5.", "q(5, 5) :- p."),
        ("q(X) at T :- p, T = 3, X = T, not r(X) at T.", "q(3) at 3 :- p, not r(3) at 3."),
        ("q(X) :- p(X) at T, T = 7.", "q(X) :- p(X) at 7."),
        ("q(X) :- p(X, Y), X = Y.", "q(X) :- p(X, Y), X = Y."),
        ("q(X) :- p(X), X = 5.", "q(X) :- p(X), X = 5."),
        ("q(X) at T :- p(X) at T - 1 in [5].", "q(X) at T :- p(X) at _1 in [5], T = _1 + 1."),
        ("q(X) at T :- p(X) at T + 1 in [5].", "q(X) at T :- p(X) at _1 in [5], T = _1 - 1."),
        ("q(X) at T :- p(X) at 9 - T in [5].", "q(X) at T :- p(X) at _1 in [5], T = 9 - _1."),
        ("q(X) at T :- p(X) at 9 + T in [5].", "q(X) at T :- p(X) at _1 in [5], T = _1 - 9."),
        (
            "q at T :- p at T - 1 in [5], r at T - 2 in [5].",
            "q at T :- p at _1 in [5], r at _2 in [5], T = _1 + 1, _2 = T - 2.",
        ),
        ("q(X) :- p(Y), Y = X + 1, r(X).", "q(X) :- p(Y), r(X), Y = X + 1."),
        ("q(Z) :- p(X), Z = X + 1.", "q(Z) :- p(X), Z = X + 1."),
        ("q(Z) :- Y = Z + X, p(X), Y = X * 2.", "q(Z) :- p(X), Z = Y - X, Y = X * 2."),
        ("q(X) :- p(Y), Y = X * 2, r(X).", "q(X) :- p(Y), r(X), Y = X * 2."),
    ],
)
def test_an_equation_is_turned_where_nothing_else_says_it(text, reading):
    (rule,) = pr.load_rules(text, prefixes={"": "http://example.org/"}).rules
    assert str(rule) == reading


@pytest.mark.parametrize(
    "text",
    ["q(X) :- p, X = X.", "q(X) :- p(Y), Y = X + X.", "q(X) :- p(Y), Y = X * 2.", "q(X, Y) :- p, X = Y."],
)
def test_what_no_equation_says_stays_unsafe(text):
    with pytest.raises(pr.TemporalRuleError, match="nothing binds it"):
        pr.load_rules(text, prefixes={"": "http://example.org/"})


def test_long_chains_of_computations_cost_linear_time():
    chain = ", ".join(f"X{n} = X{n + 1} + 1" for n in range(5000))
    rules = pr.load_rules(f"q(X0) :- {chain}, p(X5000).", prefixes={"": "http://example.org/"})
    assert len(rules.rules[0].tests) == 5000
