from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from rdflib import XSD

from pantarhei import MappingError
from pantarhei.io.mapping.cell_columns import (
    check_column_type,
    column_values,
    is_readable,
    joined,
    shown_cell,
)
from pantarhei.io.mapping.record_mapping import TextTemplate

NOTHING = frozenset()


@pytest.mark.parametrize(
    ("values", "texts", "datatype"),
    [
        (pa.array([1, -2], pa.int8()), ["1", "-2"], XSD.integer),
        (pa.array([2**64 - 1], pa.uint64()), ["18446744073709551615"], XSD.integer),
        (pa.array([0.1, float("nan"), float("-inf")]), ["0.1", "NaN", "-INF"], XSD.double),
        (pa.array([0.1], pa.float32()), ["0.1"], XSD.double),
        (pa.array([Decimal("0.50"), Decimal("0.0000001")], pa.decimal128(20, 7)), None, XSD.decimal),
        (pa.array([True, False]), ["true", "false"], XSD.boolean),
        (pa.array([date(2026, 3, 2)]), ["2026-03-02"], XSD.date),
        (pa.array([datetime(2026, 3, 2, 7, tzinfo=UTC)]), ["2026-03-02T07:00:00.000000Z"], XSD.dateTime),
        (pa.array(["a", "b"], pa.large_string()), ["a", "b"], None),
        (pa.array(["a", "b"], pa.string_view()), ["a", "b"], None),
        (pa.array(["a", "b", "a"]).dictionary_encode(), ["a", "b", "a"], None),
        (
            pa.DictionaryArray.from_arrays([1, None, 1], pa.array(["a", "b"], pa.string_view())),
            ["b", None, "b"],
            None,
        ),
    ],
    ids=lambda value: str(getattr(value, "type", "")),
)
def test_values_are_the_texts_that_xml_schema_has_for_them(values, texts, datatype):
    cells = column_values(values, NOTHING)
    texts = texts or ["0.5000000", "0.0000001"]
    assert cells.dense().to_pylist() == texts
    assert cells.datatype == datatype


def test_a_null_and_a_text_that_stands_for_one_are_no_value():
    cells = column_values(pa.array(["a", None, "n/a", "", "a"]), frozenset({"", "n/a"}))
    assert cells.codes.tolist() == [0, -1, -1, -1, 0]
    assert column_values(pa.nulls(2), NOTHING).codes.tolist() == [-1, -1]


def test_a_text_made_of_columns_is_none_where_one_has_no_value():
    columns = {
        "a": column_values(pa.array(["1", None]), NOTHING),
        "b": column_values(pa.array([7, 8]), NOTHING),
    }
    template = TextTemplate(("", "/", ""), ("a", "b"))
    assert joined(template, columns).dense().to_pylist() == ["1/7", None]


def test_columns_of_lists_and_of_bytes_cannot_be_read():
    for kind in (pa.list_(pa.int32()), pa.struct([("a", pa.int32())]), pa.binary(), pa.duration("s")):
        assert not is_readable(kind)
        with pytest.raises(MappingError, match="column x of t is of type"):
            check_column_type("x", kind, "t", "m.yaml", 3)
    check_column_type("x", pa.dictionary(pa.int32(), pa.string()), "t", "m.yaml", 3)


def test_cells_are_shown_where_python_has_no_such_value():
    late = pa.array([None, 0, 2**62], pa.timestamp("us", "UTC"))
    for cells in (late, late.dictionary_encode()):
        assert shown_cell(cells, 0) is None
        assert shown_cell(cells, 1) == datetime(1970, 1, 1, tzinfo=UTC)
        assert str(shown_cell(cells, 2)).startswith("148108-07-06T14:00:27")
    assert isinstance(shown_cell(pa.array([10**7], pa.date32()), 0), str)
