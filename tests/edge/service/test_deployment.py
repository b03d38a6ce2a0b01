"""The example of a service: its alarms, and its files for containers, systemd, Prometheus and Grafana."""

from __future__ import annotations

import json
import os
import random
import re
import runpy
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections import Counter
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path

import httpx
import pytest
import yaml

pytest.importorskip("pydantic")

from pantarhei.service.batching import Batcher, Received
from pantarhei.service.config import read_config
from pantarhei.service.decoding import MessageDecoder
from pantarhei.service.journal_driver import JournalDriver, read_knowledge
from pantarhei.service.message_journal import Message
from pantarhei.service.metrics import ReaderMetrics, WriterMetrics
from pantarhei.service.supervisor import check_service
from pantarhei.service.writer import Writer
from service_tools import caddy, free_port, mosquitto, postgresql, service, site, wait_until, write_site

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "service"
SECRETS = dict.fromkeys(["READ_TOKEN", "PUSH_TOKEN", "ADMIN_TOKEN", "DATABASE", "POSTGRES_PASSWORD"], "text")
SIMULATOR = runpy.run_path(str(EXAMPLE / "simulate.py"))
DEMO = runpy.run_path(str(EXAMPLE / "demo.py"))
MINUTES = 4


@pytest.fixture(scope="module")
def simulated():
    """Changes and dead letters of some simulated minutes."""
    config = read_config(EXAMPLE / "site.yaml", {})
    decoder = MessageDecoder(config)
    driver, batcher = JournalDriver.fresh(read_knowledge(config)), Batcher(config, decoder)
    chance = random.Random(3)
    rooms = [SIMULATOR["Room"](name, chance) for name in SIMULATOR["ROOMS"]]
    now, changes, reasons = datetime(2026, 3, 2, 7, tzinfo=UTC), [], Counter()
    for _ in range(MINUTES * 30):
        received = [
            Received(
                Message(
                    "plant",
                    f"site/{room.name}/{kind}",
                    SIMULATOR["message_of"](content, now, chance).encode(),
                )
            )
            for room in rooms
            for kind, content in room.step()
        ]
        for record in batcher.batches(received, driver.number, driver.at, now):
            emitted = driver.apply(record)
            changes += emitted.changes
            reasons.update(each.reason for each in emitted.dead)
        now += timedelta(seconds=2)
    return changes, reasons


def test_the_simulated_building_has_each_alarm(simulated):
    changes, _ = simulated
    alarms = {
        (change.row["alarm"].partition("#")[2], change.sign) for change in changes if change.name == "alarms"
    }
    assert alarms == {(alarm, sign) for alarm in ("overheating", "silent", "unattended") for sign in "+-"}
    assert {change.name for change in changes} >= {"alarms", "warm", "floors"}


def test_bad_messages_of_the_simulator_are_dead_letters(simulated):
    _, reasons = simulated
    assert set(reasons) == {"malformed", "late", "ahead"}


def test_configurations_of_the_example_are_valid():
    here, there = (read_config(EXAMPLE / name, SECRETS) for name in ("site.yaml", "site-in-compose.yaml"))
    assert here.queries == there.queries
    assert here.sources["plant"].topics == there.sources["plant"].topics
    assert there.http.address == ("0.0.0.0", 8190)


def test_the_template_passes_the_check_after_its_marked_places_are_edited(tmp_path):
    text = files("pantarhei.service").joinpath("template.yaml").read_text(encoding="utf-8")
    assert len(re.findall(r"# EDIT:", text)) == 5
    for name, source in {"ontology.ttl": "building.ttl", "mapping.yaml": "mappings/temperature.yaml"}.items():
        shutil.copy(EXAMPLE / source, tmp_path / name)
    said = []
    with mosquitto(tmp_path) as port:
        text = text.replace("127.0.0.1:1883", f"127.0.0.1:{port}").replace("8190", str(free_port()))
        (tmp_path / "site.yaml").write_text(text, encoding="utf-8")
        check_service(read_config(tmp_path / "site.yaml", {}), said.append)
    assert [line.partition(":")[0] for line in said] == ["reasoner", "plant", "store", "dead_letters", "http"]
    assert "warning" not in said[0]


