"""What was left out of a source: all counted, the first reasons kept, said once."""

import pytest

from pantarhei.spark.sources.skip_log import SkipLog, skipping


def test_all_are_counted_and_the_first_reasons_kept():
    log = SkipLog()
    for line in range(20):
        log(line, "why", "text", 2)
    assert log.count == 40
    assert str(log).count("why") == SkipLog.SHOWN and str(log).endswith("; …")


def test_it_is_said_once_at_the_end_also_of_work_that_fails(caplog):
    with pytest.raises(RuntimeError), skipping("a.nq", True) as log:
        log(2, "why", "text")
        log(None, "because", "text")
        assert not caplog.records
        raise RuntimeError
    assert [record.getMessage() for record in caplog.records] == ["a.nq: 2 skipped: line 2: why; because"]


@pytest.mark.parametrize("skips", [True, False])
def test_where_nothing_was_left_out_nothing_is_said(caplog, skips):
    with skipping("a.nq", skips) as log:
        assert (log is not None) is skips
    assert not caplog.records
