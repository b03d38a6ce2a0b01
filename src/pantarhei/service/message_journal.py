"""Journal: numbered, checksummed input records on disk, written before they are acknowledged or processed.

A journal is a folder of segments `journal-<first number>`. Format 1: the first line of a segment is
`pantarhei journal 1`; each further line is the CRC-32 of a record in eight hexadecimal digits, a space, and
the record as JSON. The records of one append are flushed to the disk together; each one after the first names
the first as `of`. After a crash, the last append may be incomplete; `MessageJournal` removes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pantarhei.engine.checkpoint.container import replace_file
from pantarhei.errors import JournalError

if TYPE_CHECKING:
    from pantarhei.service.decoding import Decoded

FORMAT = 1
_HEADER = b"pantarhei journal %d\n"
_PREFIX = "journal-"


class Message(NamedTuple):
    """Message of a source.

    Args:
        source: name of the source in the configuration.
        topic: topic, stream, path or file within the source.
        payload: content.
        id: identity of the message within the source, by which a redelivery is recognized, with MQTT the id
            of its packet; empty if the source has none.
    """

    source: str
    topic: str
    payload: bytes
    id: str = ""


class DeadLetter(NamedTuple):
    """Message that is not processed.

    Args:
        message: the message.
        reason: one of `REASONS`.
        detail: the error, as text.
    """

    message: Message
    reason: str
    detail: str


REASONS = ("malformed", "late", "ahead", "unknown topic", "refused")
"""Reasons of dead letters: the content does not fit the mapping; the time is too old or too far ahead; no
mapping is configured for the topic; the reasoner refuses the content.
"""


NEVER = datetime(1, 1, 1, tzinfo=UTC)
"""Time of records before the first message: they do not advance the time."""


@dataclass(frozen=True, slots=True)
class Record:
    """Input of one step.

    Args:
        number: position in the journal, counted from 1.
        at: time of the step; with `order: event`, the watermark up to which messages are released.
        received: time at which the messages arrived.
        messages: the messages.
        dead: messages that are not processed.
        positions: by source and part of the source (partition, stream or file), the position after these
            messages, from which the source continues; None if the part is gone.
        request: a change of the registered queries, `{"register": name, "query": text}` or
            `{"deregister": name}`; None for messages or a tick.
        contents: the content of each message, if the messages are decoded; not part of the journal.
    """

    number: int
    at: datetime
    received: datetime
    messages: tuple[Message, ...] = ()
    dead: tuple[DeadLetter, ...] = ()
    positions: dict[str, dict[str, Any]] = field(default_factory=dict)
    request: dict[str, str] | None = None
    contents: Sequence[Sequence[Decoded]] = field(default=(), compare=False)

    @property
    def all_messages(self) -> Iterator[Message]:
        """The messages, followed by those that are not processed."""
        yield from self.messages
        yield from (each.message for each in self.dead)

    def to_line(self, append: int | None = None) -> bytes:
        """Return the record as a line of the journal.

        Args:
            append: the number of the first record that is flushed together with this one; by default its own.
        """
        optional = {
            "of": None if append == self.number else append,
            "received": None if self.received == self.at else self.received.isoformat(),
            "in": [_as_json(message) for message in self.messages],
            "dead": [[*_as_json(each.message), each.reason, each.detail] for each in self.dead],
            "positions": self.positions,
            "request": self.request,
        }
        fields: dict[str, Any] = {"n": self.number, "at": self.at.isoformat()}
        fields |= {name: value for name, value in optional.items() if value}
        body = json.dumps(fields, separators=(",", ":")).encode()
        return b"%08x %s\n" % (zlib.crc32(body), body)

    @classmethod
    def from_line(cls, line: bytes) -> Record | None:
        """Return the record of a line; None if the line is incomplete or damaged."""
        fields = _fields(line)
        if fields is None:
            return None
        at = datetime.fromisoformat(fields["at"])
        return cls(
            fields["n"],
            at,
            datetime.fromisoformat(fields["received"]) if "received" in fields else at,
            tuple(_message(each) for each in fields.get("in", ())),
            tuple(DeadLetter(_message(each[:4]), *each[4:]) for each in fields.get("dead", ())),
            fields.get("positions", {}),
            fields.get("request"),
        )


def _fields(line: bytes) -> dict[str, Any] | None:
    try:
        if not line.endswith(b"\n") or int(line[:8], 16) != zlib.crc32(line[9:-1]):
            return None
        fields: dict[str, Any] = json.loads(line[9:])
    except ValueError:
        return None
    return fields


def _as_json(message: Message) -> list[str]:
    source, topic, payload, id_ = message
    return [source, topic, payload.decode("utf-8", "surrogateescape"), id_]


def _message(given: Sequence[str]) -> Message:
    source, topic, payload, id_ = given
    return Message(source, topic, payload.encode("utf-8", "surrogateescape"), id_)


class MessageJournal:
    """Journal of a folder that is written by this process; the folder is created if it is missing.

    An incomplete append at the end is removed: its records were never acknowledged.

    Attributes:
        number: the number of the last record.

    Raises:
        JournalError: another process writes the journal, a segment is damaged, or the folder cannot be
            written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self._file, self._size = folder, -1, 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            problem = "it is a file" if isinstance(error, FileExistsError) else error.strerror or str(error)
            raise JournalError(str(folder), problem, "name a folder that can be written") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            remedy = "stop the other service, or name another folder"
            raise JournalError(str(folder), "another service writes this journal", remedy) from None
        try:
            self.number = _repair_end(folder)
            self._begin_segment()
        except BaseException:
            os.close(self._lock)
            raise

    def append(self, records: Sequence[Record]) -> None:
        """Append records and flush them to the disk: all or none.

        Raises:
            OSError: the disk is full or fails; the journal is unchanged.
            JournalError: the numbers do not follow that of the last record; the journal is unchanged.
        """
        for expected, record in enumerate(records, self.number + 1):
            if record.number != expected:
                problem = f"record {record.number:,} does not follow record {expected - 1:,}"
                raise JournalError(str(self.folder), problem, "restart the service, and report this defect")
        data = b"".join(record.to_line(records[0].number) for record in records)
        self._cut()  # an earlier attempt may have failed to
        try:
            write_all(self._file, data)
            os.fdatasync(self._file)
        except OSError:
            with contextlib.suppress(OSError):
                self._cut()
            raise
        self._size += len(data)
        self.number = records[-1].number

    def _cut(self) -> None:
        """Remove what a failed attempt has written."""
        if os.fstat(self._file).st_size != self._size:
            os.ftruncate(self._file, self._size)

    def skip_to(self, number: int) -> None:
        """Continue an empty journal with the record after `number`. Raises `OSError`."""
        empty = segments(self.folder)
        self.number = number
        self._begin_segment()
        for path in empty:
            path.unlink()

    def rotate(self) -> None:
        """Begin a new segment, unless the present one is empty. Raises `OSError`; the present one is kept."""
        if self._size > len(_HEADER % FORMAT):
            self._begin_segment()

    def _begin_segment(self) -> None:
        path = self.folder / f"{_PREFIX}{self.number + 1}"
        if not path.exists():
            try:
                replace_file(path, _HEADER % FORMAT, 0o600)
            except OSError:
                with contextlib.suppress(OSError):  # records would follow in another segment
                    path.unlink(missing_ok=True)
                raise
        opened = os.open(path, os.O_WRONLY | os.O_APPEND)
        if self._file >= 0:
            os.close(self._file)
        self._file, self._size = opened, os.fstat(opened).st_size

    def forget(self, before: int, older_than: datetime) -> None:
        """Delete segments whose records all have a number below `before` and a time before `older_than`."""
        known = segments(self.folder)
        for path, following in pairwise(known):
            found = next(read_segment(following), None)
            if first_number(following) > before or found is None or found[0].at >= older_than:
                return
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the files and release the lock."""
        os.close(self._file)
        os.close(self._lock)


def segments(folder: Path) -> list[Path]:
    """Return the segments of a journal, oldest first."""
    return sorted(folder.glob(f"{_PREFIX}*"), key=first_number)


def first_number(segment: Path) -> int:
    """Return the number of a segment's first record."""
    return int(segment.name.removeprefix(_PREFIX))


