"""Sources with their servers: each message once, from the position in the journal."""

from __future__ import annotations

import json
import threading
from contextlib import closing, contextmanager

import pytest

from pantarhei.errors import UnknownTopicError
from pantarhei.service.message_journal import Message, read_journal
from pantarhei.service.writer import Writer
from service_tools import kafka_cluster, redis_server, site, wait_until

redis = pytest.importorskip("redis", reason="the package redis is not installed")
kafka = pytest.importorskip("confluent_kafka", reason="the package confluent-kafka is not installed")


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory):
    with redis_server(tmp_path_factory.mktemp("redis")) as url:
        yield url


@pytest.fixture
def client(redis_url):
    with closing(redis.Redis.from_url(redis_url)) as client:
        client.flushall()
        yield client


@pytest.fixture(scope="module")
def brokers():
    with kafka_cluster() as servers:
        yield servers


@contextmanager
def running(config):
    writer = Writer(config)
    writer.start()
    thread = threading.Thread(target=writer.run)
    thread.start()
    try:
        yield writer
    finally:
        writer.stopping.set()
        thread.join(30)


def reading(number: int) -> bytes:
    fields = {"at": f"2024-01-01T00:{number // 60:02}:{number % 60:02}Z", "id": f"s{number}", "v": number}
    return json.dumps(fields).encode()


def journaled(config):
    records = read_journal(config.path(config.state.folder))
    messages = [each for record in records for each in (*record.messages, *(dead[0] for dead in record.dead))]
    return [int(json.loads(message.payload)["v"]) for message in messages]


CLOCK = "clock: {idle: null, allowed_lateness: 1h}"


def add(client, numbers):
    for number in numbers:
        client.xadd("readings", {"data": reading(number)})


def redis_site(folder, url, start="earliest"):
    return site(folder, f'{{r: {{redis: "{url}", start: {start}, topics: {{readings: m.yaml}}}}}}', CLOCK)


@pytest.mark.long
def test_redis_entries_are_read_once_over_restarts(tmp_path, redis_url, client):
    config = redis_site(tmp_path, redis_url)
    for begin in range(0, 30, 10):
        add(client, range(begin, begin + 5))
        with running(config):
            add(client, range(begin + 5, begin + 10))
            wait_until(lambda end=begin + 10: len(journaled(config)) == end)
    assert journaled(config) == list(range(30))


@pytest.mark.long
def test_a_new_source_of_redis_begins_with_new_entries_even_after_a_restart(tmp_path, redis_url, client):
    config = redis_site(tmp_path, redis_url, "latest")
    add(client, [0])
    with running(config) as writer:
        wait_until(lambda: "r" in writer.driver.positions)
    add(client, [1])
    with running(config):
        wait_until(lambda: journaled(config) == [1])


@pytest.mark.parametrize("lost", ["trimmed", "deleted", "created again"])
def test_lost_entries_of_redis_are_reported_and_the_others_are_read_once(
    tmp_path, redis_url, client, lost, caplog
):
    config = redis_site(tmp_path, redis_url)
    add(client, range(5))
    with running(config):
        wait_until(lambda: len(journaled(config)) == 5)
    if lost == "created again":
        client.delete("readings")
    add(client, range(5, 10))
    if lost == "trimmed":
        client.xtrim("readings", maxlen=3, approximate=False)
    elif lost == "deleted":
        client.xdel("readings", client.xrange("readings", count=8)[-1][0])
    left = {"trimmed": [7, 8, 9], "deleted": [5, 6, 8, 9], "created again": [5, 6, 7, 8, 9]}[lost]
    with running(config):
        wait_until(lambda: journaled(config) == [*range(5), *left])
    assert "entries after entry" in caplog.text


def test_the_check_of_redis_names_a_server_that_is_absent(tmp_path):
    from pantarhei.errors import ConnectionFailedError
    from pantarhei.service.connections import make_sources

    (source,) = make_sources(redis_site(tmp_path, "redis://127.0.0.1:1/0"))
    with pytest.raises(ConnectionFailedError, match=r"r: redis://127\.0\.0\.1:1/0 cannot be reached"):
        source.check()


def kafka_site(folder, brokers, topic, start="earliest"):
    section = f'{{k: {{kafka: "{brokers}", start: {start}, topics: {{{topic}: m.yaml}}}}}}'
    return site(folder, section, CLOCK)


def produce(brokers, topic, numbers, partition=None):
    producer = kafka.Producer({"bootstrap.servers": brokers})
    for number in numbers:
        chosen = number % 4 if partition is None else partition
        producer.produce(topic, reading(number), partition=chosen)
    assert producer.flush(10) == 0


@pytest.mark.long
def test_kafka_messages_are_read_once_over_restarts(tmp_path, brokers):
    config = kafka_site(tmp_path, brokers, "restarts")
    for begin in range(0, 60, 20):
        produce(brokers, "restarts", range(begin, begin + 10))
        with running(config):
            produce(brokers, "restarts", range(begin + 10, begin + 20))
            wait_until(lambda end=begin + 20: len(journaled(config)) == end)
    assert sorted(journaled(config)) == list(range(60))


def test_kafka_partitions_whose_position_is_unknown_are_read_from_their_beginning(tmp_path, brokers):
    produce(brokers, "grows", range(8))
    config = kafka_site(tmp_path, brokers, "grows", "latest")
    with running(config) as writer:
        wait_until(lambda: len(writer.driver.positions.get("k", ())) == 4)
    assert journaled(config) == []
    from pantarhei.service.connections import make_sources
    from pantarhei.service.sources.source import Inbox

    (source,) = make_sources(config)
    inbox = Inbox()
    source.start(inbox, {f"grows/{number}": 2 for number in range(3)})
    try:
        wait_until(lambda: inbox.qsize() >= 3)
        found = [each.message.payload for each in inbox.take(1, 0.2) if not each.is_position]
    finally:
        source.stop()
        source.close()
    assert found == [reading(3), reading(7)]


def test_settings_of_kafka_are_passed_on_and_refused_if_they_are_unknown(tmp_path, brokers):
    from pantarhei.errors import ConnectionFailedError
    from pantarhei.service.connections import make_sources

    sources = f'{{k: {{kafka: "{brokers}", topics: {{a: m.yaml}}, settings: {{no.such: "1"}}}}}}'
    (source,) = make_sources(site(tmp_path, sources))
    with pytest.raises(ConnectionFailedError, match=r"no\.such"):
        source.check()


def test_history_is_read_to_its_end_before_the_source_that_follows(tmp_path):
    sources = (
        '{past: {files: "past.csv", mapping: m.yaml, then: live}, '
        'live: {files: "live.jsonl", mapping: m.yaml}, push: {http: {readings: m.yaml}}}'
    )
    config = site(tmp_path, sources, "clock: {allowed_lateness: 0s, idle: 0.1s}")
    rows = [
        f"2024-01-01T00:{number // 60:02}:{number % 60:02}Z,s{number % 3},{number}" for number in range(200)
    ]
    (tmp_path / "past.csv").write_text("\n".join(["at,id,v", *rows]) + "\n")
    (tmp_path / "live.jsonl").write_bytes(reading(200) + b"\n")
    with running(config) as writer:
        with pytest.raises(UnknownTopicError, match="readings"):
            writer.push(Message("push", "reading", b"{}"))
        wait_until(lambda: len(journaled(config)) == 201)
    assert journaled(config) == list(range(201))
    assert not [dead for record in read_journal(config.path("state")) for dead in record.dead]
