"""Application of the HTTP server."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pantarhei.errors import RefusedError, WriterUnavailableError
from pantarhei.query.answers import QueryResult
from pantarhei.service.http.events import EventHub
from pantarhei.service.http.exchange import Guard, Polled, Slots, needed_token
from pantarhei.service.http.page import page_routes
from pantarhei.service.http.resources import Resources
from pantarhei.service.http.sparql import SPARQLEndpoint
from pantarhei.service.journal_driver import JournalDriver
from pantarhei.service.metrics import ReaderMetrics
from pantarhei.version import __version__

Control: TypeAlias = Callable[..., Any]
"""Requests to the writer: `control(push=[source, topic, payload, id])`, `control(request={…})`,
`control(status=True)`, `control(metrics=True)`. Raises `WriterUnavailableError` and `RefusedError`, or the
errors of `Writer.handle`.
"""
_ANSWER = {"default": {"description": "The result, or the error as text"}}
_CORS: dict[str, Any] = {
    "allow_methods": ("GET", "POST", "DELETE"),
    "allow_headers": ("Authorization", "Content-Type", "Last-Event-ID", "Message-Id"),
    "expose_headers": ("Location", "Retry-After"),
}


@dataclass
class ServiceView:
    """State that the application shows.

    Args:
        driver: the reasoner, which another thread drives.
        control: sends requests to the writer.
        metrics: the metrics of this process.

    Attributes:
        config: the configuration.
        http: its section of the HTTP server.
        slots: threads for queries and explanations.
    """

    driver: JournalDriver
    control: Control
    metrics: ReaderMetrics

    def __post_init__(self) -> None:
        self.config = self.driver.knowledge.config
        assert self.config.http is not None, "there is an HTTP server"
        self.http = self.config.http
        self.slots = Slots(self.http.query.at_once, self.http.query.timeout)
        self._status = Polled(lambda: dict(self.control(status=True)))

    def query(self, text: str, time_share: int = 1, bytes_share: int = 1) -> QueryResult:
        """Evaluate a query within the configured limits, divided by the given numbers. Raises the errors of
        `StreamReasoner.query`.
        """
        timeout, most = self.http.query.timeout / time_share, self.http.query.bytes // bytes_share
        options: dict[str, Any] = {"timeout": timeout, "max_bytes": most}
        return self.driver.reasoner.query(text, initNs=self.driver.knowledge.prefixes, **options)

    async def writer_status(self) -> tuple[dict[str, Any], str]:
        """Return the state of the writer; empty, and the problem, if it does not answer within 2 seconds."""
        try:
            return await self._status.get(2.0), ""
        except TimeoutError:
            return {}, "the writer does not answer within 2 s"
        except (WriterUnavailableError, RefusedError) as error:
            return {}, error.problem


class Endpoint(NamedTuple):
    """Path of the application, for its routes and its description.

    Args:
        methods: summary by method.
        parameters: names of the parameters in the URL.
    """

    path: str
    handle: Callable[[Request], Awaitable[Response]]
    methods: Mapping[str, str]
    parameters: tuple[str, ...] = ()


def make_app(view: ServiceView) -> Starlette:
    """Return the application."""
    resources, sparql = Resources(view), SPARQLEndpoint(view)
    hub = view.metrics.events = EventHub(view)
    listed = {"GET": "Registered queries", "POST": "Register {name, query}"}
    registered = {"GET": "Rows of a registered query", "DELETE": "Remove a registered query"}
    endpoints = (
        Endpoint("/sparql", sparql.respond, dict.fromkeys(("GET", "POST"), "SPARQL query"), ("query",)),
        Endpoint("/queries", resources.queries, listed),
        Endpoint("/queries/{name}", resources.query, registered),
        Endpoint("/events", hub.respond, {"GET": "Changes as server-sent events"}, ("query", "token")),
        Endpoint("/explain", resources.explain, {"GET": "Proof of a fact"}, ("triple",)),
        Endpoint("/why-not", resources.why_not, {"GET": "Missing facts"}, ("triple",)),
        Endpoint("/quality", resources.quality, {"GET": "Conflicts by entity, property and constraint"}),
        Endpoint("/push/{topic:path}", resources.push, {"POST": "Deliver a message"}),
        Endpoint("/metrics", resources.metrics, {"GET": "Metrics for Prometheus"}),
        Endpoint("/health", resources.health, {"GET": "The process answers"}),
        Endpoint("/ready", resources.ready, {"GET": "The state is up to date, and the writer works"}),
    )
    described = JSONResponse(_openapi(view.config.name, endpoints))

    async def openapi(request: Request) -> Response:
        return described

    routes = [Route(each.path, each.handle, methods=list(each.methods)) for each in endpoints]
    cors = Middleware(CORSMiddleware, allow_origins=view.http.origins, **_CORS)
    guard = Middleware(Guard, section=view.http, count=view.metrics.count_request)
    routes.append(Route("/openapi.json", openapi))
    return Starlette(routes=[*routes, *page_routes(view)], middleware=[cors, guard])


def _openapi(title: str, endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """Return the description of the application in OpenAPI 3.1."""
    paths: dict[str, dict[str, object]] = {}
    for each in endpoints:
        path, text = each.path.replace(":path", ""), {"type": "string"}
        places = dict.fromkeys(re.findall(r"{(\w+)}", path), "path") | dict.fromkeys(each.parameters, "query")
        paths[path] = {
            "parameters": [
                {"name": name, "in": place, "required": place == "path", "schema": text}
                for name, place in places.items()
            ]
        }
        for method, summary in each.methods.items():
            token = needed_token(method, path)
            security: list[dict[str, list[str]]] = [{token: []}] if token else []
            paths[path][method.lower()] = {"summary": summary, "responses": _ANSWER, "security": security}
    schemes = {name: {"type": "http", "scheme": "bearer"} for name in ("read", "push", "admin")}
    info = {"title": title, "version": __version__}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"securitySchemes": schemes}}
