"""File sinks: after a crash at any operation and any byte, the replay yields the uninterrupted files."""

from __future__ import annotations

import csv
import itertools
import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from pyarrow import parquet

from pantarhei.errors import ConnectionFailedError, OptionError
from pantarhei.service.connections import make_sinks
from pantarhei.service.sinks import file
from service_tools import site, wait_until
from sink_tools import Crash, Crashing, at, emitted, feed

RECORDS = [emitted(1, 1), emitted(2, 0, dead=1), emitted(3, 2, dead=1), emitted(4, 0), emitted(5, 1)]
SINKS = {
    "ndjson": {"sinks": {"out": {"file": "out.ndjson"}}},
    "csv": {"sinks": {"out": {"file": "folder/out.csv"}}},
    "parquet": {"sinks": {"out": {"parquet": "lake", "roll": "2s"}}},
    "collected": {"sinks": {"out": {"parquet": "lake", "roll": "1d"}}},
    "dead": {"dead_letters": {"file": "dead.ndjson", "keep": "1d"}},
    "rotated": {"dead_letters": {"file": "dead.ndjson", "keep": "1s"}},
}


def configured(folder, sections):
    more = "\n".join(f"{name}: {json.dumps(section)}" for name, section in sections.items())
    return site(folder, "{plant: {http: {a: m.yaml}}}", more)


with TemporaryDirectory() as anywhere:
    CONFIGS = {kind: configured(Path(anywhere), more) for kind, more in SINKS.items()}


@pytest.fixture(autouse=True)
def _no_sync(monkeypatch):
    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, lambda file: None)


def sink_of(folder, kind):
    (folder / "state").mkdir(exist_ok=True, parents=True)
    [sink] = make_sinks(CONFIGS[kind].model_copy(update={"folder": folder}))
    return sink


