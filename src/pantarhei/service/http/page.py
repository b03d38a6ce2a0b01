"""Routes of the live page: its files, and the state that it shows, as JSON."""

from __future__ import annotations

import asyncio
import heapq
import json
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS
from pantarhei.errors import PantarheiError
from pantarhei.io.writers import json_time
from pantarhei.rdf.ntriples import write_term
from pantarhei.service.changes import Emitted, atom_row
from pantarhei.service.message_journal import DeadLetter

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from pantarhei import WindowUpdate
    from pantarhei.repair.result import Repair
    from pantarhei.service.http.app import ServiceView
    from pantarhei.window.log import Log

FILES = {
    "index.html": "text/html",
    "page.js": "text/javascript",
    "page.css": "text/css",
    "icon.svg": "image/svg+xml",
}
POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
"""Content security policy of the page: nothing is loaded from other servers."""
_SECONDS, _BARS = 180, 120  # seconds of the plots of rates, bars of the plot of the window
_AGE = 0.5  # seconds for which a state is served to all clients
_PAUSES = 10  # seconds between counts of the window for each second that a count takes
_DEAD, _PAYLOAD = 50, 500
_REPAIRS, _REMOVALS, _ASSERTIONS, _CONCLUSIONS = 15, 8, 200, 100
RATES = ("messages", "changes", "removed", "dead")


class PageHistory:
    """Figures of the last three minutes by second, and the last dead letters.

    Args:
        is_ready: returns whether the state is up to date; before that, no rates are counted.
    """

    def __init__(self, is_ready: Callable[[], bool]) -> None:
        self._is_ready, self._lock = is_ready, threading.Lock()
        self._seconds: dict[int, list[int]] = {}
        self._begun: int | None = None
        self._last: WindowUpdate | None = None
        self._dead: deque[tuple[datetime, DeadLetter]] = deque(maxlen=_DEAD)
        self._reasons: Counter[str] = Counter()

    def add(self, emitted: Emitted, update: WindowUpdate | None) -> None:
        """Count the result of a record."""
        is_new, self._last = update is not self._last, update
        removed = len(update.repair.taken_out) if update is not None and is_new else 0
        figures = (emitted.messages, len(emitted.changes), removed, len(emitted.dead))
        with self._lock:
            self._dead += [(emitted.at, each) for each in emitted.dead]
            self._reasons.update(each.reason for each in emitted.dead)
            if self._is_ready():
                now = int(time.time())
                self._begun = now if self._begun is None else self._begun
                if now not in self._seconds:
                    self._seconds = {at: sums for at, sums in self._seconds.items() if at > now - _SECONDS}
                sums = self._seconds.setdefault(now, [0] * len(RATES))
                for place, figure in enumerate(figures):
                    sums[place] += figure

    def rates(self) -> dict[str, list[int]]:
        """Return the figures of each of the last complete seconds since the first record, oldest first."""
        now = int(time.time())
        with self._lock:
            first = max(now - _SECONDS, now if self._begun is None else self._begun)
            rows = [self._seconds.get(at, [0] * len(RATES)) for at in range(first, now)]
        return {name: [row[place] for row in rows] for place, name in enumerate(RATES)}

    def dead_letters(self) -> dict[str, Any]:
        """Return the number of dead letters by reason since the start, and the last ones, newest first."""
        with self._lock:
            last, reasons = list(self._dead), dict(self._reasons)
        letters = [
            {
                "at": json_time(at),
                "source": each.message.source,
                "topic": each.message.topic,
                "reason": each.reason,
                "detail": each.detail,
                "payload": each.message.payload[:_PAYLOAD].decode("utf-8", "replace"),
            }
            for at, each in reversed(last)
        ]
        return {"reasons": reasons, "last": letters}


