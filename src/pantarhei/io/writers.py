"""Writers of answers as NDJSON, CSV, TSV, Parquet or text tables, and sinks for the history of assertions.

A writer writes the rows of one window at a time and flushes them. The first column is the time of the window,
`at` (`window_at` if the query has a variable `at`): a number, or ISO 8601. Deltas of answers also have the
column `change`. A window without answers has no rows; if the previous window had answers, an *end record*
with the time alone is written.

- NDJSON: one object per row, with plain values: IRIs as strings, blank nodes as `_:label`, well-typed numbers
  and booleans as JSON values, other literals as their text, unbound variables as null. End record: an object
  with the time as its only key.
- CSV: as in SPARQL 1.1's CSV results: IRIs and texts unchanged, blank nodes as `_:label`, unbound variables
  as empty cells. End record: a row with the time in which all other cells are empty (an answer of empty texts
  has an equal row).
- TSV: as in SPARQL 1.1's TSV results: a header of variables, terms in N-Triples syntax.
- Parquet: one file with plain values, in the columns and kinds of `QueryResult.to_arrow`. It is written when
  the stream ends or is interrupted; after an error nothing is written. All answers are in memory until then.
- Table: IRIs are shortened by prefixes. A window without answers has a line of its own, and no end record.
"""

from __future__ import annotations

import csv
import json
import math
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from io import StringIO
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from rdflib import BNode, Literal, URIRef

from pantarhei.errors import (
    ExcludedOptionError,
    MissingOptionError,
    OptionError,
    UnknownFormatError,
    check_type,
)
from pantarhei.model.message_text import with_prefix
from pantarhei.model.term import Term
from pantarhei.model.time import TimePoint
from pantarhei.query.algebra.nodes import Query
from pantarhei.query.answer_reports import signed_rows
from pantarhei.query.answers import (
    QueryResult,
    Row,
    arrow_table,
    check_distinct_names,
    column_names,
    columns_of,
    time_column,
    write_parquet,
)
from pantarhei.rdf.ntriples import write_term
from pantarhei.repair.history_records import HistoryRecord


class NDJSONSink:
    """History sink that appends one line of JSON per history record to a file.

    A sink is called with lists of records, oldest first. If it raises, the same records are passed to the
    next call again. After a restore from a checkpoint, records since the checkpoint are written a second
    time.

    A line has the fields of `HistoryRecord`, times as numbers or ISO 8601. `conflicts` is a list of objects
    with `constraints` and `against`; it is empty for assertions that a repair did not remove.

    Args:
        path: the file; it is created if missing.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> ontology, folder = pr.load_ontology("ontologies/pedals.ttl"), TemporaryDirectory()
    >>> path = Path(folder.name) / "history.ndjson"
    >>> history = pr.History(sink=pr.NDJSONSink(path))
    >>> reasoner = pr.StreamReasoner(ontology, pr.Window(range=2), history=history)
    >>> _ = reasoner.push(1, [gas]), reasoner.advance(9)
    >>> reasoner.flush_history()
    >>> len(path.read_text().splitlines())
    1
    >>> folder.cleanup()
    """

    batch = 1

    def __init__(self, path: str | os.PathLike[str]) -> None:
        check_type("path", path, (str, os.PathLike), "the path of a file")
        self.path = Path(path)

    def __repr__(self) -> str:
        return f"NDJSONSink({str(self.path)!r})"

    def __call__(self, records: Sequence[HistoryRecord]) -> None:
        values = (_values(record, _iso_time) for record in records)
        text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in values)
        with self.path.open("ab") as file:
            before = file.tell()
            try:
                file.write(text.encode())
                file.flush()
            except BaseException:  # the records are passed again: remove those already written
                os.truncate(self.path, before)
                raise


