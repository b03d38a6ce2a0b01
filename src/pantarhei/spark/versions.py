"""Differences between the supported versions of PySpark, 4.0 to 4.3: Arrow schemas, and limits of batches.

A Python data source can limit its batches from Spark 4.2 on. Older versions call a reader's `latestOffset`
without arguments: they pass neither a limit nor the offset at which the batch starts. For them, the classes
of limits are stand-ins, and an option that sets a limit is refused.
"""

from dataclasses import dataclass
from importlib.util import find_spec
from inspect import signature
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import __version__ as spark_version
from pyspark.sql.pandas.types import to_arrow_schema, to_arrow_type
from pyspark.sql.types import DataType, StructType

from pantarhei.errors import OptionError

HAS_LIMITS = find_spec("pyspark.sql.streaming.datasource") is not None

if TYPE_CHECKING or HAS_LIMITS:
    from pyspark.sql.streaming.datasource import (
        ReadAllAvailable,
        ReadLimit,
        ReadMaxFiles,
        ReadMaxRows,
        SupportsTriggerAvailableNow,
    )
else:

    class ReadLimit:
        """Limit of a batch."""

    @dataclass
    class ReadAllAvailable(ReadLimit):
        """All available data."""

    @dataclass
    class ReadMaxFiles(ReadLimit):
        """At most `max_files` files."""

        max_files: int

    @dataclass
    class ReadMaxRows(ReadLimit):
        """At most `max_rows` rows."""

        max_rows: int

    class SupportsTriggerAvailableNow:
        """Source that can end; older versions end every source after one batch of all available data."""


__all__ = [
    "HAS_LIMITS",
    "ReadAllAvailable",
    "ReadLimit",
    "ReadMaxFiles",
    "ReadMaxRows",
    "SupportsTriggerAvailableNow",
    "check_limit",
    "schema_to_arrow",
    "type_to_arrow",
]


def check_limit(option: str, most: int | None) -> None:
    """Check that an option that limits batches is only set if Spark supports limits.

    Raises:
        OptionError: the option is set, and this version of Spark is older than 4.2.
    """
    if most is not None and not HAS_LIMITS:
        expected = f"Spark 4.2 or newer for this option, or no limit: this is Spark {spark_version}"
        raise OptionError(option, str(most), expected)


# Spark 4.2 and newer need the zone of timestamps; older versions always write UTC.
_UTC: dict[str, Any] = {"timezone": "UTC"} if "timezone" in signature(to_arrow_type).parameters else {}


def schema_to_arrow(schema: StructType) -> pa.Schema:
    """Convert a schema to Arrow; timestamps are in UTC.

    Raises:
        PySparkException: a column has a type that Arrow does not have, such as an interval of months.
    """
    return to_arrow_schema(schema, **_UTC)


def type_to_arrow(data_type: DataType) -> pa.DataType:
    """Convert a type to Arrow; timestamps are in UTC.

    Raises:
        PySparkException: Arrow does not have the type.
    """
    return to_arrow_type(data_type, **_UTC)
