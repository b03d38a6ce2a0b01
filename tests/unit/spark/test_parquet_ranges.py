"""Time ranges of Parquet files, without Spark."""

import math
import pickle
from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pantarhei import Ontology
from pantarhei.errors import InvalidRowError, StreamError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.model.time import TimeKind
from pantarhei.spark import parquet_ranges
from pantarhei.spark.frame import COLUMNS
from pantarhei.spark.parquet_ranges import RangeReader, RowGroup, Scan, row_groups, time_ranges
from pantarhei.spark.worker import MaterializeTask

TYPES = {
    TimeKind.INTEGER: (pa.int64(), pa.int32(), pa.int16()),
    TimeKind.FLOAT: (pa.float64(), pa.float32()),
    TimeKind.DATETIME: (pa.timestamp("us", "UTC"), pa.timestamp("ms", "Europe/Berlin")),
}
SCAN = Scan((), ("at", "s", "p", "o"), TimeKind.INTEGER)


def group(first, last, rows=10, size=100):
    return RowGroup("file", 0, rows, size, first, last)


def write(path, times, type_=None, sorted_=False, **options):
    """Write a row for each time; the subject is the number of the row."""
    times = sorted(times, key=lambda at: (at is not None, at)) if sorted_ else times
    names = [f"<urn:{path.name}-{i % 7}-{i}>" for i in range(len(times))]
    texts = (names, ["<urn:p>"] * len(times), [f'"{i % 3}"' for i in range(len(times))])
    columns = [pa.array(times, type_), *(pa.array(each, pa.string()) for each in texts)]
    pq.write_table(pa.table(columns, list(SCAN.columns)), path, **options)


def rows_of(batches):
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


def counted(rows):
    """Count rows, with times as texts in UTC, since NaN differs from itself."""
    return Counter(
        (at.astimezone(UTC).isoformat() if isinstance(at, datetime) else str(at), *terms)
        for at, *terms in rows
    )


def written(path, kind):
    """Return the rows of a file, with the time zone that INT96 omits."""
    table = pq.read_table(path, coerce_int96_timestamp_unit="us")
    return table.set_column(0, "at", table.column(0).cast(TYPES[kind][0]))


@st.composite
def files(draw):
    """Kind of time, its type, and the times of each file."""
    kind = draw(st.sampled_from(list(TYPES)))
    moment = st.integers(0, 12)
    if kind is TimeKind.FLOAT:
        moment = st.one_of(moment.map(float), st.sampled_from((-0.0, math.nan)))
    if kind is TimeKind.DATETIME:
        moment = moment.map(lambda second: datetime(2026, 3, 2, 0, 0, second, tzinfo=UTC))
    times = st.lists(st.one_of(moment, moment, moment, st.none()), max_size=30)
    return kind, draw(st.sampled_from(TYPES[kind])), draw(st.lists(times, min_size=1, max_size=4))


@settings(deadline=None, max_examples=60)
@given(files(), st.integers(1, 5), st.integers(1, 9), st.booleans())
def test_each_row_and_each_time_is_in_one_range_and_ranges_are_in_order(
    tmp_path_factory, drawn, count, size, in_order
):
    kind, type_, times = drawn
    folder = tmp_path_factory.mktemp("files")
    for number, each in enumerate(times):
        old = {"use_deprecated_int96_timestamps": number % 2 == 0 and type_ == pa.timestamp("us", "UTC")}
        write(folder / f"{number}.parquet", each, type_, in_order, row_group_size=size, **old)
    scan = SCAN._replace(paths=tuple(map(str, sorted(folder.iterdir()))), kind=kind)
    groups = [row_groups(path, scan) for path in scan.paths]
    ranges = time_ranges([group for some in groups for group in some if group.rows], count)
    assert 1 <= len(ranges) <= count
    reader = RangeReader(scan, ranges)
    found = [rows_of(reader.read(number)) for number in range(len(ranges))]
    expected = [row for path in scan.paths for row in rows_of(written(path, kind).to_batches())]
    assert counted(row for rows in found for row in rows) == counted(expected)
    valid = [[row[0] for row in rows if row[0] is not None and row[0] == row[0]] for rows in found]
    assert all(first <= second for some in valid for first, second in pairwise(some))
    assert all(max(some) < min(others) for some, others in pairwise(filter(None, valid)))


def test_files_in_the_order_of_time_are_cut_into_equal_ranges_and_read_once():
    groups = [group(first, first + 10) for first in range(0, 100, 10)]  # a time may go on in the next group
    ranges = time_ranges(groups[::-1], 3)
    assert [(one.start, one.end) for one in ranges] == [(None, 40), (40, 70), (70, None)]
    assert [len(one.groups) for one in ranges] == [4, 4, 4]
    assert time_ranges([], 3)[0].groups == ()


def test_what_workers_would_read_again_and_again_or_hold_in_memory_is_left_to_spark(monkeypatch):
    everywhere = [group(0, 100) for _ in range(10)]
    assert len(time_ranges(everywhere, 1)) == 1
    assert len(time_ranges(everywhere, 4)) == 1  # few rows
    monkeypatch.setattr(parquet_ranges, "CHUNK", 20)
    assert time_ranges(everywhere, 4) is None  # no time at which to cut
    assert time_ranges([group(0, 100 + n) for n in range(10)], 4) is None
    assert time_ranges([group(n, 50 + n) for n in range(10)], 4) is None
    assert time_ranges([group(n, n) for n in range(10)], 4) is not None
    monkeypatch.setattr(parquet_ranges, "MOST_HELD", 1_000)
    assert time_ranges([group(n, n, size=700) for n in range(10)], 4) is not None
    assert time_ranges([group(n, n + 1, size=700) for n in range(10)], 4) is None
    assert time_ranges([group(n, n, size=900) for n in range(10)], 4) is None


