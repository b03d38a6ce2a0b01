import io

import pyarrow as pa
import pytest
from pyarrow import parquet

from pantarhei import MalformedInputError, OptionError
from pantarhei.io.tables import arrow_table as module
from pantarhei.io.tables.arrow_table import arrow_table, parquet_table, speaks_arrow

TABLE = pa.table({"a": [1, 2, 3], "b": [{"c": 4, "d.e": {"f": 5}}, None, {"c": 6}]})


def read(table, *columns):
    return [
        ({name: array.to_pylist() for name, array in block.columns.items()}, list(block.places()))
        for block in table.blocks(columns)
    ]


def in_parquet():
    file = io.BytesIO()
    parquet.write_table(TABLE, file)
    return parquet_table("t.parquet", pa.BufferReader(file.getvalue()))


@pytest.mark.parametrize("make", [in_parquet, lambda: arrow_table("t", TABLE)], ids=["parquet", "table"])
def test_columns_inside_others_have_the_names_of_both(make):
    table = make()
    assert table.names == ["a", "b.c", "b.d.e.f"]
    assert read(table, "b.c", "b.d.e.f") == [({"b.c": [4, None, 6], "b.d.e.f": [5, None, None]}, [1, 2, 3])]


def test_a_large_batch_is_read_in_parts_whose_rows_are_counted_on(monkeypatch):
    monkeypatch.setattr(module, "ROWS", 2)
    assert read(arrow_table("t", TABLE), "a") == [({"a": [1, 2]}, [1, 2]), ({"a": [3]}, [3])]


def test_what_is_no_parquet_is_refused():
    with pytest.raises(MalformedInputError, match="it is not Parquet"):
        parquet_table("t.parquet", pa.BufferReader(b"a,b\n1,2\n"))


def test_what_gives_no_arrow_is_refused():
    class Odd:
        def __arrow_c_stream__(self, requested_schema=None):
            raise ValueError("not today")

    assert speaks_arrow(Odd())
    with pytest.raises(OptionError, match="a table that Arrow accepts, each column of one type: not today"):
        arrow_table("t", Odd())


def test_a_frame_of_polars_is_a_table():
    polars = pytest.importorskip("polars", reason="Polars is no dependency")
    frame = polars.DataFrame({"a": [1, 2], "b": ["x", None]})
    assert read(arrow_table("t", frame), "a", "b") == [({"a": [1, 2], "b": ["x", None]}, [1, 2])]


def test_texts_that_are_no_utf_8_are_refused():
    wrong = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")]
    )
    with pytest.raises(MalformedInputError, match="it cannot be read on"):
        read(arrow_table("t", pa.table({"a": wrong})), "a")
