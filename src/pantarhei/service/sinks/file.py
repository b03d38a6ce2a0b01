"""File sinks: files that are appended to, and cut to the stored position after a crash."""

from __future__ import annotations

import csv
import io
import json
import os
from abc import abstractmethod
from base64 import b64encode
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from pantarhei.errors import OptionError
from pantarhei.io.writers import json_time
from pantarhei.service.changes import Emitted
from pantarhei.service.config import DeadLettersSection, FileSink, ParquetFolderSink, ServiceConfig
from pantarhei.service.message_journal import sync_folder
from pantarhei.service.sinks.sink import (
    COLUMNS,
    LOG,
    Positions,
    Sink,
    letters_of,
    rows_of,
    to_json,
)


class AppendingSink(Sink):
    """File that is appended to. What was written after the stored position is cut when the file is opened.

    A file that was moved or removed meanwhile, as by logrotate, is begun anew.

    Attributes:
        path: the file.
    """

    def __init__(
        self,
        name: str,
        wanted: Collection[str],
        positions: Positions,
        path: Path,
        takes_dead: bool = False,
    ) -> None:
        super().__init__(name, wanted, positions, takes_dead)
        self.path, self._file, self._size = path, -1, 0

    @abstractmethod
    def lines(self, emitted: Emitted) -> Iterator[str]:
        """Yield the lines of a record."""

    def check(self) -> None:
        folder = self.path.parent
        while not folder.exists():
            folder = folder.parent
        if not (folder.is_dir() and os.access(folder, os.W_OK)) or self.path.is_dir():
            raise self._failed(str(self.path), "it is a folder, or cannot be written")

    def open(self) -> int | None:
        self.close()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o640)
            found, (record, size, file) = os.fstat(self._file).st_size, self._kept
            if file != str(self.path):  # the position is that of a file which the sink had before
                size = -1
            if 0 <= size < found:
                os.ftruncate(self._file, size)
            elif found < size:
                LOG.warning("%s is shorter than it was, and is continued at its end", self.path)
            self._size = min(found, size) if size >= 0 else found
            if self._size and os.pread(self._file, 1, self._size - 1) != b"\n":
                self._append(b"\n")  # the last line of a file of another origin
            if self._size != size:
                sync_folder(self.path.parent)
                self._keep(record, self._size, str(self.path))
        except OSError as error:
            raise self._failed(str(self.path), error.strerror or error) from error
        return None

    def write(self, given: Sequence[Emitted]) -> None:
        if self._is_moved():
            self._begin_anew()
        lines = [line for emitted in given for line in self.lines(emitted)]
        if lines and not self._size:
            lines[:0] = self._head()
        self._append("".join(lines).encode())
        self._keep(given[-1].number, self._size, str(self.path))

    def _head(self) -> Sequence[str]:
        """Return the lines at the beginning of a file."""
        return ()

    def _append(self, content: bytes) -> None:
        data = memoryview(content)
        while data:
            data = data[os.write(self._file, data) :]
        if content:
            os.fdatasync(self._file)
            self._size += len(content)

    def _is_moved(self) -> bool:
        try:
            return not os.path.samestat(os.stat(self.path), os.fstat(self._file))
        except FileNotFoundError:
            return True

    def _begin_anew(self) -> None:
        """Continue with another file under the path, after the present one was moved."""
        self._keep(self.status.position)
        self.open()

    def close(self) -> None:
        if self._file >= 0:
            file, self._file = self._file, -1
            os.close(file)


class ChangesFile(AppendingSink):
    """File with one change on each line, NDJSON or CSV by its suffix; each line has the id of its change.

    Raises:
        OptionError: the suffix is another one.
    """

    def __init__(self, name: str, config: ServiceConfig, section: FileSink, positions: Positions) -> None:
        super().__init__(name, section.of, positions, config.path(section.file))
        if section.file.suffix not in (".ndjson", ".jsonl", ".csv"):
            raise OptionError("file", repr(str(section.file)), "a name that ends in .ndjson, .jsonl or .csv")
        self._is_table = section.file.suffix == ".csv"

    def lines(self, emitted: Emitted) -> Iterator[str]:
        if self._is_table:
            yield from map(_csv_line, rows_of(emitted))
        else:
            yield from (f"{to_json(each.as_json())}\n" for each in emitted.changes)

    def _head(self) -> Sequence[str]:
        return (_csv_line(COLUMNS),) if self._is_table else ()


