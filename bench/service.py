"""Writer of the service, without a broker: messages of 500 sensors go through decoding, journal, reasoner,
temporal rules, ten registered queries and a SQLite sink.

Each reading of a sensor contradicts its previous one, so that each message has a repair; checkpoints are also
measured without repairs. Messages carry simulated times; batches have the size of 10 ms at the given rate.
CPU is that of all threads of the process.
The duration of a step is the CPU time of its thread, without the flush of the journal to the disk; the wall
time, which includes other work on the machine, is reported beside it.

In the simulated week, 60 messages arrive each minute, and the window holds 20 minutes.
"""

from __future__ import annotations

import gc
import logging
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from bench.measuring import SEED, Figure, check, cpu_seconds, figure, without_garbage
from bench.memory import resident_megabytes
from pantarhei.service.batching import Received
from pantarhei.service.config import read_config
from pantarhei.service.journal_driver import JournalDriver, read_knowledge
from pantarhei.service.message_journal import Message, read_journal
from pantarhei.service.start import checkpoints
from pantarhei.service.writer import Writer

SENSORS, BATCHES_PER_SECOND = 500, 100
FILLED = 2_100  # steps after which the window is full
BEGIN = datetime(2026, 3, 2, tzinfo=UTC)

ONTOLOGY = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<http://example.org/> a owl:Ontology .
:value a owl:DatatypeProperty, owl:FunctionalProperty ; rdfs:domain :Sensor .
:inRoom a owl:ObjectProperty ; owl:inverseOf :hasSensor . :hasSensor a owl:ObjectProperty .
:onFloor a owl:ObjectProperty .
:Hot owl:equivalentClass [ a owl:Restriction ; owl:onProperty :value ; owl:someValuesFrom
    [ a rdfs:Datatype ; owl:onDatatype xsd:decimal ; owl:withRestrictions ( [ xsd:minInclusive 28.0 ] ) ] ] .
:Cold owl:equivalentClass [ a owl:Restriction ; owl:onProperty :value ; owl:someValuesFrom
    [ a rdfs:Datatype ; owl:onDatatype xsd:decimal ; owl:withRestrictions ( [ xsd:maxInclusive 5.0 ] ) ] ] .
[ a owl:Restriction ; owl:onProperty :hasSensor ; owl:someValuesFrom :Hot ] rdfs:subClassOf :HotRoom .
"""
RULES = """@prefix : <http://example.org/> .
said(S) :- asserted :value(S, V) in [3 sec].
silent(S) :- asserted :value(S, V) in [15 sec], not said(S).
"""
MAPPING = """prefixes: {s: "http://example.org/"}
time: {column: at}
mappings: {reading: {s: "s:$(_level2)", po: [["s:value", "$(v)", "xsd:decimal"]]}}
"""
SITE = """ontology: site.ttl
background: rooms.ttl
rules: rules.lars
prefixes: {"": "http://example.org/"}
window: {range: 20s, tick: 1s}
clock: {max_ahead: null}
sources: {plant: {mqtt: "mqtt://127.0.0.1:1", topics: {site/+/temp: reading.yaml}}}
queries:
  hot: "SELECT ?s ?v { ?s a :Hot ; :value ?v }"
  hotRooms: "SELECT ?r (COUNT(?s) AS ?n) { ?r :hasSensor ?s . ?s a :Hot } GROUP BY ?r"
  cold: "SELECT ?s { ?s a :Cold }"
  floorMean: "SELECT ?f (AVG(?v) AS ?mean) { ?s :inRoom/:onFloor ?f ; :value ?v } GROUP BY ?f"
  floorMax: "SELECT ?f (MAX(?v) AS ?max) { ?s :inRoom/:onFloor ?f ; :value ?v } GROUP BY ?f"
  top: "SELECT ?s ?v { ?s :value ?v } ORDER BY DESC(?v) ?s LIMIT 5"
  count: "SELECT (COUNT(*) AS ?n) { ?s :value ?v }"
  room7: "SELECT ?s ?v { ?s :inRoom :room7 ; :value ?v }"
  twoHot: "SELECT DISTINCT ?r { ?a :inRoom ?r ; a :Hot . ?b :inRoom ?r ; a :Hot FILTER(?a != ?b) }"
  coldRoom: "SELECT ?r { ?r a :HotRoom . FILTER NOT EXISTS { ?r :hasSensor/a :Cold } }"
