"""Reasoning on Spark: from batch or streaming DataFrames to canonical models, updates and answers.

PySpark 4.0 to 4.3 are supported, with equal results. Before Spark 4.2, data sources in Python cannot limit
batches: `maxFilesPerTrigger` and `maxEntriesPerTrigger` of the formats `pantarhei` and `pantarhei-redis` are
refused, and a batch has all that is there. Spark 4.0 shows the log of Python workers in no table.

On a session of Spark Connect (`SparkSession.builder.remote`; `pip install 'pyspark[connect]'`), all functions
work except `reason_stream`, which is refused: this process must be the driver of its stream. `shard_stream`
is the alternative. The workers of the server need pantarhei, in a Python of this process's version. Ontology
and background are sent with each query, and have at most 120 MiB. Rows are shuffled by time unless
`clustered=True`, and `spark_partitions` is chosen by Spark.

PySpark is imported when a name of this module is first used, so that shells complete names quickly.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pantarhei.query.continuous_query import Registration
    from pantarhei.spark.driver import LateABox
    from pantarhei.spark.frame_mapping import melt
    from pantarhei.spark.materialize import materialize_aboxes
    from pantarhei.spark.progress import BatchReport, Counts, QueryProgress
    from pantarhei.spark.results import typed
    from pantarhei.spark.running_query import ReasoningQuery
    from pantarhei.spark.sessions import session
    from pantarhei.spark.shards.reshard import reshard
    from pantarhei.spark.shards.sharded_stream import shard_stream
    from pantarhei.spark.sources.file_source import PantarheiSource, register
    from pantarhei.spark.sources.redis_source import PantarheiRedisSource
    from pantarhei.spark.streaming import reason_stream, run

__all__ = [
    "BatchReport",
    "Counts",
    "LateABox",
    "PantarheiRedisSource",
    "PantarheiSource",
    "QueryProgress",
    "ReasoningQuery",
    "Registration",
    "materialize_aboxes",
    "melt",
    "reason_stream",
    "register",
    "reshard",
    "run",
    "session",
    "shard_stream",
    "typed",
]

_MODULES = {
    "Registration": "pantarhei.query.continuous_query",
    "BatchReport": "pantarhei.spark.progress",
    "Counts": "pantarhei.spark.progress",
    "LateABox": "pantarhei.spark.driver",
    "melt": "pantarhei.spark.frame_mapping",
    "materialize_aboxes": "pantarhei.spark.materialize",
    "typed": "pantarhei.spark.results",
    "QueryProgress": "pantarhei.spark.progress",
    "ReasoningQuery": "pantarhei.spark.running_query",
    "session": "pantarhei.spark.sessions",
    "reshard": "pantarhei.spark.shards.reshard",
    "shard_stream": "pantarhei.spark.shards.sharded_stream",
    "PantarheiSource": "pantarhei.spark.sources.file_source",
    "register": "pantarhei.spark.sources.file_source",
    "PantarheiRedisSource": "pantarhei.spark.sources.redis_source",
    "reason_stream": "pantarhei.spark.streaming",
    "run": "pantarhei.spark.streaming",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return found


def __dir__() -> list[str]:
    return list(__all__)
