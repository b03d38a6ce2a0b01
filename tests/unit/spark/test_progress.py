"""Progress as text."""

import pytest

from pantarhei.spark import BatchReport, Counts, QueryProgress

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
        (
            QueryProgress("running", 4, None, None, 7, COUNTS, 6, 1500),
            "running, batch 4 is complete; the window is at 7; complete until 6; 1,500 facts in the window; "
            "1 ABox, 1,200 assertions, 2 cut, 3 skipped",
        ),
        (BatchReport(0), "batch 0: 0 ABoxes, 0 assertions"),
        (
            BatchReport(5, 6, 1, 2, late=3, ahead=4, hottest_shard=7, hottest_key="<urn:depot>"),
            "batch 5: 1 ABox, 2 assertions, 3 late, 4 too far ahead; complete until 6; "
            "shard 7 has the most rows, by <urn:depot>",
        ),
        (QueryProgress("ended", 0, 1, 2.0), "ended, batch 0 is complete: 1 row in 2.0 s"),
    ],
)
def test_what_is_said_of_a_query(progress, said):
    assert str(progress) == said
