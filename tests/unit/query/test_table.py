"""Rows as columns: what is kept, taken, put together."""

import numpy as np
from rdflib import Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.query.table import NO_ROWS, UNIT, Table

X, Y = Variable("x"), Variable("y")


def table(**columns):
    made = {Variable(name): np.array(ids, np.int64) for name, ids in columns.items()}
    return Table(made, len(next(iter(columns.values()))))


def listed(rows):
    return {str(v): column.tolist() for v, column in rows.columns.items()}


ROWS = table(x=[1, 2, 3], y=[4, NONE, 6])


def test_a_column_that_is_missing_is_unbound_in_each_row():
    assert ROWS.column(Variable("z")).tolist() == [NONE] * 3
    assert ROWS.column(X) is ROWS.columns[X]


def test_rows_are_taken_by_place_and_kept_by_mask():
    assert listed(ROWS.taken(np.array([2, 0, 0]))) == {"x": [3, 1, 1], "y": [6, 4, 4]}
    assert listed(ROWS.kept(np.array([True, False, True]))) == {"x": [1, 3], "y": [4, 6]}


def test_columns_are_chosen_and_replaced():
    assert listed(ROWS.only([Y, Variable("z")])) == {"y": [4, NONE, 6]}
    assert len(ROWS.only([])) == 3
    assert listed(ROWS.with_column(X, np.array([7, 8, 9])))["x"] == [7, 8, 9]
    assert listed(ROWS) == {"x": [1, 2, 3], "y": [4, NONE, 6]}, "the table itself stays"


def test_tables_put_together_have_the_columns_of_all():
    assert listed(Table.together([table(x=[1]), table(y=[2])])) == {"x": [1, NONE], "y": [NONE, 2]}
    assert Table.together([table(x=[]), ROWS]) is ROWS
    assert Table.together([table(x=[]), table(y=[])]).size == 0


def test_one_row_binds_nothing_and_no_rows_are_none():
    assert (len(UNIT), UNIT.nbytes, len(NO_ROWS)) == (1, 0, 0)
    assert ROWS.nbytes == 48
