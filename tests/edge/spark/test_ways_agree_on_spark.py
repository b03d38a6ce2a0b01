"""One stream gives one window on Spark: on the driver, in a batch, and in shards."""

import itertools
from collections import Counter
from datetime import datetime

import pytest
from rdflib import RDF, URIRef

import pantarhei as pr
from contradicting_streams import STREAMS
from counts import some
from pantarhei.rdf.ntriples import parse_term
from pantarhei.spark import reason_stream, run
from spark_streams import NOW, SCHEMA, TEXTS, Folder, rows_of, table_of
from ways import DEFAULT, differences, follow, reasoner_of, record_of, steps_of

VENDOR = "http://example.org/vendor#"


def rows_in_parts(stream, parts):
    """Split the rows of a stream into parts, also within timestamps."""
    rows = rows_of(stream.aboxes)
    bounds = [len(rows) * number // parts for number in range(parts + 1)]
    return [rows[start:end] for start, end in itertools.pairwise(bounds)]


class Written:
    """A stream in a folder, a file for each batch.

    Args:
        path: the folder, which is created.
        stream: the stream.
    """

    def __init__(self, path, stream):
        self.stream, self.folder = stream, Folder(path)
        of_dates = isinstance(stream.aboxes[0].at, datetime)
        self.schema = f"timestamp timestamp, {TEXTS}" if of_dates else SCHEMA
        self.text = datetime.isoformat if of_dates else int

    def write(self, parts):
        """Write a file for each part."""
        for rows in parts:
            self.folder.write([(self.text(at), *terms) for at, *terms in rows])

    def follow(self, spark, **options):
        """Follow the files that exist; return the ended query."""
        stream, given = self.stream, self.folder.stream(spark, self.schema)
        options = {"background": stream.background, **stream.options, **options}
        query = reason_stream(given, stream.ontology, stream.window, trigger=NOW, **options)
        query.await_termination()
        return query


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "name", some(["building", "plant", "faculty", "parking", "site", "building, 10 k"], ["plant"])
)
def test_the_window_of_the_driver_is_that_of_one_reasoner(spark, tmp_path, name):
    stream = STREAMS[name](tmp_path)
    written, record = Written(tmp_path / "in", stream), record_of(stream)
    written.write(rows_in_parts(stream, 3))
    query = written.follow(spark, on_update=record)
    assert not differences(follow(stream), record.of(query.reasoner))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", some(["building", "plant", "faculty"], []))
def test_the_window_of_the_driver_is_that_of_one_reasoner_after_restarts(spark, tmp_path, name):
    stream = STREAMS[name](tmp_path)
    written, record = Written(tmp_path / "in", stream), record_of(stream)
    for part in rows_in_parts(stream, 3):
        written.write([part])
        query = written.follow(spark, on_update=record, checkpoint=tmp_path / "checkpoint")
    assert query.batch == 2
    assert not differences(follow(stream), record.of(query.reasoner))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", some(["building", "faculty"], ["building"]))
def test_the_window_of_a_batch_is_that_of_one_reasoner(spark, tmp_path, name):
    stream = STREAMS[name](tmp_path)
    reasoner, record = reasoner_of(stream, DEFAULT), record_of(stream)
    for update in run(reasoner, spark.createDataFrame(table_of(rows_of(stream.aboxes)))):
        record(update, reasoner)
    assert not differences(follow(stream), record.of(reasoner))


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore::pantarhei.UndecidedRepairWarning")
@pytest.mark.parametrize(
    ("name", "budget"),
    [("plant, 10 k", pr.Budget(steps=50)), ("plant, 6 k", pr.Budget(instances=200))],
    ids=["steps", "instances"],
)
def test_what_is_undecided_on_the_driver_is_so_in_one_reasoner(spark, tmp_path, name, budget):
    stream = STREAMS[name](tmp_path).first(24)
    written, record = Written(tmp_path / "in", stream), record_of(stream, every=None)
    written.write(rows_in_parts(stream, 2))
    query = written.follow(spark, on_update=record, budget=budget)
    outcome = follow(stream, every=None, budget=budget)
    assert sum(step.undecided_facts for step in steps_of(outcome)) > 0
    assert not differences(outcome, record.of(query.reasoner))


# -- shards ----------------------------------------------------------------------------------------


def held(changes):
    """Return the facts with a positive sum of changes."""
    sums = Counter()
    for row in changes:
        sums[tuple(map(parse_term, (row.subject, row.predicate, row.object)))] += row.change
    assert min(sums.values()) >= 0
    return set(+sums)


def asserted(stream):
    """Return the classes and properties that a stream asserts."""
    return {o if p == RDF.type else p for abox in stream.aboxes for _, p, o in abox.triples}


SHARDED = [
    ("parking", "subject"),
    pytest.param("parking, 10 k", "subject", marks=pytest.mark.long),
    pytest.param("air", "subject", marks=pytest.mark.long),
    pytest.param("site", URIRef(VENDOR + "isPointOf"), marks=pytest.mark.long),
    pytest.param("site", URIRef(VENDOR + "hasLocation"), marks=pytest.mark.long),
]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("name", "key"), SHARDED)
def test_shards_hold_and_repair_what_one_reasoner_does(spark, tmp_path, name, key):
    stream, changes = STREAMS[name](tmp_path), []
    written = Written(tmp_path / "in", stream)
    written.write(rows_in_parts(stream, 3))
    query = written.follow(
        spark,
        shard_by=key,
        shards=4,
        streaming=asserted(stream),
        sink=lambda batch, _: changes.extend(batch.collect()),
    )
    one = reasoner_of(stream, DEFAULT, history=pr.History(steps=0))
    always = one.materialization()
    cut = sum(len(one.push(abox.at, abox.triples).repair.removed) for abox in stream.aboxes)
    assert cut > len(stream.aboxes) / 2
    assert len({row.shard for row in changes}) > 1
    expected = {"facts": one.materialization() - always, "quality": set(one.quality().rows)}
    assert not differences(expected, {"facts": held(changes), "quality": set(query.quality().rows)})
