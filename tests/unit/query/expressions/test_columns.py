"""Columns of terms, numbers and truth values, and each as another."""

import numpy as np
import pytest
from rdflib import Literal

from expressions import context, shown, term
from pantarhei.encoding.numbers import NONE
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.bulk import Values
from pantarhei.query.expressions.columns import (
    NumberColumn,
    TermColumn,
    TruthColumn,
    column_of,
    have_value,
    spread,
    together,
)

TRUTHS = [
    ("true", 1),
    ('"0"^^xsd:boolean', 0),
    ('"maybe"^^xsd:boolean', 0),
    ("0", 0),
    ("0.0", 0),
    ('"x"^^xsd:integer', 0),
    ('"NaN"^^xsd:double', 0),
    ("-1e0", 1),
    ("1" * 40, 1),
    ('""', 0),
    ('"a"', 1),
    ('""@en', 0),
    ('"a"@en', 1),
    ('"2020-01-01T00:00:00Z"^^xsd:dateTime', -1),
    ('"a"^^<urn:t>', -1),
    ("<urn:a>", -1),
    (None, -1),
]


@pytest.mark.parametrize(("given", "truth"), TRUTHS)
def test_terms_have_the_effective_boolean_value_of_the_standard(given: str | None, truth: int) -> None:
    here = context()
    column = TermColumn(here.terms.ids_of([None if given is None else term(given)]), here)
    assert column.truth.tolist() == [truth]


def test_numbers_become_terms_in_canonical_form_once_each() -> None:
    here = context()
    values = Values(
        np.array(
            [kinds.INTEGER, kinds.DECIMAL, kinds.DOUBLE, kinds.NOTHING, kinds.INTEGER, kinds.DOUBLE], np.int8
        ),
        np.array([2.0, 2.0, 2.0, 0.0, 2.0, -0.0]),
        np.array([0, 1, 0, 0, 0, 0], np.int16),
    )
    column = NumberColumn.of(values, here)
    expected = ['"2"^^xsd:integer', '"2"^^xsd:decimal', '"2.0E0"^^xsd:double', None, '"2"^^xsd:integer']
    assert [shown(each) for each in here.terms.terms(column.ids)] == [*expected, '"-0.0E0"^^xsd:double']
    assert len(here.terms.locals) == 4
    assert [shown(each) for each in column.at(np.arange(5))] == expected
    assert column.truth.tolist() == [1, 1, 1, -1, 1, 0]
    assert have_value(column).tolist() == [True, True, True, False, True, True]
    assert column.taken(np.array([3, 0])).kinds.tolist() == [kinds.NOTHING, kinds.INTEGER]


def test_long_numbers_are_asked_for_exactly() -> None:
    here = context()
    long = Values.of_kind(kinds.LONG_DECIMAL, np.array([0.1, 0.2]))
    column = NumberColumn(long, here, lambda rows: [Literal(f"exactly {row}") for row in rows.tolist()])
    assert [str(each) for each in here.terms.terms(column.ids)] == ["exactly 0", "exactly 1"]
    assert [str(each) for each in column.taken(np.array([1])).at(np.array([0]))] == ["exactly 1"]


def test_truth_values_are_booleans() -> None:
    here = context()
    column = TruthColumn(np.array([1, 0, -1], np.int8), here)
    expected = ['"true"^^xsd:boolean', '"false"^^xsd:boolean', None]
    assert [shown(each) for each in here.terms.terms(column.ids)] == expected
    assert [shown(each) for each in column.at(np.arange(3))] == expected
    assert column.kinds.tolist() == [kinds.BOOLEAN, kinds.BOOLEAN, kinds.NOTHING]
    assert column.taken(np.array([2])).truth.tolist() == [-1]


def test_results_make_the_column_that_fits() -> None:
    here, codes = context(), np.array([1, 0])
    assert isinstance(column_of([True, None], codes, here), TruthColumn)
    assert column_of([True, None], codes, here).truth.tolist() == [-1, 1]
    assert isinstance(column_of([1, 2], codes, here), NumberColumn)
    assert [shown(each) for each in here.terms.terms(column_of([1, None], codes, here).ids)] == [
        None,
        '"1"^^xsd:integer',
    ]
    assert isinstance(column_of([2**60, 1], codes, here), TermColumn)
    assert column_of([None, None], codes, here).ids.tolist() == [NONE, NONE]


def test_branches_are_put_together_by_their_rows() -> None:
    here = context()
    one, other = np.array([True, False, False]), np.array([False, False, True])
    truth = together(
        3,
        [
            (one, TruthColumn(np.array([1], np.int8), here)),
            (other, TruthColumn(np.array([0], np.int8), here)),
        ],
        here,
    )
    assert truth.truth.tolist() == [1, -1, 0]
    numbers = NumberColumn.of_type(kinds.INTEGER, np.array([7.0]), here)
    found = together(3, [(one, numbers), (other, numbers)], here)
    assert isinstance(found, NumberColumn) and found.kinds.tolist() == [kinds.INTEGER, 0, kinds.INTEGER]
    mixed = together(3, [(one, numbers), (other, truth.taken(np.array([2])))], here)
    assert [shown(each) for each in here.terms.terms(mixed.ids)] == [
        '"7"^^xsd:integer',
        None,
        '"false"^^xsd:boolean',
    ]
    assert together(2, [], here).ids.tolist() == [NONE, NONE]


def test_one_value_stands_for_all_rows() -> None:
    assert spread(np.array([7]), 3).tolist() == [7, 7, 7]
    assert spread(np.array([7]), 0).tolist() == []
