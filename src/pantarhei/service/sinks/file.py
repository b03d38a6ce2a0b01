"""File sinks: files that are appended to, and cut to the stored position after a crash."""

from __future__ import annotations

import csv
import io
import json
import os
from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from pantarhei.engine.checkpoint.container import sync_folder
from pantarhei.errors import ConnectionFailedError, OptionError
from pantarhei.io.writers import json_time
from pantarhei.service.changes import Emitted
from pantarhei.service.clients import LOG
from pantarhei.service.config import DeadLettersSection, FileSink, ParquetFolderSink, ServiceConfig
from pantarhei.service.message_journal import write_all
from pantarhei.service.sinks.sink import COLUMNS, Positions, Sink, changes_of_letters, rows_of, to_json


class AppendingSink(Sink):
    """File that is appended to. What was written after the stored position is cut when the file is opened.

    A file that was moved or removed meanwhile, as by logrotate, is begun anew.

    Attributes:
        path: the file.
        rolled: the file before it.
        head: the line at the beginning.
        period: the time after which a file is renamed to `<file>.1`, and begun anew; None for never.
        largest: size in bytes after which it is renamed before the end of the period.
    """

    head = ""
    period: timedelta | None = None
    largest = float("inf")

    def __init__(self, name: str, wanted: Collection[str], positions: Positions, path: Path) -> None:
        super().__init__(name, wanted, positions)
        self.path, self.address, self.rolled = path, str(path), Path(f"{path}.1")
        self._file, self._size = -1, 0
        self._begun: datetime | None = None  # time of the first line, where there is a period

    @abstractmethod
    def lines(self, emitted: Emitted) -> Iterator[str]:
        """Yield the lines of a record."""

    def time_of(self, emitted: Emitted) -> datetime:
        """Return the time of the lines of a record, which decides when the period is over."""
        return emitted.at

    def check(self) -> None:
        folder = next(each for each in self.path.parents if each.exists())
        if not (folder.is_dir() and os.access(folder, os.W_OK)) or self.path.is_dir():
            raise ConnectionFailedError(self.name, self.address, "it is a folder, or cannot be written")

    def open(self) -> int | None:
        self.close()
        with self._reaching():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o640)
            found, (record, size, file) = os.fstat(self._file).st_size, self._kept
            if file != self.address:  # the position is that of a file which the sink had before
                size = found
            if size < found:
                os.ftruncate(self._file, size)
            elif size > found:
                LOG.warning("%s is shorter than it was, and is continued at its end", self.path)
            self._size = min(found, size)
            if self._size and os.pread(self._file, 1, self._size - 1) != b"\n":
                self._append("\n")  # the last line of a file of another origin
            if (self._size, self.address) != (size, file):
                sync_folder(self.path.parent)
                self._keep(record, self._size, self.address)
            if self.period is not None:
                with self.path.open("rb") as lines:
                    self._begun = _time_in(lines.readline())
        return None

    def write(self, given: Sequence[Emitted]) -> None:
        if self._is_moved():
            self._begin_anew()
        pending: list[str] = []
        for emitted in given:
            if self._is_due(emitted):
                self._append("".join(pending))
                self._keep(emitted.number - 1, self._size, self.address)
                pending.clear()
                self.roll(emitted)
                self._begin_anew()
            lines = list(self.lines(emitted))
            if lines and self._begun is None:
                self._begun = self.time_of(emitted)
            if lines and not (self._size or pending):
                pending.append(self.head)
            pending += lines
        self._append("".join(pending))
        self._keep(given[-1].number, self._size, self.address)

    def roll(self, emitted: Emitted) -> None:
        """Rename the file before a record is written."""
        os.replace(self.path, self.rolled)

    def _is_due(self, emitted: Emitted) -> bool:
        if self.period is None or self._begun is None:
            return False
        return self.time_of(emitted) - self._begun >= self.period or self._size >= self.largest

    def _append(self, text: str) -> None:
        if content := text.encode():
            write_all(self._file, content)
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
        self.head = _csv_line(COLUMNS) if section.file.suffix == ".csv" else ""

    def lines(self, emitted: Emitted) -> Iterator[str]:
        if self.head:
            return map(_csv_line, rows_of(emitted))
        return (f"{to_json(each.as_json())}\n" for each in emitted.changes)


