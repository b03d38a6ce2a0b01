"""Sink: a thread with a bounded queue that writes changes, and repeats what fails."""

from __future__ import annotations

import json
import logging
import threading
import time
from abc import ABC, abstractmethod
from base64 import b64encode
from collections import Counter, deque
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from hashlib import blake2b
from itertools import accumulate, islice, takewhile
from pathlib import Path
from typing import NamedTuple

from pantarhei.engine.checkpoint.container import replace_file
from pantarhei.errors import JournalError
from pantarhei.io.writers import json_time
from pantarhei.service import clients
from pantarhei.service.changes import DEAD_LETTERS, Change, Emitted, is_wanted
from pantarhei.service.clients import LOG, reaching, text_of
from pantarhei.service.message_journal import DeadLetter

LIMIT = 20_000
"""Number of changes and records that may wait for a sink; the writer waits when there are more."""
_BATCH = 5_000
_PAUSE = 0.25  # seconds after which a position is stored though no change was written
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
        JournalError: the file is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        self._known: dict[str, Position] = {}
        if path.exists():
            try:
                for name, at in json.loads(path.read_text()).items():
                    self._known[name] = Position(int(at["record"]), int(at["size"]), str(at["file"]))
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                remedy = "restore it from a backup, or delete it: sinks then continue at the journal's end"
                raise JournalError(str(path), f"the file is damaged: {error}", remedy) from error

    def get(self, sink: str) -> Position | None:
        """Return the position of a sink; None if it is new."""
        return self._known.get(sink)

    def put(self, sink: str, position: Position) -> None:
        """Store the position of a sink. Raises `OSError`."""
        with self._lock:
            known = self._known | {sink: position}
            stored = {name: each._asdict() for name, each in known.items()}
            replace_file(self._path, json.dumps(stored).encode())
            self._known = known


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

    Attributes:
        address: address of the system, without secrets.
        secret: text that is removed from errors.
        retry: time of failures after which the sink is reported as overdue.
        takes_dead: whether dead letters are written.
        recognizes_ids: whether changes that are written again are recognized by their id.
    """

    address = ""
    secret: str | None = None
    retry = timedelta(minutes=5)
    takes_dead = recognizes_ids = False

    def __init__(self, name: str, wanted: Collection[str], positions: Positions) -> None:
        self.name, self._wanted, self._positions = name, wanted, positions
        self.status = SinkStatus()
        self._waiting: deque[Emitted] = deque()
        self._weight, self._is_abandoned, self._is_open = 0, False, False
        self._moved = threading.Condition()
        self._ending = threading.Event()
        self._kept, self._kept_at, self._written_at = Position(0), 0.0, 0.0
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
            OSError: the positions cannot be written.
        """
        kept = self._positions.get(self.name)
        if kept is None:  # stored at once, else a crash would move the beginning of a new sink
            self._keep(number)
        else:
            self._kept, self.status.position = kept, kept.record
        try:
            self._connect()
        except Exception as error:
            self._fail(error)
            LOG.warning("sink %s: %s; retrying", self.name, self.status.problem)
        self._thread.start()

    def _keep(self, record: int, size: int = -1, file: str = "") -> None:
        """Store the position of this sink in the state folder."""
        self._kept = Position(record, size, file)
        self._positions.put(self.name, self._kept)
        self.status.position, self._kept_at = record, time.monotonic()

    def _advance(self, record: int) -> None:
        """Note the position after changes that may be written again after a crash. To save disk writes, it is
        stored a few times a second only.
        """
        self.status.position = record
        if time.monotonic() - self._kept_at >= _PAUSE:
            self._keep(record)

    def keep_position(self) -> None:
        """Store the position in the state folder, if it is not there yet.

        Raises:
            OSError: the positions cannot be written.
        """
        if self._kept.record < self.status.position:
            self._keep(self.status.position)

    def _connect(self) -> None:
        if (own := self.open()) is not None:
            self.status.position = own
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
        if DEAD_LETTERS in self._wanted:
            changes += tuple(changes_of_letters(emitted))
        selected = emitted._replace(changes=changes, dead=emitted.dead if self.takes_dead else ())
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
        behind: list[Emitted] = []  # the last record, while its position is not stored
        while batch := self._next_batch(_PAUSE if behind else None) or behind:
            if not self._write_until_done(batch):
                break
            with self._moved:
                while self._waiting and self._waiting[0].number <= batch[-1].number:
                    self._weight -= _weight(self._waiting.popleft())
                self._moved.notify_all()
            behind = batch[-1:] if batch[-1].number > self.status.position else []
        try:
            self.keep_position()
            self.close()
        except Exception as error:
            LOG.warning("sink %s: %s", self.name, text_of(error))

    def _next_batch(self, patience: float | None) -> list[Emitted]:
        """Return the records to write next; empty if none comes within `patience` seconds, and at the end."""
        with self._moved:
            self._moved.wait_for(lambda: self._waiting or self._ending.is_set(), patience)
            weights = accumulate(map(_weight, self._waiting))
            count = sum(1 for _ in takewhile(lambda weight: weight <= _BATCH, weights))
            return list(islice(self._waiting, max(count, 1)))

    def _write_until_done(self, records: Sequence[Emitted]) -> bool:
        """Write records, as often as it takes. Returns False if it still fails at the end."""
        pause, began = clients.PAUSE, time.monotonic()
        while True:
            try:
                if not self._is_open:
                    self._connect()
                self._write_new(records)
            except Exception as error:  # whatever the driver of a database raises
                self._fail(error)
                failing = time.monotonic() - began
                self.status.overdue = failing >= self.retry.total_seconds()
                level = logging.ERROR if self.status.overdue else logging.WARNING
                text = "sink %s: %s; failing for %.0f s, retrying in %.1f s"
                LOG.log(level, text, self.name, self.status.problem, failing, pause)
                if self._ending.wait(pause):
                    return False
                pause = min(2 * pause, clients.LONGEST_PAUSE)
            else:
                self.status.problem, self.status.overdue = "", False
                return True

    def _write_new(self, records: Sequence[Emitted]) -> None:
        new = [each for each in records if each.number > self.status.position or self.recognizes_ids]
        now = time.monotonic()
        is_due = self._ending.is_set() or now - self._written_at >= _PAUSE
        if new and (is_due or any(each.changes or each.dead for each in new)):
            self.write(new)
            self._written_at = now
            self.status.changes += sum(len(each.changes) for each in new)

    def _fail(self, error: Exception) -> None:
        self.status.problem = text_of(error, self.secret)
        self.status.failures += 1
        self._is_open = False

    def _reaching(self) -> AbstractContextManager[None]:
        """Convert the errors of a client to `ConnectionFailedError`."""
        return reaching(self.name, self.address, self.secret)


def _weight(emitted: Emitted) -> int:
    return 1 + len(emitted.changes) + len(emitted.dead)


def to_json(value: object) -> str:
    """Return JSON text that can be encoded as UTF-8: half surrogate pairs become question marks."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def rows_of(emitted: Emitted) -> Iterator[tuple[str, int, str, str, str, str]]:
    """Yield the changes of a record as rows of `COLUMNS`; times are texts, rows are JSON."""
    for each in emitted.changes:
        yield each.id, emitted.number, str(json_time(each.at)), each.name, each.sign, to_json(each.row)


def changes_of_letters(emitted: Emitted) -> Iterator[Change]:
    """Yield the dead letters of a record as changes, with the time of their arrival."""
    at = emitted.received or emitted.at  # steps may have times of long ago
    for id_, (message, reason, detail) in letters_of(emitted):
        row = {"reason": reason, "detail": detail, "source": message.source, "topic": message.topic}
        try:
            row["payload"] = message.payload.decode()
        except UnicodeDecodeError:
            row["payload_base64"] = b64encode(message.payload).decode()
        yield Change(id_, at, DEAD_LETTERS, "+", row)


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
