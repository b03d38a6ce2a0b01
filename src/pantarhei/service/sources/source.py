"""Source of messages, and the inbox through which sources deliver them to the writer."""

from __future__ import annotations

import queue
import threading
import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pantarhei.service.batching import Received
from pantarhei.service.clients import LOG, LONGEST_PAUSE, PAUSE, text_of
from pantarhei.service.config import ServiceConfig
from pantarhei.service.message_journal import Message, update_positions

LONGEST = 16_000_000
"""Number of bytes of a message; of longer ones, only the first bytes are delivered, to be dead letters."""
HEAVY = 64_000_000
"""Number of bytes of messages from which on a batch ends, and sources wait."""


@dataclass(slots=True)
class SourceStatus:
    """State of a source.

    Args:
        connected: whether it is connected.
        problem: the last error; empty if there is none.
        messages: number of messages received.
        reads_history: whether it reads messages of the past to their end.
        has_ended: whether no more messages can come.
    """

    connected: bool = False
    problem: str = ""
    messages: int = 0
    reads_history: bool = False
    has_ended: bool = False


class Source:
    """Source of messages, which receives them in threads of its own. A source of HTTP has no thread:
    `Writer.push` adds its messages to the inbox.

    Args:
        name: name in the configuration.
        config: the configuration.
        section: its section for this source.
    """

    def __init__(self, name: str, config: ServiceConfig, section: Any) -> None:
        self.name, self.section, self.status = name, section, SourceStatus()

    def check(self) -> None:
        """Connect and disconnect, if there is a connection. Raises `ConnectionFailedError`."""

    def start(self, inbox: Inbox, position: Mapping[str, Any] | None) -> None:
        """Begin to deliver messages.

        Args:
            inbox: the inbox.
            position: the position in the journal, by part of the source; None at the first start.
        """
        self.status.connected = True

    def stop(self) -> None:
        """Stop to receive messages; those in the inbox can still be acknowledged until `close`."""
        self.status.connected = False

    def close(self) -> None:
        """Disconnect."""

    def message(self, topic: str, payload: bytes, id_: str = "") -> Message:
        """Return a message of bounded length."""
        return Message(self.name, topic, payload[:LONGEST], id_)

    def note_connection(self) -> None:
        """Note and log a connection."""
        self.status.connected, self.status.problem = True, ""
        LOG.info("source %s: connected", self.name)

    def failed(self, error: object) -> None:
        """Note an error, and log it unless it repeats."""
        before, self.status.problem = self.status.problem, text_of(error)
        if self.status.problem != before:
            LOG.warning("source %s: %s", self.name, self.status.problem)


class Inbox(queue.Queue[Received]):
    """Queue of received messages; sources wait while it is full, by number or by bytes.

    Args:
        most: the number of messages that may wait.
    """

    def __init__(self, most: int = 10_000) -> None:
        super().__init__(most)
        self._most, self._bytes = most, 0
        self._taken = 0.0  # arrival of the first message of the batch that is processed; 0 if there is none

    def _put(self, item: Received) -> None:
        super()._put(item)
        self._weigh(len(item.message.payload))

    def _get(self) -> Received:
        item = super()._get()
        self._weigh(-len(item.message.payload))
        return item

    def _weigh(self, added: int) -> None:
        self._bytes += added
        self.maxsize = self._most if self._bytes < HEAVY else 1  # then it accepts one when it is empty

    def take(
        self, patience: float, batch: float, not_before: float = 0.0, most: int = 2_000
    ) -> Sequence[Received]:
        """Return the messages of a batch; empty if none arrives in time.

        Args:
            patience: seconds to wait for the first message.
            batch: seconds to wait for further messages after the arrival of the first one.
            not_before: the earliest end of that wait, on the clock `time.monotonic`.
        """
        found: list[Received] = []
        size, self._taken = 0, 0.0
        with suppress(queue.Empty):
            found.append(self.get(timeout=patience))
            self._taken = found[0].received
            end = max((found[0].received or time.monotonic()) + batch, not_before)
            while len(found) < most and (size := size + len(found[-1].message.payload)) < HEAVY:
                left = end - time.monotonic()
                found.append(self.get(left > 0, left))
        return found

    def age(self) -> float:
        """Return the seconds since the arrival of the oldest message that is not processed, 0 if there is
        none. The messages of a batch are processed when the next one is taken.
        """
        with self.mutex:
            oldest = self._taken or (self.queue[0].received if self.queue else 0.0)
        return time.monotonic() - oldest if oldest else 0.0


class PolledSource(Source):
    """Source that reads messages in a thread of its own, and reads on from its position after an error.

    Attributes:
        positions: by part of the source (partition, stream or file), the position after the last message.
    """

    def __init__(self, name: str, config: ServiceConfig, section: Any) -> None:
        super().__init__(name, config, section)
        self.positions: dict[str, Any] = {}
        self.stopping = threading.Event()
        self._thread: threading.Thread | None = None

    @abstractmethod
    def receive(self) -> Iterator[Received | None]:
        """Yield messages from `positions` on, and None whenever there is none at present; does not wait
        longer than a second. The end of the iteration is that of the source.

        Raises:
            ConnectionFailedError, OSError: an error after which the source is read again.
        """

    def received(self, topic: str, payload: bytes, part: str, position: Any) -> Received:
        """Return a message with the position after it."""
        return Received(self.message(topic, payload), position={part: position}, received=time.monotonic())

    def placed(self, part: str, position: Any) -> Received:
        """Return a position without a message, from which a restart continues; None deletes the position."""
        return Received(Message(self.name, "", b""), position={part: position}, is_position=True)

    def start(self, inbox: Inbox, position: Mapping[str, Any] | None) -> None:
        self.positions = dict(position or {})
        self._thread = threading.Thread(target=self._deliver, args=(inbox,), name=self.name, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self.stopping.set()

    def close(self) -> None:
        if self._thread is not None:
            self._thread.join(5)

    def _deliver(self, inbox: Inbox) -> None:
        pause = PAUSE
        while not self.stopping.is_set():
            try:
                for received in self.receive():
                    if received is not None:
                        inbox.put(received)
                        update_positions(self.positions, received.position or {})
                        self.status.messages += not received.is_position
                        pause = PAUSE
                    if self.stopping.is_set():
                        return
                self.status.has_ended = True
                return
            except Exception as error:  # whatever the client of a broker raises
                self.failed(error)
                self.stopping.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            finally:
                self.status.connected = False
