"""Folders of tables that differ: files lack columns, or cannot be read."""

import os
from threading import Thread

import pytest

from pantarhei import MalformedInputError, MappingError, read_records

MAPPING = {
    "prefixes": {"ex": "http://example.org/"},
    "time": {"column": "t", "unit": "number"},
    "mappings": {"m": {"s": "ex:$(id)", "po": [["ex:v", "$(v)"], ["ex:state", "$(state)"]]}},
}
FILES = {
    "value.csv": b"t,id,v\n1,a,x\n",
    "state.csv": b"t,id,state\n2,a,open\n",
    "no_time.csv": b"id,v\na,x\n",
}


def folder(path, *contents):
    for number, content in enumerate(contents):
        (path / f"{number}.csv").write_bytes(content)
    return read_records(path, MAPPING, on_error="skip")


@pytest.mark.parametrize("names", [("value.csv", "state.csv"), ("state.csv", "value.csv")])
def test_a_column_that_a_file_lacks_has_no_values_there(tmp_path, names):
    reader = folder(tmp_path, *(FILES[name] for name in names))
    assert [len(abox.triples) for abox in reader] == [1, 1]
    assert reader.skipped_count == 0


def test_rows_of_a_file_without_times_are_bad_rows(tmp_path):
    reader = folder(tmp_path, FILES["no_time.csv"], FILES["value.csv"], FILES["state.csv"])
    assert [abox.at for abox in reader] == [1, 2]
    assert [each.reason.partition(": ")[2] for each in reader.skipped] == [
        "column t: there is no time; expected one in each row"
    ]


def test_a_column_that_no_file_has_is_an_error(tmp_path):
    with pytest.raises(MappingError, match="has no column state"):
        list(folder(tmp_path, FILES["value.csv"], FILES["value.csv"]))


def test_lines_of_json_beside_may_have_any_column(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b'{"t": 1, "id": "a", "state": "on"}\n')
    assert [len(abox.triples) for abox in folder(tmp_path, FILES["value.csv"])] == [2]


def test_a_pipe_beside_is_read_once(tmp_path):
    (tmp_path / "0.csv").write_bytes(FILES["value.csv"])
    pipe = tmp_path / "1.csv"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_bytes, args=(FILES["state.csv"],), daemon=True)
    writer.start()
    found = read_records([tmp_path / "0.csv", pipe], MAPPING)
    assert [(abox.at, len(abox.triples)) for abox in found] == [(1, 1), (2, 1)]


def test_a_file_that_cannot_be_read_at_all_counts_as_one(tmp_path):
    (tmp_path / "9.parquet").write_bytes(b"no Parquet")
    reader = folder(tmp_path, FILES["value.csv"], FILES["state.csv"])
    assert [abox.at for abox in reader] == [1, 2]
    assert reader.skipped_count == 1
    with pytest.raises(MalformedInputError, match="it is not Parquet"):
        list(read_records(tmp_path, MAPPING))


@pytest.mark.parametrize("bad", [b"\xff\xfe\n", b"\xe9\n\n"])
def test_a_line_that_is_no_text_before_the_header_is_left_out(tmp_path, bad):
    reader = folder(tmp_path, bad + FILES["value.csv"], FILES["state.csv"])
    assert [abox.at for abox in reader] == [1, 2]
    assert [each.line for each in reader.skipped] == [1]
