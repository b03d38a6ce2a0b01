"""Client of a Redis stream: reads its entries by position, and detects lost ones.

Redis counts the entries that were ever added to a stream. A position is the id of the last entry read and the
count at that entry, so that the number of entries between two positions is known. If fewer are found, entries
were trimmed or deleted before they were read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypedDict

from pantarhei.errors import OptionError, StreamError
from pantarhei.errors.base import import_package

Entry = tuple[str, dict[bytes, bytes]]

PAGE = 1000
FIRST, NEW = "0-0", "$"


class StreamPosition(TypedDict):
    """Position in a stream: the id of an entry, and the number of entries added up to and including it."""

    id: str
    added: int


class _StreamState(NamedTuple):
    """State of a stream: the id of its first entry (None if empty), its number of entries, and the end
    position.
    """

    first: str | None
    length: int
    end: StreamPosition


class RedisStream:
    """Stream of a Redis server (version 7 or newer).

    Args:
        url: the address of the server, such as `redis://127.0.0.1:6379/0`.
        key: the stream's key; a stream that does not exist is treated as empty.
        password: the password, if it is not in the address.

    Every method raises `redis.RedisError` if the server does not respond.
    """

    def __init__(self, url: str, key: str, password: str | None = None) -> None:
        self._client, self._key = _connect(url, password), key

    def close(self) -> None:
        """Return the connection to the pool."""
        self._client.close()

    def position(self, start: str) -> StreamPosition:
        """Return the position after the entry with id `start`; `FIRST` is before all entries, `NEW` after
        them.

        For the id of an entry, the entries after it are read once, to count them.
        """
        state = self._state()
        if start == NEW:
            return state.end
        if start == FIRST:
            return {"id": FIRST, "added": state.end["added"] - state.length}
        after = sum(1 for _ in self._pages(start, state.end["id"]))
        return {"id": start, "added": state.end["added"] - after}

    def advance(
        self, start: StreamPosition, most: int | None, end: StreamPosition | None = None
    ) -> StreamPosition:
        """Return the position `most` entries after `start`, at most `end` or the present end of the stream.

        Raises:
            StreamError: entries after `start` have been removed.
        """
        state = self._state()
        end = state.end if end is None else end
        if state.first is None or _number(state.first) > _number(start["id"]):
            self._refuse_loss(state.end["added"] - start["added"], state.length, start["id"])
        ahead = end["added"] - start["added"]
        if ahead <= 0:
            return start
        if most is None or ahead <= most:
            return end
        page = self._page(start["id"], end["id"], most)
        if len(page) < most:
            self._refuse_loss(ahead, len(page), start["id"])
        return {"id": page[-1][0], "added": start["added"] + len(page)}

    def after_loss(self, start: StreamPosition) -> StreamPosition:
        """Return the position from which to read on after entries were lost: the oldest entry left after
        `start`, or the beginning if the stream was created again.
        """
        is_new = _number(self._state().end["id"]) < _number(start["id"])
        return self.position(FIRST if is_new else start["id"])

    def between(self, start: str, end: str, count: int) -> Iterator[Entry]:
        """Yield the entries after id `start` up to id `end`, whose number must be `count`.

        Raises:
            StreamError: the number of entries differs, which is detected after the last entry.
        """
        found = 0
        for entry in self._pages(start, end):
            found += 1
            yield entry
        self._refuse_loss(count, found, start)

    def _pages(self, start: str, end: str) -> Iterator[Entry]:
        while page := self._page(start, end, PAGE):
            yield from page
            start = page[-1][0]

    def _page(self, start: str, end: str, most: int) -> list[Entry]:
        found = self._client.xrange(self._key, min=f"({start}", max=end, count=most)
        return [(id_.decode(), fields) for id_, fields in found]

    def _state(self) -> _StreamState:
        if not self._client.exists(self._key):
            return _StreamState(None, 0, {"id": FIRST, "added": 0})
        info = self._client.xinfo_stream(self._key)
        if "entries-added" not in info:
            raise StreamError(
                "the Redis server is too old: it does not count the entries of a stream; use version 7 or "
                "newer"
            )
        first = info["first-entry"]
        end: StreamPosition = {"id": info["last-generated-id"].decode(), "added": info["entries-added"]}
        return _StreamState(first[0].decode() if first else None, info["length"], end)

    def _refuse_loss(self, expected: int, found: int, start: str) -> None:
        if expected != found:
            raise StreamError(
                f"redis stream {self._key!r}: expected {max(expected, 0)} entries after entry {start}, but "
                f"found {found}: entries were trimmed or deleted before they were read, or the stream was "
                "created again; keep more entries (XADD … MAXLEN), and start with a new checkpoint to read "
                "the entries that are left"
            )


def _number(id_: str) -> tuple[int, int]:
    milliseconds, _, sequence = id_.partition("-")
    return int(milliseconds), int(sequence or 0)


def _connect(url: str, password: str | None) -> Any:
    redis = import_package("redis", "redis", "a Redis stream")
    try:
        return redis.Redis.from_url(url, **({} if password is None else {"password": password}))
    except ValueError as error:
        raise OptionError("url", "…", f"redis://host:port/database ({error})") from None
