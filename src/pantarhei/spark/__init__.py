"""Reasoning on Spark: from batch or streaming DataFrames to canonical models, updates and answers."""

from pantarhei.query.continuous_query import Registration
from pantarhei.spark.driver import Counts, LateABox
from pantarhei.spark.frame_mapping import melt
from pantarhei.spark.materialize import materialize_aboxes
from pantarhei.spark.results import typed
from pantarhei.spark.running_query import QueryProgress, ReasoningQuery
from pantarhei.spark.sessions import session
from pantarhei.spark.shards.sharded_stream import shard_stream
from pantarhei.spark.sources.file_source import PantarheiSource, register
from pantarhei.spark.sources.redis_source import PantarheiRedisSource
from pantarhei.spark.streaming import reason_stream, run

__all__ = [
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
    "run",
    "session",
    "shard_stream",
    "typed",
]


def __dir__() -> list[str]:
    return list(__all__)
