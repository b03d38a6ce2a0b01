"""MQTT sources against mosquitto: connections, subscriptions, redeliveries."""

from __future__ import annotations

import json
import logging
import re
import socket
import time
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pantarhei.errors import ConnectionFailedError, OptionError
from pantarhei.service.batching import Batcher
from pantarhei.service.connections import make_sinks, make_sources
from pantarhei.service.decoding import MessageDecoder
from pantarhei.service.sources.source import Inbox
from service_tools import certificate, free_port, mosquitto, site, wait_until

paho = pytest.importorskip("paho.mqtt.client", reason="the package paho-mqtt is not installed")

DEFAULTS = {"publishClientSend": True, "publishClientReceive": True, "subscribe": False, "unsubscribe": True}
RIGHTS = {
    "defaultACLAccess": DEFAULTS,
    "roles": [
        {"rolename": "r", "acls": [{"acltype": "subscribePattern", "topic": "other/#", "allow": True}]}
    ],
    "groups": [{"groupname": "all", "roles": [{"rolename": "r"}]}],
    "anonymousGroup": "all",
}


@pytest.fixture(autouse=True)
def fast_reconnection(monkeypatch):
    delay = paho.Client.reconnect_delay_set
    monkeypatch.setattr(paho.Client, "reconnect_delay_set", lambda client, *given: delay(client, 0.05, 0.05))


def configuration(folder, port, topics="{a/+: m.yaml}", more=""):
    section = f'{{plant: {{mqtt: "mqtt://127.0.0.1:{port}", topics: {topics}{more}}}}}'
    return site(folder, section, "name: building\nclock: {time: arrival}")


@contextmanager
def started(config):
    """Start the source of a configuration; yields it with its inbox."""
    (source,), inbox = make_sources(config), Inbox()
    source.start(inbox, None)
    try:
        yield source, inbox
    finally:
        source.stop()
        source.close()


