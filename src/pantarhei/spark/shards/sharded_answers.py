"""The changes of answers of all shards, query by query, in the columns of a stream that is not sharded."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from pantarhei.model.time import TimePoint, time_of
from pantarhei.query.registration import Registration
from pantarhei.spark.collectors import ReportWindow, result_schema
from pantarhei.spark.results import Outlet, hand_out
from pantarhei.spark.shards.setup import ShardSetup
from pantarhei.spark.typed_columns import ColumnTypes


class ShardedAnswers:
    """Hands out what registered queries of shards report, batch by batch.

    What shards report of one row at one time is added up: there is a row of it unless it is nothing. Rows of
    nulls with change 0 stand for rows of the stream that came too late.

    Args:
        setup: what is asked of the shards.
        outlets: who gets the changes of each query, by name.
        types: which columns have values in the place of terms.

    Raises:
        OptionError: a column with a type is in none of the results, or a variable has the name of another
            column.
    """

    def __init__(self, setup: ShardSetup, outlets: Mapping[str, Outlet], types: ColumnTypes) -> None:
        types.check(setup.columns)
        self._types = types
        columns = [(_Columns(setup, name, given), outlets[name]) for name, given in setup.queries.items()]
        self._used = [(each, outlet) for each, outlet in columns if outlet.is_open]

    def hand_out(self, rows: DataFrame, batch: int) -> None:
        """Hand out what the shards tell in a batch. Costs the rows, which come to the driver."""
        told = rows.toArrow()
        made = [(self._types.typed(columns.table(told, batch)), outlet) for columns, outlet in self._used]
        hand_out(made, batch, rows.sparkSession)


class _Columns:
    """The columns of one query."""

    def __init__(self, setup: ShardSetup, name: str, given: Registration) -> None:
        variables = setup.variables[name]
        self._name, self._kind = name, setup.kind
        self._values = setup.names[1 : len(variables) + 1]
        self._schema = result_schema(setup.kind, variables, pa.int32(), f"queries[{name!r}]")
        self._window = ReportWindow(setup.kind, given, setup.options.window)

    def table(self, told: pa.Table, batch: int) -> pa.Table:
        """The changes among all that shards tell, in the order of time and of the texts of terms."""
        own = told.filter(pc.equal(told["query"], self._name)).select(("at", *self._values, "change"))
        ticks = own["at"].cast(pa.int64())  # of datetimes microseconds
        rows = _in_order(_summed(own.set_column(0, "at", ticks)))
        times = {tick: self._times(tick) for tick in pc.unique(rows["at"]).to_pylist()}
        head = list(zip(*(times[tick] for tick in rows["at"].to_pylist()), strict=True)) or [()] * 3
        kinds = self._schema.types
        firsts = map(pa.array, ([batch] * len(rows), *head), kinds)
        others = (column.cast(kind) for column, kind in zip(rows.columns[1:], kinds[4:], strict=True))
        return pa.table([*firsts, *others], schema=self._schema)

    def _times(self, tick: int) -> tuple[TimePoint, TimePoint, TimePoint]:
        """The time of a report, and the ends of the window that it is about."""
        return time_of(tick, self._kind), *self._window.ends(tick)


def _summed(rows: pa.Table) -> pa.Table:
    """What the last column adds up to for each row of the others, without what is nothing; rows that came too
    late, of which it is 0, stay single.
    """
    *columns, change = rows.column_names
    is_late = pc.equal(rows[change], 0)
    summed = rows.filter(pc.invert(is_late)).group_by(columns).aggregate([(change, "sum")])
    summed = summed.select([*columns, f"{change}_sum"]).rename_columns(rows.column_names)
    late = rows.filter(is_late).cast(summed.schema)
    return pa.concat_tables([late, summed.filter(pc.not_equal(summed[change], 0))])


def _in_order(rows: pa.Table) -> pa.Table:
    """By time, then by the texts of terms; unbound ones first."""
    at, *texts = rows.columns[:-1]
    names = list(map(str, range(len(texts) + 1)))
    keys = pa.table([at, *(pc.fill_null(column, "") for column in texts)], names)
    return rows.take(pc.sort_indices(keys, [(name, "ascending") for name in names]))
