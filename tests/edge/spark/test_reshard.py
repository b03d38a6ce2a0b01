"""The number of shards changes in mid-stream, and the changes add up to what one reasoner holds."""

import random
import time
from collections import Counter, defaultdict

import pytest
from pyspark.sql import functions as F
from rdflib import RDF

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.engine.options import Options
from pantarhei.errors import CheckpointError, NotKeyLocalError, OptionError, StreamError
from pantarhei.model.rule import Different, Rule
from pantarhei.model.time import TimeKind
from pantarhei.rdf.ntriples import parse_term, write_term
from pantarhei.spark import reason_stream, reshard
from pantarhei.spark.file_system import LocalFolder
from pantarhei.spark.shards import reshard as reshard_module
from pantarhei.spark.shards import sharded_query
from pantarhei.spark.shards.reshard import ShardLayout, ShardLayouts
from pantarhei.spark.shards.shard import ShardSetup, SharedValue
from pantarhei.spark.shards.shard_client import ShardClient
from spark_streams import Folder, rows_of
from strategies import EX, A, B, C, D, R, S, is_a, member, related, x, y, z

IN, NEAR = EX.inBuilding, EX.near
ROOMS = [EX[f"room{number}"] for number in range(24)]
BACKGROUND = [
    *((room, IN, EX[f"building{number % 8}"]) for number, room in enumerate(ROOMS)),
    *((ROOMS[number], NEAR, ROOMS[number + 8]) for number in range(16)),
]
RULES = [
    Rule("alarm", (is_a(A, x), related(NEAR, x, y), is_a(B, y)), is_a(C, x)),
    Rule("not both", (is_a(B, x), is_a(D, x)), None),
    Rule("one value", (related(R, x, y), related(R, x, z)), None, (Different(y, z),)),
    Rule("told", (related(R, x, y),), related(S, y, x)),
    Rule("seen", (related(R, x, y),), is_a(EX.Seen, y)),  # in any shard
]
ONTOLOGY, WINDOW = Ontology.from_rules(RULES), Window(6)
MADE = ShardSetup(
    Ontology.from_rules([]),
    Options(WINDOW),
    TimeKind.INTEGER,
    "subject",
    2,
    Ontology.from_rules([]).sharding_report(keys=["subject"]),
    False,
)


def readings(seed, first, last):
    choose, rows = random.Random(seed), []
    for at in range(first, last):
        for _ in range(choose.choice((0, 2, 4, 8))):
            room = choose.choice(ROOMS)
            told = (room, R, choose.choice(ROOMS[:3]))
            rows.append((at, choose.choice([member(choose.choice((A, A, B, B, D)), room), told])))
    return rows


class Stream:
    """A sharded stream over files, started again and again, beside one reasoner."""

    def __init__(self, spark, path, query=None, lateness=None):
        self.spark, self.path, self.query, self.lateness = spark, path, query, lateness
        self.folder, self.rows, self.found, self.reports = Folder(path / "in"), [], [], []

    def follow(self, **options):
        def sink(rows, batch):
            self.found.extend((batch, row) for row in rows.collect())

        query = reason_stream(
            self.folder.stream(self.spark),
            ONTOLOGY,
            WINDOW,
            background=BACKGROUND,
            shard_by=IN,
            query=self.query,
            allowed_lateness=self.lateness,
            sink=sink,
            on_batch=self.reports.append,
            checkpoint=self.path / "checkpoint",
            trigger={"availableNow": True},
            **options,
        )
        query.await_termination()
        return query

    def write(self, rows):
        self.rows += rows
        self.folder.write(rows_of((at, [triple]) for at, triple in rows))

    def check(self, until):
        """Compare the sums of changes with one reasoner at each time."""
        reasoner = StreamReasoner(ONTOLOGY, WINDOW, BACKGROUND)
        always, aboxes = reasoner.materialization(), defaultdict(list)
        for at, triple in self.rows:
            aboxes[at].append(triple)
        compared = 0
        for at in sorted(aboxes):
            reasoner.push(at, aboxes[at])
            if at > until:
                break
            sums = Counter()
            for _, row in self.found:
                if row.at <= at:
                    _, _, *terms, change = row
                    sums[tuple(terms)] += change
            assert all(number >= 0 for number in sums.values())
            if self.query is None:
                held = {tuple(map(parse_term, terms)) for terms, number in sums.items() if number}
                assert held == reasoner.materialization() - always, at
            else:
                texts = (
                    tuple(None if t is None else write_term(t) for t in row)
                    for row in reasoner.query(self.query).rows
                )
                assert +sums == Counter(texts), at
            compared += 1
        return compared