@contextmanager
def publisher(port):
    client = paho.Client(paho.CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", port)
    client.loop_start()
    try:
        yield lambda topic, payload: client.publish(topic, payload, 1).wait_for_publish(10)
    finally:
        client.disconnect()
        client.loop_stop()


@pytest.mark.parametrize("topics", ["{a/+: m.yaml}", "{other/x: m.yaml, a/b: m.yaml}"])
def test_refused_subscriptions_are_named(tmp_path, caplog, topics):
    plugin = next(Path("/usr/lib").glob("*/mosquitto_dynamic_security.so"), None)
    if plugin is None:
        pytest.skip("the plugin of mosquitto that refuses subscriptions is not installed")
    (rights := tmp_path / "rights.json").write_text(json.dumps(RIGHTS))
    refused = "the broker refuses the subscription to " + ("a/+" if "+" in topics else "a/b")
    settings = (f"plugin {plugin}", f"plugin_opt_config_file {rights}", "user root")
    with mosquitto(tmp_path, None, *settings) as port:
        config = configuration(tmp_path, port, topics)
        (source,) = make_sources(config)
        with pytest.raises(ConnectionFailedError, match=re.escape(refused)):
            source.check()
        with started(config) as (source, _):
            wait_until(lambda: source.status.problem)
            assert (source.status.problem, source.status.connected) == (refused, False)
    assert f"source plant: {refused}" in caplog.messages


def test_the_check_subscribes_to_permitted_topics(tmp_path):
    with mosquitto(tmp_path) as port:
        (source,) = make_sources(configuration(tmp_path, port, "{a/+: m.yaml, '#': m.yaml}"))
        source.check()


def test_connections_and_their_ends_are_logged_once(tmp_path, caplog):
    caplog.set_level(logging.INFO, "pantarhei.service")
    port = free_port()
    with started(configuration(tmp_path, port)) as (source, _):
        wait_until(lambda: source.status.problem)
        assert source.status.problem == "Connection refused"
        with mosquitto(tmp_path, port):
            wait_until(lambda: source.status.connected)
        wait_until(lambda: not source.status.connected)
        wait_until(lambda: source.status.problem == "Connection refused")
    levels = [(record.levelname, record.message.partition(": ")[2][:12]) for record in caplog.records]
    refused, connected, lost = ("WARNING", "Connection r"), ("INFO", "connected"), ("WARNING", "disconnected")
    assert levels == [refused, connected, lost, refused]


def test_two_clients_with_one_id_are_named(tmp_path, caplog):
    with mosquitto(tmp_path) as port, ExitStack() as both:
        for _ in range(2):
            both.enter_context(started(configuration(tmp_path, port)))
        wait_until(lambda: "another client has the id building-plant" in caplog.text)


def test_a_callback_that_fails_does_not_end_the_source(tmp_path, caplog):
    with mosquitto(tmp_path) as port, started(configuration(tmp_path, port)) as (source, inbox):
        wait_until(lambda: source.status.connected)
        put, inbox.put = inbox.put, lambda given: 1 / 0
        with publisher(port) as publish:
            publish("a/b", "{}")
            wait_until(lambda: source.status.problem)
            assert (source.status.problem, source.status.connected) == ("division by zero", False)
            inbox.put = put
            publish("a/b", "[]")
            assert [each.message.payload for each in inbox.take(10, 0)] == [b"[]"]
    assert "source plant: division by zero" in caplog.messages


def test_each_message_is_acknowledged_in_its_connection_and_redeliveries_are_marked(tmp_path, monkeypatch):
    monkeypatch.setattr("pantarhei.service.sources.source.LONGEST", 2)
    acknowledged = []
    send = paho.Client.ack
    monkeypatch.setattr(
        paho.Client, "ack", lambda client, mid, qos: acknowledged.append(mid) or send(client, mid, qos)
    )
    with mosquitto(tmp_path) as port, publisher(port) as publish:
        config = configuration(tmp_path, port)
        with started(config) as (source, inbox):
            wait_until(lambda: source.status.connected)
            for _ in range(3):
                publish("a/b", "28.5")
            first = inbox.take(5, 0.2)
            assert [each.message.payload for each in first] == [b"28"] * 3
            first[0].acknowledge()
            wait_until(lambda: acknowledged)
            time.sleep(0.2)  # the broker has it
            source._client._sock.shutdown(socket.SHUT_RDWR)
            again = inbox.take(5, 0.2)
            for each in (*first, *again):
                each.acknowledge()
            publish("a/b", "28.5")
            last = inbox.take(5, 0.2)
    ids = [each.message.id for each in first]
    assert [each.may_repeat for each in (*first, *again, *last)] == [False] * 3 + [True] * 2 + [False]
    assert [each.message.id for each in again] == ids[1:]
    assert [str(mid) for mid in acknowledged] == ids
    batcher = Batcher(config, MessageDecoder(config))
    for each in (*first, *again, *last):
        batcher.batches([each], 0, None, datetime.now(UTC))
    assert batcher.repeated == {"plant": 2}


@pytest.mark.parametrize("given", ["cert and key", "cert", ""])
def test_a_broker_may_require_the_certificate_of_a_client(tmp_path, given):
    cert, key = certificate(tmp_path)
    server = ("require_certificate true", f"cafile {cert}", f"certfile {cert}", f"keyfile {key}", "user root")
    with mosquitto(tmp_path, None, *server) as port:
        own = {"cert and key": ", cert: cert.pem, key: key.pem", "cert": ", cert: cert.pem", "": ""}[given]
        section = f"mqtt: 'mqtts://127.0.0.1:{port}', topics: {{a: m.yaml}}, ca: cert.pem{own}"
        sinks = "sinks: {out: {mqtt: plant, topic: b}}"
        config = site(tmp_path, f"{{plant: {{{section}}}}}", sinks)
        (source,) = make_sources(config)
        if given == "cert and key":
            source.check()
            (sink,) = make_sinks(config)
            sink.check()
        else:
            error = OptionError if given else ConnectionFailedError
            with pytest.raises(error, match=r"cert\.pem.*files in PEM|cannot be reached"):
                source.check()
