"""Webhook sink: changes sent by POST to a URL, with a signature."""

from __future__ import annotations

import hmac
import http.client
import time
from collections.abc import Sequence
from contextlib import closing
from urllib.parse import urlsplit

from pantarhei.errors import ConnectionFailedError, OptionError
from pantarhei.service.changes import Change, Emitted
from pantarhei.service.clients import PATIENCE, address_of, text_of
from pantarhei.service.config import ServiceConfig, WebhookSink
from pantarhei.service.sinks.sink import Positions, Sink, to_json

_MOST = 100  # changes of a request


class WebhookChanges(Sink):
    """URL that receives `{"service": name, "changes": [...]}` by POST, at least once, with the same ids.

    With a secret, the header `X-Pantarhei-Signature` is `sha256=` and the HMAC-SHA256, in hexadecimal digits,
    of the header `X-Pantarhei-Timestamp` (Unix seconds), a dot, and the body. Each answer other than 2xx is a
    failure; redirects are not followed. After `retry`, the sink is reported as overdue, and still repeats.

    Raises:
        OptionError: the URL is invalid.
    """

    def __init__(self, name: str, config: ServiceConfig, section: WebhookSink, positions: Positions) -> None:
        super().__init__(name, section.of, positions)
        self.retry, self._service = section.retry, config.name
        parts, host_and_port = urlsplit(section.webhook), address_of(section.webhook, _PORTS)
        if host_and_port is None or parts.username:
            given = f"{parts.scheme}://{parts.hostname or ''}"  # the rest may be secret
            raise OptionError("webhook", repr(given), "a URL such as https://host/path, without user")
        self._host, self._port = host_and_port
        self.address, self._is_secure = "{}:{}".format(*host_and_port), parts.scheme == "https"
        self._target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._secret = b"" if section.secret is None else section.secret.get_secret_value().encode()

    def _connection(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._is_secure else http.client.HTTPConnection
        return kind(self._host, self._port, timeout=PATIENCE)

    def check(self) -> None:
        with self._reaching(), closing(self._connection()) as connection:
            connection.connect()

    def open(self) -> int | None:
        return None  # each request has a connection of its own

    def write(self, given: Sequence[Emitted]) -> None:
        changes = [(emitted.number, each) for emitted in given for each in emitted.changes]
        for first in range(0, len(changes), _MOST):
            part = changes[first : first + _MOST]
            if first:  # the first record may have begun in the previous request
                self._advance(part[0][0] - 1)
            self._post([each for _, each in part])
        self._advance(given[-1].number)

    def _post(self, changes: Sequence[Change]) -> None:
        given = {"service": self._service, "changes": [each.as_json() for each in changes]}
        body = to_json(given).encode()
        headers = {"Content-Type": "application/json", "User-Agent": "pantarhei"}
        if self._secret:
            stamp = str(int(time.time()))
            digest = hmac.new(self._secret, f"{stamp}.".encode() + body, "sha256").hexdigest()
            headers |= {"X-Pantarhei-Timestamp": stamp, "X-Pantarhei-Signature": f"sha256={digest}"}
        with self._reaching(), closing(self._connection()) as connection:
            connection.request("POST", self._target, body, headers)
            answer = connection.getresponse()
            text = answer.read(200).decode("utf-8", "replace")
            if not 200 <= answer.status < 300:
                problem = text_of(f"HTTP {answer.status} {answer.reason}: {text}")
                raise ConnectionFailedError(self.name, self.address, problem)


_PORTS = {"http": 80, "https": 443}
