"""Reader: replays the journal in a process of its own, so that queries never delay the writer."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pantarhei.errors import CheckpointError, JournalError
from pantarhei.service.changes import Emitted
from pantarhei.service.clients import LOG
from pantarhei.service.config import ServiceConfig
from pantarhei.service.journal_driver import JournalDriver, read_knowledge
from pantarhei.service.message_journal import Record, check_header, first_number, segments
from pantarhei.service.start import checkpoint_path, start_driver

if TYPE_CHECKING:
    from pantarhei import WindowUpdate

_POLL = 1.0  # seconds to wait for a notice of the writer
_CHUNK, _ATTEMPTS = 1 << 20, 20

Follower = Callable[[Emitted, "WindowUpdate | None"], object]


class JournalTail:
    """Records of a journal as they are written, by another process.

    Args:
        number: the number of the last record that is not wanted.
    """

    def __init__(self, folder: Path, number: int) -> None:
        self._folder, self._number = folder, number
        self._file: IO[bytes] | None = None
        self._offset, self._size, self._damaged = 0, _CHUNK, 0

    def read(self, most: int = 500) -> list[Record]:
        """Return the records that are complete now, at most `most`; does not wait.

        Raises:
            JournalError: a record is damaged, or records that are wanted were deleted.
        """
        found: list[Record] = []
        while len(found) < most and (self._file is not None or self._open_next()):
            assert self._file is not None
            # not buffered: after a failed attempt, the writer replaces what it has written
            chunk = os.pread(self._file.fileno(), self._size, self._offset)
            *lines, rest = chunk.split(b"\n")
            for line in lines:
                record = Record.from_line(line + b"\n")
                if record is None:
                    self._count_damage()
                    return found
                self._offset, self._damaged = self._offset + len(line) + 1, 0
                if record.number > self._number:
                    self._number = record.number
                    found.append(record)
                if len(found) == most:
                    return found
            if lines:
                continue
            if len(rest) == self._size:
                self._size *= 2  # the record is longer
            elif rest or not self._open_next():
                break
        return found

    def _count_damage(self) -> None:
        """Permit a few attempts, since the writer may be replacing the record."""
        self._damaged += 1
        if self._damaged > _ATTEMPTS:
            problem = f"the record after {self._number:,} is damaged"
            raise JournalError(str(self._folder), problem, "restore the folder from a backup")

    def _open_next(self) -> bool:
        """Open the segment with the next record, if it is not open yet."""
        known = segments(self._folder)
        eligible = [path for path in known if first_number(path) <= self._number + 1]
        if not eligible and known:
            problem = f"the records after {self._number:,} were deleted before they were read"
            raise JournalError(str(self._folder), problem, "start again from a checkpoint")
        if not eligible or (self._file is not None and self._file.name == str(eligible[-1])):
            return False
        file = eligible[-1].open("rb")
        if not check_header(eligible[-1], file.readline()):
            file.close()
            return False
        if self._file is not None:
            self._file.close()
        self._file, self._offset = file, file.tell()
        return True


def await_writer(notice: threading.Event) -> None:
    """End the process with that of the writer, and set `notice` at its notices, both from standard input."""

    def wait() -> None:
        while os.read(0, 1 << 16):
            notice.set()
        os._exit(0)

    threading.Thread(target=wait, name="writer", daemon=True).start()


class JournalReader:
    """Follows the journal of a writer.

    Args:
        writes_checkpoints: whether this reader writes the checkpoints.
        notice: set when the journal has new records; the journal is read once a second without it.

    Attributes:
        driver: the reasoner.
        followers: called with the result of each record, in the thread of the reader.
        has_caught_up: set after the records at the start were processed.
        observe_step: called with the seconds that a record took.
    """

    def __init__(self, config: ServiceConfig, writes_checkpoints: bool, notice: threading.Event) -> None:
        self.config, self._writes_checkpoints = config, writes_checkpoints
        self._folder = config.path(config.state.folder)
        self.driver: JournalDriver = start_driver(read_knowledge(config), True)
        self.followers: list[Follower] = []
        self.observe_step: Callable[[float], object] = lambda seconds: None
        self.has_caught_up = threading.Event()
        self._notice = notice
        self._tail = JournalTail(self._folder, self.driver.number)
        self._saved = time.monotonic()

    def start(self) -> None:
        """Begin to follow the journal."""
        threading.Thread(target=self._follow, name="journal", daemon=True).start()

    def _follow(self) -> None:
        try:
            while True:
                records = self._tail.read()
                for record in records:
                    began = time.perf_counter()
                    emitted = self.driver.apply(record)
                    self.observe_step(time.perf_counter() - began)
                    for follower in self.followers:
                        follower(emitted, self.driver.update)
                self._checkpoint()
                if not records:
                    self.has_caught_up.set()
                    self._notice.wait(_POLL)
                    self._notice.clear()
        except BaseException:
            LOG.exception("the reader ends; the writer starts another one")
            os._exit(1)

    def _checkpoint(self) -> None:
        is_due = time.monotonic() - self._saved >= self.config.state.checkpoint.total_seconds()
        is_due = is_due or self.driver.has_long_replay
        if not (is_due and self._writes_checkpoints and self.driver.number):
            return
        self._saved = time.monotonic()
        try:
            self.driver.captured()(checkpoint_path(self._folder, self.driver.number))
        except CheckpointError as error:
            LOG.error("%s", error)
