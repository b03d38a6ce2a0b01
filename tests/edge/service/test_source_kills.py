"""Kills under load from each source to SQLite: each message is once in the journal, and each change once in
the database. Messages of standard input are there at most once.
"""

from __future__ import annotations

import math
import os
import sqlite3
import time
import urllib.request
from collections import defaultdict
from contextlib import closing, suppress
from http.client import HTTPException
from subprocess import PIPE

import pytest

from kill_tools import CLOCK, TIMEOUT, Feeder, check_stored, killed_site, run_with_kills, serials
from pantarhei.service.config import read_config
from service_tools import kafka_cluster, redis_server, wait_until

pytestmark = [pytest.mark.long, pytest.mark.timeout(TIMEOUT)]
IN_ORDER = "clock: {order: event, allowed_lateness: 2s, max_ahead: 1m}\n"


def check(path, feeders, **options):
    """Kill a service, compare its database with an uninterrupted run, and print what was measured."""
    killer = run_with_kills(path, feeders, **options)
    ids = check_stored(path, sqlite3.connect(path.parent / "alarms.db"))
    killer.report(readings=sum(len(each.numbers) for each in feeders), changes=len(ids))


@pytest.mark.parametrize("clock", [CLOCK, IN_ORDER], ids=["arrival", "event"])
def test_lines_of_growing_files_are_processed_once(tmp_path, clock):
    def append(number, content):
        with (tmp_path / f"{number // 400}.jsonl").open("ab", 0) as file:
            file.write(content[: number % 40])  # a reader may see a part of a line
            file.write(content[number % 40 :] + b"\n")

    path = killed_site(tmp_path, '{f: {files: "[0-9]*.jsonl", mapping: m.yaml}}', clock=clock)
    check(path, [Feeder(append)])


def test_entries_of_redis_are_processed_once(tmp_path):
    redis = pytest.importorskip("redis", reason="the package redis is not installed")
    with redis_server(tmp_path) as url, closing(redis.Redis.from_url(url)) as client:
        source = f'{{r: {{redis: "{url}", start: earliest, topics: {{a: m.yaml}}}}}}'
        path = killed_site(tmp_path / "site", source)
        check(path, [Feeder(lambda number, content: client.xadd("a", {"data": content}))])


def test_messages_of_kafka_are_processed_once(tmp_path):
    """The cluster is librdkafka's mock, in this process: it is not killed, and cannot prove transactions."""
    kafka = pytest.importorskip("confluent_kafka")
    with kafka_cluster() as cluster:
        producer = kafka.Producer({"bootstrap.servers": cluster, "linger.ms": 0})

        def produce(number, content):
            producer.produce("a", content, partition=number % 4)
            assert producer.flush(10) == 0

        source = f'{{k: {{kafka: "{cluster}", start: earliest, topics: {{a: m.yaml}}}}}}'
        path = killed_site(tmp_path, source)
        check(path, [Feeder(produce)])
        found = serials(tmp_path / "state")
    for partition in range(4):
        of_partition = [number for number in found if number % 4 == partition and number % 50]
        assert of_partition == sorted(of_partition)


@pytest.mark.parametrize("readers", [1, 0])
def test_pushes_that_are_repeated_until_they_are_answered_are_processed_once(tmp_path, readers):
    path = killed_site(tmp_path, "{p: {http: {a: m.yaml}}}", readers=readers)
    url, repeated = f"http://{read_config(path).http.listen}/push/a", set()

    def push(number, content):
        request = urllib.request.Request(url, content, {"Message-Id": f"m{number}"})
        left = 1 if number % 10 else 2  # each tenth answer is lost on its way
        while left:
            with suppress(OSError, HTTPException), urllib.request.urlopen(request, timeout=10) as answer:
                assert answer.status == 202
                left -= 1
            if left:
                repeated.add(number)
                time.sleep(1 if number % 20 == 10 else 0.05)

    check(path, [Feeder(push, first, 8) for first in range(8)])
    assert any(number % 10 for number in repeated)


def test_lines_of_standard_input_are_processed_at_most_once(tmp_path):
    """What is lost is the end of what a service was given before it was killed."""
    services, given = [], defaultdict(list)

    def write(number, content):
        process = services[0].process
        given[process.pid].append(number)
        with suppress(BrokenPipeError):
            os.write(process.stdin.fileno(), content + b"\n")

    def last_is_journaled(running):
        wait_until(lambda: serials(tmp_path / "state")[-1] == given[running.process.pid][-1], 60)

    path = killed_site(tmp_path, "{i: {stdin: m.yaml}}")
    check(path, [Feeder(write, most=math.inf)], on_ready=services.append, until=last_is_journaled, stdin=PIPE)
    found = serials(tmp_path / "state")
    assert len(found) == len(set(found))
    for numbers in given.values():
        processed = [number for number in numbers if number in set(found)]
        assert processed == numbers[: len(processed)]
