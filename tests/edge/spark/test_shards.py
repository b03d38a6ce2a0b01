"""Streams sharded on Spark: what the shards hold together is what one model holds."""

import json
import random
from collections import Counter, defaultdict

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F
from rdflib import RDF

from pantarhei import Ontology, OptionError, StreamReasoner, TimestampError, Window, load_rules
from pantarhei.errors import (
    CheckpointMismatchError,
    NotKeyLocalError,
    NotKeyLocalQueryError,
    NotKeyLocalRuleError,
    QueryError,
)
from pantarhei.model.rule import Different, Rule
from pantarhei.rdf.ntriples import parse_term, write_term
from pantarhei.spark import reason_stream
from pantarhei.spark import run as run_rows
from pantarhei.spark.shards.sharded_stream import shard_stream
from spark_streams import COLUMNS, SCHEMA, Folder, rows_of
from strategies import EX, A, B, C, D, R, S, is_a, member, related, x, y, z

IN, NEAR = EX.inBuilding, EX.near
ROOMS = [EX[f"room{number}"] for number in range(12)]
BUILDINGS = [EX[f"building{number}"] for number in range(4)]
BACKGROUND = [
    *((room, IN, BUILDINGS[number % 4]) for number, room in enumerate(ROOMS)),
    *((ROOMS[number], NEAR, ROOMS[number + 4]) for number in range(8)),
    member(EX.Building, BUILDINGS[0]),
]
RULES = [
    Rule("alarm", (is_a(A, x), related(NEAR, x, y), is_a(B, y)), is_a(C, x)),
    Rule("alarmed", (is_a(C, x), related(IN, x, y)), is_a(EX.Alarmed, y)),
    Rule("cleared", (is_a(D, x), related(IN, x, y)), is_a(EX.Clear, y)),
    Rule("not both", (is_a(EX.Alarmed, x), is_a(EX.Clear, x)), None),
    Rule("one value", (related(R, x, y), related(R, x, z)), None, (Different(y, z),)),
    Rule("told", (related(R, x, y),), related(S, y, x)),
]
ONTOLOGY = Ontology.from_rules(RULES)


def readings(seed, first, last):
    """Rows of each time, in order."""
    choose = random.Random(seed)
    rows = []
    for at in range(first, last):
        for _ in range(choose.choice((0, 1, 3, 6))):
            room = choose.choice(ROOMS)
            told = (room, R, choose.choice(ROOMS[:2]))
            rows.append((at, choose.choice([member(choose.choice((A, A, B, B, D)), room), told])))
    return rows


def written(rows):
    return rows_of((at, [triple]) for at, triple in rows)