class ParquetSink:
    """History sink that writes Parquet files into a folder: `history-000001.parquet` and so on.

    The columns are the fields of `HistoryRecord`, with `timestamp` and `at` as integers, floats or timestamps
    in UTC.

    Args:
        folder: the folder; it is created if missing.
        batch: minimum number of assertions per file.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> from tempfile import TemporaryDirectory
    >>> import pyarrow.parquet as pq
    >>> ontology, folder = pr.load_ontology("ontologies/pedals.ttl"), TemporaryDirectory()
    >>> history = pr.History(sink=pr.ParquetSink(folder.name))
    >>> reasoner = pr.StreamReasoner(ontology, pr.Window(range=2), history=history)
    >>> _ = reasoner.push(1, [gas]), reasoner.advance(9)
    >>> reasoner.flush_history()
    >>> pq.read_table(folder.name)["fate"].to_pylist()
    ['left']
    >>> folder.cleanup()
    """

    def __init__(self, folder: str | os.PathLike[str], batch: int = 20_000) -> None:
        check_type("folder", folder, (str, os.PathLike), "the path of a folder")
        check_type("batch", batch, int, "a whole number")
        self.folder, self.batch = Path(folder), batch

    def __repr__(self) -> str:
        return f"ParquetSink({str(self.folder)!r}, batch={self.batch})"

    def __call__(self, records: Sequence[HistoryRecord]) -> None:
        import pyarrow as pa

        self.folder.mkdir(parents=True, exist_ok=True)
        numbers = [int(path.stem[8:]) for path in self.folder.glob("history-??????*.parquet")]
        path = self.folder / f"history-{max(numbers, default=0) + 1:06}.parquet"
        at = pa.timestamp("us", "UTC") if isinstance(records[0].at, datetime) else (
            pa.float64() if isinstance(records[0].at, float) else pa.int64()
        )  # fmt: skip
        text, texts = pa.string(), pa.list_(pa.string())
        triple = [("subject", text), ("predicate", text), ("object", text)]
        against = pa.list_(pa.struct([("timestamp", at), *triple]))
        conflicts = pa.list_(pa.struct([("constraints", texts), ("against", against)]))
        schema = pa.schema([("timestamp", at), *triple, ("fate", text), ("at", at), ("conflicts", conflicts)])
        table = pa.Table.from_pylist([_values(record, lambda at: at) for record in records], schema)
        write_parquet(table, path)


def _values(record: HistoryRecord, time: Callable[[TimePoint], object]) -> dict[str, object]:
    """Convert a history record to dictionaries and lists; `time` converts its timestamps."""
    conflicts = [
        {
            "constraints": list(each.constraints),
            "against": [{**one._asdict(), "timestamp": time(one.timestamp)} for one in each.against],
        }
        for each in record.conflicts
    ]
    times = {"timestamp": time(record.timestamp), "at": time(record.at)}
    return {**record._asdict(), **times, "conflicts": conflicts}


def _iso_time(at: TimePoint) -> int | float | str:
    return at.isoformat() if isinstance(at, datetime) else at


Cell = Term | int | float | str | None
Columns = Mapping[str, Sequence[Cell]]

FORMATS = ("table", "ndjson", "csv", "tsv", "parquet")
_SUFFIXES = {
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".json": "ndjson",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".txt": "table",
}


class AnswerWriter(ABC):
    """Writer of the answers of windows to a text file.

    Args:
        file: the file.
        close: whether `close` closes the file.

    Attributes:
        had_answers: whether the last report had answers.
    """

    def __init__(self, file: TextIO, close: bool = False) -> None:
        self._file, self._close = file, close
        self.had_answers = False

    def write(self, at: TimePoint, result: QueryResult) -> None:
        """Write the answers of the window at time `at`, or an end record."""
        self.report(at, result.columns())

    def report(self, at: TimePoint, columns: Columns) -> None:
        """Write answers given as columns of equal length, or an end record if there are none any more."""
        self.rows(at, columns)
        has_answers = any(columns.values())
        if self.had_answers and not has_answers:
            self.no_more(at, columns)
        self.had_answers = has_answers
        self._file.flush()

    def line(self, text: str) -> None:
        """Write a line of text, and flush."""
        self._file.write(text + "\n")
        self._file.flush()

    @abstractmethod
    def rows(self, at: TimePoint, columns: Columns) -> None:
        """Write rows given as columns of equal length, without flushing them."""

    @abstractmethod
    def no_more(self, at: TimePoint, columns: Columns) -> None:
        """Write the end record of the window at time `at`."""

    def close(self) -> None:
        """Flush the file; close it if the writer was constructed with `close=True`."""
        self._file.flush()
        if self._close:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None or self._close:
            self.close()


class NdjsonWriter(AnswerWriter):
    """Writer of one JSON object per row.

    >>> NdjsonWriter(sys.stdout).rows(7, {"x": [URIRef("urn:belt")], "speed": [Literal(0.5)]})
    {"at": 7, "x": "urn:belt", "speed": 0.5}
    """

    def rows(self, at: TimePoint, columns: Columns) -> None:
        for row in zip(*columns.values(), strict=True):
            self._object(at, columns, dict(zip(columns, map(json_value, row), strict=True)))

    def no_more(self, at: TimePoint, columns: Columns) -> None:
        self._object(at, columns, {})

    def _object(self, at: TimePoint, columns: Columns, values: dict[str, object]) -> None:
        time = {time_column(columns): json_time(at)}
        self._file.write(json.dumps(time | values, ensure_ascii=False) + "\n")


