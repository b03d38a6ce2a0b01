"""Routes of the live page: its files, and the state that it shows, as JSON."""

from __future__ import annotations

import heapq
import json
import threading
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from pantarhei.encoding.numbers import NO_FACTS
from pantarhei.io.writers import json_time
from pantarhei.rdf.ntriples import write_term
from pantarhei.service.changes import Emitted, atom_row
from pantarhei.service.http.exchange import Polled, RequestError
from pantarhei.service.message_journal import DeadLetter

if TYPE_CHECKING:
    from pantarhei import WindowUpdate
    from pantarhei.repair.result import Repair
    from pantarhei.service.http.app import ServiceView
    from pantarhei.service.journal_driver import JournalDriver
    from pantarhei.window.log import Log

_T = TypeVar("_T")
_SECONDS, _BARS = 180, 120  # seconds of the plots of rates, bars of the plot of the window
_PAUSES = 10  # seconds between counts of the window for each second that a count takes
_DEAD, _PAYLOAD = 50, 500
_REPAIRS, _REMOVALS, _ASSERTIONS, _CONCLUSIONS = 15, 8, 200, 100
_PATIENCE = 15.0  # seconds to wait for a state
_GONE = "the fact is no longer derived, or has expired from the window"
_A_TIME = "a time, such as 2026-03-02T10:00:00Z"
RATES = ("messages", "changes", "removed", "dead")


class PageHistory:
    """Figures of the last three minutes by second, and the last dead letters.

    Args:
        driver: the driver; no rates are counted while it is not current.
    """

    def __init__(self, driver: JournalDriver) -> None:
        self._driver, self._lock = driver, threading.Lock()
        self._seconds: deque[tuple[int, Counter[str]]] = deque(maxlen=_SECONDS + 1)
        self._last: WindowUpdate | None = None
        self._dead: deque[tuple[datetime, DeadLetter]] = deque(maxlen=_DEAD)
        self._reasons: Counter[str] = Counter()

    def add(self, emitted: Emitted, update: WindowUpdate | None) -> None:
        """Count the result of a record."""
        is_new, self._last = update is not self._last, update
        removed = len(update.repair.taken_out) if update is not None and is_new else 0
        figures = (emitted.messages, len(emitted.changes), removed, len(emitted.dead))
        dead = [(emitted.at, _shortened(each)) for each in emitted.dead[-_DEAD:]]
        with self._lock:
            self._dead += dead
            self._reasons.update(each.reason for each in emitted.dead)
            if self._driver.is_current:
                now = int(time.time())
                if not self._seconds or self._seconds[-1][0] != now:
                    self._seconds.append((now, Counter()))
                self._seconds[-1][1].update(dict(zip(RATES, figures, strict=True)))

    def rates(self) -> dict[str, list[int]]:
        """Return the figures of each of the last complete seconds since the first record, oldest first."""
        now = int(time.time())
        with self._lock:
            known = dict(self._seconds)
        seconds = range(max(now - _SECONDS, min(known, default=now)), now)
        return {name: [known[at][name] if at in known else 0 for at in seconds] for name in RATES}

    def dead_letters(self) -> dict[str, Any]:
        """Return the number of dead letters by reason since the start, and the last ones, newest first."""
        with self._lock:
            last, reasons = list(self._dead), dict(self._reasons)
        letters = []
        for at, each in reversed(last):
            payload = each.message.payload.decode("utf-8", "replace")
            letter = {"at": json_time(at), "source": each.message.source, "topic": each.message.topic}
            letters.append({**letter, "reason": each.reason, "detail": each.detail, "payload": payload})
        return {"reasons": reasons, "last": letters}


def _shortened(letter: DeadLetter) -> DeadLetter:
    """Return a dead letter with the part that is shown, so that long ones are not held in memory."""
    message = letter.message
    message = message._replace(topic=message.topic[:_PAYLOAD], payload=message.payload[:_PAYLOAD])
    return letter._replace(message=message, detail=letter.detail[:_PAYLOAD])


