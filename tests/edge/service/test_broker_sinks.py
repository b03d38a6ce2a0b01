"""Sinks of brokers against mosquitto and the mock cluster of librdkafka."""

from __future__ import annotations

import json
import threading

import pytest

from pantarhei.errors import ConnectionFailedError, OptionError
from pantarhei.service import clients
from pantarhei.service.connections import make_sinks
from service_tools import consumed, free_port, kafka_cluster, mosquitto, site, wait_until
from sink_tools import emitted, feed

RECORDS = [emitted(number, number % 3) for number in range(1, 40)]
IDS = [each.id for record in RECORDS for each in record.changes]

SOURCES = "{push: {http: {a: m.yaml}}}"


def sink_of(folder, sources, section):
    (folder / "state").mkdir(exist_ok=True, parents=True)
    [sink] = make_sinks(site(folder, sources, f"sinks: {{out: {json.dumps(section)}}}"))
    return sink


class Subscriber:
    """Client of a broker that keeps what it receives, with a session that survives a restart."""

    def __init__(self, port):
        paho = pytest.importorskip("paho.mqtt.client")
        self.received = []
        subscribed = threading.Event()
        self.client = paho.Client(paho.CallbackAPIVersion.VERSION2, "subscriber", clean_session=False)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_message = lambda client, data, message: self.received.append(message)
        self.client.on_connect = lambda client, *given: client.subscribe("alarms/#", 1)
        self.client.on_subscribe = lambda *given: subscribed.set()
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        assert subscribed.wait(10)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.client.disconnect()
        self.client.loop_stop()

    @property
    def ids(self):
        return [json.loads(each.payload)["id"] for each in self.received]


@pytest.mark.parametrize("is_by_name", [True, False])
def test_changes_are_published_under_their_name(tmp_path, is_by_name):
    with mosquitto(tmp_path) as port, Subscriber(port) as subscriber:
        url = f"mqtt://127.0.0.1:{port}"
        source = f'{{plant: {{mqtt: "{url}", topics: {{a: m.yaml}}}}}}'
        section = {"mqtt": "plant" if is_by_name else url, "topic": "alarms/{name}"}
        sink = sink_of(tmp_path, source, section)
        sink.check()
        feed(sink, [*RECORDS, emitted(50, 1, name="a+b/#")], batch=10)
        wait_until(lambda: len(subscriber.ids) > len(IDS))
        assert subscriber.ids[:-1] == IDS
        assert [each.topic for each in subscriber.received[-2:]] == ["alarms/hot", "alarms/a_b/_"]
        assert {each.qos for each in subscriber.received} == {1}


@pytest.mark.long
def test_a_broker_that_is_away_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(clients, "LONGEST_PAUSE", 1.0)
    settings = ["persistence true", f"persistence_location {tmp_path}/", "autosave_interval 1", "user root"]
    with mosquitto(tmp_path, None, *settings) as port:
        sink = sink_of(tmp_path, SOURCES, {"mqtt": f"mqtt://127.0.0.1:{port}", "topic": "alarms/{name}"})
        subscriber = Subscriber(port)
        sink.begin(0)
        for each in RECORDS[:20]:
            sink.put(each)
        wait_until(lambda: sink.status.position == 20)
    with subscriber:
        for each in RECORDS[20:]:
            sink.put(each)
        wait_until(lambda: sink.status.failures > 1, 40)
        assert sink.status.position == 20
        with mosquitto(tmp_path, port, *settings):
            wait_until(lambda: sink.status.position == 39, 40)
            wait_until(lambda: set(subscriber.ids) == set(IDS))
            assert list(dict.fromkeys(subscriber.ids)) == IDS
            assert sink.finish(10)


def test_a_broker_that_does_not_answer_is_an_error(tmp_path):
    pytest.importorskip("paho.mqtt.client")
    sink = sink_of(tmp_path, SOURCES, {"mqtt": f"mqtt://127.0.0.1:{free_port()}", "topic": "alarms"})
    for run in (sink.check, sink.open):
        with pytest.raises(ConnectionFailedError, match="out: 127"):
            run()


