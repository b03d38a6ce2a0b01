"""Which files a source reads, and in which parts."""

from __future__ import annotations

import os
import random

import pyarrow as pa
import pytest

from pantarhei.errors import MalformedInputError
from pantarhei.model.time import TimeKind
from pantarhei.spark.sources.file_parts import FilePart, list_files, parts_of
from pantarhei.spark.sources.file_source import FileReader, read_part
from pantarhei.spark.sources.source_options import FileOptions
from pantarhei.spark.stream_columns import COLUMNS

SCHEMA = pa.schema([("timestamp", pa.int64()), *((name, pa.string()) for name in COLUMNS[1:])])


def options_of(path, **given):
    return FileOptions.of({"path": str(path), **given})


def rows_of(part, **given):
    batches = read_part(part, options_of(part.path, **given), TimeKind.INTEGER, SCHEMA)
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


def quad(at, subject="urn:a"):
    return f"<{subject}> <urn:b> <urn:c> <urn:at:{at}> .\n"


def test_a_folder_has_its_complete_stream_files_in_the_order_of_names(tmp_path):
    for name in ("b.nq", "a.trig", "c.nquads", ".hidden.nq", "_part.nq", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "sub.nq").mkdir()
    names = [os.path.basename(file) for file in list_files(str(tmp_path), None)]
    assert names == ["a.trig", "b.nq", "c.nquads"]
    assert len(list_files(str(tmp_path), "nquads")) == 4
    assert [os.path.basename(file) for file in list_files(str(tmp_path / "*.nq"), None)] == ["b.nq"]
    assert list_files(str(tmp_path / "d*.nq"), None) == []
    with pytest.raises(FileNotFoundError, match=r"d\.nq"):
        list_files(str(tmp_path / "d.nq"), None)
    with pytest.raises(FileNotFoundError, match=r"d\*\.nq"):
        FileReader(options_of(tmp_path / "d*.nq"), TimeKind.INTEGER, SCHEMA).partitions()


# parts


@pytest.mark.parametrize("size", [1, 200, 1000, 4000])
def test_the_parts_of_a_file_give_its_rows_and_no_abox_is_in_two_of_them(tmp_path, size):
    chance = random.Random(size)
    at, lines = 0, []
    for _ in range(300):
        at += chance.random() < 0.2
        lines.append(chance.choice([quad(at), quad(at, "urn:another:subject"), quad(f"x/{at}")]))
    lines[100:100] = ["oops\n", "\n", quad("no-time")]
    path = tmp_path / "a.nq"
    path.write_text("".join(lines).removesuffix("\n"))
    parts = parts_of(str(path), size)
    given = {"time": "graph", "on_error": "skip"}
    rows = [rows_of(part, **given) for part in parts]
    assert [row for part in rows for row in part] == rows_of(FilePart(str(path)), **given)
    times = [{row[0] for row in part} for part in rows]
    assert sum(map(len, times)) == len(set().union(*times))
    assert all(part.end - part.start >= size for part in parts[:-1])
    assert len(parts) >= min(40, path.stat().st_size // (size + 3000))


def test_an_error_in_a_part_names_the_line_of_the_file(tmp_path):
    path = tmp_path / "a.nq"
    path.write_text("".join(quad(at // 5) for at in range(100)) + "oops\n")
    parts = parts_of(str(path), 500)
    assert len(parts) > 5
    with pytest.raises(MalformedInputError) as raised:
        rows_of(parts[-1], time="graph")
    assert raised.value.line == 101
    path.write_text("".join(quad(at // 5) for at in range(100)) + "<urn:at:0> <urn:b> <urn:c> .\n")
    with pytest.raises(MalformedInputError, match=r"line 101: .*splitSize=0"):
        rows_of(parts_of(str(path), 500)[-1], time="graph")


def test_what_cannot_be_divided_is_one_part(tmp_path):
    path = tmp_path / "a.nq"
    text = "".join(quad(at // 5) for at in range(100))
    for whole in ("", quad(1) * 100, text + quad(21, "urn:a").replace("<urn:c>", "_:b")):
        path.write_text(whole)
        assert parts_of(str(path), 500) == [FilePart(str(path))]
    path.write_text(text)
    assert parts_of(str(path), 0) == [FilePart(str(path))]
    for time, divided in (("graph", True), ("auto", False)):
        reader = FileReader(options_of(path, time=time, splitSize="500"), TimeKind.INTEGER, SCHEMA)
        assert (len(reader.partitions()) > 1) is divided
