"""Sites, free ports and servers for the tests of the service."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import time
from pathlib import Path

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


def wait_until(is_true, seconds: float = 20.0) -> None:
    """Wait until a condition is true; fail after `seconds`."""
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end, "it is not true in time"
        time.sleep(0.01)


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
def mosquitto(folder: Path, port: int | None = None):
    """Start a mosquitto with default settings; yields its port."""
    binary, port = _needed("mosquitto"), port or free_port()
    configuration = folder / "mosquitto.conf"
    configuration.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
    with _process([binary, "-c", str(configuration)], lambda: _accepts(port)):
        yield port


@contextlib.contextmanager
def postgresql(folder: Path):
    """Start a PostgreSQL server with a new database; yields its URL."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    initdb = _needed("initdb", *map(str, versions))
    binary, port, data = _needed("postgres", *map(str, versions)), free_port(), folder / "data"
    command = [initdb, "-D", str(data), "-U", "pr", "--auth=trust", "--no-sync"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("initdb refuses to run as root")
    options = ["-p", str(port), "-h", "127.0.0.1", "-k", str(folder), "-F"]
    with _process([binary, "-D", str(data), *options], lambda: _accepts(port)):
        yield f"postgresql://pr@127.0.0.1:{port}/postgres"
