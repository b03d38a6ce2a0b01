"""Rows that shards hold back are pushed at the end of a stream, on demand, and when no rows arrive."""

import time

import pytest

from pantarhei import Window, load_ontology
from pantarhei.errors import MissingOptionError, StreamError
from pantarhei.spark import reason_stream
from spark_streams import NOW, Folder, rows_of
from strategies import A, B, a, b, member

ONTOLOGY = load_ontology("ontologies/pedals.ttl")


class Stream:
    """A sharded stream that holds rows back for four ticks."""

    def __init__(self, spark, path):
        self.spark, self.path, self.folder, self.found = spark, path, Folder(path / "in"), []

    def write(self, *timed):
        self.folder.write(rows_of((at, [triple]) for at, triple in timed))

    def follow(self, **options):
        return reason_stream(
            self.folder.stream(self.spark),
            ONTOLOGY,
            Window(2),
            shard_by="subject",
            shards=3,
            allowed_lateness=4,
            checkpoint=self.path / "checkpoint",
            sink=lambda rows, batch: self.found.extend((batch, row) for row in rows.collect()),
            **options,
        )

    @property
    def changes(self):
        return [(row.at, row.subject, row.object, row.change) for _, row in self.found]


def test_a_flush_pushes_what_shards_hold_back_in_one_batch_and_the_stream_goes_on(spark, tmp_path):
    stream = Stream(spark, tmp_path)
    stream.write((10, member(A, a)), (12, member(B, b)))
    query = stream.follow(trigger=NOW)
    query.await_termination()
    assert stream.changes == [] and query.complete_until == 7
    query.flush()
    until = [change for change in stream.changes if change[0] <= query.complete_until]
    assert sorted(until) == [(10, a.n3(), A.n3(), 1), (12, b.n3(), B.n3(), 1)]
    assert query.complete_until == 12 and query.counts.aboxes == 2
    batch = query.batch
    query.flush()  # nothing is held back
    assert query.batch == batch
    stream.write((11, member(A, b)), (13, member(A, b)), (20, member(B, a)))
    again = stream.follow(trigger=NOW)
    again.await_termination()
    again.flush()
    late = [row for _, row in stream.found if row.change == 0]
    assert [row.at for row in late] == [11] and again.counts.late == 1
    assert (13, a.n3(), A.n3(), -1) in stream.changes
    assert (15, b.n3(), B.n3(), -1) in stream.changes
    assert (16, b.n3(), A.n3(), -1) in stream.changes
    assert again.complete_until == 20


def test_a_flush_needs_a_stream_that_has_ended(spark, tmp_path):
    stream = Stream(spark, tmp_path)
    stream.write((10, member(A, a)))
    query = stream.follow()
    try:
        with pytest.raises(StreamError, match="running"):
            query.flush()
    finally:
        query.stop()


def test_only_shards_have_an_idle_time(spark, tmp_path):
    stream = Folder(tmp_path / "in").stream(spark)
    with pytest.raises(MissingOptionError, match="shard_by"):
        reason_stream(stream, ONTOLOGY, Window(2), idle_timeout="5s")


@pytest.mark.long
def test_rows_that_are_held_back_are_pushed_when_no_rows_arrive_and_the_stream_goes_on(spark, tmp_path):
    stream = Stream(spark, tmp_path)
    stream.write((10, member(A, a)))
    query = stream.follow(idle_timeout="2s")

    def wait_until(at):
        end = time.monotonic() + 120
        while query.complete_until is None or query.complete_until < at:
            assert time.monotonic() < end and query.is_active
            time.sleep(0.2)

    try:
        wait_until(10)
        assert stream.changes == [(10, a.n3(), A.n3(), 1)]
        stream.write((30, member(B, b)))
        wait_until(30)
        assert not query.await_termination(0.1)
    finally:
        query.stop()
    assert query.await_termination(60)
    assert sorted(stream.changes)[:3] == [
        (10, a.n3(), A.n3(), 1),
        (13, a.n3(), A.n3(), -1),
        (30, b.n3(), B.n3(), 1),
    ]


@pytest.mark.long
def test_the_error_of_a_batch_ends_a_stream_with_an_idle_time(spark, tmp_path):
    stream = Stream(spark, tmp_path)
    stream.folder.write([(1, "no term", A.n3(), a.n3())])
    with pytest.raises(Exception, match="no term"):
        stream.follow(idle_timeout="1s").await_termination(120)