class PageState:
    """State of the service as the page shows it. The methods take the lock of the reasoner for a moment."""

    def __init__(self, view: ServiceView) -> None:
        self._view, self._history = view, PageHistory(view.is_ready)
        view.subscribe(self._history.add)
        self._making, self._made, self._known = threading.Lock(), 0.0, dict[str, Any]()
        self._reading, self._count_after, self._counted = threading.Lock(), 0.0, dict[str, Any]()
        self._texts: dict[int, tuple[Repair, dict[str, Any]]] = {}

    def state(self) -> dict[str, Any]:
        """Return the whole state, which all clients share: half a second old, or older while the writer does
        not answer.
        """
        if self._making.acquire(blocking=not self._known):
            try:
                if time.monotonic() - self._made > _AGE:
                    self._known, self._made = self._state(), time.monotonic()
            finally:
                self._making.release()
        return self._known

    def _state(self) -> dict[str, Any]:
        driver, config = self._view.driver, self._view.config
        reasoner = driver.reasoner
        stats, atoms = reasoner.stats(), reasoner.atoms()
        first = heapq.nsmallest(_CONCLUSIONS, atoms, key=str)
        try:
            writer, problem = dict(self._view.control(status=True)), ""
        except PantarheiError as error:
            writer, problem = {}, str(error)
        namespaces = driver.knowledge.ontology.graph.namespaces()
        return {
            "name": config.name,
            "ready": self._view.is_ready(),
            "record": driver.number,
            "at": None if driver.at is None else json_time(driver.at),
            "behind": None if driver.at is None else (datetime.now(UTC) - driver.at).total_seconds(),
            "problem": problem,
            "writer": writer,
            "prefixes": {prefix: str(iri) for prefix, iri in namespaces} | config.prefixes,
            "facts": stats.facts,
            "assertions": stats.assertions,
            "timestamps": stats.partitions,
            "bytes": stats.bytes,
            "repairs": stats.repairs,
            "removed": stats.cut,
            "window": self._window(),
            "rates": self._history.rates(),
            "queries": [
                {"name": name, "form": query.form, "variables": query.variables, "count": len(query.answers)}
                for name, query in reasoner.queries.items()
            ],
            "conclusions": {"count": len(atoms), "first": [atom_row(atom) for atom in first]},
            "dead": self._history.dead_letters(),
        }

    def _window(self) -> dict[str, Any]:
        """Return the numbers of assertions in at most `_BARS` partitions of equal length.

        Costs a sort of the assertions; a large window is counted less often, so that the reasoner is not
        delayed.
        """
        began = time.monotonic()
        if began < self._count_after:
            return self._counted
        reasoner, section = self._view.driver.reasoner, self._view.config.window
        step = section.slide or section.tick
        bars = _BARS if step is None else max(1, min(_BARS, round(section.range / step)))
        log, end = self._log(), reasoner.newest
        kept, removed = [0] * bars, [0] * bars
        if isinstance(end, datetime):
            start, width = end - section.range, section.range / bars
            for entry, facts in log.kept():
                place = max(0, min(bars - 1, int((entry.at - start) / width)))  # type: ignore[operator]
                kept[place] += len(facts)
                removed[place] += len(entry.facts) - len(facts)
        self._counted = {
            "end": json_time(end) if isinstance(end, datetime) else None,
            "seconds": section.range.total_seconds(),
            "kept": kept,
            "removed": removed,
        }
        now = time.monotonic()
        self._count_after = now + _PAUSES * (now - began)
        return self._counted

    def _log(self) -> Log:
        """Return the ABoxes in the window; the log is immutable."""
        reasoner = self._view.driver.reasoner
        with reasoner._lock:
            return reasoner._held.history.log

    def assertions(self, start: datetime, end: datetime) -> dict[str, Any]:
        """Return the first assertions after `start` and not after `end`, newest first, the number of all, and
        the number of those that a repair removed.
        """
        reasoner, log = self._view.driver.reasoner, self._log()
        parts = [entry.facts for entry in log if start < entry.at <= end]  # type: ignore[operator]
        found, count = list[dict[str, Any]](), sum(map(len, parts))
        left = 0
        for entry, kept in log.occurrences(np.concatenate([NO_FACTS, *parts])):
            if not start < entry.at <= end:  # type: ignore[operator]
                continue
            left += len(kept)
            if len(found) >= _ASSERTIONS:
                continue
            is_kept, facts = set(map(tuple, kept.tolist())), entry.facts[: _ASSERTIONS - len(found)]
            with reasoner._lock:
                triples = list(reasoner._held.vocabulary.decode(facts, entry.forms.by_fact))
            for fact, triple in zip(facts.tolist(), triples, strict=True):
                removed = tuple(fact) not in is_kept
                terms = list(map(write_term, triple))
                found.append({"at": json_time(entry.at), "triple": terms, "removed": removed})
        return {"count": count, "removed": count - left, "first": found}

    def repairs(self) -> list[dict[str, Any]]:
        """Return the last repairs that removed something, newest first, with a text for each removal."""
        last = list(islice((each for each in reversed(self._view.driver.reasoner.repairs) if each), _REPAIRS))
        with self._reading:
            known = self._texts
            self._texts = {id(each): known.get(id(each)) or (each, repair_as_json(each)) for each in last}
            return [self._texts[id(each)][1] for each in last]

    def proofs(self, at: str, place: int) -> list[dict[str, Any]] | None:
        """Return proofs of the contradiction behind a removal; None if its repair is not in the window."""
        for repair in self._view.driver.reasoner.repairs:
            if json_time(repair.at) == at and place < len(texts := repair.removals()):
                conflict = texts[place][1]
                return [] if conflict is None else [dict(proof.to_json()) for proof in conflict.proofs]
        return None

    def proof(self, row: object) -> dict[str, Any] | None:
        """Return a proof of a conclusion, given as the row of a change; None if it is not concluded now."""
        reasoner = self._view.driver.reasoner
        for atom in reasoner.atoms():
            if atom_row(atom) == row:
                return dict(reasoner.explain(atom).to_json())
        return None


