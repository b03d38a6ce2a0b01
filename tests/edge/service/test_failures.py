"""Failures around the service: broker, disk, database, port, readers and clients."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from datetime import UTC, datetime

import paho.mqtt.client as paho
import pytest

from pantarhei.service.config import read_config
from pantarhei.service.journal_driver import JournalDriver, read_knowledge
from pantarhei.service.message_journal import read_journal, segments
from service_tools import free_port, memory_of, mosquitto, service, wait_until, write_site

pytestmark = pytest.mark.long

MORE = """
clock: {allowed_lateness: 1m, max_ahead: 1m}
sinks: {store: {sql: "sqlite:///alarms.db"}}
state: {folder: state, checkpoint: 1s}
"""
WINDOW = "{range: 1m, slide: 0.1s}"


class Site:
    """Site with a broker, and a client that publishes numbered readings.

    Attributes:
        path: the configuration.
        published: number of published readings.
    """

    def __init__(self, folder, broker, more="", readers=1):
        self.folder, self._broker, self.published = folder, broker, 0
        source = f'{{plant: {{mqtt: "mqtt://127.0.0.1:{broker}", topics: {{site/+/temp: m.yaml}}}}}}'
        http = f'http: {{listen: "127.0.0.1:{free_port()}", readers: {readers}}}\n'
        self.path = write_site(folder, source, MORE + http + more, WINDOW)

    def publish(self, count, pause=0.01):
        client = paho.Client(paho.CallbackAPIVersion.VERSION2)
        client.connect("127.0.0.1", self._broker)
        client.loop_start()
        for _ in range(count):
            number = self.published
            at, name = datetime.now(UTC).isoformat(), f"s{number % 20}"
            content = {"n": number, "at": at, "id": name, "v": 25 + number % 7 * 2}
            client.publish(f"site/{name}/temp", json.dumps(content), qos=1).wait_for_publish(30)
            self.published += 1
            time.sleep(pause)
        client.disconnect()
        client.loop_stop()

    def journaled(self):
        return sorted(
            json.loads(message.payload)["n"]
            for record in read_journal(self.folder / "state")
            for message in record.all_messages
        )

    def wait_for_subscription(self, running):
        running.wait_until_ready()
        wait_until(lambda: not running.status()["warnings"])
        time.sleep(0.5)

    def check_complete(self):
        """Check that the journal has each reading once, and the database each change once."""
        assert self.journaled() == list(range(self.published))
        config = read_config(self.path)
        driver = JournalDriver.fresh(read_knowledge(config))
        expected = {
            change.id
            for record in read_journal(self.folder / "state")
            for change in driver.apply(record).changes
        }
        database = sqlite3.connect(self.folder / "alarms.db")
        found = [row[0] for row in database.execute("select id from changes")]
        database.close()
        assert len(found) == len(set(found)) > 0
        assert set(found) == expected


@pytest.fixture
def broker(tmp_path):
    with mosquitto(tmp_path) as port:
        yield port


def test_a_broker_that_is_down_for_a_while_loses_nothing(tmp_path):
    settings = ("persistence true", f"persistence_location {tmp_path}/", "user root")
    port = free_port()
    site = Site(tmp_path, port)
    with service(site.path) as running:
        running.wait_until_ready()  # without a broker
        assert running.status()["warnings"] == ["source plant is not connected"]
        for count in (50, 100):
            with mosquitto(tmp_path, port, *settings):
                if count == 50:
                    site.wait_for_subscription(running)
                site.publish(50)  # the second time, the broker keeps them for the session
                wait_until(lambda count=count: len(site.journaled()) == count, 60)
            wait_until(lambda: running.status()["warnings"])
        assert running.is_ready()
        assert running.stop() == 0
    site.check_complete()


def test_a_full_disk_stops_acknowledgements_and_loses_nothing(tmp_path, broker):
    site = Site(tmp_path, broker)
    with service(site.path) as running:
        site.wait_for_subscription(running)
        site.publish(100)
        wait_until(lambda: len(site.journaled()) == 100)
        _, most = resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE)
        size = segments(tmp_path / "state")[-1].stat().st_size + 1_000
        resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE, (size, most))
        site.publish(150)
        wait_until(lambda: not running.status()["ready"])
        reasons = running.status()["reasons"]
        assert any("the journal cannot be written: File too large" in each for each in reasons)
        assert len(site.journaled()) < 250
        resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE, (most, most))
        wait_until(running.is_ready)
        wait_until(lambda: len(site.journaled()) == 250)
        wait_until(lambda: not running.status()["warnings"], 60)  # the database had no space either
        assert running.stop() == 0
    site.check_complete()


def test_a_database_that_is_locked_is_written_later(tmp_path, broker):
    site = Site(tmp_path, broker)
    with service(site.path) as running:
        site.wait_for_subscription(running)
        site.publish(50)
        locking = sqlite3.connect(tmp_path / "alarms.db", isolation_level=None)
        locking.execute("begin immediate")
        site.publish(100)
        wait_until(lambda: running.status()["warnings"] == ["sink store repeats a failed write"])
        assert len(site.journaled()) == 150  # the queue is not full
        running.kill()
        running.start()
        running.wait_until_ready()
        site.publish(50)
        locking.execute("rollback")
        locking.close()
        wait_until(lambda: not running.status()["warnings"], 60)
        assert running.stop() == 0
    site.check_complete()


def test_a_killed_reader_is_started_again(tmp_path, broker):
    site = Site(tmp_path, broker)
    with service(site.path) as running:
        site.wait_for_subscription(running)
        writer = running.process.pid
        for _ in range(2):
            (reader,) = running.readers
            os.kill(reader, signal.SIGKILL)
            site.publish(50)
            wait_until(running.is_ready, 60)
            assert running.readers != [reader]
        assert running.process.pid == writer
        assert running.stop() == 0
    site.check_complete()


def test_one_reader_answers_while_another_is_killed(tmp_path, broker):
    site = Site(tmp_path, broker, readers=2)
    with service(site.path) as running:
        site.wait_for_subscription(running)
        wait_until(lambda: answering(running) == {"0", "1"}, 60)
        for place in (0, 1):
            before = running.readers
            os.kill(before[place], signal.SIGKILL)
            wait_until(lambda before=before, place=place: before[place] not in running.readers)
            assert all(running.is_ready() for _ in range(20))
            site.publish(50)
            wait_until(lambda: len(running.readers) == 2 and answering(running) == {"0", "1"}, 60)
        wait_until(lambda: all(running.status()["behind"] == 0 for _ in range(20)), 60)
        assert running.stop() == 0
    site.check_complete()


def answering(running):
    """Numbers of the readers that answer one of 20 requests."""
    texts = (urllib.request.urlopen(f"{running.url}/metrics", timeout=10).read().decode() for _ in range(20))
    return {re.search(r'events_clients\{reader="(\d)"', text)[1] for text in texts}


def test_readers_end_with_a_killed_writer(tmp_path, broker):
    site = Site(tmp_path, broker)
    with service(site.path) as running:
        site.wait_for_subscription(running)
        (reader,) = running.readers
        running.kill()
        wait_until(lambda: not os.path.exists(f"/proc/{reader}") or _is_zombie(reader), 5)


def _is_zombie(process):
    with open(f"/proc/{process}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] == "Z"


def test_a_service_ends_while_it_waits_for_standard_input(tmp_path):
    path = write_site(tmp_path, "{in: {stdin: m.yaml}}", MORE)
    command = [sys.executable, "-m", "pantarhei", "serve", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write(b'{"at": "2026-03-01T12:00:00Z", "id": "a", "v": 30}\n')
        process.stdin.flush()
        wait_until(lambda: any(read_journal(tmp_path / "state")), 60)
        process.terminate()
        assert process.wait(60) == 0
        assert process.stderr.read() == b""


@pytest.mark.parametrize("taken", ["port", "folder"])
def test_what_is_taken_is_named_in_one_line(tmp_path, broker, taken):
    site = Site(tmp_path, broker)
    command = [sys.executable, "-m", "pantarhei", "serve", str(site.path)]
    with service(site.path) as running:
        running.wait_until_ready()
        if taken == "folder":
            other = site.path.read_text().replace(running.url[7:], f"127.0.0.1:{free_port()}")
            site.path.write_text(other)
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert running.is_ready() or taken == "folder"
    assert done.returncode == 1
    expected = {"port": "name another port in http.listen", "folder": "another service writes this journal"}
    assert expected[taken] in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_client_that_does_not_read_delays_nothing(tmp_path, broker):
    site = Site(tmp_path, broker)
    with service(site.path) as running:
        site.wait_for_subscription(running)
        host, port = running.url[7:].split(":")
        clients = []
        for _ in range(20):
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect((host, int(port)))
            client.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            clients.append(client)
        (reader,) = running.readers
        before = memory_of(reader)
        site.publish(1_500, pause=0)
        wait_until(lambda: len(site.journaled()) == 1_500, 60)
        assert running.is_ready()
        assert memory_of(reader) - before < 100_000_000
        for client in clients:
            client.close()
        assert running.stop() == 0
    site.check_complete()
