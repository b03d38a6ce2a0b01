"""Upgrades that are killed at random moments: each earlier answer is there once, and new ones are added."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import urllib.request
from collections import defaultdict
from contextlib import closing

import pytest

from kill_tools import (
    DATABASE,
    KILLS,
    RULES,
    TIMEOUT,
    Killer,
    expected_changes,
    killed_site,
    lines_of,
    reading,
    seeded,
)
from pantarhei.service.config import read_config
from pantarhei.service.message_journal import read_journal
from pantarhei.service.start import checkpoint_number, checkpoints
from service_tools import service, wait_until

pytestmark = [pytest.mark.long, pytest.mark.timeout(TIMEOUT)]
OTHERS = ["", "warned(S) :- :Hot(S) in [3 sec].\n", "warned(S) :- :Hot(S) at least 2 times in [2 sec].\n"]
"""Rules that are added in turn; those for alarms remain."""


def by_record(ids):
    """Return the ids of each record, sorted."""
    found = defaultdict(list)
    for each in sorted(ids):
        found[int(each.partition("-")[0])].append(each)
    return found


def stored(folder):
    """Return the ids of the changes in the database."""
    with closing(sqlite3.connect(folder / "alarms.db")) as database:
        return {id_ for (id_,) in database.execute("select id from changes")}


def last_record(folder):
    """Return the number of the last record in the journal; 0 if it is empty."""
    return max((record.number for record in read_journal(folder / "state")), default=0)


def is_written(folder, record):
    """Test whether the sinks have the changes up to a record."""
    positions = json.loads((folder / "state" / "positions.json").read_text())
    with closing(sqlite3.connect(folder / "alarms.db")) as database:
        [(of_database,)] = database.execute("select record from pantarhei_positions")
    return min(positions["lines"]["record"], of_database) >= record


@pytest.mark.parametrize("readers", [0, 1])
def test_kills_during_upgrades_lose_and_repeat_nothing(tmp_path, readers):
    sinks = f"{DATABASE}, lines: {{file: out.ndjson}}"
    path, chosen = killed_site(tmp_path, "{p: {http: {a: m.yaml}}}", sinks, readers), seeded()
    url, rules = f"http://{read_config(path).http.listen}/push/a", tmp_path / "rules.lars"
    stages, version = [], 0
    with service(path) as running:
        killer = Killer(running, chosen)
        for _ in range(max(KILLS // 5, 1) + 1):  # two upgrades at least, else no record shows the first
            killer.wait_until_ready()
            begin = last_record(tmp_path)
            for number in range(1, 60):
                with urllib.request.urlopen(url, reading(number, chosen), timeout=30) as answer:
                    assert answer.status == 202
            end = last_record(tmp_path)
            wait_until(lambda end=end: is_written(tmp_path, end), 60)
            stages.append((version, begin, end))
            earlier = stored(tmp_path)
            version = chosen.choice([each for each in range(len(OTHERS)) if each != version])
            rules.write_text(RULES + OTHERS[version])
            for _ in range(5):
                killer.restart(with_readers=chosen.random() < 0.5)
                killer.sleep_during_start()
                assert stored(tmp_path) >= earlier
        killer.wait_until_ready()
        assert running.stop() == 0
    assert "Traceback" not in running.log.read_text()
    stages.append((version, last_record(tmp_path), last_record(tmp_path)))
    expected = []
    for each in OTHERS:
        rules.write_text(RULES + each)
        expected.append(by_record(change[0] for change in expected_changes(path)[0]))
    check_lines(tmp_path, stages, expected)
    # the database has the changes of all records, whose rules were replaced after they were written
    found = by_record(stored(tmp_path))
    for version, _, end in stages:
        assert all(set(expected[version][record]) <= set(found[record]) for record in range(1, end + 1))
    for record, ids in found.items():
        assert set(ids) <= {id_ for by_version in expected for id_ in by_version[record]}
    assert any(found[record] != expected[version][record] for record in found)
    killer.report(upgrades=len(stages) - 1, changes=sum(map(len, found.values())))


@pytest.mark.parametrize("kills", ["reader", "both"])
def test_files_that_are_edited_are_adopted_by_a_restart_of_the_service_only(tmp_path, kills):
    path, chosen = killed_site(tmp_path, "{p: {http: {a: m.yaml}}}", DATABASE, 1), seeded()
    url, rules = f"http://{read_config(path).http.listen}/push/a", tmp_path / "rules.lars"
    malformed = {
        "site.ttl": ":a :b",
        "m.yaml": "mappings: 1",
        "site.yaml": "windwo: 1",
        "rules.lars": "alarm(S :-",
    }
    good = {name: (tmp_path / name).read_text() for name in malformed}
    folder = tmp_path / "state"

    def push(numbers):
        for number in numbers:
            with urllib.request.urlopen(url, reading(number, chosen), timeout=30) as answer:
                assert answer.status == 202

    with service(path) as running:
        running.wait_until_ready()
        push(range(1, 30))
        for name, text in malformed.items():
            (tmp_path / name).write_text(text)
        rules.write_text(RULES + OTHERS[1])  # valid: it must not be adopted either
        (reader,) = running.readers
        os.kill(reader, signal.SIGKILL)
        wait_until(lambda: running.readers not in ([], [reader]) and running.is_ready(), 60)
        push(range(30, 60))
        end = last_record(tmp_path)
        wait_until(lambda: newest_checkpoint(folder) >= end, 60)
        for name, text in good.items():
            (tmp_path / name).write_text(text)
        rules.write_text(RULES + OTHERS[1])
        running.kill(with_readers=kills == "both")
        running.start()
        running.wait_until_ready()
        assert running.stop() == 0
    assert "Traceback" not in running.log.read_text()
    assert {change[0] for change in expected_changes(path)[0]} <= stored(tmp_path)


def newest_checkpoint(folder):
    return max(map(checkpoint_number, checkpoints(folder)), default=0)


def check_lines(folder, stages, expected):
    """Check that the file has the changes of each record once, by the rules of its time."""
    lines = by_record(each["id"] for each in lines_of(folder / "out.ndjson"))
    for version, begin, end in stages:
        for record in range(begin + 1, end + 1):
            assert lines[record] == expected[version][record]
    for record, ids in lines.items():  # of ticks too, between two stages
        assert ids in [by_version[record] for by_version in expected]
    assert sum(map(len, lines.values())) > 10 * len(stages)
