"""Benchmarks run: each lane has the expected facts, and each module imports; actions visit few files."""

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from svg_checks import assert_apart

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


REWRITE = """
import sys
from pathlib import Path

from bench.page import write_page
from bench.plots import draw
from bench.record import read_record, write_record

folder = Path(sys.argv[1])
runs = read_record(Path("docs/performance.json"))
(folder / "performance.md").write_text(Path("docs/performance.md").read_text())
write_record(folder / "performance.json", runs)
write_page(folder / "performance.md", runs)
for path in draw([figure for run in runs for figure in run.figures], folder / "img"):
    print(path.name)
"""


def test_the_page_and_its_plots_are_those_of_the_record(tmp_path):
    plots = run("-c", REWRITE, tmp_path)
    page = ROOT / "docs" / "performance.md"
    names = ["performance.md", "performance.json", *(f"img/{name}" for name in plots)]
    for name in names:
        assert (tmp_path / name).read_text() == (page.parent / name).read_text(), "run make bench-page"
    assert sorted(plots) == sorted(re.findall(r"\(img/(.*?)\)", page.read_text()))


def test_plots_are_well_formed_and_follow_the_colour_scheme(tmp_path):
    for name in run("-c", REWRITE, tmp_path):
        root = ElementTree.parse(tmp_path / "img" / name).getroot()
        assert root.get("role") == "img" and root[0].text
        assert "prefers-color-scheme:dark" in root[1].text
        assert_apart(ElementTree.tostring(root), dots=False)


ALONE = """
import sys
from dataclasses import replace
from pathlib import Path

from bench.plots import draw
from bench.record import read_record

figures = [each for run in read_record(Path("docs/performance.json")) for each in run.figures]
folder = Path(sys.argv[1])
for number, workload in enumerate(sorted({each.workload for each in figures})):
    some = [each for each in figures if each.workload == workload]
    for value in (some[0].value, 0.0):
        for path in draw([replace(each, value=value) for each in some], folder / str(number)):
            print(path)
"""


def test_a_plot_needs_no_second_size_and_no_positive_value(tmp_path):
    drawn = run("-c", ALONE, tmp_path)
    assert len(drawn) > 20
    for path in drawn:
        assert "nan" not in path and ElementTree.parse(path).getroot().get("role") == "img"


def test_a_new_result_replaces_the_figures_of_its_workloads(tmp_path):
    page, record = tmp_path / "performance.md", tmp_path / "performance.json"
    page.write_text("<!-- bench: explaining -->\n<!-- end -->\n<!-- bench: missed -->\n<!-- end -->\n")
    shown = []
    for number, value in enumerate((7.0, 3.0)):
        figures = [
            {"workload": "the building asked", "way": "explain, median", "value": value, "unit": "ms"},
            {"workload": f"other {number}", "way": "way", "value": 1.0, "unit": "ms"},
        ]
        figures[0] |= {"at_most": 5.0, "samples": [1.0, value, 9.0]}
        result = tmp_path / f"{number}.json"
        about = {"time": f"2026-11-2{number}T00:00:00", "commit": f"c{number}"}
        result.write_text(json.dumps({"circumstances": about, "figures": figures}))
        run("-m", "bench", "--results", result, "--page", page)
        shown.append(page.read_text())
    assert "|explain|**7.00**|||" in shown[0] and "0 of 1 targets are met." in shown[0]
    assert "|explain|3.00|||" in shown[1] and "1 of 1 targets are met." in shown[1]
    runs = json.loads(record.read_text())["runs"]
    assert [[each["workload"] for each in found["figures"]] for found in runs] == [
        ["other 0"],
        ["the building asked", "other 1"],
    ]
    assert (runs[1]["figures"][0]["low"], runs[1]["figures"][0]["high"]) == (1.0, 9.0)
