"""Tables on Spark by a mapping: what comes out is what `read_records` makes of the same rows."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random

import pandas as pd
import pytest
from pyspark.sql import Observation

import pantarhei as pr
from pantarhei.spark import materialize_aboxes, melt, reason_stream, run, typed
from spark_streams import NOW, Folder, rows_of

AIR = "http://example.org/air#"
MAPPING = {
    "prefixes": {"ex": AIR},
    "time": {"column": "at"},
    "melt": {"columns": {"ozone": {"gas": "O3"}, "no2": {"gas": "NO2"}}},
    "mappings": {
        "station": {"s": "ex:$(place.name)", "po": [["a", "ex:Station"]]},
        "level": {"s": "ex:$(place.name)", "po": [["ex:$(gas)", "$(value)", "xsd:decimal"]]},
    },
}
WIDE = "at timestamp, place struct<name string, high boolean>, ozone double, no2 int, other binary"
NUMBERED = {**MAPPING, "time": {"column": "at", "unit": "number"}}
HIGH = """
@prefix : <http://example.org/air#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:O3 a owl:DatatypeProperty . :High a owl:Class .
[ a owl:Restriction ; owl:onProperty :O3 ; owl:someValuesFrom [ a rdfs:Datatype ; owl:onDatatype xsd:decimal ;
  owl:withRestrictions ( [ xsd:minInclusive 80.0 ] ) ] ] rdfs:subClassOf :High .