@pytest.mark.parametrize(
    "times",
    [
        pa.array([1, 2], pa.uint32()),
        pa.array([1.0, 2.0]),
        pa.array([1, 2], pa.timestamp("us")),
        pa.array([[1], [2]]),
        pa.array(["1", "2"]),
    ],
)
def test_files_whose_columns_have_other_types_are_left_to_spark(tmp_path, times):
    path = str(tmp_path / "it.parquet")
    columns = {"at": times, "s": ["<urn:a>"] * 2, "p": ["<urn:p>"] * 2, "o": ["<urn:b>"] * 2}
    pq.write_table(pa.table(columns), path)
    assert row_groups(path, SCAN) is None


def test_files_without_the_columns_and_datetimes_of_other_calendars_are_left_to_spark(tmp_path):
    path = tmp_path / "it.parquet"
    datetimes = SCAN._replace(kind=TimeKind.DATETIME)
    write(path, [1, 2])
    assert [(each.first, each.last) for each in row_groups(str(path), SCAN)] == [(1, 2)]
    assert row_groups(str(path), SCAN._replace(columns=("at", "s", "p", "other"))) is None
    assert row_groups(str(path), SCAN._replace(columns=("At", "s", "p", "o"))) is None
    assert row_groups(str(path), datetimes) is None
    for year, known in ((1850, False), (1950, True)):
        write(path, [datetime(year, 1, 1, tzinfo=UTC)])
        assert (row_groups(str(path), datetimes) is not None) == known
    for times in ([-(2**63), 1], [1, 2**62 + 1]):
        write(path, times)
        assert row_groups(str(path), SCAN) is None
    path.write_text("PAR1")
    assert row_groups(str(path), SCAN) is None


def test_times_without_statistics_are_searched_if_they_are_few(tmp_path, monkeypatch):
    path, scan = tmp_path / "it.parquet", SCAN._replace(paths=("it", "another"))
    write(path, [3, 1, None, 2, None], write_statistics=False, row_group_size=4)
    found = [[(each.first, each.last) for each in row_groups(str(path), scan)]]
    monkeypatch.setattr(parquet_ranges, "MOST_SEARCHED", 10)
    found.append([(each.first, each.last) for each in row_groups(str(path), scan)])
    assert found == 2 * [[(1, 3), (None, None)]]
    monkeypatch.setattr(parquet_ranges, "MOST_SEARCHED", 9)
    assert row_groups(str(path), scan) is None


def test_a_file_that_changes_before_it_is_read_is_an_error(tmp_path):
    path = tmp_path / "it.parquet"
    write(path, [1, 2, 3])
    scan = SCAN._replace(paths=(str(path),))
    reader = RangeReader(scan, time_ranges(row_groups(str(path), scan), 1))
    assert len(rows_of(reader.read(0))) == 3
    write(path, [1, 2, 4])
    with pytest.raises(StreamError, match=r"it\.parquet has changed"):
        list(reader.read(0))
    write(path, [1, 2, 3], row_group_size=2)
    with pytest.raises(StreamError, match=r"it\.parquet has changed"):
        list(reader.read(0))
    path.unlink()
    with pytest.raises(StreamError, match=r"it\.parquet has changed"):
        list(reader.read(0))


def test_columns_keep_their_dictionaries_and_may_be_used_twice(tmp_path):
    path = tmp_path / "it.parquet"
    write(path, [2, 1, 1])
    scan = SCAN._replace(paths=(str(path),), columns=("at", "s", "p", "s"))
    (batch,) = RangeReader(scan, time_ranges(row_groups(str(path), scan), 1)).read(0)
    assert batch.schema.names == list(COLUMNS)
    assert all(pa.types.is_dictionary(kind) for kind in batch.schema.types[1:])
    assert [row["object"] == row["subject"] for row in batch.to_pylist()] == [True] * 3


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ((None, "<urn:a>"), "timestamp"),
        ((1, "no term"), "subject"),
        ((1, None), "subject"),
        ((1, '"a"'), "subject"),
    ],
)
def test_invalid_rows_are_errors_as_where_spark_reads(tmp_path, row, column):
    path = tmp_path / "it.parquet"
    rows = [(at, "<urn:s>", "<urn:p>", "<urn:o>") for at in (1, 1, 2)]
    rows.insert(1, (*row, "<urn:p>", "<urn:o>"))
    table = pa.table(dict(zip(SCAN.columns, map(list, zip(*rows, strict=True)), strict=True)))
    pq.write_table(table, path)
    scan = SCAN._replace(paths=(str(path),))
    reader = RangeReader(scan, time_ranges(row_groups(str(path), scan), 1))
    foundation = Foundation.of(Ontology.from_rules([]))
    broadcast = SimpleNamespace(value=pickle.dumps(foundation))
    task = MaterializeTask(broadcast, foundation.digest, lambda *_: pa.table({}), "raise")
    errors = []
    for batches in (reader.read(0), iter(table.rename_columns(COLUMNS).sort_by("timestamp").to_batches())):
        with pytest.raises(InvalidRowError) as raised:
            list(task(batches))
        errors.append(raised.value.args)
    assert errors[0] == errors[1] and raised.value.column == column
