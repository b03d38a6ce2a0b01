"""Results of records, crashes, and sinks without threads, for the tests of sinks."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from pantarhei.service.changes import ChangeCounter, Emitted
from pantarhei.service.message_journal import DeadLetter, Message

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(second: float) -> datetime:
    """Return a time so many seconds after `START`."""
    return START + timedelta(seconds=second)


def emitted(number: int, changes: int = 2, dead: int = 0, name: str = "hot"):
    """Return the result of a record with so many changes and dead letters, at that second."""
    counter = ChangeCounter(number)
    rows = [counter.change(at(number), name, "+", {"s": f"ü{place}", "v": 30.5}) for place in range(changes)]
    letters = [DeadLetter(Message("plant", "site/1", b"\xff{"), "malformed", "not JSON") for _ in range(dead)]
    return Emitted(number, at(number), tuple(rows), tuple(letters))


class Crash(BaseException):
    """End of the process at an operation."""


class Crashing:
    """Replacement of functions that raises `Crash` at one of their calls.

    Args:
        last: number of the call, counted from 1; 0 for none.
        part: bytes that a write takes before the crash; None to crash after the call.
    """

    def __init__(self, last: int = 0, part: int | None = None) -> None:
        self.last, self.part, self.calls = last, part, 0

    def patch(self, patcher: pytest.MonkeyPatch, owner: object, *names: str) -> None:
        """Replace functions of a module or class; those that sync do nothing, which is faster."""
        for name in names:
            patcher.setattr(owner, name, self._crashing(getattr(owner, name), name))

    def _crashing(self, function, name):
        def run(*args, **options):
            self.calls += 1
            is_last = self.calls == self.last
            if is_last and self.part is not None:
                if name == "write":
                    function(args[0], bytes(args[1])[: self.part])
                raise Crash
            found = None if "sync" in name else function(*args, **options)
            if is_last:
                raise Crash
            return found

        return run


class NoThread:
    """Thread of a sink that does not run: the test writes."""

    ident = None

    def start(self) -> None: ...


def feed(sink, records, journaled: int = 0, batch: int = 2) -> None:
    """Open a sink and write records in batches, in this thread, without repeating what fails."""
    sink._thread, sink.journaled = NoThread(), journaled
    sink.begin(journaled)
    sink.journaled = max((each.number for each in records), default=journaled)
    assert sink.status.problem == ""
    new = [each for each in records if each.number > sink.status.position]
    for first in range(0, len(new), batch):
        sink._write_new(new[first : first + batch])
    sink.keep_position()
    sink.close()


class WebhookServer(ThreadingHTTPServer):
    """Server that answers with the statuses in `answers`, then with 200, and keeps what it received.

    Attributes:
        received: path, headers and body of each request.
        answers: statuses; None to close the connection without an answer.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Hook)
        self.received, self.answers = [], []

    @property
    def ids(self) -> list[str]:
        """The ids of the received changes."""
        return [each["id"] for _, _, body in list(self.received) for each in json.loads(body)["changes"]]


class _Hook(BaseHTTPRequestHandler):
    server: WebhookServer

    def do_POST(self):
        size = int(self.headers["Content-Length"])
        if len(body := self.rfile.read(size)) < size:
            return  # the sink was killed
        self.server.received.append((self.path, self.headers, body))
        status = self.server.answers.pop(0) if self.server.answers else 200
        if status is None:
            self.connection.close()
            return
        self.send_response(status)
        self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")
        self.end_headers()
        with suppress(BrokenPipeError):  # the sink was killed
            self.wfile.write(b"no\nthanks")

    do_GET = do_POST

    def log_message(self, *given): ...


@contextmanager
def webhook_server() -> Iterator[WebhookServer]:
    """Run a server of webhooks in a thread."""
    server = WebhookServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
