"""Sites, free ports and servers for the tests of the service."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from pantarhei.service.config import ServiceConfig, read_config

ONTOLOGY = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<http://example.org/site> a owl:Ontology .
:value a owl:DatatypeProperty, owl:FunctionalProperty .
:Hot owl:equivalentClass [ a owl:Restriction ; owl:onProperty :value ;
    owl:someValuesFrom [ a rdfs:Datatype ; owl:onDatatype xsd:decimal ;
        owl:withRestrictions ( [ xsd:minInclusive 30 ] ) ] ] .
"""
MAPPING = """
prefixes: {ex: "http://example.org/"}
time: {column: at}
mappings: {sensor: {s: "ex:$(id)", po: [[ex:value, "$(v)", "xsd:decimal"]]}}
"""
HOT = "SELECT ?s ?v { ?s a :Hot ; :value ?v }"


def free_port() -> int:
    """Return a TCP port that is free now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def write_site(folder: Path, sources: str, more: str = "", window: str = "{range: 1m}") -> Path:
    """Write a site with an ontology, a mapping `m.yaml` of `id`, `v` and `at`, and a query `hot`.

    Args:
        sources: the section `sources`, as YAML in one line.
        more: further sections.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "site.ttl").write_text(ONTOLOGY)
    (folder / "m.yaml").write_text(MAPPING)
    path = folder / "site.yaml"
    queries = f'queries: {{hot: "{HOT}"}}\n'
    prefixes = 'prefixes: {"": "http://example.org/"}\n'
    has_http = "http:" in more
    path.write_text(
        f"ontology: site.ttl\n{prefixes}window: {window}\nsources: {sources}\n{queries}"
        f"{'' if has_http else 'http: null'}\nlog: {{level: warning}}\n{more}\n"
    )
    return path


def site(folder: Path, sources: str, more: str = "", window: str = "{range: 1m}") -> ServiceConfig:
    """Return the configuration of `write_site`."""
    return read_config(write_site(folder, sources, more, window))


def wait_until(is_true, seconds: float = 20.0, pause: float = 0.01) -> None:
    """Wait until a condition, tested each `pause` seconds, is true; fail after `seconds`."""
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end, "it is not true in time"
        time.sleep(pause)


@contextlib.contextmanager
def _process(command, is_ready):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: process.poll() is not None or is_ready())
        assert process.poll() is None, f"{command[0]} has ended with status {process.returncode}"
        yield process
    finally:
        process.terminate()
        process.wait(20)


