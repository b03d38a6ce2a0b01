"""SQLite sink: changes, and the position after them, in one transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from pantarhei.errors import ConnectionFailedError
from pantarhei.io.writers import json_time
from pantarhei.service.changes import Emitted
from pantarhei.service.config import SQLSink
from pantarhei.service.sinks.sink import Sink


class SQLiteSink(Sink):
    """Table of a SQLite database, with the columns `id`, `record`, `at`, `name`, `change` and `row` (JSON).

    Dead letters are in the table `dead_letters`, positions in `pantarhei_positions`.
    """

    recognizes_ids = True

    def __init__(self, name: str, section: SQLSink, path: Path) -> None:
        super().__init__(name, section.of, takes_dead=True)
        self._path, self._table = path, section.table
        self._database: sqlite3.Connection | None = None

    def open(self) -> int:
        self.close()
        table = _quoted(self._table)
        try:
            # opened in the thread of the writer, used and closed in that of the sink
            database = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
            database.execute("pragma journal_mode=wal")
            database.execute("pragma synchronous=full")
            database.execute(
                f"create table if not exists {table} (id text primary key, record integer not null, "
                '"at" text not null, name text not null, change text not null, "row" text not null)'
            )
            database.execute(
                "create table if not exists dead_letters (record integer, place integer, reason text, "
                "detail text, source text, topic text, payload blob, primary key (record, place))"
            )
            database.execute(
                "create table if not exists pantarhei_positions (sink text primary key, record integer)"
            )
            found = database.execute(
                "select record from pantarhei_positions where sink = ?", (self.name,)
            ).fetchone()
        except sqlite3.Error as error:
            raise ConnectionFailedError(self.name, str(self._path), str(error)) from error
        self._database = database
        return -1 if found is None else int(found[0])

    def write(self, given: Sequence[Emitted]) -> None:
        database = self._database
        assert database is not None, "begin opens it"
        rows = [
            (
                each.id,
                emitted.number,
                str(json_time(each.at)),
                each.name,
                each.sign,
                json.dumps(each.row, ensure_ascii=False),
            )
            for emitted in given
            for each in emitted.changes
        ]
        letters = [
            (emitted.number, place, each.reason, each.detail, *each.message[:3])
            for emitted in given
            for place, each in enumerate(emitted.dead)
        ]
        database.execute("begin immediate")
        try:
            database.executemany(
                f"insert or ignore into {_quoted(self._table)} values (?, ?, ?, ?, ?, ?)", rows
            )
            database.executemany("insert or ignore into dead_letters values (?, ?, ?, ?, ?, ?, ?)", letters)
            position = max(self.status.position, given[-1].number)
            database.execute(
                "insert or replace into pantarhei_positions values (?, ?)", (self.name, position)
            )
            database.execute("commit")
        except BaseException:
            if database.in_transaction:
                database.execute("rollback")
            raise

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