def run(changes, checkpoint, found=None):
    """All rows of a query over what there is, put into `found` if that is given."""
    found = [] if found is None else found
    query = (
        changes.writeStream.foreachBatch(lambda batch, _: found.extend(batch.collect()))
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return found


def held(changes):
    """The facts whose changes add up to more than nothing, and the sums."""
    sums = Counter()
    for row in changes:
        sums[tuple(map(parse_term, (row.subject, row.predicate, row.object)))] += row.change
    assert all(number >= 0 for number in sums.values())
    return {fact for fact, number in sums.items() if number > 0}


def one_model(rows, window, now):
    """What one model holds at a time, without what the background holds, and how much was cut."""
    reasoner = StreamReasoner(ONTOLOGY, window, BACKGROUND)
    always = reasoner.materialization()
    aboxes, cut = defaultdict(list), 0
    for at, triple in rows:
        aboxes[at].append(triple)
    for at in sorted(aboxes):
        cut += len(reasoner.push(at, aboxes[at]).repair.removed)
    reasoner.advance(now)
    return reasoner.materialization() - always, cut


def test_shards_hold_what_one_model_holds_and_go_on_after_a_restart(spark, tmp_path):
    folder, window = Folder(tmp_path / "in"), Window(6)
    rows = [*readings(1, 1, 9), (8, (ROOMS[0], R, ROOMS[0]))]
    more = [*readings(2, 8, 17), (16, (ROOMS[3], R, ROOMS[1]))]
    late = (2, member(A, ROOMS[5]))

    def query():
        changes = shard_stream(
            folder.stream(spark), ONTOLOGY, window, shard_by=IN, shards=5, background=BACKGROUND
        )
        return run(changes, tmp_path / "checkpoint")

    folder.write(written(row for row in rows if row[0] < 5))
    folder.write(written(row for row in rows if row[0] >= 5))
    before = query()
    expected, cut = one_model(rows, window, 8)
    assert held(before) == expected
    folder.write(written([*more, late]))
    after = query()
    expected, cut = one_model([*rows, *more], window, 16)
    assert held([*before, *after]) == expected
    assert cut > 3
    assert len({row.shard for row in before}) > 2
    assert {row.shard for row in before} == {
        row.shard for row in before if row.subject.startswith("<http://example.org/room")
    }
    assert [(row.at, row.subject) for row in after if row.change == 0] == [(2, ROOMS[5].n3())]


@pytest.mark.long
def test_the_answers_of_shards_add_up_to_those_of_one_window_and_go_on_after_a_restart(spark, tmp_path):
    folder, rows, found = Folder(tmp_path / "in"), [*readings(1, 1, 17), (16, (ROOMS[3], R, ROOMS[1]))], []
    select = f"""
        PREFIX : <{EX}>
        SELECT ?Building ?other (COUNT(?x) AS ?many)
        {{ ?x a :A ; :inBuilding ?Building OPTIONAL {{ ?x :R ?other }} }} GROUP BY ?Building ?other"""

    def follow():
        query = reason_stream(
            folder.stream(spark),
            ONTOLOGY,
            Window(6),
            background=BACKGROUND,
            shard_by=IN,
            shards=5,
            query=select,
            sink=lambda batch, _: found.extend(batch.collect()),
            output=tmp_path / "out",
            checkpoint=tmp_path / "checkpoint",
            trigger={"availableNow": True},
        )
        query.await_termination()

    def expected(now):
        one = StreamReasoner(ONTOLOGY, Window(6), BACKGROUND)
        for at in range(1, now + 1):
            one.push(at, [triple for time, triple in rows if time == at])
        return Counter(
            tuple(None if term is None else write_term(term) for term in row)
            for row in one.query(select).rows
        )

    def summed():
        sums = Counter()
        for row in found:
            sums[row.Building, row.other, row.many] += row.change
        assert all(number >= 0 for number in sums.values())
        return +sums

    folder.write(written(row for row in rows if row[0] < 5))
    folder.write(written(row for row in rows if 5 <= row[0] < 9))
    follow()
    assert summed() == expected(max(at for at, _ in rows if at < 9))
    folder.write(written(row for row in rows if row[0] >= 9))
    folder.write(written([(2, member(A, ROOMS[5]))]))
    follow()
    assert summed() == expected(16)
    assert found[0].asDict().keys() == {"shard", "at", "Building", "other", "many", "change"}
    assert [tuple(row)[1:] for row in found if row.change == 0] == [(2, None, None, None, 0)]
    assert len({row.shard for row in found}) > 1 and any(row.other for row in found)
    files = spark.read.parquet(str(tmp_path / "out"))
    assert sorted(map(str, files.collect())) == sorted(map(str, found))


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("SELECT ?x { ?x a :A ", QueryError),
        ("SELECT ?x { ?x a :A } LIMIT 1", NotKeyLocalQueryError),
        ("SELECT * { ?x a :A . ?y a :A }", NotKeyLocalQueryError),
        ("SELECT ?x ?at { ?x :R ?at }", OptionError),
        ("SELECT ?x ?X { ?x :R ?X }", OptionError),
        (3, OptionError),
    ],
)
def test_a_query_that_shards_cannot_answer_is_refused_before_anything_runs(spark, tmp_path, query, error):
    stream = Folder(tmp_path / "in").stream(spark)
    with pytest.raises(error):
        shard_stream(
            stream,
            ONTOLOGY,
            Window(5),
            shard_by=IN,
            background=BACKGROUND,
            query=f"PREFIX : <{EX}> {query}" if isinstance(query, str) else query,
        )


