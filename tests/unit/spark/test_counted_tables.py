"""Which tables are read apart, and what their times are, without Spark."""

import pytest

from pantarhei.errors import MissingFileError, OptionError
from pantarhei.io.mapping.read import read_mapping
from pantarhei.io.tables import csv_table
from pantarhei.model.time import TimeKind
from pantarhei.spark.counted_tables import TableOptions


def options(path, subject="ex:x", unit="number"):
    mapping = {
        "prefixes": {"ex": "http://example.org/"},
        "time": {"column": "at", "unit": unit},
        "mappings": {"it": {"s": subject, "po": [["ex:p", "$(level)", "xsd:integer"]]}},
    }
    return TableOptions(str(path), None, read_mapping(mapping), False)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "1.csv").write_text("at,level\n7,1\n8,2\n")
    (tmp_path / "0.csv").write_text("at,level\n")
    return tmp_path


def test_each_file_is_read_by_itself_unless_rows_are_numbered_over_all(folder):
    paths = (str(folder / "0.csv"), str(folder / "1.csv"))
    assert options(folder).parts() == [paths[:1], paths[1:]]
    assert options(folder, "ex:$(_row)").parts() == [paths]
    assert [abox.at for abox in options(folder).reader(paths)] == [7, 8]


def test_the_first_abox_of_all_files_tells_the_kind_of_times(folder):
    assert options(folder).kind() is TimeKind.INTEGER
    assert options(folder, unit="s").kind() is TimeKind.DATETIME
    with pytest.raises(OptionError, match="a row at least, to tell its time's type"):
        options(folder / "0.csv").kind()
    with pytest.raises(MissingFileError):
        options(folder / "2.csv").parts()


def test_big_tables_in_csv_are_read_in_parts_unless_rows_are_numbered(folder, monkeypatch):
    monkeypatch.setattr(csv_table, "BLOCK", 64)
    big = folder / "2.csv"
    big.write_text("at,level\n" + "9,1\n" * 100)
    small = [(str(folder / "0.csv"),), (str(folder / "1.csv"),)]
    found = options(folder).split(150)
    assert found[:2] == small and len(found) == 5
    assert all(part.path == str(big) for (part,) in found[2:])
    assert [len(abox.triples) for items in found[2:] for abox in options(folder).reader(items)] == [45, 48, 7]
    assert options(folder, "ex:$(_row)").split(150) == [(*small[0], *small[1], str(big))]
    assert options(folder).size == sum(len(path.read_bytes()) for path in folder.iterdir())
