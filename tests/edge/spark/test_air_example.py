"""The example of a wide table on Spark, on what its script makes up, against plain Python."""

import csv
import re
import runpy
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest

import pantarhei as pr
from pantarhei.spark import materialize_aboxes, reason_stream, typed

ROOT = Path(__file__).parents[3]
AIR = ROOT / "examples" / "air"
IRI = "http://example.org/air#"
ONTOLOGY = ROOT / "ontologies" / "air.ttl"


def made_up(hours):
    """The rows that the example's script makes up, with its header."""
    made = runpy.run_path(str(AIR / "generate.py"))
    return [made["COLUMNS"], *made["rows"](7, hours)]


def expected(rows):
    """Times, stations and how much the newest level of the last hour is above 180."""
    newest, found = {}, Counter()
    times = sorted({row[0] for row in rows})
    for time in times:
        newest |= {station: (time, float(ozone)) for at, station, ozone, *_ in rows if at == time and ozone}
        for station, (at, level) in newest.items():
            if level > 180 and time - at <= 3600:
                moment = datetime.fromtimestamp(time, UTC)
                found[moment, IRI + station, round(level - 180, 1)] += 1
    return found


@pytest.mark.long
def test_a_wide_table_goes_to_parquet_and_what_follows_comes_back_with_numbers(spark, tmp_path):
    header, *rows = made_up(18)
    table = tmp_path / "air.csv"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    answers = runpy.run_path(str(AIR / "job.py"))["answer"](spark, table, tmp_path / "out")
    assert dict(answers.dtypes) == {
        "batch": "bigint", "at": "timestamp", "start": "timestamp", "end": "timestamp",
        "station": "string", "excess": "double",
    }  # fmt: skip
    frame = pd.read_parquet(tmp_path / "out" / "answers")
    assert frame["excess"].dtype == float and str(frame["at"].dtype) == "datetime64[us, UTC]"
    found = Counter(
        (at.to_pydatetime(), station, round(excess, 1))
        for at, station, excess in zip(frame["at"], frame["station"], frame["excess"], strict=True)
    )
    assert found == expected(rows)
    assert len(found) > 50
    assert set(frame["end"] - frame["start"]) == {timedelta(hours=1)}


@pytest.mark.long
def test_a_stream_of_it_has_typed_results_and_tells_how_far_it_has_come(spark, tmp_path):
    incoming = tmp_path / "incoming"
    header, *rows = made_up(12)
    wide = spark.createDataFrame(pd.DataFrame(rows, columns=header).replace("", None))
    wide.coalesce(1).write.parquet(str(incoming))
    query = reason_stream(
        spark.readStream.schema(wide.schema).parquet(str(incoming)),
        ontology := pr.load_ontology(ONTOLOGY),
        pr.Window("PT1H"),
        mapping=AIR / "mapping.yaml",
        query=(AIR / "query.rq").read_text(),
        output=tmp_path / "answers",
        types={"station": "name", "excess": "number"},
        trigger={"availableNow": True},
        query_name="air",
    )
    query.await_termination()
    frame = pd.read_parquet(tmp_path / "answers")
    found = zip(frame["at"], frame["station"], frame["excess"].round(1), strict=True)
    assert Counter((at.to_pydatetime(), *rest) for at, *rest in found) == expected(rows)
    newest = datetime.fromtimestamp(rows[-1][0], UTC)
    assert (query.progress.state, query.progress.batch, query.progress.at) == ("ended", 0, newest)
    assert query.progress.counts == query.counts
    assert re.match(r"ReasoningQuery\(air: ended, batch 0 is complete.*; the window is at 2026-", repr(query))
    derived = materialize_aboxes(wide, ontology, mapping=AIR / "mapping.yaml").where("derived")
    largest = (
        typed(derived, {"subject": "name", "object": "number"}).groupBy("subject").max("object").collect()
    )
    assert {row[0]: row[1] for row in largest} == {
        station: pytest.approx(max(excess for _, other, excess in expected(rows) if other == station))
        for station in {station for _, station, _ in expected(rows)}
    }


def test_the_lines_of_mapping_and_of_code_are_counted_right():
    lines = {
        name: sum(bool(line.strip()) and not line.strip().startswith("#") for line in text.splitlines())
        for name, text in (
            ("mapping", (AIR / "mapping.yaml").read_text()),
            ("code", (AIR / "job.py").read_text().split('"""', 2)[2]),
        )
    }
    said = re.search(r"(\d+) lines of mapping and (\d+) of code", (AIR / "README.md").read_text())
    assert said is not None
    assert [int(number) for number in said.groups()] == [lines["mapping"], lines["code"]]


def test_nothing_of_the_ontology_is_lost():
    assert pr.load_ontology(ONTOLOGY).losses == ()
