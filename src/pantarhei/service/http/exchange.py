"""Requests and responses of the HTTP server: tokens, bodies, formats, and errors as texts."""

from __future__ import annotations

import asyncio
import hmac
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from pantarhei.errors import (
    EntailedError,
    NotEntailedError,
    PantarheiError,
    QueryTimeoutError,
    ServiceError,
    WriterUnavailableError,
)
from pantarhei.errors.base import as_argument, parameters_written
from pantarhei.service.clients import LOG

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from pantarhei.service.config import HTTPSection

_T = TypeVar("_T")
BODY_TIME = 30.0
"""Seconds within which the body of a request must arrive."""
PERIOD = 0.5
"""Seconds for which requests share a polled value."""
_FIELDS, _RANGES = 100, 50  # most parameters of a request, and most ranges in Accept
_REST = 8  # bytes of a refused body that are read, as a multiple of the limit
POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
"""Content security policy: the page loads nothing from other servers."""
_HEADERS = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
_HEADERS |= {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}
_RETRY = {"Retry-After": "1"}
_CLOSE = {"Connection": "close"}
_GRACE = 1.0  # seconds in which a query ends by itself, with a text of its own


class RequestError(ServiceError):
    """A request cannot be answered.

    Args:
        status: the status code of the response.
        problem: the error.
        headers: further headers of the response.
    """

    def __init__(self, status: int, problem: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, problem, headers)
        self.status, self.problem, self.headers = status, problem, headers

    def __str__(self) -> str:
        return self.problem


def busy(status: int, problem: str) -> RequestError:
    """Return the error of a request that can be sent again after a second."""
    return RequestError(status, f"{problem}; send the request again in a second", _RETRY)


class Guard:
    """Middleware that limits the requests at once, checks tokens and origins, and answers errors as texts.

    Args:
        count: called with the path and the status of each response.
    """

    def __init__(self, app: ASGIApp, section: HTTPSection, count: Callable[[str, int], object]) -> None:
        self._app, self._section, self._count = app, section, count
        self._running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._count(scope["path"], status)
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        self._running += 1
        try:
            if self._running > self._section.clients and scope["path"] not in ("/health", "/ready"):
                raise busy(503, f"more than {self._section.clients} requests run, the limit http.clients")
            check_access(Request(scope), self._section)
            await self._app(scope, receive, note)
        except ClientDisconnect:
            return
        except Exception as error:
            response = error_response(error)
            if response.status_code == 500:
                LOG.exception("%s %s failed", scope["method"], scope["path"][:200])
            LOG.debug("%s %r: %d, %s", scope["method"], scope["path"][:200], response.status_code, error)
            if not status:
                await response(scope, receive, note)
        finally:
            self._running -= 1


def error_response(error: Exception) -> Response:
    """Return the response for an error: its text, without a stack trace."""
    if isinstance(error, TimeoutError):
        error = busy(503, "the service is busy")
    if not isinstance(error, PantarheiError):
        return PlainTextResponse("internal error; the log of the service describes it\n", 500)
    with parameters_written(_parameter):
        text = f"{error}\n"
    if isinstance(error, RequestError):
        return PlainTextResponse(text, error.status, error.headers)
    if isinstance(error, QueryTimeoutError | WriterUnavailableError):
        return PlainTextResponse(text, 503, _RETRY)
    return PlainTextResponse(text, 404 if isinstance(error, NotEntailedError | EntailedError) else 400)


def _parameter(name: str, value: str | None) -> str:
    """Write a parameter in an error as a key of the configuration."""
    known = {"query.timeout": "http.query.timeout", "query.max_bytes": "http.query.bytes"}
    if name in known:
        return known[name] if value is None else f"{known[name]}: {value}"
    return "" if name.startswith("query.") else as_argument(name, value)


# -- access ----------------------------------------------------------------------------------------

_OPEN = ("/", "/health", "/ready", "/openapi.json")
_OWN = re.compile(r"(localhost|\d+(\.\d+){3}|\[[\da-f:.]+\])(:\d+)?", re.ASCII | re.IGNORECASE)


