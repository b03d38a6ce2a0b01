"""One Spark session for all tests that need Spark."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from pantarhei.spark import session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A local session on two cores, stopped after the last test."""
    started = session("local[2]", app_name="tests")
    yield started
    started.stop()