def read_segment(path: Path, offset: int = 0) -> Iterator[tuple[Record, int]]:
    """Yield the complete records of a segment from an offset on, up to the first incomplete one; each with
    the offset after it.

    Raises:
        JournalError: the format is unknown.
    """
    with path.open("rb") as file:
        end = max(offset, len(header := file.readline()))
        if not _is_header(path, header):
            return
        file.seek(end)
        for line in file:
            record = Record.from_line(line)
            if record is None:
                return
            end += len(line)
            yield record, end


def _is_header(path: Path, line: bytes) -> bool:
    """Test whether the first line of a segment is complete.

    Raises:
        JournalError: the format is unknown.
    """
    if not line.endswith(b"\n"):
        return False
    if line != _HEADER % FORMAT:
        problem = f"the format is unknown: {line[:40]!r}"
        raise JournalError(str(path), problem, "use the version of pantarhei that wrote it, or a newer one")
    return True


def read_journal(folder: Path, after: int = 0) -> Iterator[Record]:
    """Yield the records of a journal whose number is above `after`, in order.

    Raises:
        JournalError: records are missing or damaged before the end.
    """
    known = segments(folder)
    tail = JournalTail(folder, max([after, *(first_number(path) - 1 for path in known[:1])]))
    while records := tail.read():
        yield from records
    if later := [path for path in known if first_number(path) > tail.number + 1]:
        raise _gap(later[0], tail.number + 1)


