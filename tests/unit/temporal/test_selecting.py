"""Which rules' heads come with an event, and which events they come from."""

import numpy as np
import pytest
from rdflib import Literal, Namespace

from pantarhei import load_rules
from pantarhei.encoding.numbers import NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.rules.compilation.program import compile_
from pantarhei.temporal.selecting import selection_of, selectors

EX = Namespace("http://e/")


def selections(text):
    return [selection_of(rule) for rule in load_rules(text, prefixes={"": str(EX)}).rules]


def selected(text, *rows):
    """The arguments of heads that come with these rows of arguments, by the numbers of a vocabulary."""
    (selection,) = selections(text)
    vocabulary = Vocabulary(compile_([]))
    number_of = {each: vocabulary.number(each) for row in rows for each in row if each is not None}
    given = [[0, *(number_of.get(each, NONE) for each in row)] for row in rows]
    found = selectors([selection], vocabulary)[selection].selected(np.array(given, np.int32))
    term_of = {number: each for each, number in number_of.items()}
    return [tuple(map(term_of.get, row[1:])) for row in found.tolist()]


@pytest.mark.parametrize(
    "rule",
    [
        "a(X) at T :- asserted b(X) at T in [3], c(X).",  # two formulas
        "a(X) at T :- b(X) at T in [3].",  # a state
        "a(X) :- asserted b(X) at T in [3].",  # a head at no tick
        "a(X) at 5 :- asserted b(X) at 5 in [9].",
        "a(X) at T :- asserted b(X) at T in [3 #].",
        "a(X, T) at T :- asserted b(X) at T in [3].",  # the tick as an argument
        "a(X) at T :- asserted b(X, T) at T in [3].",
        "a(Y) at T :- asserted b(X, Y) at T in [3].",  # what may be a literal in first place
        "a(X) at T :- asserted b(X, X) at T in [3].",
        "a(X) at T :- asserted b(X, i) at T in [3].",
        "a(i) at T :- asserted b(X) at T in [3].",
        "a(X) at T :- asserted b(X, N) at T in [3], N > T.",
        "a(X) at T :- asserted b(X, N) at T in [3], T > 2.",
        "a(X) at T :- asserted b(X, N) at T in [3], M = N + 1, M > 2.",
    ],
)
def test_a_rule_that_looks_at_more_than_an_event_at_its_tick_stays_a_rule(rule):
    assert selections(rule) == [None]


def test_heads_have_the_first_arguments_of_events_that_meet_all_conditions():
    rule = "a(X) at T :- asserted b(X, N) at T in [3], N > 1, 5 >= N."
    rows = [(EX.x, Literal(value)) for value in (1, 2, 5, 6)]
    assert selected(rule, *rows, (EX.y, EX.z), (EX.y, Literal("3"))) == [(EX.x, None)] * 2


def test_there_may_be_more_conditions_than_a_byte_has_bits():
    bounds = ", ".join(f"N != {value}" for value in range(20))
    rule = f"a(X, N) at T :- asserted b(X, N) at T in [3], {bounds}."
    assert selected(rule, *((EX.x, Literal(value)) for value in range(22))) == [
        (EX.x, Literal(20)),
        (EX.x, Literal(21)),
    ]


def test_a_condition_on_what_is_a_name_never_holds():
    assert selected("a(X) at T :- asserted b(X) at T in [3], X != 1.", (EX.x, None)) == []