@pytest.mark.long
def test_the_site_of_the_containers_writes_to_postgresql(tmp_path):
    dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")
    folder = tmp_path / "site"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("state", ".env"))
    path, address = folder / "site-in-compose.yaml", f"127.0.0.1:{free_port()}"
    text = path.read_text(encoding="utf-8").replace("0.0.0.0:8190", address)
    with mosquitto(tmp_path) as port, postgresql() as url:
        text = text.replace("//mosquitto:1883", f"//127.0.0.1:{port}")
        path.write_text(text.replace("/var/lib/pantarhei/state", "state"), encoding="utf-8")
        environment = {**os.environ, **SECRETS, "DATABASE": url}
        command = [sys.executable, "-m", "pantarhei", "serve", str(path)]
        service = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: DEMO["await_service"](f"http://{address}", service))
            simulator = [sys.executable, str(EXAMPLE / "simulate.py"), "--port", str(port), "--seconds", "16"]
            subprocess.run(simulator, check=True, stdout=subprocess.DEVNULL)
        finally:
            service.terminate()
            assert service.wait(60) == 0
        with dbapi.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute("select count(*), count(distinct id) from changes where name = 'floors'")
            count, ids = cursor.fetchone()
    assert count == ids > 10


# -- containers --------------------------------------------------------------------------------------

COMPOSE = yaml.safe_load((EXAMPLE / "compose.yaml").read_text(encoding="utf-8"))
DOCKERFILE = (EXAMPLE / "Dockerfile").read_text(encoding="utf-8")


def test_files_and_volumes_of_the_containers_exist():
    used = set()
    for container in COMPOSE["services"].values():
        for volume in container.get("volumes", ()):
            outside = volume.partition(":")[0]
            if outside.startswith("."):
                assert (EXAMPLE / outside).exists(), volume
            else:
                used.add(outside)
        assert set(container.get("depends_on", ())) <= set(COMPOSE["services"])
        assert set(container.get("secrets", ())) <= set(COMPOSE["secrets"])
    assert used == set(COMPOSE["volumes"])


def test_containers_are_reached_from_this_machine_only():
    ports = [port for service in COMPOSE["services"].values() for port in service.get("ports", ())]
    assert len(ports) == 3
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_each_variable_of_the_containers_is_in_the_example_of_the_environment():
    text = (EXAMPLE / "compose.yaml").read_text(encoding="utf-8")
    needed = set(re.findall(r"\$\{(\w+)", text)) | {COMPOSE["secrets"]["read_token"]["environment"]}
    assert needed == set(re.findall(r"^(\w+)=$", (EXAMPLE / "env.example").read_text(), re.MULTILINE))
    config = (EXAMPLE / "site-in-compose.yaml").read_text(encoding="utf-8")
    assert set(re.findall(r"\$\{(\w+)", config)) <= set(COMPOSE["services"]["pantarhei"]["environment"])


def test_the_image_is_built_from_files_that_exist_and_runs_without_root():
    stages = re.split(r"^FROM ", DOCKERFILE, flags=re.MULTILINE)[1:]
    assert len(stages) == 2
    copied = [
        name
        for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.MULTILINE)
        for name in line.split()[:-1]
    ]
    assert all((ROOT / name).exists() for name in copied)
    admitted = (EXAMPLE / "Dockerfile.dockerignore").read_text().split()
    assert {f"!{name}" for name in copied} == {line for line in admitted if line.startswith("!")}
    assert "\nUSER pantarhei\n" in stages[1]
    assert "/health" in stages[1]
    extras = re.search(r"\[([\w,]+)\]\"", DOCKERFILE)[1].split(",")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(extras) <= set(project["optional-dependencies"])


# -- metrics -----------------------------------------------------------------------------------------


def test_dashboard_and_alerts_use_metrics_that_the_service_has(tmp_path):
    shown = (EXAMPLE / "grafana" / "dashboards" / "pantarhei.json").read_text(encoding="utf-8")
    alerts = (EXAMPLE / "alerts.yml").read_text(encoding="utf-8")
    assert json.loads(shown)["panels"] and yaml.safe_load(alerts)["groups"]
    used = set(re.findall(r"pantarhei_\w+", shown + alerts))
    config = site(tmp_path, "{web: {http: {readings: m.yaml}}}", "sinks: {store: {sql: 'sqlite:///a.db'}}")
    writer = Writer(config)
    try:
        writer.start()
        texts = WriterMetrics(writer).text() + ReaderMetrics(0).text_of(writer.driver, 0.0)
    finally:
        writer.stop()
    offered = set(re.findall(r"^# TYPE (\w+)", texts, re.MULTILINE))
    offered |= {f"{name}_bucket" for name in offered} | set(re.findall(r"^(\w+)", texts, re.MULTILINE))
    assert used - offered == set()


