"""Reader: replays the journal and answers HTTP requests in a process of its own, so that queries never delay
the writer. The writer passes what it has read from files, since these may have been edited since then.
"""

from __future__ import annotations

import os
import socket
import threading
import time

from pantarhei.errors import CheckpointError, PantarheiError
from pantarhei.service.clients import LOG
from pantarhei.service.control import ControlClient
from pantarhei.service.http.app import ServiceView
from pantarhei.service.http.server import make_server
from pantarhei.service.journal_driver import JournalDriver, ServiceKnowledge
from pantarhei.service.message_journal import JournalTail
from pantarhei.service.metrics import ReaderMetrics
from pantarhei.service.start import checkpoint_path, start_driver

_POLL = 1.0  # seconds to wait for a notice of the writer


def run_reader(knowledge: ServiceKnowledge, number: int, descriptor: int) -> None:
    """Run a reader and its HTTP server until the writer ends.

    Args:
        number: the number of the reader; reader 0 writes the checkpoints.
        descriptor: the file descriptor of the listening socket.
    """
    config = knowledge.config
    notice = threading.Event()
    # before anything that takes time: a reader holds the port
    threading.Thread(target=_await_writer, args=(notice,), name="writer", daemon=True).start()
    driver, metrics = start_driver(knowledge), ReaderMetrics(number)
    driver.emits_repairs = True
    server = make_server(ServiceView(driver, ControlClient(config.path(config.state.folder)), metrics))
    threading.Thread(
        target=_follow, args=(driver, metrics, notice, number == 0), name="journal", daemon=True
    ).start()
    server.run([socket.socket(fileno=descriptor)])


def _await_writer(notice: threading.Event) -> None:
    """Set `notice` at each notice of the writer on standard input; end this process with the writer."""
    while os.read(0, 1 << 16):
        notice.set()
    os._exit(0)


def _follow(
    driver: JournalDriver, metrics: ReaderMetrics, notice: threading.Event, writes_checkpoints: bool
) -> None:
    """Process the records of the writer.

    Args:
        notice: set when the journal has new records; the journal is read once a second without it.
    """
    state = driver.knowledge.config.state
    folder = driver.knowledge.config.path(state.folder)
    tail, saved = JournalTail(folder, driver.number), time.monotonic()
    try:
        while True:
            records = tail.read()
            for record in records:
                with metrics.steps.time():
                    driver.apply(record)
            is_due = time.monotonic() - saved >= state.checkpoint.total_seconds() or driver.has_long_replay
            if writes_checkpoints and is_due and driver.number:
                saved = time.monotonic()
                try:
                    driver.captured()(checkpoint_path(folder, driver.number))
                except CheckpointError as error:
                    LOG.error("%s", error)
            if not records:
                driver.is_current = True
                notice.wait(_POLL)
                notice.clear()
    except BaseException as error:
        is_known = isinstance(error, PantarheiError | OSError)  # others need a trace
        LOG.error("the reader has failed and is restarted: %s", error, exc_info=not is_known)
        os._exit(1)
