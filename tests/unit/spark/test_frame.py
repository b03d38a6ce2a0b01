"""The columns of a stream, and the kind of times that a schema holds."""

import pyarrow as pa
import pytest
from pyspark.sql.types import DoubleType, LongType, StringType, StructField, StructType, TimestampType

from pantarhei.errors import OptionError
from pantarhei.model.time import TimeKind
from pantarhei.spark.frame import column_types, columns_ddl

TYPES = {"long": LongType(), "double": DoubleType(), "timestamp": TimestampType(), "string": StringType()}


def schema_of(ddl):
    """The schema that the text writes; Spark itself would start Java for that."""
    pairs = (column.split() for column in ddl.split(", "))
    return StructType([StructField(name, TYPES[of]) for name, of in pairs])


@pytest.mark.parametrize("kind", TimeKind)
def test_the_schema_of_a_kind_of_times_tells_the_kind(kind):
    found, arrow = column_types(schema_of(columns_ddl(kind)), {})
    assert found is kind
    assert arrow.names == ["timestamp", "subject", "predicate", "object"]
    assert arrow.types[1:] == [pa.string()] * 3


@pytest.mark.parametrize(
    "ddl",
    [
        "timestamp string, subject string, predicate string, object string",
        "timestamp long, subject string, predicate string",
        "at long, subject string, predicate string, object string",
        "timestamp long, subject long, predicate string, object string",
    ],
)
def test_another_schema_is_refused(ddl):
    with pytest.raises(OptionError, match="schema"):
        column_types(schema_of(ddl), {})


def test_a_chosen_type_is_the_one_the_schema_has():
    schema = schema_of(columns_ddl(TimeKind.FLOAT))
    assert column_types(schema, {"timestampType": "Double"})[0] is TimeKind.FLOAT
    with pytest.raises(OptionError, match="timestampType"):
        column_types(schema, {"timestampType": "long"})
