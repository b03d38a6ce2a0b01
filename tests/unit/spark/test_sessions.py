"""What Spark's failures mean, by texts as Spark gives them."""

import pytest

from pantarhei.spark.sessions import spark_error

WORKER = """\
An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "/opt/pantarhei/rows.py", line 1, in read
    raise error
{}

JVM stacktrace:
org.apache.spark.api.python.PythonException
  at org.apache.spark.Exception: no line of ours
"""
JAVA = """\
An error occurred while calling o97.collectAsArrowToPython.
: org.apache.spark.SparkException: Job aborted due to stage failure: total size is bigger than maxResultSize
  at org.apache.spark.scheduler.DAGScheduler
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (WORKER.format("pantarhei.errors.TimestampError: a.nq, line 2: 1: x"), "a.nq, line 2: 1: x"),
        (WORKER.format("pyarrow.lib.ArrowInvalid: no room"), "a worker failed: ArrowInvalid: no room"),
        (WORKER.format("MemoryError"), "a worker failed: MemoryError"),
        (
            WORKER.format(
                "KeyError: 1\n\nDuring handling:\nTraceback (most recent call last):\nOSError: full"
            ),
            "a worker failed: OSError: full",
        ),
        (
            JAVA,
            "Spark failed: org.apache.spark.SparkException: Job aborted due to stage failure: total size is "
            "bigger than maxResultSize",
        ),
        ("", "Spark failed: RuntimeError"),
    ],
)
def test_a_failure_is_one_line_with_what_was_raised_last(text, line):
    assert str(spark_error(RuntimeError(text))) == line
