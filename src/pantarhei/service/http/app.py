"""Application of the HTTP server."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
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
from pantarhei.service.http.resources import EXPLAINED, RegistrationBody, Resources
from pantarhei.service.http.sparql import FORM, GRAPHS, QUERY, TABLES, SPARQLEndpoint
from pantarhei.service.journal_driver import JournalDriver
from pantarhei.service.metrics import ReaderMetrics
from pantarhei.version import __version__

Control: TypeAlias = Callable[..., Any]
"""Requests to the writer: `control(push=[source, topic, payload, id])`, `control(request={…})`,
`control(status=True)`, `control(metrics=True)`. Raises `WriterUnavailableError` and `RefusedError`, or the
errors of `Writer.handle`.
"""
_JSON, _TEXT, _STREAM = ("application/json",), ("text/plain",), ("text/event-stream",)
_ROWS, _STATE = (*_JSON, *TABLES, *GRAPHS), {200: _JSON, 503: _JSON}
_BODY, _SLOT, _PUSH = (
    (400, 408, 413, 415),
    (400, 406, 429),
    (400, 404, 408, 413, 415),
)  # status codes of errors
_QUERY: dict[str, Any] = {FORM: {}, QUERY: {}}
_NEW, _ANY = {"application/json": RegistrationBody.model_json_schema()}, dict[str, Any]()
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


class Operation(NamedTuple):
    """Method of a path, for the routes of the application and its description.

    Args:
        results: media types of the result by status code.
        errors: status codes of errors, besides those of each request; their content is a text.
        parameters: names of the parameters in the URL.
        body: schemas of the body by media type.
    """

    method: str
    path: str
    handle: Callable[[Request], Awaitable[Response]]
    summary: str
    results: Mapping[int, Sequence[str]]
    errors: Sequence[int] = ()
    parameters: Sequence[str] = ()
    body: Mapping[str, Mapping[str, Any]] = {}


def make_app(view: ServiceView) -> Starlette:
    """Return the application."""
    resources, sparql, hub = Resources(view), SPARQLEndpoint(view).respond, EventHub(view)
    view.metrics.events, queries, query = hub, resources.queries, resources.query
    json, text, proof, stream = ({200: media} for media in (_JSON, _TEXT, EXPLAINED, _STREAM))
    rows, added, one = {200: (*TABLES, *GRAPHS)}, {201: _JSON, 202: _JSON}, ("triple",)
    operations = (
        Operation("GET", "/sparql", sparql, "SPARQL query", rows, _SLOT, ("query",)),
        Operation("POST", "/sparql", sparql, "SPARQL query", rows, (*_BODY, *_SLOT), (), _QUERY),
        Operation("GET", "/queries", queries, "Registered queries", json),
        Operation("POST", "/queries", queries, "Register a query", added, (*_BODY, 409, 429), (), _NEW),
        Operation("GET", "/queries/{name}", query, "Rows of a query", {200: _ROWS}, (*_SLOT, 404)),
        Operation("DELETE", "/queries/{name}", query, "Remove a query", {204: ()}, (400, 404, 409)),
        Operation("GET", "/events", hub.respond, "Changes", stream, (404,), ("query", "token")),
        Operation("GET", "/explain", resources.explain, "Proof of a fact", proof, (*_SLOT, 404), one),
        Operation("GET", "/why-not", resources.why_not, "Missing facts", proof, (*_SLOT, 404), one),
        Operation("GET", "/quality", resources.quality, "Conflicts and removals", proof, _SLOT),
        Operation("POST", "/push/{topic:path}", resources.push, "Deliver a message", {202: _JSON}, _PUSH),
        Operation("GET", "/metrics", resources.metrics, "Metrics for Prometheus", text),
        Operation("GET", "/health", resources.health, "Test whether the process answers", text),
        Operation("GET", "/ready", resources.ready, "Test whether the state is up to date", _STATE),
    )
    described = JSONResponse(_openapi(view.config.name, operations))
    methods: dict[tuple[str, Any], list[str]] = {}
    for each in operations:
        methods.setdefault((each.path, each.handle), []).append(each.method)

    async def openapi(request: Request) -> Response:
        return described

    routes = [Route(path, handle, methods=given) for (path, handle), given in methods.items()]
    cors = Middleware(CORSMiddleware, allow_origins=view.http.origins, **_CORS)
    guard = Middleware(Guard, section=view.http, count=view.metrics.count_request)
    routes.append(Route("/openapi.json", openapi))
    return Starlette(routes=[*routes, *page_routes(view)], middleware=[cors, guard])


def _openapi(title: str, operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the description of the application in OpenAPI 3.1."""
    paths: dict[str, dict[str, object]] = {}
    for each in operations:
        path, token = each.path.replace(":path", ""), needed_token(each.method, each.path)
        places = dict.fromkeys(re.findall(r"{(\w+)}", path), "path") | dict.fromkeys(each.parameters, "query")
        errors = (*each.errors, *([401] if token else []), 403, 503)
        contents: dict[int, Sequence[str]] = {**dict.fromkeys(errors, _TEXT), **each.results}
        described: dict[str, object] = {"summary": each.summary, "security": [{token: []}] if token else []}
        described["parameters"] = [
            {"name": name, "in": place, "required": place == "path", "schema": {"type": "string"}}
            for name, place in places.items()
        ]
        described["responses"] = {
            str(status): {"description": HTTPStatus(status).phrase, "content": dict.fromkeys(media, _ANY)}
            for status, media in sorted(contents.items())
        }
        if each.method == "POST":
            content = {media: {"schema": schema} for media, schema in each.body.items()}
            described["requestBody"] = {"required": True, "content": content or {"*/*": _ANY}}
        paths.setdefault(path, {})[each.method.lower()] = described
    schemes = {name: {"type": "http", "scheme": "bearer"} for name in ("read", "push", "admin")}
    info = {"title": title, "version": __version__}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"securitySchemes": schemes}}
