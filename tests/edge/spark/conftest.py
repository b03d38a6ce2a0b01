"""One Spark session for all tests that need Spark."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from pantarhei.spark import session

CONF = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
}


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A local session on two cores, stopped after the last test."""
    started = session("local[2]", app_name="tests", conf=CONF)
    yield started
    started.stop()
