"""Answers of a query as an rdflib `Result`, and as Arrow, pandas and polars tables and Parquet files.

Each column of a table has a kind, which determines the plain values of its terms:

- `name`: IRIs unchanged, blank nodes as `_:label`.
- `string`: strings without a language tag.
- `integer`, `number` (decimals, floats, or a mixture with integers), `boolean`, `time` (with a time zone).
- `n-triples`: all other columns, each term in N-Triples syntax. This includes columns with values that the
  plain type cannot represent: integers beyond 64 bits, decimals beyond the range of doubles, times outside
  the years 1 to 9999 in UTC.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast
from uuid import uuid4

from rdflib import XSD, BNode, Graph, Literal, URIRef, Variable
from rdflib.plugin import PluginException
from rdflib.query import Result, ResultRow

from pantarhei.errors import OptionError
from pantarhei.errors.base import import_package
from pantarhei.model.message_text import counted, disambiguate, one_line
from pantarhei.model.representation import WIDTH, panel, table
from pantarhei.model.term import Term, Triple, in_order, short
from pantarhei.rdf.ntriples import exactly, write_term

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from pantarhei.query.algebra.nodes import Query


KINDS = ("name", "string", "integer", "number", "boolean", "time", "n-triples")


def arrow_type(kind: str) -> pa.DataType:
    """Return the Arrow type of a column of this kind."""
    import pyarrow as pa

    types = {
        "integer": pa.int64(),
        "number": pa.float64(),
        "boolean": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
    }
    return types.get(kind, pa.string())


_INT64 = range(-(2**63), 2**63)


def kind_of_terms(terms: Sequence[Term | None]) -> str:
    """Return the kind of a column with these terms; None is an unbound variable."""
    kinds = {kind_of_term(term) for term in terms if term is not None}
    if kinds == {"integer", "number"}:
        return "number"
    if not kinds:
        return "string"
    return kinds.pop() if len(kinds) == 1 else "n-triples"


def kind_of_term(term: Term) -> str:
    """Return the kind of a column with this term alone."""
    if isinstance(term, URIRef | BNode):
        return "name"
    if term.language is None and term.datatype in (None, XSD.string):
        return "string"
    match term.value:
        case bool():
            return "boolean"
        case int() as number if number in _INT64:
            return "integer"
        case float():
            return "number"
        case Decimal() as decimal if isfinite(float(decimal)):
            return "number"
        case datetime() as at if at.tzinfo is not None and _is_in_utc(at):
            return "time"
    return "n-triples"


def _is_in_utc(at: datetime) -> bool:
    """Return whether a time, converted to UTC, is in the years 1 to 9999."""
    try:
        at.astimezone(UTC)
    except OverflowError:
        return False
    return True


def plain_value(term: Term, kind: str) -> object:
    """Return the plain value of a term in a column of this kind."""
    if kind == "name":
        return f"_:{term}" if isinstance(term, BNode) else str(term)
    if kind == "string":
        return str(term)
    if kind == "n-triples":
        return write_term(term)
    value: object = cast(Literal, term).value
    return float(cast(float, value)) if kind == "number" else value


def check_distinct_names(
    names: Iterable[str], columns: Collection[str], option: str = "query", ignores_case: bool = False
) -> None:
    """Check that the variables of a query and the other columns of its result have distinct names.

    Args:
        names: variables, without the question mark.
        columns: other columns of the result.
        option: name of the option that has the query, for the error.
        ignores_case: whether names that differ only in case are one column.

    Raises:
        OptionError: a name occurs twice.

    >>> check_distinct_names(["who", "Change"], ["at", "change"])
    """
    names = list(names)
    as_column: Callable[[str], str] = str.lower if ignores_case else str
    counts = Counter(map(as_column, (*names, *columns)))
    if taken := sorted(name for name in names if counts[as_column(name)] > 1):
        expected = (
            "variables with other names, since the results have a column "
            f"{' and a column '.join(dict.fromkeys(map(as_column, taken)))} already; "
            f"rename them, as in (?{taken[0]} AS ?other)"
        )
        raise OptionError(option, ", ".join(f"?{name}" for name in taken), expected)


MAX_BYTES = 1 << 30
"""Default limit of the bytes of one operator's rows."""

Row = tuple[Term | None, ...]

_OF_TRIPLES = ("subject", "predicate", "object")


