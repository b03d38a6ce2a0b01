"""Application of the HTTP server."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from pantarhei.service.changes import Change, Emitted
from pantarhei.service.config import HTTPSection, ServiceConfig
from pantarhei.service.driver import Driver
from pantarhei.service.http.page import page_routes

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    from pantarhei import WindowUpdate

KEPT = 2_000
"""Number of changes that are kept for clients that connect again."""


class Control(Protocol):
    """Requests to the writer: `control(push=[source, topic, payload, id])`, `control(request={…})`,
    `control(status=True)`, `control(metrics=True)`. Raises `WriterUnavailableError` and `RefusedError`, or
    the errors of `Writer.handle`.
    """

    def __call__(self, **request: Any) -> Any: ...


class View:
    """State that the application shows.

    Args:
        driver: returns the driver.
        control: sends requests to the writer.
        is_ready: returns whether the state is up to date.

    Attributes:
        changes: the last changes, oldest first.
    """

    def __init__(
        self,
        config: ServiceConfig,
        driver: Callable[[], Driver],
        control: Control,
        is_ready: Callable[[], bool],
    ) -> None:
        assert config.http is not None, "there is an HTTP server"
        self.config, self.http = config, config.http
        self._driver, self.control, self.is_ready = driver, control, is_ready
        self.changes: deque[Change] = deque(maxlen=KEPT)
        self._subscribers: dict[object, Callable[[Emitted, WindowUpdate | None], object]] = {}
        self._lock = threading.Lock()

    config: ServiceConfig
    http: HTTPSection

    @property
    def driver(self) -> Driver:
        """The driver."""
        return self._driver()

    def publish(self, emitted: Emitted, update: WindowUpdate | None) -> None:
        """Add the changes of a record; called in the thread that drives the reasoner, so it must be short."""
        with self._lock:
            self.changes.extend(emitted.changes)
            subscribers = list(self._subscribers.values())
        for subscriber in subscribers:
            subscriber(emitted, update)

    def subscribe(
        self, subscriber: Callable[[Emitted, WindowUpdate | None], object]
    ) -> tuple[list[Change], Callable[[], None]]:
        """Call a function with each further result, in the thread that drives the reasoner.

        Returns:
            The changes that are kept, and a function that ends the calls.
        """
        key = object()
        with self._lock:
            self._subscribers[key] = subscriber
            return list(self.changes), lambda: self._subscribers.pop(key, None) and None


def make_app(view: View) -> Starlette:
    """Return the application."""
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse, PlainTextResponse
    from starlette.routing import Route

    async def health(request: Request) -> Response:
        return PlainTextResponse("alive\n")

    async def ready(request: Request) -> Response:
        is_ready = view.is_ready()
        status: Mapping[str, Any] = await asyncio.to_thread(view.control, status=True)
        return JSONResponse(
            {"ready": is_ready, "record": view.driver.number, **status}, 200 if is_ready else 503
        )

    return Starlette(routes=[Route("/health", health), Route("/ready", ready), *page_routes(view)])
