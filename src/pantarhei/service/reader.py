"""Reader: replays the journal in a process of its own, so that queries never delay the writer."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pantarhei.errors import CheckpointError
from pantarhei.service.changes import Emitted
from pantarhei.service.config import ServiceConfig
from pantarhei.service.decoding import Decoder
from pantarhei.service.driver import Driver, read_knowledge
from pantarhei.service.journal import Record, check_header, first_number, segments
from pantarhei.service.start import checkpoint_path, start_driver

if TYPE_CHECKING:
    from pantarhei import WindowUpdate

LOG = logging.getLogger("pantarhei.service")
_POLL = 1.0  # seconds to wait for a notice of the writer

Follower = Callable[[Emitted, "WindowUpdate | None"], object]


class JournalTail:
    """Records of a journal as they are written, by another process.

    Args:
        number: the number of the last record that is not wanted.
    """

    def __init__(self, folder: Path, number: int) -> None:
        self._folder, self._number = folder, number
        self._file: IO[bytes] | None = None
        self._rest = b""

    def read(self, most: int = 500) -> list[Record]:
        """Return the records that are complete now, at most `most`; does not wait."""
        found: list[Record] = []
        while len(found) < most:
            if self._file is None and not self._open_next():
                break
            assert self._file is not None
            line = self._rest + self._file.readline()
            record = Record.from_line(line) if line.endswith(b"\n") else None
            if record is None:  # incomplete, or the end of this segment
                self._rest = line
                if not self._rest and self._open_next():
                    continue
                break
            self._rest = b""
            if record.number > self._number:
                self._number = record.number
                found.append(record)
        return found

    def _open_next(self) -> bool:
        """Open the segment with the next record, if it is not open yet."""
        eligible = [path for path in segments(self._folder) if first_number(path) <= self._number + 1]
        if not eligible or (self._file is not None and self._file.name == str(eligible[-1])):
            return False
        file = eligible[-1].open("rb")
        if not check_header(eligible[-1], file.readline()):
            file.close()
            return False
        if self._file is not None:
            self._file.close()
        self._file, self._rest = file, b""
        return True


class Reader:
    """Follows the journal of a writer.

    Args:
        writes_checkpoints: whether this reader writes the checkpoints.

    Attributes:
        driver: the reasoner.
        followers: called with the result of each record, in the thread of the reader.
        has_caught_up: set after the records at the start were processed.
    """

    def __init__(self, config: ServiceConfig, writes_checkpoints: bool = True) -> None:
        self.config, self._writes_checkpoints = config, writes_checkpoints
        self._folder = config.path(config.state.folder)
        self.driver: Driver = start_driver(config, read_knowledge(config), Decoder(config), None, True)
        self.followers: list[Follower] = []
        self.has_caught_up = threading.Event()
        self._notice = threading.Event()
        self._tail = JournalTail(self._folder, self.driver.number)
        self._saved = time.monotonic()

    @property
    def behind(self) -> float:
        """Seconds between the machine's clock and the time of the last record."""
        return 0.0 if self.driver.at is None else (datetime.now(UTC) - self.driver.at).total_seconds()

    def start(self) -> None:
        """Begin to follow the journal; the process ends with the writer."""
        threading.Thread(target=self._await_writer, name="writer", daemon=True).start()
        threading.Thread(target=self._follow, name="journal", daemon=True).start()

    def _await_writer(self) -> None:
        """Read the notices of the writer from standard input, which ends when the writer ends."""
        while os.read(0, 1 << 16):
            self._notice.set()
        os._exit(0)

    def _follow(self) -> None:
        try:
            while True:
                records = self._tail.read()
                for record in records:
                    emitted = self.driver.apply(record)
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
        if not (is_due and self._writes_checkpoints and self.driver.number):
            return
        self._saved = time.monotonic()
        try:
            self.driver.checkpoint(checkpoint_path(self._folder, self.driver.number))
        except CheckpointError as error:
            LOG.error("%s", error)
