"""Kills under load from MQTT: the journal has each acknowledged message once, and each sink each change once,
or at least once with the same id.
"""

from __future__ import annotations

import csv
import json
import sqlite3
from collections import Counter
from contextlib import ExitStack

import paho.mqtt.client as paho
import pytest
from pyarrow import parquet

from kill_tools import (
    DATABASE,
    TIMEOUT,
    Feeder,
    check_stored,
    killed_site,
    lines_of,
    run_with_kills,
)
from pantarhei.service.message_journal import read_journal
from service_tools import consumed, kafka_cluster, mosquitto, postgresql, wait_until
from sink_tools import webhook_server

pytestmark = [pytest.mark.long, pytest.mark.timeout(TIMEOUT)]
FILES = "lines: {file: out.ndjson}, table: {file: out.csv}, lake: {parquet: lake, roll: 2s}"
ALARMS = 'alarms: {mqtt: plant, topic: "alarms/{name}"}'
PROBE = "site/none/temp"


def connected(port):
    client = paho.Client(paho.CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", port)
    client.loop_start()
    return client


def publisher(client):
    """Return a feeder that waits for the acknowledgement of the broker."""
    return Feeder(
        lambda number, content: client.publish(f"site/s{number % 20}/temp", content, 1).wait_for_publish(60)
    )


def run(folder, port, sinks, readers=0):
    """Kill a service with sinks; return its configuration and the killer."""
    source = f'{{plant: {{mqtt: "mqtt://127.0.0.1:{port}", topics: {{site/+/temp: m.yaml}}}}}}'
    path = killed_site(folder, source, sinks, readers)
    client = connected(port)
    try:
        return path, run_with_kills(path, [publisher(client)], lambda running: subscribed(path, client))
    finally:
        client.disconnect()
        client.loop_stop()


def subscribed(path, client):
    """Publish until a message is in the journal: the broker then keeps the session."""

    def is_journaled():
        client.publish(PROBE, "{}", 1).wait_for_publish(10)
        return next(read_journal(path.parent / "state"), None) is not None

    wait_until(is_journaled)


def ids_in_files(folder):
    """Return the ids of the changes in the files of each sink."""
    with (folder / "out.csv").open(newline="") as table:
        rows = [row["id"] for row in csv.DictReader(table)]
    lake = folder / "lake"
    parts = [parquet.read_table(path).column("id").to_pylist() for path in lake.glob("*.parquet")]
    parts.append([each["id"] for each in lines_of(lake / ".rows.ndjson")])
    return {
        "lines": [each["id"] for each in lines_of(folder / "out.ndjson")],
        "table": rows,
        "lake": [id_ for part in parts for id_ in part],
    }


def check_repeated(found, expected):
    """Check that each id was received at least once; return how many were repeated."""
    wait_until(lambda: set(found()) >= set(expected), 30)
    counts = Counter(found())
    assert counts.keys() == set(expected)
    return sum(counts.values()) - len(counts)


@pytest.mark.parametrize("readers", [1, 0])
def test_kills_lose_and_repeat_nothing_in_files_sqlite_and_mqtt(tmp_path, readers):
    with mosquitto(tmp_path) as port:
        published, subscriber = [], connected(port)
        subscriber.on_message = lambda client, data, message: published.append(json.loads(message.payload))
        subscriber.subscribe("alarms/#", 1)
        path, killer = run(tmp_path / "site", port, f"{DATABASE}, {FILES}, {ALARMS}", readers)
        ids = check_stored(path, sqlite3.connect(path.parent / "alarms.db"))
        for name, found in ids_in_files(path.parent).items():
            assert sorted(found) == ids, name
        repeated = check_repeated(lambda: [each["id"] for each in published], ids)
        subscriber.disconnect()
        subscriber.loop_stop()
    killer.report(changes=len(ids), repeated={"mqtt": repeated})


def test_kills_lose_and_repeat_nothing_in_postgresql_kafka_and_webhooks(tmp_path):
    """The mock cluster of librdkafka cannot prove transactions: without them, the same id comes again."""
    adbc = pytest.importorskip("adbc_driver_postgresql.dbapi")
    with ExitStack() as servers:
        port = servers.enter_context(mosquitto(tmp_path))
        url = servers.enter_context(postgresql())
        cluster = servers.enter_context(kafka_cluster())
        hook = servers.enter_context(webhook_server())
        sinks = (
            f'store: {{sql: "{url}"}}, out: {{kafka: "{cluster}", topic: alarms}}, '
            f'hook: {{webhook: "http://127.0.0.1:{hook.server_port}/"}}'
        )
        path, killer = run(tmp_path / "site", port, sinks)
        ids = check_stored(path, adbc.connect(url))
        repeated = {
            "kafka": check_repeated(
                lambda: [each.key().decode() for each in consumed(cluster, "alarms", len(ids))], ids
            ),
            "webhook": check_repeated(lambda: hook.ids, ids),
        }
    killer.report(changes=len(ids), repeated=repeated)
