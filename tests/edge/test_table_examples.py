"""The examples over tables, on what their scripts make up, against plain Python over the same rows."""

import csv
import json
import re
import runpy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from typer.testing import CliRunner

from pantarhei import load_ontology
from pantarhei.cli.commands import app

ROOT = Path(__file__).parents[2]
RANGE = timedelta(minutes=10)


def written(folder, example, minutes):
    """A file with the rows that an example's script makes up, and the rows."""
    made = runpy.run_path(str(ROOT / "examples" / example / "generate.py"))
    header = made.get("COLUMNS") or ("time", "machine", *made["PARTS"])
    rows = [header, *made["rows"](7, minutes)]
    with (folder / "table.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return folder / "table.csv", [dict(zip(header, row, strict=True)) for row in rows[1:]]


def answered(example, table):
    """The answers after each ABox: by time, pairs of local names."""
    folder = ROOT / "examples" / example
    given = ("--ontology", ROOT / "ontologies" / f"{example}.ttl", "--query", folder / "query.rq")
    how = ("--stream", table, "--mapping", folder / "mapping.yaml", "--range", "PT10M", "--format", "ndjson")
    done = CliRunner().invoke(app, list(map(str, ("run", *given, *how))))
    assert done.exit_code == 0, done.output
    found = {}
    for line in done.stdout.splitlines():
        row = json.loads(line)
        texts = [str(value).partition("#")[2] for key, value in row.items() if key != "at"]
        found.setdefault(datetime.fromisoformat(row["at"]), set()).add(tuple(texts))
    return found


def test_a_garage_is_as_the_newest_count_or_attendant_says(tmp_path):
    table, rows = written(tmp_path, "parking", 60)
    newest, expected = {}, {}
    for row in rows:
        at = datetime.fromisoformat(row["time"]).replace(tzinfo=ZoneInfo("Europe/Copenhagen")).astimezone(UTC)
        counted = row["attendant"] or ("Full" if row["vehicles"] >= row["spaces"] else "Available")
        newest[row["garage"]] = (at, counted)
        expected[at] = {(garage, state) for garage, (when, state) in newest.items() if at - when <= RANGE}
    assert answered("parking", table) == expected
    assert {state for states in expected.values() for _, state in states} == {"Full", "Available"}


def test_a_part_is_hot_whose_newest_temperature_is_above_the_threshold(tmp_path):
    table, rows = written(tmp_path, "machine", 240)
    newest, expected = {}, {}
    for row in rows:
        at = datetime.fromtimestamp(row["time"] / 1000, UTC)
        newest |= {part: (at, float(row[part])) for part in ("motor_c", "bearing_c", "gear_c") if row[part]}
        hot = {
            (part[:-2], "Hot") for part, (when, level) in newest.items() if at - when <= RANGE and level >= 95
        }
        if hot:
            expected[at] = hot | {("press1", "ToBeStopped")}
    assert expected
    assert answered("machine", table) == expected


@pytest.mark.parametrize("example", ["parking", "machine"])
def test_the_lines_of_mapping_are_counted_right(example):
    folder = ROOT / "examples" / example
    lines = (folder / "mapping.yaml").read_text().splitlines()
    count = sum(bool(line.strip()) and not line.strip().startswith("#") for line in lines)
    said = re.search(r"(\d+) lines of mapping and no code", (folder / "README.md").read_text())
    assert said is not None
    assert int(said[1]) == count


@pytest.mark.parametrize("example", ["parking", "machine"])
def test_nothing_of_the_ontology_is_lost(example):
    assert load_ontology(ROOT / "ontologies" / f"{example}.ttl").losses == ()
