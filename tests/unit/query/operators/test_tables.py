"""Joins by value, rows told apart by what they show: against the definitions, row by row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import XSD, Literal, URIRef, Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.errors import QueryMemoryError
from pantarhei.query.operators.tables import codes, compatible, firsts, join, marked_rows, split_by_unbound
from pantarhei.query.query_limits import Guard
from pantarhei.query.solutions import Table, TermSpace

ANY = Guard()
NAMES = TermSpace()
NUMBERS = NAMES.ids_of([URIRef(f"urn:{i}") for i in range(4)]).tolist()
X, Y, Z = map(Variable, "xyz")

cells = st.sampled_from([NONE, *NUMBERS[:3]])


def tables(*variables):
    row = st.tuples(*(cells for _ in variables))
    return st.lists(row, max_size=6).map(lambda rows: table(variables, rows))


def table(variables, rows):
    columns = list(zip(*rows, strict=True)) or [()] * len(variables)
    return Table({v: np.array(c, np.int64) for v, c in zip(variables, columns, strict=True)}, len(rows))


def solutions(made):
    """The rows as mappings of what is bound."""
    columns = {v: column.tolist() for v, column in made.columns.items()}
    return [{v: c[i] for v, c in columns.items() if c[i] != NONE} for i in range(made.size)]


def agree(one, other):
    return all(other.get(v, value) == value for v, value in one.items())


def bag(rows):
    return sorted(tuple(sorted(row.items())) for row in rows)


@given(tables(X, Y), tables(Y, Z))
def test_a_join_has_the_unions_of_compatible_rows(left, right):
    expected = [a | b for a in solutions(left) for b in solutions(right) if agree(a, b)]
    assert bag(solutions(join(left, right, NAMES, ANY))) == bag(expected)


@given(tables(X, Y), tables(X, Y))
def test_rows_overlap_where_both_bind_a_variable(left, right):
    rows, places = compatible(left, right, NAMES, ANY, overlap=True)
    mine, other = solutions(left), solutions(right)
    expected = [
        (i, j) for i, a in enumerate(mine) for j, b in enumerate(other) if agree(a, b) and a.keys() & b.keys()
    ]
    assert sorted(zip(rows.tolist(), places.tolist(), strict=True)) == expected


def test_joins_go_by_value_and_show_the_form_of_the_left():
    terms = TermSpace()
    one, padded = terms.ids_of([Literal(1), Literal("01", datatype=XSD.integer, normalize=False)]).tolist()
    joined = join(table((X,), [(padded,)]), table((X, Y), [(one, one)]), terms, ANY)
    assert [terms.terms(joined.columns[v]) for v in (X, Y)] == [[terms.term(padded)], [terms.term(one)]]


def test_a_join_that_is_too_large_is_refused_before_it_is_made():
    many = table((X,), [(NUMBERS[0],)] * 1000)
    other = Table({Y: many.columns[X]}, many.size)
    for right in (many, other):
        with pytest.raises(QueryMemoryError) as raised:
            join(many, right, NAMES, Guard(max_bytes=1 << 20))
        assert raised.value.rows == 1_000_000


@given(st.lists(st.tuples(cells, cells), max_size=8))
def test_equal_rows_have_one_code_and_are_counted(rows):
    columns = [np.array(c, np.int64) for c in (zip(*rows, strict=True) if rows else ((), ()))]
    found, count = codes(columns, len(rows))
    assert count == len(set(rows)) == len(set(found.tolist()))
    assert [found[rows.index(row)] for row in rows] == found.tolist()
    first = firsts(columns, len(rows))
    assert first.tolist() == [i for i, row in enumerate(rows) if rows.index(row) == i]
    assert firsts(columns[:1], len(rows)).tolist() == firsts([columns[0]] * 2, len(rows)).tolist()


def test_rows_without_columns_are_all_equal():
    assert firsts([], 3).tolist() == [0] and firsts([], 0).tolist() == []
    found, count = codes([], 3)
    assert (found.tolist(), count) == ([0, 0, 0], 1)


def test_codes_of_many_wide_columns_stay_within_a_number():
    wide = [np.arange(100_000)] * 6
    found, count = codes(wide, 100_000)
    assert count == 100_000 and found.tolist() == list(range(100_000))


@given(tables(X, Y, Z))
def test_rows_are_split_into_parts_that_bind_the_same(rows):
    parts = split_by_unbound(rows, [X, Y])
    assert bag(row for part in parts for row in solutions(part)) == bag(solutions(rows))
    for part in parts:
        assert all((part.columns[v] != NONE).all() for v in (X, Y) if v in part.columns)


def test_marked_rows_are_a_mask():
    assert marked_rows(np.array([2, 0, 2]), 4).tolist() == [True, False, True, False]
