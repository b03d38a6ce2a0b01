"""Webhook sink: signed requests that are repeated until they are accepted."""

from __future__ import annotations

import hmac
import json
import time

import pytest

from pantarhei.errors import ConnectionFailedError, OptionError
from pantarhei.service import clients
from pantarhei.service.config import read_config
from pantarhei.service.connections import make_sinks
from service_tools import write_site
from sink_tools import emitted, webhook_server


@pytest.fixture
def receiver():
    with webhook_server() as server:
        yield server


def sink_of(folder, url, more=""):
    (folder / "state").mkdir(exist_ok=True)
    section = f'sinks: {{hook: {{webhook: "{url}"{more}}}}}'
    path = write_site(folder, "{plant: {http: {a: m.yaml}}}", section)
    [sink] = make_sinks(read_config(path, {"HOOK_SECRET": "geheim"}))
    return sink


def written(sink, records):
    sink.begin(0)
    for each in records:
        sink.put(each)
    assert sink.finish(10)
    return [each.id for record in records for each in record.changes]


@pytest.mark.parametrize("answers", [[], [500], [404, 503, 301, 302, 400], [None, 429], [200, 500, 200, 500]])
def test_each_change_arrives_whatever_is_answered(tmp_path, receiver, answers, monkeypatch):
    monkeypatch.setattr(clients, "PAUSE", 0.001)
    receiver.answers += answers
    records = [emitted(1, 70), emitted(2, 0), emitted(3, 250), emitted(4, 1)]
    sink = sink_of(tmp_path, f"http://127.0.0.1:{receiver.server_port}/hook?a=1")
    sink.begin(0)
    for each in records:
        sink.put(each)
    end = time.monotonic() + 10
    while sink.status.position < 4 and time.monotonic() < end:
        time.sleep(0.01)
    assert sink.finish(10)
    found, expected = receiver.ids, [each.id for record in records for each in record.changes]
    assert list(dict.fromkeys(found)) == expected
    if not answers:
        assert found == expected
    assert {path for path, _, _ in receiver.received} == {"/hook?a=1"}  # no redirect is followed
    assert max(len(json.loads(body)["changes"]) for _, _, body in receiver.received) <= 100
    assert sink.status.failures == sum(each != 200 for each in answers)


def test_requests_are_signed_with_their_time(tmp_path, receiver):
    url = f"http://127.0.0.1:{receiver.server_port}/hook"
    written(sink_of(tmp_path, url, ', secret: "${HOOK_SECRET}"'), [emitted(1)])
    [(_, headers, body)] = receiver.received
    stamp = headers["X-Pantarhei-Timestamp"]
    digest = hmac.new(b"geheim", f"{stamp}.".encode() + body, "sha256").hexdigest()
    assert headers["X-Pantarhei-Signature"] == f"sha256={digest}"
    assert abs(time.time() - int(stamp)) < 10


def test_a_refused_request_names_its_status_on_one_line(tmp_path, receiver, monkeypatch):
    receiver.answers += [404] * 1_000
    sink = sink_of(tmp_path, f"http://127.0.0.1:{receiver.server_port}/hook", ", retry: 0.1s")
    monkeypatch.setattr(clients, "PAUSE", 0.2)
    sink.begin(0)
    sink.put(emitted(1))
    end = time.monotonic() + 10
    while not sink.status.overdue and time.monotonic() < end:
        time.sleep(0.01)
    assert sink.status.overdue
    assert "HTTP 404 Not Found: no thanks" in sink.status.problem
    assert sink.status.position == 0
    assert not sink.finish(10)


def test_the_check_connects_without_a_request(tmp_path, receiver):
    sink_of(tmp_path, f"http://127.0.0.1:{receiver.server_port}").check()
    assert receiver.received == []
    with pytest.raises(ConnectionFailedError, match=r"127\.0\.0\.1:1 cannot be reached"):
        sink_of(tmp_path, "http://127.0.0.1:1").check()


@pytest.mark.parametrize(
    "url", ["ftp://a", "https://", "http://a:99999/", "https://me:${HOOK_SECRET}@host/", "h/p"]
)
def test_an_invalid_url_is_refused_without_its_secrets(tmp_path, url):
    with pytest.raises(OptionError, match="https://host/path") as found:
        sink_of(tmp_path, url)
    assert "geheim" not in str(found.value)
