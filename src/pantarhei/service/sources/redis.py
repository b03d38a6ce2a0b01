"""Redis source: entries of Redis Streams, read from the positions in the journal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing

from pantarhei.errors import StreamError
from pantarhei.io.redis_stream import FIRST, NEW, RedisStream, StreamPosition
from pantarhei.service.batching import Received
from pantarhei.service.clients import reaching
from pantarhei.service.config import RedisSource
from pantarhei.service.sources.source import PolledSource

_BATCH = 500
_POLL = 0.02  # seconds between reads of streams without new entries


class RedisMessages(PolledSource):
    """Entries of Redis Streams; the topic is the key of the stream.

    The content of an entry with one field is its value, that of others a JSON object of the fields. Entries
    that were trimmed before they were read are reported, and the stream is read from the oldest one left.
    """

    section: RedisSource

    def check(self) -> None:
        with reaching(self.name, self.section.redis.rpartition("@")[2]):
            for key in self.section.topics:
                with closing(self._stream(key)) as stream:
                    stream.position(NEW)

    def receive(self) -> Iterator[Received | None]:
        with ExitStack() as opened:
            streams = {key: opened.enter_context(closing(self._stream(key))) for key in self.section.topics}
            for key, stream in streams.items():
                if key not in self.positions:
                    yield self.placed(key, stream.position(NEW if self.section.start == "latest" else FIRST))
            self.note_connection()
            while True:
                before = dict(self.positions)
                for key, stream in streams.items():
                    yield from self._entries(key, stream)
                if self.positions == before:
                    yield None
                    self.stopping.wait(_POLL)

    def _stream(self, key: str) -> RedisStream:
        password = self.section.password
        secret = None if password is None else password.get_secret_value()
        return RedisStream(self.section.redis, key, secret)

    def _entries(self, key: str, stream: RedisStream) -> Iterator[Received]:
        start: StreamPosition = self.positions[key]
        try:
            end = stream.advance(start, _BATCH)
            found = list(stream.between(start["id"], end["id"], end["added"] - start["added"]))
        except StreamError as error:
            self.failed(error)
            yield self.placed(key, stream.after_loss(start))
            return
        for number, (id_, fields) in enumerate(found, start["added"] + 1):
            yield self.received(key, payload_of(fields), key, {"id": id_, "added": number})


def payload_of(fields: Mapping[bytes, bytes]) -> bytes:
    """Return the content of an entry as a message.

    >>> payload_of({b"data": b'{"v": 1}'}), payload_of({b"a": b"1", b"b": b"2"})
    (b'{"v": 1}', b'{"a": "1", "b": "2"}')
    """
    if len(fields) == 1:
        (payload,) = fields.values()
        return payload
    texts = {name.decode(errors="replace"): value.decode(errors="replace") for name, value in fields.items()}
    return json.dumps(texts, ensure_ascii=False).encode()
