"""Sink: a thread with a bounded queue that writes changes, and repeats what fails."""

from __future__ import annotations

import logging
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pantarhei.errors import ConnectionFailedError
from pantarhei.service.changes import Emitted, is_wanted

LOG = logging.getLogger("pantarhei.service")
WAITING = 1_000
"""Number of records that may wait for a sink; the writer waits when there are more."""
_BATCH = 500
_LONGEST_PAUSE = 30.0


@dataclass(slots=True)
class SinkStatus:
    """State of a sink.

    Args:
        position: number of the last record that is completely written.
        problem: the last error; empty if the last attempt succeeded.
        changes: number of changes written since the start.
        failures: number of failed attempts since the start.
    """

    position: int = 0
    problem: str = ""
    changes: int = 0
    failures: int = 0


class Sink(ABC):
    """Sink that writes changes in a thread of its own; build a subclass, then `begin`.

    Args:
        name: name in the configuration.
        wanted: names of changes to write.
        takes_dead: whether to write dead letters.

    Attributes:
        has_position: whether the position is known; it is not until the sink was connected once.
    """

    recognizes_ids = False
    """True if changes that are written again are recognized by their id."""

    def __init__(self, name: str, wanted: Collection[str], takes_dead: bool = False) -> None:
        self.name, self._wanted, self._takes_dead = name, wanted, takes_dead
        self.status = SinkStatus()
        self.has_position = self._is_abandoned = False
        self._queue: queue.Queue[Emitted | None] = queue.Queue(WAITING)
        self._thread = threading.Thread(target=self._run, name=f"sink {name}", daemon=True)

    @abstractmethod
    def open(self) -> int:
        """Connect; return the number of the last record that is completely written, or -1 if the sink is new.

        Raises:
            ConnectionFailedError: the system cannot be reached.
        """

    @abstractmethod
    def write(self, given: Sequence[Emitted]) -> None:
        """Write the changes of records, and the position after them.

        Raises:
            Exception: nothing is written, or it can be written again.
        """

    def close(self) -> None:  # noqa: B027, most sinks have nothing to close
        """Disconnect; called in the thread of the sink."""

    def check(self) -> None:
        """Connect and disconnect. Raises `ConnectionFailedError`."""
        self.open()
        self.close()

    def begin(self, number: int) -> None:
        """Connect and start the thread.

        Args:
            number: the number of the last record of the journal, from which a new sink continues.
        """
        try:
            position = self.open()
        except ConnectionFailedError as error:
            LOG.warning("%s; it is tried again", error)
            self.status.problem = str(error)
            position = None
        self._begin_at = number
        self._is_open = position is not None
        if position is not None:
            self._set_position(position)
        self._thread.start()

    def _set_position(self, position: int) -> None:
        self.status.position = self._begin_at if position < 0 else position
        self.has_position = True

    @property
    def waiting(self) -> int:
        """Number of records that wait."""
        return self._queue.qsize()

    def put(self, emitted: Emitted, patience: float | None = None) -> bool:
        """Add the changes of a record; wait while the queue is full, at most `patience` seconds.

        Returns:
            False if the queue is still full.
        """
        if not self._is_abandoned:
            try:
                self._queue.put(emitted, timeout=patience)
            except queue.Full:
                return False
        return True

    def abandon(self) -> None:
        """Accept further changes without writing them, since an earlier one was left out."""
        self._is_abandoned = True

    def finish(self, patience: float) -> bool:
        """Write what waits, and end. Returns False if it takes longer than `patience` seconds."""
        if self._is_abandoned:
            return False
        try:
            self._queue.put(None, timeout=patience)
        except queue.Full:
            return False
        self._thread.join(patience)
        return not self._thread.is_alive()

    def _selected(self, emitted: Emitted, is_replay: bool = False) -> Emitted:
        changes = tuple(each for each in emitted.changes if is_wanted(each.name, self._wanted))
        return emitted._replace(changes=changes, dead=emitted.dead if self._takes_dead else ())

    def _run(self) -> None:
        is_last = False
        while not is_last:
            given = [self._queue.get()]
            while len(given) < _BATCH and given[-1] is not None:
                try:
                    given.append(self._queue.get_nowait())
                except queue.Empty:
                    break
            is_last = given[-1] is None
            records = [self._selected(each) for each in given if each is not None]
            self._write_until_done(records)
        self.close()

    def _write_until_done(self, records: Sequence[Emitted]) -> None:
        pause = 0.5
        while records:
            try:
                if not self._is_open:
                    self._set_position(self.open())
                    self._is_open = True
                new = [each for each in records if each.number > self.status.position or self.recognizes_ids]
                if new:
                    self.write(new)
            except Exception as error:  # whatever the driver of a database raises
                self.status.problem, self.status.failures = (
                    str(error) or repr(error),
                    self.status.failures + 1,
                )
                LOG.warning("sink %s: %s; tried again in %.1f s", self.name, self.status.problem, pause)
                self._is_open = False
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                continue
            self.status.problem = ""
            self.status.changes += sum(len(each.changes) for each in new)
            self.status.position = max(self.status.position, records[-1].number)
            return