@pytest.mark.long
def test_rows_out_of_order_wait_and_blank_nodes_are_the_timestamps_own(spark, tmp_path):
    folder, window = Folder(tmp_path / "in"), Window(20)
    stray = ("_:b", RDF.type.n3(), A.n3())
    folder.write(
        [(3, *stray), (1, ROOMS[0].n3(), R.n3(), "_:b"), (3, ROOMS[0].n3(), R.n3(), "_:b"), (5, *stray)]
    )
    folder.write([(2, ROOMS[1].n3(), R.n3(), ROOMS[0].n3()), (9, *stray), (9, ROOMS[0].n3(), R.n3(), "_:b")])
    changes = shard_stream(folder.stream(spark), ONTOLOGY, window, allowed_lateness=3, streaming=[A, R])
    found = run(changes, tmp_path / "checkpoint")
    facts = {tuple(map(str, fact)) for fact in held(found)}
    assert {fact for fact in facts if fact[1] == str(R)} == {
        (str(ROOMS[0]), str(R), "t3-b"),
        (str(ROOMS[1]), str(R), str(ROOMS[0])),
    }
    assert {fact[0] for fact in facts if fact[2] == str(A)} == {"t3-b", "t5-b"}
    assert ("t1-b", str(S), str(ROOMS[0])) not in facts  # a newer value has replaced it


@pytest.mark.long
@pytest.mark.parametrize(("year", "ticks"), [(2026, 1_772_366_400_000_001), (1966, -121_089_599_999_999)])
def test_datetimes_come_back_and_a_row_that_only_the_background_may_say_stops_the_query(
    spark, tmp_path, year, ticks
):
    folder, found = Folder(tmp_path / "in"), []
    at = f"{year}-03-01T12:00:00.000001Z"
    folder.write(written([(at, member(A, ROOMS[0]))]))
    folder.write(written([(at, (ROOMS[0], IN, BUILDINGS[2]))]))
    frame = folder.stream(spark, SCHEMA.replace("long", "timestamp"))
    changes = shard_stream(frame, ONTOLOGY, Window("PT1M"), shard_by=IN, background=BACKGROUND)
    with pytest.raises(
        StreamingQueryException, match=r"BackgroundOnlyError.*asserts <http://example.org/inB"
    ):
        run(changes.selectExpr("unix_micros(at) AS at", "object", "change"), tmp_path / "checkpoint", found)
    assert [tuple(row) for row in found] == [(ticks, A.n3(), 1)]
    with pytest.raises(TimestampError):
        shard_stream(frame, ONTOLOGY, Window(60), shard_by=IN, background=BACKGROUND)


WATERMARKS = {
    "first": lambda df: df.withWatermark("t", "10 seconds"),
    "dropped": lambda df: df.withWatermark("t", "10 seconds").drop("t"),
    "distinct": lambda df: df.withWatermark("t", "1 day").dropDuplicatesWithinWatermark(["subject"]),
    "one of two": lambda df: df.union(df.withWatermark("t", "10 seconds")),
}


@pytest.mark.parametrize("name", WATERMARKS)
def test_a_stream_with_a_watermark_of_its_own_is_refused_before_anything_runs(spark, tmp_path, name):
    df = Folder(tmp_path / "in").stream(spark).withColumn("t", F.timestamp_seconds("timestamp"))
    given = WATERMARKS[name](df)
    with pytest.raises(OptionError, match="without withWatermark: allowed_lateness"):
        shard_stream(given, ONTOLOGY, Window(3), background=BACKGROUND, shard_by=IN)
    options = {"shard_by": IN, "background": BACKGROUND, "checkpoint": tmp_path / "state", "sink": print}
    with pytest.raises(OptionError, match="without withWatermark: allowed_lateness"):
        reason_stream(given, ONTOLOGY, Window(3), **options)
    assert not (tmp_path / "state").exists()


def test_what_cannot_be_sharded_is_refused_before_anything_runs(spark, tmp_path):
    stream = Folder(tmp_path / "in").stream(spark)
    with pytest.raises(NotKeyLocalError, match="is not usable") as refused:
        shard_stream(stream, ONTOLOGY, Window(5), background=BACKGROUND)
    assert refused.value.key == "subject"
    provider = "spark.sql.streaming.stateStore.providerClass"
    usual = spark.conf.get(provider)
    spark.conf.set(provider, usual.replace("RocksDBStateStoreProvider", "HDFSBackedStateStoreProvider"))
    try:
        with pytest.raises(OptionError, match="RocksDBStateStoreProvider; set it"):
            shard_stream(stream, ONTOLOGY, Window(5), shard_by=IN, background=BACKGROUND)
    finally:
        spark.conf.set(provider, usual)
    for frame, options in (
        (spark.createDataFrame([], SCHEMA), {}),
        (stream.drop("object"), {}),
        (stream, {"shards": 0}),
        (stream, {"shard_by": "object"}),
        (stream, {"repair": "sometimes"}),
        (stream, {"streaming": "A"}),
    ):
        with pytest.raises(OptionError):
            shard_stream(frame, ONTOLOGY, Window(5), **{"shard_by": IN, "background": BACKGROUND, **options})


