"""What follows from one event by itself, and from which events it does."""

import numpy as np
import pytest
from rdflib import Literal, Namespace

from pantarhei import Window, load_rules
from pantarhei.encoding.numbers import NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.language.time import TimeKind
from pantarhei.rules.compilation.program import compile_
from pantarhei.temporal.selecting import Batch, Selection, selectors
from pantarhei.temporal.ticks import Ticks
from pantarhei.temporal.translation import program_of

EX = Namespace("http://e/")


def selections(text):
    rules = load_rules(text, prefixes={"": str(EX)})
    program = program_of(rules.rules, rules.remembered, Ticks(Window(range=9), TimeKind.INTEGER))
    return [each.selection for each in program.inputs if each.selection]


def selected(text, *rows):
    """The arguments of heads that come with these rows of arguments, by the numbers of a vocabulary."""
    (selection,) = selections(text)
    vocabulary = Vocabulary(compile_([]))
    number_of = {each: vocabulary.number(each) for row in rows for each in row if each is not None}
    given = [[0, *(number_of.get(each, NONE) for each in row)] for row in rows]
    selector = selectors([selection], vocabulary)[selection]
    found, which = selector.rows(Batch(np.array(given, np.int32)), 8)
    assert (found[:, 0] == 8).all() and len(which) == len(found)
    term_of = {number: each for each, number in number_of.items()}
    return [tuple(map(term_of.get, row[1:])) for row in found.tolist()]


def test_heads_have_the_arguments_of_events_that_meet_all_conditions():
    rule = "a(X) :- asserted b(X, N) in [3], N > 1, 5 >= N."
    rows = [(EX.x, Literal(value)) for value in (1, 2, 5, 6)]
    assert selected(rule, *rows, (EX.y, EX.z), (EX.y, Literal("3"))) == [(EX.x, None)] * 2


def test_there_may_be_more_conditions_than_a_byte_has_bits():
    bounds = ", ".join(f"N != {value}" for value in range(20))
    rule = f"a(X, N) :- asserted b(X, N) in [3], {bounds}."
    assert selected(rule, *((EX.x, Literal(value)) for value in range(22))) == [
        (EX.x, Literal(20)),
        (EX.x, Literal(21)),
    ]


def test_a_condition_on_what_is_a_name_never_holds():
    assert selected("a(X) :- asserted b(X) in [3], X != 1.", (EX.x, None)) == []


def test_terms_of_a_rule_are_those_of_the_event_or_of_the_head():
    rows = [(EX.x, EX.i), (EX.y, EX.j), (EX.z, EX.i)]
    assert selected("a(X) :- asserted b(X, i) in [3].", *rows) == [(EX.x, None), (EX.z, None)]
    assert [one for one, _ in selected("a(X, i) :- asserted b(X, Y) in [3].", *rows)] == [EX.x, EX.y, EX.z]


def test_nothing_is_said_of_a_literal():
    rows = [(EX.x, Literal(1)), (EX.x, EX.y)]
    vocabulary, selection = Vocabulary(compile_([])), Selection((2, 1))
    given = [[0, *map(vocabulary.number, row)] for row in rows]
    found, which = selectors([selection], vocabulary)[selection].rows(Batch(np.array(given, np.int32)), 8)
    assert found.tolist() == [[8, given[1][2], given[1][1]]] and which.tolist() == [1]


@pytest.mark.parametrize("test", ["N > M", "M = N + 1, M > 2", "T > 2"])
def test_what_is_compared_with_no_constant_is_left_to_rules(test):
    assert not selections(f"a(X) at T :- asserted b(X, N) at T in [3], M = N + 0, {test}.")
