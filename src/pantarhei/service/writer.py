"""Writer: owns journal and reasoner, and drives messages from the sources to the sinks."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pantarhei.errors import CheckpointError, CheckpointMismatchError, UpgradeError
from pantarhei.service.batching import Batcher, Received
from pantarhei.service.changes import REPAIRS, Emitted
from pantarhei.service.config import ServiceConfig
from pantarhei.service.connections import make_sinks, make_sources
from pantarhei.service.decoding import Decoder
from pantarhei.service.driver import Driver, Knowledge, read_knowledge
from pantarhei.service.journal import Journal, Record, first_number, read_journal, segments
from pantarhei.service.sources.source import Inbox

LOG = logging.getLogger("pantarhei.service")
_CHECKPOINT = "checkpoint-"
_FULL = 1.0  # seconds between attempts to write to a full disk
_SEGMENT = 60.0  # seconds after which a new segment begins


def checkpoints(folder: Path) -> list[Path]:
    """Return the checkpoints of a folder, oldest first."""
    found = (path for path in folder.glob(f"{_CHECKPOINT}*") if path.name[len(_CHECKPOINT) :].isdecimal())
    return sorted(found, key=checkpoint_number)


def checkpoint_number(path: Path) -> int:
    """Return the number of the last record in a checkpoint."""
    return int(path.name.removeprefix(_CHECKPOINT))


def checkpoint_path(folder: Path, number: int) -> Path:
    """Return the path of the checkpoint after a record."""
    return folder / f"{_CHECKPOINT}{number}"


def start_driver(
    config: ServiceConfig, knowledge: Knowledge, decoder: Decoder, most: int | None, with_repairs: bool
) -> Driver:
    """Return a driver with the newest usable checkpoint, before the replay of the journal.

    Args:
        most: the greatest number of a checkpoint that may be used; None for any.

    Raises:
        UpgradeError: the configuration has changed, and `upgrade` is `refuse`, or the journal is incomplete.
    """
    folder = config.path(config.state.folder)
    for path in reversed(checkpoints(folder)):
        if most is not None and checkpoint_number(path) > most:
            continue
        try:
            return Driver.restored(path, config, knowledge, decoder, with_repairs)
        except CheckpointMismatchError as error:
            if config.upgrade == "refuse":
                reason = "upgrade: refuse does not permit that"
                raise UpgradeError(str(folder), (error.what,), reason) from error
            LOG.info("%s has changed: the journal is processed again", error.what)
            break
        except CheckpointError as error:
            LOG.warning("%s is not usable: %s", path.name, error)
    driver = Driver.fresh(config, knowledge, decoder, with_repairs)
    if known := segments(folder):
        driver.number = first_number(known[0]) - 1
    return driver


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
        self.blocked = ""
        self.behind = 0.0
        self._wants_repairs = any(REPAIRS in section.of for section in config.sinks.values())
        self._requests: list[tuple[dict[str, str], threading.Event]] = []

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

    def save(self) -> None:
        """Write a checkpoint, and delete what no restart needs any more."""
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
                LOG.warning(
                    "sink %s: not all changes are written; they follow after the next start", sink.name
                )
        self.save()
        for source in self.sources:
            source.close()
        self.journal.close()