def _accepts(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def _needed(name: str, *folders: str) -> str:
    path = shutil.which(name, path=":".join([*folders, "/usr/sbin", "/usr/bin", "/usr/local/bin"]))
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


@contextlib.contextmanager
def redis_server(folder: Path):
    """Start a Redis server that keeps its data in `folder`; yields its URL."""
    binary, port = _needed("redis-server"), free_port()
    options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--dir", str(folder)]
    with _process([binary, "--port", str(port), *options], lambda: _accepts(port)):
        yield f"redis://127.0.0.1:{port}/0"


@contextlib.contextmanager
def mosquitto(folder: Path, port: int | None = None, *settings: str):
    """Start a mosquitto with default settings, and those given; yields its port."""
    binary, port = _needed("mosquitto"), port or free_port()
    configuration = folder / "mosquitto.conf"
    lines = [f"listener {port} 127.0.0.1", "allow_anonymous true", *settings]
    configuration.write_text("\n".join([*lines, ""]))
    with _process([binary, "-c", str(configuration)], lambda: _accepts(port)):
        yield port


@contextlib.contextmanager
def postgresql():
    """Start a PostgreSQL server with a new database; yields its URL."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    initdb = _needed("initdb", *map(str, versions))
    binary, port = _needed("postgres", *map(str, versions)), free_port()
    with tempfile.TemporaryDirectory() as folder:
        as_user = []
        if os.getuid() == 0:  # the server refuses to run as root
            as_user = [_needed("setpriv"), "--reuid=postgres", "--regid=postgres", "--clear-groups"]
            shutil.chown(folder, "postgres", "postgres")
        data = f"{folder}/data"
        command = [*as_user, initdb, "-D", data, "-U", "pr", "--auth=trust", "--no-sync"]
        subprocess.run(command, capture_output=True, check=True, cwd=folder)
        options = ["-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", folder, "-F"]
        with _process([*as_user, binary, *options], lambda: _accepts(port)):
            yield f"postgresql://pr@127.0.0.1:{port}/postgres"


@contextlib.contextmanager
def prometheus(configuration: Path):
    """Start a Prometheus server that keeps its data beside its configuration; yields its port."""
    binary, port = _needed("prometheus"), free_port()
    options = [f"--config.file={configuration}", f"--storage.tsdb.path={configuration.parent}/data"]
    with _process([binary, *options, f"--web.listen-address=127.0.0.1:{port}"], lambda: _accepts(port)):
        yield port


@contextlib.contextmanager
def kafka_cluster():
    """Run librdkafka's mock cluster in this process; yields its servers. Topics have four partitions.

    It cannot prove transactions: it shows those that were aborted.
    """
    kafka = pytest.importorskip("confluent_kafka", reason="the package confluent-kafka is not installed")
    owner = kafka.Producer({"bootstrap.servers": "mock", "test.mock.num.brokers": 1, "log_level": 0})
    brokers = owner.list_topics(timeout=10).brokers.values()
    yield ",".join(f"{each.host}:{each.port}" for each in brokers)
    del owner


def consumed(servers: str, topic: str, count: int) -> list[Any]:
    """Return the messages of a topic: at least `count`, if they come within 20 seconds, and all others."""
    kafka = pytest.importorskip("confluent_kafka")
    consumer = kafka.Consumer({"bootstrap.servers": servers, "group.id": "test", "log_level": 0})
    try:
        partitions = consumer.list_topics(topic, timeout=10).topics[topic].partitions
        consumer.assign([kafka.TopicPartition(topic, each, 0) for each in partitions])
        found, end = list[Any](), time.monotonic() + 20
        while len(found) < count and time.monotonic() < end:
            found += consumer.consume(100, 0.2)
        while more := consumer.consume(100, 0.3):
            found += more
        return found
    finally:
        consumer.close()


@contextlib.contextmanager
def caddy(configuration: Path, port: int):
    """Start Caddy, which listens at `port` and keeps its data beside its configuration."""
    folder = str(configuration.parent)
    command = ["env", f"HOME={folder}", f"XDG_DATA_HOME={folder}", _needed("caddy"), "run"]
    with _process([*command, "--config", str(configuration)], lambda: _accepts(port)):
        yield


def certificate(folder: Path) -> tuple[Path, Path]:
    """Write a certificate for 127.0.0.1 and its key; returns their paths."""
    openssl, cert, key = _needed("openssl"), folder / "cert.pem", folder / "key.pem"
    command = (
        f"{openssl} req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test"
    )
    command += f" -addext subjectAltName=IP:127.0.0.1 -keyout {key} -out {cert}"
    subprocess.run(command.split(), check=True, capture_output=True)
    return cert, key


def memory_of(process: int) -> int:
    """Return the resident memory of a process in bytes."""
    with open(f"/proc/{process}/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


class Service:
    """Process of `pantarhei serve`, and its readers.

    Attributes:
        process: the process of the writer.
        log: the file of the log.
    """

    def __init__(self, path: Path, stdin: int | None = None) -> None:
        self.path, self.log, self._stdin = path, path.parent / "service.log", stdin
        http = read_config(path).http
        self.url = None if http is None else f"http://{http.listen}"
        self.start()

    def start(self) -> None:
        """Start the service."""
        command = [sys.executable, "-m", "pantarhei", "serve", str(self.path)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdin=self._stdin, stdout=log, stderr=log)

    def status(self) -> dict[str, Any]:
        """Return the answer of `/ready`; `ready` is false without an answer."""
        try:
            with urllib.request.urlopen(f"{self.url}/ready", timeout=5) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return json.load(error)
        except OSError:
            return {"ready": False}

    def is_ready(self) -> bool:
        """Test whether `/ready` answers with 200."""
        return bool(self.status()["ready"])

    def wait_until_ready(self, seconds: float = 60.0) -> None:
        """Wait until the service is ready; fail if it ends."""
        wait_until(lambda: self.is_ready() or self.process.poll() is not None, seconds, 0.05)
        assert self.process.poll() is None, self.log.read_text()

    @property
    def readers(self) -> list[int]:
        """Ids of the processes of the readers."""
        threads = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return [int(each) for children in threads for each in children.read_text().split()]

    def kill(self, with_readers: bool = False) -> None:
        """Kill the writer; its readers end by themselves, or are killed too."""
        readers = self.readers if with_readers and self.process.poll() is None else []
        self.process.kill()
        for reader in readers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(reader, signal.SIGKILL)
        self.process.wait(30)

    def stop(self) -> int:
        """End the service by SIGTERM; return its status."""
        self.process.terminate()
        return self.process.wait(60)


@contextlib.contextmanager
def service(path: Path, stdin: int | None = None):
    """Run the service of a configuration; kill it at the end of the block if it has not ended."""
    running = Service(path, stdin)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.kill(with_readers=True)
