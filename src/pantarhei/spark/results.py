"""What comes out of a stream, batch by batch: answers or deltas as tables, to a DataFrame or to files.

A file holds one batch and is named after it, so that a batch that is applied again after a crash replaces
what the first attempt wrote: its rows are there once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from pyspark.sql import DataFrame, SparkSession

from pantarhei.engine.checkpoint import write_whole
from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import OptionError
from pantarhei.language.term import Term
from pantarhei.language.time import TimeKind
from pantarhei.rdf.ntriples import write_term
from pantarhei.reasoner import StreamReasoner

OutputFormat = Literal["parquet", "ndjson", "csv"]
Sink = Callable[[DataFrame, int], object]

_TIMES = {
    TimeKind.INTEGER: pa.int64(),
    TimeKind.FLOAT: pa.float64(),
    TimeKind.DATETIME: pa.timestamp("us", tz="UTC"),
}


class Collector:
    """The rows of one batch, one for each answer or each change of the materialization.

    Every row has the batch (`batch`), the timestamp of the ABox (`at`) and the window (`start`, `end`). An
    answer has a column for each variable, a change has `subject`, `predicate`, `object` and `change` (1 came,
    -1 went). Terms are in N-Triples syntax, unbound ones null.

    Args:
        kind: the kind of the stream's timestamps.
        reasoner: what answers.
        query: the query; without one the changes are collected.

    Raises:
        QueryError: the query is malformed or refused.
        OptionError: a variable of it has the name of another column.
    """

    def __init__(self, kind: TimeKind, reasoner: StreamReasoner, query: str | None) -> None:
        self._reasoner, self._query = reasoner, query
        time = _TIMES[kind]
        head = pa.schema({"batch": pa.int64(), "at": time, "start": time, "end": time})
        names = ["subject", "predicate", "object"]
        if query is not None:
            names = list(reasoner.query(query).columns())
            refuse_taken(names, head.names)
        self.schema = pa.schema([*head, *(pa.field(name, pa.string()) for name in names)])
        if query is None:
            self.schema = self.schema.append(pa.field("change", pa.int8()))
        self.begin(-1)

    def begin(self, batch: int) -> None:
        """Forget what was collected: a batch begins."""
        self._batch = batch
        self._columns: dict[str, list[Any]] = {name: [] for name in self.schema.names}

    def note(self, update: WindowUpdate) -> None:
        """Collect the rows of one update, at the state that it led to."""
        rows = self._changes(update) if self._query is None else self._answers(self._query)
        head = (self._batch, update.at, update.start, update.end)
        for row in rows:
            for name, value in zip(self.schema.names, (*head, *row), strict=True):
                self._columns[name].append(value)

    def _changes(self, update: WindowUpdate) -> Iterator[tuple[object, ...]]:
        for change, triples in ((-1, update.delta.removed), (1, update.delta.added)):
            yield from sorted((*map(write_term, triple), change) for triple in triples)

    def _answers(self, query: str) -> Iterator[tuple[object, ...]]:
        columns = self._reasoner.query(query).columns()
        return zip(*(map(_text, column) for column in columns.values()), strict=True)

    def table(self) -> pa.Table:
        """What was collected."""
        return pa.table(self._columns, schema=self.schema)


def _text(term: Term | None) -> str | None:
    return None if term is None else write_term(term)


def refuse_taken(names: Sequence[str], columns: Collection[str]) -> None:
    """Refuse variables that would be columns of one name, with each other or with others.

    Raises:
        OptionError: there are such; capital letters do not tell columns apart.
    """
    met = Counter(name.lower() for name in (*names, *columns))
    if taken := sorted(name for name in names if met[name.lower()] > 1):
        expected = "a query with other variables; columns of the results have these names already"
        raise OptionError("query", ", ".join(f"?{name}" for name in taken), expected)


class FileOutput:
    """A folder with a file for each batch that has rows.

    Args:
        folder: made if it is not there.
        format: "parquet", "ndjson" or "csv".

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


class Results:
    """What a stream hands out: collected from its updates, delivered batch by batch.

    Args:
        collector: makes rows of updates.
        files: where they are written.
        sink: who else gets them.
    """

    def __init__(self, collector: Collector, files: FileOutput | None, sink: Sink | None) -> None:
        self._collector, self._files, self._sink = collector, files, sink
        self._batch = -1

    def begin(self, batch: int) -> None:
        """A batch begins; forget what an attempt before collected."""
        self._batch = batch
        self._collector.begin(batch)

    def note(self, update: WindowUpdate) -> None:
        """Collect what one update brought."""
        if self._files is not None or self._sink is not None:
            self._collector.note(update)

    def deliver(self, spark: SparkSession) -> None:
        """Hand out what was collected since the batch began."""
        if self._files is not None:
            self._files.write(self._collector.table(), self._batch)
        if self._sink is not None:
            self._sink(spark.createDataFrame(self._collector.table()), self._batch)


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
    rows = (json.dumps(row, ensure_ascii=False, default=_plain) for row in table.to_pylist())
    return "".join(f"{row}\n" for row in rows).encode()


def _plain(value: object) -> str:
    """What JSON has no type for: a time."""
    return value.isoformat() if isinstance(value, datetime) else str(value)


_WRITERS: dict[str, Callable[[pa.Table], bytes]] = {"parquet": _parquet, "csv": _csv, "ndjson": _ndjson}
