"""What a fresh process loads before its first answers: nothing that they do not need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = "pyarrow pandas pyspark owlready2 matplotlib rich typer Cython redis sqlite3 asyncio pyparsing"

FIRST_WINDOW = """
import json, sys
import pantarhei as pr
reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
for at, abox in pr.read_stream(sys.argv[1], format="nquads"):
    reasoner.push(at, abox)
facts = len(reasoner.graph)
loaded = {name.partition(".")[0] for name in sys.modules}
print(json.dumps([facts, sorted(loaded & set(sys.argv[2].split()))]))
"""
STREAM = (
    "<urn:x> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://example.org/pedals#{}> <urn:at:{}> .\n"
)


@pytest.fixture
def stream(tmp_path):
    path = tmp_path / "pedals.nq"
    path.write_text(STREAM.format("GasPedalPressed", 1) + STREAM.format("BrakesPressed", 2))
    return path


def test_the_first_window_loads_no_heavy_package(stream):
    command = [sys.executable, "-c", FIRST_WINDOW, str(stream), HEAVY]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    facts, loaded = json.loads(found)
    assert facts > 0 and loaded == []


def test_reading_by_column_loads_arrow_and_not_pandas(stream):
    stream.write_text("".join(STREAM.format("GasPedalPressed", at // 100) for at in range(1000)))
    command = [sys.executable, "-c", FIRST_WINDOW, str(stream), HEAVY]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert json.loads(found)[1] == ["pyarrow"]


def test_importing_the_package_does_not_load_the_parsers_of_queries():
    parsers = ("pantarhei.query.languages", "pantarhei.query.syntax", "pantarhei.query.incremental")
    code = f"import pantarhei, sys; print([name for name in sys.modules if name.startswith({parsers})])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
