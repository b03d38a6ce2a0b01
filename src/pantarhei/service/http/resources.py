"""Resources of the HTTP server besides SPARQL and events: registered queries, explanations, messages, and the
state of the service.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from rdflib import Variable
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from pantarhei.errors import MalformedInputError, PantarheiError
from pantarhei.io.writers import json_time, json_value
from pantarhei.model.message_text import did_you_mean
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimePoint
from pantarhei.proofs.renderers import html_page
from pantarhei.query.answers import QueryResult, column_names
from pantarhei.rdf.ntriples import write_term
from pantarhei.rdf.parse import check_fact, parse_statement
from pantarhei.service.changes import CONCLUSIONS, REPAIRS, atom_row
from pantarhei.service.config import HTTPSource
from pantarhei.service.decoding import topic_pattern
from pantarhei.service.http.exchange import Polled, RequestError, accepted, read_body, run_in, text_of
from pantarhei.service.http.sparql import GRAPHS, TABLES, Slots, result_response
from pantarhei.service.journal_driver import with_prefixes
from pantarhei.temporal.rules import read_atom

if TYPE_CHECKING:
    from pantarhei.query.continuous_query import ContinuousQuery
    from pantarhei.service.http.app import ServiceView

_NAME = re.compile(r"\w[\w.-]{0,99}")
_ID = re.compile(r"[\x21-\x7e]{1,200}")
_LONGEST = 4_000  # characters of a statement
_ROWS = 1_000  # rows of a registered query, unless the request names another number
_BEHIND = 10.0  # seconds between writer and reader above which the reader is not ready
_CATCH_UP = 5.0  # seconds to wait until the reader has processed a registration
_PUSHES = 32  # messages that wait for the journal at once


class Resources:
    """Handlers of requests.

    Args:
        slots: threads for explanations, which queries share.
    """

    def __init__(self, view: ServiceView, slots: Slots) -> None:
        self._view, self._slots = view, slots
        self._requests = ThreadPoolExecutor(_PUSHES, "writer")
        self._status = Polled(lambda: dict(view.control(status=True)))
        self._metrics = Polled(self._metrics_text)
        self._topics = [
            (name, topic)
            for name, source in view.config.sources.items()
            if isinstance(source, HTTPSource)
            for topic in source.http
        ]

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
        most = self._view.http.query.rows
        given = request.query_params.get("rows", str(min(_ROWS, most)))
        if not (given.isascii() and given.isdecimal() and int(given[:10]) <= most):
            raise RequestError(400, f"rows={given[:40]} is invalid: expected a number up to {most}")
        media = accepted(request, list(dict.fromkeys(("application/json", *TABLES, *GRAPHS))))
        if media != "application/json":
            return await self._slots.run(partial(self._as_result, request, query))
        return JSONResponse(await asyncio.to_thread(self._described, query, int(given)))

    def _query(self, name: str) -> ContinuousQuery:
        known = self._view.driver.reasoner.queries
        if name not in known:
            shown = f"{did_you_mean(name[:200], known)}; the queries are {', '.join(known) or 'none yet'}"
            raise RequestError(404, f"there is no query {name[:200]!r}{shown}")
        return known[name]

    def _described(self, query: ContinuousQuery, rows: int | None = None) -> dict[str, Any]:
        columns = column_names(query._maintainer.query)
        head = {"query": query.text, "columns": list(columns), "count": len(query.answers)}
        head["configured"] = query.name in self._view.config.queries
        if rows is None:
            return head
        found = [row for row, count in islice(query.answers.items(), rows) for _ in range(count)][:rows]
        return {**head, "rows": [dict(zip(columns, map(json_value, row), strict=True)) for row in found]}

    def _as_result(self, request: Request, query: ContinuousQuery) -> Response:
        columns = query.answers.columns()
        if query.form == "ASK":
            result = QueryResult("ASK", answer=bool(query.answers))
        else:
            variables, cells = list(map(Variable, query.variables)), list(columns.values())
            size, prefixes = len(cells[0]) if cells else len(query.answers), query._maintainer.query.prefixes
            result = QueryResult(query.form, variables, size, lambda: cells, prefixes=prefixes)
        limits = self._view.http.query
        return result_response(request, result, limits.rows, limits.bytes)

    def present(self, name: str) -> dict[str, Any]:
        """Return the present rows of a name of changes, for clients that begin or have missed changes."""
        driver, most = self._view.driver, self._view.http.query.rows
        at = None if driver.at is None else json_time(driver.at)
        if name == CONCLUSIONS:
            atoms = driver.reasoner.atoms()
            rows = [atom_row(atom) for atom in sorted(atoms, key=str)[:most]]
            return {"name": name, "at": at, "count": len(atoms), "rows": rows}
        found = self._described(self._query(name), most)
        return {"name": name, "at": at, "count": found["count"], "rows": found["rows"]}

    async def _register(self, request: Request) -> Response:
        given = _json_object(await read_body(request, self._view.http.body))
        name, text = given.get("name"), given.get("query")
        if set(given) != {"name", "query"} or not isinstance(name, str) or not isinstance(text, str):
            raise RequestError(400, 'the body must be {"name": "…", "query": "…"}, with texts')
        if not _NAME.fullmatch(name) or name in (CONCLUSIONS, REPAIRS):
            problem = "is reserved" if _NAME.fullmatch(name) else "is invalid"
            advice = "choose another one, of up to 100 letters, digits, dots, hyphens and underscores"
            raise RequestError(400, f"the name {name[:120]!r} {problem}; {advice}")
        if name in self._view.driver.reasoner.queries:
            advice = "choose another name, or remove it first by DELETE"
            raise RequestError(409, f"there is a query {name!r} already; {advice}")
        limits, prefixes = self._view.http.query, self._view.prefixes

        def check() -> Response:  # finds errors with the line numbers of the given text
            self._view.driver.reasoner.query(
                text, initNs=prefixes, timeout=limits.timeout, max_bytes=limits.bytes
            )
            return Response()

        await self._slots.run(partial(check))
        if not await self._change({"register": name, "query": with_prefixes(text, prefixes)}):
            return JSONResponse({"name": name, "journaled": True}, 202)
        query = self._query(name)
        count, plan = await asyncio.to_thread(lambda: (len(query.answers), query.plan()))
        headers = {"Location": f"/queries/{name}"}
        return JSONResponse({"name": name, "answers": count, "plan": plan}, 201, headers)

    async def _change(self, given: dict[str, str]) -> bool:
        """Send a change of the queries to the writer; returns whether this reader has processed it too."""
        number = (await self._ask(request=given))["record"]
        for _ in range(int(_CATCH_UP / 0.02)):
            if self._view.driver.number >= number:
                return True
            await asyncio.sleep(0.02)
        return False

    async def _ask(self, **given: Any) -> Any:
        return await run_in(self._requests, partial(self._view.control, **given))

    # -- explanations ------------------------------------------------------------------------------

    async def explain(self, request: Request) -> Response:
        """Return a proof of a fact or a conclusion: text, JSON or HTML."""
        return await self._explained(request, "Proof", lambda fact: self._view.driver.reasoner.explain(fact))

    async def why_not(self, request: Request) -> Response:
        """Return the facts that are missing for a fact or a conclusion: text, JSON or HTML."""
        return await self._explained(
            request, "Missing facts", lambda fact: self._view.driver.reasoner.why_not(fact)
        )

    async def quality(self, request: Request) -> Response:
        """Return conflicts and removals by entity, property and constraint: text, JSON or HTML."""
        return await self._rendered(request, "Quality", lambda: self._view.driver.reasoner.quality())

    async def _explained(
        self, request: Request, title: str, explain: Callable[[Triple | TemporalAtom], Any]
    ) -> Response:
        text = request.query_params.get("triple", "").strip()
        if not text or len(text) > _LONGEST:
            given = f"has more than {_LONGEST:,} characters" if text else "is missing"
            raise RequestError(400, f"the parameter triple {given}; send a triple such as :a :b :c")
        return await self._rendered(request, title, lambda: explain(self._statement(text)))

    def _statement(self, text: str) -> Triple | TemporalAtom:
        rules = self._view.driver.knowledge.rules
        prefixes = self._view.prefixes
        known = prefixes if rules is None else {**rules.prefixes, **prefixes}
        atom = None if rules is None else read_atom(text, known)
        if atom is not None:
            return atom
        try:
            return check_fact(parse_statement(text, known), text)
        except MalformedInputError as error:
            raise RequestError(400, error.reason) from None

    async def _rendered(self, request: Request, title: str, compute: Callable[[], Any]) -> Response:
        media = accepted(request, ["text/plain", "application/json", "text/html"])

        def answer() -> Response:
            found = compute()
            if media == "application/json":
                return JSONResponse(found.to_json() if hasattr(found, "to_json") else _rows_as_json(found))
            if media == "text/html":
                policy = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
                return HTMLResponse(html_page(title, [found._repr_html_()]), headers=policy)
            return PlainTextResponse(f"{found}\n")

        return await self._slots.run(partial(answer))

    # -- messages ----------------------------------------------------------------------------------

    async def push(self, request: Request) -> Response:
        """Deliver a message to an HTTP source; answered after the message is in the journal."""
        topic = request.path_params["topic"]
        source = next((name for name, each in self._topics if topic_pattern(each).fullmatch(topic)), None)
        if source is None:
            known = [each for _, each in self._topics]
            hint = f"{did_you_mean(topic[:200], known)}; the topics are {', '.join(known) or 'none'}"
            raise RequestError(404, f"there is no topic {topic[:200]!r}{hint}")
        headers = request.headers
        id_ = headers.get("message-id") or headers.get("idempotency-key") or ""
        if id_ and not _ID.fullmatch(id_):
            raise RequestError(400, "Message-Id must have 1 to 200 printable ASCII characters without spaces")
        body = await read_body(request, self._view.http.body)
        text = body.decode("utf-8", "surrogateescape")
        await self._ask(push=[source, topic, text, id_])
        return JSONResponse({"journaled": True}, 202)

    # -- state of the service ----------------------------------------------------------------------

    async def health(self, request: Request) -> Response:
        """Return a text while the process answers."""
        return PlainTextResponse("alive\n")

    async def ready(self, request: Request) -> Response:
        """Return whether the state is up to date and the writer works, with reasons (503 if not)."""
        driver, at = self._view.driver, self._view.driver.at
        reasons, warnings, behind = [], [], None
        if not self._view.is_ready():
            reasons.append("the journal is still being processed after the start")
        try:
            status = await self._status.get(2.0)
        except (PantarheiError, TimeoutError) as error:
            reasons.append(f"the writer cannot be reached: {error or 'no answer within 2 s'}")
        else:
            behind = seconds_behind(status, at)
            if behind > _BEHIND:
                reasons.append(f"this reader is {behind:.0f} s behind the writer")
            if not status["ready"]:
                reasons.append("the writer still processes the journal after its start")
            if status["blocked"]:
                reasons.append(f"the journal cannot be written: {status['blocked']}")
            for name, sink in status["sinks"].items():
                if sink["full"]:
                    reasons.append(f"the queue of sink {name} is full")
                elif sink["problem"]:
                    warnings.append(f"sink {name} repeats a failed write")
            sources = status["sources"].items()
            gone = (name for name, each in sources if not (each["connected"] or each["has_ended"]))
            warnings += [f"source {name} is not connected" for name in gone]
        found = {"ready": not reasons, "reasons": reasons, "warnings": warnings}
        return JSONResponse({**found, "record": driver.number, "behind": behind}, 503 if reasons else 200)

    async def metrics(self, request: Request) -> Response:
        """Return the metrics of writer and reader in the text format of Prometheus."""
        text = await self._metrics.get(10.0)
        return Response(text, media_type="text/plain; version=0.0.4")

    def _metrics_text(self) -> str:
        try:
            status = dict(self._view.control(status=True))
            writer = str(self._view.control(metrics=True)["metrics"])
        except PantarheiError:
            status, writer = {}, ""
        behind = seconds_behind(status, self._view.driver.at) if status else None
        return writer + self._view.metrics.text(self._view.driver, behind)


def seconds_behind(status: dict[str, Any], at: TimePoint | None) -> float:
    """Return the seconds between the last record of the writer and that of a reader."""
    if status["at"] is None or not isinstance(at, datetime):
        return 0.0
    return max(0.0, (datetime.fromisoformat(status["at"]) - at).total_seconds())


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        given = json.loads(text_of(body))
    except (ValueError, RecursionError) as error:
        raise RequestError(400, f"the body is not JSON: {error}") from None
    if not isinstance(given, dict):
        raise RequestError(400, "the body is not a JSON object")
    return given


def _rows_as_json(quality: Any) -> dict[str, Any]:
    """Return the tables of `StreamReasoner.quality` as JSON: names in N-Triples syntax, ages in seconds."""

    def value(given: Any) -> object:
        if hasattr(given, "total_seconds"):
            return given.total_seconds()
        return json_time(given) if hasattr(given, "isoformat") else given

    def about(given: Term | str) -> str:
        return given if type(given) is str else write_term(given)  # type: ignore[arg-type]

    names: Sequence[str] = ("assertions", "cut", "won", "conflicts", "disputes", "last_kept", "since")
    rows = [
        {"kind": kind, "about": about(row.about), **{name: value(getattr(row, name)) for name in names}}
        for kind, row in quality.rows
    ]
    return {"at": value(quality.at), "known_from": value(quality.known_from), "rows": rows}
