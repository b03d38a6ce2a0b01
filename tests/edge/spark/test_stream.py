"""A window over a streaming DataFrame: what waits, what is late, what comes out, and going on later."""

import gc
import json

import pyarrow.csv
import pytest
from rdflib import BNode

from pantarhei import Ontology, StreamError, StreamReasoner, Window
from pantarhei.model.rule import Rule
from pantarhei.spark import Counts, reason_stream
from spark_streams import NOW, SCHEMA, TEXTS, Folder, state_of
from strategies import EX, A, B, C, R, is_a, member, related, x, y

RULES = [
    Rule("sub", (is_a(A, x),), is_a(B, x)),
    Rule("disjoint", (is_a(B, x), is_a(C, x)), None),
    Rule("along", (is_a(A, x), related(R, x, y)), is_a(A, y)),
]
ONTOLOGY = Ontology.from_rules(RULES)
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def row(at, class_=A, who="a"):
    return (at, EX[who].n3(), TYPE, class_.n3())


def related_row(at, subject, object):
    return (at, subject, R.n3(), object)


def follow(stream, checkpoint=None, window=6, **options):
    query = reason_stream(stream, ONTOLOGY, Window(window), checkpoint=checkpoint, trigger=NOW, **options)
    query.await_termination()
    return query


def test_what_waits_and_what_is_late_goes_on_after_a_restart(spark, tmp_path):
    # at:   the times of each file; 2 s of lateness
    folder, late = Folder(tmp_path / "in"), []
    checkpoint = tmp_path / "a checkpoint%20ü"
    rows = [row(5), row(4), row(5, A, "b"), related_row(4, "_:b", EX.d.n3()), row(2, A, "g")]  # watermark 3
    folder.write(rows)
    folder.write([row(4, A, "c"), related_row(5, EX.a.n3(), "_:b"), row(3, A, "e")])
    options = {"checkpoint": checkpoint, "allowed_lateness": 2, "on_late": late.append}
    query = follow(folder.stream(spark), **options)
    assert query.counts == Counts(aboxes=1, assertions=1)
    assert query.reasoner.timestamps == (2,)
    folder.write([(4, "_:b", TYPE, A.n3()), row(2, A, "f"), row(9, C)])  # watermark 7; 2 is late
    query = follow(folder.stream(spark), **options)
    assert query.reasoner.timestamps == (2, 3, 4, 5)
    assert query.counts == Counts(aboxes=7, assertions=9, late_aboxes=1, late=1)
    assert [(each.at, each.abox.to_pylist()) for each in late] == [
        (2, [{"subject": EX.f.n3(), "predicate": TYPE, "object": A.n3()}])
    ]
    facts = {tuple(map(str, triple)) for triple in query.reasoner.materialization()}
    # the blank node of 4 came in two parts, in two processes, and is one; that of 5 is another
    blank = {fact[0] for fact in facts if fact[1] == str(R)} - {str(EX.a)}
    assert len(blank) == 1
    assert str(EX.d) in {fact[0] for fact in facts if fact[2] == str(A)}
    assert sum(isinstance(term, BNode) for term in set().union(*query.reasoner.materialization())) == 2
    query.flush()
    assert query.reasoner.timestamps == (3, 4, 5, 9)
    assert query.counts.cut == 2  # a is C now, not A: at 4 and at 5
    again = follow(folder.stream(spark), **options)  # neither does the checkpoint hear of it
    assert again.reasoner.timestamps == (2, 3, 4, 5) and again.batch == 2
    assert again.counts == Counts(aboxes=7, assertions=9, late_aboxes=1, late=1)


