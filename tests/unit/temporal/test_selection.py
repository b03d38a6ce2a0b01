"""What follows from one event by itself, and from which events it does."""

from types import SimpleNamespace

import numpy as np
import pytest
from rdflib import Literal, Namespace

from pantarhei import Window, load_rules
from pantarhei.encoding.numbers import NO_FACTS, NONE, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.time import TimeKind
from pantarhei.rules.compilation.program import compile_
from pantarhei.temporal.selection import (
    ALL_ARGUMENTS,
    FIRST_ARGUMENT,
    NumberedSelections,
    RowMapper,
    RowMapping,
    Selection,
    SupportCounts,
)
from pantarhei.temporal.ticks import Ticks
from pantarhei.temporal.translation import compile_rules

EX = Namespace("http://e/")


def selections(text):
    rules = load_rules(text, prefixes={"": str(EX)})
    program = compile_rules(rules.rules, rules.remembered, Ticks(Window(range=9), TimeKind.INTEGER))
    return [each.selection for each in program.inputs if each.selection]


def followed(selection, vocabulary, facts):
    """The rows of predicate 8 that follow from facts of predicate 0, and the places of these."""
    selectors = NumberedSelections([None, selection], vocabulary)
    following = RowMapper(selectors, [RowMapping(0, 8, "all", selectors.of(selection))])
    assert following.sources == {0} and selectors.of(None) is None
    parts = following.rows_from(np.array(facts, np.int32))
    assert all(part.kind == "all" for part in parts) and len(parts) <= 1
    return parts[0][1:] if parts else (NO_FACTS, np.empty(0, np.int32))


def selected(text, *rows):
    """The arguments of heads that come with these rows of arguments, by the numbers of a vocabulary."""
    (selection,) = selections(text)
    vocabulary = Vocabulary(compile_([]))
    number_of = {each: vocabulary.number(each) for row in rows for each in row if each is not None}
    given = [[0, *(number_of.get(each, NONE) for each in row)] for row in rows]
    found, which = followed(selection, vocabulary, given)
    assert (found[:, 0] == 8).all() and len(which) == len(found)
    term_of = {number: each for each, number in number_of.items()}
    return [tuple(map(term_of.get, row[1:])) for row in found.tolist()]


def test_heads_have_the_arguments_of_events_that_meet_all_conditions():
    rule = "a(X) :- asserted b(X, N) in [3], N > 1, 5 >= N."
    rows = [(EX.x, Literal(value)) for value in (1, 2, 5, 6)]
    assert selected(rule, *rows, (EX.y, EX.z), (EX.y, Literal("3"))) == [(EX.x, None)] * 2


def test_there_may_be_more_conditions_than_a_byte_has_bits():
    bounds = ", ".join(f"N > {value}" for value in range(20))
    rule = f"a(X, N) :- asserted b(X, N) in [3], {bounds}."
    assert selected(rule, *((EX.x, Literal(value)) for value in range(22))) == [
        (EX.x, Literal(20)),
        (EX.x, Literal(21)),
    ]


def test_a_condition_on_what_is_a_name_never_holds():
    assert selected("a(X) :- asserted b(X) in [3], X >= 1.", (EX.x, None)) == []


def test_terms_of_a_rule_are_those_of_the_event_or_of_the_head():
    rows = [(EX.x, EX.i), (EX.y, EX.j), (EX.z, EX.i)]
    assert selected("a(X) :- asserted b(X, i) in [3].", *rows) == [(EX.x, None), (EX.z, None)]
    assert [one for one, _ in selected("a(X, i) :- asserted b(X, Y) in [3].", *rows)] == [EX.x, EX.y, EX.z]


def test_nothing_is_said_of_a_literal():
    rows = [(EX.x, Literal(1)), (EX.x, EX.y)]
    vocabulary, selection = Vocabulary(compile_([])), Selection((2, 1))
    given = [[0, *map(vocabulary.number, row)] for row in rows]
    found, which = followed(selection, vocabulary, given)
    assert found.tolist() == [[8, given[1][2], given[1][1]]] and which.tolist() == [1]


@pytest.mark.parametrize("test", ["N > M", "M = N + 1, M > 2", "T > 2"])
def test_what_is_compared_with_no_constant_is_left_to_rules(test):
    assert not selections(f"a(X) at T :- asserted b(X, N) at T in [3], M = N + 0, {test}.")


# -- what follows ----------------------------------------------------------------------------------


def rows(*predicates):
    return np.array([(each, at, NONE) for at, each in enumerate(predicates)], np.int32).reshape(-1, 3)


def all_of(*followed):
    return RowMapper(
        NumberedSelections([], Vocabulary(compile_([]))), [RowMapping(*each) for each in followed]
    )


def found(following, facts, time=NONE):
    return [
        (kind, [tuple(row) for row in part.tolist()], places.tolist())
        for kind, part, places in following.rows_from(facts, time)
    ]


def test_rows_of_a_kind_are_together_with_the_places_of_their_facts():
    following = all_of((2, 20, "short"), (2, 21, "long"), (4, 40, "short"))
    assert found(following, rows(4, 2, 2)) == [
        ("short", [(40, 0, NONE), (20, 1, NONE), (20, 2, NONE)], [0, 1, 2]),
        ("long", [(21, 1, NONE), (21, 2, NONE)], [1, 2]),
    ]


def test_from_facts_of_other_predicates_nothing_follows():
    following = all_of((2, 20, "a"))
    assert found(following, rows(1, 2, 3, 1_000_000)) == [("a", [(20, 1, NONE)], [1])]
    assert found(following, rows(1, 3)) == found(following, NO_FACTS) == found(all_of(), rows(1)) == []


def test_a_time_follows_the_first_argument():
    following = all_of((2, 20, "dated", FIRST_ARGUMENT), (2, 21, "not", ALL_ARGUMENTS))
    assert found(following, rows(2), time=77) == [
        ("dated", [(20, 0, 77)], [0]),
        ("not", [(21, 0, NONE)], [0]),
    ]


def fact_rows(*names):
    return np.array([(7, name, -1) for name in names], np.int32).reshape(-1, 3)


def names(parts):
    return [name for part in parts for _, name, _ in as_tuples(part)]


SHARED = SimpleNamespace(targets=[7], is_one_to_one=False)
OWN = SimpleNamespace(targets=[7], is_one_to_one=True)


@pytest.mark.parametrize("followings", [(SHARED,), (OWN, OWN)])
def test_a_row_goes_with_the_last_fact_that_supports_it(followings):
    supports = SupportCounts(*followings)
    supports.add(fact_rows(1, 1, 2))  # nobody counts yet
    assert names(supports.unsupported([fact_rows(1, 2)], lambda: [fact_rows(1), fact_rows(3)])) == [2]
    supports.add(fact_rows(1))
    assert names(supports.unsupported([fact_rows(1)], lambda: 1 / 0)) == []
    assert names(supports.unsupported([fact_rows(1), fact_rows(3)], lambda: 1 / 0)) == [
        1,
        3,
    ]
    supports.reset()
    assert names(supports.unsupported([fact_rows(1)], lambda: [fact_rows(1)])) == []


def test_where_each_fact_has_rows_of_its_own_nothing_is_counted():
    assert names(SupportCounts(OWN).unsupported([fact_rows(1, 2)], lambda: 1 / 0)) == [1, 2]