class CsvWriter(AnswerWriter):
    """Writer of comma-separated values below one header line.

    >>> CsvWriter(sys.stdout).rows(7, {"x": [URIRef("urn:belt")], "speed": [Literal(0.5)]})
    at,x,speed
    7,urn:belt,0.5
    """

    _header: list[str] | None = None

    @classmethod
    def behind(cls, file: TextIO, header: list[str] | None) -> Self:
        """Return a writer that closes the file and appends to it, if it already has the header `header`."""
        writer = cls(file, close=True)
        writer._header = header
        return writer

    def rows(self, at: TimePoint, columns: Columns) -> None:
        header = [self._name(name) for name in (time_column(columns), *columns)]
        if self._header is None:
            self._row(header)
            self._header = header
        elif self._header != header:
            reason = f"The file has the columns {','.join(self._header)}, but {','.join(header)} are written."
            raise ExcludedOptionError("append", "True", reason)
        for row in zip(*columns.values(), strict=True):
            self._row([self._time(at), *("" if cell is None else self._cell(cell) for cell in row)])

    def no_more(self, at: TimePoint, columns: Columns) -> None:
        self._row([self._time(at), *("" for _ in columns)])

    def _row(self, cells: Sequence[str]) -> None:
        csv.writer(self._file, lineterminator="\n").writerow(cells)

    def _name(self, column: str) -> str:
        return column

    def _time(self, at: TimePoint) -> str:
        return time_text(at)

    def _cell(self, cell: Term | int | float | str) -> str:
        return cell_text(cell)


class TsvWriter(CsvWriter):
    """Writer of tab-separated values in SPARQL's format.

    >>> TsvWriter(file := StringIO()).rows(7, {"x": [URIRef("urn:belt")]})
    >>> file.getvalue().split()
    ['?at', '?x', '"7"^^<http://www.w3.org/2001/XMLSchema#integer>', '<urn:belt>']
    """

    def _row(self, cells: Sequence[str]) -> None:
        self._file.write("\t".join(cells) + "\n")

    def _name(self, column: str) -> str:
        return f"?{column}"

    def _time(self, at: TimePoint) -> str:
        return write_term(Literal(at))

    def _cell(self, cell: Term | int | float | str) -> str:
        term = cell if isinstance(cell, URIRef | BNode | Literal) else Literal(cell)
        return write_term(term).replace("\t", "\\t")


class ParquetWriter(AnswerWriter):
    """Writer of a Parquet file, which is written by `close`.

    Args:
        path: the file.
    """

    def __init__(self, path: str) -> None:
        super().__init__(StringIO())
        self._path = path
        self._columns: dict[str, list[Cell]] = {}

    def rows(self, at: TimePoint, columns: Columns) -> None:
        count = len(next(iter(columns.values()), ()))
        times: list[Cell] = [Literal(at)] * count
        for name, cells in {time_column(columns): times, **columns}.items():
            self._columns.setdefault(name, []).extend(cells)

    def no_more(self, at: TimePoint, columns: Columns) -> None:
        self.rows(at, {name: [None] for name in columns})

    def close(self) -> None:
        terms = {
            name: [
                cell if cell is None or isinstance(cell, URIRef | BNode | Literal) else Literal(cell)
                for cell in cells
            ]
            for name, cells in self._columns.items()
        }
        write_parquet(arrow_table(terms), self._path)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None or issubclass(kind, KeyboardInterrupt):
            self.close()


class TableWriter(AnswerWriter):
    """Writer of one text table per window, at most as wide as the terminal; unlimited if not to a
    terminal.
    """

    def __init__(self, file: TextIO, close: bool = False, prefixes: Mapping[str, str] | None = None) -> None:
        from rich.console import Console

        super().__init__(file, close)
        self._prefixes = prefixes or {}
        self._console = Console(file=file, width=None if file.isatty() else 1000, highlight=False)

    def rows(self, at: TimePoint, columns: Columns) -> None:
        from rich.table import Table
        from rich.text import Text

        table = Table()
        for name in columns:
            table.add_column(Text(name))
        for row in zip(*columns.values(), strict=True):
            table.add_row(*(Text("" if cell is None else self._short(cell)) for cell in row))
        self._console.print(Text.assemble((time_text(at), "bold"), "" if table.row_count else "  no answers"))
        if table.row_count:
            self._console.print(table)

    def no_more(self, at: TimePoint, columns: Columns) -> None:
        """Write nothing: `rows` writes a line for each window without answers."""

    def _short(self, cell: Cell) -> str:
        if isinstance(cell, URIRef):
            return with_prefix(cell, self._prefixes)
        return cell_text(cell)