# -- temporal rules --------------------------------------------------------------------------------

RULES = """
    hot(X) :- :A(X) always in [2], not asserted :D(X) in [3].
    hotBuilding(B) :- hot(X), :inBuilding(X, B).
    quiet(X, Y) :- :R(X, Y) in [4], not asserted :R(X, Y) in [2].
    """
TEMPORAL, FED_BACK = (
    load_rules(RULES, prefixes={"": str(EX)}, feedback=feedback) for feedback in (False, True)
)


def concluded(rows):
    """The conclusions whose changes add up to more than nothing."""
    sums = Counter()
    for row in rows:
        sums[tuple(parse_term(text) for text in (row.predicate, row.argument1, row.argument2) if text)] += (
            row.change
        )
    assert all(number >= 0 for number in sums.values())
    return set(+sums)


def conclusions_of_one(rows, first, now, temporal):
    """What one reasoner concludes at a time, and how often one came or went on the way."""
    reasoner, turned = StreamReasoner(ONTOLOGY, Window(6), BACKGROUND, temporal=temporal), 0
    for at in range(first, now + 1):
        turns = reasoner.push(at, [triple for time, triple in rows if time == at]).conclusions.turns
        turned += sum(len(turn.added) + len(turn.removed) for turn in turns)
    return {(atom.predicate, *atom.arguments) for atom in reasoner.atoms()}, turned


@pytest.mark.long
@pytest.mark.parametrize(
    ("shard_by", "temporal", "start"),
    [
        (None, TEMPORAL, 1),
        (IN, TEMPORAL, 1),
        (IN, FED_BACK, 1),
        (IN, TEMPORAL, -8),
        (IN, FED_BACK, -20),
    ],
)
def test_what_rules_conclude_on_spark_is_what_one_reasoner_does_and_goes_on_after_a_restart(
    spark, tmp_path, shard_by, temporal, start
):
    folder, found = Folder(tmp_path / "in"), []
    given = [*readings(3, 1, 17), (16, (ROOMS[3], R, ROOMS[1]))]
    rows = [(at + start - 1, fact) for at, fact in given]  # times pass 0, or stay below

    def follow(temporal=temporal):
        reason_stream(
            folder.stream(spark),
            ONTOLOGY,
            Window(6),
            background=BACKGROUND,
            temporal=temporal,
            shard_by=shard_by,
            shards=shard_by and 3,
            sink=lambda batch, _: found.extend(batch.collect()),
            checkpoint=tmp_path / "checkpoint",
            trigger={"availableNow": True},
        ).await_termination()

    for first, last in ((start, start + 4), (start + 4, start + 8)):
        folder.write(written(row for row in rows if first <= row[0] < last))
    follow()
    now = max(at for at, _ in rows if at < start + 8)
    assert concluded(found) == conclusions_of_one(rows, start, now, temporal)[0]
    folder.write(written(row for row in rows if row[0] >= start + 8))
    follow()
    wanted, turned = conclusions_of_one(rows, start, start + 15, temporal)
    assert concluded(found) == wanted and len({row.predicate for row in found}) == 3 and turned > 20
    columns = ["predicate", "argument1", "argument2", "change"]
    assert list(found[0].asDict()) == [
        *(("shard", "at") if shard_by else ("batch", "at", "start", "end")),
        *columns,
    ]
    folder.write(written([(17, member(A, room)) for room in ROOMS]))
    with pytest.raises(CheckpointMismatchError if shard_by else OptionError, match="temporal"):
        follow(load_rules("hot(X) :- :A(X).", prefixes={"": str(EX)}))


