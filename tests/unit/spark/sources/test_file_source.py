"""What a source of files gives, and how far a stream of them has come."""

from __future__ import annotations

import os
import pickle
import random

import pyarrow as pa
import pytest

from pantarhei.errors import InputError, MalformedInputError, OptionError, StreamError
from pantarhei.io.reader import FilePart
from pantarhei.model.time import TimeKind
from pantarhei.spark import versions
from pantarhei.spark.frame import COLUMNS
from pantarhei.spark.sources.file_source import (
    FileReader,
    FolderReader,
    infer_kind,
    list_files,
    parts_of,
    read_part,
)
from pantarhei.spark.sources.source_options import FileOptions
from pantarhei.spark.versions import ReadAllAvailable, ReadMaxFiles

SCHEMA = pa.schema([("timestamp", pa.int64()), *((name, pa.string()) for name in COLUMNS[1:])])
ALL = ReadAllAvailable()


def options_of(path, **given):
    return FileOptions.of({"path": str(path), **given})


def rows_of(part, **given):
    batches = read_part(part, options_of(part.path, **given), TimeKind.INTEGER, SCHEMA)
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


def quad(at, subject="urn:a"):
    return f"<{subject}> <urn:b> <urn:c> <urn:at:{at}> .\n"


def test_the_kind_of_times_is_that_of_the_first_abox_there_is(tmp_path):
    (tmp_path / "a.nq").touch()
    with pytest.raises(OptionError, match=r"no ABox yet\. Pass it: timestampType=long or"):
        infer_kind(options_of(tmp_path))
    (tmp_path / "b.nq").write_text(quad("0.5") + quad("oops"))
    assert infer_kind(options_of(tmp_path)) is TimeKind.FLOAT


# a stream of files


@pytest.fixture
def folder(tmp_path):
    for at in (1, 2, 3):
        (tmp_path / f"{at}.nq").write_text(quad(at))
    return tmp_path


def reader_of(path, **given):
    return FolderReader(options_of(path, **given), TimeKind.INTEGER, SCHEMA)


def names(partitions):
    return [os.path.basename(partition.part.path) for partition in partitions]


@pytest.mark.parametrize("has_limits", [False, True])
def test_the_number_of_files_of_a_batch_is_limited_where_spark_has_limits(folder, has_limits, monkeypatch):
    monkeypatch.setattr(versions, "HAS_LIMITS", has_limits)
    assert reader_of(folder).getDefaultReadLimit() == ALL
    if has_limits:
        assert reader_of(folder, maxFilesPerTrigger="2").getDefaultReadLimit() == ReadMaxFiles(2)
    else:
        with pytest.raises(
            OptionError, match=r"maxFilesPerTrigger=2 is invalid: expected Spark 4\.2 or newer"
        ):
            reader_of(folder, maxFilesPerTrigger="2")


def test_a_folder_is_read_in_the_order_of_names_a_few_files_at_a_time(folder):
    reader = reader_of(folder)
    begin = reader.initialOffset()
    middle = reader.latestOffset(begin, ReadMaxFiles(2))
    end = reader.latestOffset(middle, ReadMaxFiles(2))
    assert (middle["files"], middle["last"]) == (2, "2.nq")
    assert reader.latestOffset(end, ReadMaxFiles(2)) == end
    assert reader.latestOffset(begin, ALL) == end
    again = pickle.loads(pickle.dumps(reader_of(folder)))
    for one in (reader, again):
        assert names(one.partitions(begin, middle)) == ["1.nq", "2.nq"]
        assert names(one.partitions(middle, end)) == ["3.nq"]
        assert one.partitions(end, end) == []


def test_what_comes_after_available_now_was_asked_for_waits(folder):
    reader = reader_of(folder)
    reader.prepareForTriggerAvailableNow()
    (folder / "4.nq").write_text(quad(4))
    end = reader.latestOffset(reader.initialOffset(), ALL)
    assert (end["last"], reader.latestOffset(end, ALL)) == ("3.nq", end)
    assert reader_of(folder).latestOffset(end, ALL)["last"] == "4.nq"


@pytest.mark.parametrize("restarted", [False, True])
def test_a_file_that_sorts_before_what_has_been_read_is_refused(folder, restarted):
    reader = reader_of(folder)
    end = reader.latestOffset(reader.initialOffset(), ALL)
    (folder / "15.nq").write_text(quad(15))
    reader = reader_of(folder) if restarted else reader
    with pytest.raises(StreamError, match=r"after '3\.nq' had been read"):
        reader.latestOffset(end, ALL)
    skipping = reader_of(folder, on_error="skip")
    assert skipping.latestOffset(end, ALL) == end