def report_columns(
    query: Query, added: Mapping[Row, int], removed: Mapping[Row, int], shows_changes: bool
) -> dict[str, list[Cell]]:
    """Return the rows of a report as columns, sorted by their terms in N-Triples syntax.

    Args:
        added, removed: number of occurrences of each inserted and each deleted row.
        shows_changes: whether to begin with a column `change`, with `+` for inserted and `-` for deleted
            rows.
    """
    signed = signed_rows(added, removed)
    if query.form == "ASK" and not shows_changes:
        return {"answer": [Literal(bool(signed))]}
    columns: dict[str, list[Cell]] = {"change": [sign for sign, _ in signed]} if shows_changes else {}
    for name, cells in columns_of(column_names(query), [row for _, row in signed]).items():
        columns[name] = [*cells]
    return columns


def refuse_taken_columns(query: Query, shows_changes: bool, format: str) -> None:
    """Refuse a query with a variable that has the name of a column added by the writer.

    Args:
        shows_changes: whether the writer adds the column `change`.
        format: the output format, one of `FORMATS`; a table has no column of times.

    Raises:
        OptionError: the query has such a variable.
    """
    names: Columns = {str(each): () for each in query.variables} if query.form == "SELECT" else {}
    times = [] if format == "table" else [time_column(names)]
    check_distinct_names(names, [*times, *(["change"] if shows_changes else [])])


def open_writer(
    target: str | None = None,
    format: str | None = None,
    prefixes: Mapping[str, str] | None = None,
    append: bool = False,
) -> AnswerWriter:
    """Return a writer to the file `target`, or to standard output if it is None or "-".

    Args:
        format: one of `FORMATS`; by default by the file's suffix, and a table for standard output.
        prefixes: namespaces by prefix, to shorten IRIs in a table.
        append: whether to append to the file instead of replacing it.

    Raises:
        OptionError: the format or the suffix is unknown.
        OSError: the file cannot be written.
    """
    to_file, format = _is_file(target), format_of(target, format)
    if format == "parquet":
        if append:
            reason = "A Parquet file is written as a whole, so that nothing can be appended to it."
            raise ExcludedOptionError("append", "True", reason)
        return ParquetWriter(str(target))
    delimiter = {"csv": ",", "tsv": "\t"}.get(format)
    header = _header_of(str(target), delimiter) if to_file and append and delimiter else None
    file = _opened(str(target), append) if to_file else sys.stdout
    if format == "table":
        return TableWriter(file, to_file, prefixes)
    if format == "ndjson":
        return NdjsonWriter(file, to_file)
    of_values = TsvWriter if format == "tsv" else CsvWriter
    return of_values(file, to_file) if header is None else of_values.behind(file, header)


def _header_of(path: str, delimiter: str) -> list[str] | None:
    """Return the header of a file of delimited values; None if the file is missing or empty."""
    if not Path(path).is_file():
        return None
    with Path(path).open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file, delimiter=delimiter), None)


def format_of(target: str | None, format: str | None) -> str:
    """Return the format that `open_writer` would write.

    Raises:
        OptionError: the format or the suffix is unknown.
    """
    if format is None:
        format = _SUFFIXES.get(Path(str(target)).suffix.lower(), "") if _is_file(target) else "table"
    if not format:
        raise UnknownFormatError("format", str(target), tuple(_SUFFIXES), FORMATS)
    if format not in FORMATS:
        raise OptionError("format", format, f"one of {', '.join(FORMATS)}")
    if format == "parquet" and not _is_file(target):
        raise MissingOptionError("output", "FILE", "The format parquet needs a file.")
    return format


def _is_file(target: str | None) -> bool:
    return target not in (None, "-")


def _opened(path: str, append: bool) -> TextIO:
    file = Path(path).open("a" if append else "w", encoding="utf-8", newline="")  # noqa: SIM115
    if append and is_torn(Path(path)):
        file.write("\n")
    return file


def is_torn(path: Path) -> bool:
    """Return whether a file ends in an incomplete line, as it does if its writer was killed."""
    if not path.is_file() or not path.stat().st_size:
        return False
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


def time_text(at: TimePoint) -> str:
    """Return the text of a timestamp: a number, or ISO 8601 with `Z` for UTC.

    >>> from datetime import UTC
    >>> time_text(7), time_text(datetime(2026, 1, 31, 10, tzinfo=UTC))
    ('7', '2026-01-31T10:00:00Z')
    """
    if not isinstance(at, datetime):
        return str(at)
    text = at.isoformat()
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


def json_time(at: TimePoint) -> int | float | str:
    """Return a timestamp as a JSON value: a number, or the text of `time_text`."""
    return time_text(at) if isinstance(at, datetime) else at


def cell_text(cell: Cell) -> str:
    """Return the text of a term or a plain value; literals without datatype and language."""
    return f"_:{cell}" if isinstance(cell, BNode) else str(cell)


def json_value(cell: Cell) -> object:
    """Return a term or a plain value as a JSON value: a number, a boolean, or a text."""
    if not isinstance(cell, Literal):
        return cell_text(cell) if isinstance(cell, str) else cell
    value = cell.value
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return str(cell)
