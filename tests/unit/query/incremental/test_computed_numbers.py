"""Computed numbers have keys by value, and literals when somebody looks."""

import math
from decimal import Decimal

import pytest
from rdflib import XSD, Literal

from pantarhei.query.expressions import kinds
from pantarhei.query.incremental.computed_numbers import LocalTerms, value_key
from pantarhei.values import canonical
from pantarhei.values.numeric import Numeric
from pantarhei.values.value import value_of


@pytest.mark.parametrize(
    "number",
    [
        Numeric(kinds.INTEGER, -7),
        Numeric(kinds.DECIMAL, Decimal("2.50")),
        Numeric(kinds.DECIMAL, Decimal("2.00")),
        Numeric(kinds.DOUBLE, 0.1),
    ],
)
def test_the_key_is_that_of_the_literal(number):
    assert value_key(number) == value_of(canonical.number(number))


@pytest.mark.parametrize(
    "number",
    [
        Numeric(kinds.DOUBLE, -0.0),
        Numeric(kinds.DOUBLE, math.inf),
        Numeric(kinds.DOUBLE, math.nan),
        Numeric(kinds.FLOAT, 0.5),
        Numeric(kinds.INTEGER, 10**15),
    ],
)
def test_some_are_better_written_at_once(number):
    assert value_key(number) is None


def test_a_literal_is_made_once_when_it_is_looked_at():
    terms = LocalTerms([Literal("a"), Numeric(kinds.FLOAT, 5), 0.5, Decimal("2.50"), 7])
    types = [kinds.FLOAT, kinds.DOUBLE, kinds.DECIMAL, kinds.INTEGER]
    assert list(map(terms.type_at, range(1, 5))) == types
    assert terms[1] == Literal("5.0E0", datatype=XSD.float, normalize=False)
    assert terms[3] == Literal("2.5", datatype=XSD.decimal)
    assert terms[4] == Literal("7", datatype=XSD.integer)
    assert terms[2] == Literal("5.0E-1", datatype=XSD.double, normalize=False)
    assert terms[1] is terms[1]
    assert terms[0] == Literal("a")
    assert list(map(terms.type_at, range(1, 5))) == types


def test_a_plain_number_is_alike_what_is_of_its_datatype():
    terms = LocalTerms([7, Decimal(7), Literal("7.00", datatype=XSD.decimal)])
    assert [terms.is_alike(place, Decimal(7)) for place in range(3)] == [False, True, True]
