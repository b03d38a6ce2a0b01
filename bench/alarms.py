"""Latency of alarms through a broker: generator, mosquitto, service, mosquitto, and this process.

One rule, ten registered queries, and a SPARQL join each second, whose answers are checked. Five hundred
sensors report values below the threshold in turn; twenty times a second, a sensor that reports once only is
hot, and its alarm, published by the MQTT sink, ends the measurement. Each of these alarms must arrive.
Broker, generator, writer, reader and this process share the machine, so the load is reported beside the
times; the CPU time of the writer is that of its process. After each rate the writer is killed, and the time
until the next alarm is measured.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import numpy as np

from bench.measuring import SEED, Figure, WrongAnswerError, check, remark

RATES, QUICK_RATES = (100, 1_000, 5_000), (200, 1_000)
SECONDS, QUICK_SECONDS = 30.0, 5.0
PROBES = 20  # hot sensors a second
SENSORS, ROOMS, COLD = 500, 50, 25
PATIENCE = 60.0
SPACE = "http://example.org/"
JOIN = f"SELECT ?s ?v {{ ?s <{SPACE}value> ?v ; <{SPACE}in> <{SPACE}room1> }}"

ONTOLOGY = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<http://example.org/> a owl:Ontology .
:in a owl:ObjectProperty . :value a owl:DatatypeProperty , owl:FunctionalProperty . :Hot a owl:Class .
[ a owl:Restriction ; owl:onProperty :value ; owl:someValuesFrom [ a rdfs:Datatype ;
    owl:onDatatype xsd:decimal ; owl:withRestrictions ( [ xsd:minInclusive 30.0 ] ) ] ] rdfs:subClassOf :Hot .
"""
RULES = f"@prefix : <{SPACE}> .\nalarm(S) :- :Hot(S).\n"
MAPPING = """
prefixes: {ex: "http://example.org/"}
time: {column: at}
mappings: {sensor: {s: "ex:$(_level2)", po: [[ex:value, "$(v)", "xsd:decimal"]]}}
"""
SITE = """
ontology: site.ttl
background: rooms.ttl
rules: rules.lars
prefixes: {{"": "http://example.org/"}}
window: {{range: 10s, slide: 0.1s}}
sources: {{plant: {{mqtt: "mqtt://127.0.0.1:{broker}", topics: {{site/+/temp: mapping.yaml}}}}}}
queries: {{{queries}}}
sinks:
  alarms: {{mqtt: plant, topic: "alarms", of: conclusions}}
  store: {{sql: "sqlite:///alarms.db"}}
state: {{folder: state, checkpoint: 5s}}
http: {{listen: "127.0.0.1:{port}"}}
log: {{level: warning}}
"""

GENERATOR = """
import json, random, sys, time
from datetime import UTC, datetime
import paho.mqtt.client as paho

port, rate, seconds, probes, first, sensors, cold, seed = map(float, sys.argv[1:])
drawn = random.Random(int(seed))
client = paho.Client(paho.CallbackAPIVersion.VERSION2)
client.max_inflight_messages_set(5_000)
client.connect("127.0.0.1", int(port))
client.loop_start()
began, probe, count = time.time(), int(first), 0
last = None
while (now := time.time()) < began + seconds:
    is_hot = now >= began + (probe - int(first)) / probes
    name, value = f"s{count % int(sensors)}", drawn.randrange(int(cold))
    if is_hot:
        name, value = f"probe{probe}-{int(now * 1e6)}", 40
    probe += is_hot
    content = {"at": datetime.fromtimestamp(now, UTC).isoformat(), "v": value}
    last = client.publish(f"site/{name}/temp", json.dumps(content), qos=1)
    count += 1
    time.sleep(max(0, began + count / rate - time.time()))
last.wait_for_publish(60)
client.loop_stop()
print(count, probe)
"""


def measure(quick: bool) -> Iterator[Figure]:
    """Yield latencies, CPU time of the writer, and the time until it is back, by the rate of messages."""
    program = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        yield remark("alarms", "mosquitto is not installed")
        return
    with tempfile.TemporaryDirectory() as folder, _Bench(Path(folder), program).running() as bench:
        for rate in QUICK_RATES if quick else RATES:
            seconds = QUICK_SECONDS if quick else SECONDS
            yield from bench.measure(rate, seconds)
            if rate == 1_000:
                yield from bench.measure(rate, seconds, with_sparql=False)
            way = f"{rate:,} messages/s, then a kill, to the next alarm"
            yield Figure("alarms", way, bench.seconds_of_return(), "s", at_most=3)


