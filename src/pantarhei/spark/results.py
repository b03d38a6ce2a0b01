"""Delivery of a stream's results, batch by batch: to functions as DataFrames, and to folders as files.

Columns of terms can be converted to values of Spark's types. A file holds the results of one batch, whose
number is in its name, so that a batch that is applied again after a crash replaces the file of the first
attempt.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from functools import partial
from math import isfinite
from typing import Literal, NamedTuple, get_args

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import OptionError, check_choice
from pantarhei.model.term import Term
from pantarhei.query.answers import KINDS, arrow_type, kind_of_term, plain_value
from pantarhei.rdf.ntriples import parse_term
from pantarhei.spark.collectors import Collector
from pantarhei.spark.file_system import Folder
from pantarhei.spark.versions import schema_to_arrow
from pantarhei.spark.worker_errors import methods_send_errors


@dataclass(frozen=True, slots=True)
class ColumnTypes:
    """Kind of the terms in each column, named as in `QueryResult.to_arrow`; `n-triples` for an unlisted
    column.

    A column has the same type in every batch. So a term of another kind is an error, except a whole number in
    a column of numbers.
    """

    kinds: Mapping[str, str]

    @classmethod
    def of(cls, given: object) -> ColumnTypes:
        """Validate the option `types`.

        Raises:
            OptionError: the option is not a mapping from names of columns to kinds.
        """
        if given is None:
            return cls({})
        if not isinstance(given, Mapping) or not all(
            isinstance(kind, str) and kind in KINDS for kind in given.values()
        ):
            expected = f"a mapping of columns to {', '.join(KINDS)}"
            raise OptionError("types", repr(given)[:200], expected)
        return cls(dict(given))

    def check(self, names: Sequence[str]) -> None:
        """Check that all columns with a kind are among `names`.

        Raises:
            OptionError: a column with a kind is not among `names`.
        """
        if unknown := sorted(map(str, self.kinds.keys() - set(names))):
            expected = f"only columns of terms ({', '.join(names) or 'there are none'})"
            raise OptionError("types", ", ".join(unknown), expected)

    def of_columns(self, names: Sequence[str]) -> dict[str, str]:
        """Return the kind of each of the columns `names`."""
        return {name: self.kinds.get(name, "n-triples") for name in names}

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """Return the schema to which `typed` converts a table with the given schema."""
        fields = (
            pa.field(field.name, arrow_type(self.kinds[field.name])) if field.name in self.kinds else field
            for field in schema
        )
        return pa.schema(fields)

    def typed(self, table: pa.Table) -> pa.Table:
        """Convert the terms in columns with a kind to values; each distinct term is converted once.

        Raises:
            OptionError: a term is of another kind than its column.
        """
        for place, name in enumerate(table.column_names):
            if (kind := self.kinds.get(name, "n-triples")) != "n-triples":
                table = table.set_column(place, name, _values(table.column(name), name, kind))
        return table


def _values(column: pa.ChunkedArray, name: str, kind: str) -> pa.Array:
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    terms = map(parse_term, encoded.dictionary.to_pylist())
    return pa.array([_value(term, name, kind) for term in terms], arrow_type(kind)).take(encoded.indices)


def _value(term: Term, name: str, kind: str) -> object:
    found = kind_of_term(term)
    if found != kind and (found, kind) != ("integer", "number"):
        kinds = " or ".join(dict.fromkeys((found, "n-triples")))
        expected = f"{kinds}, to which the answer {term.n3()} can be converted"
        raise OptionError(f"types[{name!r}]", kind, expected)
    return plain_value(term, kind)


@methods_send_errors
@dataclass(frozen=True, slots=True)
class _Typing:
    """Function for `mapInArrow` that converts columns of terms to values."""

    types: ColumnTypes
    schema: pa.Schema

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from self.types.typed(pa.Table.from_batches([batch])).cast(self.schema).to_batches()


def typed(df: DataFrame, types: Mapping[str, str]) -> DataFrame:
    """Convert columns of terms in N-Triples syntax to values of Spark's types.

    It is intended for results of `materialize_aboxes` and `shard_stream`; `reason_stream` and `run` have an
    option `types` themselves.

    Args:
        df: the DataFrame, streaming or not.
        types: by name of a column, the kind of its terms: `name` (IRIs as strings), `string`, `integer`
            (bigint), `number` (double), `boolean` or `time` (timestamp).

    Raises:
        OptionError: `types` is not such a mapping, one of its columns does not exist or is not a string, or a
            column of `df` has a type that Arrow does not have; in the job: a term is of another kind than its
            column.

    >>> integer = '"21"^^<http://www.w3.org/2001/XMLSchema#integer>'
    >>> df = spark.createDataFrame([("<urn:a>", integer)], "s string, o string")
    >>> [tuple(row) for row in typed(df, {"s": "name", "o": "integer"}).collect()]
    [('urn:a', 21)]
    """
    chosen = ColumnTypes.of(types)
    chosen.check([name for name, of in df.dtypes if of == "string"])
    try:
        schema = chosen.schema(schema_to_arrow(df.schema))
    except PySparkException as error:  # a type that Arrow does not have, such as an interval of months
        raise OptionError("df", df.schema.simpleString(), f"columns without {error}") from None
    return df.mapInArrow(_Typing(chosen, schema), from_arrow_schema(schema, prefer_timestamp_ntz=False))


OutputFormat = Literal["parquet", "ndjson", "csv"]
Sink = Callable[[DataFrame, int], object]
Sinks = Sink | Mapping[str, Sink]

STREAM = ""
"""Name under which the results of a stream without registered queries are stored."""


class FileOutput:
    """Folder with one file for each batch that has rows.

    Args:
        folder: the folder; it is created if missing.
        format: "parquet", "ndjson" or "csv"; in ndjson, NaN and infinities are null, and bytes in base64.
        option: the name of the folder's option in errors.

    Raises:
        OptionError: the format is unknown, or the folder is a file.
    """

    def __init__(self, folder: Folder, format: OutputFormat, option: str = "output") -> None:
        check_choice("output_format", format, get_args(OutputFormat))
        if folder.is_file():
            raise OptionError(option, repr(str(folder)), "a folder, or a path where one can be created")
        folder.make()
        self._folder, self._format, self.option = folder, format, option

    def write(self, table: pa.Table, batch: int) -> None:
        """Write the rows of a batch; replace or remove the file of an earlier attempt, in any format."""
        name = f"batch-{batch:010d}"
        if len(table):
            self._folder.write(f"{name}.{self._format}", _WRITERS[self._format](table))
        for other in get_args(OutputFormat):
            if not len(table) or other != self._format:
                self._folder.remove(f"{name}.{other}")

    def check_columns(self, schema: pa.Schema) -> None:
        """Check that the format has columns of these types.

        Raises:
            OptionError: a column has another type, such as a nested one in csv.
        """
        try:
            _WRITERS[self._format](schema.empty_table())
        except pa.ArrowInvalid as error:
            raise OptionError("output_format", repr(self._format), f"another format: {error}") from None

    def refuse_if_used(self) -> None:
        """Refuse a folder with files of another stream, which a new stream would overwrite.

        Raises:
            OptionError: the folder contains files of batches.
        """
        if any(name.startswith("batch-") for name in self._folder.names()):
            expected = "a folder without files of another stream, or the checkpoint of that stream"
            raise OptionError(self.option, repr(str(self._folder)), expected)


class Outlet(NamedTuple):
    """Recipients of the rows of a query, or of a stream without registered queries.

    Args:
        files: the folder to which files are written; None for no files.
        sink: the function that is called with a DataFrame and the batch's number; None for no function.
    """

    files: FileOutput | None
    sink: Sink | None

    @property
    def is_open(self) -> bool:
        """True if there is a recipient."""
        return self.files is not None or self.sink is not None


def outlets(
    names: Collection[str], sink: Sinks | None, output: Folder | None, format: OutputFormat
) -> dict[str, Outlet]:
    """Return the outlet of each query by name; for a stream without registered queries, one named `STREAM`.

    Args:
        names: the names of the registered queries.
        sink: a function, or functions by name of a query.
        output: the folder for files; each query has a subfolder. None for no files.

    Raises:
        OptionError: `sink` does not fit the queries, or the format or the folder is invalid.
    """
    if not names:
        if sink is not None and not callable(sink):
            raise OptionError("sink", repr(sink)[:200], "a function of a DataFrame and its batch's number")
        return {STREAM: Outlet(None if output is None else FileOutput(output, format), sink)}
    sinks = _sinks(names, sink)
    return {
        name: Outlet(None if output is None else FileOutput(output / name, format), sinks.get(name))
        for name in names
    }


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
    """Results of a stream: collected from its updates, and delivered batch by batch.

    Args:
        collectors: the collectors of result rows by name of the query, or `STREAM`.
        outlets: the recipients of the rows, by the same names.
        types: the kinds of columns whose terms are converted to values.

    Raises:
        OptionError: a column in `types` is in none of the results.
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
        """Kinds of the columns by name of the query, or `STREAM`."""
        return {name: self._types.of_columns(columns) for name, columns in self._columns.items()}

    def check_types(self, before: Mapping[str, Mapping[str, str]], source: str) -> None:
        """Check that the columns of a resumed stream have the same kinds as before.

        Args:
            before: the property `types` of the earlier run.
            source: the path of the checkpoint, for the error.

        Raises:
            OptionError: a column has another kind than before.
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
        """Begin a batch, discarding the rows of an earlier attempt."""
        self._batch = batch
        for collector, _ in self._used:
            collector.begin(batch)

    def note(self, update: WindowUpdate) -> None:
        """Collect the rows of one update."""
        for collector, _ in self._used:
            collector.note(update)

    def deliver_if(self, rows: int, spark: SparkSession) -> None:
        """If a collector has at least `rows` rows, deliver the batch and begin the next one."""
        if any(len(collector) >= rows for collector, _ in self._used):
            self.deliver(spark)
            self.begin(self._batch + 1)

    def deliver(self, spark: SparkSession) -> None:
        """Deliver the rows of the batch: first write all files, then call the functions."""
        made = [(self._types.typed(collector.table()), outlet) for collector, outlet in self._used]
        deliver_tables(made, self._batch, spark)


def deliver_tables(made: Sequence[tuple[pa.Table, Outlet]], batch: int, spark: SparkSession) -> None:
    """Deliver the tables of a batch, each to its outlet: first write all files, then call the functions."""
    for table, outlet in made:
        if outlet.files is not None:
            outlet.files.write(table, batch)
    for table, outlet in made:
        if outlet.sink is not None:
            # Spark loses the rows of a table whose first chunk is empty.
            outlet.sink(spark.createDataFrame(table.combine_chunks()), batch)


def _encoded(table: pa.Table, write: Callable[[pa.Table, pa.BufferOutputStream], object]) -> bytes:
    sink = pa.BufferOutputStream()
    write(table, sink)
    written: bytes = sink.getvalue().to_pybytes()
    return written


def _ndjson(table: pa.Table) -> bytes:
    """Write one JSON object per row."""
    rows = map(_plain, table.to_pylist())
    return "".join(f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n" for row in rows).encode()


def _plain(value: object) -> object:
    """Convert a value to JSON: times to ISO 8601 texts, NaN and infinities to null, bytes to base64."""
    match value:
        case None | str() | int():
            return value
        case dict():
            return {str(name): _plain(each) for name, each in value.items()}
        case list() | tuple():
            return list(map(_plain, value))
        case float():
            return value if isfinite(value) else None
        case bytes():
            return base64.b64encode(value).decode()
        case date() | time():  # datetimes too
            return value.isoformat()
        case _:  # decimals and durations
            return str(value)


_WRITERS: dict[str, Callable[[pa.Table], bytes]] = {
    "parquet": partial(_encoded, write=pyarrow.parquet.write_table),
    "csv": partial(_encoded, write=pyarrow.csv.write_csv),
    "ndjson": _ndjson,
}
