"""Numbers for tuples of terms, and the rows that say what they are."""

import numpy as np
import pytest
from rdflib import Namespace

from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FACTS, NONE, Symbol, UsedTerms, as_tuples, signed
from pantarhei.rules.compilation.program import compile_
from pantarhei.temporal import tuples as module
from pantarhei.temporal import tuples as room
from pantarhei.temporal.expiry_model import UNTIL_REMOVED, ExpiryModel
from pantarhei.temporal.tuples import (
    FIRST_TUPLE,
    PairNumbers,
    TupleNumbers,
    TupleRows,
    is_tuple,
    renamed_facts,
)
from pantarhei.values.value import value_of

EX = Namespace("http://example.org/")
ASKED, FIRST, REST, P = range(4)


def facts(*rows):
    return np.array(rows, np.int32).reshape(-1, 3)


def test_a_tuple_has_one_number_and_knows_its_terms():
    tuples = TupleNumbers()
    inner = tuples.number(4, 5)
    outer = tuples.number(inner, FIRST_LITERAL)
    assert tuples.number(4, 5) == inner == FIRST_TUPLE and is_tuple(outer)
    assert tuples.terms(outer) == [4, 5, FIRST_LITERAL] and tuples.terms(4) == [4]
    assert tuples.with_inner([7, outer, inner]) == [inner, outer]


def test_the_terms_inside_are_terms_of_facts():
    tuples = TupleNumbers()
    outer = tuples.number(tuples.number(4, 5), 6)
    rows = as_tuples(tuples.without_tuples(facts((P, outer, 7), (P, 8, NONE))))
    assert {term for row in rows for term in row[1:]} == {4, 5, 6, 7, 8, NONE}
    assert tuples.without_tuples(facts((P, 8, NONE))).tolist() == [[P, 8, NONE]]


def test_tuples_keep_their_numbers_when_terms_get_others():
    tuples = TupleNumbers()
    gone, kept = tuples.number(0, 1), tuples.number(tuples.number(2, 3), FIRST_LITERAL + 1)
    used = UsedTerms(0, 4, 2)
    used.add(facts((NONE, 2, 3), (NONE, NONE, FIRST_LITERAL + 1)))
    renaming = used.renaming()
    renamed = tuples.renamed(renaming, [kept])
    assert renamed.terms(kept) == [0, 1, FIRST_LITERAL]
    rows = renamed_facts(renaming, facts((P, kept, 3), (P, 2, NONE)))
    assert as_tuples(rows) == [(P, kept, 1), (P, 0, NONE)]
    assert renamed.number(0, 1) == tuples.number(2, 3) != gone
    assert renamed.number(1, 0) > kept


@pytest.fixture
def model():
    class Given:
        symbols = tuple(Symbol(EX[f"p{number}"], 2) for number in range(4))
        names = literals = ranges = ()
        value_of = staticmethod(value_of)

    return ExpiryModel(compile_((), Given()), None, 0)


def test_what_is_asked_for_is_linked_until_nothing_is_said_of_it(model, monkeypatch):
    monkeypatch.setattr(module, "_FEW", 1)
    tuples = TupleNumbers()
    links = TupleRows(tuples, ASKED, FIRST, REST)
    model.add(facts((ASKED, 4, 5), (ASKED, 6, 7)), UNTIL_REMOVED)
    coming = links.react(signed(facts((ASKED, 4, 5), (ASKED, 6, 7), (ASKED, 8, 9)), 1), model).inserted
    asked, said = tuples.number(4, 5), tuples.number(6, 7)
    rows_of_asked = [(FIRST, asked, 4), (REST, asked, 5)]
    assert as_tuples(coming) == [*rows_of_asked, (FIRST, said, 6), (REST, said, 7)]
    model.add(coming, UNTIL_REMOVED)
    assert not len(links.react(signed(facts((ASKED, 4, 5)), 1), model).inserted)
    model.add(facts((P, said, 1)), UNTIL_REMOVED)
    model.lower(facts((ASKED, 4, 5), (ASKED, 6, 7)), np.array([NONE, NONE]))
    assert as_tuples(links.remove_unused(model)) == rows_of_asked
    assert as_tuples(links.define(facts((P, asked, 1), (P, said, 1)))) == rows_of_asked
    assert not len(links.define(NO_FACTS))


REQUESTED_PAIRS, LEFT, RIGHT = 0, 1, 2


class Asking:
    """A model where some pairs are asked for."""

    def __init__(self, *asked):
        self.asked = asked

    def present(self, rows):
        return np.array([tuple(row[1:]) in self.asked for row in rows.tolist()], bool)


def changed(*pairs, sign=1):
    return np.array([(REQUESTED_PAIRS, *pair, sign) for pair in pairs], np.int32)


def number_of(pairs, left, right, expiry):
    return int(pairs.numbers_at(np.array([left], np.int32), right, expiry)[0])