@pytest.mark.parametrize(
    ("mqtt", "topic"),
    [("plant", "a"), ("http://h", "a"), ("mqtt://h", "a/+"), ("mqtt://h", "{at}")],
)
def test_a_broker_or_topic_that_cannot_be_right_is_refused(tmp_path, mqtt, topic):
    pytest.importorskip("paho.mqtt.client")
    with pytest.raises(OptionError, match=r"^sinks\.out: .*(such as|the name of an MQTT source)"):
        sink_of(tmp_path, SOURCES, {"mqtt": mqtt, "topic": topic})


@pytest.fixture
def cluster():
    with kafka_cluster() as servers:
        yield servers


@pytest.mark.parametrize("is_transactional", [False, True])
@pytest.mark.parametrize("is_by_name", [False, True])
def test_changes_are_produced_once_with_their_id_as_key(tmp_path, cluster, is_transactional, is_by_name):
    source = f'{{line: {{kafka: "{cluster}", topics: {{a: m.yaml}}}}}}' if is_by_name else SOURCES
    section = {
        "kafka": "line" if is_by_name else cluster,
        "topic": "alarms",
        "transactional": is_transactional,
    }
    sink = sink_of(tmp_path, source, section)
    sink.check()
    feed(sink, RECORDS[:20], batch=10)
    feed(sink_of(tmp_path, source, section), RECORDS, batch=10)  # after a restart
    found = consumed(cluster, "alarms", len(IDS))
    assert sorted(each.key().decode() for each in found) == sorted(IDS)
    assert all(json.loads(each.value())["id"] == each.key().decode() for each in found)


@pytest.mark.parametrize("as_sink", [True, False])
def test_dead_letters_are_written_to_topics(tmp_path, cluster, as_sink):
    records = [emitted(number, 1, dead=number % 2) for number in range(1, 6)]

    def write(folder, section):
        if as_sink:
            sink = sink_of(folder, SOURCES, {**section, "of": "dead_letters"})
        else:
            (folder / "state").mkdir(parents=True)
            [sink] = make_sinks(site(folder, SOURCES, f"dead_letters: {json.dumps(section)}"))
        sink.begin(0)
        for each in records:
            sink.put(each)
        assert sink.finish(20)

    write(tmp_path / "kafka", {"kafka": cluster, "topic": "alarms"})
    of_kafka = [json.loads(each.value()) for each in consumed(cluster, "alarms", 3)]
    with mosquitto(tmp_path) as port, Subscriber(port) as subscriber:
        write(tmp_path / "mqtt", {"mqtt": f"mqtt://127.0.0.1:{port}", "topic": "alarms/{name}"})
        wait_until(lambda: len(subscriber.ids) == 3)
        assert {each.topic for each in subscriber.received} == {"alarms/dead_letters"}
        of_mqtt = [json.loads(each.payload) for each in subscriber.received]
    assert sorted(each["id"] for each in of_kafka) == sorted(each["id"] for each in of_mqtt)
    assert {(each["name"], each["row"]["reason"]) for each in of_kafka} == {("dead_letters", "malformed")}


@pytest.mark.parametrize("is_transactional", [False, True])
def test_a_cluster_that_does_not_answer_is_an_error(tmp_path, is_transactional, monkeypatch):
    kafka = pytest.importorskip("pantarhei.service.kafka")
    pytest.importorskip("confluent_kafka")
    monkeypatch.setattr(kafka, "PATIENCE", 0.3)
    section = {"kafka": "127.0.0.1:1", "topic": "alarms", "transactional": is_transactional}
    sink = sink_of(tmp_path, SOURCES, section)
    for run in (sink.check, sink.open):
        with pytest.raises(ConnectionFailedError, match="out: 127"):
            run()
    sink.close()


@pytest.mark.parametrize(
    ("kafka", "settings"), [("line", {}), ("h:1", {"nonsense": "1"}), ("h:1", {"acks": "x"})]
)
def test_a_cluster_or_setting_that_cannot_be_right_is_refused(tmp_path, kafka, settings):
    pytest.importorskip("confluent_kafka")
    with pytest.raises(OptionError, match=r"the name of a Kafka source|valid settings"):
        sink_of(tmp_path, SOURCES, {"kafka": kafka, "topic": "a", "settings": settings})
