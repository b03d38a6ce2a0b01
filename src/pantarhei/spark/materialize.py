"""Canonical models of the ABoxes of a DataFrame, computed on executors.

ABoxes of different timestamps do not interact before they are in a window, so they are closed under the rules
in parallel (PB26, section 7). The rows of a timestamp are put into one Spark partition; DataFrames already
clustered by timestamp are not shuffled again.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import ArrayType, BooleanType, IntegerType, StructField, StructType
from rdflib import Graph

from pantarhei.errors import OptionError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import Interpretation, InterpretationTables
from pantarhei.model.term import Triple
from pantarhei.ontology.ontology import Ontology
from pantarhei.spark.frame import COLUMNS, TIMESTAMP, check_frame
from pantarhei.spark.frame_mapping import MappingSource, to_triples
from pantarhei.spark.worker import (
    BlockWriter,
    MaterializeTask,
    OnError,
    SkippedBlockWriter,
    SkippedRows,
    Writer,
    block_schema,
    check_on_error,
)
from pantarhei.values.by_value import Numbers

_ROW_BY_ROW = ("WholeStageCodegenExec", "InputAdapter", "ProjectExec", "FilterExec")
"""Steps of a plan that leave each row in its Spark partition."""


def by_timestamp(df: DataFrame, clustered: bool | None, spark_partitions: int | None) -> DataFrame:
    """Return `df` with the rows of a timestamp in one Spark partition, each partition in time order.

    Args:
        clustered: whether they are there already; None takes the answer from Spark's plan.
        spark_partitions: the number of partitions after a shuffle; by default one a core. One partition needs
            no shuffle.

    Raises:
        OptionError: `spark_partitions` is below 1.
    """
    if spark_partitions is not None and spark_partitions < 1:
        raise OptionError("spark_partitions", repr(spark_partitions), "a number from 1 on")
    if clustered is None:
        clustered = is_clustered(df)
    if not clustered and spark_partitions == 1:
        df = df.coalesce(1)
    elif not clustered:
        cores = df.sparkSession.sparkContext.defaultParallelism
        # by the hash, not the column: Spark omits a shuffle that a join below does already, and may then
        # replace this join at run time by one that spreads timestamps
        df = df.repartition(spark_partitions or cores, f.xxhash64(TIMESTAMP))
    return df.sortWithinPartitions(TIMESTAMP)


def is_clustered(df: DataFrame) -> bool:
    """Return whether Spark's plan guarantees that the rows of each timestamp are in one Spark partition.

    Files guarantee nothing, and neither does a join, which Spark may plan again while it runs. A batch of a
    stream in a single partition is clustered.
    """
    plan: Any = df._jdf.queryExecution().executedPlan()
    if _pieces_of_batch(plan) == 1:
        return True
    if plan.getClass().getSimpleName() == "AdaptiveSparkPlanExec":
        plan = plan.initialPlan()
        # such a query may read shuffled rows in another order than planned
        if any(word in plan.toString() for word in ("Join", "REBALANCE")):
            return False
    column = next(attribute for attribute in _members(plan.output()) if attribute.name() == TIMESTAMP)
    return _keeps_together(plan.outputPartitioning(), column)


def _pieces_of_batch(plan: Any) -> int | None:
    """Return the number of Spark partitions of a stream's batch; None for other plans."""
    while (name := plan.getClass().getSimpleName()) in _ROW_BY_ROW:
        plan = plan.child()
    return int(plan.rdd().getNumPartitions()) if name == "RDDScanExec" else None


def _keeps_together(partitioning: Any, column: Any) -> bool:
    """Return whether rows with equal values of `column` are in one of the partitions.

    That is so where the value alone determines the partition.
    """
    if partitioning.numPartitions() == 1:
        return True
    match partitioning.getClass().getSimpleName():
        case "HashPartitioning":
            decide = _members(partitioning.expressions())
        case "RangePartitioning":
            decide = [order.child() for order in _members(partitioning.ordering())]
        case "PartitioningCollection":
            return any(_keeps_together(each, column) for each in _members(partitioning.partitionings()))
        case _:
            return False
    return bool(decide) and all(each.semanticEquals(column) for each in decide)


def _members(sequence: Any) -> list[Any]:
    """Return a Scala sequence as a list."""
    return [sequence.apply(i) for i in range(sequence.length())]


DERIVED, CONFLICTS, SKIPPED = "derived", "conflicts", "skipped"


