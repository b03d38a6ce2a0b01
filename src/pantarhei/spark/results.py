"""Who gets what comes out of a stream, batch by batch: functions as DataFrames, folders as files.

A file holds one batch and is named after it, so that a batch that is applied again after a crash replaces
what the first attempt wrote: its rows are there once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from pyspark.sql import DataFrame, SparkSession

from pantarhei.engine.checkpoint import write_whole
from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import OptionError
from pantarhei.spark.collectors import Collector
from pantarhei.spark.typed_columns import ColumnTypes

OutputFormat = Literal["parquet", "ndjson", "csv"]
Sink = Callable[[DataFrame, int], object]
Sinks = Sink | Mapping[str, Sink]

STREAM = ""
"""The name of what comes out of a stream that has no registered queries."""


class FileOutput:
    """A folder with a file for each batch that has rows.

    Args:
        folder: made if it is not there.
        format: "parquet", "ndjson" or "csv"; in ndjson a number that is not finite is null.

    Raises:
        OptionError: there is no such format, or the folder is a file.
    """

    def __init__(self, folder: Path, format: OutputFormat) -> None:
        if format not in get_args(OutputFormat):
            raise OptionError("output_format", repr(format), " or ".join(map(repr, get_args(OutputFormat))))
        if folder.exists() and not folder.is_dir():
            raise OptionError("output", repr(str(folder)), "a folder, or one that can be made")
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._format = folder, format

    def write(self, table: pa.Table, batch: int) -> None:
        """Write a batch in the place of what an earlier attempt at it wrote, in whichever format."""
        name = f"batch-{batch:010d}"
        path = self._folder / f"{name}.{self._format}"
        if len(table):
            write_whole(path, _WRITERS[self._format](table))
        for other in get_args(OutputFormat):
            if not len(table) or other != self._format:
                (self._folder / f"{name}.{other}").unlink(missing_ok=True)

    def refuse_if_used(self) -> None:
        """For a stream that begins.

        Raises:
            OptionError: the folder has files of another, which this one would replace.
        """
        found = next(self._folder.glob("batch-*"), None)
        if found is not None:
            expected = "a folder without files of another stream, or the checkpoint of that stream"
            raise OptionError("output", repr(str(self._folder)), expected)


class Outlet(NamedTuple):
    """Who gets the rows of a query, or of the stream where it has no queries of its own.

    Args:
        files: where they are written.
        sink: who else gets them.
    """

    files: FileOutput | None
    sink: Sink | None

    @property
    def is_open(self) -> bool:
        """Whether anyone does."""
        return self.files is not None or self.sink is not None


def outlets(
    names: Collection[str], sink: Sinks | None, output: Path | None, format: OutputFormat
) -> dict[str, Outlet]:
    """The outlets of queries by their names, or the one of a stream without queries.

    Args:
        output: the folder; with queries it has one for each.

    Raises:
        OptionError: `sink` is none for these queries; or what `FileOutput` raises.
    """
    if not names:
        return {STREAM: Outlet(None if output is None else FileOutput(output, format), _one_sink(sink))}
    sinks = _sinks(names, sink)
    return {
        name: Outlet(None if output is None else FileOutput(output / name, format), sinks.get(name))
        for name in names
    }


def _one_sink(sink: Sinks | None) -> Sink | None:
    if sink is not None and not callable(sink):
        raise OptionError("sink", repr(sink)[:200], "a function of a DataFrame and the number of its batch")
    return sink


def _sinks(names: Collection[str], sink: Sinks | None) -> Mapping[str, Sink]:
    if sink is None:
        return {}
    if isinstance(sink, Mapping):
        if sink.keys() <= set(names) and all(map(callable, sink.values())):
            return sink
    elif callable(sink) and len(names) == 1:
        return dict.fromkeys(names, sink)
    expected = f"a mapping of names in queries ({', '.join(names)}) to functions of a DataFrame and a number"
    raise OptionError("sink", repr(sink)[:200], expected)


class Results:
    """What a stream hands out: collected from its updates, delivered batch by batch.

    Args:
        collectors: make rows of updates, by the names of queries, or `STREAM`.
        outlets: who gets them.
        types: which columns have values in the place of terms.

    Raises:
        OptionError: a column with a type is in none of the results.
    """

    def __init__(
        self,
        collectors: Mapping[str, Collector],
        outlets: Mapping[str, Outlet],
        types: ColumnTypes | None = None,
    ) -> None:
        self._types = ColumnTypes.of(None) if types is None else types
        self._types.check([name for each in collectors.values() for name in each.names])
        self._columns = {name: each.names for name, each in collectors.items()}
        self._used = [(each, outlets[name]) for name, each in collectors.items() if outlets[name].is_open]
        self._batch = -1

    @property
    def types(self) -> dict[str, dict[str, str]]:
        """What the terms of each column are, by the names of queries."""
        return {name: self._types.of_columns(columns) for name, columns in self._columns.items()}

    def check_types(self, before: Mapping[str, Mapping[str, str]], source: str) -> None:
        """Nothing, if the columns that were there before have the types that they had.

        Args:
            before: the types of a stream that goes on.
            source: where it began.

        Raises:
            OptionError: one has another.
        """
        for query, columns in self.types.items():
            given, was = dict(columns), before.get(query, {})
            both = [name for name in given if name in was and given[name] != was[name]]
            if both:
                now, then = ({name: kinds[name] for name in both} for kinds in (given, was))
                of = f" of {query}" if query != STREAM else ""
                expected = f"{then}, with which the stream in {source} began"
                raise OptionError(f"types{of}", str(now), expected)

    def begin(self, batch: int) -> None:
        """A batch begins; forget what an attempt before collected."""
        self._batch = batch
        for collector, _ in self._used:
            collector.begin(batch)

    def note(self, update: WindowUpdate) -> None:
        """Collect what one update brought."""
        for collector, _ in self._used:
            collector.note(update)

    def deliver_if(self, rows: int, spark: SparkSession) -> None:
        """Hand out what was collected and begin the next batch, if anyone is to get so many rows."""
        if any(len(collector) >= rows for collector, _ in self._used):
            self.deliver(spark)
            self.begin(self._batch + 1)

    def deliver(self, spark: SparkSession) -> None:
        """Hand out what was collected since the batch began: files first, then to functions."""
        made = [(self._types.typed(collector.table()), outlet) for collector, outlet in self._used]
        hand_out(made, self._batch, spark)


def hand_out(made: Sequence[tuple[pa.Table, Outlet]], batch: int, spark: SparkSession) -> None:
    """Give each outlet its table of a batch: files first, then to functions."""
    for table, outlet in made:
        if outlet.files is not None:
            outlet.files.write(table, batch)
    for table, outlet in made:
        if outlet.sink is not None:
            outlet.sink(spark.createDataFrame(table), batch)


def _parquet(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(table, sink)
    written: bytes = sink.getvalue().to_pybytes()
    return written


def _csv(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(table, sink)
    written: bytes = sink.getvalue().to_pybytes()
    return written


def _ndjson(table: pa.Table) -> bytes:
    """One object a line. JSON has no numbers that are not finite; null stands for them."""
    rows = ({name: _finite(value) for name, value in row.items()} for row in table.to_pylist())
    lines = (json.dumps(row, ensure_ascii=False, allow_nan=False, default=_plain) for row in rows)
    return "".join(f"{line}\n" for line in lines).encode()


def _finite(value: object) -> object:
    return None if isinstance(value, float) and not isfinite(value) else value


def _plain(value: object) -> str:
    """What JSON has no type for: a time."""
    return value.isoformat() if isinstance(value, datetime) else str(value)


_WRITERS: dict[str, Callable[[pa.Table], bytes]] = {"parquet": _parquet, "csv": _csv, "ndjson": _ndjson}
