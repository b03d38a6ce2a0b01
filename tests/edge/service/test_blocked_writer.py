"""Writer with a sink that is down: a bounded queue, then acknowledgements stop, and nothing is lost."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta

import pytest

from pantarhei.errors import ConnectionFailedError
from pantarhei.service import clients
from pantarhei.service import writer as writers
from pantarhei.service.batching import Received
from pantarhei.service.changes import Emitted
from pantarhei.service.config import read_config
from pantarhei.service.message_journal import Message, read_journal
from pantarhei.service.sinks import sink as sinks
from pantarhei.service.sinks.sink import Positions, Sink
from pantarhei.service.start import checkpoint_path
from pantarhei.service.writer import Writer
from service_tools import wait_until, write_site

SOURCES = "{push: {http: {readings: m.yaml}}}"
MORE = "clock: {allowed_lateness: 1m, max_ahead: 1d, idle: null, batch: 0s}\nstate: {folder: state}\n"
BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)
COUNT = 20


class Table:
    """Table of another system, which is reachable or not.

    Attributes:
        sink: the sink of the present start; those of earlier starts died with their process.
    """

    def __init__(self):
        self.position, self.rows, self.is_up, self.sink = -1, [], True, None


class TableSink(Sink):
    """Sink of a table, which has the position in it."""

    def __init__(self, table, positions):
        super().__init__("table", ("*",), positions)
        self._table, table.sink = table, self

    def _is_reachable(self):
        return self._table.is_up and self._table.sink is self

    def open(self):
        if not self._is_reachable():
            raise ConnectionFailedError("table", "nowhere", "it is down")
        return None if self._table.position < 0 else self._table.position

    def check(self):
        self.open()

    def write(self, given):
        if not self._is_reachable():
            raise OSError("it is down")
        self._table.rows += [change.id for each in given for change in each.changes]
        self._table.position = self.status.position = given[-1].number


def _positions(config):
    return Positions(config.path(config.state.folder) / "positions.json")


@pytest.fixture
def table(monkeypatch):
    table = Table()
    monkeypatch.setattr(writers, "make_sinks", lambda config: [TableSink(table, _positions(config))])
    monkeypatch.setattr(sinks, "LIMIT", 3 * sinks._weight(Emitted(1, BEGAN, (), ())))
    monkeypatch.setattr(clients, "PAUSE", 0.01)
    monkeypatch.setattr(clients, "LONGEST_PAUSE", 0.01)
    return table


class Run:
    """Writer that runs in a thread, with messages in its inbox.

    Attributes:
        acknowledged: numbers of the acknowledged messages.
    """

    def __init__(self, path, numbers=()):
        self.writer, self.acknowledged = Writer(read_config(path)), []
        self.writer.open()
        self.thread = threading.Thread(target=self._run, daemon=True)
        for number in numbers:
            at = (BEGAN + timedelta(seconds=number)).isoformat()
            content = {"id": "s", "v": 20 + number % 2 * 15, "at": at}
            message = Message("push", "readings", json.dumps(content).encode())
            self.writer.inbox.put(Received(message, acknowledge=lambda n=number: self.acknowledged.append(n)))
        self.thread.start()

    def _run(self):
        self.writer.replay()
        self.writer.run()

    def stop(self):
        self.writer.stopping.set()
        self.thread.join(20)
        assert not self.thread.is_alive()


@pytest.fixture
def path(tmp_path, monkeypatch):
    path = write_site(tmp_path, SOURCES, MORE)
    take = writers.Inbox.take  # a record for each message
    monkeypatch.setattr(writers.Inbox, "take", lambda inbox, *given: take(inbox, *given, most=1))
    return path


def check_complete(path, table, count=COUNT):
    assert len(table.rows) == len(set(table.rows))
    assert len({row.partition("-")[0] for row in table.rows}) == count - 1  # nothing is hot at first
    assert sum(len(record.messages) for record in read_journal(path.parent / "state")) == count


def test_acknowledgements_stop_while_the_queue_is_full(path, table):
    Run(path).stop()
    table.is_up = False
    run = Run(path, range(COUNT))
    wait_until(lambda: run.writer.sinks[0].is_full)
    threading.Event().wait(0.1)
    assert len(run.acknowledged) <= 3 + 1  # in the queue, and in the hands of the writer
    assert "it is down" in run.writer.sinks[0].status.problem
    table.is_up = True
    wait_until(lambda: len(run.acknowledged) == COUNT)
    run.stop()
    check_complete(path, table)


@pytest.mark.parametrize("is_new", [True, False])
def test_a_stop_while_the_queue_is_full_loses_nothing(path, table, is_new):
    if not is_new:
        Run(path).stop()
    table.is_up = False
    run = Run(path, range(COUNT))
    wait_until(lambda: run.writer.sinks[0].is_full)
    run.stop()
    done = len(run.acknowledged)
    assert done > 0
    again = Run(path, range(done, COUNT))  # still down, so that the replay waits too
    threading.Event().wait(0.05)
    again.stop()
    done += len(again.acknowledged)
    table.is_up = True
    last = Run(path, range(done, COUNT))
    wait_until(lambda: table.position == COUNT)
    last.stop()
    check_complete(path, table)


def test_checkpoints_newer_than_a_sink_are_not_used(path, table):
    run = Run(path, range(5))
    wait_until(lambda: len(run.acknowledged) == 5)
    run.stop()
    table.is_up = False
    run = Run(path, range(5, 8))
    wait_until(lambda: len(run.acknowledged) == 3)
    number = run.writer.driver.number
    run.writer.driver.captured()(checkpoint_path(run.writer.folder, number))
    run.stop()
    table.is_up = True
    run = Run(path, range(8, COUNT))
    wait_until(lambda: len(run.acknowledged) == COUNT - 8)
    run.stop()
    check_complete(path, table)
