"""Time ranges of Parquet files, which workers read themselves.

Spark converts each row to Arrow, and shuffles and sorts rows of strings, which costs more than reasoning. If
a DataFrame only reads Parquet files, the statistics of their row groups divide time into one range for each
task. A worker reads the row groups that intersect its range in the order of their times, and keeps the
dictionaries of the strings. So nothing is shuffled, and a timestamp is in one task even if its rows are in
several files.

All other DataFrames are left to Spark: those with filters or computed columns, on other file systems than the
machines' own, or whose row groups overlap much. The driver reads times without statistics, if they are few.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import unquote, urlsplit

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame

from pantarhei.errors import StreamError
from pantarhei.model.time import MOST_TICKS, TimeKind
from pantarhei.spark.frame import COLUMNS, TIMESTAMP, integer_times, kind_of
from pantarhei.spark.sessions import members_of
from pantarhei.spark.worker import CHUNK, MaterializeTask
from pantarhei.spark.worker_errors import methods_send_errors

MOST_FILES = 2_000  # whose metadata the driver reads
MOST_SEARCHED = 20_000_000  # rows of files without statistics, whose times the driver reads
MOST_HELD = 256 << 20  # bytes of rows that a worker holds at once
_BYTES_A_ROW = 20  # of a time and three indexes in dictionaries
_MOST_READ_AGAIN = 1.25
_LARGEST_SHARE = 1.5

_RELATION = "org.apache.spark.sql.execution.datasources.LogicalRelation"
_PARQUET = "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat"
_FOLDERS = "org.apache.spark.sql.execution.datasources.InMemoryFileIndex"
# Options of Spark that only select files, or that change nothing where each file has the columns.
_OPTIONS = {"path", "paths", "basepath", "mergeschema", "pathglobfilter", "recursivefilelookup"} | {
    "modifiedbefore",
    "modifiedafter",
}
_SETTINGS = (
    "spark.sql.files.ignoreCorruptFiles",
    "spark.sql.files.ignoreMissingFiles",
    "spark.sql.parquet.fieldId.read.enabled",
    "spark.sql.parquet.int96TimestampConversion",
)
_WIDENED = {("tinyint", "bigint"), ("smallint", "bigint"), ("int", "bigint"), ("float", "double")}
_UNREADABLE = (OSError, LookupError, pa.ArrowException)
_FIRST_MICROSECOND = -2_177_452_800_000_000  # 1901: Spark may shift older datetimes to another calendar

Time: TypeAlias = int | float
"""Timestamp as an integer, which counts microseconds for datetimes, or a float."""


class Scan(NamedTuple):
    """DataFrame that only reads Parquet files.

    Args:
        paths: the files.
        columns: the files' columns with timestamp, subject, predicate and object.
        kind: the kind of the timestamps.
    """

    paths: tuple[str, ...]
    columns: tuple[str, ...]
    kind: TimeKind


class RowGroup(NamedTuple):
    """Row group of a Parquet file.

    Args:
        path: the file.
        number: index of the row group in the file.
        rows: number of rows.
        size: number of bytes of the selected columns, not compressed.
        first, last: the first and the last time; None if no timestamp is valid.
    """

    path: str
    number: int
    rows: int
    size: int
    first: Time | None
    last: Time | None


class TimeRange(NamedTuple):
    """Times from `start` until before `end`, without a limit if None, and the row groups that have such
    times, in the order of their first times.

    A row without a valid time belongs to the range with the first time of its row group.
    """

    start: Time | None
    end: Time | None
    groups: tuple[RowGroup, ...]

    def contains(self, at: Time | None) -> bool:
        """Return whether a time is in the range; None is before all times."""
        if at is None:
            return self.start is None
        return (self.start is None or at >= self.start) and (self.end is None or at < self.end)


def read_by_workers(given: DataFrame, count: int) -> RangeReader | None:
    """Return a reader of at most `count` time ranges of a normalized DataFrame; None if Spark must read it.

    Reads the metadata of the files.
    """
    scan = parquet_scan(given)
    if scan is None or not 0 < len(scan.paths) <= MOST_FILES:
        return None
    groups: list[RowGroup] = []
    for path in scan.paths:
        found = row_groups(path, scan)
        if found is None:
            return None
        groups += found
    ranges = time_ranges([group for group in groups if group.rows], count)
    return None if ranges is None else RangeReader(scan, ranges)


def parquet_scan(given: DataFrame) -> Scan | None:
    """Return the files and columns of a normalized DataFrame that only reads Parquet files; otherwise
    None.
    """
    if not hasattr(given, "_jdf"):
        return None  # Spark Connect shows no plan
    plan: Any = given._jdf.queryExecution().optimizedPlan()
    selected = list(members_of(plan.output()))
    if plan.getClass().getSimpleName() == "Project":
        selected, plan = list(members_of(plan.projectList())), plan.child()
    if plan.getClass().getName() != _RELATION:
        return None
    relation = plan.relation()
    kinds = (relation.fileFormat, relation.location) if hasattr(relation, "fileFormat") else ()
    if [each().getClass().getName() for each in kinds] != [_PARQUET, _FOLDERS]:
        return None
    options = {str(key).lower() for key in members_of(relation.options().keys().toSeq())}
    if not options <= _OPTIONS or any(given.sparkSession.conf.get(name) == "true" for name in _SETTINGS):
        return None
    partitioned = {field.name() for field in members_of(relation.partitionSchema())}
    known = {each.exprId().id(): each.name() for each in members_of(plan.output())}
    columns = tuple(known.get(_attribute_of(each)) for each in selected)
    paths = [urlsplit(uri) for uri in relation.location().inputFiles()]
    if None in columns or partitioned.intersection(columns) or any(each.scheme != "file" for each in paths):
        return None
    return Scan(tuple(unquote(each.path) for each in paths), columns, kind_of(given))  # type: ignore[arg-type]


def _attribute_of(expression: Any) -> int | None:
    """Return the number of the attribute that an expression copies, possibly as a wider number; otherwise
    None.
    """
    if expression.getClass().getSimpleName() == "Alias":
        expression = expression.child()
    if expression.getClass().getSimpleName() == "Cast":
        given, made = expression.child().dataType(), expression.dataType()
        if (given.simpleString(), made.simpleString()) not in _WIDENED:
            return None
        expression = expression.child()
    if expression.getClass().getSimpleName() != "AttributeReference":
        return None
    number: int = expression.exprId().id()
    return number


def row_groups(path: str, scan: Scan) -> list[RowGroup] | None:
    """Return the row groups of a file; None if the types of its columns differ from Spark's, or if its times
    have no statistics and are too many to be searched.
    """
    try:
        with _opened(path, scan) as file:
            return _row_groups(path, file, scan)
    except _UNREADABLE:
        return None


def _opened(path: str, scan: Scan) -> pq.ParquetFile:
    return pq.ParquetFile(path, read_dictionary=list(scan.columns[1:]), coerce_int96_timestamp_unit="us")


def _row_groups(path: str, file: pq.ParquetFile, scan: Scan) -> list[RowGroup] | None:
    metadata, schema = file.metadata, file.metadata.schema
    places = {schema.column(i).path: i for i in range(metadata.num_columns)}
    ignoring_case = [name.lower() for name in places]
    if any(ignoring_case.count(name.lower()) != 1 or name not in places for name in scan.columns):
        return None
    time, *terms = (schema.column(places[name]) for name in scan.columns)
    if any((term.logical_type.type, term.max_repetition_level) != ("STRING", 0) for term in terms):
        return None
    ticks = _ticks(time, scan.kind)
    if ticks is None:
        return None
    found = []
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        statistics = group.column(places[scan.columns[0]]).statistics
        if statistics is not None and statistics.has_min_max:
            first, last = statistics.min_raw * ticks, statistics.max_raw * ticks
        elif metadata.num_rows > MOST_SEARCHED // len(scan.paths):
            return None
        else:
            first, last = _ends(_ticks_of(file.read_row_group(number, scan.columns[:1]).column(0), scan.kind))
        if first is not None and not (first >= -MOST_TICKS and last <= MOST_TICKS):
            return None  # Spark reads times that are errors
        if scan.kind is TimeKind.DATETIME and first is not None and first < _FIRST_MICROSECOND:
            return None
        size = sum(group.column(places[name]).total_uncompressed_size for name in scan.columns)
        found.append(RowGroup(path, number, group.num_rows, size, first, last))
    return found


def _ticks(column: Any, kind: TimeKind) -> int | None:
    """Return the factor by which a column's numbers are multiplied; None if its type differs from `kind`."""
    if column.max_repetition_level:
        return None
    logical = json.loads(column.logical_type.to_json())
    match kind, column.physical_type, logical["Type"]:
        case TimeKind.INTEGER, "INT32" | "INT64", "None":
            return 1
        case TimeKind.INTEGER, "INT32" | "INT64", "Int" if logical["isSigned"]:
            return 1
        case TimeKind.FLOAT, "FLOAT" | "DOUBLE", "None":
            return 1
        case TimeKind.DATETIME, "INT64", "Timestamp" if logical["isAdjustedToUTC"]:
            return {"milliseconds": 1000, "microseconds": 1}.get(logical["timeUnit"])
        case TimeKind.DATETIME, "INT96", _:  # as Spark writes datetimes by default, without statistics
            return 1
    return None


