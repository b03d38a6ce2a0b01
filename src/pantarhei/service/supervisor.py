"""Supervisor: checks a service, and runs its writer and the readers, processes that share its socket."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from pantarhei.errors import CheckFailedError, ConnectionFailedError, OptionError, PantarheiError
from pantarhei.model.message_text import counted, did_you_mean
from pantarhei.service.changes import CONCLUSIONS, DEAD_LETTERS, REPAIRS, Emitted
from pantarhei.service.clients import LOG
from pantarhei.service.config import HTTPSection, ServiceConfig
from pantarhei.service.connections import make_sinks, make_sources
from pantarhei.service.control import ControlServer
from pantarhei.service.journal_driver import JournalDriver, read_knowledge, unknown_names
from pantarhei.service.metrics import ReaderMetrics
from pantarhei.service.sinks.sink import Sink
from pantarhei.service.sources.source import Source
from pantarhei.service.start import write_knowledge
from pantarhei.service.writer import Writer

_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
_HANDOVER = 3.0  # seconds that the readers of a killed writer may take to end


def listen(config: ServiceConfig, http: HTTPSection, patience: float = 0.0) -> socket.socket:
    """Return the listening socket of the HTTP server, after a check of its certificate.

    Args:
        patience: seconds to wait for an address that is taken, as by the readers of a writer that was killed.

    Raises:
        ConnectionFailedError: the address is taken or does not exist.
        OptionError: certificate or key cannot be used.
    """
    if http.tls is not None:
        cert, key = config.path(http.tls.cert), config.path(http.tls.key)
        try:
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(cert, key)
        except OSError as error:
            given, expected = f"{cert}, {key}", f"files in PEM without a password ({error.strerror or error})"
            raise OptionError("http.tls", given, expected) from None
    host, port = http.address
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    end = time.monotonic() + patience
    while True:
        try:
            return socket.create_server((host, port), family=family, backlog=512)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > end:
                reason = str(error.strerror or error).partition(" (while")[0]
                problem = f"{reason}; name another port in http.listen"
                raise ConnectionFailedError("http", f"{host}:{port}", problem) from None
        time.sleep(0.05)


def check_service(config: ServiceConfig, say: Callable[[str], object] = print) -> None:
    """Check each part of a service, and print a line for each.

    Raises:
        CheckFailedError: parts cannot be used; the error lists all of them.
    """
    problems: list[str] = []

    def check(part: str, run: Callable[[], str | None]) -> None:
        try:
            say(f"{part}: {run() or 'connected'}")
        except ConnectionFailedError as error:  # names the part
            problems.append(str(error))
        except (PantarheiError, OSError) as error:
            problems.append(f"{part}: {error}")

    check("reasoner", lambda: _check_reasoner(config))
    connected: list[Source | Sink] = []
    try:
        connected = [*make_sources(config), *make_sinks(config)]
    except (PantarheiError, OSError) as error:
        problems.append(str(error))
    for each in connected:
        check(each.name, each.check)
    if (http := config.http) is not None:
        check("http", lambda: _check_address(config, http))
    if problems:
        raise CheckFailedError(tuple(problems))


def _check_reasoner(config: ServiceConfig) -> str:
    knowledge = read_knowledge(config)
    driver = JournalDriver.fresh(knowledge)
    rules = knowledge.rules
    parts = [
        counted(len(knowledge.ontology.rules), "rule"),
        counted(0 if rules is None else len(rules.rules), "temporal rule"),
        counted(len(driver.reasoner.queries), "query", "queries"),
    ]
    warnings = [] if rules is None else list(map(str, rules.warnings))
    for name, query in driver.reasoner.queries.items():
        warnings += [f"queries.{name}: {each}" for each in unknown_names(knowledge, query)]
    named = [*config.queries, *([] if rules is None else [CONCLUSIONS])]
    selectable = {*named, REPAIRS, DEAD_LETTERS, *(["*"] if named else [])}
    warnings += [
        f"sinks.{sink}.of: {name} selects nothing; add a query or rules{did_you_mean(name, selectable)}"
        for sink, section in config.sinks.items()
        for name in section.of
        if name not in selectable
    ]
    return "\n    warning: ".join([", ".join(parts), *warnings])


def _check_address(config: ServiceConfig, http: HTTPSection) -> str:
    listen(config, http).close()
    return f"{http.listen} is free"


class ReaderProcess:
    """Reader in a process of its own, started again whenever it ends.

    Args:
        path: the configuration file; it is not read again.
        number: the number of the reader; reader 0 writes the checkpoints.
        descriptors: those of the listening socket, and of a file with the knowledge of the writer.
    """

    def __init__(self, path: Path, number: int, descriptors: tuple[int, int]) -> None:
        self._number, self._descriptors, self._pause = number, descriptors, _PAUSE
        given = map(str, (number, *descriptors))
        self._command = [sys.executable, "-m", "pantarhei", "serve", str(path), "--reader", *given]
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, pass_fds=self._descriptors)
        assert self._process.stdin is not None
        self._pipe = self._process.stdin
        os.set_blocking(self._pipe.fileno(), False)
        self._began = time.monotonic()

    def notify(self, emitted: Emitted, update: object) -> None:
        """Wake the reader: the journal has a new record."""
        with contextlib.suppress(OSError, ValueError):  # the pipe is full, or the reader has ended
            os.write(self._pipe.fileno(), b"\n")

    def ensure(self) -> None:
        """Start the process again if it has ended, after a pause that grows."""
        status, lived = self._process.poll(), time.monotonic() - self._began
        if status is None or lived < self._pause:
            return
        reason = f"ended with status {status}" if status >= 0 else f"was killed by signal {-status}"
        LOG.error("reader %d %s; restarting it", self._number, reason)
        self._pause = _PAUSE if lived > 60 else min(2 * self._pause, _LONGEST_PAUSE)
        self._start()

    def end(self) -> None:
        """End the process."""
        self._pipe.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()


def run_service(path: Path, config: ServiceConfig) -> None:
    """Run a service until SIGTERM or SIGINT; then process what was received, and end.

    Raises:
        ServiceError, PantarheiError: the service cannot start.
        ConnectionFailedError: the HTTP server of the writer has ended.
    """
    listening = None if config.http is None else listen(config, config.http, _HANDOVER)
    writer = Writer(config)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: writer.stopping.set())
    readers = 0 if config.http is None else config.http.readers
    writer.writes_checkpoints = not readers
    writer.open()
    control = ControlServer(writer.folder, writer.handle)
    processes, http = [], None
    if listening is not None:
        descriptors = listening.fileno(), write_knowledge(writer.knowledge, writer.folder)
        processes = [ReaderProcess(path, number, descriptors) for number in range(readers)]
        if not processes:
            from pantarhei.service.http.app import ServiceView
            from pantarhei.service.http.server import make_server

            view = ServiceView(writer.driver, lambda **request: writer.handle(request), ReaderMetrics())
            server = make_server(view)
            http = threading.Thread(target=server.run, args=([listening],), name="http", daemon=True)
            http.start()
    writer.driver.followers += [process.notify for process in processes]
    sys.setswitchinterval(0.001)  # a thread that writes a checkpoint delays steps by less
    threading.Thread(target=_supervise, args=(writer, processes, http), daemon=True).start()
    address = "" if config.http is None else f" at {config.http.url}"
    LOG.info("%s is running%s", config.name, address)
    try:
        writer.replay()
        writer.run()
        if http is not None and not http.is_alive():
            raise ConnectionFailedError("http", view.http.listen, "the HTTP server has ended")
    finally:
        control.close()
        for process in processes:
            process.end()


def _supervise(writer: Writer, processes: list[ReaderProcess], http: threading.Thread | None) -> None:
    """Start readers again that have ended, stop the writer if its HTTP server has ended, and limit the
    collection of garbage in this process.

    A collection of all objects stops the writer for hundreds of milliseconds. Reference cycles are rare in
    it: objects that survive a minute are exempted, and all are visited in an hour's first idle moment.
    """
    gc.set_threshold(*gc.get_threshold()[:2], 1_000_000)
    exempted, collected = 0.0, time.monotonic()
    while not writer.stopping.wait(0.5):
        if writer.is_quiet and time.monotonic() - collected > 3_600:
            gc.unfreeze()
            gc.collect()
            collected, exempted = time.monotonic(), 0.0
        if time.monotonic() - exempted > 60:
            gc.freeze()
            exempted = time.monotonic()
        for process in processes:
            process.ensure()
        if http is not None and not http.is_alive():
            writer.stopping.set()
