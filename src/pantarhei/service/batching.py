"""Batches: received messages become records with the time of their step, or dead letters."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any, NamedTuple

from rdflib.term import Node

from pantarhei.errors import InputError, UnknownTopicError
from pantarhei.model.datetimes import MICROSECOND
from pantarhei.service.config import ServiceConfig
from pantarhei.service.decoding import Decoded, MessageDecoder
from pantarhei.service.message_journal import NEVER, DeadLetter, Message, Record, merge_positions

REMEMBERED = 50_000
"""Number of recent messages by which redeliveries are recognized."""


class Received(NamedTuple):
    """Message as a source received it.

    Args:
        message: the message.
        is_redelivery: whether the source has marked it as delivered before.
        position: the position after it, by part of the source; None if the source has none.
        acknowledge: called after the journal is on the disk; None if nothing is to be called.
        received: the time of its arrival, on a clock for durations.
        is_position: whether there is only a position, and no message.
    """

    message: Message
    is_redelivery: bool = False
    position: Mapping[str, Any] | None = None
    acknowledge: Callable[[], object] | None = None
    received: float = 0.0
    is_position: bool = False


class _Accepted(NamedTuple):
    """Message that is processed.

    Args:
        message: the message; None at the end of a batch, for what follows its last message.
        decoded: its content.
        positions: the positions of the sources after it, as far as they are newer than those of the previous
            one.
        dead: the dead letters before it and after the previous one.
    """

    message: Message | None
    decoded: Sequence[Decoded]
    positions: dict[str, dict[str, Any]]
    dead: list[DeadLetter]


class Batcher:
    """Builder of records from received messages.

    Attributes:
        newest: by source, the newest time of its messages (None before the first one), and the machine's
            clock at the last one, for the watermark.
        ended: the sources that have ended; the watermark is taken without them.
    """

    def __init__(self, config: ServiceConfig, decoder: MessageDecoder) -> None:
        self._clock, self._decoder = config.clock, decoder
        self._in_order = config.clock.order == "event"
        window = config.window
        self._span = max(config.clock.batch, window.tick or window.slide or timedelta(0))
        self._recent: OrderedDict[bytes, None] = OrderedDict()
        self.newest: dict[str, tuple[datetime | None, datetime]] = {}
        self.ended: set[str] = set()

    def remember(self, message: Message) -> bool:
        """Add a message to the recent ones, by which redeliveries are recognized; return whether it is known.

        The messages of the journal must be added before the first batch.
        """
        digest = blake2b(f"{message.source}\0{message.topic}\0{message.id}\0".encode(), digest_size=12)
        if not message.id:
            digest.update(message.payload)
        is_known = (identity := digest.digest()) in self._recent
        self._recent[identity] = None
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
        accepted: list[_Accepted] = []
        dead: list[DeadLetter] = []
        positions: dict[str, dict[str, Any]] = {}
        newest = last
        for each in given:
            message = each.message
            if each.position is not None:
                positions.setdefault(message.source, {}).update(each.position)
            if each.is_position:
                continue
            if self.remember(message) and (message.id or each.is_redelivery):
                continue
            content = self._content(message, newest, now)
            if isinstance(content, DeadLetter):
                dead.append(content)
                continue
            at = content[0].at if len(content) == 1 else max(part.at for part in content)
            if not self._in_order:
                newest = at if newest is None or at > newest else newest
            before, _ = self.newest.get(message.source, (None, now))
            self.newest[message.source] = max(at, before or at), now
            accepted.append(_Accepted(message, content, positions, dead))
            positions, dead = {}, []
        if dead or positions:
            accepted.append(_Accepted(None, (), positions, dead))
        if self._in_order:
            return [_record(number + 1, self._watermark(last, now), now, accepted)] if accepted else []
        # the time of each part is the newest time so far, and above that of the previous record
        records: list[Record] = []
        for part in _parts(accepted, last, self._span):
            times = [content.at for each in part for content in each.decoded]
            if last is not None and times:
                times.append(last + MICROSECOND)
            at = max(times, default=last or NEVER)
            records.append(_record(number + 1 + len(records), at, now, part))
            last = None if at == NEVER else at
        return records

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
            return "ahead", f"{detail}, {now.isoformat()}; max_ahead permits more"
        if last is None:
            return None
        bound = last if self._in_order else last - clock.allowed_lateness
        if oldest < bound:
            detail = f"the time {oldest.isoformat()} is older than {bound.isoformat()}, up to which"
            return "late", f"{detail} messages are processed; allowed_lateness permits more"
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
        return found if last is None else max(found, last)


def _record(number: int, at: datetime, now: datetime, accepted: Sequence[_Accepted]) -> Record:
    """Return the record of messages, with their positions and dead letters.

    Each record has the positions after its own messages: a crash may keep the first records of a batch only.
    """
    known: dict[str, dict[str, Any]] = {}
    for each in accepted:
        merge_positions(known, each.positions)
    messages = tuple(each.message for each in accepted if each.message is not None)
    letters = tuple(letter for each in accepted for letter in each.dead)
    contents = [each.decoded for each in accepted if each.message is not None]
    return Record(number, at, now, messages, letters, known, contents=contents)


def _parts(
    accepted: Sequence[_Accepted], last: datetime | None, span: timedelta
) -> Iterator[list[_Accepted]]:
    """Split messages so that no two messages of a part give a property of a subject different values.

    In one ABox they would contradict each other, and both would be removed. Messages of the past arrive much
    faster than they were made: time advances by at most `span` within a part.
    """
    part: list[_Accepted] = []
    values: dict[tuple[Node, Node], tuple[int, Node]] = {}
    begin = last
    for place, each in enumerate(accepted):
        at = max((content.at for content in each.decoded), default=begin or NEVER)
        if begin is None or at > begin + span:
            begin = at
            if part:
                yield part
                part, values = [], {}
        triples = [triple for content in each.decoded for triple in content.triples]
        for subject, predicate, value in triples:
            by, known = values.get((subject, predicate), (place, value))
            if by != place and known != value:
                yield part
                part, values = [], {}
                break
        part.append(each)
        for subject, predicate, value in triples:
            values[subject, predicate] = place, value
    if part:
        yield part
