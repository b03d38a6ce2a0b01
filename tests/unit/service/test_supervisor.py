import os
import subprocess
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from pantarhei.errors import CheckFailedError, ConnectionFailedError
from pantarhei.service import supervisor
from pantarhei.service.config import QuerySection, read_config
from pantarhei.service.http import server
from pantarhei.service.message_journal import MessageJournal
from pantarhei.service.supervisor import ReaderProcess, check_service
from service_tools import free_port, site, write_site

SINKS = "sinks: {store: {sql: 'sqlite:///a.db', of: [%s]}}"


@pytest.mark.parametrize(
    ("of", "rules", "warnings"),
    [
        ("'*', repairs, hot, dead_letters", False, []),
        ("conclusions", True, []),
        ("conclusions, hot", False, ["conclusions selects nothing"]),
        ("hott, other", False, ["hott selects nothing; add a query or rules (did you mean hot?)", "other"]),
    ],
)
def test_the_check_warns_of_sinks_that_select_nothing(tmp_path, of, rules, warnings):
    (tmp_path / "r.lars").write_text("@prefix : <http://example.org/> .\nalarm(S) :- :Hot(S) in [2 sec].\n")
    lines = []
    more = SINKS % of + ("\nrules: r.lars" if rules else "")
    check_service(site(tmp_path, "{web: {http: {readings: m.yaml}}}", more), lines.append)
    found = lines[0].split("\n    warning: ")[1:]
    assert len(found) == len(warnings)
    assert all(f"sinks.store.of: {text}" in line for line, text in zip(found, warnings, strict=True))


@pytest.mark.parametrize(
    ("pattern", "warnings"),
    [
        ("?s a :Hot ; :value ?v", []),
        ("?s a :Hott", ["Unknown class Hott; did you mean Hot?"]),
        ("?s :valeu ?v FILTER NOT EXISTS { ?s a :Hto }", ["valeu; did you mean value?", "class Hto"]),
        ("GRAPH <urn:pantarhei:conclusions> { ?s a :Alarms }", ["did you mean alarm?"]),
        ("?s a <http://example.com/Hot>", ["did you mean"]),
        ("?s :place ?r", []),
        ("?s :plaec ?r", ["did you mean place?"]),
        ("?s a ?c ; ?p <urn:Hott> ; :unlike ?x . ?c a owl:Clas", []),
    ],
)
def test_the_check_warns_of_names_that_resemble_known_ones(tmp_path, pattern, warnings):
    config = site(tmp_path, "{web: {http: {readings: m.yaml}}}", "rules: r.lars\nbackground: b.ttl")
    (tmp_path / "r.lars").write_text("@prefix : <http://example.org/> .\nalarm(S) :- :Hot(S) in [2 sec].\n")
    (tmp_path / "b.ttl").write_text("@prefix : <http://example.org/> . :a :place :hall .")
    owl = "PREFIX owl: <http://www.w3.org/2002/07/owl#> "
    queries = {"q": QuerySection(sparql=f"{owl}SELECT * {{ {pattern} }}")}
    lines = []
    check_service(config.model_copy(update={"queries": queries}), lines.append)
    found = lines[0].split("\n    warning: queries.q: ")[1:]
    assert len(found) == len(warnings)
    assert all(text in line for line, text in zip(found, warnings, strict=True))


def test_the_check_warns_of_a_site_without_queries_and_rules(tmp_path):
    config = site(tmp_path, "{web: {http: {readings: m.yaml}}}", SINKS % "'*'")
    lines = []
    check_service(config.model_copy(update={"queries": {}}), lines.append)
    assert "sinks.store.of: * selects nothing; add a query or rules" in lines[0]


def test_the_check_lists_each_part_that_cannot_be_used(tmp_path):
    (tmp_path / "r.lars").write_text("alarm(S) :-")
    source = f"{{plant: {{mqtt: 'mqtt://127.0.0.1:{free_port()}', topics: {{t: m.yaml}}}}}}"
    config = site(tmp_path, source, SINKS % "'*'" + "\nrules: r.lars")
    lines = []
    with pytest.raises(CheckFailedError) as error:
        check_service(config, lines.append)
    assert lines == ["store: connected"]
    assert [each.partition(":")[0] for each in error.value.problems] == ["reasoner", "plant"]


@pytest.mark.parametrize(
    ("command", "text"),
    [("exit 3", "ended with status 3"), ("kill -9 $$", "was killed by signal 9")],
)
def test_a_reader_that_ends_is_restarted_with_the_reason_in_the_log(monkeypatch, caplog, command, text):
    monkeypatch.setattr("pantarhei.service.supervisor._PAUSE", 0.0)
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda _, **options: popen(["sh", "-c", command], **options))
    with open(os.devnull) as file:
        reader = ReaderProcess(Path("site.yaml"), 1, (file.fileno(), file.fileno()))
        first = reader._process
        first.wait(10)
        reader.ensure()
        reader._process.wait(10)
        reader.end()
    assert reader._process.pid != first.pid
    assert [each.getMessage() for each in caplog.records] == [f"reader 1 {text}; restarting it"]


def test_a_service_whose_http_server_has_ended_ends_with_an_error(tmp_path, monkeypatch):
    address = f"localhost:{free_port()}"
    more = f"http: {{listen: '{address}', readers: 0}}"
    path = write_site(tmp_path, "{web: {http: {readings: m.yaml}}}", more)
    monkeypatch.setattr(server, "make_server", lambda view: SimpleNamespace(run=lambda sockets: None))
    for name in ("gc", "sys", "signal"):  # settings of the whole process
        monkeypatch.setattr(supervisor, name, MagicMock())
    supervisor.gc.get_threshold.return_value = (700, 10, 10)
    with pytest.raises(ConnectionFailedError, match=f"{address} .* the HTTP server has ended"):
        supervisor.run_service(path, read_config(path))
    MessageJournal(tmp_path / "state").close()  # it is released