def test_a_stream_goes_on_with_another_number_of_shards(spark, tmp_path):
    stream = Stream(spark, tmp_path)
    stream.write(readings(1, 1, 8))
    stream.follow(shards=8)
    stream.write(readings(2, 8, 14))
    stream.follow(shards=16)
    reshard(tmp_path / "checkpoint", shards=4)
    stream.write(readings(3, 14, 20))
    query = stream.follow(shards=16)  # the program has not changed, the wish counts
    assert stream.check(query.complete_until) > 10
    shards = defaultdict(set)
    for batch, row in stream.found:
        if row.change:
            shards[batch].add(row.shard)
    assert max(map(max, shards.values())) > 7
    assert max(shards[max(shards)]) < 4
    batches = [report.batch for report in stream.reports]
    assert batches == list(range(len(batches)))
    assert (
        sum(report.assertions for report in stream.reports)
        == query.counts.assertions
        == len(set(stream.rows))
    )


@pytest.mark.long
@pytest.mark.parametrize("lateness", [None, 3])
@pytest.mark.parametrize("query", [None, f"SELECT ?x ?y {{ ?x a <{A}> OPTIONAL {{ ?x <{R}> ?y }} }}"])
def test_shards_are_divided_and_merged_at_each_start(spark, tmp_path, query, lateness):
    stream, choose = Stream(spark, tmp_path, query, lateness), random.Random(5)
    for part, shards in enumerate((2, 5, 5, 1, 7, 3)):
        rows = readings(part, 6 * part + 1, 6 * part + 7)
        choose.shuffle(rows)
        stream.write(rows)
        followed = stream.follow(shards=shards)
    followed.flush()
    assert stream.check(followed.complete_until) > 20
    assert followed.complete_until == max(at for at, _ in stream.rows)


@pytest.mark.long
def test_a_hot_key_is_divided_and_united_again(spark, tmp_path):
    stream = Stream(spark, tmp_path)
    rooms = [(at, (ROOMS[8 * (at % 3)], RDF.type, A)) for at in range(1, 30)]
    stream.write([*readings(1, 1, 10), *rooms[:9]])
    stream.follow(shards=3)
    with pytest.raises(NotKeyLocalError, match=r"needs .* in one shard, but they are in the shards of"):
        stream.follow(shards=3, hot_keys={EX.building0: "subject"})  # rules join rooms of a building
    stream.write([*readings(2, 10, 16), *rooms[9:15]])
    query = stream.follow(shards=3)
    assert stream.check(query.complete_until) > 8


def test_only_sharded_streams_have_a_number_of_shards(spark, tmp_path):
    with pytest.raises(CheckpointError, match="no sharded stream"):
        reshard(tmp_path, shards=3)
    with pytest.raises(OptionError, match="shards"):
        reshard(tmp_path, shards=0)


@pytest.mark.parametrize("given", [{"room": "subject"}, {EX.room: "room"}, {EX.room: 3}, [EX.room]], ids=str)
def test_hot_keys_that_are_no_terms_are_refused_and_change_nothing(spark, tmp_path, given):
    layouts = ShardLayouts(ShardLayout(2, {}), ShardLayout(2, {}))
    layouts.write(LocalFolder(tmp_path))
    with pytest.raises(OptionError, match="hot_keys"):
        reshard(tmp_path, 4, hot_keys=given)
    assert ShardLayouts.read(LocalFolder(tmp_path)) == layouts


