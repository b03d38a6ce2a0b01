"""Accounts of the parts of a stream's files."""

import pickle

import pytest

from pantarhei.errors import MalformedInputError, MissingFileError, OptionError
from pantarhei.io.mapping.mapping_reader import read_mapping
from pantarhei.io.reader import Skipped
from pantarhei.io.tables import csv_table
from pantarhei.model.time import TimeKind
from pantarhei.spark.materialize_files import FileCounts, TableFiles


def account(*times, skips=0, error=None):
    made = FileCounts(error=error)
    for at, assertions in times:
        made.note(at, int(at), assertions)
    for line in range(skips):
        made.skip(line, "why", "text", 2)
    return made


def test_the_account_of_all_parts_adds_up_and_has_what_came_first():
    errors = [MalformedInputError(name, 1, "why") for name in ("a.nq", "b.nq")]
    parts = [account((1, 5), skips=1), account((1.0, 2), (2, 3), skips=3, error=errors[0])]
    whole = FileCounts.sum([*parts, account((0, 1), error=errors[1])])
    assert {ticks: (repr(given.at), given.assertions) for ticks, given in whole.times.items()} == {
        1: ("1", 7),
        2: ("2", 3),
        0: ("0", 1),
    }
    assert whole.skipped_count == 8
    assert whole.skipped == [Skipped(line, "why", "text") for line in (0, 0, 1, 2)]
    assert whole.error is errors[0]


def test_an_account_keeps_the_first_of_many_skips_and_pickles():
    made = account((1, 1), skips=50, error=MalformedInputError("a.nq", 2, "why"))
    assert (made.skipped_count, len(made.skipped)) == (100, 10)
    again = pickle.loads(pickle.dumps(made))
    assert (again.times, again.skipped, str(again.error)) == (made.times, made.skipped, "a.nq, line 2: why")


def options(path, subject="ex:x", unit="number"):
    mapping = {
        "prefixes": {"ex": "http://example.org/"},
        "time": {"column": "at", "unit": unit},
        "mappings": {"it": {"s": subject, "po": [["ex:p", "$(level)", "xsd:integer"]]}},
    }
    return TableFiles(str(path), None, read_mapping(mapping), False)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "1.csv").write_text("at,level\n7,1\n8,2\n")
    (tmp_path / "0.csv").write_text("at,level\n")
    return tmp_path


def test_each_file_is_read_by_itself_unless_rows_are_numbered_over_all(folder):
    paths = (str(folder / "0.csv"), str(folder / "1.csv"))
    assert options(folder).parts(150) == [paths[:1], paths[1:]]
    assert options(folder, "ex:$(_row)").parts(150) == [paths]
    assert [abox.at for abox in options(folder).reader(paths)] == [7, 8]


def test_the_first_abox_of_all_files_tells_the_kind_of_times(folder):
    assert options(folder).kind() is TimeKind.INTEGER
    assert options(folder, unit="s").kind() is TimeKind.DATETIME
    with pytest.raises(
        OptionError, match="files with at least one row, from which the type of the times is inferred"
    ):
        options(folder / "0.csv").kind()
    with pytest.raises(MissingFileError):
        options(folder / "2.csv").parts(150)


def test_big_tables_in_csv_are_read_in_parts_unless_rows_are_numbered(folder, monkeypatch):
    monkeypatch.setattr(csv_table, "BLOCK", 64)
    big = folder / "2.csv"
    big.write_text("at,level\n" + "9,1\n" * 100)
    small = [(str(folder / "0.csv"),), (str(folder / "1.csv"),)]
    found = options(folder).parts(150)
    assert found[:2] == small and len(found) == 5
    assert all(part.path == str(big) for (part,) in found[2:])
    assert [len(abox.triples) for items in found[2:] for abox in options(folder).reader(items)] == [45, 48, 7]
    assert options(folder, "ex:$(_row)").parts(150) == [(*small[0], *small[1], str(big))]
    assert options(folder).size == sum(len(path.read_bytes()) for path in folder.iterdir())
