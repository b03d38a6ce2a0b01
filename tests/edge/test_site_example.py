"""The example of a site model, on what its script makes up, against plain Python over the same readings."""

import json
import re
import runpy
import warnings
from datetime import timedelta
from pathlib import Path

import pytest
from rdflib import Graph, Namespace
from typer.testing import CliRunner

from pantarhei import NumbersApartWarning, StreamReasoner, Window, load_ontology
from pantarhei.cli.commands import app

EXAMPLE = Path(__file__).parents[2] / "examples" / "site"
RANGE = timedelta(minutes=10)
FRIDGES = {"probe1": ("lab", "vaccines"), "probe2": ("lab", "vaccines"), "probe3": ("ward", "blood")}


@pytest.fixture
def made(tmp_path):
    """The stream's file, and the readings in it."""
    script = runpy.run_path(str(EXAMPLE / "generate.py"))
    rows = list(script["rows"](7, 90))
    path = tmp_path / "readings.nq"
    path.write_text("".join(f"{script['quad'](*row)}\n" for row in rows))
    return path, rows


def run(stream, *more, background=EXAMPLE / "site.ttl"):
    given = (
        "--ontology",
        EXAMPLE / "vendor.ttl",
        "--background",
        background,
        "--query",
        EXAMPLE / "query.rq",
    )
    how = ("--stream", stream, "--range", "PT10M", "--format", "ndjson", *more)
    done = CliRunner().invoke(app, list(map(str, ("run", *given, *how))))
    assert done.exit_code == 0, done.output
    return done


def test_rooms_are_checked_whose_fridges_have_a_probe_that_is_warm(made):
    stream, rows = made
    newest, expected = {}, set()
    for at, probe, celsius in rows:
        newest[probe] = celsius
        if probe == "probe4":  # the last of its minute
            warm = [FRIDGES[each] for each, level in newest.items() if level >= 8 and each in FRIDGES]
            expected |= {(f"{at:%Y-%m-%dT%H:%M:%SZ}", *where) for where in warm}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = run(stream, "--numbers", "by_value")
    answers = [row for row in map(json.loads, done.stdout.splitlines()) if "room" in row]
    found = {(row["at"], *(row[name].partition("#")[2] for name in ("room", "fridge"))) for row in answers}
    assert found == expected
    assert {(room, fridge) for _, room, fridge in found} == set(FRIDGES.values())


def test_without_the_option_it_is_said_why_nothing_is_found(made):
    stream, _ = made
    with pytest.warns(NumbersApartWarning, match="celsius has the value"):
        done = run(stream)
    assert "#lab" not in done.stdout and "without --numbers by_value: celsius has the value" in done.stderr


def test_the_site_model_may_be_part_of_the_ontology_as_well(made):
    vendor, site = EXAMPLE / "vendor.ttl", EXAMPLE / "site.ttl"
    joined = StreamReasoner(load_ontology(vendor), Window("PT10M"), Graph().parse(site))
    folder = load_ontology(EXAMPLE)
    assert joined.ontology.fingerprints.rules == folder.fingerprints.rules
    assert not folder.losses
    site = Namespace("http://example.org/site#")
    assert {str(each).rpartition("/")[2] for each in folder.report().documents} == {"site.ttl", "vendor.ttl"}
    assert site.WarmFridge in joined.ontology.predicates


def test_the_lines_of_the_site_model_are_counted_right():
    lines = (EXAMPLE / "site.ttl").read_text().splitlines()
    count = sum(bool(line.strip()) and not line.strip().startswith("#") for line in lines)
    said = re.search(r"(\d+) lines of site model and no code", (EXAMPLE / "README.md").read_text())
    assert int(said[1]) == count
