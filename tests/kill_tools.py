"""Services that are killed at random moments while numbered readings are sent, and what is compared then.

`PANTARHEI_KILLS` sets the number of kills, `PANTARHEI_SEED` repeats the moments of a run.
"""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from statistics import median

from pantarhei.service.config import read_config
from pantarhei.service.journal_driver import JournalDriver, read_knowledge
from pantarhei.service.message_journal import JournalTail, read_journal
from pantarhei.service.sinks.sink import letters_of
from service_tools import Service, free_port, service, wait_until, write_site

KILLS = int(os.environ.get("PANTARHEI_KILLS", "4"))
TIMEOUT = 240 + 60 * KILLS
RULES = "@prefix : <http://example.org/> .\nalarm(S) :- :Hot(S) always in [0.5 sec].\n"
MORE = """
rules: rules.lars
dead_letters: {file: dead.ndjson}
state: {folder: state, checkpoint: 1s, keep: 1h}
"""
CLOCK = "clock: {allowed_lateness: 1m, max_ahead: 1m}\n"
DATABASE = 'store: {sql: "sqlite:///alarms.db"}'
RATE = 60  # readings a second
AWAY = 700  # fewer than a broker keeps for a service that is away


def seeded() -> random.Random:
    """Return a source of random numbers whose seed is printed."""
    seed = int(os.environ.get("PANTARHEI_SEED") or random.SystemRandom().randrange(1 << 30))
    print("seed", seed)
    return random.Random(seed)


