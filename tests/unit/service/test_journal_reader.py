import os
import threading

import pytest

from pantarhei.errors import JournalError
from pantarhei.service import journal_reader
from pantarhei.service.journal_driver import JournalDriver, read_knowledge
from pantarhei.service.metrics import ReaderMetrics
from service_tools import site


@pytest.mark.parametrize(
    ("error", "has_trace"),
    [
        (JournalError("state", "record 7 is missing", "restore a backup"), False),
        (OSError(5, "Input/output error"), False),
        (KeyError("a fault of the program"), True),
    ],
)
def test_a_reader_that_fails_ends_with_the_reason_in_the_log(tmp_path, monkeypatch, caplog, error, has_trace):
    class Tail:
        def __init__(self, folder, number): ...

        def read(self):
            raise error

    class Ended(BaseException):
        pass

    def end(status):
        raise Ended(status)

    monkeypatch.setattr(journal_reader, "JournalTail", Tail)
    monkeypatch.setattr(os, "_exit", end)
    driver = JournalDriver.fresh(read_knowledge(site(tmp_path, "{web: {http: {readings: m.yaml}}}")))
    with pytest.raises(Ended):
        journal_reader._follow(driver, ReaderMetrics(0), threading.Event(), True)
    (record,) = caplog.records
    assert record.getMessage() == f"the reader has failed and is restarted: {error}"
    assert bool(record.exc_info) == has_trace
