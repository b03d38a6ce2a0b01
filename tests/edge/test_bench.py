"""Benchmarks run: each lane has the expected facts, and each module imports; actions visit few files."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

LANES = """
import importlib
from pathlib import Path

for path in Path("bench").glob("[!_]*.py"):
    importlib.import_module(f"bench.{path.stem}")

from bench.engine import InternedLane, KernelLane, PushLane, check_facts, dictionary_table, ontology_of
from bench.engine import plain_table, rdflib_triples

ontology = ontology_of(":Hot rdfs:subClassOf :Reading . :in rdfs:domain :Reading .")
background = [("lab", "a", "Room")]

def rows(tick):
    return [(f"r{tick}", "a", "Hot"), (f"s{tick}", "in", "lab")]

expected = [*background, *(row for tick in (1, 2) for row in rows(tick))]
expected += [(f"{name}{tick}", "a", "Reading") for name in "rs" for tick in (1, 2)]
given = ontology, background, 2, rows
forms = {"dictionaries": dictionary_table, "strings": plain_table, "triples": rdflib_triples}
for lane in (KernelLane(*given), InternedLane(*given), *(PushLane(*given, *form) for form in forms.items())):
    for tick in range(3):
        lane.run(tick, lane.prepare(tick))
    check_facts(lane, expected)
    print(lane.name)
"""


def run(*arguments):
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_each_lane_has_the_expected_facts():
    lanes = run("-c", LANES)
    assert lanes == ["interned columns", "interned columns", "dictionaries", "strings", "triples"]


def test_an_action_visits_few_files():
    walks = {line[:32].strip(): [int(n) for n in line[32:].split()] for line in run("-m", "bench.walks")[1:]}
    files, _, _, moves = walks["push"]
    assert files <= 20 and moves <= 30
    assert walks["registering a stream's text"][0] <= 70