def killed_site(folder, sources, sinks=DATABASE, readers=0, clock=CLOCK):
    """Write a site with a rule, a query, an HTTP server and sinks; return the path of its configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rules.lars").write_text(RULES)
    http = f'http: {{listen: "127.0.0.1:{free_port()}", readers: {readers}}}\n'
    more = f"{clock}{MORE}{http}sinks: {{{sinks}}}"
    return write_site(folder, sources, more, window="{range: 1m, slide: 0.1s}")


def reading(number: int, chosen: random.Random) -> bytes:
    """Return a reading of now as JSON; a few are malformed."""
    at, value = datetime.now(UTC).isoformat(), round(chosen.uniform(25, 32), 1) if number % 50 else "hot!"
    content = {"n": number, "at": at, "id": f"s{chosen.randrange(20)}", "v": value}
    return json.dumps(content).encode()


class Feeder(threading.Thread):
    """Sends readings until `end`; waits while too many of them are not in the journal yet.

    Args:
        send: sends a number and a reading, and returns when the receiver has it.
        first: the first number.
        step: distance of the numbers, for several feeders.
        most: number of readings that may be sent before they are in the journal.

    Attributes:
        numbers: the numbers that were sent.
        journaled: number of readings in the journal.
    """

    def __init__(
        self, send: Callable[[int, bytes], object], first: int = 0, step: int = 1, most: float = AWAY
    ) -> None:
        super().__init__(daemon=True)
        self._send, self._first, self._step, self._most = send, first, step, most
        self._random, self._stopping = random.Random(first), threading.Event()
        self.numbers: list[int] = []
        self.journaled = 0

    def run(self) -> None:
        while not self._stopping.wait(self._step / RATE):
            if self._step * len(self.numbers) - self.journaled < self._most:
                number = self._first + self._step * len(self.numbers)
                self._send(number, reading(number, self._random))
                self.numbers.append(number)

    def end(self) -> None:
        self._stopping.set()
        self.join(60)
        assert not self.is_alive()


class Killer:
    """Kills a service at random moments, with its readers or without, and starts it again.

    Args:
        feeders: the feeders, which are informed of what is in the journal.
    """

    def __init__(self, running: Service, chosen: random.Random, feeders=()) -> None:
        self._running, self._random, self._feeders = running, chosen, feeders
        self._tail = JournalTail(running.path.parent / "state", 0)
        self.kills = self.readers = self.journaled = 0
        self._began = 0.0  # time of the last start; 0 if it is noted already, or a reader was killed since
        self.wall: list[float] = []
        self.cpu: list[float] = []

    def run(self) -> None:
        """Kill the service `KILLS` times; readers alone besides."""
        for _ in range(KILLS):
            if self._random.random() < 0.3:
                self.sleep_during_start()
            else:
                self.wait_until_ready()
                if self._random.random() < 0.7:
                    before = self.read()
                    wait_until(lambda before=before: self.read() > before, 60)
                self._sleep()
            if self._running.readers and self._random.random() < 0.3:
                os.kill(self._random.choice(self._running.readers), 9)
                self.readers += 1
                self._began = 0.0
                self._sleep()
            self.restart(with_readers=self._random.random() < 0.5)
        self.wait_until_ready()

    def read(self) -> int:
        """Return the number of readings in the journal."""
        while records := self._tail.read():
            for record in records:
                self.journaled += sum(map(_is_reading, record.all_messages))
        for each in self._feeders:
            each.journaled = self.journaled
        return self.journaled

    def sleep_during_start(self) -> None:
        """Wait for a part of the time that a start takes, or a little longer."""
        self._sleep(1.2 * max(self.wall, default=2))

    def _sleep(self, most: float = 2) -> None:
        end = time.monotonic() + self._random.uniform(0.1, most)
        while time.monotonic() < end:
            self.read()
            time.sleep(0.05)

    def restart(self, with_readers: bool = True) -> None:
        """Kill the service, and start it again; readers that were not killed end by themselves."""
        before = self._running.readers if self._running.process.poll() is None else []
        assert self._running.process.poll() is None, self._running.log.read_text()
        self._running.kill(with_readers)
        self.kills += 1
        self._running.start()
        self._began = time.monotonic()
        wait_until(lambda: not any(map(_is_alive, before)), 10)

    def wait_until_ready(self) -> None:
        """Wait until the service is ready, and note how long that took."""
        self._running.wait_until_ready()
        if self._began:
            self.wall.append(time.monotonic() - self._began)
            processes = [self._running.process.pid, *self._running.readers]
            self.cpu.append(sum(map(_cpu_seconds, processes)))
            self._began = 0.0

    def report(self, **figures) -> None:
        """Print what was measured."""
        shown = {"kills": self.kills, "readers killed": self.readers, **figures}
        for name, seconds in (("wall", self.wall), ("cpu", self.cpu)):
            if seconds:
                shown[name] = f"median {median(seconds):.2f} s, max {max(seconds):.2f} s"
        print(json.dumps(shown | {"ready": len(self.wall), "load": round(os.getloadavg()[0], 1)}))


def _is_alive(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _cpu_seconds(process: int) -> float:
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _is_reading(message):
    return message.payload.startswith(b'{"n"')


def serials(folder):
    """Return the numbers of the readings in the journal, dead letters included."""
    return [
        json.loads(message.payload)["n"]
        for record in read_journal(folder)
        for message in record.all_messages
        if _is_reading(message)
    ]


def expected_changes(path):
    """Return the changes and dead letters of an uninterrupted run over the journal, with their ids."""
    config = read_config(path)
    driver = JournalDriver.fresh(read_knowledge(config))
    changes, dead = [], set()
    for record in read_journal(config.path(config.state.folder)):
        emitted = driver.apply(record)
        changes += [(each.id, each.name, each.sign, dict(each.row)) for each in emitted.changes]
        dead |= {(id_, each.reason) for id_, each in letters_of(emitted)}
    return changes, dead


def stored_changes(database):
    """Return the changes and dead letters in a database, by its connection."""
    with closing(database), closing(database.cursor()) as cursor:
        cursor.execute('select id, name, change, "row" from changes')
        rows = cursor.fetchall()
        cursor.execute("select id, reason from dead_letters")
        return [(*row[:3], json.loads(row[3])) for row in rows], list(map(tuple, cursor.fetchall()))


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def by_id(changes):
    return sorted(changes, key=lambda change: change[0])


def check_stored(path, database):
    """Check that a database, and the file of dead letters, have what an uninterrupted run yields, once.

    Returns the ids of the changes, sorted.
    """
    stored, letters = stored_changes(database)
    expected, dead = expected_changes(path)
    ids = sorted(change[0] for change in expected)
    assert len(set(ids)) == len(ids) > 5 * KILLS
    assert by_id(stored) == by_id(expected)
    assert sorted(letters) == sorted(dead)
    assert sorted((each["id"], each["reason"]) for each in lines_of(path.parent / "dead.ndjson")) == sorted(
        dead
    )
    return ids


def run_with_kills(path, feeders, on_ready=None, until=None, stdin=None):
    """Run a service that is killed while feeders send; check that each reading is in the journal once.

    Args:
        on_ready: called with the service when it is ready for the first time.
        until: called with the service after the last reading, to wait until it may end; by default, all
            readings must be in the journal, once.
        stdin: standard input of the service.

    Returns the killer.
    """
    chosen = seeded()
    with service(path, stdin) as running:
        running.wait_until_ready()
        killer = Killer(running, chosen, feeders)
        if on_ready is not None:
            on_ready(running)
        for each in feeders:
            each.start()
        killer.run()
        time.sleep(2)
        for each in feeders:
            each.end()
        sent = sorted(number for each in feeders for number in each.numbers)
        folder = path.parent / "state"
        if until is None:
            wait_until(lambda: killer.read() >= len(sent), 120, 0.1)
            assert sorted(serials(folder)) == sent
        else:
            until(running)
        assert running.stop() == 0
    assert "Traceback" not in running.log.read_text()
    return killer