def _csv_line(values: Sequence[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue().encode("utf-8", "replace").decode()


class DeadLettersFile(AppendingSink):
    """File of dead letters, one JSON object on each line.

    When its first letter is older than `keep`, the file is renamed to `<file>.1`, which replaces the file of
    this name: a letter is kept for at least that time, and at most twice as long. Both files together have at
    most 1 GB; letters that are deleted earlier for that reason are counted in the log.
    """

    takes_dead = True
    largest = 500_000_000

    def __init__(
        self, name: str, config: ServiceConfig, section: DeadLettersSection, positions: Positions
    ) -> None:
        super().__init__(name, (), positions, config.path(section.file))
        self.period = section.keep

    def time_of(self, emitted: Emitted) -> datetime:
        return emitted.received or emitted.at  # steps may have times of long ago

    def roll(self, emitted: Emitted) -> None:
        if self._size >= self.largest and self.rolled.exists():
            with self.rolled.open("rb") as lines:
                text = "%s: %d dead letters are deleted before the end of keep: the files have %d bytes"
                LOG.warning(text, self.path, sum(1 for _ in lines), 2 * self.largest)
        super().roll(emitted)

    def lines(self, emitted: Emitted) -> Iterator[str]:
        for each in changes_of_letters(emitted):
            yield f"{to_json({'id': each.id, 'at': json_time(each.at), **each.row})}\n"


class ParquetFolder(AppendingSink):
    """Folder of Parquet files with the columns `id`, `record`, `at`, `name`, `change` and `row` (JSON).

    Rows are collected in the hidden file `.rows.ndjson`, which is synced and cut as that of the other file
    sinks, so that memory is bounded and a restart needs no old records. After the time `roll` it is renamed,
    converted, and deleted. A Parquet file appears whole, under a name with the time of its first row and the
    numbers of its first and last records. A conversion that was interrupted is repeated under the same name.
    """

    largest = 256_000_000

    def __init__(
        self, name: str, config: ServiceConfig, section: ParquetFolderSink, positions: Positions
    ) -> None:
        super().__init__(name, section.of, positions, config.path(section.parquet) / ".rows.ndjson")
        self.period = section.roll

    def open(self) -> int | None:
        super().open()
        if self.rolled.exists():
            with self._reaching():
                _convert(self.rolled)
        return None

    def lines(self, emitted: Emitted) -> Iterator[str]:
        for row in rows_of(emitted):
            yield f"{to_json(dict(zip(COLUMNS, row, strict=True)))}\n"


_CHUNK = 10_000  # rows of a row group


def _convert(source: Path) -> None:
    """Write the rows of a file as a Parquet file in its folder, and delete the former."""
    import pyarrow as pa
    from pyarrow import parquet

    types: dict[str, Any] = dict.fromkeys(COLUMNS, pa.string())
    types |= {"record": pa.int64(), "at": pa.timestamp("us", "UTC")}
    schema, temporary, name = pa.schema(types.items()), source.with_name(".parquet.tmp"), ""
    with source.open() as lines, parquet.ParquetWriter(temporary, schema) as writer:
        while rows := list(map(json.loads, islice(lines, _CHUNK))):
            for row in rows:
                row["at"] = datetime.fromisoformat(row["at"])
            writer.write_table(pa.Table.from_pylist(rows, schema))
            name = name or f"{rows[0]['at']:%Y%m%dT%H%M%S}-{rows[0]['record']:012}"
            last = rows[-1]["record"]
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.replace(source.with_name(f"{name}-{last:012}.parquet"))
    sync_folder(source.parent)
    source.unlink()


def _time_in(line: bytes) -> datetime | None:
    """Return the time of a line; None if it is empty or of another origin."""
    try:
        return datetime.fromisoformat(json.loads(line)["at"])
    except (ValueError, TypeError, KeyError):
        return None