def links(pairs):
    return {tuple(row): expiry for rows, expiry in pairs.take_links() for row in rows.tolist()}


def test_a_pair_that_rows_use_is_free_when_the_last_of_them_is_gone(monkeypatch):
    monkeypatch.setattr(room, "_FEW", 1)
    pairs, none = PairNumbers(REQUESTED_PAIRS, LEFT, RIGHT), np.empty(0, np.int32)
    numbers = pairs.numbers(np.array([(7, 8), (7, 8)], np.int32))
    number = int(numbers[0])
    told = {(LEFT, number, 7), (RIGHT, number, 8)}
    assert set(map(tuple, pairs.use(numbers, none).tolist())) == told and not links(pairs)
    assert not len(pairs.use(none, numbers[:1]))
    other = int(pairs.numbers(np.array([(1, 2)], np.int32))[0])
    assert {number for _, number, _ in pairs.remove_unused(1).tolist()} == {other}
    pairs.use(none, numbers[1:]), number_of(pairs, 3, 4, 1)
    assert set(map(tuple, pairs.remove_unused(1).tolist())) == told
    assert {number_of(pairs, 5, name, NONE) for name in (6, 7)} >= {number}


def test_a_pair_that_rules_ask_for_is_free_when_none_does_any_more(monkeypatch):
    monkeypatch.setattr(room, "_FEW", 1)
    pairs = PairNumbers(REQUESTED_PAIRS, LEFT, RIGHT)
    number = number_of(pairs, 7, 8, NONE)
    links(pairs)
    coming, _ = pairs.react(changed((7, 8)), Asking((7, 8)))
    assert not links(pairs) and (LEFT, number, 7) in set(map(tuple, coming.tolist()))
    pairs.react(changed((7, 8), sign=-1), Asking())
    assert set(map(tuple, pairs.remove_unused(1).tolist())) == {(LEFT, number, 7), (RIGHT, number, 8)}
    assert number_of(pairs, 5, 6, NONE) == number


def test_what_is_told_of_many_terms_at_one_time_has_a_number_each():
    pairs = PairNumbers(REQUESTED_PAIRS, LEFT, RIGHT)
    numbers = pairs.numbers_at(np.array([5, 6, 5], np.int32), 9, 3)
    assert numbers[0] == numbers[2] != numbers[1] and len(links(pairs)) == 4
    assert pairs.first_terms(numbers).tolist() == [5, 6, 5]


def test_a_pair_has_one_number_and_is_told_what_it_is_as_long_as_something_is_said_of_it():
    pairs = PairNumbers(REQUESTED_PAIRS, LEFT, RIGHT)
    number = number_of(pairs, 7, 8, 5)
    assert number == FIRST_LITERAL - 1 and number_of(pairs, 8, 7, 5) != number
    assert links(pairs)[LEFT, number, 7] == 5
    assert number_of(pairs, 7, 8, 4) == number and links(pairs) == {}
    number_of(pairs, 7, 8, 9)
    assert links(pairs) == {(LEFT, number, 7): 9, (RIGHT, number, 8): 9}


def test_of_a_pair_that_rules_ask_for_something_may_be_said_before_0():
    pairs = PairNumbers(REQUESTED_PAIRS, LEFT, RIGHT)
    pairs.react(changed((7, 8)), Asking((7, 8)))
    number = number_of(pairs, 7, 8, -3)
    assert links(pairs) == {(LEFT, number, 7): -3, (RIGHT, number, 8): -3}


def test_a_pair_that_rules_ask_for_is_told_without_an_end():
    pairs = PairNumbers(REQUESTED_PAIRS, LEFT, RIGHT)
    rows = pairs.react(changed((7, 8)), Asking((7, 8)))
    number = number_of(pairs, 7, 8, 3)
    assert rows.inserted.tolist() == [[LEFT, number, 7], [RIGHT, number, 8]] and not len(rows.deleted)
    assert links(pairs)[RIGHT, number, 8] == 3 < UNTIL_REMOVED  # which raises nothing in the kernel


def test_numbers_become_free_when_nothing_is_said_and_nobody_asks(monkeypatch):
    monkeypatch.setattr(room, "_FEW", 2)
    pairs = PairNumbers(REQUESTED_PAIRS, LEFT, RIGHT)
    over, asked, lasting = number_of(pairs, 1, 2, 3), (3, 4), number_of(pairs, 5, 6, 9)
    pairs.react(changed(asked), Asking(asked))
    gone = pairs.remove_unused(4).tolist()
    assert gone == [[LEFT, over, 1], [RIGHT, over, 2]]
    assert number_of(pairs, 5, 6, NONE) == lasting and number_of(pairs, 8, 9, 20) == over
    pairs.react(changed(asked, sign=-1), Asking())
    number_of(pairs, 10, 11, 20), number_of(pairs, 12, 13, 20)
    assert len(pairs.remove_unused(30)) == 2 * 5