def test_rules_that_spark_cannot_evaluate_are_refused_before_anything_runs(spark, tmp_path):
    stream = Folder(tmp_path / "in").stream(spark)

    def refused(error, text, **options):
        rules = load_rules(text, prefixes={"": str(EX)}) if isinstance(text, str) else text
        with pytest.raises(error):
            reason_stream(
                stream, ONTOLOGY, Window(5), background=BACKGROUND, temporal=rules, sink=print, **options
            )

    refused(NotKeyLocalRuleError, "hot(X) :- :A(X) in [3 #].")
    refused(NotKeyLocalRuleError, "hot(X) :- :A(X) in [3 #].", shard_by=IN)
    rules = load_rules("hot(X) :- :A(X) in [3 #].", prefixes={"": str(EX)})
    with pytest.raises(NotKeyLocalRuleError):
        run_rows(StreamReasoner(ONTOLOGY, Window(5), temporal=rules), spark.createDataFrame([], SCHEMA))
    refused(NotKeyLocalRuleError, "hot(X) :- :A(X), :A(Y).", shard_by=IN)
    refused(OptionError, "hot(X) :- :A(X).", shard_by=IN, query="SELECT ?x { ?x a <urn:A> }")
    refused(OptionError, ["hot(X) :- :A(X)."], shard_by=IN)
    refused(OptionError, ["hot(X) :- :A(X)."])


def test_the_changes_of_large_batches_stay_on_the_executors(spark, tmp_path, monkeypatch):
    from pantarhei.spark.shards import sharded_query

    def follow(name):
        folder, found = Folder(tmp_path / name), []
        folder.write(written(readings(1, 1, 9)))
        folder.write(written(readings(2, 9, 17)))

        def sink(rows, batch):
            assert rows.count() == len(rows.collect())  # it may read its rows twice
            found.extend((batch, *row) for row in rows.collect())

        query = reason_stream(
            folder.stream(spark),
            ONTOLOGY,
            Window(6),
            background=BACKGROUND,
            shard_by=IN,
            shards=3,
            types={"subject": "name"},
            sink=sink,
            output=tmp_path / f"{name} out",
            trigger={"availableNow": True},
        )
        query.await_termination()
        files = spark.read.parquet(str(tmp_path / f"{name} out")).collect()
        return Counter(found), Counter(files), query.counts

    small = follow("small")
    monkeypatch.setattr(sharded_query, "_MOST_LOCAL", -1)
    assert follow("large") == small and small[2].assertions == len({*readings(1, 1, 9), *readings(2, 9, 17)})


def test_a_stream_of_shards_goes_on_after_bad_rows_and_hands_them_out_with_their_columns(spark, tmp_path):
    folder = Folder(tmp_path / "in")
    good = written(readings(3, 1, 20))
    poison = [
        (None, ROOMS[0].n3(), R.n3(), ROOMS[1].n3()),
        (15, "room 7", R.n3(), ROOMS[1].n3()),
        (15, ROOMS[0].n3(), R.n3(), "95"),
        (15, ROOMS[0].n3(), IN.n3(), BUILDINGS[1].n3()),
        (2**61, ROOMS[0].n3(), R.n3(), ROOMS[1].n3()),
    ]
    late = [(3, ROOMS[2].n3(), R.n3(), ROOMS[1].n3())]
    numbered = [(*row, number) for number, row in enumerate([*good[:30], *poison[:3]])]
    more = [(*row, 100 + number) for number, row in enumerate([*good[30:], *poison[3:], *late])]

    def write(rows):
        lines = (json.dumps(dict(zip((*COLUMNS, "offset"), row, strict=True))) for row in rows)
        folder.write_text("\n".join(lines), "json")

    def follow(**options):
        changes = shard_stream(
            folder.stream(spark, f"{SCHEMA}, offset long"),
            ONTOLOGY,
            Window(6),
            shard_by=IN,
            shards=3,
            background=BACKGROUND,
            **options,
        )
        return run(changes, tmp_path / f"checkpoint {len(options)}")

    write(numbered)
    write(more)
    found = follow(on_error="skip", carry=["offset"])
    lost = {row.offset: row for row in found if row.change == 0}
    rows = {row[-1]: row for row in (*numbered, *more) if row[:4] in (*poison, *late)}
    assert lost.keys() == rows.keys()
    assert all(row.reason and row.kind == ("late" if row.at == 3 else "invalid") for row in lost.values())
    assert {row.subject for row in lost.values()} == {row[1] for row in rows.values()}
    changes = Counter()
    for row in found:
        if row.change:
            assert row.reason is None and row.kind is None and row.offset is None
            changes[row.at, row.subject, row.predicate, row.object] += row.change
    folder = Folder(tmp_path / "good")
    write([row for row in numbered if row[:4] not in poison])
    write([row for row in more if row[:4] not in (*poison, *late)])
    clean = Counter()
    for row in follow():
        clean[row.at, row.subject, row.predicate, row.object] += row.change
    assert changes == clean and len(clean) > 50
