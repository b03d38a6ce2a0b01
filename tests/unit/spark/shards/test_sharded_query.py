"""What shards tell of registered queries, in each query's own columns, without Spark."""

import random
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet
import pytest

from pantarhei import Ontology, Window
from pantarhei.engine.options import Options
from pantarhei.errors import OptionError
from pantarhei.model.time import TimeKind
from pantarhei.query.continuous_query import Registration
from pantarhei.spark.file_system import LocalFolder
from pantarhei.spark.results import STREAM, ColumnTypes, Outlet, outlets
from pantarhei.spark.shards.processor import packed_outcome
from pantarhei.spark.shards.shard import ShardCounts, ShardSetup, SharedValue
from pantarhei.spark.shards.sharded_query import ShardedAnswers, _processing
from pantarhei.spark.shards.stream_totals import StreamTotals

QUERIES = {
    "pairs": Registration("SELECT ?x ?many { }"),
    "closed": Registration("SELECT ?x { }", Window(4, 2, closed="left"), "close"),
}
VARIABLES = {"pairs": ("x", "many"), "closed": ("x",)}
ONE, TWO = (f'"{number}"^^<http://www.w3.org/2001/XMLSchema#integer>' for number in (1, 2))


def setup(kind=TimeKind.INTEGER, queries=QUERIES, variables=VARIABLES, window=10):
    ontology = Ontology.from_rules([])
    report = ontology.sharding_report(keys=["subject"])
    names = ("query", "value1", "value2")
    options = Options(Window(window))
    return ShardSetup(
        ontology,
        options,
        kind,
        "subject",
        2,
        report,
        False,
        queries=queries,
        variables=variables,
        names=names,
    )


def changes(*rows, time=None):
    """Return the changes of a batch."""
    columns = list(zip(*rows, strict=True)) or [()] * 6
    names = ("shard", "at", "query", "value1", "value2", "change")
    kinds = (pa.int32(), time or pa.int64(), *[pa.string()] * 3, pa.int32())
    arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    return pa.table(arrays, names=names)


def handed_out(folder, told, made=None, types=None, batch=3):
    """The rows that the folders of the queries get."""
    made = setup() if made is None else made
    answers = ShardedAnswers(
        made, outlets(made.queries, None, LocalFolder(folder), "parquet"), ColumnTypes.of(types)
    )
    answers.deliver(told, batch, None)
    found = {}
    for name in made.queries:
        path = folder / name / f"batch-{batch:010}.parquet"
        found[name] = pyarrow.parquet.read_table(path) if path.exists() else None
    return found


def rows_of(table):
    return [tuple(row.values()) for row in table.to_pylist()]


def test_what_shards_tell_of_a_row_at_a_time_is_added_up_in_the_order_of_time_and_texts(tmp_path):
    found = handed_out(
        tmp_path,
        changes(
            (1, 7, "pairs", "<urn:b>", ONE, 2),
            (0, 7, "pairs", "<urn:a>", None, -1),
            (1, 7, "pairs", "<urn:a>", None, -2),
            (0, 5, "pairs", "<urn:c>", ONE, 1),
            (1, 5, "pairs", "<urn:c>", ONE, -1),
            (1, 3, "pairs", "<urn:d>", TWO, 1),
            (0, 8, "closed", "<urn:a>", None, 1),
        ),
    )
    assert found["pairs"].column_names == ["batch", "at", "start", "end", "x", "many", "change"]
    assert rows_of(found["pairs"]) == [
        (3, 3, -7, 3, "<urn:d>", TWO, 1),
        (3, 7, -3, 7, "<urn:a>", None, -3),
        (3, 7, -3, 7, "<urn:b>", ONE, 2),
    ]
    assert rows_of(found["closed"]) == [(3, 8, 4, 8, "<urn:a>", 1)]
    assert found["closed"].schema.field("change").type == pa.int32()


def test_each_row_of_the_stream_that_came_too_late_is_a_row_of_nulls(tmp_path):
    late = (0, 4, "closed", None, None, 0)
    found = handed_out(tmp_path, changes(late, late, (1, 4, "closed", "<urn:a>", None, 1)))
    assert rows_of(found["closed"]) == [
        (3, 4, 0, 4, None, 0),
        (3, 4, 0, 4, None, 0),
        (3, 4, 0, 4, "<urn:a>", 1),
    ]
    assert found["pairs"] is None


def test_columns_have_values_in_the_place_of_terms_where_types_say_so_and_times_of_their_kind(tmp_path):
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    asked = {"pairs": QUERIES["pairs"]}
    made = setup(TimeKind.DATETIME, asked, {"pairs": VARIABLES["pairs"]}, window="PT10S")
    told = changes((0, noon, "pairs", "<urn:a>", TWO, 1), time=pa.timestamp("us", tz="Europe/Berlin"))
    found = handed_out(tmp_path, told, made, {"many": "integer", "x": "name"})["pairs"]
    assert rows_of(found) == [(3, noon, noon.replace(second=50, minute=59, hour=11), noon, "urn:a", 2, 1)]
    assert found.schema.field("at").type == pa.timestamp("us", tz="UTC")
    with pytest.raises(OptionError, match="integer"):
        handed_out(
            tmp_path,
            changes((0, noon, "pairs", "<urn:a>", "<urn:b>", 1), time=pa.timestamp("us")),
            made,
            {"many": "integer"},
        )


def test_columns_that_are_none_or_taken_are_refused(tmp_path):
    def refused(said, made, types=None):
        with pytest.raises(OptionError, match=said):
            ShardedAnswers(
                made, outlets(made.queries, None, LocalFolder(tmp_path), "csv"), ColumnTypes.of(types)
            )

    refused("types=who", setup(), {"who": "name"})
    refused(r"queries\['closed'\]=\?end", setup(variables={**VARIABLES, "closed": ("end",)}))


@pytest.mark.parametrize("seed", range(8))
def test_each_batch_is_reported_at_most_once_however_often_it_comes(tmp_path, seed):
    choose, reported, delivered = random.Random(seed), [], []
    totals = StreamTotals(TimeKind.INTEGER, LocalFolder(tmp_path))
    made = setup(queries={}, variables={})
    made = replace(made, names=("subject", "predicate", "object"))
    stream = SimpleNamespace(shipped=SharedValue(made), warned=None)
    outcome = packed_outcome(shard=0, rows=1, hot_rows=1, received=5, facts=1, **ShardCounts(1)._asdict())
    rows = SimpleNamespace(
        sparkSession=SimpleNamespace(createDataFrame=lambda table: table),
        toArrow=lambda: pa.Table.from_pandas(outcome, preserve_index=False),
    )

    def report(each):
        reported.append(each.batch)
        if choose.random() < 0.3:
            raise ValueError("the report cannot be sent")

    outlet = {STREAM: Outlet(None, lambda rows, batch: delivered.append(batch))}
    process = _processing(stream, outlet, ColumnTypes.of(None), None, totals, report)
    batch = 0
    while batch < 12:
        try:
            process(rows, batch)
            batch += choose.random() < 0.7  # Spark may not have committed it
        except ValueError:
            totals = StreamTotals(TimeKind.INTEGER, LocalFolder(tmp_path))  # a restart
            process = _processing(stream, outlet, ColumnTypes.of(None), None, totals, report)
    assert reported == list(range(12)) and len(delivered) > 12
    assert totals.counts.assertions == 12