def _csv_line(values: Sequence[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue().encode("utf-8", "replace").decode()


class DeadLettersFile(AppendingSink):
    """File of dead letters, one JSON object on each line.

    When its first letter is older than `keep`, the file is renamed to `<file>.1`, which replaces the file of
    this name: a letter is kept for at least that time, and at most twice as long.
    """

    def __init__(
        self, name: str, config: ServiceConfig, section: DeadLettersSection, positions: Positions
    ) -> None:
        super().__init__(name, (), positions, config.path(section.file), takes_dead=True)
        self._keep_for, self._begun = section.keep, None

    _begun: datetime | None

    def open(self) -> int | None:
        super().open()
        self._begun = _time_of(_first_line(self.path))
        return None

    def write(self, given: Sequence[Emitted]) -> None:
        if self._begun is not None and _arrival(given[-1]) - self._begun >= self._keep_for:
            os.replace(self.path, f"{self.path}.1")
            self._begin_anew()
        super().write(given)
        if self._begun is None:
            self._begun = next((_arrival(each) for each in given if each.dead), None)

    def lines(self, emitted: Emitted) -> Iterator[str]:
        for id_, each in letters_of(emitted):
            fields: dict[str, object] = {"id": id_, "at": json_time(_arrival(emitted)), "reason": each.reason}
            fields |= {"detail": each.detail, "source": each.message.source, "topic": each.message.topic}
            try:
                fields["payload"] = each.message.payload.decode()
            except UnicodeDecodeError:
                fields["payload_base64"] = b64encode(each.message.payload).decode()
            yield f"{to_json(fields)}\n"


def _arrival(emitted: Emitted) -> datetime:
    """Return the time at which the messages of a record arrived; steps may have times of long ago."""
    return emitted.received or emitted.at


class ParquetFolder(AppendingSink):
    """Folder of Parquet files with the columns `id`, `record`, `at`, `name`, `change` and `row` (JSON).

    Rows are collected in the hidden file `.rows.ndjson`, which is synced and cut as that of the other file
    sinks, so that memory is bounded and a restart needs no old records. After the time `roll` it is renamed,
    converted, and deleted. A Parquet file appears whole, under a name with the time of its first row and the
    numbers of its first and last records. A conversion that was interrupted is repeated under the same name.
    """

    def __init__(
        self, name: str, config: ServiceConfig, section: ParquetFolderSink, positions: Positions
    ) -> None:
        self._folder = config.path(section.parquet)
        super().__init__(name, section.of, positions, self._folder / ".rows.ndjson")
        self._roll_after, self._begun = section.roll, None

    _LARGEST = 256_000_000  # bytes of rows after which a file is written early
    _begun: datetime | None

    def open(self) -> int | None:
        super().open()
        try:
            for path in sorted(self._folder.glob(f"{_ROLLING}*")):
                _convert(path, self._folder / f"{path.name.removeprefix(_ROLLING)}.parquet")
        except OSError as error:
            raise self._failed(str(self._folder), error.strerror or error) from error
        self._begun = _time_of(_first_line(self.path))
        return None

    def write(self, given: Sequence[Emitted]) -> None:
        pending: list[Emitted] = []
        for emitted in given:
            if self._begun is not None and self._is_due(emitted.at):
                if pending:
                    super().write(pending)
                    pending.clear()
                self._roll()
            if self._begun is None and emitted.changes:
                self._begun = emitted.at
            pending.append(emitted)
        super().write(pending)

    def _is_due(self, at: datetime) -> bool:
        assert self._begun is not None, "there are rows"
        return at - self._begun >= self._roll_after or self._size >= self._LARGEST

    def _roll(self) -> None:
        rows = [json.loads(line) for line in (_first_line(self.path), _last_line(self.path)) if line]
        if rows:
            begun = datetime.fromisoformat(rows[0]["at"])
            first, last = rows[0]["record"], rows[-1]["record"]
            os.replace(self.path, self._folder / f"{_ROLLING}{begun:%Y%m%dT%H%M%S}-{first:012}-{last:012}")
        self._begin_anew()

    def lines(self, emitted: Emitted) -> Iterator[str]:
        for row in rows_of(emitted):
            yield f"{to_json(dict(zip(COLUMNS, row, strict=True)))}\n"


_ROLLING = ".rolling-"
_CHUNK = 10_000  # rows of a row group


def _convert(source: Path, target: Path) -> None:
    """Write the rows of a file as a Parquet file, and delete the former."""
    import pyarrow as pa
    from pyarrow import parquet

    types: dict[str, Any] = dict.fromkeys(COLUMNS, pa.string())
    types |= {"record": pa.int64(), "at": pa.timestamp("us", "UTC")}
    schema = pa.schema(types.items())
    temporary = target.with_name(f".{target.name}.tmp")
    with source.open() as lines, parquet.ParquetWriter(temporary, schema) as writer:
        while rows := list(map(json.loads, islice(lines, _CHUNK))):
            for row in rows:
                row["at"] = datetime.fromisoformat(row["at"])
            writer.write_table(pa.Table.from_pylist(rows, schema))
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.replace(target)
    sync_folder(target.parent)
    source.unlink()


def _first_line(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.readline()


def _last_line(path: Path) -> bytes:
    size, step = path.stat().st_size, 1 << 16
    with path.open("rb") as file:
        while True:
            file.seek(max(0, size - step))
            lines = file.read().splitlines()
            if len(lines) > 1 or step >= size:
                return lines[-1] if lines else b""
            step *= 2


def _time_of(line: bytes) -> datetime | None:
    """Return the time of a line; None if it is empty or of another origin."""
    try:
        return datetime.fromisoformat(json.loads(line)["at"])
    except (ValueError, TypeError, KeyError):
        return None
