"""Sink: nothing is lost and nothing is written twice, whatever fails; the queue is bounded."""

from __future__ import annotations

import itertools
import pickle
import threading
from datetime import timedelta
from unittest import mock

import pytest

from pantarhei.errors import ConnectionFailedError, JournalError
from pantarhei.service import clients
from pantarhei.service.sinks import sink as sinks
from pantarhei.service.sinks.sink import Position, Positions, Sink, letters_of
from service_tools import wait_until
from sink_tools import emitted


class ListSink(Sink):
    """Sink whose system is a list; calls fail as scripted."""

    def __init__(self, folder, system, failing=(), name="list"):
        super().__init__(name, ["*"], Positions(folder / "positions.json"))
        self.system, self.failing, self.calls = system, set(failing), itertools.count(1)
        self.gate = threading.Event()
        self.gate.set()

    def _call(self):
        self.gate.wait(10)
        if next(self.calls) in self.failing:
            raise OSError("it is down")

    def open(self):
        self._call()

    def write(self, given):
        self._call()
        self.system += [each.id for record in given for each in record.changes]
        self._keep(given[-1].number)

    def check(self): ...


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    monkeypatch.setattr(clients, "PAUSE", 0.001)
    monkeypatch.setattr(clients, "LONGEST_PAUSE", 0.004)


def ids(records):
    return [each.id for record in records for each in record.changes]


def test_a_line_of_the_log_names_the_sink_once(tmp_path, caplog):
    sink = ListSink(tmp_path, [], name="store")
    sink.open = mock.Mock(side_effect=ConnectionFailedError("store", "/a.db", "it is a folder"))
    sink.begin(0)
    sink.finish(5)
    assert caplog.messages == ["sink store: /a.db cannot be reached: it is a folder; retrying"]


@pytest.mark.parametrize("failing", [(), (1,), (2,), (1, 2, 3), (2, 4, 5, 6), (1, 3, 5, 7)])
def test_each_change_is_written_once_whatever_fails(tmp_path, failing):
    records = [emitted(number) for number in range(1, 30)]
    sink = ListSink(tmp_path, [], failing)
    sink.begin(0)
    for each in records:
        sink.put(each)
    wait_until(lambda: sink.status.position == 29)
    assert sink.finish(10)
    assert sink.system == ids(records)
    assert sink.status.failures == len(failing)
    assert sink.status.problem == ""


class ForgetfulSink(ListSink):
    """Sink whose changes may be written again."""

    def write(self, given):
        self._call()
        self.system += [each.id for record in given for each in record.changes]
        self._advance(given[-1].number)


@pytest.mark.parametrize("failing", [(), (2,), (1, 3, 5)])
def test_a_position_that_may_be_behind_is_stored_seldom_but_at_the_end(tmp_path, monkeypatch, failing):
    monkeypatch.setattr(sinks, "_PAUSE", 3600.0)
    sink, stored = ForgetfulSink(tmp_path, [], failing), []
    monkeypatch.setattr(Positions, "put", lambda self, name, position: stored.append(position.record))
    records = [emitted(number) for number in range(1, 200)]
    sink.begin(0)
    for each in records:
        sink.put(each)
    wait_until(lambda: sink.status.position == 199)
    assert sink.finish(10)
    assert sink.system == ids(records), "a failure does not go back to the stored position"
    assert stored == [0, 199]


def test_a_full_queue_holds_the_writer_back_until_the_sink_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(sinks, "LIMIT", 30)
    records = [emitted(number) for number in range(1, 40)]
    sink = ListSink(tmp_path, [])
    sink.begin(0)
    sink.gate.clear()
    writer = threading.Thread(target=lambda: [sink.put(each) for each in records])
    writer.start()
    wait_until(lambda: sink.is_full)
    assert sink.waiting == 10
    assert writer.is_alive()
    sink.gate.set()
    writer.join(10)
    assert sink.finish(10)
    assert sink.system == ids(records)