@pytest.mark.long
@pytest.mark.parametrize("begins", [(0, 0), (2, 0), (0, 9), (1, 1)], ids=str)
def test_a_stream_of_two_sources_goes_on_with_another_number_of_shards(spark, tmp_path, begins):
    """Each source has rows from one of the parts on, and no position before."""
    folders = [Folder(tmp_path / name) for name in ("one", "other")]
    stream, rows = Stream(spark, tmp_path), readings(4, 1, 20)

    def follow(part, shards, first, last):
        for number, folder in enumerate(folders):
            now = [(at, triple) for at, triple in rows if first <= at < last][number::2]
            if begins[number] <= part:
                folder.write(rows_of((at, [triple]) for at, triple in now))
                stream.rows += now
        query = reason_stream(
            folders[0].stream(spark).union(folders[1].stream(spark)),
            ONTOLOGY,
            WINDOW,
            background=BACKGROUND,
            shard_by=IN,
            shards=shards,
            checkpoint=tmp_path / "checkpoint",
            sink=lambda rows, batch: stream.found.extend((batch, row) for row in rows.collect()),
            trigger={"availableNow": True},
        )
        query.await_termination()
        return query

    for part, (shards, first, last) in enumerate(((3, 1, 8), (5, 8, 14), (2, 14, 20))):
        query = follow(part, shards, first, last)
        layouts = ShardLayouts.read(LocalFolder(tmp_path / "checkpoint"))
        assert layouts.present.shards == shards
    assert stream.check(query.complete_until) > 5


@pytest.mark.long
def test_a_stream_whose_positions_are_numbers_goes_on_with_another_number_of_shards(spark, tmp_path):
    rate = spark.readStream.format("rate").option("rowsPerSecond", 30)
    found = {}  # by batch: a stop may cut off a batch, which comes again

    def follow(shards):
        known = len(found)
        query = reason_stream(
            rate.load().select(
                F.unix_micros("timestamp").alias("timestamp"),
                F.format_string("<urn:%d>", "value").alias("subject"),
                F.lit(RDF.type.n3()).alias("predicate"),
                F.lit(A.n3()).alias("object"),
            ),
            Ontology.from_rules([]),
            Window(10**12),
            shard_by="subject",
            shards=shards,
            checkpoint=tmp_path / "checkpoint",
            sink=lambda rows, batch: found.update({batch: rows.collect()}),
        )
        end = time.monotonic() + 100
        while len(found) < known + 3 and query.is_active and time.monotonic() < end:
            time.sleep(0.1)
        query.stop()

    for shards in (3, 5, 2):
        follow(shards)
        assert {row.shard for row in found[max(found)]} <= set(range(shards))
    rows = [row for batch in found.values() for row in batch]
    numbers = [int(row.subject[5:-1]) for row in rows]
    assert len(numbers) > 30 and sorted(numbers) == list(range(len(numbers)))
    assert {row.change for row in rows} == {1}


def test_a_stream_without_rows_starts_with_another_number_of_shards(spark, tmp_path):
    stream = Stream(spark, tmp_path)
    stream.follow(shards=3)
    reshard(tmp_path / "checkpoint", shards=2)
    assert stream.follow(shards=3).batch == -1
    stream.write(readings(1, 1, 5))
    query = stream.follow(shards=7)
    assert stream.check(query.complete_until) > 0
    assert max(row.shard for _, row in stream.found) > 2


@pytest.mark.long
def test_a_change_whose_batch_has_no_rows_is_an_error_and_is_made_at_the_next_start(
    spark, tmp_path, monkeypatch
):
    stream = Stream(spark, tmp_path)
    stream.write(readings(1, 1, 8))
    stream.follow(shards=3)
    for _ in range(2):
        with monkeypatch.context() as context, pytest.raises(StreamError, match="5 shards"):
            context.setattr(reshard_module, "movable_source", lambda checkpoint: (1, 1))  # no source
            stream.follow(shards=5)
    stream.write(readings(2, 8, 14))
    query = stream.follow(shards=5)
    assert stream.check(query.complete_until) > 6
    assert ShardLayouts.read(LocalFolder(tmp_path / "checkpoint")).present.shards == 5


