"""How far a query has come, as it is said."""

from types import SimpleNamespace

import pytest
from py4j.protocol import Py4JError

from pantarhei.spark import Counts
from pantarhei.spark.running_query import QueryProgress, progress_of

COUNTS = Counts(aboxes=1, assertions=1200, cut=2, skipped=3)


@pytest.mark.parametrize(
    ("progress", "said"),
    [
        (QueryProgress("running", -1, None, None, None, Counts()), "running; 0 ABoxes, 0 assertions"),
        (
            QueryProgress("failed", 4, 1200, 0.84, 7, COUNTS),
            "failed, batch 4 is complete: 1,200 rows in 0.8 s; the window is at 7; "
            "1 ABox, 1,200 assertions, 2 cut, 3 skipped",
        ),
        (QueryProgress("ended", 0, 1, 2.0), "ended, batch 0 is complete: 1 row in 2.0 s"),
    ],
)
def test_what_is_said_of_a_query(progress, said):
    assert str(progress) == said


def test_sparks_part_and_the_drivers_are_put_together_where_both_are_of_one_batch():
    last = SimpleNamespace(batchId=9, numInputRows=3, batchDuration=250)
    spark = SimpleNamespace(lastProgress=last, isActive=False, exception=lambda: ValueError())
    for batch, rows, seconds in ((8, None, None), (9, 3, 0.25), (10, None, None)):
        driver = SimpleNamespace(batch=batch, newest=5, counts=COUNTS)
        assert progress_of(spark, driver) == QueryProgress("failed", batch, rows, seconds, 5, COUNTS)
    assert progress_of(spark, None) == QueryProgress("failed", 9, 3, 0.25)


def test_a_query_whose_spark_is_gone_has_ended():
    class Gone:
        @property
        def lastProgress(self):
            raise Py4JError("gone")

    driver = SimpleNamespace(batch=8, newest=5, counts=COUNTS)
    assert progress_of(Gone(), driver) == QueryProgress("ended", 8, None, None, 5, COUNTS)
