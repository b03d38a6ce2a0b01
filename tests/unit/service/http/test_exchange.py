import asyncio
import pickle
import time

import pytest
from starlette.datastructures import URL
from starlette.requests import Request

from pantarhei.errors import NotEntailedError, QueryTimeoutError
from pantarhei.service.config import HTTPSection
from pantarhei.service.http.exchange import (
    Polled,
    RequestError,
    check_access,
    error_response,
    needed_token,
    preferred,
    read_body,
)
from served import UNAVAILABLE

TOKENS = {"read": "r", "push": "p", "admin": "a"}


def section(tokens=(), values=TOKENS, **fields):
    """A section whose tokens are given in the form that configuration files have after reading."""
    made = HTTPSection(**fields)
    secrets = {name: _Secret(values[name]) for name in tokens}
    return made.model_copy(update={"tokens": made.tokens.model_copy(update=secrets)})


class _Secret:
    def __init__(self, text):
        self._text = text

    def get_secret_value(self):
        return self._text


def request(method="GET", path="/sparql", query="", **headers):
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    pairs = [("host", "localhost:8190")] * ("host" not in headers) + pairs
    raw = [(name if isinstance(name, bytes) else name.encode(), value) for name, value in pairs]
    raw = [(name, value if isinstance(value, bytes) else value.encode()) for name, value in raw]
    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": raw}
    return Request({**scope, "scheme": "http", "server": ("localhost", 8190)})


def status_of(given, made):
    try:
        check_access(given, made)
    except RequestError as error:
        return error.status
    return 200


# -- formats


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("", "a/x"),
        ("*/*", "a/x"),
        ("b/z", "b/z"),
        ("b/*", "b/z"),
        ("a/y, a/x", "a/x"),
        ("a/x;q=0.4, a/y;q=0.5", "a/y"),
        ("a/*;q=0.9, a/x;q=0.1", "a/y"),
        ("*/*, a/x;q=0", "a/y"),
        ("A/Y", "a/y"),
        ("a/x;q=0.000, b/z;q=0.001", "b/z"),
        ("text/html", None),
        ("*/*;q=0", None),
        (";;;,,q=,", None),
        ("a/y;q=7", "a/y"),
    ],
)
def test_the_greatest_weight_decides_and_the_most_specific_range_gives_it(accept, expected):
    assert preferred(accept, ["a/x", "a/y", "b/z"]) == expected


# -- tokens, hosts and origins


@pytest.mark.parametrize(
    ("method", "path", "token"),
    [
        ("GET", "/", None),
        ("GET", "/static/page.js", None),
        ("GET", "/health", None),
        ("GET", "/ready", None),
        ("GET", "/sparql", "read"),
        ("POST", "/sparql", "read"),
        ("GET", "/queries/hot", "read"),
        ("POST", "/queries", "admin"),
        ("DELETE", "/queries/hot", "admin"),
        ("POST", "/push/a/b", "push"),
        ("GET", "/state", "read"),
        ("GET", "//health", "read"),
        ("GET", "/unknown", "read"),
    ],
)
def test_each_path_needs_a_token_unless_it_is_listed_as_open(method, path, token):
    assert needed_token(method, path) == token


@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        ("Bearer r", 200),
        ("bearer  r", 200),
        ("Bearer a", 200),
        ("Bearer p", 401),
        ("Bearer R", 401),
        ("Bearer", 401),
        ("Basic r", 401),
        ("Bearer r\u00e9", 401),
        ("", 401),
    ],
)
def test_the_read_token_or_the_admin_token_is_needed_to_read(authorization, status):
    assert status_of(request(authorization=authorization), section(TOKENS)) == status


PATHS = [("GET", "/sparql"), ("POST", "/push/a"), ("DELETE", "/queries/hot"), ("GET", "/events")]


@pytest.mark.parametrize("empty", [["read", "push", "admin"], ["admin"]])
@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.parametrize("given", [{}, {"authorization": "Bearer"}, {"authorization": "Bearer  "}])
def test_an_empty_token_permits_nothing(empty, method, path, given):
    values = TOKENS | dict.fromkeys(empty, "")
    assert status_of(request(method, path, "token=", **given), section(TOKENS, values)) == 401


@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.parametrize("url", ["http://x/static/y?/sparql", "http://x/health", "http://x/events?/sparql"])
def test_the_token_depends_on_the_path_not_on_a_url_made_of_the_host_header(monkeypatch, method, path, url):
    monkeypatch.setattr(Request, "url", URL(url))
    query = "" if path == "/events" else "token=r"
    assert status_of(request(method, path, query), section(TOKENS)) == 401


def test_a_missing_token_is_answered_with_a_challenge():
    with pytest.raises(RequestError) as missing:
        check_access(request(), section(["read"]))
    assert missing.value.headers == {"WWW-Authenticate": 'Bearer realm="pantarhei"'}
    with pytest.raises(RequestError) as wrong:
        check_access(request(authorization="Bearer x"), section(["read"]))
    assert wrong.value.headers["WWW-Authenticate"].endswith('error="invalid_token"')


