"""Rows as columns: what is kept, taken, put together."""

import math

import numpy as np
import pytest
from rdflib import XSD, BNode, Literal, URIRef, Variable

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE
from pantarhei.errors import QueryMemoryError, QueryTimeoutError
from pantarhei.query import solutions
from pantarhei.query.solutions import LOCAL, NO_ROWS, UNIT, QueryLimits, SolutionTable, TermSpace

X, Y = Variable("x"), Variable("y")


def table(**columns):
    made = {Variable(name): np.array(ids, np.int64) for name, ids in columns.items()}
    return SolutionTable(made, len(next(iter(columns.values()))))


def listed(rows):
    return {str(v): column.tolist() for v, column in rows.columns.items()}


ROWS = table(x=[1, 2, 3], y=[4, NONE, 6])


def test_a_column_that_is_missing_is_unbound_in_each_row():
    assert ROWS.column(Variable("z")).tolist() == [NONE] * 3
    assert ROWS.column(X) is ROWS.columns[X]


def test_rows_are_taken_by_place_and_kept_by_mask():
    assert listed(ROWS.take(np.array([2, 0, 0]))) == {"x": [3, 1, 1], "y": [6, 4, 4]}
    assert listed(ROWS.filter(np.array([True, False, True]))) == {"x": [1, 3], "y": [4, 6]}


def test_columns_are_chosen_and_replaced():
    assert listed(ROWS.select([Y, Variable("z")])) == {"y": [4, NONE, 6]}
    assert len(ROWS.select([])) == 3
    assert listed(ROWS.with_column(X, np.array([7, 8, 9])))["x"] == [7, 8, 9]
    assert listed(ROWS) == {"x": [1, 2, 3], "y": [4, NONE, 6]}, "the table itself stays"


def test_tables_put_together_have_the_columns_of_all():
    assert listed(SolutionTable.concat([table(x=[1]), table(y=[2])])) == {"x": [1, NONE], "y": [NONE, 2]}
    assert SolutionTable.concat([table(x=[]), ROWS]) is ROWS
    assert SolutionTable.concat([table(x=[]), table(y=[])]).size == 0


def test_one_row_binds_nothing_and_no_rows_are_none():
    assert (len(UNIT), UNIT.nbytes, len(NO_ROWS)) == (1, 0, 0)
    assert ROWS.nbytes == 48


NAME, BLANK = URIRef("urn:a"), BNode("b")
ONE, PADDED = Literal(1), Literal("01", datatype=XSD.integer, normalize=False)
PLAIN, TYPED = Literal("a"), Literal("a", datatype=XSD.string)


@pytest.fixture
def vocabulary():
    """Knows a name, and the value of 1 in its first form."""
    known = {NAME: 5, ONE: FIRST_LITERAL + 3, PADDED: FIRST_LITERAL + 3, TYPED: FIRST_LITERAL + 4}
    known[PLAIN] = known[TYPED]
    first = {5: NAME, FIRST_LITERAL + 3: ONE, FIRST_LITERAL + 4: TYPED}
    return TermSpace(known.get, first.__getitem__)


def values(space, *terms):
    return space.values(space.ids_of(terms)).tolist()


def test_the_numbers_of_the_vocabulary_stand_for_its_terms(vocabulary):
    assert vocabulary.id_of(NAME) == 5
    assert vocabulary.id_of(ONE) == FIRST_LITERAL + 3
    assert vocabulary.term(FIRST_LITERAL + 3) == ONE


def test_another_form_of_a_known_value_has_a_number_of_its_own_and_that_value(vocabulary):
    number = vocabulary.id_of(PADDED)
    assert number >= LOCAL and str(vocabulary.term(number)) == "01"
    assert values(vocabulary, ONE, PADDED) == [FIRST_LITERAL + 3] * 2


def test_forms_of_a_value_that_the_vocabulary_does_not_know_have_one_value():
    space = TermSpace()
    assert space.id_of(ONE) != space.id_of(PADDED)
    one, padded, other = values(space, ONE, PADDED, Literal(2))
    assert one == padded != other
    assert space.find_value(PADDED) == one and space.find_value(Literal(3)) is None


def test_a_string_with_its_datatype_written_is_the_plain_one(vocabulary):
    for space in (vocabulary, TermSpace()):
        assert space.id_of(TYPED) == space.id_of(PLAIN)


def test_a_term_that_is_met_again_keeps_its_number():
    space = TermSpace()
    numbers = [space.id_of(Literal(i)) for i in range(200)]
    assert [space.id_of(Literal(i)) for i in range(200)] == numbers
    assert len(set(numbers)) == 200
    assert space.values(np.array(numbers)).tolist() == numbers


def test_no_term_is_none(vocabulary):
    assert vocabulary.ids_of([None, NAME]).tolist() == [NONE, 5]
    assert vocabulary.terms(np.array([NONE, 5, NONE])) == [None, NAME, None]


def test_a_term_is_made_once_for_all_its_rows():
    made = []
    space = TermSpace(lambda term: None, lambda number: made.append(number) or URIRef(f"urn:{number}"))
    assert len(set(map(id, space.terms(np.array([1, 1, 2, 1]))))) == 2
    assert made == [1, 2]


def test_literals_are_told_from_names(vocabulary):
    ids = vocabulary.ids_of([NAME, ONE, PADDED, BLANK, None])
    assert vocabulary.are_literals(ids).tolist() == [False, True, True, False, False]


@pytest.fixture
def clock(monkeypatch):
    """The time, which is set by hand."""
    now = [100.0]
    monkeypatch.setattr(solutions, "monotonic", lambda: now[0])
    return now


def test_time_ends_with_the_last_of_its_seconds(clock):
    limited = QueryLimits(timeout=2)
    clock[0] = 101.5
    assert limited.left == 0.5
    limited.check()
    clock[0] = 102.0
    for look in (limited.check, lambda: limited.left, lambda: limited.check_room(0, 0)):
        with pytest.raises(QueryTimeoutError) as raised:
            look()
        assert raised.value.timeout == 2


def test_a_table_may_be_as_large_as_the_limit_and_no_larger():
    limited = QueryLimits(max_bytes=80)
    limited.check_room(5, 2)
    with pytest.raises(QueryMemoryError) as raised:
        limited.check_room(6, 2)
    error = raised.value
    assert (error.max_bytes, error.needed, error.rows) == (80, 96, 6)


def test_without_limits_all_may_be_made(clock):
    free = QueryLimits()
    clock[0] = 1e12
    free.check()
    free.check_room(1 << 60, 1 << 20)
    assert free.left == math.inf
