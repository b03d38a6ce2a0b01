"""A service that is killed at random moments has each message once in its journal, and each change in SQLite.

`PANTARHEI_KILLS` sets the number of kills.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from functools import partial

import pytest

from pantarhei.service.journal_driver import JournalDriver, read_knowledge
from pantarhei.service.message_journal import read_journal
from service_tools import redis_server, site, wait_until

pytestmark = pytest.mark.long
KILLS = int(os.environ.get("PANTARHEI_KILLS", "4"))


def line(number: int) -> bytes:
    at = f"2024-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}Z"
    return json.dumps({"at": at, "id": f"s{number % 5}", "v": number * 7 % 50, "n": number}).encode()


def journaled(config):
    found = []
    for record in read_journal(config.path("state")):
        assert not record.dead
        found += [json.loads(message.payload)["n"] for message in record.messages]
    return found


def kill_at_random_moments(config, add, seed: int) -> list[int]:
    """Add messages while services run and are killed, then let one end; returns the messages."""
    chance, number = random.Random(seed), 0
    for life in range(KILLS + 1):
        command = [sys.executable, "-m", "pantarhei", "serve", str(config.folder / "site.yaml")]
        process = subprocess.Popen(command)
        try:
            end = time.monotonic() + chance.uniform(1.0, 3.0)
            while time.monotonic() < end:
                assert process.poll() is None, "the service has ended"
                add(range(number, number + 20))
                number += 20
                time.sleep(0.05)
            if life == KILLS:
                wait_until(partial(_has, config, number), 60)
                process.terminate()
                assert process.wait(60) == 0
        finally:
            process.kill()
            process.wait()
    return list(range(number))


def _has(config, number: int) -> bool:
    return len(journaled(config)) >= number


def check_changes(config):
    """Compare SQLite with the changes of a driver that processes the whole journal."""
    driver = JournalDriver.fresh(read_knowledge(config))
    expected = [
        (change.id, change.sign)
        for record in read_journal(config.path("state"))
        for change in driver.apply(record).changes
    ]
    with closing(sqlite3.connect(config.folder / "a.db")) as database:
        found = database.execute("select id, change from changes").fetchall()
    assert expected
    assert sorted(found) == sorted(expected)


MORE = """
sinks: {db: {sql: "sqlite:///a.db"}}
clock: {allowed_lateness: 1h, idle: null}
state: {checkpoint: 1s, keep: 1d}
"""


def test_lines_of_a_growing_file_are_processed_once(tmp_path):
    config = site(tmp_path, '{f: {files: "*.jsonl", mapping: m.yaml}}', MORE)

    def add(numbers):
        with (tmp_path / f"{numbers[0] // 400}.jsonl").open("ab") as file:
            for number in numbers:
                file.write(line(number) + b"\n")

    added = kill_at_random_moments(config, add, 1)
    assert journaled(config) == added
    check_changes(config)


def test_entries_of_redis_are_processed_once(tmp_path):
    redis = pytest.importorskip("redis", reason="the package redis is not installed")
    with redis_server(tmp_path) as url, closing(redis.Redis.from_url(url)) as client:
        section = f'{{r: {{redis: "{url}", start: earliest, topics: {{a: m.yaml}}}}}}'
        config = site(tmp_path / "site", section, MORE)

        def add(numbers):
            for number in numbers:
                client.xadd("a", {"data": line(number)})

        added = kill_at_random_moments(config, add, 2)
        assert journaled(config) == added
        check_changes(config)
