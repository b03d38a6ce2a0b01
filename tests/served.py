"""HTTP application over a driver in this process, for tests: `Served` replaces writer and reader."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from datetime import UTC, datetime, timedelta
from functools import cached_property

from starlette.testclient import TestClient

from pantarhei.errors import WriterUnavailableError
from pantarhei.service.http import server
from pantarhei.service.http.app import ServiceView, make_app
from pantarhei.service.journal_driver import JournalDriver, read_knowledge
from pantarhei.service.message_journal import Message, Record
from pantarhei.service.metrics import ReaderMetrics
from service_tools import site, wait_until

START = datetime(2026, 1, 1, tzinfo=UTC)
STATUS = {"ready": True, "blocked": "", "sources": {}, "sinks": {}, "inbox": 0, "behind": 0.0}


class Served:
    """Driver with its view; control requests are processed at once.

    Attributes:
        pushed: the messages of control requests.
        fails: raised by control requests, unless it is None.
        status: fields of the writer's state.
    """

    def __init__(self, folder, http="{}", more=""):
        self.config = site(folder, "{web: {http: {readings: m.yaml}}}", f"http: {http}\n{more}")
        self.driver = JournalDriver.fresh(read_knowledge(self.config))
        self.driver.is_current = self.driver.emits_repairs = True
        self.view = ServiceView(self.driver, self.control, ReaderMetrics())
        self.pushed, self.fails, self.status = [], None, dict(STATUS)
        self.app = make_app(self.view)

    def client(self, **options):
        """Return a client that compares each response with the description of the application."""
        client = TestClient(self.app, "http://localhost", raise_server_exceptions=True, **options)
        client.event_hooks = {"response": [self._check]}
        return client

    def _check(self, response):
        request, status = response.request, response.status_code
        methods = next((paths for path, paths in self._described if path.fullmatch(request.url.path)), {})
        if request.method.lower() not in methods or status == 500:
            return
        described = methods[request.method.lower()]["responses"]
        assert str(status) in described, f"{request.method} {request.url.path} has no {status}"
        if "content-type" in response.headers:
            media = response.headers["content-type"].partition(";")[0]
            assert media in described[str(status)]["content"], f"{request.url.path}: {status} with {media}"

    @cached_property
    def _described(self):
        paths = TestClient(self.app, "http://localhost").get("/openapi.json").json()["paths"]
        patterns = ((path.replace("{topic}", ".+").replace("{name}", "[^/]+"), path) for path in paths)
        return [(re.compile(pattern), paths[path]) for pattern, path in patterns]

    def control(self, **request):
        if self.fails is not None:
            raise self.fails
        if "push" in request:
            self.pushed.append(request["push"])
        if "request" in request:
            self.driver.prepare_request(request["request"])
            self.apply(request=request["request"])
        at = self.driver.at
        return {"record": self.driver.number, "at": at and at.isoformat(), "metrics": "", **self.status}

    def apply(self, *messages, **fields):
        number = self.driver.number + 1
        at = START + timedelta(seconds=number)
        return self.driver.apply(Record(number, at, at, messages, **fields))

    def publish(self, emitted):
        """Show the result of a record to the application."""
        for follower in self.driver.followers:
            follower(emitted, self.driver.update)

    def read(self, sensor, value):
        """Process a reading of a sensor."""
        at = START + timedelta(seconds=self.driver.number + 1)
        text = f'{{"id": "{sensor}", "v": {value}, "at": "{at.isoformat()}"}}'
        return self.apply(Message("web", "readings", text.encode()))


@contextlib.contextmanager
def running(folder, http="{clients: 20}"):
    """Yield a `Served` with its HTTP server, on a port of its own."""
    served = Served(folder, http)
    listening = socket.create_server(("127.0.0.1", 0), backlog=512)
    served.port = listening.getsockname()[1]
    uvicorn = served.server = server.make_server(served.view)
    thread = threading.Thread(target=uvicorn.run, args=([listening],), daemon=True)
    thread.start()
    wait_until(lambda: uvicorn.started)
    served.url = f"http://127.0.0.1:{served.port}"
    try:
        yield served
    finally:
        uvicorn.should_exit = True
        thread.join(5)


UNAVAILABLE = WriterUnavailableError("the writer does not answer: Connection refused")