def needed_token(method: str, path: str) -> str | None:
    """Return the name of the token that a request needs; None if it needs none."""
    if path in _OPEN or path.startswith("/static/"):
        return None
    if path.startswith("/push/"):
        return "push"
    is_change = path.startswith("/queries") and method not in ("GET", "HEAD")
    return "admin" if is_change else "read"


def check_access(request: Request, section: HTTPSection) -> None:
    """Check host, origin and token of a request.

    Raises:
        RequestError: the token is missing or wrong, or the host or the origin is unknown.
    """
    host, origin = request.headers.get("host", ""), request.headers.get("origin")
    known = {urlsplit(each).netloc for each in section.origins}
    # Without a token, a page of another site could rename itself to this address and read everything.
    if section.tokens.read is None and not (_OWN.fullmatch(host) or host in known or "*" in section.origins):
        advice = f"add https://{host[:200]} to http.origins, or set http.tokens.read"
        raise RequestError(403, f"the host name {host[:200]!r} is unknown; {advice}")
    is_foreign = origin is not None and origin.partition("://")[2] != host
    is_read = request.method in ("GET", "HEAD", "OPTIONS")
    if is_foreign and not is_read and not {origin, "*"} & set(section.origins):
        raise RequestError(403, f"the origin {origin!r} is unknown; add it to http.origins"[:300])
    path = request.scope["path"]  # that of request.url depends on the header Host
    name = needed_token(request.method, path)
    token = None if name is None else getattr(section.tokens, name)
    if token is None:
        return
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        given = request.query_params.get("token", "") if path == "/events" else ""
    accepted = [each.get_secret_value() for each in (token, section.tokens.admin) if each is not None]
    given = given.strip()
    if not given or not any(hmac.compare_digest(given.encode(), each.encode()) for each in accepted):
        problem = "is wrong" if given else "is missing"
        challenge = 'Bearer realm="pantarhei"' + (', error="invalid_token"' if given else "")
        text = f"the {name} token {problem}; send it in the header Authorization: Bearer TOKEN"
        raise RequestError(401, text, {"WWW-Authenticate": challenge})


