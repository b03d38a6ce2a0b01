"""SQL sinks: changes, and the position after them, in one transaction of SQLite or PostgreSQL."""

from __future__ import annotations

import re
import sqlite3
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit

from pantarhei.errors import MissingPackageError
from pantarhei.service.changes import Emitted
from pantarhei.service.config import ServiceConfig, SQLSink
from pantarhei.service.sinks.sink import PATIENCE, Positions, Sink, letters_of, rows_of

Connection: TypeAlias = Any  # of the DB-API, for which there is no type


class DatabaseSink(Sink):
    """Table of a database with the columns `id`, `record`, `at`, `name`, `change` and `row`.

    Dead letters are in the table `dead_letters`, positions in `pantarhei_positions`. A change that is there
    already is recognized by its id. All is written exactly once: the position is in the same transaction.
    """

    recognizes_ids = True
    _types: Sequence[str]  # of a number, a time, a JSON text and bytes

    def __init__(self, name: str, config: ServiceConfig, section: SQLSink, positions: Positions) -> None:
        super().__init__(name, section.of, positions, takes_dead=True)
        self._key = f"{config.name}/{name}"  # services may share a database
        self._table = '"' + section.table.replace('"', '""') + '"'
        self._connection: Connection = None

    @property
    @abstractmethod
    def _address(self) -> str:
        """Address of the database without secrets."""

    @abstractmethod
    def _connected(self) -> Connection:
        """Return a new connection, in which a transaction begins by itself."""

    @abstractmethod
    def _mark(self, place: int) -> str:
        """Return the placeholder of a value, counted from 1."""

    def open(self) -> int | None:
        self.close()
        number, time, row, binary = self._types
        try:
            self._connection = self._connected()
            self._execute(
                f"create table if not exists {self._table} (id text primary key, record {number} not null, "
                f'"at" {time} not null, name text not null, change text not null, "row" {row} not null)'
            )
            self._execute(
                f"create table if not exists dead_letters (id text primary key, record {number} not null, "
                f"reason text, detail text, source text, topic text, payload {binary})"
            )
            self._execute(
                f"create table if not exists pantarhei_positions (sink text primary key, record {number})"
            )
            self._connection.commit()
            query = f"select record from pantarhei_positions where sink = {self._mark(1)}"
            found = self._execute(query, [(self._key,)], fetch=True)
            self._connection.commit()
        except Exception as error:
            raise self._failed(self._address, error) from error
        return None if found is None else int(found[0])

    def check(self) -> None:
        try:
            self._connected().close()
        except Exception as error:
            raise self._failed(self._address, error) from error

    def write(self, given: Sequence[Emitted]) -> None:
        position = max(self.status.position, given[-1].number)
        try:
            self._insert(self._table, [row for emitted in given for row in rows_of(emitted)], (3, 6))
            letters = [
                (id_, emitted.number, each.reason, each.detail, *each.message[:3])
                for emitted in given
                for id_, each in letters_of(emitted)
            ]
            self._insert("dead_letters", letters)
            self._execute(
                f"insert into pantarhei_positions values ({self._mark(1)}, {self._mark(2)}) "
                "on conflict (sink) do update set record = excluded.record",
                [(self._key, position)],
            )
            self._connection.commit()
        except BaseException:
            self.close()  # the transaction is rolled back, also if the connection is broken
            raise
        self.status.position = position

    def _insert(self, table: str, rows: Sequence[tuple[Any, ...]], typed: tuple[int, ...] = ()) -> None:
        if not rows:
            return
        types = dict(zip(typed, self._types[1:], strict=False))
        marks = ", ".join(
            self._cast(self._mark(place), types[place]) if place in types else self._mark(place)
            for place in range(1, len(rows[0]) + 1)
        )
        statement = f"insert into {table} values ({marks}) on conflict do nothing"
        self._execute(statement, [tuple(map(_storable, row)) for row in rows])

    def _cast(self, mark: str, type_: str) -> str:
        return mark

    def _execute(self, statement: str, rows: Sequence[tuple[Any, ...]] = (), fetch: bool = False) -> Any:
        cursor = self._connection.cursor()
        try:
            if len(rows) > 1:
                cursor.executemany(statement, rows)
            else:
                cursor.execute(statement, *rows)
            return cursor.fetchone() if fetch else None
        finally:
            cursor.close()

    def close(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            connection.close()


class SQLiteSink(DatabaseSink):
    """SQLite database; times and rows are texts."""

    _types = ("integer", "text", "text", "blob")

    def __init__(self, name: str, config: ServiceConfig, section: SQLSink, positions: Positions) -> None:
        super().__init__(name, config, section, positions)
        self._path: Path = config.path(section.sql.removeprefix("sqlite:///"))

    @property
    def _address(self) -> str:
        return str(self._path)

    def _connected(self) -> Connection:
        # opened in the thread of the writer, used and closed in that of the sink
        connection = sqlite3.connect(self._path, check_same_thread=False)
        connection.execute("pragma journal_mode=wal")
        connection.execute("pragma synchronous=full")
        return connection

    def _mark(self, place: int) -> str:
        return "?"


class PostgreSQLSink(DatabaseSink):
    """PostgreSQL database, by ADBC; times are `timestamptz`, rows `jsonb`.

    Raises:
        MissingPackageError: adbc-driver-postgresql is not installed.
    """

    _types = ("bigint", "timestamptz", "jsonb", "bytea")

    def __init__(self, name: str, config: ServiceConfig, section: SQLSink, positions: Positions) -> None:
        super().__init__(name, config, section, positions)
        try:
            import adbc_driver_postgresql.dbapi as driver
        except ImportError as error:
            raise MissingPackageError("postgres", "a sink of PostgreSQL", str(error)) from None
        self._driver: Any = driver
        parts = urlsplit(section.sql)
        # a server that vanishes without a word is noticed within these seconds
        limits = {"connect_timeout": f"{PATIENCE:.0f}", "keepalives_idle": "10", "tcp_user_timeout": "30000"}
        query = limits | dict(parse_qsl(parts.query))
        self._url = parts._replace(query=urlencode(query)).geturl()
        self._secret = parts.password or dict(parse_qsl(parts.query)).get("password")
        self._parts = parts

    @property
    def _address(self) -> str:
        return f"postgresql://{self._parts.netloc.rpartition('@')[2]}{self._parts.path}"

    def _connected(self) -> Connection:
        return self._driver.connect(self._url)

    def _mark(self, place: int) -> str:
        return f"${place}"

    def _cast(self, mark: str, type_: str) -> str:
        return f"cast(cast({mark} as text) as {type_})"

    def _failed(self, address: str, error: object) -> Any:
        text = str(error).replace(self._secret, "***") if self._secret else error
        return super()._failed(address, text)


_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


def _storable(value: object) -> object:
    """Return a value that both databases store: texts without NUL and without half surrogate pairs."""
    if not isinstance(value, str):
        return value
    if not value.isascii():
        value = value.encode("utf-8", "replace").decode()
    if "\\u0000" in value:
        value = _NUL.sub(r"\1\\ufffd", value)
    return value.replace("\0", "\ufffd")
