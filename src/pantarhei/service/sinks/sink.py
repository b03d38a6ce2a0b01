"""Sink: a thread with a bounded queue that writes changes, and repeats what fails."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from pantarhei.errors import ConnectionFailedError, JournalError
from pantarhei.io.writers import json_time
from pantarhei.service.changes import Emitted, is_wanted
from pantarhei.service.message_journal import DeadLetter, sync_folder

LOG = logging.getLogger("pantarhei.service")
LIMIT = 20_000
"""Number of changes and records that may wait for a sink; the writer waits when there are more."""
PATIENCE = 10.0
"""Seconds to wait for an answer of a broker, database or server."""
_BATCH = 5_000
_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
_EMPTY_PAUSE = 0.25  # seconds after which a position is stored though no change was written
COLUMNS = ("id", "record", "at", "name", "change", "row")


class Position(NamedTuple):
    """Position of a sink.

    Args:
        record: number of the last record that is completely written.
        size: size in bytes of the written file; -1 if it is unknown or there is no file.
        file: the written file, to which the size applies.
    """

    record: int
    size: int = -1
    file: str = ""


class Positions:
    """Positions of sinks, in a file of the state folder that is replaced whenever one moves.

    Raises:
        JournalError: the file is damaged; raised by `get` and `put`.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        self._known: dict[str, Position] | None = None

    def get(self, sink: str) -> Position | None:
        """Return the position of a sink; None if it is new."""
        with self._lock:
            return self._read().get(sink)

    def put(self, sink: str, position: Position) -> None:
        """Store the position of a sink. Raises `OSError`."""
        with self._lock:
            known = self._read() | {sink: position}
            temporary = self._path.with_name(f"{self._path.name}.tmp")
            with temporary.open("w") as file:
                json.dump({name: each._asdict() for name, each in known.items()}, file)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._path)
            sync_folder(self._path.parent)
            self._known = known

    def _read(self) -> dict[str, Position]:
        if self._known is None:
            try:
                found = json.loads(self._path.read_text())
                self._known = {
                    name: Position(int(at["record"]), int(at["size"]), str(at["file"]))
                    for name, at in found.items()
                }
            except FileNotFoundError:
                self._known = {}
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                remedy = "restore it from a backup, or delete it: sinks then continue at the journal's end"
                raise JournalError(str(self._path), f"the file is damaged: {error}", remedy) from error
        return self._known


@dataclass(slots=True)
class SinkStatus:
    """State of a sink.

    Args:
        position: number of the last record that is completely written and stored as the position.
        problem: the last error; empty if the last attempt succeeded.
        changes: number of changes written since the start.
        failures: number of failed attempts since the start.
        overdue: whether the attempts have failed for longer than `retry`.
    """

    position: int = 0
    problem: str = ""
    changes: int = 0
    failures: int = 0
    overdue: bool = False