def _ticks_of(column: pa.ChunkedArray, kind: TimeKind) -> npt.NDArray[Any]:
    """Return the times of a column as numbers; the least number for times that are null or not finite."""
    numbers = integer_times(column.cast(_TIMES[kind]))
    least = -math.inf if kind is TimeKind.FLOAT else np.iinfo(np.int64).min
    times = np.asarray(numbers.fill_null(least))
    return np.where(np.isfinite(times), times, least)


def _ends(times: npt.NDArray[Any]) -> tuple[Time, Time] | tuple[None, None]:
    """Return the first and the last valid time of those of `_ticks_of`; (None, None) if none is valid."""
    valid = times[_are_valid(times)]
    return (valid.min().item(), valid.max().item()) if len(valid) else (None, None)


def _are_valid(times: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    least = -math.inf if times.dtype.kind == "f" else np.iinfo(np.int64).min
    valid: npt.NDArray[np.bool_] = times != least
    return valid


def time_ranges(groups: Sequence[RowGroup], count: int) -> tuple[TimeRange, ...] | None:
    """Divide time into at most `count` ranges with about equal numbers of rows.

    Returns:
        The ranges; None if the row groups overlap so much that many are read several times or a worker would
        hold too many rows, or if they are too large for ranges of similar sizes.
    """
    ordered = sorted(groups, key=lambda each: (each.first is not None, each.first or 0))
    total, begun = sum(each.rows for each in ordered), 0
    starts: list[Time | None] = [None]
    earliest = next((each.first for each in ordered if each.first is not None), None)
    for group in ordered:
        if begun * count >= total * len(starts) and group.first not in (None, earliest, starts[-1]):
            starts.append(group.first)
        begun += group.rows
    ranges = tuple(
        TimeRange(start, end, tuple(each for each in ordered if _intersects(each, start, end)))
        for start, end in zip(starts, [*starts[1:], None], strict=True)
    )
    rows = [sum(each.rows for each in one.groups) for one in ranges]
    if sum(rows) > max(CHUNK, _MOST_READ_AGAIN * total) or max(rows) > max(
        CHUNK, _LARGEST_SHARE * total / count
    ):
        return None
    return None if max(map(_held, ranges)) > MOST_HELD else ranges


def _intersects(group: RowGroup, start: Time | None, end: Time | None) -> bool:
    if group.first is None or group.last is None:
        return start is None
    return (start is None or group.last >= start) and (end is None or group.first < end)


def _held(one: TimeRange) -> int:
    """Return an upper bound of the bytes that a worker holds while it reads a range."""
    most, held = 0, list[RowGroup]()
    for group in one.groups:
        held = [each for each in held if each.last is not None and each.last >= (group.first or 0)]
        held.append(group)
        most = max(most, sum(each.size + _BYTES_A_ROW * each.rows for each in held))
    return most


@dataclass(frozen=True, slots=True)
class RangeReader:
    """Reader of time ranges of Parquet files."""

    scan: Scan
    ranges: tuple[TimeRange, ...]

    def read(self, number: int) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a range in time order, as a normalized table with dictionary-encoded terms.

        Raises:
            StreamError: a file has changed or is missing.
        """
        one = self.ranges[number]
        held: pa.Table | None = None
        for group, next_group in zip_longest(one.groups, one.groups[1:]):
            table = self._rows(group, one)
            table = table if held is None else pa.concat_tables([held, table])
            table, times = _in_time_order(table, self.scan.kind)
            ready = len(table)
            if next_group is not None:
                ready = 0 if next_group.first is None else int(np.searchsorted(times, next_group.first))
            yield from table.slice(0, ready).to_batches()
            held = table.slice(ready)

    def _rows(self, group: RowGroup, one: TimeRange) -> pa.Table:
        """Return the rows of a row group that are in a range."""
        names = list(dict.fromkeys(self.scan.columns))
        try:
            with _opened(group.path, self.scan) as file:
                table = file.read_row_group(group.number, names, use_threads=False)
            time, *terms = (table.column(name) for name in self.scan.columns)
        except _UNREADABLE as error:
            raise _changed(group) from error
        columns = [time.cast(_TIMES[self.scan.kind]), *(each.cast(_TERM) for each in terms)]
        table, times = pa.table(columns, list(COLUMNS)), _ticks_of(time, self.scan.kind)
        if (len(table), _ends(times)) != (group.rows, (group.first, group.last)):
            raise _changed(group)
        owner = one.contains(group.first)
        if owner and (group.last is None or one.contains(group.last)):
            return table
        inside = np.ones(len(table), bool)
        if one.start is not None:
            inside &= times >= one.start
        if one.end is not None:
            inside &= times < one.end
        return table.filter(pa.array(np.where(_are_valid(times), inside, owner)))


def _changed(group: RowGroup) -> StreamError:
    return StreamError(
        f"{group.path} has changed since the DataFrame was made, or its statistics are wrong; make the "
        "DataFrame again, or use clustered=False"
    )


_TIMES = {
    TimeKind.INTEGER: pa.int64(),
    TimeKind.FLOAT: pa.float64(),
    TimeKind.DATETIME: pa.timestamp("us", "UTC"),
}
_TERM = pa.dictionary(pa.int32(), pa.string())


def _in_time_order(table: pa.Table, kind: TimeKind) -> tuple[pa.Table, npt.NDArray[Any]]:
    """Sort a table by time, rows without a valid time first; return the sorted times, too."""
    times = _ticks_of(table.column(TIMESTAMP), kind)
    if (times[1:] >= times[:-1]).all():
        return table, times
    order = np.argsort(times, kind="stable")
    return table.unify_dictionaries().combine_chunks().take(pa.array(order)), times[order]


@methods_send_errors
@dataclass(frozen=True, slots=True)
class RangeTask:
    """Function for `mapInArrow` that materializes the ABoxes of the ranges whose numbers are the input."""

    reader: RangeReader
    task: MaterializeTask

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from self.task(self.reader.read(number))
