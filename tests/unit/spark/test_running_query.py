"""How far a query has come."""

from types import SimpleNamespace

from py4j.protocol import Py4JError

from pantarhei.spark import BatchReport, Counts, QueryProgress
from pantarhei.spark.running_query import progress_of

COUNTS = Counts(aboxes=1, assertions=1200, cut=2, skipped=3)


def test_sparks_part_and_the_drivers_are_put_together_where_both_are_of_one_batch():
    last = SimpleNamespace(batchId=9, numInputRows=3, batchDuration=250)
    spark = SimpleNamespace(lastProgress=last, isActive=False, exception=lambda: ValueError())
    report = BatchReport(9, 4, facts=70)
    for batch, rows, seconds in ((8, None, None), (9, 3, 0.25), (10, None, None)):
        driver = SimpleNamespace(batch=batch, newest=5, counts=COUNTS, complete_until=4, report=report)
        assert progress_of(spark, driver) == QueryProgress("failed", batch, rows, seconds, 5, COUNTS, 4, 70)


def test_a_query_whose_spark_is_gone_has_ended():
    class Gone:
        @property
        def lastProgress(self):
            raise Py4JError("gone")

    driver = SimpleNamespace(batch=8, newest=5, counts=COUNTS, complete_until=None, report=None)
    assert progress_of(Gone(), driver) == QueryProgress("ended", 8, None, None, 5, COUNTS)
