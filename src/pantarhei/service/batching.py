"""Batches: received messages become records with the time of their step, or dead letters."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any, NamedTuple

from rdflib.term import Node

from pantarhei.errors import InputError, UnknownTopicError
from pantarhei.model.datetimes import MICROSECOND
from pantarhei.service.config import MQTTSource, ServiceConfig
from pantarhei.service.decoding import Decoded, MessageDecoder
from pantarhei.service.message_journal import NEVER, DeadLetter, Message, Record

REMEMBERED = 50_000
"""Number of recent messages by which redeliveries are recognized."""


class Received(NamedTuple):
    """Message as a source received it.

    Args:
        message: the message.
        may_repeat: whether it can be a redelivery; a message of MQTT cannot without the DUP flag.
        position: the position after it, by part of the source; None if the source has none.
        acknowledge: called after the journal is on the disk; None if nothing is to be called.
        received: the time of its arrival, on a clock for durations.
        is_position: whether there is only a position, and no message.
    """

    message: Message
    may_repeat: bool = True
    position: Mapping[str, Any] | None = None
    acknowledge: Callable[[], object] | None = None
    received: float = 0.0
    is_position: bool = False


class _Part:
    """Messages that become one record, with dead letters and the positions after them.

    Each record has the positions after its own messages: a crash may keep the first records of a batch only.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.contents: list[Sequence[Decoded]] = []
        self.dead: list[DeadLetter] = []
        self.positions: dict[str, dict[str, Any]] = {}
        self._values: dict[tuple[Node, Node], Node] = {}

    def contradicts(self, content: Sequence[Decoded]) -> bool:
        """Test whether a message gives a property of a subject another value than an earlier message. In one
        ABox they would contradict each other, and both would be removed.
        """
        values = ((triple, self._values.get(triple[:2])) for each in content for triple in each.triples)
        return any(known is not None and known != triple[2] for triple, known in values)

    def add(self, message: Message, content: Sequence[Decoded]) -> None:
        """Add a message."""
        self.messages.append(message)
        self.contents.append(content)
        self._values.update((triple[:2], triple[2]) for each in content for triple in each.triples)


