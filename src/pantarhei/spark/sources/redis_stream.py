"""A Redis stream as a log that is read by position, and that says when a part of it has gone unread.

Redis counts the entries that were ever added to a stream. A position is the id of the last entry read and
how many had been added by then, so that the entries between two positions have a number that is known: if
there are fewer, some were trimmed or deleted before they were read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypedDict, cast

from pantarhei.errors import OptionError, StreamError

if TYPE_CHECKING:
    from redis import Redis

Entry = tuple[str, dict[bytes, bytes]]

PAGE = 1000
FIRST, NEW = "0-0", "$"


class Position(TypedDict):
    """The id of the last entry read, and how many entries had been added to the stream by then."""

    id: str
    added: int


class _StreamState(NamedTuple):
    """What there is: the first entry's id if there is any, the number of entries, the position of the end."""

    first: str | None
    length: int
    end: Position


class RedisStream:
    """One stream of a Redis server (version 7 or newer).

    Args:
        url: where the server is, such as `redis://127.0.0.1:6379/0`.
        key: the stream's name; a stream that does not exist is empty.

    Every method raises `redis.RedisError` if the server cannot be asked.
    """

    def __init__(self, url: str, key: str) -> None:
        self._client, self._key = _connect(url), key

    def close(self) -> None:
        """Give the connection back."""
        self._client.close()

    def position(self, start: str) -> Position:
        """The position after the entry `start`; `FIRST` is before all there are, `NEW` after them.

        Costs one reading of what comes after `start` if it is the id of an entry.
        """
        state = self._state()
        if start == NEW:
            return state.end
        if start == FIRST:
            return {"id": FIRST, "added": state.end["added"] - state.length}
        after = sum(1 for _ in self._pages(start, state.end["id"]))
        return {"id": start, "added": state.end["added"] - after}

    def end(self) -> Position:
        """The position after the last entry."""
        return self._state().end

    def advance(self, start: Position, most: int | None, end: Position | None = None) -> Position:
        """The position `most` entries further, at most at `end` or where the stream ends now.

        Raises:
            StreamError: entries after `start` have gone.
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

    def between(self, start: str, end: str, count: int) -> Iterator[Entry]:
        """The entries after `start` up to `end`, which have to be `count`.

        Raises:
            StreamError: they are not, as is known after the last.
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
        found = cast(
            "list[tuple[bytes, dict[bytes, bytes]]]",
            self._client.xrange(self._key, min=f"({start}", max=end, count=most),
        )
        return [(id_.decode(), fields) for id_, fields in found]

    def _state(self) -> _StreamState:
        if not self._client.exists(self._key):
            return _StreamState(None, 0, {"id": FIRST, "added": 0})
        info = cast("dict[str, object]", self._client.xinfo_stream(self._key))
        if "entries-added" not in info:
            raise StreamError(
                "the Redis server does not count a stream's entries: version 7 or newer is needed"
            )
        first = cast("tuple[bytes, object] | None", info["first-entry"])
        end: Position = {
            "id": cast(bytes, info["last-generated-id"]).decode(),
            "added": cast(int, info["entries-added"]),
        }
        return _StreamState(first[0].decode() if first else None, cast(int, info["length"]), end)

    def _refuse_loss(self, expected: int, found: int, start: str) -> None:
        if expected != found:
            raise StreamError(
                f"redis stream {self._key!r}: {max(expected, 0)} entries were to come after entry {start}, "
                f"and {found} are there: entries were trimmed or deleted before they were read, or the "
                "stream was made anew; keep more of it (XADD … MAXLEN), and begin with a new checkpoint to "
                "go on with what is there"
            )


def _number(id_: str) -> tuple[int, int]:
    milliseconds, _, sequence = id_.partition("-")
    return int(milliseconds), int(sequence or 0)


def _connect(url: str) -> Redis:
    try:
        from redis import Redis
    except ImportError:
        raise OptionError(
            "format", "pantarhei-redis", "the package redis to be installed: pip install 'pantarhei[redis]'"
        ) from None
    try:
        return Redis.from_url(url)
    except ValueError as error:
        raise OptionError("url", "what was given", f"redis://host:port/database ({error})") from None
