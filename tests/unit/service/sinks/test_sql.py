"""SQL sinks: rows and position in one transaction, whatever fails."""

from __future__ import annotations

import itertools
import json
import sqlite3

import pytest

from pantarhei.errors import ConnectionFailedError, OptionError
from pantarhei.service.changes import Change
from pantarhei.service.connections import make_sinks
from service_tools import postgresql, site
from sink_tools import Crash, at, emitted, feed

RECORDS = [emitted(1, 1), emitted(2, 0, dead=2), emitted(3, 2, dead=1), emitted(4, 0), emitted(5, 1)]
IDS = [each.id for record in RECORDS for each in record.changes]


@pytest.fixture(scope="module")
def server():
    pytest.importorskip("adbc_driver_postgresql")
    with postgresql() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request):
    return "sqlite:///a.db" if request.param == "sqlite" else request.getfixturevalue("server")


def sink_of(folder, url):
    (folder / "state").mkdir(exist_ok=True)
    more = f'name: {folder.name}\nsinks: {{store: {{sql: "{url}", table: "{folder.name} äß"}}}}'
    [sink] = make_sinks(site(folder, "{plant: {http: {a: m.yaml}}}", more))
    return sink


def query(sink, text):
    connection = sink._connected()
    try:
        cursor = connection.cursor()
        cursor.execute(text)
        rows = cursor.fetchall()
        cursor.close()
        return rows
    finally:
        connection.close()


def stored_ids(sink):
    return [row[0] for row in query(sink, f"select id from {sink._table} order by id")]


class CrashingConnection:
    """Connection that fails at one of its calls, before or after it.

    Args:
        state: number of the calls so far, and of the call that fails.
    """

    def __init__(self, connection, state, error, is_after):
        self._connection, self._state, self._error, self._is_after = connection, state, error, is_after

    def __getattr__(self, name):
        method = getattr(self._connection, name)
        if name not in ("commit", "cursor", "execute", "executemany"):
            return method

        def run(*given):
            if name == "cursor":
                return CrashingConnection(method(), self._state, self._error, self._is_after)
            self._state[0] += 1
            if self._state[0] != self._state[1]:
                return method(*given)
            if self._is_after:
                method(*given)
            raise self._error("it has gone")

        return run


@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize("error", [Crash, pytest.param(OSError, marks=pytest.mark.long)])
@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.long)])
def test_a_failure_at_each_call_loses_and_repeats_nothing(tmp_path, url, step, error, is_after, monkeypatch):
    for last in itertools.count(7 + 3 * is_after, step):  # the calls before are those of open
        folder = tmp_path / f"{error.__name__}{is_after}{step}at{last}"
        folder.mkdir()
        sink = sink_of(folder, url)
        state, connected = [0, last], sink._connected
        crashing = lambda: CrashingConnection(connected(), state, error, is_after)  # noqa: B023, E731
        monkeypatch.setattr(sink, "_connected", crashing)
        try:
            feed(sink, RECORDS)
            is_over = True
        except error:
            is_over = False
            sink.close()
            feed(sink_of(folder, url), RECORDS, journaled=5)
        assert stored_ids(sink_of(folder, url)) == sorted(
            IDS, key=lambda each: (int(each.split("-")[0]), each)
        )
        if is_over:
            break
    assert last > 12, "there are calls to fail at"


def test_rows_have_the_types_of_the_database(tmp_path, url):
    sink = sink_of(tmp_path, url)
    feed(sink, RECORDS)
    [(id_, number, time, name, sign, row)] = query(sink, f"select * from {sink._table} where record = 1")
    assert (id_, number, name, sign) == (IDS[0], 1, "hot", "+")
    assert json.loads(row) == {"s": "ü0", "v": 30.5}
    assert time == (at(1) if url.startswith("postgres") else "2026-01-01T00:00:01Z")
    letters = query(sink, "select reason, payload from dead_letters where record = 3")
    assert ("malformed", b"\xff{") in letters


def test_what_is_there_already_is_not_written_again(tmp_path, url):
    for _ in range(2):
        sink = sink_of(tmp_path, url)
        sink.open()
        sink.write(RECORDS)
        sink.close()
    assert len(stored_ids(sink)) == len(IDS)


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "\\u0000", "\\\0", "\\\\\0", "ü\0\ud83d", "'\"; drop"])
def test_texts_that_a_database_refuses_are_replaced(tmp_path, url, text):
    sink = sink_of(tmp_path, url)
    change = Change("1-a", at(1), text, "+", {text: text})
    feed(sink, [emitted(1)._replace(changes=(change,))])
    [(name, row)] = query(sink, f'select name, "row" from {sink._table}')
    expected = text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    if text != "\\u0000":
        assert name == expected
        assert json.loads(row) == {expected: expected}


def test_two_services_share_a_database(tmp_path, url):
    for name, last in (("one", 5), ("two", 3)):
        (tmp_path / name).mkdir()
        there = url if url.startswith("postgres") else f"sqlite:///{tmp_path}/b.db"
        feed(sink_of(tmp_path / name, there), RECORDS[:last])
    sinks = [sink_of(tmp_path / name, there) for name in ("one", "two")]
    assert [sink.open() for sink in sinks] == [5, 3]
    for sink in sinks:
        sink.close()


def test_a_database_of_an_older_backup_decides_where_to_continue(tmp_path, url):
    sink = sink_of(tmp_path, url)
    feed(sink, RECORDS)
    sink.keep_position()
    connection = sink._connected()
    cursor = connection.cursor()
    cursor.execute(f"update pantarhei_positions set record = 2 where sink = '{sink._key}'")
    cursor.close()
    connection.commit()
    connection.close()
    again = sink_of(tmp_path, url)
    feed(again, [])
    assert again.status.position == 2


def test_the_password_does_not_appear_in_the_error(tmp_path, monkeypatch):
    pytest.importorskip("adbc_driver_postgresql")
    monkeypatch.setenv("HIDDEN", "geheim")
    for given in (
        "postgresql://me:${HIDDEN}@127.0.0.1:1/d",
        "postgresql://me@127.0.0.1:1/d?password=${HIDDEN}",
    ):
        sink = sink_of(tmp_path, given)
        for run in (sink.check, sink.open):
            with pytest.raises(ConnectionFailedError, match=r"postgresql://127\.0\.0\.1:1/d") as found:
                run()
            assert "geheim" not in str(found.value)
            assert "\n" not in str(found.value)


def test_a_database_that_cannot_be_opened_is_an_error(tmp_path):
    (tmp_path / "a.db").mkdir()
    with pytest.raises(ConnectionFailedError, match=r"a\.db"):
        sink_of(tmp_path, "sqlite:///a.db").check()


@pytest.mark.parametrize("given", ["oracle://me:${HIDDEN}@host/d", "alarms.db", "sqlite://a.db"])
def test_an_unknown_database_is_refused(tmp_path, monkeypatch, given):
    monkeypatch.setenv("HIDDEN", "geheim")
    with pytest.raises(OptionError, match="postgresql://USER") as found:
        sink_of(tmp_path, given)
    assert "geheim" not in str(found.value)


def test_a_locked_database_is_waited_for(tmp_path, monkeypatch):
    sink = sink_of(tmp_path, "sqlite:///a.db")
    feed(sink, RECORDS[:1])
    sink.open()
    sink._connection.execute("pragma busy_timeout = 10")
    other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        sink.write(RECORDS)
    other.execute("rollback")
    other.close()
    feed(sink, RECORDS)
    assert len(stored_ids(sink)) == len(IDS)