def repair_as_json(repair: Repair) -> dict[str, Any]:
    """Return a repair with its summary and the texts of its first removals."""
    texts = [text for text, _ in repair.removals()]
    head = {"at": json_time(repair.at), "summary": repair.summary()}
    return {**head, "removals": texts[:_REMOVALS], "more": max(0, len(texts) - _REMOVALS)}


def page_routes(view: ServiceView) -> list[BaseRoute]:
    """Return the routes: `/` and `/static/{name}`, which need no token, and those of the state, which do.

    `/state`; `/window?from=…&to=…`: assertions of a part of the window; `/repairs`;
    `/repairs/proof?at=…&place=…`; `/conclusions/proof?row=…`: JSON.
    """
    from starlette.responses import JSONResponse, PlainTextResponse, Response
    from starlette.routing import Route

    state = PageState(view)

    async def file(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        if name not in FILES:
            return PlainTextResponse("there is no such file\n", 404)
        content = files("pantarhei.service").joinpath("page", name).read_bytes()
        headers = {
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-cache",
        }
        return Response(content, headers=headers, media_type=FILES[name])

    def answer(read: Callable[[Mapping[str, str]], object]) -> Callable[[Request], Any]:
        async def respond(request: Request) -> Response:
            try:
                found = await asyncio.to_thread(read, request.query_params)
            except _ParameterError as error:
                return PlainTextResponse(f"{error}\n", 400)
            except PantarheiError as error:
                return PlainTextResponse(f"{error}\n", 404)
            if found is None:
                return PlainTextResponse("it does not hold any more, or has left the window\n", 404)
            return JSONResponse(found, headers={"Cache-Control": "no-store"})

        return respond

    return [
        Route("/", file),
        Route("/static/{name}", file),
        Route("/state", answer(lambda given: state.state())),
        Route("/window", answer(lambda given: state.assertions(_time(given, "from"), _time(given, "to")))),
        Route("/repairs", answer(lambda given: state.repairs())),
        Route("/repairs/proof", answer(lambda given: state.proofs(given.get("at", ""), _place(given)))),
        Route("/conclusions/proof", answer(lambda given: state.proof(_row(given)))),
    ]


class _ParameterError(ValueError):
    """A parameter of a request is missing or malformed."""


def _time(given: Mapping[str, str], name: str) -> datetime:
    try:
        return datetime.fromisoformat(given[name]).astimezone(UTC)
    except (KeyError, ValueError, OverflowError):
        raise _ParameterError(f"{name} must be a time, such as 2026-03-02T10:00:00Z") from None


def _place(given: Mapping[str, str]) -> int:
    place = given.get("place", "")
    if not (place.isascii() and place.isdecimal() and len(place) < 10):
        raise _ParameterError("place must be the place of a removal in its repair, from 0")
    return int(place)


def _row(given: Mapping[str, str]) -> object:
    try:
        return json.loads(given["row"])
    except (KeyError, ValueError, RecursionError):
        raise _ParameterError("row must be the row of a conclusion, as a JSON object") from None
