"""Application of the HTTP server."""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from pantarhei.service.changes import Change, Emitted
from pantarhei.service.config import HTTPSection, ServiceConfig
from pantarhei.service.http.page import page_routes
from pantarhei.service.journal_driver import JournalDriver
from pantarhei.service.metrics import ReaderMetrics
from pantarhei.version import __version__

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    from pantarhei import WindowUpdate

Handle: TypeAlias = "Callable[[Request], Awaitable[Response]]"
KEPT = 2_000
"""Number of changes that are kept for clients that connect again."""


class Control(Protocol):
    """Requests to the writer: `control(push=[source, topic, payload, id])`, `control(request={…})`,
    `control(status=True)`, `control(metrics=True)`. Raises `WriterUnavailableError` and `RefusedError`, or
    the errors of `Writer.handle`.
    """

    def __call__(self, **request: Any) -> Any: ...


class ServiceView:
    """State that the application shows.

    Args:
        driver: returns the driver.
        control: sends requests to the writer.
        is_ready: returns whether the state is up to date.
        reader: the number of the reader; None in the process of the writer.

    Attributes:
        changes: the last changes, oldest first.
        metrics: the metrics of this process.
    """

    def __init__(
        self,
        config: ServiceConfig,
        driver: Callable[[], JournalDriver],
        control: Control,
        is_ready: Callable[[], bool],
        reader: int | None = None,
    ) -> None:
        assert config.http is not None, "there is an HTTP server"
        self.config, self.http = config, config.http
        self._driver, self.control, self.is_ready = driver, control, is_ready
        self.changes: deque[Change] = deque(maxlen=KEPT)
        self.metrics = ReaderMetrics(reader)
        self._subscribers: dict[object, Callable[[Emitted, WindowUpdate | None], object]] = {}
        self._lock = threading.Lock()

    config: ServiceConfig
    http: HTTPSection

    @property
    def driver(self) -> JournalDriver:
        """The driver."""
        return self._driver()

    @property
    def prefixes(self) -> dict[str, str]:
        """Prefixes that requests can use: those of the ontology, and of the configuration."""
        namespaces = self.driver.knowledge.ontology.graph.namespaces()
        return {prefix: str(iri) for prefix, iri in namespaces} | self.config.prefixes

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


class Endpoint(NamedTuple):
    """Path of the application, for its routes and its description.

    Args:
        handlers: summary by method.
        parameters: names of the parameters in the URL.
    """

    path: str
    handle: Handle
    methods: Mapping[str, str]
    parameters: tuple[str, ...] = ()


def make_app(view: ServiceView) -> Starlette:
    """Return the application."""
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.cors import CORSMiddleware
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    from pantarhei.service.http.events import EventHub
    from pantarhei.service.http.exchange import Guard
    from pantarhei.service.http.resources import Resources
    from pantarhei.service.http.sparql import Slots, SPARQLEndpoint

    slots = Slots(view.http.query.at_once)
    resources, sparql = Resources(view, slots), SPARQLEndpoint(view, slots)
    hub = EventHub(view, resources.present)
    view.metrics.events = hub
    endpoints = (
        Endpoint("/sparql", sparql.respond, {"GET": "SPARQL query", "POST": "SPARQL query"}, ("query",)),
        Endpoint(
            "/queries", resources.queries, {"GET": "Registered queries", "POST": "Register {name, query}"}
        ),
        Endpoint(
            "/queries/{name}",
            resources.query,
            {"GET": "Rows of a registered query", "DELETE": "Remove a registered query"},
            ("rows",),
        ),
        Endpoint(
            "/events", hub.respond, {"GET": "Changes as server-sent events"}, ("query", "present", "token")
        ),
        Endpoint("/explain", resources.explain, {"GET": "Proof of a fact"}, ("triple",)),
        Endpoint("/why-not", resources.why_not, {"GET": "Missing facts"}, ("triple",)),
        Endpoint("/quality", resources.quality, {"GET": "Conflicts by entity, property and constraint"}),
        Endpoint("/push/{topic:path}", resources.push, {"POST": "Deliver a message"}),
        Endpoint("/metrics", resources.metrics, {"GET": "Metrics for Prometheus"}),
        Endpoint("/health", resources.health, {"GET": "The process answers"}),
        Endpoint("/ready", resources.ready, {"GET": "The state is up to date, and the writer works"}),
    )
    described = _openapi(view.config.name, endpoints)

    async def openapi(request: Request) -> Response:
        return JSONResponse(described)

    routes = [Route(each.path, each.handle, methods=list(each.methods)) for each in endpoints]
    headers = ["Authorization", "Content-Type", "Last-Event-ID", "Message-Id", "Idempotency-Key"]
    cors = Middleware(
        CORSMiddleware,
        allow_origins=view.http.origins,
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=headers,
        expose_headers=["Location", "Retry-After"],
    )
    guard = Middleware(Guard, section=view.http, count=view.metrics.count_request)
    return Starlette(
        routes=[*routes, Route("/openapi.json", openapi), *page_routes(view)], middleware=[cors, guard]
    )


def _openapi(title: str, endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """Return the description of the application in OpenAPI 3.1."""
    from pantarhei.service.http.exchange import needed_token

    def operation(each: Endpoint, method: str, summary: str) -> dict[str, Any]:
        path = each.path.replace(":path", "")
        names = re.findall(r"{(\w+)}", path)
        token = needed_token(method, path)
        parameters = [
            {"name": name, "in": where, "required": where == "path", "schema": {"type": "string"}}
            for where, known in (("path", names), ("query", each.parameters))
            for name in known
        ]
        security: list[dict[str, list[str]]] = [{token: []}] if token else []
        answers = {"default": {"description": "The result, or the error as text"}}
        return {"summary": summary, "parameters": parameters, "responses": answers, "security": security}

    paths = {
        each.path.replace(":path", ""): {
            method.lower(): operation(each, method, summary) for method, summary in each.methods.items()
        }
        for each in endpoints
    }
    schemes = {name: {"type": "http", "scheme": "bearer"} for name in ("read", "push", "admin")}
    info = {"title": title, "version": __version__}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"securitySchemes": schemes}}