@pytest.mark.parametrize("name", ["a space", "50%", "q?", "#1"])
def test_a_path_at_which_spark_cannot_read_states_is_an_error_that_names_it(spark, name):
    client = ShardClient(spark, SharedValue(MADE), f"file:///tmp/{name}")
    with pytest.raises(CheckpointError, match="move the folder"):
        client.states()


@pytest.mark.long
@pytest.mark.parametrize("place", ["record_batch", "restore_positions", "start"])
def test_a_change_that_is_cut_off_is_made_at_the_next_start(spark, tmp_path, monkeypatch, place):
    stream = Stream(spark, tmp_path)
    stream.write(readings(1, 1, 8))
    stream.follow(shards=3)

    def cut(*arguments, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        if place == "start":  # recorded and not run
            context.setattr(reshard_module, "restore_positions", cut)
            context.setattr(sharded_query, "ONCE", {"processingTime": "no time"})
        else:
            context.setattr(reshard_module, place, cut)
        with pytest.raises((KeyboardInterrupt, Exception)):
            stream.follow(shards=5)
    stream.write(readings(2, 8, 14))
    query = stream.follow(shards=5)
    assert stream.check(query.complete_until) > 6
    assert {row.shard for batch, row in stream.found if batch == query.batch - 1} <= set(range(5))
    layouts = ShardLayouts.read(LocalFolder(tmp_path / "checkpoint"))
    assert layouts.present.shards == 5 and layouts.moving is None and layouts.wish is None


@pytest.mark.long
def test_a_request_during_a_change_is_an_error_or_counts_at_the_next_start(spark, tmp_path, monkeypatch):
    stream, checkpoint = Stream(spark, tmp_path), tmp_path / "checkpoint"
    stream.write(readings(1, 1, 8))
    stream.follow(shards=3)
    record = reshard_module.record_batch

    def before(*arguments, **options):  # the shards are divided, and the batch is not recorded
        reshard(checkpoint, shards=4)
        record(*arguments, **options)

    with monkeypatch.context() as context, pytest.raises(StreamError, match="start the stream again"):
        context.setattr(reshard_module, "record_batch", before)
        stream.follow(shards=5)

    def after(*arguments, **options):
        record(*arguments, **options)
        with pytest.raises(StreamError, match="has begun and has not ended"):
            reshard(checkpoint, shards=2)

    with monkeypatch.context() as context:
        context.setattr(reshard_module, "record_batch", after)
        stream.write(readings(2, 8, 14))
        stream.follow(shards=5)  # the wish counts, since the program asks for the same again
    query = stream.follow(shards=5)
    assert stream.check(query.complete_until) > 6
    assert ShardLayouts.read(LocalFolder(checkpoint)).present.shards == 4


def test_rows_that_a_change_of_shards_pushes_are_counted(spark, tmp_path):
    name = "spark.sql.streaming.noDataMicroBatches.enabled"  # otherwise a batch without rows pushes them
    stream = Stream(spark, tmp_path, lateness=2)
    stream.write([(at, member((A, B)[at % 2], ROOMS[at])) for at in range(1, 9)])
    spark.conf.set(name, "false")
    try:
        assert stream.follow(shards=2).counts.assertions == 0
        query = stream.follow(shards=3)
    finally:
        spark.conf.unset(name)
    moved = stream.reports[1]
    assert (moved.aboxes, moved.assertions, moved.complete_until) == (5, 5, 5)
    query.flush()
    assert (query.counts.aboxes, query.counts.assertions) == (8, 8)
    assert stream.check(query.complete_until) == 8