def content(folder):
    """Return the files that the sink has written, by name; rows in the place of Parquet files."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "state"]
    return {
        path.name: parquet.read_table(path).to_pylist() if path.suffix == ".parquet" else path.read_bytes()
        for path in sorted(paths)
        if path.name not in ("site.ttl", "site.yaml", "temp.yaml")
    }


def crashed(folder, kind, crashing):
    """Write the records with a crash; return whether it happened. Then start again, as after a crash."""
    with pytest.MonkeyPatch.context() as patcher:
        crashing.patch(patcher, os, "write", "ftruncate", "replace", "fsync", "fdatasync")
        crashing.patch(patcher, Path, "unlink", "replace")
        sink = sink_of(folder, kind)
        try:
            feed(sink, RECORDS)
        except Crash:
            crashing.last = 0
            feed(sink_of(folder, kind), RECORDS, journaled=sink.journaled)
            return True
    return False


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("part", [None, 0, 7])
@pytest.mark.parametrize("kind", SINKS)
def test_a_crash_at_each_operation_leaves_no_trace(tmp_path, kind, part, step):
    feed(sink_of(tmp_path / "expected", kind), RECORDS)
    expected = content(tmp_path / "expected")
    for last in itertools.count(1 + len(kind) % step, step):
        folder = tmp_path / str(last)
        if not crashed(folder, kind, Crashing(last, part)):
            break
        assert content(folder) == expected, f"crash at operation {last}"
    assert last > 10


@pytest.mark.parametrize("step", [37, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", ["ndjson", "csv", "collected", "dead"])
def test_a_crash_at_each_byte_leaves_no_trace(tmp_path, kind, step):
    feed(sink_of(tmp_path / "expected", kind), RECORDS)
    [(name, expected)] = content(tmp_path / "expected").items()
    for size in range(0, len(expected), step):
        folder = tmp_path / str(size)
        feed(sink_of(folder, kind), RECORDS[:2])
        path = next(folder.rglob(name))
        written = path.stat().st_size
        assert 0 < written < len(expected)
        path.write_bytes(expected[: max(size, written)])
        feed(sink_of(folder, kind), RECORDS, journaled=5)
        assert content(folder) == {name: expected}


def test_each_line_has_the_id_of_its_change(tmp_path):
    expected = [each.id for record in RECORDS for each in record.changes]
    feed(sink_of(tmp_path, "ndjson"), RECORDS)
    lines = (tmp_path / "out.ndjson").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == expected
    assert json.loads(lines[0])["row"] == {"s": "ü0", "v": 30.5}
    feed(sink_of(tmp_path / "csv", "csv"), RECORDS)
    with (tmp_path / "csv" / "folder" / "out.csv").open() as table:
        rows = list(csv.DictReader(table))
    assert [row["id"] for row in rows] == expected
    assert json.loads(rows[0]["row"]) == {"s": "ü0", "v": 30.5}


def test_parquet_files_have_typed_columns_and_the_records_in_their_names(tmp_path):
    feed(sink_of(tmp_path, "parquet"), RECORDS)
    names = [name for name in content(tmp_path) if name.endswith(".parquet")]
    first, last = ("000000000001-000000000001", "000000000003-000000000003")
    assert names == [f"20260101T000001-{first}.parquet", f"20260101T000003-{last}.parquet"]
    table = parquet.read_table(tmp_path / "lake" / names[0])
    assert {field.name: str(field.type) for field in table.schema} == {
        **dict.fromkeys(("id", "name", "change", "row"), "string"),
        "record": "int64",
        "at": "timestamp[us, tz=UTC]",
    }
    assert table.column("at").to_pylist() == [at(1)]


def test_parquet_rows_outlive_a_change_of_the_journal(tmp_path):
    feed(sink_of(tmp_path, "parquet"), RECORDS[:1])
    (tmp_path / "state" / "positions.json").unlink()
    feed(sink_of(tmp_path, "parquet"), RECORDS)
    rows = [row for table in content(tmp_path).values() if isinstance(table, list) for row in table]
    assert [row["record"] for row in rows] == [1, 1, 3, 3]


def test_large_parquet_files_are_written_in_groups_of_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(file, "_CHUNK", 600)
    records = [emitted(1, 1_000), emitted(10, 1)]
    feed(sink_of(tmp_path, "parquet"), records)
    [path] = (tmp_path / "lake").glob("*.parquet")
    assert parquet.ParquetFile(path).num_row_groups == 2
    assert parquet.read_table(path).column("id").to_pylist() == [each.id for each in records[0].changes]


def test_a_file_of_another_origin_is_continued_on_a_new_line(tmp_path):
    (tmp_path / "out.ndjson").write_text("mine")
    feed(sink_of(tmp_path, "ndjson"), RECORDS)
    assert len((tmp_path / "out.ndjson").read_text().splitlines()) == 5
    assert (tmp_path / "out.ndjson").read_text().startswith("mine\n")


@pytest.mark.parametrize("is_new_there", [True, False])
def test_a_file_that_is_moved_while_it_is_written_is_begun_anew(tmp_path, is_new_there):
    sink = sink_of(tmp_path, "csv")
    feed(sink, RECORDS[:1])
    sink.open()
    path = tmp_path / "folder" / "out.csv"
    path.rename(tmp_path / "moved.csv")
    if is_new_there:
        path.touch()
    sink.write(RECORDS[1:])
    sink.close()
    assert [len(name.read_text().splitlines()) for name in (tmp_path / "moved.csv", path)] == [2, 4]


def test_a_file_that_was_moved_between_two_runs_is_begun_anew(tmp_path):
    feed(sink_of(tmp_path, "csv"), RECORDS[:3])
    (tmp_path / "folder" / "out.csv").rename(tmp_path / "moved.csv")
    feed(sink_of(tmp_path, "csv"), RECORDS, journaled=5)
    assert len((tmp_path / "folder" / "out.csv").read_text().splitlines()) == 2


def test_another_file_under_the_name_of_the_sink_is_not_cut(tmp_path):
    feed(sink_of(tmp_path, "ndjson"), RECORDS[:1])
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "out.csv").write_text("mine\n" * 1000)
    feed(sink_of(tmp_path, "csv"), RECORDS, journaled=5)
    lines = (tmp_path / "folder" / "out.csv").read_text().splitlines()
    assert lines[:1000] == ["mine"] * 1000
    assert len(lines) == 1003


def test_dead_letters_are_kept_for_their_time(tmp_path):
    records = [emitted(number, 0, dead=1) for number in range(1, 8)]
    [sink] = make_sinks(configured(tmp_path, {"dead_letters": {"file": "dead.ndjson", "keep": "3s"}}))
    (tmp_path / "state").mkdir()
    feed(sink, records, batch=1)
    names = ("dead.ndjson.1", "dead.ndjson")
    found = [[json.loads(line) for line in (tmp_path / name).read_text().splitlines()] for name in names]
    assert [[int(each["id"].split("-")[0]) for each in letters] for letters in found] == [[4, 5, 6], [7]]
    assert found[0][0]["reason"] == "malformed"
    assert found[0][0]["payload_base64"] == "/3s="


@pytest.mark.parametrize("size", [0, 1, 700])
def test_files_of_dead_letters_are_bounded_and_the_log_counts_what_is_deleted(tmp_path, caplog, size):
    [sink] = make_sinks(configured(tmp_path, {"dead_letters": {"file": "dead.ndjson", "keep": "1d"}}))
    (tmp_path / "state").mkdir()
    sink.largest = size or sink.largest
    line = len("".join(sink.lines(emitted(1, 0, dead=1))))
    feed(sink, [emitted(number, 0, dead=1) for number in range(10, 70)], batch=1)
    files = [path.read_text().splitlines() for path in sorted(tmp_path.glob("dead.ndjson*"))]
    kept = [json.loads(each)["id"].split("-")[0] for lines in reversed(files) for each in lines]
    assert kept == [str(number) for number in range(70 - len(kept), 70)], "the newest"
    assert len(files) == 2 - (not size) and sum(map(len, files)) <= (2 * (size // line + 1) if size else 60)
    deleted = [int(re.search(r": (\d+) dead letters", text)[1]) for text in caplog.messages]
    assert sum(deleted) == 60 - len(kept)


def test_parquet_files_appear_by_time_though_nothing_changes(tmp_path):
    sink = sink_of(tmp_path, "parquet")
    sink.begin(0)
    for each in (emitted(1, 1), emitted(2, 0), emitted(3, 0)):
        sink.put(each)
    wait_until(lambda: list((tmp_path / "lake").glob("*.parquet")))
    assert sink.finish(20)


@pytest.mark.parametrize("section", [{"file": "o.ndjson"}, {"file": "o.csv"}, {"sql": "sqlite:///o.db"}])
@pytest.mark.parametrize("of", ["dead_letters", ["dead_letters", "hot"], "*"])
def test_dead_letters_are_changes_of_their_own_name(tmp_path, section, of):
    [sink] = make_sinks(configured(tmp_path, {"sinks": {"out": {**section, "of": of}}}))
    (tmp_path / "state").mkdir()
    sink.begin(0)
    for each in RECORDS:
        sink.put(each)
    assert sink.finish(20)
    if "sql" in section:
        with closing(sqlite3.connect(tmp_path / "o.db")) as database:
            stored = database.execute("select name, row from changes").fetchall()
        rows = [(name, json.loads(row)) for name, row in stored]
    elif section["file"] == "o.csv":
        with (tmp_path / "o.csv").open() as lines:
            rows = [(row["name"], json.loads(row["row"])) for row in csv.DictReader(lines)]
    else:
        found = map(json.loads, (tmp_path / "o.ndjson").read_text().splitlines())
        rows = [(each["name"], each["row"]) for each in found]
    names = [name for name, _ in rows]
    assert names.count("hot") == (4 if "hot" in of or of == "*" else 0)
    letters = [row for name, row in rows if name == "dead_letters"]
    expected = {"reason": "malformed", "detail": "not JSON", "source": "plant", "topic": "site/1"}
    assert letters == ([] if of == "*" else [{**expected, "payload_base64": "/3s="}] * 2)


def test_a_disk_that_is_full_leaves_whole_lines(tmp_path, monkeypatch):
    sink = sink_of(tmp_path, "ndjson")
    feed(sink, RECORDS[:1])
    sink.open()
    write = os.write
    calls = itertools.count()

    def full(file, data):
        if next(calls):
            raise OSError(28, "No space left on device")
        return write(file, data[:20])

    with monkeypatch.context() as patcher, pytest.raises(OSError, match="No space"):
        patcher.setattr(os, "write", full)
        sink.write(RECORDS[2:])
    feed(sink_of(tmp_path, "ndjson"), RECORDS, journaled=5)
    lines = (tmp_path / "out.ndjson").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == [each.id for one in RECORDS for each in one.changes]


def test_what_cannot_be_written_is_an_error_at_the_check(tmp_path):
    sink = sink_of(tmp_path, "ndjson")
    sink.check()
    assert not (tmp_path / "out.ndjson").exists()
    (tmp_path / "out.ndjson").mkdir()
    with pytest.raises(ConnectionFailedError, match=r"out\.ndjson"):
        sink.check()


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        ({"sinks": {"out": {"file": "out.txt"}}}, "ndjson"),
        ({"sinks": {"a": {"file": "o.csv"}, "b": {"file": "o.csv"}}}, "no other sink"),
        ({"sinks": {"dead_letters": {"file": "o.csv"}}, "dead_letters": {"file": "d.ndjson"}}, "reserved"),
        ({"sinks": {"out": {"file": "d.ndjson"}}, "dead_letters": {"file": "d.ndjson"}}, "no other sink"),
    ],
)
def test_files_that_cannot_be_right_are_refused(tmp_path, sections, expected):
    with pytest.raises(OptionError, match=expected):
        make_sinks(configured(tmp_path, sections))