class _Bench:
    """Broker, service, and a subscriber of alarms that notes when each arrives.

    Args:
        folder: an empty folder.
        program: the path of mosquitto.
    """

    def __init__(self, folder: Path, program: str) -> None:
        self._folder, self._broker, self._port = folder, _free_port(), _free_port()
        lines = [
            f"listener {self._broker} 127.0.0.1",
            "allow_anonymous true",
            "max_queued_messages 100000",
            "",
        ]
        queries = ", ".join(f'q{n}: "SELECT ?s {{ ?s :in :room{n} ; a :Hot }}"' for n in range(10))
        rooms = "".join(f"<{SPACE}s{n}> <{SPACE}in> <{SPACE}room{n % ROOMS}> .\n" for n in range(SENSORS))
        files = {
            "mosquitto.conf": "\n".join(lines),
            "site.ttl": ONTOLOGY,
            "rules.lars": RULES,
            "rooms.ttl": rooms,
            "mapping.yaml": MAPPING,
            "site.yaml": SITE.format(broker=self._broker, port=self._port, queries=queries),
        }
        for name, text in files.items():
            (folder / name).write_text(text)
        self._program, self._arrived, self._next = program, dict[int, float](), 0
        self._alarm = Event()

    @contextmanager
    def running(self) -> Iterator[_Bench]:
        """Run broker and service."""
        from paho.mqtt.client import Client
        from paho.mqtt.enums import CallbackAPIVersion

        broker = subprocess.Popen(
            [self._program, "-c", str(self._folder / "mosquitto.conf")], stderr=subprocess.DEVNULL
        )
        self._start()
        try:
            _wait(lambda: _is_open(self._broker))
            client = Client(CallbackAPIVersion.VERSION2)
            client.on_message = self._on_alarm
            client.connect("127.0.0.1", self._broker)
            client.subscribe("alarms", 1)
            client.loop_start()
            _wait(self._is_ready)
            yield self
            client.loop_stop()
        finally:
            self._service.terminate()
            self._service.wait(PATIENCE)
            broker.terminate()
            broker.wait(PATIENCE)

    def _start(self) -> None:
        command = [sys.executable, "-m", "pantarhei", "serve", str(self._folder / "site.yaml")]
        self._service = subprocess.Popen(command)

    def _on_alarm(self, client: object, data: object, message: object) -> None:
        now, given = time.time(), json.loads(message.payload)  # type: ignore[attr-defined]
        if given["change"] == "+":
            probe, published = given["row"]["argument1"].rpartition("probe")[2].split("-")
            self._arrived.setdefault(int(probe), now - int(published) / 1e6)
            if int(probe) >= self._next:  # not one that is sent again after a kill
                self._alarm.set()

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/ready", timeout=5) as answer:
                ready: bool = not json.load(answer)["warnings"]
                return ready
        except OSError:
            return False

    def _generate(self, rate: float, seconds: float) -> subprocess.Popen[str]:
        options = (self._broker, rate, seconds, PROBES, self._next, SENSORS, COLD, SEED)
        command = [sys.executable, "-c", GENERATOR, *map(str, options)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def measure(self, rate: int, seconds: float, with_sparql: bool = True) -> Iterator[Figure]:
        """Yield the figures of one rate; without the SPARQL join, only the CPU time of the writer."""
        first, cpu = self._next, self._cpu()
        generator, joins = self._generate(rate, seconds), list[float]()
        while generator.poll() is None:
            began = time.time()
            if with_sparql:
                self._join()
                joins.append(1_000 * (time.time() - began))
            time.sleep(max(0.0, began + 1 - time.time()))
        assert generator.stdout is not None
        count, self._next = map(int, generator.stdout.read().split())
        _wait(lambda: len(self._arrived) >= self._next)
        check("alarms", sorted(self._arrived), list(range(self._next)))
        used = 1e6 * (self._cpu() - cpu) / count
        if not with_sparql:
            way = f"{rate:,} messages/s without SPARQL, CPU of the writer a message"
            yield Figure("alarms", way, used, "µs")
            return
        took = [1_000 * self._arrived[probe] for probe in range(first, self._next)]
        load, name = os.getloadavg()[0], f"{rate:,} messages/s"
        for share, most in ((50, None), (90, None), (99, 50.0 if rate == 1_000 else None)):
            way = f"{name}, message to alarm, p{share}, load {load:.1f}"
            yield Figure("alarms", way, float(np.percentile(took, share)), "ms", at_most=most)
        yield Figure("alarms", f"{name}, SPARQL join, median", float(np.median(joins)), "ms")
        most = 150.0 if rate == 5_000 else None
        yield Figure("alarms", f"{name}, CPU of the writer a message", used, "µs", at_most=most)
        yield Figure("alarms", f"{name}, published", count / seconds, "messages/s")

    def _join(self) -> None:
        query = urllib.parse.urlencode({"query": JOIN})
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._port}/sparql?{query}",
            headers={"Accept": "application/sparql-results+json"},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            rows = json.load(answer)["results"]["bindings"]
        for row in rows:
            sensor = int(row["s"]["value"].rpartition("/s")[2])
            if sensor % ROOMS != 1 or not 0 <= float(row["v"]["value"]) < COLD:
                raise WrongAnswerError(f"SPARQL join: {row}")

    def _cpu(self) -> float:
        """Return the CPU seconds of the writer and all its threads."""
        fields = Path(f"/proc/{self._service.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def seconds_of_return(self) -> float:
        """Return the time from a kill of the writer to the alarm of a message published then."""
        began = time.time()
        self._service.kill()
        self._service.wait(PATIENCE)
        self._start()
        self._alarm.clear()
        generator = self._generate(PROBES, 2)
        if not self._alarm.wait(PATIENCE):
            raise WrongAnswerError("no alarm after a kill")
        took = time.time() - began
        assert generator.stdout is not None
        _, self._next = map(int, generator.stdout.read().split())
        _wait(lambda: len(self._arrived) >= self._next and self._is_ready())
        return took


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _is_open(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def _wait(is_met: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_met():
        if time.monotonic() > end:
            raise WrongAnswerError(f"not within {PATIENCE:.0f} s")
        time.sleep(0.02)