def test_answers_go_to_files_and_to_a_sink_batch_by_batch(spark, tmp_path):
    folder, sunk = Folder(tmp_path / "in"), {}
    folder.write([row(1), row(2, A, "b")])
    folder.write([])
    folder.write([row(3, C)])
    select = f"SELECT ?who {{ ?who a <{B}> }} ORDER BY ?who"

    def sink(df, batch):
        sunk[batch] = [tuple(row) for row in df.collect()]

    for form in ("ndjson", "csv"):
        out = {"output": tmp_path / form, "output_format": form}
        query = follow(folder.stream(spark), query=select, sink=sink, **out)
    a, b = EX.a.n3(), EX.b.n3()
    rows = [(0, 1, -5, 1, a), (0, 2, -4, 2, a), (0, 2, -4, 2, b), (2, 3, -3, 3, b)]
    assert sunk == {0: rows[:3], 1: [], 2: rows[3:]}
    lines = [line for file in sorted((tmp_path / "ndjson").iterdir()) for line in file.open()]
    assert [tuple(json.loads(line).values()) for line in lines] == rows
    files = sorted((tmp_path / "csv").iterdir())
    assert [file.name for file in files] == ["batch-0000000000.csv", "batch-0000000002.csv"]
    assert pyarrow.csv.read_csv(files[1]).to_pylist() == [
        {"batch": 2, "at": 3, "start": -3, "end": 3, "who": b}
    ]
    assert query.batch == 2 and not query.is_active


def test_a_running_query_is_looked_at_stopped_and_outlives_its_handle(spark, tmp_path):
    folder, updates = Folder(tmp_path / "in"), []
    folder.write([row(1)])
    query = reason_stream(
        folder.stream(spark),
        ONTOLOGY,
        Window(6),
        on_update=lambda update, reasoner: updates.append((update.at, len(reasoner.materialization()))),
        query_name="a window",
    )
    query.process_all_available()
    assert query.is_active and not query.await_termination(0.01)
    assert query.spark_query.name == "a window"
    assert query.reasoner.timestamps == (1,)
    with pytest.raises(StreamError, match=r"flush\(\) needs a query that has ended"):
        query.flush()
    with pytest.warns(DeprecationWarning, match="flush"), pytest.raises(StreamError):
        query.take_in_what_waits()
    of_spark = query.spark_query
    del query
    gc.collect()
    folder.write([row(2, A, "b")])
    of_spark.processAllAvailable()
    assert updates == [(1, 2), (2, 4)]
    of_spark.stop()
    assert not of_spark.isActive


def test_times_with_a_zone_stream_and_other_columns_do_not_matter(spark, tmp_path):
    folder = Folder(tmp_path / "in")
    noon = "2026-03-29T00:59:59.999999Z"  # an hour before clocks go forward in Berlin
    folder.write([(noon, *row(0)[1:])])
    folder.write([("2026-03-29T01:00:01Z", *row(0, C)[1:])])
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        stream = folder.stream(spark, f"timestamp timestamp, {TEXTS}")
        stream = stream.selectExpr("1 AS more", "object", "subject", "predicate", "timestamp AS `the time`")
        query = follow(stream, window="PT10S", columns={"timestamp": "the time"}, output=tmp_path / "out")
        changes = spark.read.parquet(str(tmp_path / "out")).selectExpr("unix_micros(at)", "change").collect()
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    assert [at.isoformat() for at in query.reasoner.timestamps] == [
        "2026-03-29T00:59:59.999999+00:00",
        "2026-03-29T01:00:01+00:00",
    ]
    assert query.counts.cut == 1
    assert sorted(map(tuple, changes)) == [
        (1_774_745_999_999_999, 1),
        (1_774_745_999_999_999, 1),
        (1_774_746_001_000_000, -1),
        (1_774_746_001_000_000, -1),
        (1_774_746_001_000_000, 1),
    ]


@pytest.mark.long
def test_one_batch_with_all_timestamps_and_one_batch_each_end_alike(spark, tmp_path):
    rows = [row(at, C if at % 3 else A, f"x{number}") for at in range(9) for number in range(at % 4)]
    reasoner = StreamReasoner(ONTOLOGY, Window(6))
    states = []
    for parts in ([rows[::-1]], [rows[:4], rows[4:5], rows[5:]]):
        folder = Folder(tmp_path / f"in{len(parts)}")
        for part in parts:
            folder.write(part)
        query = follow(folder.stream(spark, SCHEMA), spark_partitions=len(parts))
        states.append(state_of(query.reasoner))
        assert query.counts.assertions == len(rows)
    for at in sorted({at for at, *_ in rows}):
        reasoner.push(at, [member(C if at % 3 else A, EX[f"x{number}"]) for number in range(at % 4)])
    assert states == [state_of(reasoner)] * 2
