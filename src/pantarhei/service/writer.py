"""Writer: owns journal and reasoner, and drives messages from the sources to the sinks."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError, wait
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pantarhei.errors import CheckpointError, JournalError, RefusedError, WriterUnavailableError
from pantarhei.service.batching import REMEMBERED, Batcher, Received
from pantarhei.service.changes import REPAIRS, Emitted
from pantarhei.service.clients import LOG
from pantarhei.service.config import ServiceConfig, followed
from pantarhei.service.connections import make_sinks, make_sources
from pantarhei.service.control import PATIENCE
from pantarhei.service.journal_driver import memory_of, read_knowledge
from pantarhei.service.message_journal import (
    NEVER,
    Message,
    MessageJournal,
    Record,
    last_messages,
    read_journal,
)
from pantarhei.service.metrics import WriterMetrics
from pantarhei.service.sources.source import Inbox, Source
from pantarhei.service.start import checkpoint_number, checkpoint_path, checkpoints, start_driver

_FULL = 1.0  # seconds between attempts to write to a full disk
_CONNECTING = 10.0  # seconds after the start in which time does not advance before all sources are connected
_SEGMENT = 60.0  # seconds after which a new segment begins
_LONG = 2.0  # seconds of a replay after which a checkpoint is written
_PATIENCE = 30.0  # seconds to wait for the sinks at the end
_WITHOUT = 3  # periods without a checkpoint of a reader after which the writer writes one
_AHEAD = 4  # number of kept checkpoints that are newer than the position of a sink


class Writer:
    """Writer of a service.

    Raises:
        ServiceError, PantarheiError: the configuration or the state cannot be used.
    """

    def __init__(self, config: ServiceConfig) -> None:
        self.config = config
        self.folder = config.path(config.state.folder)
        self.journal = MessageJournal(self.folder)
        self.knowledge = read_knowledge(config)
        self.batcher = Batcher(config, self.knowledge.decoder)
        self.inbox = Inbox()
        self.sources = make_sources(config)
        self.sinks = make_sinks(config)
        self.stopping = threading.Event()
        self.writes_checkpoints = True
        self.blocked = ""
        self._requests: queue.SimpleQueue[tuple[dict[str, str], Future[None]]] = queue.SimpleQueue()
        self._promised: set[Future[None]] = set()  # of pushes and requests that wait
        self.metrics = WriterMetrics(self)
        self._started = self._moved = self._synced = 0.0
        self._began, self._saving = time.time(), threading.Thread()
        self._waiting: dict[str, str] = {}  # by source, the files that are read before it starts

    def start(self) -> None:
        """Restore the state, replay the journal, and start the sources."""
        self.open()
        self.replay()

    def open(self) -> None:
        """Start the sinks, and restore the state that precedes what they have not written."""
        for sink in self.sinks:
            sink.begin(self.journal.number)
        positions = [sink.status.position for sink in self.sinks]
        self._compare_positions(max(positions, default=0))
        for path in checkpoints(self.folder):
            if checkpoint_number(path) > self.journal.number:  # a reader was ahead of the disk
                path.unlink()
        least = min([self.journal.number, *positions])
        self.driver = start_driver(self.knowledge, self.journal, least)
        self.driver.emits_repairs = any(REPAIRS in section.of for section in self.config.sinks.values())

    def _compare_positions(self, newest: int) -> None:
        """Let the numbers of an empty journal follow those that the sinks have.

        Raises:
            JournalError: the journal ends before what the sinks have written.
        """
        if newest <= self.journal.number:
            return
        if next(read_journal(self.folder), None) is not None:
            last = self.journal.number
            problem = f"the journal ends with record {last:,}, but a sink has record {newest:,}"
            remedy = "restore a newer backup, or move the folder away to begin anew"
            raise JournalError(str(self.folder), problem, remedy)
        LOG.warning("the journal is empty: it begins after record %d, which a sink has", newest)
        self.journal.skip_to(newest)

    def replay(self) -> None:
        """Process the records after the restored state, and start the sources."""
        began, first = time.monotonic(), self.driver.number
        for message in last_messages(self.folder, REMEMBERED):
            self.batcher.remember(message)
        for record in read_journal(self.folder, first):
            if self.stopping.is_set():
                return
            self._emit(self.driver.apply(record))
        took = time.monotonic() - began
        LOG.info("record %d; %d replayed in %.2f s", self.driver.number, self.driver.number - first, took)
        if took > _LONG:
            self.save(always=True)
        self._waiting = {then: name for name, then in followed(self.config.sources)}
        for source in self.sources:
            if source.name not in self._waiting:
                self._start_source(source)
        self.driver.is_current = True

    def _start_source(self, source: Source) -> None:
        self.batcher.expect(source.name, datetime.now(UTC))
        self._started = self._moved = time.monotonic()
        source.start(self.inbox, self.driver.positions.get(source.name))

    def _note_ends(self) -> None:
        """Note which sources have ended, and start those that wait for the end of files; an end is one when
        all messages were taken.
        """
        ended = {source.name for source in self.sources if source.status.has_ended}
        reading = {source.name for source in self.sources if source.status.reads_history}
        if self.inbox.qsize():  # read after the states: their messages are in it
            return
        self.batcher.ended |= ended
        for source in self.sources:
            before = self._waiting.get(source.name)
            if before is not None and before not in reading and before not in self._waiting:
                del self._waiting[source.name]
                self.batcher.ended.add(before)
                self._start_source(source)

    def run(self) -> None:
        """Process messages until `stopping` is set; then write what was taken, and end."""
        saved = rotated = time.monotonic()
        window, batch = self.config.window, self.config.clock.batch.total_seconds()
        sync = self.config.state.sync.total_seconds()
        patience = min((window.tick or window.slide or timedelta(seconds=1)).total_seconds(), 0.1)
        try:
            while not self.stopping.is_set():
                self.step(self.inbox.take(patience, batch, self._synced + sync))
                self._answer_requests()
                now = time.monotonic()
                is_long = self.writes_checkpoints and self.driver.has_long_replay
                if is_long or now - saved >= self.config.state.checkpoint.total_seconds():
                    saved = now
                    self.save()
                if now - rotated >= _SEGMENT:
                    rotated = now
                    with contextlib.suppress(OSError):  # the disk is full: the present segment goes on
                        self.journal.rotate()
            self.stop()
        finally:
            self.stopping.set()
            for done in list(self._promised):
                with contextlib.suppress(InvalidStateError):
                    done.set_exception(WriterUnavailableError("the service is shutting down"))

    def step(self, received: Sequence[Received]) -> None:
        """Journal and process messages, or a tick if there are none."""
        with self.driver.pausing_checkpoints():
            self._step(received)

    def _step(self, received: Sequence[Received]) -> None:
        now = datetime.now(UTC)
        records = self.batcher.batches(received, self.journal.number, self.driver.at, now)
        self._record(records, received)
        if received:
            self._moved = time.monotonic()
            return
        self._note_ends()
        if self._follows_clock():
            tick = self.batcher.tick(self.journal.number, self.driver.at, now)
            if tick is not None:
                self._record([tick])

    @property
    def is_quiet(self) -> bool:
        """True if no message has arrived for a second."""
        return self.driver.is_current and not self.inbox.qsize() and time.monotonic() - self._moved > 1

    def _follows_clock(self) -> bool:
        """Test whether time follows the clock, since all sources are idle or have ended."""
        idle = self.config.clock.idle
        if any(source.status.reads_history for source in self.sources) or self.inbox.qsize():
            return False  # time is that of the past
        if time.monotonic() - self._started < _CONNECTING and not all(map(self._is_available, self.sources)):
            return False  # brokers send what they have kept: older than the clock, yet not late
        if self.batcher.ended.issuperset(source.name for source in self.sources):
            return True
        return idle is not None and time.monotonic() - self._moved > idle.total_seconds()

    def _is_available(self, source: Source) -> bool:
        """Test whether a source is connected, needs no connection any more, or waits for files."""
        return source.status.connected or source.status.has_ended or source.name in self._waiting

    def _append(self, records: Sequence[Record]) -> None:
        """Append to the journal; while the disk is full, wait: nothing is acknowledged meanwhile."""
        while True:
            try:
                with self.metrics.syncs.time():
                    self.journal.append(records)
                self.blocked, self._synced = "", time.monotonic()
                return
            except OSError as error:
                self.blocked = error.strerror or str(error)
                LOG.error("the journal cannot be written: %s; retrying in %.0f s", self.blocked, _FULL)
                if self.stopping.wait(_FULL):
                    raise JournalError(str(self.folder), self.blocked, "free space on the disk") from error

    def _record(self, records: Sequence[Record], received: Sequence[Received] = ()) -> None:
        """Journal records, acknowledge the messages they are made of, and process them."""
        if records:
            self._append(records)
        for each in received:
            if each.acknowledge is not None:
                each.acknowledge()
        self.metrics.count_received(received)
        for record in records:
            with self.metrics.steps.time():
                emitted = self.driver.apply(record)
            self.metrics.count_emitted(emitted)
            self._emit(emitted)

    def _emit(self, emitted: Emitted) -> None:
        """Hand changes to the sinks; wait for those with a full queue, so that acknowledgements stop."""
        for sink in self.sinks:
            while not sink.put(emitted, 0.2):
                if self.stopping.is_set():  # the next start emits again what the sink lacks
                    sink.abandon()

    # requests of readers

    def _promise(self) -> Future[None]:
        """Return a future that has a result or an error when the writer ends, at the latest.

        Raises:
            WriterUnavailableError: the journal is not processed yet, or the writer ends.
        """
        if not self.driver.is_current:  # records have numbers after those of the journal
            raise WriterUnavailableError("the journal is being processed after the start")
        done: Future[None] = Future()
        self._promised.add(done)  # before the test: the end breaks those that are there
        if self.stopping.is_set():
            raise WriterUnavailableError("the service is shutting down")
        done.add_done_callback(self._promised.discard)
        return done

    def push(self, message: Message) -> None:
        """Add a message of HTTP, and wait until it is in the journal.

        Raises:
            UnknownTopicError: no source of HTTP has the topic.
            WriterUnavailableError: that takes too long, or journal or files with history are processed first.
        """
        self.knowledge.decoder.find(message.source, message.topic)
        done = self._promise()
        if message.source in self._waiting:
            raise WriterUnavailableError("history files are read before messages are accepted")
        next(each for each in self.sources if each.name == message.source).status.messages += 1
        began = time.monotonic()
        received = Received(message, acknowledge=lambda: done.set_result(None), received=began)
        try:
            self.inbox.put(received, timeout=PATIENCE)
            done.result(max(began + PATIENCE - time.monotonic(), 0))
        except (queue.Full, TimeoutError):
            raise WriterUnavailableError("the journal cannot be written now") from None

    def request(self, given: dict[str, str]) -> None:
        """Journal and process a change of the registered queries.

        Raises:
            QueryError, OptionError: the query is refused.
            WriterUnavailableError: that takes too long, or the journal is processed first.
        """
        done = self._promise()
        self._requests.put((given, done))
        try:
            wait([done], PATIENCE / 2)
            if done.cancel():
                raise WriterUnavailableError("the writer is busy, and the request has no effect")
            done.result(PATIENCE / 2)
        except TimeoutError:
            problem = "the change of the queries has not finished, and may still take effect"
            raise WriterUnavailableError(problem) from None

    def _answer_requests(self) -> None:
        while not self._requests.empty():
            given, done = self._requests.get()
            if not done.set_running_or_notify_cancel():
                continue
            try:
                self.driver.prepare_request(given)
            except Exception as error:  # the writer survives each request
                done.set_exception(error)
                continue
            at = self.driver.at or NEVER
            self._record([Record(self.journal.number + 1, at, datetime.now(UTC), request=given)])
            done.set_result(None)

    def status(self) -> dict[str, Any]:
        """Return the state of the writer, its sources and its sinks, as JSON."""
        driver, sinks = self.driver, self.sinks
        return {
            "record": driver.number,
            "at": None if driver.at is None else driver.at.isoformat(),
            "ready": driver.is_current,
            "inbox": self.inbox.qsize(),
            "behind": self.inbox.age(),
            "blocked": self.blocked,
            "sources": {
                source.name: asdict(source.status) | {"available": self._is_available(source)}
                for source in self.sources
            },
            "sinks": {
                sink.name: asdict(sink.status) | {"waiting": sink.waiting, "full": sink.is_full}
                for sink in sinks
            },
        }

    def handle(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Answer a request of the control socket.

        Raises:
            RefusedError: the request is unknown. Also raises the errors of `push` and `request`.
        """
        if "push" in given:
            source, topic, payload, id_ = given["push"]
            self.push(Message(source, topic, payload.encode("utf-8", "surrogateescape"), id_))
        elif "request" in given:
            self.request(given["request"])
        elif "metrics" in given:
            return {**self.status(), "metrics": self.metrics.text()}
        elif "status" not in given:
            raise RefusedError(f"unknown request {[*given]}; send push, request, metrics or status")
        return self.status()

    @property
    def checkpoint_age(self) -> float:
        """Seconds since the newest checkpoint of this run, or since its start; 0 before the first record."""
        began = self._began if self.driver.number else time.time()
        with contextlib.suppress(OSError):  # another thread deletes it
            began = max([began, *(path.stat().st_mtime for path in checkpoints(self.folder)[-1:])])
        return max(time.time() - began, 0.0)

    def save(self, always: bool = False) -> None:
        """Write a checkpoint, unless a reader has done so lately, and delete what no restart needs any more.

        Args:
            always: whether to write it even if a reader does, and to return after that; otherwise a thread
                writes it while steps go on.
        """
        if self._saving.is_alive():
            if not always:
                return  # the disk is slow: the next one is due later
            self._saving.join()
        path = checkpoint_path(self.folder, self.driver.number)
        limit = _WITHOUT * self.config.state.checkpoint.total_seconds()
        takes_over = not self.writes_checkpoints and self.checkpoint_age > limit
        if takes_over:  # without checkpoints, the journal grows until the disk is full
            LOG.warning("no reader has written a checkpoint for %.0f s; the writer does", self.checkpoint_age)
        write = self.driver.captured() if self.writes_checkpoints or takes_over or always else None
        self._saving = threading.Thread(target=self._save, args=(path, write), name="checkpoint", daemon=True)
        self._saving.start()
        if always:
            self._saving.join()

    def _save(self, path: Path, write: Callable[[Path], None] | None) -> None:
        try:
            if write is not None:
                write(path)
        except CheckpointError as error:
            LOG.error("%s", error)
            return
        self.forget()

    def forget(self) -> None:
        """Delete checkpoints and segments that no restart needs."""
        try:
            for sink in self.sinks:
                sink.keep_position()
        except OSError as error:
            LOG.error("the positions of the sinks cannot be written: %s", error.strerror or error)
            return
        least = min([self.driver.number, *(sink.status.position for sink in self.sinks)])
        known = checkpoints(self.folder)
        usable = [path for path in known if checkpoint_number(path) <= least]
        # the second newest replaces a damaged one; newer ones than a sink that is behind are few
        for path in (*usable[:-2], *known[len(usable) : -_AHEAD]):
            path.unlink(missing_ok=True)
        if len(usable) > 1 and self.driver.at is not None:
            kept = max(self.config.state.keep, memory_of(self.knowledge))
            self.journal.forget(checkpoint_number(usable[-2]), self.driver.at - kept)

    def stop(self) -> None:
        """Stop the sources, process what they delivered, finish the sinks, and write a checkpoint."""
        for source in self.sources:
            source.stop()
        try:
            while self.driver.is_current and (received := self.inbox.take(0, 0)):
                self.step(received)
            end = time.monotonic() + _PATIENCE
            for sink in self.sinks:
                if not sink.finish(max(end - time.monotonic(), 0)):
                    LOG.warning("sink %s: changes that wait are written after the next start", sink.name)
            self.save(always=True)
        finally:
            for source in self.sources:
                source.close()
            self.journal.close()