"""


def table(seed, count):
    """Rows of a wide table, in the order of time."""
    random, begin = Random(seed), datetime(2026, 3, 2, 7, tzinfo=UTC)
    return [
        {
            "at": begin + timedelta(minutes=number // 3),
            "place": {"name": random.choice(["a b", "c/d", "e"]), "high": True},
            "ozone": random.choice([None, 81.5, 0.25, 7.0]),
            "no2": random.choice([None, 34, -1]),
        }
        for number in range(count)
    ]


def records(rows, mapping=MAPPING):
    """What the door without Spark makes of them: rows of texts."""
    return pr.read_records(pd.DataFrame(rows).convert_dtypes(dtype_backend="pyarrow"), mapping)


def frame(spark, rows):
    return spark.createDataFrame([(row["at"], *list(row.values())[1:], None) for row in rows], WIDE)


@pytest.fixture(scope="module")
def ontology(tmp_path_factory):
    path = tmp_path_factory.mktemp("air") / "air.ttl"
    path.write_text(HIGH)
    return pr.load_ontology(path)


def test_a_wide_table_is_melted_on_spark_as_it_is_without(spark, ontology):
    rows = table(1, 60)
    expected = rows_of(records(rows))
    df = frame(spark, rows)
    melted = melt(df, MAPPING)
    assert melted.columns == ["timestamp", "subject", "predicate", "object"]
    found = [
        (row.timestamp.astimezone(UTC), row.subject, row.predicate, row.object) for row in melted.collect()
    ]
    assert sorted(found) == sorted(expected)
    counted = Observation()
    untimed = [{**row, "at": None} for row in rows[:2]]
    kept = melt(frame(spark, [*rows, *untimed]), MAPPING, on_error="skip", observation=counted).collect()
    assert len(kept) == len(expected)
    assert counted.get == {"triples": len(expected), "skipped": 2}
    reasoners = [pr.StreamReasoner(ontology, pr.Window("PT5M")) for _ in "12"]
    for update, other in zip(
        run(reasoners[0], df, mapping=MAPPING), reasoners[1].run(records(rows)), strict=True
    ):
        assert (update.at, update.delta) == (other.at, other.delta)
    high = materialize_aboxes(df, ontology, mapping=MAPPING).where("derived")
    assert {row.object for row in high.collect()} == {f"<{AIR}High>"}


def test_a_stream_of_tables_is_followed_and_bad_rows_are_counted(spark, ontology, tmp_path):
    rows = [
        (7, "a", "81.5"), (7, "b", "2"), (8, "c", "many"), (8, "d", "90"), (9, "e", None), (None, "f", "1"),
    ]  # fmt: skip
    folder = Folder(tmp_path / "in")
    for part in (rows[:3], rows[3:]):
        lines = [",".join("" if cell is None else str(cell) for cell in row) for row in part]
        folder.write_text("\n".join(lines) + "\n", "csv")
    mapping = {
        "prefixes": {"ex": AIR},
        "time": {"column": "at", "unit": "number"},
        "mappings": {"level": {"s": "ex:$(place)", "po": [["ex:O3", "$(ozone)", "xsd:decimal"]]}},
    }
    stream = spark.readStream.schema("at long, place string, ozone string").option("maxFilesPerTrigger", 1)
    high = []
    query = reason_stream(
        stream.csv(str(folder.path)),
        ontology,
        pr.Window(range=5),
        mapping=mapping,
        on_error="skip",
        query="PREFIX : <http://example.org/air#> SELECT ?place { ?place a :High }",
        sink=lambda answers, _: high.extend((row.at, row.place) for row in answers.collect()),
        trigger=NOW,
    )
    query.await_termination()
    assert (query.counts.skipped, query.counts.aboxes, query.counts.assertions) == (2, 2, 3)
    assert set(high) == {(7, f"<{AIR}a>"), (8, f"<{AIR}a>"), (8, f"<{AIR}d>")}
    with pytest.raises(
        pr.InvalidRowError, match=r"column ozone of the row \(.*place=c.*'many' is not of type xsd:decimal"
    ):
        list(
            run(
                pr.StreamReasoner(ontology, pr.Window(range=5)),
                spark.createDataFrame(rows, "at long, place string, ozone string"),
                mapping=mapping,
            )
        )


MISTAKES = [
    (
        {"melt": {"columns": {"ozon": {"gas": "O3"}}}},
        "the DataFrame has no column ozon; expected one of .*did you mean ozone",
    ),
    ({"time": {"column": "at", "unit": "s"}}, "the times in column at are of type timestamp"),
    ({"time": "ozone"}, "the times in column ozone are numbers; expected unit: s, ms"),
    (
        {"time": {"value": "$(_row)"}},
        r"\$\(_row\) refers to row numbers, but the rows of the DataFrame have none",
    ),
    ({"melt": {"columns": {"other": {"gas": "O3"}}}}, "column other of the DataFrame is of type binary"),
    (
        {"melt": {"columns": {"lasting": {"gas": "O3"}}}},
        "column lasting of .* is of type duration",
    ),
    ({"melt": {"columns": {"place": {"gas": "O3"}}}}, r"the DataFrame has no column place"),
    ({"mappngs": {}}, "mappngs"),
]


@pytest.mark.parametrize(("changed", "said"), MISTAKES)
def test_a_mapping_that_does_not_fit_the_columns_is_refused_before_anything_runs(spark, changed, said):
    with pytest.raises(pr.MappingError, match=said):
        melt(lasting(frame(spark, table(1, 1))), {**MAPPING, **changed})


def lasting(df):
    """With a column of durations."""
    return df.selectExpr("*", "make_dt_interval(0, 1, 30) AS lasting")


def test_durations_beside_what_is_mapped_and_typed_stay_what_they_are(spark):
    df = lasting(frame(spark, table(1, 3)))
    assert melt(df, MAPPING).count() == melt(df.drop("lasting"), MAPPING).count()
    terms = df.selectExpr("'<urn:a>' AS x", "lasting")
    assert [tuple(row) for row in typed(terms, {"x": "name"}).limit(1).collect()] == [
        ("urn:a", timedelta(hours=1, minutes=30))
    ]
    with pytest.raises(pr.OptionError, match="YearMonthIntervalType"):
        typed(terms.selectExpr("x", "make_ym_interval(1) AS months"), {"x": "name"})


def test_what_is_no_table_or_said_twice_is_refused(spark, ontology):
    df = frame(spark, table(1, 1))
    for wrong, said in (
        (lambda: melt(df.toPandas(), MAPPING), "a DataFrame; pantarhei.read_records reads"),
        (lambda: melt(df, 7), "mapping"),
        (lambda: melt(df, MAPPING, on_error="ignore"), "on_error"),
        (
            lambda: materialize_aboxes(df, ontology, mapping=MAPPING, columns={}),
            "The mapping names the columns. Omit columns",
        ),
    ):
        with pytest.raises(pr.OptionError, match=said):
            wrong()


LEVELS = {
    "prefixes": {"ex": AIR},
    "time": {"column": "at", "unit": "number"},
    "melt": {"columns": {"ozone": {"gas": "O3"}, "no2": {"gas": "NO2"}}},
    "mappings": {"level": {"s": "ex:$(place)", "po": [["ex:$(gas)", "$(value)", "xsd:decimal"]]}},
}
ASKED = "PREFIX : <http://example.org/air#> SELECT ?place ?ozone { ?place a :High ; :O3 ?ozone }"
TYPED = {"place": "name", "ozone": "number"}


@pytest.mark.long
def test_shards_take_a_mapping_and_give_values_with_types_as_one_window_does(spark, ontology, tmp_path):
    schema = "at long, place string, ozone double, no2 int"
    random, folder = Random(5), Folder(tmp_path / "in")
    rows = [
        (at, random.choice("abcde"), random.choice([None, 81.5, 99.0, 2.0]), random.choice([None, 3]))
        for at in range(12)
        for _ in range(3)
    ]
    for part in (rows[:12], rows[12:24], rows[24:]):
        lines = [",".join("" if cell is None else str(cell) for cell in row) for row in part]
        folder.write_text("\n".join(lines) + "\n", "csv")
    stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).csv(str(folder.path))
    changes = []
    reason_stream(
        stream,
        ontology,
        pr.Window(range=3),
        mapping=LEVELS,
        types=TYPED,
        query=ASKED,
        shard_by="subject",
        shards=3,
        sink=lambda found, _: changes.extend(found.collect()),
        output=tmp_path / "out",
        trigger=NOW,
    ).await_termination()
    held, one = Counter(), pr.StreamReasoner(ontology, pr.Window(range=3))
    for row in changes:
        assert {type(row.place), type(row.ozone)} == {str, float}
        held[row.place, row.ozone] += row.change
    columns = ["at", "place", "ozone", "no2"]
    table = pd.DataFrame(rows, columns=columns).convert_dtypes(dtype_backend="pyarrow")
    for _ in one.run(pr.read_records(table, LEVELS)):
        pass
    expected = Counter((str(place), float(ozone)) for place, ozone in one.query(ASKED).rows)
    assert +held == expected and len(expected) > 1
    assert len({row.shard for row in changes}) > 1
    files = spark.read.parquet(str(tmp_path / "out"))
    assert dict(files.dtypes) == {
        "shard": "int", "at": "bigint", "place": "string", "ozone": "double", "change": "int",
    }  # fmt: skip
    assert sorted(map(tuple, files.collect())) == sorted(map(tuple, changes))


@pytest.mark.parametrize("shard_by", [None, pytest.param("subject", marks=pytest.mark.long)])
def test_going_on_with_other_types_is_refused_and_says_both(spark, ontology, tmp_path, shard_by):
    folder = Folder(tmp_path / "in")

    def follow(types, at):
        folder.write_text(f"{at},a,81.5,3\n", "csv")
        schema = "at long, place string, ozone double, no2 int"
        reason_stream(
            spark.readStream.schema(schema).csv(str(folder.path)),
            ontology,
            pr.Window(range=3),
            mapping=LEVELS,
            types=types,
            query=ASKED,
            shard_by=shard_by,
            shards=shard_by and 2,
            output=tmp_path / "out",
            checkpoint=tmp_path / "state",
            trigger=NOW,
        ).await_termination()

    follow(TYPED, 1)
    follow(TYPED, 2)
    said = r"'ozone': 'n-triples'.*'ozone': 'number'|'ozone': 'number'.*'ozone': 'n-triples'"
    error = pr.OptionError if shard_by is None else pr.CheckpointMismatchError
    with pytest.raises(error, match=said):
        follow({**TYPED, "ozone": "n-triples"}, 3)
    with pytest.raises(
        pr.OptionError if shard_by is None else pr.CheckpointMismatchError, match="'place': 'name'"
    ):
        follow(None, 4)
