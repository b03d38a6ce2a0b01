"""Resources of the HTTP server besides SPARQL and events: registered queries, explanations, messages, and the
state of the service.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError
from rdflib import Variable
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from pantarhei.errors import MalformedInputError, PantarheiError, QueryMemoryError, QueryTimeoutError
from pantarhei.io.writers import json_value
from pantarhei.model.message_text import did_you_mean
from pantarhei.model.time import TimePoint
from pantarhei.proofs.renderers import html_page
from pantarhei.query.answers import QueryResult, column_names
from pantarhei.rdf.parse import check_fact, parse_statement
from pantarhei.service.changes import RESERVED
from pantarhei.service.config import HTTPSource
from pantarhei.service.decoding import topic_pattern
from pantarhei.service.http.exchange import Polled, RequestError, accepted, read_body
from pantarhei.service.http.sparql import GRAPHS, TABLES, result_response
from pantarhei.service.journal_driver import unknown_names, with_prefixes
from pantarhei.temporal.rules import read_atom

if TYPE_CHECKING:
    from pantarhei.query.continuous_query import ContinuousQuery
    from pantarhei.service.http.app import ServiceView

EXPLAINED = ("text/plain", "application/json", "text/html")
"""Formats of explanations."""
_NAME = re.compile(r"\w[\w.-]{0,99}")
_ID = re.compile(r"[\x21-\x7e]{1,200}")
_LONGEST = 4_000  # characters of a statement
_BEHIND = 10.0  # seconds of delay of writer or reader above which the reader is not ready
_CATCH_UP = 5.0  # seconds to wait until the reader has processed a registration
_TIME_SHARE, _BYTES_SHARE = 10, 50  # of the limits of queries, for those to be registered
_PUSHES = 32  # messages that wait for the journal at once


class RegistrationBody(BaseModel, extra="forbid"):
    """Body of a request that registers a query."""

    name: str
    query: str


class Resources:
    """Handlers of requests."""

    def __init__(self, view: ServiceView) -> None:
        self._view = view
        self._requests = ThreadPoolExecutor(_PUSHES, "writer")
        self._metrics = Polled(self._metrics_text)
        sources = view.config.sources.items()
        http = ((name, each) for name, each in sources if isinstance(each, HTTPSource))
        self._topics = [(topic, name) for name, each in http for topic in each.http]

    # -- registered queries ------------------------------------------------------------------------

    async def queries(self, request: Request) -> Response:
        """Return the registered queries without rows (GET), or register one (POST)."""
        if request.method == "POST":
            return await self._register(request)
        known = self._view.driver.reasoner.queries  # their sizes take the lock of the reasoner
        return await asyncio.to_thread(
            lambda: JSONResponse({name: self._described(query) for name, query in known.items()})
        )

    async def query(self, request: Request) -> Response:
        """Return a registered query with its rows (GET), or remove it (DELETE)."""
        name = request.path_params["name"]
        query = self._query(name)
        if request.method == "DELETE":
            if name in self._view.config.queries:
                raise RequestError(409, f"the query {name} is part of the configuration; remove it there")
            await self._change({"deregister": name})
            return Response(status_code=204)
        media = accepted(request, list(dict.fromkeys(("application/json", *TABLES, *GRAPHS))))
        if media != "application/json":
            return await self._view.slots.run(lambda: self._as_result(request, query))
        return JSONResponse(await asyncio.to_thread(self._with_rows, query))

    def _query(self, name: str) -> ContinuousQuery:
        known = self._view.driver.reasoner.queries
        if name not in known:
            shown = f"{did_you_mean(name[:200], known)}; the queries are {', '.join(known) or 'none yet'}"
            raise RequestError(404, f"there is no query {name[:200]!r}{shown}")
        return known[name]

    def _described(self, query: ContinuousQuery) -> dict[str, Any]:
        columns = column_names(query._maintainer.query)
        head = {"query": query.text, "columns": list(columns), "count": len(query.answers)}
        return {**head, "configured": query.name in self._view.config.queries}

    def _with_rows(self, query: ContinuousQuery) -> dict[str, Any]:
        head, most = self._described(query), self._view.http.query.rows
        rows = islice(Counter(query.answers).elements(), most)
        values = (dict(zip(head["columns"], map(json_value, row), strict=True)) for row in rows)
        return {**head, "rows": list(values)}

    def _as_result(self, request: Request, query: ContinuousQuery) -> Response:
        cells = list(query.answers.columns().values())
        size, answer = len(cells[0]) if cells else len(query.answers), bool(query.answers)
        variables, prefixes = list(map(Variable, query.variables)), query._maintainer.query.prefixes
        result = QueryResult(query.form, variables, size, lambda: cells, answer, prefixes)
        return result_response(request, result, self._view.http.query)

    async def _register(self, request: Request) -> Response:
        try:
            given = RegistrationBody.model_validate_json(await read_body(request, self._view.http.body))
        except ValidationError as error:
            expected = 'the body must be {"name": "…", "query": "…"}, with texts'
            raise RequestError(400, f"{expected}: {error.errors()[0]['msg']}") from None
        name, text = given.name, given.query
        if not _NAME.fullmatch(name) or name in RESERVED:
            problem = "is reserved" if _NAME.fullmatch(name) else "is invalid"
            advice = "choose another one, of up to 100 letters, digits, dots, hyphens and underscores"
            raise RequestError(400, f"the name {name[:120]!r} {problem}; {advice}")
        if name in self._view.driver.reasoner.queries:
            advice = "choose another name, or remove it first by DELETE"
            raise RequestError(409, f"there is a query {name!r} already; {advice}")
        # before prefixes are declared, so that errors have the columns of the given text
        await self._view.slots.run(lambda: self._try(text))
        declared = with_prefixes(text, self._view.driver.knowledge.prefixes)
        if not await self._change({"register": name, "query": declared}):
            return JSONResponse({"name": name, "journaled": True}, 202)
        query = self._query(name)
        return await asyncio.to_thread(self._registered, query)

    def _try(self, text: str) -> None:
        """Evaluate a query before it is registered, which costs the writer more."""
        try:
            self._view.query(text, _TIME_SHARE, _BYTES_SHARE)
        except (QueryTimeoutError, QueryMemoryError):
            limits = self._view.http.query
            seconds, most = limits.timeout.total_seconds() / _TIME_SHARE, limits.bytes // _BYTES_SHARE
            problem = f"the query needs more than {seconds:g} s or {most:,} bytes, and would delay alarms"
            advice = "select less, or raise http.query.timeout or http.query.bytes"
            raise RequestError(400, f"{problem}; {advice}") from None

    def _registered(self, query: ContinuousQuery) -> Response:
        found = {"name": query.name, "answers": len(query.answers), "plan": query.plan()}
        found["warnings"] = unknown_names(self._view.driver.knowledge, query)
        return JSONResponse(found, 201, {"Location": f"/queries/{query.name}"})

    async def _change(self, given: dict[str, str]) -> bool:
        """Send a change of the queries to the writer; returns whether this reader has processed it too."""
        number = (await self._send(request=given))["record"]
        for _ in range(int(_CATCH_UP / 0.02)):
            if self._view.driver.number >= number:
                return True
            await asyncio.sleep(0.02)
        return False

    async def _send(self, **given: Any) -> Any:
        """Send a request to the writer, in a thread."""
        send = partial(self._view.control, **given)
        return await asyncio.get_running_loop().run_in_executor(self._requests, send)

    # -- explanations ------------------------------------------------------------------------------

    async def explain(self, request: Request) -> Response:
        """Return a proof of a fact or a conclusion: text, JSON or HTML."""
        proof = self._about(request, self._view.driver.reasoner.explain)
        return await self._rendered(request, "Proof", proof)

    async def why_not(self, request: Request) -> Response:
        """Return the facts that are missing for a fact or a conclusion: text, JSON or HTML."""
        missing = self._about(request, self._view.driver.reasoner.why_not)
        return await self._rendered(request, "Missing facts", missing)

    async def quality(self, request: Request) -> Response:
        """Return conflicts and removals by entity, property and constraint: text, JSON or HTML."""
        return await self._rendered(request, "Quality", self._view.driver.reasoner.quality)

    def _about(self, request: Request, explain: Callable[..., Any]) -> Callable[[], Any]:
        """Return a function that explains the fact or the conclusion in the parameter `triple`."""
        text, knowledge = request.query_params.get("triple", "").strip(), self._view.driver.knowledge
        if not text or len(text) > _LONGEST:
            given = f"has more than {_LONGEST:,} characters" if text else "is missing"
            raise RequestError(400, f"the parameter triple {given}; send a triple such as :a :b :c")

        def explained() -> Any:
            atom = None if knowledge.rules is None else read_atom(text, knowledge.prefixes)
            try:
                fact = atom or check_fact(parse_statement(text, knowledge.prefixes), text)
            except MalformedInputError as error:
                raise RequestError(400, error.reason) from None
            return explain(fact)

        return explained

    async def _rendered(self, request: Request, title: str, compute: Callable[[], Any]) -> Response:
        media = accepted(request, EXPLAINED)

        def answer() -> Response:
            found = compute()
            if media == "application/json":
                return JSONResponse(found.to_json())
            if media == "text/html":
                policy = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
                return HTMLResponse(html_page(title, [found._repr_html_()]), headers=policy)
            return PlainTextResponse(f"{found}\n")

        return await self._view.slots.run(answer)

    # -- messages ----------------------------------------------------------------------------------

    async def push(self, request: Request) -> Response:
        """Deliver a message to an HTTP source; answered after the message is in the journal."""
        topic = request.path_params["topic"]
        source = next((name for each, name in self._topics if topic_pattern(each).fullmatch(topic)), None)
        if source is None:
            known = [each for each, _ in self._topics]
            hint = f"{did_you_mean(topic[:200], known)}; the topics are {', '.join(known) or 'none'}"
            raise RequestError(404, f"there is no topic {topic[:200]!r}{hint}")
        id_ = request.headers.get("message-id", "")
        if id_ and not _ID.fullmatch(id_):
            raise RequestError(400, "Message-Id must have 1 to 200 printable ASCII characters without spaces")
        body = await read_body(request, self._view.http.body)
        await self._send(push=[source, topic, body.decode("utf-8", "surrogateescape"), id_])
        return JSONResponse({"journaled": True}, 202)

    # -- state of the service ----------------------------------------------------------------------

    async def health(self, request: Request) -> Response:
        """Return a text while the process answers."""
        return PlainTextResponse("alive\n")

    async def ready(self, request: Request) -> Response:
        """Return whether the state is up to date and the writer works, with reasons (503 if not)."""
        driver, behind = self._view.driver, None
        reasons, warnings = list[str](), list[str]()
        if not driver.is_current:
            reasons.append("the journal is still being processed after the start")
        status, problem = await self._view.writer_status()
        if problem:
            reasons.append(problem)
        else:
            behind = seconds_behind(status, driver.at)
            if behind > _BEHIND:
                reasons.append(f"this reader is {behind:.0f} s behind the writer")
            if status["behind"] > _BEHIND:
                reasons.append(f"the writer is {status['behind']:.0f} s behind the messages")
            if not status["ready"]:
                reasons.append("the writer still processes the journal after its start")
            if status["blocked"]:
                reasons.append(f"the journal cannot be written: {status['blocked']}")
            sinks, sources = status["sinks"].items(), status["sources"].items()
            reasons += [f"the queue of sink {name} is full" for name, each in sinks if each["full"]]
            failing = (name for name, each in sinks if each["problem"] and not each["full"])
            warnings += [f"sink {name} repeats a failed write" for name in failing]
            gone = (name for name, each in sources if not each["available"])
            warnings += [f"source {name} is not connected" for name in gone]
        found = {"ready": not reasons, "reasons": reasons, "warnings": warnings}
        found |= {"record": driver.number, "behind": behind, "writer_behind": status.get("behind")}
        return JSONResponse(found, 503 if reasons else 200)

    async def metrics(self, request: Request) -> Response:
        """Return the metrics of writer and reader in the text format of Prometheus."""
        text = await self._metrics.get(10.0)
        return Response(text, media_type="text/plain; version=0.0.4")

    def _metrics_text(self) -> str:
        driver, metrics = self._view.driver, self._view.metrics
        try:
            writer = self._view.control(metrics=True)
        except PantarheiError:
            return metrics.text_of(driver, None)
        return str(writer["metrics"]) + metrics.text_of(driver, seconds_behind(writer, driver.at))


def seconds_behind(status: Mapping[str, Any], at: TimePoint | None) -> float:
    """Return the seconds between the last record of the writer and that of a reader."""
    if status["at"] is None or not isinstance(at, datetime):
        return 0.0
    return max(0.0, (datetime.fromisoformat(status["at"]) - at).total_seconds())
