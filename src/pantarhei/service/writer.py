"""Writer: owns journal and reasoner, and drives messages from the sources to the sinks."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

from pantarhei.errors import CheckpointError, PantarheiError
from pantarhei.service.batching import Batcher, Received
from pantarhei.service.changes import REPAIRS, Emitted
from pantarhei.service.config import ServiceConfig
from pantarhei.service.connections import make_sinks, make_sources
from pantarhei.service.control import PATIENCE, WriterUnavailableError
from pantarhei.service.decoding import Decoder
from pantarhei.service.driver import read_knowledge
from pantarhei.service.journal import Journal, Message, Record, read_journal
from pantarhei.service.reader import Follower
from pantarhei.service.sources.source import Inbox
from pantarhei.service.start import checkpoint_number, checkpoint_path, checkpoints, start_driver

LOG = logging.getLogger("pantarhei.service")
_FULL = 1.0  # seconds between attempts to write to a full disk
_SEGMENT = 60.0  # seconds after which a new segment begins


class _Request:
    """Change of the registered queries that waits for the writer."""

    def __init__(self, given: dict[str, str]) -> None:
        self.given, self.done = given, threading.Event()
        self.error: PantarheiError | None = None


class Writer:
    """Writer of a service.

    Raises:
        ServiceError, PantarheiError: the configuration or the state cannot be used.
    """

    def __init__(self, config: ServiceConfig) -> None:
        self.config = config
        self.folder = config.path(config.state.folder)
        self.journal = Journal.open(self.folder)
        self.decoder = Decoder(config)
        self.knowledge = read_knowledge(config)
        self.batcher = Batcher(config, self.decoder)
        self.inbox = Inbox()
        self.sources = make_sources(config)
        self.sinks = make_sinks(config)
        self.stopping = threading.Event()
        self.writes_checkpoints = True
        self.blocked = ""
        self.behind = 0.0
        self._wants_repairs = any(REPAIRS in section.of for section in config.sinks.values())
        self._requests: queue.SimpleQueue[_Request] = queue.SimpleQueue()
        self.followers: list[Follower] = []

    def start(self) -> None:
        """Restore the state, replay the journal, and start sinks and sources."""
        began = time.monotonic()
        for sink in self.sinks:
            sink.begin(self.journal.number)
        least = min((sink.status.position for sink in self.sinks), default=self.journal.number)
        self.driver = start_driver(self.config, self.knowledge, self.decoder, least, self._wants_repairs)
        first, count = self.driver.number, 0
        for record in read_journal(self.folder):
            for message in (*record.messages, *(each.message for each in record.dead)):
                self.batcher.recent.add(message)
            if record.number <= first:
                self.driver.positions.update(record.positions)
                continue
            self._emit(self.driver.apply(record))
            count += 1
        LOG.info("record %d; %d replayed in %.2f s", self.driver.number, count, time.monotonic() - began)
        for source in self.sources:
            source.start(self.inbox, self.driver.positions.get(source.name))

    def run(self) -> None:
        """Process messages until `stopping` is set; then write what was taken, and end."""
        saved = rotated = time.monotonic()
        while not self.stopping.is_set():
            self.step(self.inbox.take(self._patience, self.config.clock.batch.total_seconds()))
            self._answer_requests()
            now = time.monotonic()
            if now - saved >= self.config.state.checkpoint.total_seconds():
                saved = now
                self.save()
            if now - rotated >= _SEGMENT:
                rotated = now
                self.journal.rotate()
        self.stop()

    @property
    def _patience(self) -> float:
        window = self.config.window
        return min((window.tick or window.slide or timedelta(seconds=1)).total_seconds(), 0.1)

    def step(self, received: Sequence[Received]) -> None:
        """Journal and process messages, or a tick if there are none."""
        now = datetime.now(UTC)
        batches = self.batcher.batches(received, self.driver.number, self.driver.at, now)
        if batches:
            self._append([batch.record for batch in batches])
        for each in received:
            if each.acknowledge is not None:
                each.acknowledge()
        for batch in batches:
            self._emit(self.driver.apply(batch.record, batch.decoded))
        if received:
            self._moved = time.monotonic()
        elif self._is_idle():
            tick = self.batcher.tick(self.driver.number, self.driver.at, now)
            if tick is not None:
                self._append([tick])
                self._emit(self.driver.apply(tick))

    _moved = 0.0

    def _is_idle(self) -> bool:
        idle = self.config.clock.idle
        return idle is not None and time.monotonic() - self._moved > idle.total_seconds()

    def _append(self, records: Sequence[Record]) -> None:
        """Append to the journal; while the disk is full, wait: nothing is acknowledged meanwhile."""
        while True:
            try:
                self.journal.append(records)
                self.blocked = ""
                return
            except OSError as error:
                self.blocked = error.strerror or str(error)
                LOG.error("the journal cannot be written: %s; tried again in %.0f s", self.blocked, _FULL)
                time.sleep(_FULL)

    def _emit(self, emitted: Emitted) -> None:
        for sink in self.sinks:
            sink.put(emitted)
        for follower in self.followers:
            follower(emitted, self.driver.update)

    # requests of readers

    def push(self, message: Message) -> None:
        """Add a message of HTTP, and wait until it is in the journal.

        Raises:
            WriterUnavailableError: that takes too long.
        """
        done = threading.Event()
        self.inbox.put(Received(message, acknowledge=done.set, received=time.monotonic()))
        if not done.wait(PATIENCE):
            raise WriterUnavailableError("the journal cannot be written now")

    def request(self, given: dict[str, str]) -> None:
        """Journal and process a change of the registered queries.

        Raises:
            QueryError, OptionError: the query is refused.
            WriterUnavailableError: that takes too long.
        """
        request = _Request(given)
        self._requests.put(request)
        if not request.done.wait(PATIENCE):
            raise WriterUnavailableError("it is busy")
        if request.error is not None:
            raise request.error

    def _answer_requests(self) -> None:
        while not self._requests.empty():
            request = self._requests.get()
            try:
                self.driver.check_request(request.given)
            except PantarheiError as error:
                request.error = error
            else:
                now = datetime.now(UTC)
                at = now if self.driver.at is None else self.driver.at
                record = Record(self.driver.number + 1, at, now, request=request.given)
                self._append([record])
                self._emit(self.driver.apply(record))
            request.done.set()

    def status(self) -> dict[str, Any]:
        """Return the state of the writer, its sources and its sinks, as JSON."""
        sinks = {sink.name: {**asdict(sink.status), "waiting": sink.waiting} for sink in self.sinks}
        return {
            "record": self.driver.number,
            "at": None if self.driver.at is None else self.driver.at.isoformat(),
            "inbox": len(self.inbox),
            "blocked": self.blocked,
            "sources": {source.name: asdict(source.status) for source in self.sources},
            "sinks": sinks,
        }

    def handle(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Answer a request of the control socket. Raises the errors of `push` and `request`."""
        if "push" in given:
            source, topic, payload, id_ = given["push"]
            self.push(Message(source, topic, payload.encode("utf-8", "surrogateescape"), id_))
        elif "request" in given:
            self.request(given["request"])
        elif "metrics" in given:
            return {"metrics": self.metrics()}
        return self.status()

    def metrics(self) -> str:
        """Return the metrics of this process in the text format of Prometheus."""
        return ""

    def save(self) -> None:
        """Write a checkpoint, unless a reader does, and delete what no restart needs any more."""
        if self.writes_checkpoints:
            try:
                self.driver.checkpoint(checkpoint_path(self.folder, self.driver.number))
            except CheckpointError as error:
                LOG.error("%s", error)
                return
        self.forget()

    def forget(self) -> None:
        """Delete checkpoints and segments that no restart needs."""
        least = min((sink.status.position for sink in self.sinks), default=self.driver.number)
        usable = [path for path in checkpoints(self.folder) if checkpoint_number(path) <= least]
        for path in usable[:-1]:
            path.unlink(missing_ok=True)
        if usable and self.driver.at is not None:
            kept = max(self.config.state.keep, self.config.window.range)
            self.journal.forget(checkpoint_number(usable[-1]), self.driver.at - kept)

    def stop(self) -> None:
        """Stop the sources, process what they delivered, finish the sinks, and write a checkpoint."""
        for source in self.sources:
            source.stop()
        while received := self.inbox.take(0, 0):
            self.step(received)
        for sink in self.sinks:
            if not sink.finish(30):
                LOG.warning("sink %s: changes that wait are written after the next start", sink.name)
        self.writes_checkpoints = True
        self.save()
        for source in self.sources:
            source.close()
        self.journal.close()