def test_only_events_take_the_token_from_the_url():
    assert status_of(request(path="/events", query="token=r"), section(["read"])) == 200
    assert status_of(request(path="/sparql", query="token=r"), section(["read"])) == 401


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:1", 200),
        ("127.0.0.1:8190", 200),
        ("[::1]:8190", 200),
        ("10.0.0.7", 200),
        ("1.evil", 403),
        ("[evil.example]", 403),
        ("plant.example", 200),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("", 403),
    ],
)
def test_without_a_read_token_the_host_must_be_this_machine_or_a_known_origin(host, status):
    given = request(host=host)
    assert status_of(given, section(origins=["https://plant.example"])) == status
    assert status_of(request(host=host, authorization="Bearer r"), section(["read"])) == 200


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:8190", 200),
        ("http://evil.example", 403),
        ("null", 403),
        ("http://[", 403),
        ("http://ok.example", 200),
    ],
)
def test_pages_of_other_sites_cannot_push(origin, status):
    made = section(origins=["http://ok.example"])
    assert status_of(request("POST", "/push/a", origin=origin), made) == status
    assert status_of(request("GET", "/sparql", origin=origin), made) == 200


# -- bodies and errors


def body_of(chunks, most=10, delay=0.0, **headers):
    async def receive():
        await asyncio.sleep(delay)
        chunk = chunks.pop(0)
        return {"type": "http.request", "body": chunk, "more_body": bool(chunks)}

    given = request("POST", **headers)
    return asyncio.run(read_body(Request(given.scope, receive), most))


def test_a_body_is_counted_as_it_arrives_not_only_by_its_declared_length():
    assert body_of([b"01234", b"56789"]) == b"0123456789"
    with pytest.raises(RequestError, match="more than 10 bytes") as error:
        body_of([b"01234", b"567890"])
    assert error.value.status == 413


@pytest.mark.parametrize(
    ("headers", "chunks", "unread"),
    [
        ({"content_length": "24"}, [b"0" * 12, b"1" * 12], 0),
        ({}, [b"0" * 12, b"1" * 12], 0),
        ({"content_encoding": "gzip"}, [b"0" * 5, b"1" * 5], 0),
        ({"content_length": "24", "expect": "100-continue"}, [b"0" * 12, b"1" * 12], 2),
        ({"content_length": "99"}, [b"0" * 33, b"1" * 33, b"2" * 33], 3),
        ({}, [b"0" * 33, b"1" * 33, b"2" * 33], 2),
        ({"content_encoding": "gzip"}, [b"0" * 33, b"1" * 33, b"2" * 33], 2),
    ],
)
def test_a_refused_body_is_read_up_to_a_limit(monkeypatch, headers, chunks, unread):
    monkeypatch.setattr("pantarhei.service.http.exchange._REST", 3)
    with pytest.raises(RequestError) as error:
        body_of(chunks, **headers)
    assert error.value.status == (415 if "content_encoding" in headers else 413)
    assert len(chunks) == unread


def test_a_slow_body_ends(monkeypatch):
    monkeypatch.setattr("pantarhei.service.http.exchange.BODY_TIME", 0.02)
    with pytest.raises(RequestError) as error:
        body_of([b"0"] * 9, delay=0.01)
    assert error.value.status == 408


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (QueryTimeoutError(1.0), 503, "raise the limit (http.query.timeout)"),
        (UNAVAILABLE, 503, "Connection refused"),
        (NotEntailedError("a"), 404, "does not hold"),
        (TimeoutError(), 503, "busy"),
        (KeyError("secret"), 500, "the log of the service describes it"),
    ],
)
def test_errors_are_texts_with_a_status_and_without_internals(error, status, text):
    response = error_response(error)
    assert response.status_code == status
    assert text in response.body.decode() and "secret" not in response.body.decode()


def test_errors_of_requests_pickle():
    error = RequestError(404, "there is no such query", {"Retry-After": "1"})
    again = pickle.loads(pickle.dumps(error))
    assert (again.status, str(again), again.headers) == (404, str(error), error.headers)


def test_a_polled_value_is_computed_once_for_all_who_wait(monkeypatch):
    monkeypatch.setattr("pantarhei.service.http.exchange.PERIOD", 0.05)
    calls = []

    def compute():
        calls.append(1)
        time.sleep(0.02)
        return len(calls)

    async def run():
        polled = Polled(compute)
        first = await asyncio.gather(*(polled.get(1.0) for _ in range(20)))
        await asyncio.sleep(0.06)
        return first, await polled.get(1.0)

    assert asyncio.run(run()) == ([1] * 20, 2)


@pytest.mark.parametrize(("pause", "expected"), [(0, 2), (1_000, 1)])
def test_a_value_that_takes_long_is_computed_less_often(monkeypatch, pause, expected):
    monkeypatch.setattr("pantarhei.service.http.exchange.PERIOD", 0.0)
    calls = []

    async def run():
        polled = Polled(lambda: (calls.append(1), time.sleep(0.01)), pause)
        return [await polled.get(1.0) for _ in range(2)]

    asyncio.run(run())
    assert len(calls) == expected