class Sink(ABC):
    """Sink that writes changes in a thread of its own; build a subclass, then `begin`.

    Changes that cannot be written are never dropped: attempts are repeated with growing pauses until one
    succeeds. Meanwhile the queue fills; then the writer waits, and sources are not acknowledged.

    Args:
        name: name in the configuration.
        wanted: names of changes to write.
        positions: positions of all sinks.
        takes_dead: whether to write dead letters.
        retry: time of failures after which the sink is reported as overdue.
    """

    recognizes_ids = False
    """True if changes that are written again are recognized by their id."""

    def __init__(
        self,
        name: str,
        wanted: Collection[str],
        positions: Positions,
        takes_dead: bool = False,
        retry: timedelta = timedelta(minutes=5),
    ) -> None:
        self.name, self._wanted, self._takes_dead = name, wanted, takes_dead
        self._positions, self._retry = positions, retry.total_seconds()
        self.status = SinkStatus()
        self._waiting: deque[Emitted] = deque()
        self._weight, self._is_abandoned, self._is_open = 0, False, False
        self._moved = threading.Condition()
        self._ending = threading.Event()
        self._kept_at = 0.0
        self._thread = threading.Thread(target=self._run, name=f"sink {name}", daemon=True)

    @abstractmethod
    def open(self) -> int | None:
        """Connect; return the number of the last record by the system itself, or None if it has no number.

        Raises:
            ConnectionFailedError: the system cannot be reached.
        """

    @abstractmethod
    def write(self, given: Sequence[Emitted]) -> None:
        """Write the changes of records, and the position after them.

        Raises:
            Exception: it is repeated after `open`, with the records after the position then.
        """

    def close(self) -> None:  # noqa: B027, some sinks have nothing to close
        """Disconnect; called in the thread of the sink."""

    @abstractmethod
    def check(self) -> None:
        """Test whether the system can be reached, without writing. Raises `ConnectionFailedError`."""

    def begin(self, number: int) -> None:
        """Connect and start the thread.

        Args:
            number: the number of the last record of the journal, from which a new sink continues.

        Raises:
            JournalError: the positions are damaged.
            OSError: the positions cannot be written.
        """
        if self._positions.get(self.name) is None:  # else a crash would move the beginning of a new sink
            self._positions.put(self.name, Position(number))
        self.status.position = self._kept.record
        try:
            self._connect()
        except Exception as error:
            self._fail(error)
            LOG.warning("sink %s: %s; tried again", self.name, self.status.problem)
        self._thread.start()

    @property
    def _kept(self) -> Position:
        kept = self._positions.get(self.name)
        assert kept is not None, "begin stores it"
        return kept

    def _keep(self, record: int, size: int = -1, file: str = "") -> None:
        """Store the position of this sink in the state folder."""
        self._positions.put(self.name, Position(record, size, file))
        self.status.position = record

    def keep_position(self) -> None:
        """Store the position in the state folder too, for a start at which the system cannot be reached.

        Raises:
            OSError: the positions cannot be written.
        """
        if self._kept.record < self.status.position:  # only where the system itself has the position
            self._keep(self.status.position)

    def _connect(self) -> None:
        own = self.open()
        self.status.position = self._kept.record if own is None else own
        self._is_open = True

    @property
    def waiting(self) -> int:
        """Number of records that wait."""
        return len(self._waiting)

    @property
    def is_full(self) -> bool:
        """True if the writer has to wait for this sink."""
        return self._weight >= LIMIT

    def put(self, emitted: Emitted, patience: float | None = None) -> bool:
        """Add the changes of a record; wait while the queue is full, at most `patience` seconds.

        Returns:
            False if the queue is still full.
        """
        changes = tuple(each for each in emitted.changes if is_wanted(each.name, self._wanted))
        selected = emitted._replace(changes=changes, dead=emitted.dead if self._takes_dead else ())
        with self._moved:
            if not self._moved.wait_for(lambda: self._is_abandoned or not self.is_full, patience):
                return False
            if not self._is_abandoned:
                self._waiting.append(selected)
                self._weight += _weight(selected)
                self._moved.notify_all()
        return True

    def abandon(self) -> None:
        """Accept further changes without writing them, since an earlier one was left out."""
        self._is_abandoned = True

    def finish(self, patience: float) -> bool:
        """Write what waits, and end; a sink that fails is not waited for.

        Returns:
            False if records are left, which are written after the next start.
        """
        self._ending.set()
        with self._moved:
            self._moved.notify_all()
        if self._thread.ident is not None:
            self._thread.join(max(patience, 0))
        return not (self._thread.is_alive() or self._waiting or self._is_abandoned)

    def _run(self) -> None:
        last: Emitted | None = None
        while True:
            is_behind = last is not None and last.number > self.status.position
            batch = self._next_batch(_EMPTY_PAUSE if is_behind else None)
            if batch:
                last = batch[-1]
            elif is_behind and last is not None:  # nothing follows for a while, or at all
                batch = [last]
            elif self._ending.is_set():
                break
            if not self._write_until_done(batch):
                break
            with self._moved:
                while self._waiting and self._waiting[0].number <= batch[-1].number:
                    self._weight -= _weight(self._waiting.popleft())
                self._moved.notify_all()
        try:
            self.close()
        except Exception as error:
            LOG.warning("sink %s: %s", self.name, _text_of(error))

    def _next_batch(self, patience: float | None) -> list[Emitted]:
        """Return the records to write next; empty if none comes within `patience` seconds, and at the end."""
        with self._moved:
            self._moved.wait_for(lambda: self._waiting or self._ending.is_set(), patience)
            total = 0

            def is_within(emitted: Emitted) -> bool:
                nonlocal total
                total += _weight(emitted)
                return total <= _BATCH

            return list(takewhile(is_within, self._waiting)) or list(self._waiting)[:1]

    def _write_until_done(self, records: Sequence[Emitted]) -> bool:
        """Write records, as often as it takes. Returns False if it still fails at the end."""
        pause, began = _PAUSE, time.monotonic()
        while True:
            try:
                if not self._is_open:
                    self._connect()
                self._write_new(records)
            except Exception as error:  # whatever the driver of a database raises
                self._fail(error)
                failing = time.monotonic() - began
                self.status.overdue = failing >= self._retry
                LOG.log(
                    logging.ERROR if self.status.overdue else logging.WARNING,
                    "sink %s: %s; failing for %.0f s, tried again in %.1f s",
                    *(self.name, self.status.problem, failing, pause),
                )
                if self._ending.wait(pause):
                    return False
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                self.status.problem, self.status.overdue = "", False
                return True

    def _write_new(self, records: Sequence[Emitted]) -> None:
        new = [each for each in records if each.number > self.status.position or self.recognizes_ids]
        now = time.monotonic()
        is_due = self._ending.is_set() or now - self._kept_at >= _EMPTY_PAUSE
        if new and (is_due or any(each.changes or each.dead for each in new)):
            self.write(new)
            self._kept_at = now
            self.status.changes += sum(len(each.changes) for each in new)

    def _fail(self, error: Exception) -> None:
        self.status.problem = _text_of(error)
        self.status.failures += 1
        self._is_open = False

    def _failed(self, address: str, error: object) -> ConnectionFailedError:
        return ConnectionFailedError(self.name, address, _text_of(error))


def _weight(emitted: Emitted) -> int:
    return 1 + len(emitted.changes) + len(emitted.dead)


def _text_of(error: object) -> str:
    """Return the text of an error on one line of bounded length."""
    return " ".join((str(error) or repr(error)).split())[:500]


def to_json(value: object) -> str:
    """Return JSON text that can be encoded as UTF-8: half surrogate pairs become question marks."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def rows_of(emitted: Emitted) -> Iterator[tuple[str, int, str, str, str, str]]:
    """Yield the changes of a record as rows of `COLUMNS`; times are texts, rows are JSON."""
    for each in emitted.changes:
        yield each.id, emitted.number, str(json_time(each.at)), each.name, each.sign, to_json(each.row)


def letters_of(emitted: Emitted) -> Iterator[tuple[str, DeadLetter]]:
    """Yield the dead letters of a record, each with an id that is equal whenever the record is processed."""
    copies: Counter[str] = Counter()
    for each in emitted.dead:
        text = json.dumps([*each.message[:2], each.message.id, each.reason])
        digest = blake2b(text.encode(), digest_size=8)
        digest.update(each.message.payload)
        copies[digest.hexdigest()] += 1
        digest.update(b"%d" % copies[digest.hexdigest()])
        yield f"{emitted.number}-{digest.hexdigest()}", each