class JournalTail:
    """Records of a journal, as they are written by this or another process.

    Args:
        number: the number of the last record that is not wanted.

    Attributes:
        number: the number of the last record that was read.
    """

    def __init__(self, folder: Path, number: int) -> None:
        self._folder, self.number = folder, number
        self._segment: Path | None = None
        self._offset = 0

    def read(self, most: int = 500) -> list[Record]:
        """Return the records that are complete now, at most `most`; does not wait.

        Raises:
            JournalError: records that are wanted were deleted.
        """
        found: list[Record] = []
        while (segment := self._next_segment()) is not None:
            count = len(found)
            if segment != self._segment:
                self._segment, self._offset = segment, 0
            # opened each time: after a failed attempt, the writer replaces what it has written
            for record, end in read_segment(segment, self._offset):
                self._offset = end
                if record.number > self.number:
                    self.number = record.number
                    found.append(record)
                if len(found) == most:
                    return found
            if len(found) == count:
                break
        return found

    def _next_segment(self) -> Path | None:
        """Return the segment with the next record; None if there are no segments."""
        for path in (self._folder / f"{_PREFIX}{self.number + 1}", self._segment):
            if path is not None and path.exists():
                return path
        known = segments(self._folder)
        eligible = [path for path in known if first_number(path) <= self.number + 1]
        if known and not eligible:
            problem = f"the records after {self.number:,} were deleted before they were read"
            raise JournalError(str(self._folder), problem, "start again from a checkpoint")
        return eligible[-1] if eligible else None


def _gap(path: Path, expected: int) -> JournalError:
    problem = f"record {expected:,} is damaged or missing, and later records exist"
    return JournalError(str(path), problem, "restore the folder from a backup, or move it away to begin anew")


def _repair_end(folder: Path) -> int:
    """Remove an incomplete append at the end; return the number of the last record.

    Records after a damaged one are removed too if they belong to its append, whose parts a disk may write in
    any order.
    """
    known = segments(folder)
    if not known:
        return 0
    path = known[-1]
    number, size = first_number(path) - 1, 0
    for record, end in read_segment(path):
        number, size = record.number, end
    with path.open("rb") as file:
        file.seek(size)
        later = (fields for line in file if (fields := _fields(line)) is not None)
        if any(fields.get("of", fields["n"]) > number + 1 for fields in later):
            raise _gap(path, number + 1)
    if size:
        os.truncate(path, size)
        return number
    path.unlink()
    return _repair_end(folder) if len(known) > 1 else number


def write_all(file: int, data: bytes) -> None:
    """Write data to a file descriptor. Raises `OSError`."""
    left = memoryview(data)
    while left:
        left = left[os.write(file, left) :]


def last_messages(folder: Path, most: int) -> Iterator[Message]:
    """Yield at least the last `most` messages of a journal, dead letters included, oldest first."""
    found: list[list[Message]] = []
    count = 0
    for path in reversed(segments(folder)):
        if count >= most:
            break
        found.append([message for record, _ in read_segment(path) for message in record.all_messages])
        count += len(found[-1])
    return (message for messages in reversed(found) for message in messages)


def merge_positions(known: dict[str, dict[str, Any]], new: Mapping[str, Mapping[str, Any]]) -> None:
    """Replace known positions by newer ones, source by source."""
    for source, positions in new.items():
        update_positions(known.setdefault(source, {}), positions)


def update_positions(known: dict[str, Any], new: Mapping[str, Any]) -> None:
    """Replace known positions of a source by newer ones, part by part; None deletes a position."""
    known.update(new)
    for part in [part for part, position in new.items() if position is None]:
        del known[part]