# -- bodies and parameters -------------------------------------------------------------------------


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of a request. The body of a refused request is read, too, unless it is very large:
    proxies and clients report a failure if the connection is closed while they write.

    Raises:
        RequestError: it has more than `most` bytes, is compressed, or does not arrive in time.
    """
    refusal, body, length = None, bytearray(), request.headers.get("content-length", "")
    size, declared = 0, int(length[:20]) if length.isdecimal() else 0
    too_large = RequestError(413, f"the body has more than {most:,} bytes, the limit http.body", _CLOSE)
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        refusal = RequestError(415, "the body is compressed; send it uncompressed", _CLOSE)
    elif declared > most:
        refusal = too_large
    if refusal and (declared > most * _REST or "expect" in request.headers):
        raise refusal
    try:
        async with asyncio.timeout(BODY_TIME):
            async for chunk in request.stream():
                size += len(chunk)
                if size > most:
                    refusal = refusal or too_large
                else:
                    body += chunk
                if refusal and size > most * _REST:
                    raise refusal
    except TimeoutError:
        problem = f"the body did not arrive within {BODY_TIME:.0f} seconds"
        raise RequestError(408, problem, _CLOSE) from None
    if refusal:
        raise refusal
    return bytes(body)


def text_of(body: bytes) -> str:
    """Return a body as text. Raises `RequestError`."""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RequestError(400, f"the body is not UTF-8: {error.reason} at byte {error.start:,}") from None


def fields_of(text: str) -> list[tuple[str, str]]:
    """Return the parameters in a URL or a form. Raises `RequestError`."""
    try:
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_FIELDS)
    except ValueError as error:
        raise RequestError(400, f"the parameters are malformed: {error}") from None


def media_type_of(request: Request) -> str:
    """Return the media type of the body, in lower case; empty without one.

    Raises:
        RequestError: the character set is not UTF-8.
    """
    media, _, parameters = request.headers.get("content-type", "").lower().partition(";")
    found = re.search(r"charset=\"?([^\s;\"]+)", parameters)
    if found is not None and found[1] not in ("utf-8", "utf8", "us-ascii"):
        raise RequestError(415, f"the character set {found[1]} is not supported; send UTF-8")
    return media.strip()


# -- formats ---------------------------------------------------------------------------------------


def accepted(request: Request, offered: Sequence[str]) -> str:
    """Return the best accepted media type (RFC 9110, section 12.5.1).

    Raises:
        RequestError: none is accepted.
    """
    found = preferred(", ".join(request.headers.getlist("accept")), offered)
    if found is None:
        raise RequestError(406, f"no accepted format is available; the formats are {', '.join(offered)}")
    return found


def preferred(accept: str, offered: Sequence[str]) -> str | None:
    """Return the media type with the greatest weight in an Accept header, the first one of equal weights.

    >>> preferred("text/csv;q=0.5, application/*;q=0.8", ["text/csv", "application/json"])
    'application/json'
    >>> preferred("text/html, */*;q=0", ["text/csv"])
    """
    ranges = [_range(each) for each in accept.split(",")[:_RANGES] if each.strip()] or [("*/*", 1.0)]

    def weight(media: str) -> float:
        patterns = (media, f"{media.partition('/')[0]}/*", "*/*")  # the most specific range decides
        return next((q for each in patterns for name, q in ranges if name == each), 0.0)

    best = max(offered, key=weight)
    return best if weight(best) > 0 else None


def _range(given: str) -> tuple[str, float]:
    media, *parameters = (part.strip().lower() for part in given.split(";"))
    weights = [each[2:] for each in parameters if re.fullmatch(r"q=[01](\.\d{0,3})?", each)]
    return media, min(float(weights[0]), 1.0) if weights else 1.0


class Slots:
    """Threads for queries and explanations, as many as may run at once; further ones are refused.

    Args:
        count: number of threads.
        timeout: time after which a request is refused. Its thread remains in use until the work ends: queries
            end at this limit, explanations at a limit of their search steps.
    """

    def __init__(self, count: int, timeout: timedelta) -> None:
        self._count, self._timeout = count, timeout.total_seconds()
        self._free, self._pool = threading.Semaphore(count), ThreadPoolExecutor(count, "query")

    async def run(self, work: Callable[[], _T]) -> _T:
        """Run a function in a thread.

        Raises:
            RequestError: all threads are in use, or the time is over. Also raises the errors of the function.
        """
        if not self._free.acquire(blocking=False):
            raise busy(429, f"{self._count} queries run already, the limit http.query.at_once")

        def run() -> _T:
            try:
                return work()
            finally:  # also if the client has gone meanwhile
                self._free.release()

        done = asyncio.get_running_loop().run_in_executor(self._pool, run)
        await asyncio.wait([done], timeout=self._timeout + _GRACE)
        if not done.done():
            done.add_done_callback(lambda late: late.cancelled() or late.exception())  # else it is logged
            raise busy(503, f"there is no result after {self._timeout:g} s, the limit http.query.timeout")
        return done.result()


class Polled:
    """Value that is computed in a thread: at most once at a time, and at most once in `PERIOD` seconds.

    Args:
        compute: computes the value.
        pause: least time between computations, as a multiple of the time that one takes.
    """

    def __init__(self, compute: Callable[[], Any], pause: float = 0.0) -> None:
        self._compute, self._pause, self._thread = compute, pause, ThreadPoolExecutor(1)
        self._value: asyncio.Future[Any] | None = None
        self._ends = 0.0

    async def get(self, patience: float) -> Any:
        """Return the value. Raises `TimeoutError` after `patience` seconds, or the error of `compute`."""
        if self._value is None or (self._value.done() and time.monotonic() >= self._ends):
            self._value = asyncio.get_running_loop().run_in_executor(self._thread, self._computed)
        async with asyncio.timeout(patience):
            return await asyncio.shield(self._value)

    def _computed(self) -> Any:
        began = time.monotonic()
        try:
            return self._compute()
        finally:
            now = time.monotonic()
            self._ends = now + max(PERIOD, self._pause * (now - began))
