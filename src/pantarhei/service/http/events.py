"""Changes as server-sent events: each client has a bounded queue, and can resume by the id of a change."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pantarhei.service.changes import CONCLUSIONS, REPAIRS, Change, Emitted, is_wanted
from pantarhei.service.http.exchange import RequestError, busy

if TYPE_CHECKING:
    from pantarhei import WindowUpdate
    from pantarhei.service.http.app import ServiceView

QUEUED = 1_000
"""Number of events that wait for a client; a client for which more would wait is dropped."""
HEARTBEAT = 15.0
"""Seconds between events after which an empty one is sent, so that proxies keep the connection."""
_AT_ONCE = 200  # events in one write
_WAIT = 0.1  # seconds between looks at the replay after a start


class _Event(NamedTuple):
    """Change as it is sent."""

    id: str
    name: str
    text: bytes

    @classmethod
    def of(cls, change: Change) -> _Event:
        data = json.dumps(change.as_json(), ensure_ascii=False)
        return cls(change.id, change.name, f"id: {change.id}\ndata: {data}\n\n".encode())


def _named(event: str, data: object, id_: str = "") -> bytes:
    head = f"id: {id_}\n" if id_ else ""
    return f"{head}event: {event}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


class _Client:
    """Client with the events that wait for it.

    Attributes:
        is_dropped: whether events were lost.
    """

    def __init__(self, wanted: Collection[str]) -> None:
        self._wanted, self.is_dropped = wanted, False
        self._waiting: deque[_Event] = deque()
        self._arrived = asyncio.Event()

    def put(self, events: Iterable[_Event]) -> None:
        self._waiting += (event for event in events if is_wanted(event.name, self._wanted))
        if len(self._waiting) > QUEUED:
            self.is_dropped = True
        self._arrived.set()

    @property
    def has_events(self) -> bool:
        """True if events wait."""
        return bool(self._waiting)

    async def take(self) -> list[_Event]:
        """Return the next events; empty after `HEARTBEAT` seconds, or if the client is dropped."""
        if not self._waiting and not self.is_dropped:
            self._arrived.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(HEARTBEAT):
                    await self._arrived.wait()
        count = min(len(self._waiting), _AT_ONCE)
        return [self._waiting.popleft() for _ in range(count)]


class EventHub:
    """Distributes changes to clients, in the thread of the server.

    Args:
        view: the state; `present` returns the present rows of a name.
    """

    def __init__(self, view: ServiceView, present: Callable[[str], dict[str, Any]]) -> None:
        self._view, self._present = view, present
        self._clients: set[_Client] = set()
        self._history: deque[_Event] = deque(maxlen=view.changes.maxlen)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock, self._arrived, self._has_lost = threading.Lock(), list[Change](), False
        self.dropped = 0

    def __len__(self) -> int:
        """Return the number of clients."""
        return len(self._clients)

    def begin(self) -> None:
        """Begin to follow the changes; called in the thread of the server."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            kept, _ = self._view.subscribe(self._receive)
            self._history.extend(map(_Event.of, kept))

    def _receive(self, emitted: Emitted, update: WindowUpdate | None) -> None:
        """Hand changes to the thread of the server; called in the thread that drives the reasoner."""
        if not emitted.changes:
            return
        with self._lock:
            is_first, room = not self._arrived, self._history.maxlen or 0
            self._arrived += emitted.changes
            if len(self._arrived) > room:
                self._arrived, self._has_lost = self._arrived[-room:], True
        assert self._loop is not None, "begin sets it"
        if is_first and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._distribute)

    def _distribute(self) -> None:
        with self._lock:
            arrived, self._arrived = self._arrived, []
            has_lost, self._has_lost = self._has_lost, False
        events = list(map(_Event.of, arrived))
        if has_lost:
            self._history.clear()
        self._history += events
        for client in list(self._clients):
            client.put(events)
            client.is_dropped |= has_lost
            if client.is_dropped:
                self._clients.discard(client)
                self.dropped += 1

    async def respond(self, request: Request) -> Response:
        """Stream the changes of the names in the parameter `query`."""
        self.begin()
        given = request.query_params.get("query", "*")
        wanted = [name for name in given.split(",") if name]
        known = {*self._view.driver.reasoner.queries, CONCLUSIONS, REPAIRS, "*"}
        if unknown := [name for name in wanted if name not in known]:
            shown = ", ".join(sorted(known))
            raise RequestError(404, f"there is no query {unknown[0][:200]!r}; the names are {shown}")
        if len(self._clients) >= max(1, self._view.http.clients * 3 // 4):
            raise busy(503, f"{len(self._clients)} clients follow the changes already")
        last = request.headers.get("last-event-id") or request.query_params.get("last_event_id", "")
        is_asked = request.query_params.get("present", "") not in ("", "0", "false")
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Connection": "close"}
        stream = self.stream(wanted, last, is_asked)
        return StreamingResponse(stream, media_type="text/event-stream", headers=headers)

    async def stream(self, wanted: Collection[str], last: str, present: bool) -> AsyncIterator[bytes]:
        """Yield the events for a client.

        Args:
            wanted: names of changes.
            last: the id of the last change that the client has; empty for none.
            present: whether to begin with the present rows.
        """
        self.begin()
        head = b"retry: 1000\n\n"
        while last and not self._view.is_ready():  # the changes after the last one are being replayed
            yield head
            await asyncio.sleep(_WAIT)
            head = b":\n\n"
        # Registered before anything is awaited: each change is either in the history or delivered.
        newest = self._history[-1].id if self._history else ""
        client = _Client(wanted)
        missed = self._since(last) if last else []
        self._clients.add(client)
        try:
            yield head
            if missed is None:
                yield _named("reset", {"reason": "the changes since the last event are not kept"}, newest)
            if missed is None or present:
                for name in self._names(wanted):
                    yield _named("answers", await asyncio.to_thread(self._present, name))
            for event in missed or ():
                if is_wanted(event.name, wanted):
                    yield event.text
            async for text in self._follow(client):
                yield text
        finally:
            self._clients.discard(client)

    async def _follow(self, client: _Client) -> AsyncIterator[bytes]:
        while True:
            events = await client.take()
            if events:
                yield b"".join(event.text for event in events)
            elif client.is_dropped:
                yield _named("dropped", {"reason": f"more than {QUEUED:,} events waited; connect again"})
                return
            elif (
                not client.has_events
            ):  # an id without data moves the position of the client past changes that it does not want
                yield f"id: {self._history[-1].id}\n\n".encode() if self._history else b":\n\n"

    def _since(self, last: str) -> list[_Event] | None:
        """Return the changes after one; None if it is not kept."""
        kept = list(self._history)
        place = next((place for place in range(len(kept) - 1, -1, -1) if kept[place].id == last), None)
        return None if place is None else kept[place + 1 :]

    def _names(self, wanted: Collection[str]) -> Iterator[str]:
        for name in (*self._view.driver.reasoner.queries, CONCLUSIONS):
            if is_wanted(name, wanted):
                yield name
