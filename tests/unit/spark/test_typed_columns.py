"""Columns of terms as columns of values, without Spark."""

from datetime import UTC, datetime

import pyarrow as pa
import pytest
from rdflib import XSD, BNode, Literal, URIRef

from pantarhei.errors import OptionError
from pantarhei.rdf.ntriples import write_term
from pantarhei.spark.typed_columns import ColumnTypes

TERMS = {
    "name": [URIRef("urn:a"), BNode("b"), None],
    "string": [Literal("x"), None, Literal("x", datatype=XSD.string)],
    "integer": [Literal("07", datatype=XSD.integer, normalize=False), None, Literal(7)],
    "number": [Literal(7), Literal("0.50", datatype=XSD.decimal), Literal(2.5)],
    "boolean": [Literal(True), Literal("0", datatype=XSD.boolean), None],
    "time": [Literal("2026-03-02T08:00:00+01:00", datatype=XSD.dateTime), None, None],
    "n-triples": [Literal("x", lang="en"), URIRef("urn:a"), None],
}
TABLE = pa.table(
    {
        "batch": [0, 0, 1],
        **{
            kind: [None if term is None else write_term(term) for term in terms]
            for kind, terms in TERMS.items()
        },
    }
)


def test_columns_have_values_of_their_types():
    types = ColumnTypes.of({kind: kind for kind in TERMS})
    typed = types.typed(TABLE)
    assert typed.schema == types.schema(TABLE.schema)
    assert typed.to_pydict() == {
        "batch": [0, 0, 1],
        "name": ["urn:a", "_:b", None],
        "string": ["x", None, "x"],
        "integer": [7, None, 7],
        "number": [7.0, 0.5, 2.5],
        "boolean": [True, False, None],
        "time": [datetime(2026, 3, 2, 7, tzinfo=UTC), None, None],
        "n-triples": ['"x"@en', "<urn:a>", None],
    }


def test_a_table_without_rows_has_the_same_types():
    types = ColumnTypes.of({kind: kind for kind in TERMS})
    empty = TABLE.slice(0, 0)
    assert types.typed(empty).schema == types.typed(TABLE).schema


def test_columns_that_are_not_named_stay_as_they_are():
    assert ColumnTypes.of(None).typed(TABLE) is TABLE
    assert ColumnTypes.of({"number": "n-triples"}).typed(TABLE).equals(TABLE)


@pytest.mark.parametrize(
    ("column", "kind", "said"),
    [
        (
            "number",
            "integer",
            r"types\['number'\]=integer, and \"0.50\".* is an answer .*number for such terms",
        ),
        ("name", "string", r"string, and <urn:a> is an answer .*name for such terms, or n-triples for any"),
        ("n-triples", "string", r"string, and \"x\"@en is an answer"),
    ],
)
def test_a_term_of_another_kind_is_refused_by_name(column, kind, said):
    with pytest.raises(OptionError, match=said):
        ColumnTypes.of({column: kind}).typed(TABLE)


@pytest.mark.parametrize(
    ("text", "datatype", "kind"),
    [
        ("9999-12-31T23:59:59-05:00", XSD.dateTime, "time"),
        ("0001-01-01T00:00:00+05:00", XSD.dateTime, "time"),
        ("1" * 400, XSD.decimal, "number"),
        ("9" * 19, XSD.integer, "integer"),
    ],
)
def test_terms_that_the_type_of_the_column_cannot_hold_are_refused_by_name(text, datatype, kind):
    term = write_term(Literal(text, datatype=datatype, normalize=False))
    with pytest.raises(OptionError, match=rf"types\['it'\]={kind}, and \"{text[:9]}.*n-triples for any"):
        ColumnTypes.of({"it": kind}).typed(pa.table({"it": [term]}))


def test_types_that_are_none_and_columns_that_are_not_there_are_refused():
    for given in ({"x": "double"}, {"x": ["integer"]}, ["x"], "x"):
        with pytest.raises(
            OptionError, match=r"types=.*a mapping of columns to name, string, integer, number"
        ):
            ColumnTypes.of(given)
    with pytest.raises(OptionError, match=r"types=levl .*columns of terms: level, at_"):
        ColumnTypes.of({"levl": "number"}).check(["level", "at_"])
