"""`pantarhei run --checkpoint`, killed at random moments, writes the file of a run without interruption."""

from __future__ import annotations

import random
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.long
ONTOLOGY = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
<http://example.org/o> a owl:Ontology . :value a owl:DatatypeProperty, owl:FunctionalProperty .
"""
MAPPING = """
prefixes: {ex: "http://example.org/"}
time: {column: at}
mappings: {sensor: {s: "ex:$(id)", po: [[ex:value, "$(v)", "xsd:decimal"]]}}
"""
ROWS, KILLS = 3_000, 4
RUN = "from pantarhei.cli import main, run_checkpoint; run_checkpoint.INTERVAL = 0.05; main()"
QUERY = "SELECT ?s (AVG(?v) AS ?mean) { ?s <http://example.org/value> ?v } GROUP BY ?s"


def test_a_run_that_is_killed_continues(tmp_path):
    (tmp_path / "o.ttl").write_text(ONTOLOGY)
    (tmp_path / "m.yaml").write_text(MAPPING)
    rows = (
        f"2024-01-01T{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}Z,s{at % 7},{at % 50}"
        for at in range(ROWS)
    )
    (tmp_path / "s.csv").write_text("\n".join(["at,id,v", *rows]) + "\n")

    def command(output, state):
        options = ["--ontology", "o.ttl", "--stream", "s.csv", "--mapping", "m.yaml", "--range", "30s"]
        options += ["--query", QUERY, "--emit", "changes", "--output", output, "--checkpoint", state]
        return [sys.executable, "-c", RUN, "run", *options]

    subprocess.run(command("whole.csv", "whole"), cwd=tmp_path, check=True, capture_output=True)
    chance = random.Random(3)
    for _ in range(KILLS):
        process = subprocess.Popen(command("out.csv", "state"), cwd=tmp_path, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(1.0, 2.5))
        process.kill()
        process.wait()
    subprocess.run(command("out.csv", "state"), cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
