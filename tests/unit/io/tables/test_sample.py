import pyarrow as pa
import pytest
from pyarrow import parquet
from rdflib import XSD

from pantarhei import MissingFileError
from pantarhei.io.mapping.guess import Sample
from pantarhei.io.tables.sample import ROWS, first_rows


def test_the_first_rows_are_looked_at_and_no_more(tmp_path):
    (tmp_path / "cars.2026.csv").write_text("a;b\n" + "1;x\n" * (2 * ROWS))
    name, columns, delimiter = first_rows(str(tmp_path / "cars.2026.csv"), None)
    assert (name, delimiter) == ("cars", ";")
    assert columns == {"a": Sample(["1"] * ROWS), "b": Sample(["x"] * ROWS)}


def test_columns_of_types_keep_them_and_those_of_lists_are_left_out(tmp_path):
    parquet.write_table(pa.table({"a": [1.5, None], "b": [[1], [2]]}), tmp_path / "cars.parquet")
    assert first_rows(str(tmp_path), None).columns == {"a": Sample(["1.5", ""], XSD.double)}


def test_a_table_without_rows_has_columns(tmp_path):
    (tmp_path / "cars.csv").write_text("a,b\n")
    assert first_rows(str(tmp_path / "cars.csv"), None).columns == {"a": Sample([]), "b": Sample([])}
    with pytest.raises(MissingFileError):
        first_rows(str(tmp_path / "none.csv"), None)
