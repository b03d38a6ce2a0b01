"""The HTTP server of a running service: messages in; answers, changes and metrics out."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sqlite3
import ssl
import threading
from datetime import UTC, datetime

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from pantarhei.errors import CheckFailedError
from pantarhei.service.config import read_config
from pantarhei.service.message_journal import read_journal
from pantarhei.service.supervisor import check_service
from service_tools import certificate, free_port, memory_of, service, wait_until, write_site

pytestmark = pytest.mark.long


@contextlib.contextmanager
def running(folder, readers=1, limits=""):
    port = free_port()
    section = f"http: {{listen: 127.0.0.1:{port}, readers: {readers}{limits}}}"
    more = "sinks: {store: {sql: 'sqlite:///changes.db'}}\nstate: {folder: state, checkpoint: 10m}"
    path = write_site(folder, "{web: {http: {readings: m.yaml}}}", f"{section}\n{more}")
    with service(path) as started, httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
        wait_until(lambda: is_ready(client), 60)
        yield started, client


def is_ready(client):
    with contextlib.suppress(httpx.HTTPError):
        return client.get("/ready").status_code == 200
    return False


@pytest.mark.parametrize("readers", [0, 1])
def test_the_server_answers_over_tls(tmp_path, readers):
    cert, _ = certificate(tmp_path)
    port, trusted = free_port(), ssl.create_default_context(cafile=str(cert))
    section = f"http: {{listen: 127.0.0.1:{port}, readers: {readers}, tls: {{cert: cert.pem, key: key.pem}}}}"
    path = write_site(tmp_path, "{web: {http: {readings: m.yaml}}}", section)
    with service(path), httpx.Client(base_url=f"https://127.0.0.1:{port}", verify=trusted) as client:
        wait_until(lambda: is_ready(client), 60)
        assert push(client, "s1", 31).status_code == 202
        query = {"query": "SELECT ?s { ?s a <http://example.org/Hot> }"}
        wait_until(lambda: "s1" in client.get("/sparql", params=query).text)
        with pytest.raises(httpx.HTTPError):
            httpx.get(f"http://127.0.0.1:{port}/ready")


@pytest.mark.parametrize("cert", ["cert.pem", "key.pem", "missing.pem"])
@pytest.mark.parametrize("key", ["key.pem", "cert.pem", "missing.pem"])
def test_a_certificate_that_cannot_be_used_is_found_before_the_start(tmp_path, cert, key):
    certificate(tmp_path)
    section = f"http: {{listen: 127.0.0.1:{free_port()}, tls: {{cert: {cert}, key: {key}}}}}"
    config = read_config(write_site(tmp_path, "{web: {http: {readings: m.yaml}}}", section))
    if (cert, key) == ("cert.pem", "key.pem"):
        check_service(config, lambda line: None)
        return
    with pytest.raises(CheckFailedError, match=r"tls=.*files in PEM"):
        check_service(config, lambda line: None)


def push(client, sensor, value, **headers):
    text = json.dumps({"id": sensor, "v": value, "at": datetime.now(UTC).isoformat()})
    return client.post("/push/readings", content=text, headers=headers)


class Events(threading.Thread):
    """Client of `/events` that connects again with the id of its last event.

    Attributes:
        ids: the ids of the changes, in order.
        others: the names of other events.
    """

    def __init__(self, url):
        super().__init__(daemon=True)
        self.url, self.ids, self.others, self.is_ended = f"{url}/events", [], [], False

    def run(self):
        last = ""
        while not self.is_ended:
            headers = {"Last-Event-ID": last} if last else {}
            with (
                contextlib.suppress(httpx.HTTPError),
                httpx.stream("GET", self.url, headers=headers, timeout=2) as stream,
            ):
                fields = {}
                for line in stream.iter_lines():
                    name, _, value = line.partition(": ")
                    fields[name] = value
                    if line:
                        continue
                    last = fields.get("id", last)
                    if "event" in fields:
                        self.others.append(fields["event"])
                    elif "data" in fields:
                        self.ids.append(json.loads(fields["data"])["id"])
                    fields = {}


def test_clients_miss_and_repeat_nothing_when_readers_are_killed(tmp_path):
    with running(tmp_path) as (started, client):
        events = Events(str(client.base_url))
        events.start()
        wait_until(lambda: 'events_clients{reader="0"} 1.0' in client.get("/metrics").text)
        push(client, "first", 31)
        wait_until(lambda: events.ids)
        count = 1
        for life in range(3):
            for number in range(20):
                count += push(client, f"s{life}-{number}", 31).status_code == 202
            (reader,) = started.readers
            os.kill(reader, signal.SIGKILL)
            wait_until(lambda reader=reader: started.readers not in ([], [reader]), 30)
            wait_until(lambda: is_ready(client), 60)
        wait_until(lambda: len(events.ids) >= count, 30)
        events.is_ended = True
        assert started.stop() == 0
    with sqlite3.connect(tmp_path / "changes.db") as database:
        stored = [id_ for (id_,) in database.execute("select id from changes order by record, rowid")]
    assert events.ids == stored and len(stored) == count
    assert events.others == []


def test_a_message_with_an_id_counts_once(tmp_path):
    with running(tmp_path) as (_, client):
        for _ in range(3):
            assert push(client, "a", 31, **{"Message-Id": "m-1"}).status_code == 202
        samples = {
            sample.name: sample.value
            for family in text_string_to_metric_families(client.get("/metrics").text)
            for sample in family.samples
        }
        assert samples["pantarhei_messages_total"] == 3
        wait_until(lambda: client.get("/state").json()["assertions"] == 1)


@pytest.mark.parametrize("readers", [0, 1])
def test_proofs_name_files_as_the_configuration_does(tmp_path, readers):
    with running(tmp_path, readers) as (_, client):
        push(client, "a", 31)
        proof = {"triple": ":a a :Hot"}
        wait_until(lambda: client.get("/explain", params=proof).status_code == 200)
        for accept in ("text/plain", "application/json", "text/html"):
            text = client.get("/explain", params=proof, headers={"Accept": accept}).text
            assert "site.ttl" in text and str(tmp_path) not in text


def test_the_metrics_of_writer_and_reader_are_one_text(tmp_path):
    with running(tmp_path) as (_, client):
        push(client, "a", 31)
        client.post("/push/readings", content="{}")
        families = list(text_string_to_metric_families(client.get("/metrics").text))
        names = [family.name for family in families]
        assert len(names) == len(set(names))
        samples = {(s.name, s.labels.get("reason")): s.value for family in families for s in family.samples}
        assert samples["pantarhei_dead_letters_total", "malformed"] == 1
        assert samples["pantarhei_journal_sync_seconds_count", None] >= 2
        assert samples["pantarhei_writer_process_cpu_seconds_total", None] > 0


REQUESTS = {
    "idle": b"",
    "slow": b"GET /sparql?query=ASK%7B%7D HTTP/1.1\r\nHost: localhost\r\nX: ",
    "slow body": b"POST /push/readings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{",
    "events": b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "query": b"GET /sparql?query=SELECT*%7B?s?p?o%7D HTTP/1.1\r\nHost: localhost\r\n\r\n",
}


@pytest.mark.parametrize("readers", [0, 1])
def test_a_thousand_clients_that_are_idle_slow_or_do_not_read_hold_up_nobody(tmp_path, readers):
    with running(tmp_path, readers) as (started, client), contextlib.ExitStack() as sockets:
        process = started.readers[0] if readers else started.process.pid
        before, statuses, sent = memory_of(process), [], 0
        for number in range(1_000):
            kind = list(REQUESTS)[number % len(REQUESTS)]
            with contextlib.suppress(OSError):  # more than permitted are closed at once
                other = socket.create_connection(("127.0.0.1", client.base_url.port), 5)
                sockets.enter_context(other)
                other.sendall(REQUESTS[kind])
            if number % 5 == 0:
                statuses.append(push(client, f"s{number}", 31).status_code)
                answer = client.get("/sparql", params={"query": "ASK { ?s a :Hot }"})
                assert answer.status_code in (200, 429, 503), answer.text
                sent += answer.status_code == 200
        assert set(statuses) <= {202, 503} and statuses.count(202) >= 50 and sent > 0
        assert memory_of(process) - before < 150_000_000
        assert client.get("/health").status_code == 200
        stored = sum(len(record.messages) for record in read_journal(tmp_path / "state"))
        assert stored == statuses.count(202)
        sockets.close()
        wait_until(lambda: is_ready(client), 60)
        assert push(client, "last", 31).status_code == 202
        assert "Traceback" not in started.log.read_text()
        assert started.stop() == 0


@pytest.mark.parametrize("readers", [0, 1])
def test_a_thousand_clients_are_bounded(tmp_path, readers):
    async def run(url):
        limits = httpx.Limits(max_connections=1_000)
        async with httpx.AsyncClient(base_url=url, limits=limits, timeout=60) as clients:
            query = {"query": "SELECT * { ?s ?p ?o }"}
            asked = (clients.get("/sparql", params=query) for _ in range(1_000))
            return await asyncio.gather(*asked, return_exceptions=True)

    with running(tmp_path, readers) as (started, client):
        answers = asyncio.run(run(str(client.base_url)))
        statuses = {each.status_code for each in answers if isinstance(each, httpx.Response)}
        assert statuses <= {200, 429, 503} and statuses & {200, 429}
        wait_until(lambda: is_ready(client))
        assert push(client, "a", 31).status_code == 202
        assert started.stop() == 0


def test_queries_survive_a_restart(tmp_path):
    with running(tmp_path) as (started, client):
        body = {"name": "all", "query": "SELECT ?s { ?s :value ?v }"}
        assert client.post("/queries", json=body).status_code == 201
        started.kill(with_readers=True)
        started.start()
        wait_until(lambda: is_ready(client), 60)
        push(client, "a", 10)
        wait_until(lambda: client.get("/queries/all").json()["count"] == 1)
