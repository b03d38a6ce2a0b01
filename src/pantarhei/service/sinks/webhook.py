"""Webhook sink: changes sent by POST to a URL, with a signature."""

from __future__ import annotations

import hmac
import http.client
import ssl
import time
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from pantarhei.errors import OptionError
from pantarhei.service.changes import Change, Emitted
from pantarhei.service.config import ServiceConfig, WebhookSink
from pantarhei.service.sinks.sink import PATIENCE, Positions, Sink, to_json

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
        super().__init__(name, section.of, positions, retry=section.retry)
        parts = urlsplit(section.webhook)
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in ("http", "https") or not parts.hostname or port == -1 or parts.username:
            given = f"{parts.scheme}://{parts.hostname or ''}"  # the rest may be secret
            raise OptionError("webhook", repr(given), "a URL such as https://host/path, without user")
        self._host, self._port, self._is_secure = parts.hostname, port, parts.scheme == "https"
        self._target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._service = config.name
        self._secret = b"" if section.secret is None else section.secret.get_secret_value().encode()

    def _connection(self) -> http.client.HTTPConnection:
        if self._is_secure:
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(self._host, self._port, timeout=PATIENCE, context=context)
        return http.client.HTTPConnection(self._host, self._port, timeout=PATIENCE)

    @property
    def _address(self) -> str:
        return f"{self._host}:{self._connection().port}"

    def check(self) -> None:
        connection = self._connection()
        try:
            connection.connect()
        except OSError as error:
            raise self._failed(self._address, error.strerror or error) from error
        finally:
            connection.close()

    def open(self) -> int | None:
        return None  # each request has a connection of its own

    def write(self, given: Sequence[Emitted]) -> None:
        for number, changes in _requests(given):
            if changes:
                self._post(to_json({"service": self._service, "changes": changes}).encode())
            if number is not None:
                self._keep(number)

    def _post(self, body: bytes) -> None:
        headers = {"Content-Type": "application/json", "User-Agent": "pantarhei"}
        if self._secret:
            stamp = str(int(time.time()))
            digest = hmac.new(self._secret, f"{stamp}.".encode() + body, "sha256").hexdigest()
            headers |= {"X-Pantarhei-Timestamp": stamp, "X-Pantarhei-Signature": f"sha256={digest}"}
        connection = self._connection()
        try:
            connection.request("POST", self._target, body, headers)
            answer = connection.getresponse()
            text = answer.read(200).decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            raise self._failed(self._address, error) from error
        finally:
            connection.close()
        if not 200 <= answer.status < 300:
            raise self._failed(self._address, f"HTTP {answer.status} {answer.reason}: {text}")


def _requests(given: Sequence[Emitted]) -> Iterator[tuple[int | None, list[dict[str, Any]]]]:
    """Yield the changes of each request, and the number of the record that is complete after it, if any."""
    pending: list[Change] = []
    done: int | None = None
    for emitted in given:
        if pending and len(pending) + len(emitted.changes) > _MOST:
            yield done, [each.as_json() for each in pending]
            pending = []
        pending += emitted.changes
        while len(pending) > _MOST:
            yield None, [each.as_json() for each in pending[:_MOST]]
            pending = pending[_MOST:]
        done = emitted.number
    yield done, [each.as_json() for each in pending]