def column_names(query: Query) -> tuple[str, ...]:
    """Return the names of the columns of a query's answers."""
    return {"SELECT": tuple(map(str, query.variables)), "ASK": ("answer",)}.get(query.form, _OF_TRIPLES)


def time_column(names: Collection[str]) -> str:
    """Return the name of the column of times beside columns with these names."""
    return "window_at" if "at" in names else "at"


def columns_of(names: Sequence[str], rows: Sequence[Row]) -> dict[str, list[Term | None]]:
    """Return rows as columns; an empty row is the answer true of an ASK.

    >>> columns_of(["x", "y"], [(URIRef("urn:a"), None)])
    {'x': [rdflib.term.URIRef('urn:a')], 'y': [None]}
    """
    return {name: [row[i] if row else Literal(True) for row in rows] for i, name in enumerate(names)}


class AnswerTable(ABC):
    """Answers with conversions to Arrow, pandas and polars tables and to Parquet files."""

    __slots__ = ()

    @abstractmethod
    def columns(self) -> dict[str, list[Term | None]]:
        """Return the answers as columns of terms; None for an unbound variable."""

    def to_arrow(self) -> pa.Table:
        """Return the answers as a `pyarrow.Table` with the columns of `columns`; unbound variables are
        null.

        The metadata `terms` of a field is the kind of its column:

        - `name`: IRIs unchanged, blank nodes as `_:label`.
        - `string`: strings without a language tag.
        - `integer` (int64), `number` (float64: decimals, floats, or a mixture with integers), `boolean`,
          `time` (timestamps in UTC; all terms have a time zone).
        - `n-triples`: other terms and mixtures, each term in N-Triples syntax.
        """
        return arrow_table(self.columns())

    def to_pandas(self) -> pd.DataFrame:
        """Return the answers as a `pandas.DataFrame` with the columns of `to_arrow`; integers with nulls are
        `Int64`.
        """
        import pandas as pd

        table = self.to_arrow()
        frame: pd.DataFrame = table.to_pandas()
        for field, column in zip(table.schema, table.columns, strict=True):
            if field.metadata[b"terms"] == b"integer" and column.null_count:
                frame[field.name] = pd.array(column.to_pylist(), dtype="Int64")
        return frame

    def to_polars(self) -> pl.DataFrame:
        """Return the answers as a `polars.DataFrame` with the columns of `to_arrow`.

        Raises:
            MissingPackageError: polars is not installed (`pip install 'pantarhei[polars]'`).
        """
        frame: pl.DataFrame = import_package("polars", "polars", "to_polars").from_arrow(self.to_arrow())
        return frame

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write the answers to a Parquet file with the columns of `to_arrow`, kinds included.

        An existing file is replaced as a whole; after an error it is unchanged.

        Raises:
            OSError: the file cannot be written.

        >>> from tempfile import TemporaryDirectory
        >>> from pyarrow import parquet
        >>> result = QueryResult("SELECT", [Variable("level")], 2, lambda: [[Literal(7), Literal(9)]])
        >>> with TemporaryDirectory() as folder:
        ...     result.to_parquet(f"{folder}/levels.parquet")
        ...     parquet.read_table(f"{folder}/levels.parquet")["level"].to_pylist()
        [7, 9]
        """
        write_parquet(self.to_arrow(), path)


class QueryResult(AnswerTable, Result):
    """Complete answers of one query over one state of the window, as an rdflib `Result`.

    Iteration yields rows for SELECT, triples for CONSTRUCT and DESCRIBE, and one bool for ASK. Terms are
    decoded at first access.

    Args:
        form: `SELECT`, `ASK`, `CONSTRUCT` or `DESCRIBE`.
        variables: columns of a SELECT.
        size: number of rows or triples.
        decode: returns the columns as terms: one column for each variable, or the subjects, predicates and
            objects of the triples.
        answer: result of an ASK.
        prefixes: prefixes of the resulting graph.
        plan: returns the text of the plan.

    >>> result = QueryResult("SELECT", [Variable("level")], 2, lambda: [[Literal(7), Literal(9)]])
    >>> result.to_pandas()["level"].tolist()
    [7, 9]
    """

    def __init__(
        self,
        form: str,
        variables: Sequence[Variable] = (),
        size: int = 0,
        decode: Callable[[], Sequence[Sequence[Term | None]]] = tuple,
        answer: bool | None = None,
        prefixes: Sequence[tuple[str, str]] = (),
        plan: Callable[[], str] | None = None,
    ) -> None:
        self.form, self.size = form, size
        self.type, self.vars, self.askAnswer = form, list(variables) if form == "SELECT" else None, answer
        self._decode: Callable[[], Sequence[Sequence[Term | None]]] | None = decode
        self._prefixes, self._plan = tuple(prefixes), plan
        self._mappings: list[dict[Variable, Term]] | None = None
        self._graph: Graph | None = None

    @property
    def _decoded(self) -> list[list[Term | None]]:
        decode = self._decode
        if decode is not None:
            self._columns = [list(column) for column in decode()]
            self._decode = None  # releases the state of the window, once the columns are stored
        return self._columns

    def decoded(self) -> QueryResult:
        """Decode all terms, and return the result itself."""
        assert self._decoded is not None
        return self

    @property
    def rows(self) -> list[Row]:
        """Rows of a SELECT as tuples of terms; None for an unbound variable."""
        return list(zip(*self._decoded, strict=True)) if self._decoded else [()] * self.size

    @property  # type: ignore[misc]
    def bindings(self) -> list[dict[Variable, Term]]:  # type: ignore[override]
        """Rows of a SELECT as mappings from variables to terms, without unbound variables."""
        if self._mappings is None:
            named = [
                [(v, t) for v, t in zip(self.vars or (), row, strict=True) if t is not None]
                for row in self.rows
            ]
            self._mappings = [dict(pairs) for pairs in named] if self.type == "SELECT" else []
        return self._mappings

    @property
    def graph(self) -> Graph | None:  # type: ignore[override]
        """Triples of a CONSTRUCT or DESCRIBE, with the prefixes of the query; None for other forms."""
        if self.type in ("SELECT", "ASK"):
            return None
        if self._graph is None:
            graph = Graph()
            for prefix, namespace in self._prefixes:
                graph.bind(prefix, namespace)
            for triple in zip(*self._decoded, strict=True):
                graph.add(cast(Any, triple))
            self._graph = graph
        return self._graph

    def __iter__(self) -> Iterator[Any]:
        if self.type == "ASK":
            yield self.askAnswer
        elif self.type == "SELECT":
            labels = {str(variable): index for index, variable in enumerate(self.vars or ())}
            for row in self.rows:
                cells = tuple.__new__(ResultRow, row)  # faster than its constructor
                cells.labels = labels
                yield cells
        else:
            yield from zip(*self._decoded, strict=True)

    def __len__(self) -> int:
        return 1 if self.type == "ASK" else self.size

    def __bool__(self) -> bool:
        return bool(self.askAnswer) if self.type == "ASK" else self.size > 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self.type == other.type and _content(self) == _content(other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(
            _restored,
            self.type,
            tuple(self.vars or ()),
            self.size,
            self._decoded,
            self.askAnswer,
            self._prefixes,
        )

    def __repr__(self) -> str:
        if self.type == "ASK":
            return f"QueryResult(ASK: {self.askAnswer})"
        if self.type != "SELECT":
            return f"QueryResult({self.type}: {counted(len(self), 'triple')})"
        variables = one_line("".join(f" ?{variable}" for variable in self.vars or ()), WIDTH // 2)
        return f"QueryResult(SELECT {variables}: {counted(len(self), 'row')})"

    def _repr_html_(self) -> str:
        columns = self.columns()
        rows = zip(*columns.values(), strict=True) if columns else iter(())
        noun = "row" if self.type == "SELECT" else "triple"
        content = table([f"?{name}" if self.vars else name for name in columns], rows, len(self), noun=noun)
        return disambiguate(lambda: panel(repr(self), content))

    def __str__(self) -> str:
        """Format the first answers as a table; `serialize` and `to_pandas` return all answers."""
        columns = self.columns()
        return disambiguate(lambda: "\n".join(_table(columns, self.size if self.type != "ASK" else 1)))

    def plan(self) -> str:
        """Return the text of the plan: its operators with expected and actual numbers of rows."""
        return "" if self._plan is None else self._plan()

    def columns(self) -> dict[str, list[Term | None]]:
        """Return the answers as columns: by variable for SELECT; `subject`, `predicate` and `object` for
        triples; `answer` for ASK.
        """
        if self.type == "ASK":
            return {"answer": [Literal(bool(self.askAnswer))]}
        if self.type == "SELECT":
            return {str(v): column for v, column in zip(self.vars or (), self._decoded, strict=True)}
        return columns_of(_OF_TRIPLES, in_order(cast("list[Triple]", list(zip(*self._decoded, strict=True)))))

    def serialize(
        self,
        destination: str | IO[bytes] | None = None,
        encoding: str = "utf-8",
        format: str = "xml",
        **args: Any,
    ) -> bytes | None:
        """Serialize the answers with rdflib; SELECT also in SPARQL's tab-separated format.

        Args:
            destination: a path or a binary file; None to return the bytes.
            format: `xml`, `json`, `csv`, `txt` or `tsv` for SELECT; `xml` or `json` for ASK; a format of
                rdflib's graphs, such as `turtle`, for CONSTRUCT and DESCRIBE.

        Raises:
            OptionError: the format is unknown for this form of query.
        """
        is_select = self.type == "SELECT"
        if is_select and format in ("tsv", "text/tab-separated-values"):
            return _write(self._tsv().encode(encoding), destination)
        known = _FORMATS if is_select else _ASK_FORMATS
        try:
            if self.type == "ASK" and format in _TABLE_FORMATS:
                raise PluginException(format)
            return super().serialize(destination, encoding, format, **args)
        except PluginException:
            formats = f"one of {', '.join(known)}" if self.type in ("SELECT", "ASK") else "a format of graphs"
            expected = f"{formats} for {self.type}"
            raise OptionError("format", repr(format), expected) from None

    def _tsv(self) -> str:
        """Serialize the rows of a SELECT (SPARQL 1.1 Query Results CSV and TSV Formats, section 4)."""
        lines = ["\t".join(f"?{variable}" for variable in self.vars or ())]
        for row in self.rows:
            texts = ("" if term is None else write_term(term).replace("\t", "\\t") for term in row)
            lines.append("\t".join(texts))
        return "".join(f"{line}\n" for line in lines)


def arrow_table(columns: Mapping[str, Sequence[Term | None]]) -> pa.Table:
    """Return columns of terms as a table of plain values, with the kind of each column as metadata."""
    import pyarrow as pa

    fields, arrays = [], []
    for name, terms in columns.items():
        kind = kind_of_terms(terms)
        fields.append(pa.field(name, arrow_type(kind), metadata={"terms": kind}))
        arrays.append(pa.array([None if t is None else plain_value(t, kind) for t in terms], fields[-1].type))
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def write_parquet(table: pa.Table, path: str | PathLike[str]) -> None:
    """Write a table to a file beside `path`, and rename it to `path`.

    Raises:
        OSError: the file cannot be written.
    """
    from pyarrow import parquet

    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{uuid4().hex}.tmp")
    try:
        parquet.write_table(table, temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


_ASK_FORMATS = ("xml", "json")
_TABLE_FORMATS = ("csv", "text/csv", "txt", "tsv", "text/tab-separated-values")
_FORMATS = (*_ASK_FORMATS, "csv", "txt", "tsv")


def _write(content: bytes, destination: str | IO[bytes] | None) -> bytes | None:
    """Write bytes to a path or a file, or return them."""
    if destination is None:
        return content
    if isinstance(destination, str | PathLike):
        Path(destination).write_bytes(content)
    else:
        destination.write(content)
    return None


_MAX_SHOWN = 20


def _table(columns: Mapping[str, Sequence[Term | None]], count: int) -> Iterator[str]:
    """Format the first rows with a header, and the number of the rows that are left out."""
    cells = [[name, *map(_cell_text, terms[:_MAX_SHOWN])] for name, terms in columns.items()]
    widths = [max(map(len, texts)) for texts in cells]
    for row in zip(*cells, strict=True):
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
    if not count:
        yield "no answers"
    elif count > _MAX_SHOWN:
        yield f"… and {count - _MAX_SHOWN:,} more"


def _cell_text(term: Term | None) -> str:
    if term is None:
        return ""
    return str(term) if isinstance(term, Literal) else short(term)


def _content(result: Any) -> object:
    """Return a value by which results are compared."""
    if result.type == "ASK":
        return result.askAnswer
    if result.type == "SELECT":
        return list(result.vars or ()), list(map(tuple, result))
    return set(result)


def _restored(
    form: str,
    variables: Sequence[Variable],
    size: int,
    columns: list[list[Term | None]],
    answer: bool | None,
    prefixes: Sequence[tuple[str, str]],
) -> QueryResult:
    """Unpickle a `QueryResult`; rdflib's own unpickling reads attributes before they are set."""
    return QueryResult(form, variables, size, lambda: columns, answer, prefixes)
