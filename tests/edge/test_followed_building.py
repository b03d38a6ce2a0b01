"""The example of ten queries over the building: what it tells adds up, and is what the queries answer."""

import re
import runpy
from collections import Counter
from pathlib import Path

import pytest
from rdflib import Graph

import pantarhei as pr
from pantarhei.io import read_stream

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "building"


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def test_each_query_has_the_answers_that_it_has_when_asked():
    background = Graph().parse(EXAMPLE / "background.ttl")
    window = pr.Window("PT1M")
    reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/building.ttl"), window, background)
    queries = [reasoner.register(path.read_text(), name=path.stem) for path in EXAMPLE.glob("queries/*.rq")]
    assert len(queries) == 10
    for _ in reasoner.run(read_stream(EXAMPLE / "sample.nq")):
        for query in queries:
            asked = reasoner.query(query.text)
            rows = [()] * bool(asked.askAnswer) if asked.type == "ASK" else [tuple(row) for row in asked]
            assert Counter(dict(query.answers)) == Counter(rows), query.name


def test_the_changes_add_up_to_the_answers():
    example = runpy.run_path(str(EXAMPLE / "continuous.py"))
    there = Counter()
    for line in example["changes"]():
        if found := re.fullmatch(r"  (\S+) +(\d+) added +(\d+) removed +(\d+) answers", line):
            name, added, removed, now = found[1], *map(int, found.groups()[1:])
            there[name] += added - removed
            assert there[name] == now
    assert len(there) >= 7


def test_the_languages_report_at_their_own_instants():
    lines = list(runpy.run_path(str(EXAMPLE / "continuous.py"))["in_languages"]())
    assert [line.split()[0] for line in lines] == ["C-SPARQL", "RSP-QL", "CQELS"]
    assert lines[0].split(maxsplit=1)[1].endswith(lines[1].split(maxsplit=1)[1])
