"""Parquet files that workers read themselves: equal results, and what is left to Spark."""

import random
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import Observation
from pyspark.sql import functions as f
from rdflib import RDF

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.model.rule import Rule
from pantarhei.spark import materialize_aboxes, run
from spark_streams import COLUMNS, rows_of, table_of
from strategies import EX, A, B, C, R, is_a, related, x, y
from worlds import World

TYPE = RDF.type.n3()
ONTOLOGY = Ontology.from_rules(
    [
        Rule("sub", (is_a(A, x),), is_a(B, x)),
        Rule("range", (related(R, x, y),), is_a(A, y)),
        Rule("disjoint", (is_a(B, x), is_a(C, x)), None),
    ]
)


def is_read_by_workers(made):
    """Return whether Spark only sends the numbers of ranges to the workers."""
    plan = made._jdf.queryExecution().optimizedPlan().toString()
    assert "MapInArrow" in plan
    assert ("Range (" in plan) != ("Relation" in plan or "LogicalRDD" in plan)
    return "Range (" in plan


def sorted_rows(df):
    return sorted(map(tuple, df.collect()), key=str)


def write(folder, rows, files, type_=None, **options):
    """Write rows in their order as some files."""
    folder.mkdir(parents=True, exist_ok=True)
    table = table_of(rows, type_)
    size = -(-len(table) // files)
    for number in range(files):
        pq.write_table(table.slice(number * size, size), folder / f"{number}.parquet", **options)


def rows_at(times):
    return [(at, EX[f"x{n % 5}"].n3(), TYPE, (A, B, C)[n % 3].n3()) for n, at in enumerate(times)]


@pytest.mark.parametrize("jumble", [1, 30])
def test_results_are_those_of_rows_that_spark_reads(spark, tmp_path, jumble):
    """Rows are at most `jumble` places from the order of time."""
    world, choose = World(11, constraints=3), random.Random(jumble)
    stream = [(at, list(dict.fromkeys(world.facts(choose.choice((1, 5, 30)))))) for at in range(-5, 15)]
    rows = rows_of(stream)
    rows += [(None, "<urn:a>", TYPE, "<urn:b>"), (3, "no term", TYPE, "<urn:b>"), (3, None, TYPE, "<urn:b>")]
    choose.shuffle(rows)
    rows.sort(key=lambda row: 0 if row[0] is None else 30 * row[0] + choose.uniform(0, 30 * jumble))
    write(tmp_path / "in", rows, 3, row_group_size=40)
    df = spark.read.parquet(str(tmp_path / "in"))
    found = []
    for clustered in (None, False):
        observation = Observation()
        made = materialize_aboxes(
            df,
            Ontology.from_rules(world.rules),
            background=world.background,
            conflicts=True,
            on_error="skip",
            observation=observation,
            clustered=clustered,
            spark_partitions=4,
        )
        facts = [(*row[:-1], row[-1] is not None and len(row[-1])) for row in sorted_rows(made)]
        found.append((facts, observation.get))
        assert is_read_by_workers(made.where("true")) == (clustered is None)
    assert found[0] == found[1]
    assert found[0][1]["skipped"] == 3 and found[0][1]["conflicting"] > 3


TIMES = {
    "int": (pa.int32(), 7),
    "double": (pa.float64(), 0.5),
    "timestamp": (pa.timestamp("us", "UTC"), datetime(2026, 3, 1, 0, 0, 0, 1, tzinfo=UTC)),
    "int96": (pa.timestamp("us", "UTC"), datetime(1969, 12, 31, 20, 0, 0, 1, tzinfo=UTC)),
}


@pytest.mark.parametrize("kind", TIMES)
def test_times_of_each_kind_come_back_as_spark_reads_them(spark, tmp_path, kind):
    type_, first = TIMES[kind]
    step = timedelta(hours=1) if kind in ("timestamp", "int96") else 1
    rows = rows_at([first + n // 3 * step for n in range(20)])
    write(tmp_path / "in", rows, 2, type_, use_deprecated_int96_timestamps=kind == "int96")
    df = spark.read.parquet(str(tmp_path / "in"))
    made, by_spark = (materialize_aboxes(df, ONTOLOGY, clustered=clustered) for clustered in (None, False))
    assert (is_read_by_workers(made), is_read_by_workers(by_spark)) == (True, False)
    assert made.schema == by_spark.schema
    assert sorted_rows(made) == sorted_rows(by_spark)
    window = Window("PT2H" if isinstance(step, timedelta) else 2)
    updates = [
        [
            (update.at, update.repair.removed)
            for update in run(StreamReasoner(ONTOLOGY, window), df, clustered=each)
        ]
        for each in (None, False)
    ]
    assert updates[0] == updates[1] and len(updates[0]) == 7


def test_columns_may_have_other_names_and_folders_may_be_partitioned(spark, tmp_path):
    rows = rows_at([n // 4 for n in range(20)])
    for day in ("1", "2"):
        part = [(at + 100 * int(day), *terms) for at, *terms in rows]
        write(tmp_path / "a folder" / f"day={day}", part, 1)
    df = spark.read.parquet(str(tmp_path / "a folder")).withColumnRenamed("subject", "s o")
    made = materialize_aboxes(df, ONTOLOGY, columns={"subject": "s o"})
    assert is_read_by_workers(made)
    assert made.select("timestamp").distinct().count() == 10
    by_day = materialize_aboxes(df, ONTOLOGY, columns={"timestamp": "day", "subject": "s o"})
    assert not is_read_by_workers(by_day)
    assert {row.timestamp for row in by_day.collect()} == {1, 2}


def test_what_computes_or_selects_rows_is_left_to_spark(spark, tmp_path):
    rows = rows_at([n // 4 for n in range(20)])
    write(tmp_path / "in", rows, 2)
    df = spark.read.parquet(str(tmp_path / "in"))
    spark_reads = {
        "a filter": df.where("timestamp > 1"),
        "a limit": df.limit(7),
        "a computed time": df.withColumn("timestamp", f.col("timestamp") + 1),
        "a time cast from another type": df.withColumn(
            "timestamp", f.col("timestamp").cast("string").cast("int")
        ),
        "a computed term": df.withColumn("object", f.concat("object", f.lit(""))),
        "two folders": df.union(df),
        "no file": spark.createDataFrame(table_of(rows)),
        "another format": df.select(*COLUMNS),
        "an option": spark.read.option("ignoreCorruptFiles", True).parquet(str(tmp_path / "in")),
    }
    spark_reads["another format"].write.orc(str(tmp_path / "orc"))
    spark_reads["another format"] = spark.read.orc(str(tmp_path / "orc"))
    for name, given in spark_reads.items():
        made = materialize_aboxes(given, ONTOLOGY)
        assert not is_read_by_workers(made), name
    cached = df.cache()
    try:
        assert not is_read_by_workers(materialize_aboxes(cached, ONTOLOGY))
    finally:
        cached.unpersist()
    assert is_read_by_workers(materialize_aboxes(df, ONTOLOGY, clustered=True))
