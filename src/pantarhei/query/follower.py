"""Followers of a query: bounded queues between the thread that takes steps and an event loop."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, get_args

from pantarhei.errors import FollowerOverflowError, OptionError, check_choice
from pantarhei.model.time import TimePoint
from pantarhei.query.answer_reports import AnswerChange, AnswerRow

if TYPE_CHECKING:
    import asyncio

Overflow = Literal["error", "drop_oldest", "coalesce", "block"]
MOST_WAITING = 10_000
"""Number of changes that may wait for a follower by default."""
_POLL = 0.05  # seconds between checks that a loop still runs


class Follower:
    """Changes that wait to be read in an event loop, at most `limit` of them; iterate it with `async for`.

    Attributes:
        dropped: number of changes that were not delivered: left out, or for `"coalesce"` merged with others.

    Args:
        name: the query's name.
        limit: number of changes that may wait.
        overflow: policy for a change when `limit` changes wait.
        begin: called when it is iterated; returns whether there will be changes. `end` when it is no longer.
    """

    def __init__(
        self,
        name: str,
        limit: int,
        overflow: Overflow,
        begin: Callable[[Follower], bool],
        end: Callable[[Follower], object],
    ) -> None:
        check_choice("overflow", overflow, get_args(Overflow))
        if type(limit) is not int or limit < 1:
            raise OptionError("limit", repr(limit), "a whole number above 0")
        self.dropped = 0
        self._name, self._limit, self._overflow = name, limit, overflow
        self._begin, self._end = begin, end
        self._room = threading.Condition()
        self._waiting = deque[AnswerChange]()
        self._merged: tuple[TimePoint, Counter[AnswerRow]] | None = None  # behind those that wait
        self._has_ended = self._has_failed = self._is_woken = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready: asyncio.Event | None = None

    def __aiter__(self) -> AsyncIterator[AnswerChange]:
        return self._changes()

    async def _changes(self) -> AsyncIterator[AnswerChange]:
        import asyncio  # imported where it is used, to keep start-up short

        self._loop, self._ready = asyncio.get_running_loop(), asyncio.Event()
        if not self._begin(self):
            return
        try:
            while True:
                self._ready.clear()
                self._is_woken = False
                change, has_ended = self._take()
                if change is not None:
                    yield change
                elif has_ended:
                    return
                else:
                    await self._ready.wait()
        finally:
            self.end()
            self._end(self)

    def _take(self) -> tuple[AnswerChange | None, bool]:
        """Return the next change, and whether the changes have ended.

        Raises:
            FollowerOverflowError: changes were left out since the last that was read.
        """
        with self._room:
            if self._waiting:
                change = self._waiting.popleft()
                self._room.notify_all()
                return change, False
            if self._has_failed:
                raise FollowerOverflowError(self._name, self._limit, self.dropped)
            if self._merged is not None:
                (at, rows), self._merged = self._merged, None
                return AnswerChange.merged(at, +rows, -rows), False
            return None, self._has_ended

    # -- in any thread -----------------------------------------------------------------------------

    def put(self, change: AnswerChange) -> None:
        """Deliver a change. With `"block"` this waits until there is room, or the reading loop stops."""
        with self._room:
            if self._merged is not None:
                self._merge(change)
            elif self._has_failed:
                self.dropped += 1
            elif len(self._waiting) < self._limit or self._makes_room(change):
                self._waiting.append(change)
        self._wake()

    def end(self) -> None:
        """End the changes: the loop that reads them ends after those that wait."""
        with self._room:
            self._has_ended = True
            self._room.notify_all()
        self._wake()

    def _makes_room(self, change: AnswerChange) -> bool:
        """Return whether a change may wait although `limit` changes do; the lock is held."""
        overflow = self._overflow
        if overflow == "block":
            while len(self._waiting) >= self._limit and self._is_read_elsewhere() and not self._has_ended:
                self._wake()
                self._room.wait(_POLL)
            if len(self._waiting) < self._limit:
                return True
            overflow = "error"  # no other thread would make room
        if overflow == "coalesce" and change.is_delta:
            self._merge(change)
            return False
        self.dropped += 1
        if overflow == "error":
            self._has_failed = True
            return False
        self._waiting.popleft()
        return True

    def _merge(self, change: AnswerChange) -> None:
        """Add a change to the merged ones. Costs its own rows."""
        rows = Counter[AnswerRow]() if self._merged is None else self._merged[1]
        self.dropped += self._merged is not None
        rows.update(change.added)
        rows.subtract(change.removed)
        for row in (*change.added, *change.removed):
            if not rows[row]:
                del rows[row]
        self._merged = change.at, rows

    def _is_read_elsewhere(self) -> bool:
        """Return whether the loop that reads runs in another thread."""
        import asyncio

        if self._loop is None or not self._loop.is_running():
            return False
        try:
            return asyncio.get_running_loop() is not self._loop
        except RuntimeError:  # no loop runs in this thread
            return True

    def _wake(self) -> None:
        """Let the loop read. Where it does not run, one call waits in it, not one for each change."""
        if self._loop is not None and self._ready is not None and not self._is_woken:
            self._is_woken = True
            with suppress(RuntimeError):  # the loop was closed while a reader waited in it
                self._loop.call_soon_threadsafe(self._ready.set)