sinks: {store: {sql: "sqlite:///changes.db"}}
state: {folder: state, checkpoint: 1h}
http: null
log: {level: warning}
"""


def make_site(folder: Path, site: str = SITE, ontology: str = ONTOLOGY) -> Path:
    """Write the files of the site; return the path of its configuration."""
    rooms = "\n".join(f":s{s} :inRoom :room{s // 10} ." for s in range(SENSORS))
    floors = "\n".join(f":room{room} :onFloor :floor{room // 10} ." for room in range(SENSORS // 10))
    texts = {
        "site.ttl": ontology,
        "rooms.ttl": f"@prefix : <http://example.org/> .\n{rooms}\n{floors}\n",
        "rules.lars": RULES,
        "reading.yaml": MAPPING,
        "site.yaml": site,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "site.yaml"


class Feed:
    """Batches of messages with simulated times.

    Args:
        seconds: the time between two batches.
    """

    def __init__(self, seconds: float) -> None:
        self._random, self._distance = np.random.default_rng(SEED), timedelta(seconds=seconds)
        self.at, self._count = BEGIN, 0

    def batch(self, size: int) -> list[Received]:
        """Return the next batch. One value of a hundred is hot."""
        self.at += self._distance
        values = self._random.uniform(15, 25, size) + 13 * (self._random.random(size) < 0.01)
        found, text = [], self.at.isoformat().encode()
        for value in values.tolist():
            payload = b'{"at":"%s","v":%.2f}' % (text, value)
            topic = f"site/s{self._count % SENSORS}/temp"
            found.append(Received(Message("plant", topic, payload, str(self._count))))
            self._count += 1
        return found


@contextmanager
def service_folder(site: str = SITE, ontology: str = ONTOLOGY) -> Iterator[Path]:
    """Yield the path of the configuration in a folder that is deleted at the end."""
    logging.getLogger("pantarhei").setLevel(logging.ERROR)
    folder = Path(tempfile.mkdtemp(prefix="pantarhei-"))
    try:
        yield make_site(folder, site, ontology)
    finally:
        shutil.rmtree(folder)


@contextmanager
def started_writer(path: Path) -> Iterator[Writer]:
    """Yield a writer whose sources deliver nothing. As in the service, no collection visits all objects."""
    writer, thresholds = Writer(read_config(path)), gc.get_threshold()
    gc.set_threshold(*thresholds[:2], 1_000_000)
    sys.setswitchinterval(0.001)
    try:
        writer.sources = []
        writer.start()
        yield writer
        writer.stop()
    finally:
        gc.set_threshold(*thresholds)
        sys.setswitchinterval(0.005)


class Steps(NamedTuple):
    """Cost of steps.

    Args:
        per_message: CPU microseconds of the process a message.
        cpu: CPU milliseconds of each step.
        wall: milliseconds of each step.
    """

    per_message: float
    cpu: list[float]
    wall: list[float]


def run_steps(writer: Writer, feed: Feed, size: int, count: int) -> Steps:
    """Run steps, each with a batch of messages."""
    batches = [feed.batch(size) for _ in range(count)]
    cpu, wall = [], []
    with without_garbage():
        whole = time.process_time()
        for batch in batches:
            begun, in_thread = time.perf_counter(), time.thread_time()
            writer.step(batch)
            cpu.append(1e3 * (time.thread_time() - in_thread))
            wall.append(1e3 * (time.perf_counter() - begun))
        whole = time.process_time() - whole
    return Steps(1e6 * whole / (size * count), cpu, wall)


def _p99(samples: list[float]) -> float:
    return sorted(samples)[int(0.99 * len(samples))]


def measure(quick: bool) -> Iterator[Figure]:
    """Yield the cost of messages and steps, delays by checkpoints, the time of a replay, and memory."""
    count = 300 if quick else 1_000
    for rate, per_message, step in ((5_000, 150, None), (1_000, None, 10)):
        with service_folder() as path, started_writer(path) as writer:
            feed, size = Feed(1 / BATCHES_PER_SECOND), rate // BATCHES_PER_SECOND
            run_steps(writer, feed, size, 300 if quick else FILLED)
            done = [run_steps(writer, feed, size, count) for _ in range(1 if quick else 3)]
            samples = [each.per_message for each in done]
            yield figure(f"{rate:,} messages/s", "CPU a message", samples, "µs", per_message)
            for name, part in (("step, p99", _p99), ("longest step", max)):
                value, wall = (median(part(getattr(each, of)) for each in done) for of in ("cpu", "wall"))
                yield Figure(
                    f"{rate:,} messages/s", name, value, "ms", step if part is _p99 else None, wall=wall
                )
    for has_repairs in (False, True):
        yield from _checkpoints(5_000 if quick else 50_000, has_repairs)
    yield from _replay(1_000 if quick else 10_000)
    yield from _week(1 if quick else 7)


def _checkpoints(aboxes: int, has_repairs: bool) -> Iterator[Figure]:
    """Measure steps while a checkpoint of a window with many ABoxes is written.

    A step waits for the checkpoint at most as long as the thread of the checkpoint works during the step.

    Args:
        aboxes: the number of ABoxes in the window.
        has_repairs: whether each ABox contradicts an older one.
    """
    name = f"{aboxes:,} ABoxes{', a repair in each' * has_repairs}"
    site = re.sub(r"queries:\n(  .*\n)+", "", SITE).replace("range: 20s", "range: 1d")
    ontology = ONTOLOGY if has_repairs else ONTOLOGY.replace(", owl:FunctionalProperty", "")
    alone, during, beside = [], [], []
    with service_folder(site, ontology) as path, started_writer(path) as writer:
        feed = Feed(1 / BATCHES_PER_SECOND)
        run_steps(writer, feed, 1, aboxes)
        yield figure(name, "step of a message", run_steps(writer, feed, 1, 300).cpu, "ms")
        for _ in range(3):
            alone.append(max(run_steps(writer, feed, 10, 30).wall))
            writer.save()
            thread = writer._saving
            assert thread.ident is not None, "it is started"
            clock, taken, worked = time.pthread_getcpuclockid(thread.ident), [0.0], [0.0]
            while thread.is_alive():
                batch = feed.batch(10)
                begun, begun_thread = time.perf_counter(), _clock(clock)
                writer.step(batch)
                taken.append(1e3 * (time.perf_counter() - begun))
                worked.append(1e3 * (_clock(clock) - begun_thread))
                time.sleep(max(0.0, 1 / BATCHES_PER_SECOND - taken[-1] / 1e3))
            during.append(max(taken))
            beside.append(max(worked))
    yield figure(name, "longest step, wall", alone, "ms")
    yield figure(name, "longest step during a checkpoint, wall", during, "ms")
    yield figure(name, "CPU of a checkpoint during a step, at most", beside, "ms", 20)


def _clock(clock: int) -> float:
    """Return the CPU seconds of a thread; 0 if it has ended."""
    try:
        return time.clock_gettime(clock)
    except OSError:
        return 0.0


def _replay(records: int) -> Iterator[Figure]:
    """Measure the replay of records of ten messages into an empty window."""
    with service_folder() as path:
        with started_writer(path) as writer:
            run_steps(writer, Feed(1 / BATCHES_PER_SECOND), 10, records)
            changes = writer.driver.reasoner.assertions()
        for checkpoint in checkpoints(path.parent / "state"):
            checkpoint.unlink()
        config = read_config(path)
        driver = JournalDriver.fresh(read_knowledge(config))

        def replay() -> None:
            for record in read_journal(path.parent / "state"):
                driver.apply(record)

        taken = cpu_seconds(replay)
        check("the replayed window", driver.reasoner.assertions(), changes)
        yield figure(f"{records:,} records", "replay", [taken], "s")


def _week(days: int) -> Iterator[Figure]:
    """Measure memory and steps of a simulated week with checkpoints."""
    site = SITE.replace("range: 20s, tick: 1s", "range: 20m, tick: 1m")
    site = site.replace("[3 sec]", "[3 min]")
    with service_folder(site) as path, started_writer(path) as writer:
        feed, sizes, steps = Feed(60), list[float](), list[float]()
        for _ in range(days * 24 // 4):  # in parts of four hours
            steps.append(median(run_steps(writer, feed, 60, 240).cpu))
            writer.save(always=True)
            gc.collect()
            sizes.append(resident_megabytes())
        third = max(len(sizes) // 3, 1)
        yield figure(f"{days} days", "memory after a third", sizes[third : third + 1], "MB")
        yield figure(f"{days} days", "memory at the end", sizes[-1:], "MB")
        yield figure(f"{days} days", "growth of a step", [steps[-1] / steps[third]], "x", 1.2)
