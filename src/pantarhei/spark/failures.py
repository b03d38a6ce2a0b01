"""What a failure of Spark means, in one line."""

from __future__ import annotations

import re

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from pantarhei.errors import SparkError

FAILURES = (PySparkException, Py4JError)
"""What Spark raises in the driver when a job, a worker or Java fails."""

_TRACEBACK = "Traceback (most recent call last)"
_RAISED = re.compile(
    r"^((?:\w+\.)*)(\w+)(?:: (.*))?$", re.MULTILINE
)  # other lines of a traceback are indented
_OWN = "pantarhei.errors."
_RAISED_BY_US = re.compile(r"^pantarhei\.errors\.\w+: (.+)$", re.MULTILINE)
_CALLED = "An error occurred while calling"


def own_error(failure: Exception) -> SparkError | None:
    """What a worker raised on purpose, None if the failure is another."""
    found = _RAISED_BY_US.findall(str(failure))
    return SparkError(found[-1]) if found else None


def spark_error(failure: Exception) -> SparkError:
    """The failure as an error of one line: what a worker raised last, or the first that Spark says.

    An error of this package is what it says; of others the name is said as well.

    >>> text = f"{_TRACEBACK}:\\n  File x.py\\npantarhei.errors.MalformedInputError: a.nq, line 2: no quad\\n"
    >>> str(spark_error(PySparkException(text)))
    'a.nq, line 2: no quad'
    >>> str(spark_error(PySparkException("[JOB_ABORTED] Job aborted.\\n  at org.apache.spark …")))
    'Spark failed: [JOB_ABORTED] Job aborted.'
    """
    text = str(failure).partition("JVM stacktrace:")[0]
    _, traceback, raised = text.rpartition(_TRACEBACK)
    found = list(_RAISED.finditer(raised)) if traceback else []
    if found:
        module, name, said = found[-1].groups(default="")
        return SparkError(said if module == _OWN else f"a worker failed: {name}: {said}".rstrip(": "))
    lines = (line.strip(" :") for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith(_CALLED)), type(failure).__name__)
    return SparkError(f"Spark failed: {first}")
