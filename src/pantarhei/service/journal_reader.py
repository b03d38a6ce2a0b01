"""Reader: replays the journal in a process of its own, so that queries never delay the writer."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from pantarhei.errors import CheckpointError
from pantarhei.service.changes import Emitted
from pantarhei.service.clients import LOG
from pantarhei.service.config import ServiceConfig
from pantarhei.service.journal_driver import JournalDriver, read_knowledge
from pantarhei.service.message_journal import JournalTail
from pantarhei.service.start import checkpoint_path, start_driver

if TYPE_CHECKING:
    from pantarhei import WindowUpdate

_POLL = 1.0  # seconds to wait for a notice of the writer

Follower = Callable[[Emitted, "WindowUpdate | None"], object]


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
