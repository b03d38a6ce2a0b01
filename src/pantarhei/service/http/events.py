"""Changes as server-sent events: clients read one bounded history, and can resume by the id of a change."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import AsyncIterator, Collection
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pantarhei.service.changes import CONCLUSIONS, REPAIRS, Change, Emitted, is_wanted
from pantarhei.service.http.exchange import RequestError, busy

if TYPE_CHECKING:
    from pantarhei import WindowUpdate
    from pantarhei.service.http.app import ServiceView

KEPT = 2_000
"""Number of kept changes; a client that is further behind is dropped."""
HEARTBEAT = 15.0
"""Seconds between events after which an empty one is sent, so that proxies keep the connection."""
_AT_ONCE = 200  # events in one write
_WAIT = 0.1  # seconds between looks at the replay after a start


class _Event:
    """Change with its text, which is encoded when it is first sent."""

    def __init__(self, change: Change) -> None:
        self.id, self.name, self._change = change.id, change.name, change

    @cached_property
    def text(self) -> bytes:
        return _text(self._change.as_json(), id_=self.id)


def _text(data: object, event: str = "", id_: str = "") -> bytes:
    head = "".join(f"{field}: {value}\n" for field, value in (("id", id_), ("event", event)) if value)
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


class EventHub:
    """Distributes changes to clients."""

    def __init__(self, view: ServiceView) -> None:
        self._view = view
        self._lock, self._history = threading.Lock(), deque[_Event](maxlen=KEPT)
        self._end = 0  # number of all changes: each client has a position among them
        self._loop: asyncio.AbstractEventLoop | None = None
        self._arrived = asyncio.Event()
        self._clients = self.dropped = 0
        view.driver.followers.append(self.receive)

    def __len__(self) -> int:
        """Return the number of clients."""
        return self._clients

    def receive(self, emitted: Emitted, update: WindowUpdate | None) -> None:
        """Add the changes of a record; called in the thread that drives the reasoner, so it must be short."""
        if not emitted.changes:
            return
        with self._lock:
            self._history += map(_Event, emitted.changes)
            self._end += len(emitted.changes)
        if self._clients and self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._arrived.set()  # all clients that wait now go on
        self._arrived.clear()

    async def _is_woken(self) -> bool:
        """Wait for changes; returns false after `HEARTBEAT` seconds."""
        try:
            async with asyncio.timeout(HEARTBEAT):
                return await self._arrived.wait()
        except TimeoutError:
            return False

    def _after(self, position: int) -> list[_Event] | None:
        """Return the next changes after a position; None if they are not kept."""
        with self._lock:
            place = position - self._end + len(self._history)
            return list(islice(self._history, place, place + _AT_ONCE)) if place >= 0 else None

    async def respond(self, request: Request) -> Response:
        """Stream the changes of the names in the parameter `query`."""
        given = request.query_params.get("query", "*")
        wanted = [name for name in given.split(",") if name]
        known = {*self._view.driver.reasoner.queries, CONCLUSIONS, REPAIRS, "*"}
        if unknown := [name for name in wanted if name not in known]:
            shown = ", ".join(sorted(known))
            raise RequestError(404, f"there is no query {unknown[0][:200]!r}; the names are {shown}")
        if len(self) >= max(1, self._view.http.clients * 3 // 4):
            raise busy(503, f"{len(self)} clients follow the changes already")
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Connection": "close"}
        stream = self.stream(wanted, request.headers.get("last-event-id", ""))
        return StreamingResponse(stream, media_type="text/event-stream", headers=headers)

    async def stream(self, wanted: Collection[str], last: str = "") -> AsyncIterator[bytes]:
        """Yield the events for a client.

        Args:
            wanted: names of changes.
            last: the id of the last change that the client has; empty for none.
        """
        head = b"retry: 1000\n\n"
        while last and not self._view.driver.is_current:  # the changes after the last one are being replayed
            yield head
            await asyncio.sleep(_WAIT)
            head = b":\n\n"
        self._loop = asyncio.get_running_loop()
        self._clients += 1
        with self._lock:
            position, ids = self._end, [each.id for each in self._history]
        newest = ids[-1] if ids else ""
        try:
            yield head
            if last in ids:
                position -= len(ids) - 1 - ids.index(last)
            elif last:
                yield _text({"reason": "the changes since the last event are not kept"}, "reset", newest)
            while (events := self._after(position)) is not None:
                if events:
                    position, newest = position + len(events), events[-1].id
                elif await self._is_woken():
                    continue
                texts = b"".join(each.text for each in events if is_wanted(each.name, wanted))
                # an id without data moves the position of the client past changes that it does not want
                yield texts or (f"id: {newest}\n\n".encode() if newest else b":\n\n")
            reason = f"more than {KEPT:,} changes were not read in time; connect again"
            yield _text({"reason": reason}, "dropped")
        finally:
            self._clients -= 1
            self.dropped += self._after(position) is None