def materialize_aboxes(
    df: DataFrame,
    ontology: Ontology,
    *,
    background: Graph | Iterable[Triple] | None = None,
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
    """Compute the canonical model of each timestamp's ABox (PB26 Def. 8, `I_n` before any window): one row a
    fact.

    Nothing runs before an action on the result. Costs the rules' firings within the ABoxes, in parallel;
    nothing is repaired.

    Args:
        df: with the columns `timestamp` (integer, double or timestamp), `subject`, `predicate` and `object`
            (strings in N-Triples syntax, or structs of `type`, `value`, `datatype`, `lang`); other columns
            are ignored. A blank node belongs to its timestamp; where the background has blank nodes too, the
            labels of the others get a prefix.
        ontology: loaded with `load_ontology`; its assertions are background.
        background: facts that hold at every time; consequences of the background alone are not repeated.
        unique_names, numbers: as `StreamReasoner`.
        columns: the names of the four columns, where they differ: `{"timestamp": "time"}`.
        mapping: maps rows of a table with other columns to triples, as `melt` takes it; a row that does
            not fit the mapping is then not a timestamped triple.
        on_error: "raise" fails at the first row that is not a timestamped triple, and names it
            (InvalidRowError); "skip" skips such rows and counts them.
        conflicts: add a column `conflicts` (array of integers): the numbers, within the timestamp, of the
            minimal inconsistent sets that contain an asserted fact; empty if the ABox does not contradict
            itself.
        observation: receives, at the first action, the numbers of rows written (`facts`), of asserted facts
            in an inner conflict (`conflicting`, with `conflicts=True`), and of skipped rows (`skipped`).
        clustered: True if the rows of each timestamp are already in one Spark partition. By default Spark's
            plan decides; pass True for files that are known to hold whole timestamps.
        spark_partitions: the number of Spark partitions after a shuffle; by default one a core.

    Returns:
        A DataFrame `(timestamp, subject, predicate, object, derived)`: terms in N-Triples syntax, asserted
            facts with `derived` false, once each.

    Raises:
        OptionError: a column is missing or has an unsupported type, or an option has no such value.
        MappingError: the mapping cannot be read, or does not fit the columns.
    """
    check_on_error(on_error)
    check_frame(df, False, "one that does not stream; for streams, reason_stream")
    given = to_triples(df, columns, mapping)
    foundation = Foundation.of(ontology, background, unique_names, numbers)
    schema = StructType(
        [
            *(StructField(field.name, field.dataType) for field in given.schema.fields),
            StructField(DERIVED, BooleanType()),
            StructField(CONFLICTS, ArrayType(IntegerType())),
            StructField(SKIPPED, IntegerType()),
        ]
    )
    arrow = to_arrow_schema(schema, timezone="UTC")
    report = None if observation is None else SkippedCountWriter(arrow)
    closing = DataFrameMaterializer(
        df.sparkSession, foundation, schema, FactWriter(arrow, conflicts), on_error, report, conflicts
    )
    closed = closing.apply(by_timestamp(given, clustered, spark_partitions))
    if observation is not None:
        closed = closed.observe(
            observation,
            f.count(f.col(TIMESTAMP)).alias("facts"),
            f.count(f.when(f.size(CONFLICTS) > 0, 1)).alias("conflicting"),
            f.coalesce(f.sum(SKIPPED), f.lit(0)).alias(SKIPPED),
        ).where(f.col(TIMESTAMP).isNotNull())
    return closed.select(*COLUMNS, DERIVED, *([CONFLICTS] if conflicts else []))


class DataFrameMaterializer:
    """Materialization of the ABoxes of DataFrames; executors receive the foundation once.

    Args:
        spark: the session of the DataFrames.
        foundation: rules and background.
        schema: of the result.
        write: converts an interpretation to a table of that schema.
        report: converts skipped rows to such a table.
        conflicts: compute conflict sets for `write`.
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
        shared = spark.sparkContext.broadcast(pickle.dumps(foundation))
        self._schema = schema
        self._task = MaterializeTask(shared, foundation.digest, write, on_error, report, conflicts)

    @classmethod
    def to_blocks(cls, given: DataFrame, foundation: Foundation, skips: bool) -> DataFrameMaterializer:
        """Return one for normalized DataFrames like `given` that writes blocks.

        Args:
            skips: write rows that are not timestamped triples into blocks of their own, instead of failing.
        """
        schema = block_schema(given.schema[TIMESTAMP].dataType)
        arrow = to_arrow_schema(schema, timezone="UTC")
        session, write = given.sparkSession, BlockWriter(arrow)
        if skips:
            return cls(session, foundation, schema, write, "skip", SkippedBlockWriter(arrow))
        return cls(session, foundation, schema, write, "raise", None)

    def apply(self, together: DataFrame) -> DataFrame:
        """Materialize a normalized DataFrame with the rows of each timestamp in one Spark partition."""
        return together.mapInArrow(self._task, self._schema)


@dataclass(frozen=True, slots=True)
class FactWriter:
    """Writer of an interpretation as a table with a row for each fact."""

    schema: pa.Schema
    with_conflicts: bool

    def __call__(self, at: pa.Scalar, made: Interpretation, texts: InterpretationTables) -> pa.Table:
        facts = texts.table(made, apart=True)
        conflicts = _conflicts(made) if self.with_conflicts else pa.nulls(len(facts))
        columns = [pa.repeat(at, len(facts)), *facts.columns, conflicts, pa.nulls(len(facts))]
        return pa.table(
            [c.cast(field.type) for c, field in zip(columns, self.schema, strict=True)], schema=self.schema
        )


def _conflicts(made: Interpretation) -> pa.Array:
    """Return for each fact the numbers of its conflict sets; null for derived facts."""
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
    """Writer of the number of skipped rows as a row without a timestamp."""

    schema: pa.Schema

    def __call__(self, skipped: SkippedRows) -> pa.Table:
        return pa.Table.from_pylist([{SKIPPED: skipped.count}], schema=self.schema)
