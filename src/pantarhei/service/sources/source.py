"""Source of messages, and the inbox through which sources deliver them to the writer."""

from __future__ import annotations

import queue
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pantarhei.service.batching import Received


@dataclass(slots=True)
class SourceStatus:
    """State of a source.

    Args:
        connected: whether it is connected.
        problem: the last error; empty if there is none.
        messages: number of messages received.
    """

    connected: bool = False
    problem: str = ""
    messages: int = 0


class Source(Protocol):
    """Source of messages, which receives them in threads of its own."""

    name: str
    status: SourceStatus

    def check(self) -> None:
        """Connect and disconnect. Raises `ConnectionFailedError`."""

    def start(self, inbox: Inbox, position: Any) -> None:
        """Begin to deliver messages.

        Args:
            inbox: the inbox.
            position: the position in the journal; None at the first start.
        """

    def stop(self) -> None:
        """Stop to receive messages; those in the inbox can still be acknowledged until `close`."""

    def close(self) -> None:
        """Disconnect."""


class Inbox:
    """Queue of received messages; sources wait while it is full.

    Args:
        limit: number of messages that may wait.
    """

    def __init__(self, limit: int = 10_000) -> None:
        self._queue: queue.Queue[Received] = queue.Queue(limit)

    def __len__(self) -> int:
        return self._queue.qsize()

    def put(self, received: Received) -> None:
        """Add a message; wait while the inbox is full."""
        self._queue.put(received)

    def take(self, patience: float, batch: float, most: int = 2_000) -> Sequence[Received]:
        """Return the messages of a batch; empty if none arrives in time.

        Args:
            patience: seconds to wait for the first message.
            batch: seconds to wait for further messages after the first one.
        """
        try:
            found = [self._queue.get(timeout=patience)]
        except queue.Empty:
            return []
        end = time.monotonic() + batch
        while len(found) < most:
            left = end - time.monotonic()
            try:
                found.append(self._queue.get(timeout=left) if left > 0 else self._queue.get_nowait())
            except queue.Empty:
                break
        return found