def test_what_the_end_of_the_service_leaves_out_is_written_by_the_replay(tmp_path, monkeypatch):
    monkeypatch.setattr(sinks, "LIMIT", 30)
    records = [emitted(number) for number in range(1, 40)]
    system = []
    sink = ListSink(tmp_path, system, range(2, 10_000))
    sink.begin(0)
    assert [sink.put(each, 0.01) for each in records[:12]] == 10 * [True] + 2 * [False]
    sink.abandon()
    assert all(sink.put(each, 10) for each in records[10:])
    assert not sink.finish(10)
    again = ListSink(tmp_path, system)
    again.begin(39)
    for each in records[again.status.position :]:
        again.put(each)
    assert again.finish(10)
    assert system == ids(records)


def test_a_new_sink_begins_where_it_was_configured_though_the_first_start_crashed(tmp_path):
    ListSink(tmp_path, [], range(1, 10_000)).begin(5)  # never reached its system
    sink = ListSink(tmp_path, [])
    sink.begin(9)
    assert sink.status.position == 5


class NumberedSink(ListSink):
    """Sink whose system has the position."""

    def open(self):
        self._call()
        return len(self.system)

    def write(self, given):
        self._call()
        self.system += given
        self.status.position = given[-1].number


def test_a_position_in_the_system_is_known_where_the_system_is_down(tmp_path):
    sink = NumberedSink(tmp_path, [])
    sink.begin(0)
    for number in range(1, 5):
        sink.put(emitted(number))
    assert sink.finish(10)
    sink.keep_position()
    again = NumberedSink(tmp_path, sink.system, range(1, 10_000))
    again.begin(4)
    assert again.status.position == 4


def test_records_without_changes_move_the_position_after_a_while(tmp_path):
    sink = ListSink(tmp_path, [])
    sink.begin(0)
    for number in range(1, 20):
        sink.put(emitted(number, changes=number == 1))
    wait_until(lambda: sink.status.position == 19)
    assert next(sink.calls) <= 5
    assert sink.finish(10)


def test_records_without_changes_move_the_position_at_the_end(tmp_path):
    sink = ListSink(tmp_path, [])
    sink.begin(0)
    for number in range(1, 20):
        sink.put(emitted(number, changes=0))
    assert sink.finish(10)
    assert Positions(tmp_path / "positions.json").get("list") == Position(19)


def test_a_sink_that_fails_for_longer_than_retry_is_overdue(tmp_path):
    sink = ListSink(tmp_path, [], range(2, 10_000))
    sink.retry = timedelta(seconds=0.01)
    sink.begin(0)
    sink.put(emitted(1))
    wait_until(lambda: sink.status.overdue)
    assert sink.status.problem == "it is down"
    sink.failing.clear()
    wait_until(lambda: not sink.status.overdue)
    assert sink.finish(10)
    assert sink.system == ids([emitted(1)])


def test_positions_of_many_sinks_survive_and_a_damaged_file_is_an_error(tmp_path):
    path = tmp_path / "positions.json"
    for name, record in (("a", 1), ("b", 2), ("a", 3)):
        Positions(path).put(name, Position(record, 10 * record, "f"))
    assert [Positions(path).get(name) for name in "abc"] == [Position(3, 30, "f"), Position(2, 20, "f"), None]
    whole = path.read_text()
    torn = [whole[:size] for size in range(len(whole))]
    for text in (*torn, "[]", '{"a": 1}', '{"a": {"record": "x", "size": 1}}'):
        path.write_text(text)
        with pytest.raises(JournalError, match="restore it from a backup") as found:
            Positions(path).get("a")
        assert str(pickle.loads(pickle.dumps(found.value))) == str(found.value)


def test_equal_dead_letters_of_a_record_have_different_ids_that_are_stable():
    found = [[id_ for id_, _ in letters_of(emitted(7, dead=3))] for _ in range(2)]
    assert found[0] == found[1]
    assert len(set(found[0])) == 3
    assert all(each.startswith("7-") for each in found[0])
