"""HTTP server: uvicorn with the application, on a socket that the supervisor has opened."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from pantarhei.service.http.app import ServiceView, make_app

HEAD_TIME, READ_TIME = 10.0, 30.0
"""Seconds within which the head of a request must arrive, and for which a client may read nothing."""
MAX_HEAD = 64 * 1024
"""Greatest number of bytes of the head of a request."""


def make_server(view: ServiceView) -> uvicorn.Server:
    """Return the HTTP server with the application."""
    logging.getLogger("uvicorn.error").addFilter(_Seldom())

    class Protocol(TimedProtocol):
        most = 2 * view.http.clients + 100

    options: dict[str, Any] = {"ws": "none", "log_config": None, "access_log": False, "server_header": False}
    options |= {"timeout_keep_alive": 30, "timeout_graceful_shutdown": 2}
    if (tls := view.http.tls) is not None:
        path = view.config.path
        options |= {"ssl_certfile": str(path(tls.cert)), "ssl_keyfile": str(path(tls.key))}
    app = make_app(view)
    config = uvicorn.Config(app, http=Protocol, h11_max_incomplete_event_size=MAX_HEAD, **options)
    return uvicorn.Server(config)


class _Seldom(logging.Filter):
    """Filter that passes each text at most once in ten seconds, since clients can provoke them."""

    def __init__(self) -> None:
        super().__init__()
        self._passed: dict[object, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        now = time.monotonic()
        if record.levelno < logging.WARNING or now - self._passed.get(record.msg, -math.inf) < 10:
            return False
        self._passed[record.msg] = now  # the texts of uvicorn are few
        return True


class TimedProtocol(H11Protocol):
    """Protocol of uvicorn with limits: the number of connections, the time for the head of a request, and the
    time for which a client may not read its response.

    Attributes:
        most: the number of connections.
    """

    most: int
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.most:
            transport.abort()
        else:
            self._watch(self._waiting(), self.loop.time())

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def _watch(self, waiting: tuple[float, int] | None, since: float) -> None:
        """Close the connection if it waits for too long, or look again after a while."""
        before, waiting, now = waiting, self._waiting(), self.loop.time()
        since = since if waiting == before else now
        if waiting is not None and now - since >= waiting[0]:
            self.transport.abort()
        else:
            self._timer = self.loop.call_later(min(1.0, HEAD_TIME / 4), self._watch, waiting, since)

    def _waiting(self) -> tuple[float, int] | None:
        """Return the seconds for which the connection may wait for the client, with a number that changes
        when the client reads; None if it does not wait.
        """
        if self.transport.is_closing():  # closed when the client has read everything
            return READ_TIME, -1
        if self.flow.write_paused:
            return READ_TIME, self.transport.get_write_buffer_size()
        is_idle = self.cycle is None or (self.cycle.response_complete and self.conn.trailing_data[0])
        return (HEAD_TIME, 0) if is_idle else None
