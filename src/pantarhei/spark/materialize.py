"""The canonical model of every ABox of a DataFrame, made on the executors.

ABoxes of different timestamps do not meet before they are in a window, so they are closed under the rules
side by side (PB26, section 7). Whole timestamps stay together; DataFrames that are already clustered by
timestamp are not shuffled again.
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
from pantarhei.spark.worker import MaterializeTask, OnError, SkippedRows, Writer, check_on_error
from pantarhei.values.by_value import Numbers

_ROW_BY_ROW = ("WholeStageCodegenExec", "InputAdapter", "ProjectExec", "FilterExec")
"""Steps of a plan that leave each row in its Spark partition."""


def by_timestamp(df: DataFrame, clustered: bool | None, spark_partitions: int | None) -> DataFrame:
    """`df` with the rows of a timestamp in one Spark partition, each partition in time order.

    Args:
        clustered: whether they are there already; None asks Spark's plan.
        spark_partitions: how many there shall be where rows must move; by default one a core. Into one they
            come without a shuffle.

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
        # by the hash, not the column: Spark leaves out a shuffle that a join below does already, and may then
        # turn that join into one that spreads timestamps while the query runs
        df = df.repartition(spark_partitions or cores, f.xxhash64(TIMESTAMP))
    return df.sortWithinPartitions(TIMESTAMP)


def is_clustered(df: DataFrame) -> bool:
    """Whether Spark's plan promises that the rows of each timestamp are in one Spark partition.

    Files promise nothing, whatever is in them; nor does a join, which Spark may plan anew while it runs. A
    batch of a stream that comes in one piece is clustered.
    """
    plan: Any = df._jdf.queryExecution().executedPlan()
    if _pieces_of_batch(plan) == 1:
        return True
    if plan.getClass().getSimpleName() == "AdaptiveSparkPlanExec":
        plan = plan.initialPlan()
        if _may_be_spread(plan.toString()):
            return False
    column = next(attribute for attribute in _members(plan.output()) if attribute.name() == TIMESTAMP)
    return _keeps_together(plan.outputPartitioning(), column)


def _may_be_spread(plan: str) -> bool:
    """Whether an adaptive query may, while it runs, read what was shuffled in another order than planned."""
    return any(word in plan for word in ("Join", "REBALANCE"))


def _pieces_of_batch(plan: Any) -> int | None:
    """How many Spark partitions a batch of a stream has come in; None where the plan is of something else."""
    while (name := plan.getClass().getSimpleName()) in _ROW_BY_ROW:
        plan = plan.child()
    return int(plan.rdd().getNumPartitions()) if name == "RDDScanExec" else None


def _keeps_together(partitioning: Any, column: Any) -> bool:
    """Whether rows with the same value of `column` are in one of the partitions.

    They are where nothing but that value decides on the partition.
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
    """A Scala sequence as a list."""
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
    """The canonical model of each timestamp's ABox (PB26 Def. 8, `I_n` as it arrives): one row a fact.

    Nothing runs before an action on the result. Costs the rules' firings within the ABoxes, in parallel;
    nothing is repaired.

    Args:
        df: with the columns `timestamp` (integer, double or timestamp), `subject`, `predicate` and `object`
            (strings in N-Triples syntax, or structs of `type`, `value`, `datatype`, `lang`); others are not
            looked at. A blank node belongs to its timestamp; where the background has blank nodes too, the
            labels of the others are given a prefix.
        ontology: what was loaded with `load_ontology`; the assertions in it are background.
        background: facts that hold at every time; what follows from them alone is not repeated.
        unique_names, numbers: as `StreamReasoner`.
        columns: what the four columns are called, where they have other names: `{"timestamp": "time"}`.
        mapping: how triples are made of the rows of a table that has other columns, as `melt` takes it; then
            a row that is not as the mapping says is no timestamped triple.
        on_error: "raise" fails at the first row that is no timestamped triple, naming it (InvalidRowError);
            "skip" leaves such rows out, and counts them.
        conflicts: add a column `conflicts` (array of integers): the numbers, within the timestamp, of the
            minimal inconsistent sets that an asserted fact is in; empty where an ABox does not contradict
            itself.
        observation: is told, by the first action, the rows written (`facts`), the asserted ones that are in
            an inner conflict (`conflicting`, with `conflicts=True`), and those left out (`skipped`).
        clustered: whether each timestamp's rows already stand in one Spark partition. By default Spark's plan
            is asked; say True for files that are known to hold whole timestamps.
        spark_partitions: into how many the timestamps are put where they must be shuffled; by default one a
            core.

    Returns:
        A DataFrame `(timestamp, subject, predicate, object, derived)`: terms in N-Triples syntax, asserted
        facts with `derived` false, once each.

    Raises:
        OptionError: a column is missing or of no fitting type, or an option has no such value.
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
    """Closes the ABoxes of DataFrames; what the executors need of the ontology is sent to them once.

    Args:
        spark: the session of the DataFrames.
        foundation: rules and background.
        schema: of what is made.
        write: what to make of an interpretation, given that schema.
        report: what to make of rows that were left out.
        conflicts: whether `write` wants to know the conflict sets.
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

    def apply(self, together: DataFrame) -> DataFrame:
        """What is made of a normalized DataFrame whose timestamps are together."""
        return together.mapInArrow(self._task, self._schema)


@dataclass(frozen=True, slots=True)
class FactWriter:
    """Writes an interpretation as a table with a row for each fact."""

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
    """For each fact the numbers of the conflict sets that it is in; null for derived ones."""
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
    """Writes how many rows were left out as a row without a timestamp."""

    schema: pa.Schema

    def __call__(self, skipped: SkippedRows) -> pa.Table:
        return pa.Table.from_pylist([{SKIPPED: skipped.count}], schema=self.schema)
