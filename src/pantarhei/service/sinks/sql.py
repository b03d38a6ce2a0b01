"""SQL sinks: changes, and the position after them, in one transaction of SQLite or PostgreSQL."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit

from pantarhei.errors import OptionError
from pantarhei.errors.base import import_package
from pantarhei.service.changes import Emitted
from pantarhei.service.clients import PATIENCE
from pantarhei.service.config import ServiceConfig, SQLSink
from pantarhei.service.sinks.sink import Positions, Sink, letters_of, rows_of

Connection: TypeAlias = Any  # of the DB-API, for which there is no type


class DatabaseSink(Sink):
    """Table of a database with the columns `id`, `record`, `at`, `name`, `change` and `row`.

    In SQLite, times and rows are texts; in PostgreSQL, by ADBC, `timestamptz` and `jsonb`. Dead letters are
    in the table `dead_letters`, positions in `pantarhei_positions`. A change that is there already is
    recognized by its id. All is written exactly once: the position is in the same transaction.

    Raises:
        OptionError: the database is not supported.
        MissingPackageError: adbc-driver-postgresql is needed, and not installed.
    """

    takes_dead = recognizes_ids = True

    def __init__(self, name: str, config: ServiceConfig, section: SQLSink, positions: Positions) -> None:
        super().__init__(name, section.of, positions)
        self._key = f"{config.name}/{name}"  # services may share a database
        self._table = '"' + section.table.replace('"', '""') + '"'
        self._connection: Connection = None
        self._connected: Callable[[], Connection]  # a transaction begins by itself
        # types of a number, a time, a JSON text and bytes, and the mark before the number of a placeholder
        self._types, self._mark = ("integer", "text", "text", "blob"), "?"
        scheme, _, rest = section.sql.partition("://")
        if scheme == "sqlite" and rest.startswith("/"):
            self.address = str(config.path(rest[1:]))
            self._connected = lambda: _sqlite(self.address)
        elif scheme in ("postgres", "postgresql"):
            self._types, self._mark = ("bigint", "timestamptz", "jsonb", "bytea"), "$"
            driver = import_package("adbc_driver_postgresql.dbapi", "postgres", "a sink of PostgreSQL")
            parts = urlsplit(section.sql)
            # a server that vanishes without a word is noticed within these seconds
            limits = {"connect_timeout": f"{PATIENCE:.0f}", "keepalives_idle": "10"}
            given = dict(parse_qsl(parts.query))
            query = urlencode({**limits, "tcp_user_timeout": "30000", **given})
            self.secret = parts.password or given.get("password")
            self.address = f"postgresql://{parts.netloc.rpartition('@')[2]}{parts.path}"
            self._connected = lambda: driver.connect(parts._replace(query=query).geturl())
        else:
            shown = repr(f"{scheme}://…" if rest else section.sql)  # without its password
            raise OptionError("sql", shown, "sqlite:///FILE or postgresql://USER@HOST/DATABASE")

    def open(self) -> int | None:
        self.close()
        number, time, row, binary = self._types
        with self._reaching():
            self._connection = self._connected()
            for table in (
                f'{self._table} (id text primary key, record {number} not null, "at" {time} not null, '
                f'name text not null, change text not null, "row" {row} not null)',
                f"dead_letters (id text primary key, record {number} not null, reason text, detail text, "
                f"source text, topic text, payload {binary})",
                f"pantarhei_positions (sink text primary key, record {number})",
            ):
                self._execute(f"create table if not exists {table}")
            self._connection.commit()
            query = f"select record from pantarhei_positions where sink = {self._mark}1"
            found = self._execute(query, [(self._key,)])
            self._connection.commit()
        return None if found is None else int(found[0])

    def check(self) -> None:
        with self._reaching():
            self._connected().close()

    def write(self, given: Sequence[Emitted]) -> None:
        position = max(self.status.position, given[-1].number)
        changes = [row for emitted in given for row in rows_of(emitted)]
        letters = [
            (id_, emitted.number, each.reason, each.detail, *each.message[:3])
            for emitted in given
            for id_, each in letters_of(emitted)
        ]
        marks = [f"{self._mark}{place}" for place in range(1, 8)]
        typed = marks[:6]
        for place, type_ in ((2, self._types[1]), (5, self._types[2])):
            typed[place] = f"cast(cast({marks[place]} as text) as {type_})"
        update = "(sink) do update set record = excluded.record"
        try:
            self._insert(self._table, typed, changes)
            self._insert("dead_letters", marks, letters)
            self._insert("pantarhei_positions", marks[:2], [(self._key, position)], update)
            self._connection.commit()
        except BaseException:
            self.close()  # the transaction is rolled back, also if the connection is broken
            raise
        self.status.position = position

    def _insert(
        self, table: str, marks: Sequence[str], rows: Sequence[tuple[Any, ...]], known: str = "do nothing"
    ) -> None:
        if rows:
            statement = f"insert into {table} values ({', '.join(marks)}) on conflict {known}"
            self._execute(statement, [tuple(map(_storable, row)) for row in rows])

    def _execute(self, statement: str, rows: Sequence[tuple[Any, ...]] = ()) -> Any:
        """Execute a statement, once for each row of values; return the first row that is found, if any."""
        with closing(self._connection.cursor()) as cursor:
            if len(rows) > 1:
                cursor.executemany(statement, rows)
            else:
                cursor.execute(statement, *rows)
            return cursor.fetchone() if cursor.description else None

    def close(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            connection.close()


def _sqlite(path: str) -> Connection:
    # opened in the thread of the writer, used and closed in that of the sink
    connection = sqlite3.connect(path, check_same_thread=False)
    connection.execute("pragma journal_mode=wal")
    connection.execute("pragma synchronous=full")
    return connection


_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


def _storable(value: object) -> object:
    """Return a value that both databases store: texts without NUL and without half surrogate pairs."""
    if not isinstance(value, str):
        return value
    text = value.encode("utf-8", "replace").decode()
    return (_NUL.sub(r"\1\\ufffd", text) if "\\u0000" in text else text).replace("\0", "\ufffd")
