"""Putting the rows of each timestamp together, and not shuffling where they already are."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from pantarhei.errors import OptionError
from pantarhei.spark.frame import TIMESTAMP

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