class PageState:
    """State of the service as the page shows it. The methods take the lock of the reasoner for a moment."""

    def __init__(self, view: ServiceView) -> None:
        self._view, self._reasoner = view, view.driver.reasoner
        self._history = PageHistory(view.driver)
        view.driver.followers.append(self._history.add)
        self._state, self._repairs = Polled(self._read), Polled(self._last_repairs)
        self._window = Polled(self._counts, _PAUSES)
        self._texts: dict[int, tuple[Repair, dict[str, Any]]] = {}

    async def state(self, request: Request) -> Response:
        """Return the whole state, which all clients share: half a second old."""
        writer, problem = await self._view.writer_status()
        state, window = await self._state.get(_PATIENCE), await self._window.get(_PATIENCE)
        return JSONResponse({**state, "window": window, "writer": writer, "problem": problem})

    def _read(self) -> dict[str, Any]:
        driver, queries = self._view.driver, self._reasoner.queries.items()
        stats, atoms = self._reasoner.stats(), self._reasoner.atoms()
        first = heapq.nsmallest(_CONCLUSIONS, atoms, key=str)
        return {
            "name": self._view.config.name,
            "ready": driver.is_current,
            "record": driver.number,
            "at": None if driver.at is None else json_time(driver.at),
            "behind": None if driver.at is None else (datetime.now(UTC) - driver.at).total_seconds(),
            "prefixes": driver.knowledge.prefixes,
            "facts": stats.facts,
            "assertions": stats.assertions,
            "bytes": stats.bytes,
            "removed": stats.cut,
            "rates": self._history.rates(),
            "queries": [
                {"name": name, "form": each.form, "count": len(each.answers)} for name, each in queries
            ],
            "conclusions": {"count": len(atoms), "first": [atom_row(atom) for atom in first]},
            "dead": self._history.dead_letters(),
        }

    def _counts(self) -> dict[str, Any]:
        """Return the numbers of assertions in at most `_BARS` partitions of equal length.

        Costs a sort of the assertions; a large window is counted less often, so that the reasoner is not
        delayed.
        """
        section, end = self._view.config.window, self._reasoner.newest
        step = section.slide or section.tick
        bars = _BARS if step is None else max(1, min(_BARS, round(section.range / step)))
        kept, removed = [0] * bars, [0] * bars
        if isinstance(end, datetime):
            start, width = end - section.range, section.range / bars
            for entry, facts in self._log().kept():
                place = max(0, min(bars - 1, int((entry.at - start) / width)))  # type: ignore[operator]
                kept[place] += len(facts)
                removed[place] += len(entry.facts) - len(facts)
        last = json_time(end) if isinstance(end, datetime) else None
        return {"end": last, "seconds": section.range.total_seconds(), "kept": kept, "removed": removed}

    def _log(self) -> Log:
        """Return the ABoxes in the window; the log is immutable."""
        with self._reasoner._lock:
            return self._reasoner._held.history.log

    def assertions(self, request: Request) -> Response:
        """Return the first assertions after `from` and not after `to`, newest first, the number of all, and
        the number of those that a repair removed.
        """
        start, end = (_parameter(request, name, _time, _A_TIME) for name in ("from", "to"))
        log = self._log()
        parts = [entry.facts for entry in log if start < entry.at <= end]  # type: ignore[operator]
        found, count, left = list[dict[str, Any]](), sum(map(len, parts)), 0
        for entry, kept in log.occurrences(np.concatenate([NO_FACTS, *parts])):
            if not start < entry.at <= end:  # type: ignore[operator]
                continue
            left += len(kept)
            is_kept, facts = set(map(tuple, kept.tolist())), entry.facts[: _ASSERTIONS - len(found)]
            with self._reasoner._lock:
                triples = list(self._reasoner._held.vocabulary.decode(facts, entry.forms.by_fact))
            for fact, triple in zip(facts.tolist(), triples, strict=True):
                terms, is_removed = list(map(write_term, triple)), tuple(fact) not in is_kept
                found.append({"at": json_time(entry.at), "triple": terms, "removed": is_removed})
        return JSONResponse({"count": count, "removed": count - left, "first": found})

    async def repairs(self, request: Request) -> Response:
        """Return the last repairs that removed something, newest first, with a text for each removal."""
        return JSONResponse(await self._repairs.get(_PATIENCE))

    def _last_repairs(self) -> list[dict[str, Any]]:
        last = islice((each for each in reversed(self._reasoner.repairs) if each), _REPAIRS)
        known = self._texts  # they cost a proof for each removal
        self._texts = {id(each): known.get(id(each)) or (each, repair_as_json(each)) for each in last}
        return [text for _, text in self._texts.values()]

    def proofs(self, request: Request) -> Response:
        """Return proofs of the contradiction behind a removal, if its repair is in the window."""
        at = request.query_params.get("at", "")
        place = _parameter(request, "place", _place, "the place of a removal in its repair, from 0")
        for repair in self._reasoner.repairs:
            if json_time(repair.at) == at and place < len(texts := repair.removals()):
                conflict = texts[place][1]
                return JSONResponse([each.to_json() for each in conflict.proofs] if conflict else [])
        raise RequestError(404, _GONE)

    def proof(self, request: Request) -> Response:
        """Return a proof of a conclusion, given as the row of a change, if it is concluded now."""
        row = _parameter(request, "row", json.loads, "the row of a conclusion, as a JSON object")
        for atom in self._reasoner.atoms():
            if atom_row(atom) == row:
                return JSONResponse(self._reasoner.explain(atom).to_json())
        raise RequestError(404, _GONE)


def repair_as_json(repair: Repair) -> dict[str, Any]:
    """Return a repair with its summary and the texts of its first removals."""
    texts = [text for text, _ in repair.removals()]
    head = {"at": json_time(repair.at), "summary": repair.summary()}
    return {**head, "removals": texts[:_REMOVALS], "more": max(0, len(texts) - _REMOVALS)}


def page_routes(view: ServiceView) -> list[BaseRoute]:
    """Return the routes: `/` and `/static`, which need no token, and those of the state, which do.

    `/state`; `/window?from=…&to=…`: assertions of a part of the window; `/repairs`;
    `/repairs/proof?at=…&place=…`; `/conclusions/proof?row=…`: JSON.
    """
    state = PageState(view)
    static = StaticFiles(packages=[("pantarhei.service", "page")])

    async def index(request: Request) -> Response:
        return await static.get_response("index.html", request.scope)

    def in_slot(answer: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
        async def respond(request: Request) -> Response:
            return await view.slots.run(lambda: answer(request))

        return respond

    return [
        Route("/", index),
        Mount("/static", static),
        Route("/state", state.state),
        Route("/window", state.assertions),
        Route("/repairs", state.repairs),
        Route("/repairs/proof", in_slot(state.proofs)),
        Route("/conclusions/proof", in_slot(state.proof)),
    ]


def _parameter(request: Request, name: str, parse: Callable[[str], _T], expected: str) -> _T:
    try:
        return parse(request.query_params[name])
    except (KeyError, ValueError, OverflowError, RecursionError):
        raise RequestError(400, f"{name} must be {expected}") from None


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def _place(text: str) -> int:
    return range(1_000_000).index(int(text))  # ValueError for other numbers
