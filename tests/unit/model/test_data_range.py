"""Data ranges as values and as text."""

import pickle

import pytest
from rdflib import XSD, Literal

from pantarhei.model.data_range import (
    ILL_TYPED,
    DataComplementOf,
    DataIntersectionOf,
    DataOneOf,
    Datatype,
    DatatypeRestriction,
    DataUnionOf,
)

INTEGER = Datatype(XSD.integer)
RANGES = {
    "integer": INTEGER,
    'DatatypeRestriction(string length "3")': DatatypeRestriction(
        Datatype(XSD.string), ((XSD.length, Literal("3")),)
    ),
    "DataUnionOf(integer DataComplementOf(integer))": DataUnionOf((INTEGER, DataComplementOf(INTEGER))),
    'DataIntersectionOf(integer DataOneOf("a" "b"))': DataIntersectionOf(
        (INTEGER, DataOneOf((Literal("a"), Literal("b"))))
    ),
    "DatatypeRestriction(integer)": DatatypeRestriction(INTEGER, ()),
    "ill-typed": ILL_TYPED,
}


@pytest.mark.parametrize(("text", "range_"), RANGES.items(), ids=RANGES)
def test_a_range_reads_as_functional_syntax_and_is_equal_to_its_copy(text, range_):
    assert str(range_) == text
    again = pickle.loads(pickle.dumps(range_))
    assert again == range_ and hash(again) == hash(range_)