def test_files_may_be_cleared_away_when_they_have_been_read(folder, caplog):
    reader = reader_of(folder)
    end = reader.latestOffset(reader.initialOffset(), ALL)
    (folder / "1.nq").unlink()
    (folder / "4.nq").write_text(quad(4))
    for one, warnings in ((reader, 0), (reader_of(folder), 1)):
        caplog.clear()
        later = one.latestOffset(end, ALL)
        assert len(caplog.records) == warnings
        assert later["last"] == "4.nq"
        assert names(one.partitions(end, later)) == ["4.nq"]


def test_a_file_that_was_written_to_after_it_was_read_is_noticed_on_a_restart(folder):
    end = reader_of(folder).latestOffset(reader_of(folder).initialOffset(), ALL)
    (folder / "2.nq").write_text(quad(2) * 2)
    with pytest.raises(StreamError, match=r"something in the files up to '3\.nq'"):
        reader_of(folder).latestOffset(end, ALL)


@pytest.mark.parametrize("change", ["removed", "added", "written to"])
def test_a_step_whose_files_are_not_what_they_were_cannot_be_repeated(folder, change):
    begin, end = (
        reader_of(folder).initialOffset(),
        reader_of(folder).latestOffset(reader_of(folder).initialOffset(), ALL),
    )
    match change:
        case "removed":
            (folder / "2.nq").unlink()
        case "added":
            (folder / "15.nq").write_text(quad(15))
        case _:
            (folder / "2.nq").write_text(quad(2) * 2)
    with pytest.raises(StreamError, match="restore the files, or read them as they are now"):
        reader_of(folder).partitions(begin, end)


# a stream of files where Spark passes no start, as before 4.2


class OlderSpark:
    """Order in which Spark before 4.2 calls a reader, with the offset that its checkpoint keeps."""

    def __init__(self, folder):
        self.folder, self.committed, self.read = folder, None, []
        self.restart()

    def restart(self, **given):
        self.reader = reader_of(self.folder, **given)

    def run_batch(self, fails=False):
        end = self.reader.latestOffset()
        if end != self.committed:
            start = self.reader.initialOffset() if self.committed is None else self.committed
            files = names(self.reader.partitions(start, end))
            if fails:  # a new process plans the batch again
                self.restart()
                assert names(self.reader.partitions(start, end)) == files
            self.read += files
            self.committed = end


@pytest.mark.parametrize("seed", range(20))
def test_a_spark_that_passes_no_start_reads_each_file_once(tmp_path, seed):
    draw = random.Random(seed)
    (tmp_path / "000.nq").write_text(quad(0))
    spark, written = OlderSpark(tmp_path), 1
    for _ in range(15):
        match draw.choice(("write", "write", "batch", "failing batch", "restart", "clear")):
            case "write":
                (tmp_path / f"{written:03}.nq").write_text(quad(written) * draw.randint(1, 3))
                written += 1
            case "restart":
                spark.restart()
            case "clear" if spark.read:
                (tmp_path / draw.choice(spark.read)).unlink(missing_ok=True)
            case step:
                spark.run_batch(fails=step == "failing batch")
    spark.run_batch()
    assert spark.read == [f"{number:03}.nq" for number in range(written)]
    if any(tmp_path.iterdir()):  # Spark is upgraded
        later = reader_of(tmp_path)
        assert later.latestOffset(spark.committed, ALL) == spark.committed


@pytest.mark.parametrize("restarted", [False, True])
def test_a_spark_that_passes_no_start_refuses_late_files_too(folder, restarted):
    spark = OlderSpark(folder)
    spark.run_batch()
    (folder / "15.nq").write_text(quad(15))
    if restarted:
        spark.restart()
    with pytest.raises(StreamError, match=r"after '3\.nq' had been read"):
        spark.run_batch()
    (folder / "4.nq").write_text(quad(4))
    spark.restart(on_error="skip")
    spark.run_batch()
    assert spark.read == ["1.nq", "2.nq", "3.nq", "4.nq"]


def test_a_stream_needs_a_folder_or_a_glob(folder):
    for path in (folder / "1.nq", folder / "none"):
        with pytest.raises(OptionError, match="one existing folder or one glob"):
            reader_of(path)
    reader = reader_of(folder / "[12].nq")
    end = reader.latestOffset(reader.initialOffset(), ALL)
    assert names(reader.partitions(reader.initialOffset(), end)) == ["1.nq", "2.nq"]


def test_what_was_skipped_is_said_with_a_count(tmp_path, caplog):
    (tmp_path / "a.nq").write_text(quad(1) + "oops\n" + quad("no-time") + quad(2))
    rows = rows_of(FilePart(str(tmp_path / "a.nq")), on_error="skip")
    assert len(rows) == 2
    assert "a.nq: 2 skipped: line 2: " in caplog.text and "; line 3: " in caplog.text
    with pytest.raises(InputError, match=r"a\.nq, line 2"):
        rows_of(FilePart(str(tmp_path / "a.nq")))


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