class Batcher:
    """Builder of records from received messages.

    Attributes:
        newest: by source, the newest time of its messages (None before the first one), and the machine's
            clock at the last one, for the watermark.
        ended: the sources that have ended; the watermark is taken without them.
        repeated: by source, the number of redeliveries, which are dropped.
    """

    def __init__(self, config: ServiceConfig, decoder: MessageDecoder) -> None:
        self._clock, self._decoder = config.clock, decoder
        self._in_order = config.clock.order == "event"
        window = config.window
        self._span = max(config.clock.batch, window.tick or window.slide or timedelta(0))
        self._recent: OrderedDict[bytes, int] = OrderedDict()
        self._by_packet = {name for name, each in config.sources.items() if isinstance(each, MQTTSource)}
        self.repeated = Counter(dict.fromkeys(config.sources, 0))
        self.newest: dict[str, tuple[datetime | None, datetime]] = {}
        self.ended: set[str] = set()

    def remember(self, message: Message) -> bool:
        """Add a message to the recent ones, by which redeliveries are recognized; return whether it is known.

        The id of a message of MQTT is that of its packet. Brokers use it again for other messages: only the
        last message with this id is compared, with topic and content. The messages of the journal must be
        added before the first batch.
        """
        if not message.id:
            return False
        topic, content = ("", hash(message)) if message.source in self._by_packet else (message.topic, 0)
        key = blake2b(f"{message.source}\0{topic}\0{message.id}".encode(), digest_size=12).digest()
        is_known = self._recent.pop(key, None) == content
        self._recent[key] = content
        if len(self._recent) > REMEMBERED:
            self._recent.popitem(last=False)
        return is_known

    def expect(self, source: str, now: datetime) -> None:
        """Hold the watermark until the first message of a source that has started, or until it is idle."""
        self.newest[source] = None, now

    def batches(
        self, given: Iterable[Received], number: int, last: datetime | None, now: datetime
    ) -> list[Record]:
        """Return the records of messages, in order; empty if all of them are redeliveries.

        Args:
            number: the number of the last record.
            last: the time of the last record; None before the first one.
            now: the machine's clock.
        """
        records: list[Record] = []
        part, begin, newest = _Part(), last, last
        for each in given:
            message = each.message
            is_known = each.is_position or (self.remember(message) and each.may_repeat)
            self.repeated[message.source] += is_known and not each.is_position
            content = () if is_known else self._content(message, newest, now)
            if isinstance(content, DeadLetter):
                part.dead.append(content)
            elif content:
                at = content[0].at if len(content) == 1 else max(timed.at for timed in content)
                before, _ = self.newest.get(message.source, (None, now))
                self.newest[message.source] = max(at, before or at), now
                if not self._in_order:
                    newest = at if newest is None or at > newest else newest
                    # messages of the past arrive much faster than they were made
                    is_next = begin is None or at > begin + self._span
                    begin = at if is_next else begin
                    if part.messages and (is_next or part.contradicts(content)):
                        records.append(self._record(part, number + 1 + len(records), last, now))
                        part, last = _Part(), records[-1].at
                part.add(message, content)
            if each.position is not None:
                part.positions.setdefault(message.source, {}).update(each.position)
        if part.messages or part.dead or part.positions:
            records.append(self._record(part, number + 1 + len(records), last, now))
        return records

    def _record(self, part: _Part, number: int, last: datetime | None, now: datetime) -> Record:
        """Return the record of a part; its time is above that of the previous record, or the watermark."""
        times = [timed.at for content in part.contents for timed in content]
        if last is not None and times:
            times.append(last + MICROSECOND)
        at = self._watermark(last, now) if self._in_order else max(times, default=last or NEVER)
        messages, dead = tuple(part.messages), tuple(part.dead)
        return Record(number, at, now, messages, dead, part.positions, contents=part.contents)

    def _content(
        self, message: Message, newest: datetime | None, now: datetime
    ) -> Sequence[Decoded] | DeadLetter:
        """Return the content of a message, or the message as a dead letter."""
        try:
            content = self._decoder.decode(message, now)
        except UnknownTopicError as error:
            return DeadLetter(message, "unknown topic", str(error))
        except InputError as error:
            return DeadLetter(message, "malformed", str(error))
        problem = self._time_problem(content, newest, now)
        return content if problem is None else DeadLetter(message, *problem)

    def tick(self, number: int, last: datetime | None, now: datetime) -> Record | None:
        """Return a record without messages that advances the time; None if time has not advanced."""
        if not self._in_order and (last is None or self._clock.idle is None):
            return None
        at = self._watermark(last, now) if self._in_order else now - (self._clock.idle or timedelta(0))
        if at <= (last or NEVER):
            return None
        return Record(number + 1, at, at)

    def _time_problem(
        self, content: Sequence[Decoded], last: datetime | None, now: datetime
    ) -> tuple[str, str] | None:
        """Return the reason and the text of a time that is too old or too far ahead; None for a valid one."""
        clock = self._clock
        times = [each.at for each in content]
        newest, oldest = (times[0], times[0]) if len(times) == 1 else (max(times), min(times))
        if clock.max_ahead is not None and newest > now + clock.max_ahead:
            detail = f"the time {newest.isoformat()} is more than {clock.max_ahead} ahead of the clock"
            return "ahead", f"{detail}, {now.isoformat()}; raise clock.max_ahead to accept it"
        if last is None:
            return None
        bound = last if self._in_order else last - clock.allowed_lateness
        if oldest < bound:
            detail = f"the time {oldest.isoformat()} precedes the watermark {bound.isoformat()}"
            return "late", f"{detail}; raise clock.allowed_lateness to accept it"
        return None

    # order: event

    def _watermark(self, last: datetime | None, now: datetime) -> datetime:
        """Return the least newest time of the sources that are not idle, minus the allowed lateness; it does
        not decrease. If all sources are idle, it is the machine's clock minus `idle` and lateness.
        """
        idle, lateness = self._clock.idle, self._clock.allowed_lateness
        known = [at for at, _ in self.newest.values() if at is not None]
        active = [
            at
            for source, (at, seen) in self.newest.items()
            if source not in self.ended and (idle is None or now - seen <= idle)
        ]
        if None in active:  # a source has started, and its first message may be old
            found = last or NEVER
        elif active:
            found = min(at for at in active if at is not None) - lateness
        elif idle is None or (last is None and not known):
            found = max(known, default=last or NEVER)
        else:
            found = now - idle - lateness
        return max(found, last or NEVER)
