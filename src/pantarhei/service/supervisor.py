"""Supervisor: runs the writer, and the readers in processes of their own that share its listening socket."""

from __future__ import annotations

import contextlib
import errno
import gc
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from pantarhei.errors import ConnectionFailedError
from pantarhei.service.changes import Emitted
from pantarhei.service.config import ServiceConfig
from pantarhei.service.control import ControlServer
from pantarhei.service.writer import Writer

LOG = logging.getLogger("pantarhei.service")
_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
_HANDOVER = 3.0  # seconds that the readers of a killed writer may take to end


def listen(config: ServiceConfig, patience: float = 0.0) -> socket.socket | None:
    """Return the listening socket of the HTTP server; None if there is none.

    Args:
        patience: seconds to wait for an address that is taken, as by the readers of a writer that was killed.

    Raises:
        ConnectionFailedError: the address is taken or does not exist.
    """
    if config.http is None:
        return None
    host, port = config.http.address
    end = time.monotonic() + patience
    try:
        while True:
            try:
                family = socket.AF_INET6 if ":" in host else socket.AF_INET
                return socket.create_server((host, port), family=family, backlog=512)
            except OSError as error:
                if error.errno != errno.EADDRINUSE or time.monotonic() > end:
                    raise
            time.sleep(0.05)
    except OSError as error:
        problem = error.strerror or str(error)
        raise ConnectionFailedError(
            "http", f"{host}:{port}", f"{problem}; name another port in http.listen"
        ) from None


class ReaderProcess:
    """Reader in a process of its own, started again whenever it ends.

    Args:
        number: its number; reader 0 writes the checkpoints.
    """

    def __init__(self, path: Path, number: int, listening: socket.socket) -> None:
        self._path, self.number, self._listening = path, number, listening
        self._pause, self._began = _PAUSE, 0.0
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process."""
        command = [sys.executable, "-m", "pantarhei", "serve", str(self._path), "--reader", str(self.number)]
        descriptor = self._listening.fileno()
        self._process = subprocess.Popen(
            [*command, "--descriptor", str(descriptor)], stdin=subprocess.PIPE, pass_fds=(descriptor,)
        )
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        self._began = time.monotonic()

    def notify(self, emitted: Emitted, update: object) -> None:
        """Wake the reader: the journal has a new record."""
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):  # the pipe is full, or the reader has ended
                os.write(self._process.stdin.fileno(), b"\n")

    def ensure(self) -> None:
        """Start the process again if it has ended, after a pause that grows."""
        assert self._process is not None, "start first"
        if self._process.poll() is None:
            return
        lived = time.monotonic() - self._began
        if lived < self._pause:
            return
        LOG.error(
            "reader %d ended with status %d and is started again", self.number, self._process.returncode
        )
        self._pause = _PAUSE if lived > 60 else min(2 * self._pause, _LONGEST_PAUSE)
        self.start()

    def end(self) -> None:
        """End the process."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()


def run_service(path: Path, config: ServiceConfig) -> None:
    """Run a service until SIGTERM or SIGINT; then process what was received, and end.

    Raises:
        ServiceError, PantarheiError: the service cannot start.
    """
    listening = listen(config, _HANDOVER)
    writer = Writer(config)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: writer.stopping.set())
    readers = config.http.readers if config.http is not None else 0
    processes = (
        [] if listening is None else [ReaderProcess(path, number, listening) for number in range(readers)]
    )
    writer.writes_checkpoints = not processes
    writer.open()
    control = ControlServer(writer.folder, writer.handle)
    for process in processes:
        process.start()
        writer.followers.append(process.notify)
    if listening is not None and not processes:
        from pantarhei.service.http.server import serve_in_thread

        serve_in_thread(config, writer, listening)
    sys.setswitchinterval(0.001)  # a thread that writes a checkpoint delays steps by less
    supervising = threading.Thread(target=_supervise, args=(writer, processes), daemon=True)
    supervising.start()
    address = "" if config.http is None else f" at http://{config.http.listen}"
    LOG.info("%s is running%s", config.name, address)
    try:
        writer.replay()
        writer.run()
    finally:
        control.close()
        for process in processes:
            process.end()


class _Garbage:
    """Collection of garbage in the process of the writer.

    A collection of all objects stops the writer for hundreds of milliseconds. Reference cycles are rare in
    it: objects that survive a minute are exempted, and all are visited in an hour's first idle moment.
    """

    def __init__(self) -> None:
        gc.set_threshold(*gc.get_threshold()[:2], 1_000_000)
        self._exempted, self._collected = 0.0, time.monotonic()

    def tend(self, is_idle: bool) -> None:
        """Exempt surviving objects each minute, or collect all."""
        now = time.monotonic()
        if is_idle and now - self._collected > 3_600:
            gc.unfreeze()
            gc.collect()
            self._collected, self._exempted = time.monotonic(), 0.0
        if now - self._exempted > 60:
            gc.freeze()
            self._exempted = now


def _supervise(writer: Writer, processes: list[ReaderProcess]) -> None:
    garbage = _Garbage()
    while not writer.stopping.wait(0.5):
        garbage.tend(writer.is_idle)
        for process in processes:
            process.ensure()
