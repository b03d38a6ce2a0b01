"""Columns of terms as columns of values: numbers, times, booleans and names instead of N-Triples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from pantarhei.errors import OptionError
from pantarhei.model.term import Term
from pantarhei.query.plain_values import KINDS, arrow_type, kind_of_term, plain_value
from pantarhei.rdf.ntriples import parse_term


@dataclass(frozen=True, slots=True)
class ColumnTypes:
    """The kinds of terms that columns have, as `QueryResult.to_arrow` names them; `n-triples` for the others.

    A column keeps its type whatever a batch has in it. So a term of another kind is an error; but whole
    numbers are numbers too.
    """

    kinds: Mapping[str, str]

    @classmethod
    def of(cls, given: object) -> ColumnTypes:
        """The types that `types=` says.

        Raises:
            OptionError: it is no mapping of names to kinds.
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
        """Nothing, if all of them are among the names of columns of terms.

        Raises:
            OptionError: one is not.
        """
        if unknown := sorted(map(str, self.kinds.keys() - set(names))):
            raise OptionError("types", ", ".join(unknown), f"columns of terms: {', '.join(names) or 'none'}")

    def of_columns(self, names: Sequence[str]) -> dict[str, str]:
        """What the terms of some columns are."""
        return {name: self.kinds.get(name, "n-triples") for name in names}

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """The schema of the table that `typed` makes of one with this schema."""
        fields = (
            pa.field(field.name, arrow_type(self.kinds[field.name])) if field.name in self.kinds else field
            for field in schema
        )
        return pa.schema(fields)

    def typed(self, table: pa.Table) -> pa.Table:
        """A table with values in the place of terms. Costs a look at each different term.

        Raises:
            OptionError: a term is of another kind.
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
        given = f"{kind}, and {term.n3()} is an answer"
        raise OptionError(f"types[{name!r}]", given, f"{found} for such terms, or n-triples for any")
    return plain_value(term, kind)


@dataclass(frozen=True, slots=True)
class _Typing:
    """Types the columns of record batches; for `mapInArrow`."""

    types: ColumnTypes
    schema: pa.Schema

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from self.types.typed(pa.Table.from_batches([batch])).cast(self.schema).to_batches()


def typed(df: DataFrame, types: Mapping[str, str]) -> DataFrame:
    """A DataFrame with values in the place of terms in N-Triples syntax, as Spark's own types.

    For what `materialize_aboxes` and `shard_stream` give; `reason_stream` and `run` take `types` themselves.

    Args:
        df: streaming or not.
        types: by the names of columns, what their terms are: `name` (IRIs as strings), `string`, `integer`
            (bigint), `number` (double), `boolean` or `time` (timestamp).

    Raises:
        OptionError: `types` is no such mapping, there is no such column of strings, or a column is of a type
            that Arrow has not; in the job, a term is
            of another kind than its column.
    """
    chosen = ColumnTypes.of(types)
    chosen.check([name for name, of in df.dtypes if of == "string"])
    try:
        schema = chosen.schema(to_arrow_schema(df.schema, timezone="UTC"))
    except PySparkException as error:  # a column that workers cannot be given, such as an interval of months
        raise OptionError("df", df.schema.simpleString(), f"columns without {error}") from None
    return df.mapInArrow(_Typing(chosen, schema), from_arrow_schema(schema, prefer_timestamp_ntz=False))
