"""What the integers of the engine are."""

import numpy as np
from rdflib import Literal

from pantarhei.encoding.numbers import (
    FIRST_LITERAL,
    NO_FACTS,
    NONE,
    Symbol,
    as_tuples,
    by_predicate,
    each_once,
    keys_of,
    net_changes,
    signed,
)
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.rules.compilation.program import compile_
from strategies import A, R, V, a, b, member


def test_a_class_has_no_object_and_a_literal_is_told_from_a_name_by_its_number():
    vocabulary = Vocabulary(compile_([]))
    rows = vocabulary.encode([member(A, a), (a, R, b), (a, V, Literal(1))]).facts
    assert (rows[:, 2] == NONE).tolist() == [True, False, False]
    assert (rows[:, 2] >= FIRST_LITERAL).tolist() == [False, False, True]
    assert rows.dtype == NO_FACTS.dtype and rows.shape[1] == NO_FACTS.shape[1]


def test_facts_as_tuples_are_equal_where_their_rows_are_and_can_be_keys():
    rows = np.array([(0, 1, NONE), (0, 1, 2), (0, 1, NONE)], np.int32)
    assert as_tuples(rows) == [(0, 1, -1), (0, 1, 2), (0, 1, -1)]
    assert len(set(as_tuples(rows))) == 2 and as_tuples(NO_FACTS) == []
    assert all(type(number) is int for fact in as_tuples(rows) for number in fact)


def test_a_class_and_a_property_of_one_name_are_two_symbols():
    vocabulary = Vocabulary(compile_([]))
    one, other = vocabulary.encode([member(A, a), (a, A, b)]).facts[:, 0].tolist()
    assert one != other
    assert [vocabulary.symbols[number] for number in (one, other)] == [Symbol(A, 1), Symbol(A, 2)]


def test_each_fact_stands_once_where_it_stood_first():
    rows = np.array([(3, 1, NONE), (1, 1, 2), (3, 1, NONE), (2, 0, 0), (1, 1, 2)], np.int32)
    assert as_tuples(each_once(rows)) == [(3, 1, NONE), (1, 1, 2), (2, 0, 0)]
    assert len(each_once(rows[1:4])) == 3 and len(each_once(rows[:1])) == 1 and not len(each_once(NO_FACTS))


def test_facts_whose_keys_are_the_same_are_told_apart():
    rows = np.array([(0, 0, 1), (1 << 8, 0, 0), (0, 0, 1)], np.int32)
    assert len(set(keys_of(rows).tolist())) == 1
    assert as_tuples(each_once(rows)) == [(0, 0, 1), (1 << 8, 0, 0)]


def test_what_came_and_went_adds_up():
    rows = np.array([(3, 1, NONE), (1, 1, 2)], np.int32)
    noted = np.concatenate([signed(rows, 1), signed(rows[:1], -1)])
    assert net_changes(noted).tolist() == [[1, 1, 2, 1]]


def test_facts_are_parted_by_their_predicates_in_their_order():
    given = np.array([(7, 3, NONE), (7, 1, NONE), (5, 2, NONE), (7, 2, NONE)], np.int32)
    parts = {predicate: part[:, 1].tolist() for predicate, part in by_predicate(given)}
    assert parts == {7: [3, 1, 2], 5: [2]}
    assert [predicate for predicate, _ in by_predicate(given[:2])] == [7]
    assert not list(by_predicate(NO_FACTS))
