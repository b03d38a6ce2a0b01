"""The server on a socket, against clients that are slow, many, or send anything."""

import contextlib
import logging
import socket
import time

import httpx
import pytest

from pantarhei.service.http import exchange, server
from served import running
from service_tools import wait_until

pytestmark = pytest.mark.long
HEAD = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"


def connect(served, data=b""):
    connection = socket.create_connection(("127.0.0.1", served.port), 5)
    with contextlib.suppress(ConnectionError):
        connection.sendall(data)
    return connection


def answer(connection):
    """Everything that the server sends until it closes the connection."""
    found = b""
    with contextlib.suppress(ConnectionError):
        while part := connection.recv(1 << 16):
            found += part
    return found


def is_alive(served):
    return httpx.get(f"{served.url}/health", timeout=5).text == "alive\n"


@pytest.mark.parametrize("data", [b"", b"GET", HEAD, HEAD + b"X: 1\r\n", HEAD + b"\r\n" + HEAD])
def test_a_head_that_does_not_arrive_in_time_closes_the_connection(tmp_path, monkeypatch, data):
    monkeypatch.setattr(server, "HEAD_TIME", 0.2)
    with running(tmp_path) as served:
        connection = connect(served, data)
        if data.count(HEAD) > 1:  # the second request of a connection
            wait_until(lambda: connection.recv(1 << 16, socket.MSG_PEEK))
            connection.sendall(b"X: 1\r\n")
        began = time.monotonic()
        answer(connection)
        assert time.monotonic() - began < 3
        assert is_alive(served)


def test_a_slow_body_is_answered_with_a_timeout(tmp_path, monkeypatch):
    monkeypatch.setattr(exchange, "BODY_TIME", 0.2)
    with running(tmp_path) as served:
        head = b"POST /push/readings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n"
        found = answer(connect(served, head + b"{"))
        assert found.startswith(b"HTTP/1.1 408") and b"did not arrive" in found


def test_an_endless_body_is_refused_while_it_arrives(tmp_path):
    with running(tmp_path, "{body: 10kB}") as served:
        head = b"POST /push/readings HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection = connect(served, head)
        with contextlib.suppress(ConnectionError):
            for _ in range(1_000):
                connection.sendall(b"1000\r\n" + b"x" * 4096 + b"\r\n")
        assert answer(connection)[:12] in (b"HTTP/1.1 413", b"")
        assert is_alive(served) and served.pushed == []


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\r\n" * 1_000,
        b"GET / HTTP/9.9\r\nConnection: close\r\n\r\n",
        HEAD + b"X: " + b"x" * 1_000_000 + b"\r\n\r\n",
        b"GET /" + b"a/" * 500_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /push/readings HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /push/readings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        HEAD + b"Upgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n",
        b"GET http://evil.example/health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET /%ff%fe%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ],
)
def test_anything_else_than_a_request_is_answered_or_closed(tmp_path, monkeypatch, data, caplog):
    monkeypatch.setattr(server, "HEAD_TIME", 0.3)
    with running(tmp_path) as served:
        found = answer(connect(served, data))
        assert b"Traceback" not in found and b".py" not in found
        assert is_alive(served)
    assert "Traceback" not in caplog.text


def test_a_client_that_does_not_read_is_cut_off(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "READ_TIME", 0.3)
    with running(tmp_path) as served:
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", served.port))
        connection.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        hub = served.view.metrics.events
        wait_until(lambda: len(hub) == 1)
        emitted = served.read("a", 31)
        end = time.monotonic() + 20
        while len(hub) and time.monotonic() < end:
            served.publish(emitted._replace(changes=emitted.changes * 400))
            time.sleep(0.01)
        wait_until(lambda: len(served.server.server_state.connections) == 0)
        assert len(hub) == 0 and is_alive(served)


def test_more_clients_than_permitted_are_refused_and_the_log_stays_short(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(server, "HEAD_TIME", 6.0)  # the connections stay while they are made
    with running(tmp_path) as served, caplog.at_level(logging.INFO):
        idle = []
        for _ in range(200):
            with contextlib.suppress(OSError):
                idle.append(connect(served))
        state = served.server.server_state
        wait_until(lambda: len(state.connections) == 140)  # twice `clients`, and 100
        assert answer(connect(served, HEAD + b"\r\n")) == b""
        wait_until(lambda: not state.connections, 20)  # idle connections end by themselves
        assert is_alive(served)
        for connection in idle:
            connection.close()
    assert len(caplog.records) < 10
