"""Canonical models of the ABoxes of a DataFrame, computed on executors.

ABoxes of different timestamps do not interact before they are in a window, so each is materialized on its
own, in parallel (PB26, section 7). The rows of a timestamp are moved to one Spark partition; DataFrames that
are already clustered by timestamp are not shuffled again.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import ArrayType, BooleanType, IntegerType, StructField, StructType
from rdflib import Graph

from pantarhei.errors import OptionError, check_choice
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import Interpretation, InterpretationTables
from pantarhei.model.term import Triple
from pantarhei.ontology.ontology import Ontology
from pantarhei.owl.graph_files import GraphFiles
from pantarhei.spark.frame import TIMESTAMP, check_frame
from pantarhei.spark.frame_mapping import MappingSource, to_triples
from pantarhei.spark.parquet_ranges import RangeTask, read_by_workers
from pantarhei.spark.sessions import default_tasks, is_connect, members_of
from pantarhei.spark.versions import schema_to_arrow
from pantarhei.spark.worker import (
    ON_ERROR,
    BlockTableWriter,
    Broadcast,
    MaterializeTask,
    OnError,
    SentWithTasks,
    SkippedBlockWriter,
    SkippedRows,
    Writer,
    block_schema,
)
from pantarhei.values.by_value import Numbers

_ROW_BY_ROW = ("WholeStageCodegenExec", "InputAdapter", "ProjectExec", "FilterExec")
"""Operators of a Spark plan that leave each row in its Spark partition."""


def by_timestamp(df: DataFrame, clustered: bool | None, spark_partitions: int | None) -> DataFrame:
    """Move the rows of each timestamp to one Spark partition, and sort each partition by time.

    Args:
        clustered: whether the rows of each timestamp are in one Spark partition already; None to derive that
            from Spark's plan.
        spark_partitions: the number of Spark partitions after a shuffle; by default one per core. A single
            partition is made without a shuffle.

    Raises:
        OptionError: `spark_partitions` is below 1.
    """
    count = _number_of_partitions(df, spark_partitions)
    if clustered is None:
        clustered = is_clustered(df)
    if not clustered and count == 1:
        df = df.coalesce(1)
    elif not clustered:
        # By a hash of the column, not the column itself: Spark would omit the shuffle if a join in `df`
        # partitions by the column already, and may then replace this join by another one at run time.
        key = f.xxhash64(TIMESTAMP)
        df = df.repartition(key) if count is None else df.repartition(count, key)
    return df.sortWithinPartitions(TIMESTAMP)


def _number_of_partitions(df: DataFrame, spark_partitions: int | None) -> int | None:
    """Return the number of Spark partitions after a shuffle; None to let Spark Connect choose it."""
    if spark_partitions is not None and spark_partitions < 1:
        raise OptionError("spark_partitions", repr(spark_partitions), "a number from 1 on")
    return spark_partitions or default_tasks(df.sparkSession)


def is_clustered(df: DataFrame) -> bool:
    """Return whether Spark's plan guarantees that the rows of each timestamp are in one Spark partition.

    Files give no such guarantee, and neither do joins, which Spark may replan while they run. A batch of a
    stream that has a single Spark partition is clustered. Spark Connect does not give access to the plan.
    """
    if is_connect(df.sparkSession):
        return False
    plan: Any = df._jdf.queryExecution().executedPlan()
    if _pieces_of_batch(plan) == 1:
        return True
    if plan.getClass().getSimpleName() == "AdaptiveSparkPlanExec":
        plan = plan.initialPlan()
        # At run time such a query may distribute shuffled rows in another way than planned.
        if any(word in plan.toString() for word in ("Join", "REBALANCE")):
            return False
    column = next(attribute for attribute in members_of(plan.output()) if attribute.name() == TIMESTAMP)
    return _keeps_together(plan.outputPartitioning(), column)


def _pieces_of_batch(plan: Any) -> int | None:
    """Return the number of Spark partitions if the plan only reads a batch of a stream; None for other
    plans.
    """
    while (name := plan.getClass().getSimpleName()) in _ROW_BY_ROW:
        plan = plan.child()
    return int(plan.rdd().getNumPartitions()) if name == "RDDScanExec" else None


def _keeps_together(partitioning: Any, column: Any) -> bool:
    """Return whether a partitioning puts rows with equal values of `column` into one Spark partition.

    This holds if the value of the column alone determines the Spark partition of a row.
    """
    if partitioning.numPartitions() == 1:
        return True
    match partitioning.getClass().getSimpleName():
        case "HashPartitioning":
            decide = members_of(partitioning.expressions())
        case "RangePartitioning":
            decide = [order.child() for order in members_of(partitioning.ordering())]
        case "PartitioningCollection":
            return any(_keeps_together(each, column) for each in members_of(partitioning.partitionings()))
        case _:
            return False
    return bool(decide) and all(each.semanticEquals(column) for each in decide)


DERIVED, CONFLICTS, SKIPPED = "derived", "conflicts", "skipped"


def materialize_aboxes(
    df: DataFrame,
    ontology: Ontology,
    *,
    background: Graph | Iterable[Triple] | GraphFiles | None = None,
    unique_names: bool = True,
    numbers: Numbers = "by_datatype",
    columns: Mapping[str, str] | None = None,
    mapping: MappingSource | None = None,
    on_error: OnError = "raise",
    conflicts: bool = False,
    observation: Observation | None = None,
    clustered: bool | None = None,
    spark_partitions: int | None = None,
) -> DataFrame:
    """Compute the canonical model of each timestamp's ABox (PB26 Def. 8, `I_n` without a window).

    Nothing runs before an action on the result; only the metadata of Parquet files are read. ABoxes are
    materialized in parallel; the cost is linear in the rule instances that fire within them. Contradictions
    are not repaired.

    Args:
        df: a DataFrame with the columns `timestamp` (integer, decimal, double, timestamp or date), `subject`,
            `predicate` and `object` (strings in N-Triples syntax, or structs of `type`, `value`, `datatype`,
            `lang`); other columns are ignored. Blank nodes are local to their timestamp; if the background
            has blank nodes too, the labels of those in `df` get a prefix.
        ontology: an ontology from `load_ontology`; its assertions are added to the background.
        background: facts that hold at every time. They and their consequences are not in the result.
        unique_names, numbers: options of `StreamReasoner`.
        columns: names in `df` of columns that are named differently, such as `{"timestamp": "time"}`.
        mapping: mapping of a table with other columns to triples, as for `melt`; a row that does not fit
            the mapping is treated as a row that is not a timestamped triple.
        on_error: "raise" to raise an `InvalidRowError` for the first row that is not a timestamped triple;
            "skip" to skip and count such rows.
        conflicts: whether to add a column `conflicts` (array of integers): for an asserted fact, the numbers
            of the conflict sets of its ABox that contain it; empty if there are none.
        observation: receives, at the first action, the numbers of result rows (`facts`), of asserted facts
            in conflict sets (`conflicting`, with `conflicts=True`), and of skipped rows (`skipped`).
        clustered: True if the rows of each timestamp are already in one Spark partition. By default this is
            derived from Spark's plan; pass True for files that are known to hold whole timestamps. False
            always shuffles, and leaves the reading of Parquet files to Spark.
        spark_partitions: the number of Spark partitions after a shuffle; by default one per core.

    Returns:
        A DataFrame `(timestamp, subject, predicate, object, derived)` with one row per fact, and terms in
        N-Triples syntax; `derived` is false for asserted facts.

    Raises:
        OptionError: a column is missing or has an unsupported type, or an option has an invalid value.
        MappingError: the mapping cannot be read, or does not fit the columns.

    >>> import pantarhei as pr
    >>> from pantarhei.spark import register
    >>> register(spark)
    >>> df = spark.read.format("pantarhei").load("examples/pedals/stream.trig")
    >>> facts = materialize_aboxes(df, pr.load_ontology("ontologies/pedals.ttl"))
    >>> facts.where("timestamp = 0 and derived").count()
    2
    """
    check_choice("on_error", on_error, ON_ERROR)
    check_frame(df, False, "one that does not stream; use reason_stream for this DataFrame")
    given = to_triples(df, columns, mapping)
    foundation = Foundation.of(ontology, background, unique_names, numbers)
    counts_skipped = observation is not None and on_error == "skip"
    schema = _fact_schema(given.schema, conflicts, counts_skipped)
    arrow = schema_to_arrow(schema)
    report = SkippedCountWriter(arrow) if counts_skipped else None
    closing = DataFrameMaterializer(
        df.sparkSession, foundation, schema, FactWriter(arrow), on_error, report, conflicts
    )
    closed = closing.of_frame(given, clustered, spark_partitions)
    if observation is not None:
        closed = closed.observe(
            observation,
            f.count(f.col(TIMESTAMP)).alias("facts"),
            f.count(f.when(f.size(CONFLICTS) > 0, 1) if conflicts else f.lit(None)).alias("conflicting"),
            f.coalesce(f.sum(SKIPPED) if counts_skipped else f.lit(None), f.lit(0)).alias(SKIPPED),
        )
    return closed.where(f.col(TIMESTAMP).isNotNull()).drop(SKIPPED) if counts_skipped else closed


def _fact_schema(given: StructType, conflicts: bool, skipped: bool) -> StructType:
    """Return the schema of a result with only the columns that are needed, since Spark converts each cell."""
    fields = [StructField(field.name, field.dataType) for field in given.fields]
    fields.append(StructField(DERIVED, BooleanType()))
    if conflicts:
        fields.append(StructField(CONFLICTS, ArrayType(IntegerType())))
    if skipped:
        fields.append(StructField(SKIPPED, IntegerType()))
    return StructType(fields)


class DataFrameMaterializer:
    """Materializes the ABoxes of DataFrames; the foundation is sent to each executor once.

    Args:
        spark: the session of the DataFrames.
        foundation: rules and background.
        schema: the schema of the result.
        write: converts an interpretation to a table of that schema.
        on_error: handling of rows that are not timestamped triples.
        report: converts skipped rows to a table of that schema; None to omit them.
        conflicts: whether to compute conflict sets for `write`.
    """

    def __init__(
        self,
        spark: SparkSession,
        foundation: Foundation,
        schema: StructType,
        write: Writer,
        on_error: OnError,
        report: Callable[[SkippedRows], pa.Table] | None,
        conflicts: bool = False,
    ) -> None:
        self._schema, shared = schema, _shared(pickle.dumps(foundation), spark)
        self._task = MaterializeTask(shared, foundation.digest, write, on_error, report, conflicts)

    @classmethod
    def to_blocks(cls, given: DataFrame, foundation: Foundation, skips: bool) -> DataFrameMaterializer:
        """Return a materializer that writes blocks, for normalized DataFrames with the schema of `given`.

        Args:
            skips: whether rows that are not timestamped triples are written as blocks of their own; otherwise
                they are errors.
        """
        schema = block_schema(given.schema[TIMESTAMP].dataType)
        arrow = schema_to_arrow(schema)
        session, write = given.sparkSession, BlockTableWriter(arrow)
        if skips:
            return cls(session, foundation, schema, write, "skip", SkippedBlockWriter(arrow))
        return cls(session, foundation, schema, write, "raise", None)

    def apply(self, together: DataFrame) -> DataFrame:
        """Materialize a normalized DataFrame with the rows of each timestamp in one Spark partition."""
        return together.mapInArrow(self._task, self._schema)

    def of_frame(self, given: DataFrame, clustered: bool | None, spark_partitions: int | None) -> DataFrame:
        """Materialize a normalized DataFrame; the workers read its Parquet files themselves if they can.

        Args:
            clustered, spark_partitions: as for `by_timestamp`; `clustered=False` leaves the reading to Spark.
        """
        count = _number_of_partitions(given, spark_partitions)
        reader = None if clustered is False or count is None else read_by_workers(given, count)
        if reader is None:
            return self.apply(by_timestamp(given, clustered, spark_partitions))
        tasks = len(reader.ranges)
        numbers = given.sparkSession.range(0, tasks, 1, tasks)
        return numbers.mapInArrow(RangeTask(reader, self._task), self._schema)


MOST_SENT = 120 << 20
"""Maximum number of bytes of a pickled foundation on Spark Connect, whose messages have at most 128 MiB."""


def _shared(pickled: bytes, spark: SparkSession) -> Broadcast:
    """Return bytes as a broadcast variable; on Spark Connect, which has none, as bytes sent with each task.

    Raises:
        OptionError: the bytes are too many for a message of Spark Connect.
    """
    if not is_connect(spark):
        shared: Broadcast = spark.sparkContext.broadcast(pickled)
        return shared
    if len(pickled) > MOST_SENT:
        raise OptionError(
            "background",
            f"<{len(pickled):,} bytes, with the ontology>",
            f"at most {MOST_SENT:,} bytes, which Spark Connect sends in one message; for more, run the "
            "program on the cluster (spark-submit) with a session from pantarhei.spark.session()",
        )
    return SentWithTasks(pickled)


@dataclass(frozen=True, slots=True)
class FactWriter:
    """Writer that converts an interpretation to a table of `schema` with one row per fact."""

    schema: pa.Schema

    def __call__(self, at: pa.Scalar, made: Interpretation, texts: InterpretationTables) -> pa.Table:
        facts = texts.table(made, apart=True)
        columns = dict(zip(facts.column_names, facts.columns, strict=True))
        columns[TIMESTAMP] = pa.repeat(at, len(facts))
        if CONFLICTS in self.schema.names:
            columns[CONFLICTS] = _conflicts(made)
        if SKIPPED in self.schema.names:
            columns[SKIPPED] = pa.nulls(len(facts))
        return pa.table([columns[each.name].cast(each.type) for each in self.schema], schema=self.schema)


def _conflicts(made: Interpretation) -> pa.Array:
    """Return for each asserted fact the numbers of the conflict sets that contain it; null for derived
    facts.
    """
    member: list[list[int] | None] = [[] for _ in range(made.asserted)]
    member += [None] * (len(made.facts) - made.asserted)
    for number, places in enumerate(made.conflicts):
        for place in places:
            known = member[place]
            assert known is not None, "only asserted facts are in conflict sets"
            known.append(number)
    return pa.array(member, pa.list_(pa.int32()))


@dataclass(frozen=True, slots=True)
class SkippedCountWriter:
    """Writer that converts the number of skipped rows to a row without a timestamp."""

    schema: pa.Schema

    def __call__(self, skipped: SkippedRows) -> pa.Table:
        return pa.Table.from_pylist([{SKIPPED: skipped.count}], schema=self.schema)
