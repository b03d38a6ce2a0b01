"""The engine on Spark: DataFrames in, batch or streaming; canonical models, updates and answers out."""

from pantarhei.spark.driver import Counts, LateABox
from pantarhei.spark.materialize import materialize_aboxes
from pantarhei.spark.redis_source import PantarheiRedisSource
from pantarhei.spark.session import session
from pantarhei.spark.shards import shard_stream
from pantarhei.spark.source import PantarheiSource, register
from pantarhei.spark.stream import ReasoningQuery, reason_stream

__all__ = [
    "Counts",
    "LateABox",
    "PantarheiRedisSource",
    "PantarheiSource",
    "ReasoningQuery",
    "materialize_aboxes",
    "reason_stream",
    "register",
    "session",
    "shard_stream",
]
