"""The engine on Spark: sessions that start fast."""

from pantarhei.spark.session import session

__all__ = ["session"]
