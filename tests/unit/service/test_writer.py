"""Work of the writer: a checkpoint does not delay steps, and each message is decoded once."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

import pantarhei.service.journal_driver as driver_module
import pantarhei.service.writer as writer_module
from pantarhei import StreamReasoner
from pantarhei.errors import PantarheiError, RefusedError, WriterUnavailableError
from pantarhei.service.batching import Received
from pantarhei.service.decoding import MessageDecoder
from pantarhei.service.journal_driver import JournalDriver, read_knowledge
from pantarhei.service.message_journal import Message, read_journal, read_segment, segments
from pantarhei.service.start import checkpoint_path, checkpoints
from pantarhei.service.writer import Writer
from service_tools import site, wait_until

BEGIN = datetime.now(UTC)
CLOCKS = ("clock: {idle: null}", "clock: {order: event, allowed_lateness: 1m, idle: null}")


def reading(number: int) -> Received:
    at = (BEGIN + timedelta(milliseconds=number)).isoformat()
    payload = b'{"id":"s%d","at":"%s","v":%d}' % (number % 3, at.encode(), number)
    return Received(Message("push", "readings", payload, str(number)))


@pytest.fixture(params=CLOCKS)
def writer(tmp_path, request):
    made = Writer(site(tmp_path, "{push: {http: {readings: m.yaml}}}", request.param))
    made.start()
    yield made
    made.stop()


def test_steps_continue_while_a_checkpoint_is_written(writer, monkeypatch):
    begun, released, write = threading.Event(), threading.Event(), driver_module.write_whole

    def slow(path, data):
        begun.set()
        assert released.wait(20), "steps wait for the checkpoint"
        write(path, data)

    monkeypatch.setattr(driver_module, "write_whole", slow)
    writer.step([reading(1)])
    writer.save()
    number, positions = writer.driver.number, dict(writer.driver.positions)
    assert begun.wait(20)
    writer.step([reading(2)])
    writer.save()  # one is being written already
    writer.step([reading(3)])
    released.set()
    writer.save(always=True)
    first, last = checkpoints(writer.folder)
    assert first.name == f"checkpoint-{number}" and last.name == f"checkpoint-{writer.driver.number}"
    config = writer.config
    restored = JournalDriver.restored(first, read_knowledge(config))
    assert (restored.number, restored.positions) == (number, positions)
    assert len(restored.reasoner.timestamps) + len(restored._held) == 1


@pytest.mark.parametrize("messages", [1, 3, 40])
def test_a_checkpoint_pauses_during_a_step(writer, monkeypatch, tmp_path, messages):
    monkeypatch.setattr(driver_module, "_PAUSE", 20.0)
    pauses, driver, apply = [], writer.driver, JournalDriver.apply

    def observed(driver, *given):
        pauses.append(not driver._is_between_steps.is_set())
        return apply(driver, *given)

    monkeypatch.setattr(JournalDriver, "apply", observed)
    for number in range(messages):
        writer.step([reading(number)])
    assert pauses == [True] * messages
    writing = threading.Thread(target=driver.captured(), args=[tmp_path / "paused"])
    with driver.pausing_checkpoints():
        writing.start()
        writing.join(0.05)
        assert writing.is_alive() and not (tmp_path / "paused").exists()
    writing.join(20)
    monkeypatch.setattr(driver_module, "_PAUSE", 0.001)
    with driver.pausing_checkpoints():  # a long step does not stop it
        driver.captured()(tmp_path / "slowed")
    assert (tmp_path / "paused").read_bytes() == (tmp_path / "slowed").read_bytes()


def test_a_checkpoint_continues_after_a_step_that_fails(writer, monkeypatch):
    monkeypatch.setattr(writer.batcher, "batches", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        writer.step([reading(1)])
    assert writer.driver._is_between_steps.is_set()


def test_a_checkpoint_is_due_when_a_replay_would_take_long(writer, monkeypatch):
    monkeypatch.setattr(driver_module, "_LONG_REPLAY", 0.05)
    number = 0
    while not writer.driver.has_long_replay:
        number += 1
        writer.step([reading(number)])
    assert number > 1
    writer.save(always=True)
    assert not writer.driver.has_long_replay


def test_each_message_is_decoded_once(writer, monkeypatch):
    decoded, decode = [], MessageDecoder.decode
    monkeypatch.setattr(
        MessageDecoder,
        "decode",
        lambda self, message, at: decoded.append(message) or decode(self, message, at),
    )
    given = [reading(number) for number in range(20)]
    writer.step(given)
    writer.step(given)  # redeliveries
    assert decoded == [each.message for each in given]


@pytest.mark.parametrize("moment", ["open", 1, 3, 5, "ready", "waiting"])
def test_a_stop_at_any_moment_of_a_start_keeps_the_journal_in_order(tmp_path, monkeypatch, moment):
    config = site(tmp_path, "{push: {http: {readings: m.yaml}}}", CLOCKS[0])
    killed = Writer(config)
    killed.start()
    for number in range(5):
        killed.step([reading(number)])
    killed.journal.close()

    writer, accepted, threads = Writer(config), set(), []

    def push(number):
        with contextlib.suppress(WriterUnavailableError):
            writer.push(reading(number).message)
            accepted.add(str(number))

    def reached(reached):
        threads.append(threading.Thread(target=push, args=[100 + len(threads)]))
        threads[-1].start()
        if reached == moment:
            writer.stopping.set()

    writer.open()
    apply = writer.driver.apply
    monkeypatch.setattr(writer.driver, "apply", lambda record: (reached(record.number), apply(record))[1])
    reached("open")
    writer.replay()
    monkeypatch.undo()
    reached("ready")
    if moment == "waiting":
        wait_until(lambda: writer.inbox.qsize() >= 1)
        writer.stopping.set()
    writer.run()
    for thread in threads:
        thread.join(20)
    found = [record.number for path in segments(writer.folder) for record, _ in read_segment(path)]
    assert found == list(range(1, len(found) + 1))
    assert accepted if moment == "waiting" else len(found) >= 5
    again = Writer(config)
    again.start()
    journaled = {message.id for record in read_journal(again.folder) for message in record.messages}
    assert again.driver.number == len(found) and journaled == {*map(str, range(5)), *accepted}
    again.stop()


QUERY = "SELECT ?s { ?s <http://example.org/value> %d }"


def requested(writer, *requests):
    """Return the results of requests that wait at once: None, or the error."""
    results = [None] * len(requests)

    def send(place, given):
        try:
            writer.request(given)
        except PantarheiError as error:
            results[place] = error

    threads = [threading.Thread(target=send, args=each) for each in enumerate(requests)]
    for thread in threads:
        thread.start()
    wait_until(lambda: writer._requests.qsize() == len(requests))
    return threads, results


@pytest.mark.parametrize("names", ["aa", "aba", "abab"])
def test_a_name_is_registered_once_and_the_query_of_the_first_request_is_kept(writer, monkeypatch, names):
    registered, register = [], StreamReasoner.register
    monkeypatch.setattr(
        StreamReasoner,
        "register",
        lambda self, text, **given: registered.append(given["name"]) or register(self, text, **given),
    )
    requests = [{"register": name, "query": QUERY % place} for place, name in enumerate(names)]
    threads, results = requested(writer, *requests)
    writer._answer_requests()
    for thread in threads:
        thread.join(20)
    kept = [request for request, error in zip(requests, results, strict=True) if error is None]
    assert sorted(each["register"] for each in kept) == sorted(set(names))
    assert writer.driver._requested == {each["register"]: each["query"] for each in kept}
    assert sorted(registered) == sorted(set(names)), "each query is registered once, without a trial"
    journaled = [record.request for record in read_journal(writer.folder) if record.request]
    assert sorted(journaled, key=str) == sorted(kept, key=str)
    assert all("no registered query has" in str(error) for error in results if error)


def test_a_request_that_is_answered_as_not_begun_has_no_effect(writer, monkeypatch):
    monkeypatch.setattr(writer_module, "PATIENCE", 0.1)
    threads, results = requested(writer, {"register": "a", "query": QUERY % 1})
    threads[0].join(20)
    writer._answer_requests()
    assert "has no effect" in str(results[0])
    assert "a" not in writer.driver.reasoner.queries and not list(read_journal(writer.folder))


@pytest.mark.parametrize("fails", [False, True])
def test_what_waits_for_a_writer_that_ends_is_answered(tmp_path, monkeypatch, fails):
    writer = Writer(site(tmp_path, "{push: {http: {readings: m.yaml}}}"))
    writer.start()
    taking = threading.Event()
    monkeypatch.setattr(writer.inbox, "take", lambda *_: taking.wait(20) and ())
    monkeypatch.setattr(writer, "_answer_requests", lambda: 1 / 0 if fails else None)
    runs = threading.Thread(target=run_quietly, args=[writer])
    runs.start()
    errors = []

    def push():
        try:
            writer.push(reading(1).message)
        except WriterUnavailableError as error:
            errors.append(error)

    pushing = threading.Thread(target=push)
    pushing.start()
    threads, results = requested(writer, {"register": "a", "query": QUERY % 1})
    wait_until(lambda: writer.inbox.qsize() == 1)
    began = time.monotonic()
    if not fails:
        writer.stopping.set()
    taking.set()
    for thread in (runs, pushing, *threads):
        thread.join(20)
    assert str(results[0]) == str(errors[0]) and "shutting down" in str(errors[0])
    assert time.monotonic() - began < 10


def run_quietly(writer):
    with contextlib.suppress(ZeroDivisionError):
        writer.run()


@pytest.mark.parametrize("periods", [None, 0, 2, 4])
@pytest.mark.parametrize(("steps", "by_readers"), [(0, True), (2, True), (2, False)])
def test_the_writer_writes_checkpoints_if_readers_do_not(tmp_path, periods, steps, by_readers):
    writer = Writer(site(tmp_path, "{push: {http: {readings: m.yaml}}}", CLOCKS[0]))
    writer.start()
    period = writer.config.state.checkpoint.total_seconds()
    writer.writes_checkpoints = not by_readers
    writer._began -= 10 * period
    for number in range(steps):
        writer.step([reading(number)])
    expected = 0.0 if not writer.driver.number else 10 * period
    if periods is not None:  # as if a reader had written it
        path = checkpoint_path(writer.folder, max(writer.driver.number - 1, 0))
        writer.driver.captured()(path)
        before = time.time() - periods * period
        os.utime(path, (before, before))
        expected = min(expected, periods * period)
    known = checkpoints(writer.folder)
    found = [float(line.split()[1]) for line in writer.metrics.text().splitlines() if line.startswith(AGE)]
    assert found == [pytest.approx(expected, abs=30)]
    writer.save()
    writer._saving.join(20)
    written = set(checkpoints(writer.folder)) - set(known)
    assert bool(written) == (not by_readers or expected > 3 * period)
    assert not written or writer.checkpoint_age < 30
    writer.stop()


AGE = "pantarhei_checkpoint_age_seconds"


@pytest.mark.parametrize("error", [RecursionError("deep"), MemoryError(), KeyError("query")])
def test_an_error_in_a_request_does_not_end_the_writer(writer, monkeypatch, error):
    def fail(driver, request):
        raise error

    monkeypatch.setattr(JournalDriver, "prepare_request", fail)
    done = writer._promise()
    writer._requests.put(({"register": "a"}, done))
    writer._answer_requests()
    assert done.exception(0) is error and not list(read_journal(writer.folder))


@pytest.mark.parametrize("given", [{}, {"state": True}, {"pushes": []}])
def test_an_unknown_request_is_refused_with_the_known_ones(writer, given):
    with pytest.raises(RefusedError, match=r"unknown request \[.*\]; send push, request, metrics or status"):
        writer.handle(given)
    assert writer.handle({"status": True})["record"] == 0
