import pytest

from pantarhei.io.reader import format_of


@pytest.mark.parametrize(
    ("name", "format"),
    [("a.csv", "csv"), ("a.CSV.GZ", "csv"), ("a.b.jsonl.zst", "jsonl"), ("a.pq", "parquet"), ("a.nq", None)],
)
def test_a_files_name_tells_its_format(name, format):
    assert format_of(name) == format
