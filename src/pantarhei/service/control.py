"""Control socket: readers hand messages and requests to the writer, and ask for its state and metrics.

A Unix socket in the folder of the state, for its owner alone. Each line is a JSON object, and each answer is
one: `{"push": …}` is answered after the journal is on the disk, `{"request": …}` after it was processed.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import socketserver
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from pantarhei.errors import PantarheiError, RefusedError, WriterUnavailableError
from pantarhei.service.clients import LOG

Handler: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]
SOCKET = "control"
PATIENCE = 30.0
"""Seconds after which the writer answers that it could not process a request."""


class ControlServer(socketserver.ThreadingUnixStreamServer):
    """Server of the control socket in the process of the writer.

    Args:
        handle: answers a request; called in a thread of each connection.
    """

    daemon_threads = True

    def __init__(self, folder: Path, handle: Handler) -> None:
        self._path, self.handle = folder / SOCKET, handle
        self._path.unlink(missing_ok=True)
        before = os.umask(0o177)
        try:
            with _short_path(self._path) as path:
                super().__init__(path, _Requests)
        finally:
            os.umask(before)
        threading.Thread(target=self.serve_forever, args=(0.05,), name="control", daemon=True).start()

    def close(self) -> None:
        """Stop to accept connections."""
        self._path.unlink(missing_ok=True)
        self.shutdown()
        self.server_close()


class _Requests(socketserver.StreamRequestHandler):
    server: ControlServer

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            for line in self.rfile:
                try:
                    answer = self.server.handle(json.loads(line))
                except WriterUnavailableError as error:
                    answer = {"unavailable": error.problem}
                except PantarheiError as error:
                    answer = {"refused": str(error)}
                except Exception:
                    LOG.exception("a request to the writer failed")
                    answer = {"unavailable": "internal error; the log of the service describes it"}
                self.wfile.write(json.dumps(answer).encode() + b"\n")


class ControlClient:
    """Client of the control socket. Calls from several threads use connections of their own."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / SOCKET
        self._local = threading.local()

    def __call__(self, **request: Any) -> Mapping[str, Any]:
        """Send a request and return the answer.

        Raises:
            WriterUnavailableError: the writer does not answer.
            RefusedError: the writer refuses the request.
        """
        try:
            file = self._connected()
            file.write(json.dumps(request).encode() + b"\n")
            file.flush()
            line = file.readline()
            if not line:
                raise ConnectionError("the connection was closed")
            answer: Mapping[str, Any] = json.loads(line)
        except OSError as error:
            self._local.file = None
            raise WriterUnavailableError(f"the writer does not answer: {error.strerror or error}") from None
        if "unavailable" in answer:
            raise WriterUnavailableError(answer["unavailable"])
        if "refused" in answer:
            raise RefusedError(answer["refused"])
        return answer

    def _connected(self) -> Any:
        file = getattr(self._local, "file", None)
        if file is None:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(PATIENCE + 5)  # the writer answers before that
            with _short_path(self._path) as path:
                connection.connect(path)
            file = self._local.file = connection.makefile("rwb")
        return file


@contextlib.contextmanager
def _short_path(path: Path) -> Any:
    """Yield a path that fits into the 108 bytes of a socket's address."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}" if len(os.fsencode(path)) > 100 else str(path)
    finally:
        os.close(folder)