# -- TLS ---------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("place", ["examples/service/Caddyfile", "docs/operations.md"])
def test_caddy_passes_tokens_results_and_events_of_the_service_at_once(tmp_path, monkeypatch, place):
    for name in ("READ_TOKEN", "PUSH_TOKEN", "ADMIN_TOKEN"):
        monkeypatch.setenv(name, name.lower())
    tokens = "{read: '${READ_TOKEN}', push: '${PUSH_TOKEN}', admin: '${ADMIN_TOKEN}'}"
    address, port, plain = f"127.0.0.1:{free_port()}", free_port(), free_port()
    http = f"http: {{listen: '{address}', tokens: {tokens}}}"
    path = write_site(tmp_path / "site", "{push: {http: {readings: m.yaml}}}", http)
    block = re.search(
        r"^pantarhei\.example\.org {.*?^}", (ROOT / place).read_text(), re.DOTALL | re.MULTILINE
    )
    text = block[0].replace("pantarhei.example.org {", "localhost {\n\ttls internal")
    options = f"{{\n\thttps_port {port}\n\thttp_port {plain}\n\tskip_install_trust\n\tadmin off\n}}\n"
    (tmp_path / "Caddyfile").write_text(options + text.replace("127.0.0.1:8190", address))
    reader = {"Authorization": "Bearer read_token"}
    client = httpx.Client(base_url=f"https://localhost:{port}", verify=False, timeout=30)
    with caddy(tmp_path / "Caddyfile", port), client, service(path) as started:
        started.wait_until_ready()
        query = {"params": {"query": "SELECT ?v { ?s a :Hot ; :value ?v }"}}
        assert client.get("/sparql", **query).status_code == 401
        with client.stream("GET", "/events", headers=reader) as events:
            lines = events.iter_lines()
            for value in range(31, 36):
                at = datetime.now(UTC).isoformat()
                body, token = {"id": "a", "v": value, "at": at}, {"Authorization": "Bearer push_token"}
                assert client.post("/push/readings", json=body, headers=token).status_code == 202
                assert any(f'"v": {value}' in line for line in lines)  # before the next message
        table = client.get("/sparql", headers={**reader, "Accept": "text/csv"}, **query)
        assert table.text == "v\r\n35\r\n"
        description = client.get("/sparql", headers=reader).text
        assert f"<https://localhost:{port}/sparql>" in description
        assert client.post("/push/readings", content=bytes(2_000_000), headers=token).status_code == 413


# -- systemd -----------------------------------------------------------------------------------------


def test_systemd_accepts_the_unit(tmp_path):
    verifier = shutil.which("systemd-analyze")
    if verifier is None:
        pytest.skip("systemd-analyze is not installed")
    unit = (EXAMPLE / "pantarhei.service").read_text(encoding="utf-8")
    path = tmp_path / "pantarhei.service"
    path.write_text(re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", unit, flags=re.MULTILINE))
    done = subprocess.run([verifier, "verify", str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# -- make serve-demo ---------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.skipif(DEMO["find_mosquitto"]() is None, reason="mosquitto is not installed")
def test_the_demonstration_runs_and_ends_everything_it_has_started(tmp_path):
    command = [sys.executable, str(EXAMPLE / "demo.py")]
    demo = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        shown = demo.stdout.readline()
        assert re.fullmatch(r"the page: +http://127\.0\.0\.1:\d+/\n", shown)
        time.sleep(3)
    finally:
        demo.send_signal(signal.SIGINT)
        assert demo.wait(60) == 0
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(EXAMPLE / "simulate.py") not in running
    assert (tmp_path / "build/serve-demo/alarms.db").stat().st_size > 0
    assert re.search(r"plant", (tmp_path / "build/serve-demo/site.yaml").read_text())


def test_without_a_broker_the_demonstration_explains_how_to_get_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["demo.py"])
    monkeypatch.setitem(DEMO["main"].__globals__, "find_mosquitto", lambda: None)
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    try:
        assert DEMO["main"]() == 1
    finally:
        for number, handler in zip((signal.SIGTERM, signal.SIGINT), before, strict=True):
            signal.signal(number, handler)
    assert "apt-get install mosquitto" in capsys.readouterr().err
