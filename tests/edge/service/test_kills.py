"""Kills under load: the journal has each acknowledged message once, and the database each change once."""

from __future__ import annotations

import csv
import json
import os
import random
import sqlite3
import threading
import time
from datetime import UTC, datetime

import paho.mqtt.client as paho
import pytest
from pyarrow import parquet

from pantarhei.service.config import read_config
from pantarhei.service.journal_driver import JournalDriver, read_knowledge
from pantarhei.service.message_journal import read_journal
from pantarhei.service.sinks.sink import letters_of
from service_tools import free_port, mosquitto, service, wait_until, write_site

KILLS = int(os.environ.get("PANTARHEI_KILLS", "5"))
RULES = "@prefix : <http://example.org/> .\nalarm(S) :- :Hot(S) always in [0.5 sec].\n"
MORE = """
rules: rules.lars
clock: {allowed_lateness: 1m, max_ahead: 1m}
sinks:
  store: {sql: "sqlite:///alarms.db"}
  lines: {file: out.ndjson}
  table: {file: out.csv}
  lake: {parquet: lake, roll: 2s}
  alarms: {mqtt: plant, topic: "alarms/{name}"}
dead_letters: {file: dead.ndjson}
state: {folder: state, checkpoint: 1s}
"""
RATE = 100  # messages a second: a broker with default settings queues 1,000 for a client that is away
PROBE = "site/none/temp"
AWAY = 700  # messages that are published at most while the service is away


class Publisher(threading.Thread):
    """Publishes numbered readings with QoS 1, a few of them malformed.

    Attributes:
        published: number of messages that the broker has acknowledged.
        budget: number of messages that may still be published; None for any.
    """

    def __init__(self, port: int, seed: int) -> None:
        super().__init__(daemon=True)
        self._random, self._stopping = random.Random(seed), threading.Event()
        self.client = paho.Client(paho.CallbackAPIVersion.VERSION2)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        self.published, self.budget = 0, None

    def run(self) -> None:
        while not self._stopping.wait(1 / RATE):
            if self.budget is not None:
                if not self.budget:
                    continue
                self.budget -= 1
            at, value = datetime.now(UTC).isoformat(), round(self._random.uniform(25, 32), 1)
            name = f"s{self._random.randrange(20)}"
            value = value if self.published % 50 else "hot!"
            content = {"n": self.published, "at": at, "id": name, "v": value}
            self.client.publish(f"site/{name}/temp", json.dumps(content), qos=1).wait_for_publish(60)
            self.published += 1

    def end(self) -> None:
        self._stopping.set()
        self.join()
        self.client.loop_stop()


def serials(folder):
    """Return the numbers of the messages in the journal, dead letters included."""
    return [
        json.loads(message.payload)["n"]
        for record in read_journal(folder)
        for message in record.all_messages
        if message.topic != PROBE
    ]


def expected_changes(path):
    """Return the changes of an uninterrupted run over the journal, by id."""
    config = read_config(path)
    driver = JournalDriver.fresh(read_knowledge(config))
    changes, dead = [], set()
    for record in read_journal(config.path(config.state.folder)):
        emitted = driver.apply(record)
        changes += [(each.id, each.name, each.sign, dict(each.row)) for each in emitted.changes]
        dead |= {(id_, each.reason) for id_, each in letters_of(emitted)}
    return changes, dead


def stored_changes(folder):
    database = sqlite3.connect(folder / "alarms.db")
    rows = database.execute('select id, name, change, "row" from changes').fetchall()
    letters = database.execute("select id, reason from dead_letters").fetchall()
    database.close()
    return [(*row[:3], json.loads(row[3])) for row in rows], letters


def ids_in_files(folder):
    """Return the ids of the changes in the files of each sink."""
    with (folder / "out.csv").open(newline="") as table:
        rows = [row["id"] for row in csv.DictReader(table)]
    parts = [
        parquet.read_table(path).column("id").to_pylist() for path in (folder / "lake").glob("*.parquet")
    ]
    collected = _lines(folder / "lake" / ".rows.ndjson")
    return {
        "lines": [each["id"] for each in _lines(folder / "out.ndjson")],
        "table": rows,
        "lake": [id_ for part in parts for id_ in part] + [each["id"] for each in collected],
    }


def _lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def by_id(changes):
    return sorted(changes, key=lambda change: change[0])


@pytest.mark.long
@pytest.mark.timeout(60 + 30 * KILLS)
@pytest.mark.parametrize("readers", [1, 0])
def test_kills_lose_and_repeat_nothing(tmp_path, readers):
    seed = random.SystemRandom().randrange(1 << 30)
    print("seed", seed)
    chosen = random.Random(seed)
    (tmp_path / "rules.lars").write_text(RULES)
    with mosquitto(tmp_path) as port:
        source = f'{{plant: {{mqtt: "mqtt://127.0.0.1:{port}", topics: {{site/+/temp: m.yaml}}}}}}'
        http = f'http: {{listen: "127.0.0.1:{free_port()}", readers: {readers}}}\n'
        path = write_site(tmp_path, source, MORE + http, window="{range: 1m, slide: 0.1s}")
        with service(path) as running:
            running.wait_until_ready()
            wait_until(lambda: _is_subscribed(tmp_path, port))
            published = _received_alarms(port)
            publisher = Publisher(port, seed)
            publisher.start()
            for number in range(KILLS):
                if chosen.random() < 0.7:  # else it is killed during its start
                    running.wait_until_ready()
                    publisher.budget = None
                time.sleep(chosen.uniform(0.1, 3))
                publisher.budget = AWAY if publisher.budget is None else publisher.budget
                running.kill(with_readers=number % 2 == 1)
                running.start()
            running.wait_until_ready()
            publisher.budget = None
            time.sleep(2)
            publisher.end()
            wait_until(lambda: len(serials(tmp_path / "state")) >= publisher.published)
            assert running.stop() == 0
    assert sorted(serials(tmp_path / "state")) == list(range(publisher.published))
    stored, letters = stored_changes(tmp_path)
    expected, dead = expected_changes(path)
    assert len({change[0] for change in expected}) == len(expected) > 100
    assert by_id(stored) == by_id(expected)
    assert set(letters) == dead
    for name, ids in ids_in_files(tmp_path).items():
        assert sorted(ids) == [each[0] for each in by_id(expected)], name
    assert sorted((each["id"], each["reason"]) for each in _lines(tmp_path / "dead.ndjson")) == sorted(dead)
    assert set(published) == {each[0] for each in expected}  # at least once
    assert "Traceback" not in running.log.read_text()


def _received_alarms(port):
    """Return a list that grows by the ids of the changes that are published."""
    received = []
    client = paho.Client(paho.CallbackAPIVersion.VERSION2)
    client.on_message = lambda client, data, message: received.append(json.loads(message.payload)["id"])
    client.connect("127.0.0.1", port)
    client.subscribe("alarms/#", 1)
    client.loop_start()
    return received


def _is_subscribed(folder, port):
    """Publish until a message is in the journal: the broker then keeps the session."""
    client = paho.Client(paho.CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", port)
    client.publish(PROBE, "{}", qos=1)
    client.loop(0.2)
    client.disconnect()
    return next(read_journal(folder / "state"), None) is not None
