"""What is refused, and how it is said: columns, rows, options, checkpoints, errors of the user's own."""

import shutil

import pyarrow as pa
import pytest
from pyspark.errors import PythonException, StreamingQueryException
from pyspark.sql import functions as f

from pantarhei import Ontology, OptionError, StreamReasoner, TimestampError, Window
from pantarhei.errors import (
    CheckpointError,
    CheckpointMismatchError,
    ForeignInterpretationError,
    InvalidRowError,
    InvalidTripleError,
    LateABoxError,
    QueryError,
)
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.model.rule import Rule
from pantarhei.spark import materialize_aboxes, reason_stream, run
from spark_streams import NOW, SCHEMA, Folder, state_of
from strategies import EX, A, B, C, D, is_a, member, x

RULES = [Rule("sub", (is_a(A, x),), is_a(B, x)), Rule("disjoint", (is_a(B, x), is_a(C, x)), None)]
ONTOLOGY = Ontology.from_rules(RULES)
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def row(at, class_=A, who="a"):
    return (at, EX[who].n3(), TYPE, class_.n3())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda df: df.drop("object"),
            "columns={'object': 'object'} .* expected the object's column, one of",
        ),
        (lambda df: df.withColumn("timestamp", f.lit("noon")), "timestamp of type string .* to_timestamp"),
        (lambda df: df.withColumn("timestamp", f.lit(None).cast("timestamp_ntz")), "cast it to timestamp"),
        (
            lambda df: df.withColumn("timestamp", f.lit(True)),
            "of type boolean .* decimals, dates",
        ),
        (
            lambda df: df.withColumn("subject", f.lit(5)),
            "subject of type int .* N-Triples syntax",
        ),
        (lambda df: df.withColumn("object", f.struct(f.lit("x").alias("value"))), "object of type struct"),
    ],
)
def test_columns_that_are_missing_or_of_another_type_are_named(spark, change, said):
    with pytest.raises(OptionError, match=said):
        materialize_aboxes(change(spark.createDataFrame([row(1)], SCHEMA)), ONTOLOGY)


def test_options_that_cannot_be_are_refused_before_anything_runs(spark, tmp_path):
    df, stream = spark.createDataFrame([row(1)], SCHEMA), Folder(tmp_path / "in").stream(spark)
    reasoner = StreamReasoner(ONTOLOGY, Window(5))
    for attempt, said in (
        (
            lambda: materialize_aboxes(df, ONTOLOGY, on_error="ignore"),
            "on_error='ignore' .*'skip'",
        ),
        (lambda: materialize_aboxes(df, ONTOLOGY, columns={"time": "t"}), "a mapping from some of timestamp"),
        (lambda: materialize_aboxes(df, ONTOLOGY, columns="timestamp"), "a mapping from some of timestamp"),
        (lambda: materialize_aboxes(df, ONTOLOGY, spark_partitions=0), "spark_partitions=0 .* from 1 on"),
        (lambda: run(reasoner, stream), "df=<streaming DataFrame> .*reason_stream"),
        (lambda: run(df, reasoner), r"reasoner=DataFrame\[.* a StreamReasoner, before the DataFrame"),
        (lambda: run(reasoner, None), "df=None .* a DataFrame: one that does not stream"),
        (lambda: materialize_aboxes(ONTOLOGY, df), "df=Ontology.* a DataFrame: one that does not stream"),
        (lambda: reason_stream(ONTOLOGY, df, Window(5)), "df=Ontology.* a DataFrame: one that streams"),
        (lambda: run(reasoner, df, on_error="log"), "on_error='log'"),
        (
            lambda: reason_stream(df, ONTOLOGY, Window(5)),
            "df=<DataFrame that does not stream> .* use pantarhei.spark.run for this",
        ),
        (lambda: reason_stream(stream, ONTOLOGY, Window(5), on_error="log"), "on_error='log'"),
        (lambda: reason_stream(stream, ONTOLOGY, Window(5), repair="some"), "repair='some'"),
        (lambda: reason_stream(stream, ONTOLOGY, Window(5), output=tmp_path, output_format="xml"), "'xml'"),
        (lambda: reason_stream(stream, ONTOLOGY, Window(5), query="SELECT ?at {?at ?p ?o}"), "query=.at"),
        (
            lambda: reason_stream(stream, ONTOLOGY, Window(5), shards=2),
            "shards, .* need a key of the shards. Pass it: shard_by",
        ),
    ):
        with pytest.raises(OptionError, match=said):
            attempt()
    with pytest.raises(TimestampError, match="expected"):
        reason_stream(stream, ONTOLOGY, Window("PT1M"))
    with pytest.raises(TimestampError, match="expected"):
        reason_stream(stream, ONTOLOGY, Window(5), allowed_lateness="PT1M")
    with pytest.raises(QueryError):
        reason_stream(stream, ONTOLOGY, Window(5), query="SELECT ?x {")


@pytest.mark.long
def test_one_bad_row_among_many_is_named_or_left_out_and_counted(spark):
    many = spark.range(0, 100_000, 1, 2).select(
        (f.col("id") / 1000).cast("long").alias("timestamp"),
        f.format_string(f"<{EX}x%d>", f.col("id") % 500).alias("subject"),
        f.lit(TYPE).alias("predicate"),
        f.when(f.col("id") == 23_456, "<no end").otherwise(A.n3()).alias("object"),
    )
    said = r"column object of the row \(timestamp=23, subject=<http://example.org/x456>, .*object=<no end\)"
    with pytest.raises(PythonException, match=f"InvalidRowError: {said}: not a term in N-Triples syntax"):
        materialize_aboxes(many, ONTOLOGY).count()
    reasoner = StreamReasoner(ONTOLOGY, Window(3))
    with pytest.raises(InvalidRowError, match=said) as raised:
        next(run(reasoner, many))
    assert raised.value.column == "object" and not reasoner.timestamps
    told = []
    updates = list(run(reasoner, many, on_error="skip", on_skipped=told.append))
    assert len(updates) == 100 and len(reasoner.assertions()) == 4 * 500
    (skipped,) = told
    assert skipped.count == 1 and "timestamp=23" in str(skipped)
    nulls = spark.createDataFrame([row(1), row(None), (2, None, TYPE, A.n3()), row(3)], SCHEMA)
    with pytest.raises(
        InvalidRowError, match=r"column (timestamp|subject) of the row .*: it is null; correct"
    ):
        list(run(StreamReasoner(ONTOLOGY, Window(3)), nulls))
    with pytest.raises(LateABoxError):
        next(run(reasoner, nulls, on_error="skip"))


class Stream:
    """A stream of files, its checkpoint and its output."""

    def __init__(self, spark, path):
        self.spark, self.path = spark, path
        self.folder = Folder(path / "in")
        self.checkpoint = path / "checkpoint"

    def follow(self, ontology=ONTOLOGY, window=None, **options):
        query = reason_stream(
            self.folder.stream(self.spark),
            ontology,
            window or Window(5),
            trigger=NOW,
            **{"checkpoint": self.checkpoint, "output": self.path / "out", **options},
        )
        query.await_termination()
        return query


@pytest.mark.long
def test_bad_rows_end_a_stream_or_are_counted(spark, tmp_path):
    stream = Stream(spark, tmp_path)
    stream.folder.write([row(1), row(2)])
    stream.folder.write([row(3), (3, "a", TYPE, A.n3()), row(None)])
    reasoners = []
    with pytest.raises(InvalidRowError, match=r"column (subject|timestamp) of the row"):
        stream.follow(on_update=lambda update, reasoner: reasoners.append(reasoner))
    assert reasoners[-1].timestamps == (1, 2)
    query = stream.follow(on_error="skip")
    assert query.counts.skipped == 2 and query.reasoner.timestamps == (1, 2, 3)
    assert stream.follow(on_error="skip").counts == query.counts


@pytest.mark.long
def test_an_error_in_mid_batch_leaves_all_as_it_was_and_a_restart_comes_to_the_right_end(spark, tmp_path):
    broken = Stream(spark, tmp_path)
    files = [[row(1), row(2, A, "b")], [row(3, C), row(4), row(5, C, "b")], [row(6, D)]]
    for rows in files:
        broken.folder.write(rows)
    undisturbed = StreamReasoner(ONTOLOGY, Window(5))
    states = [state_of(undisturbed)]
    for rows in files:
        for at, *texts in rows:
            undisturbed.push(at, pa.table([[text] for text in texts], ["subject", "predicate", "object"]))
        states.append(state_of(undisturbed))
    seen = []

    def fail_once(update, reasoner):
        seen.append(reasoner)
        if update.at == 4 and len(seen) < 5:
            raise ValueError("the user's own")

    with pytest.raises(StreamingQueryException, match="the user's own"):
        broken.follow(on_update=fail_once)
    assert state_of(seen[0]) == states[1]

    def sink(df, batch):
        if batch == 1:
            raise RuntimeError("the sink is full")
        assert df.count() > 0

    with pytest.raises(StreamingQueryException, match="the sink is full"):
        broken.follow(on_update=fail_once, sink=sink)
    assert state_of(seen[-1]) == states[1]
    query = broken.follow(on_update=fail_once)
    assert state_of(query.reasoner) == states[3]
    assert (query.batch, query.counts.aboxes, query.counts.cut) == (2, 6, 3)
    output = spark.read.parquet(str(tmp_path / "out")).groupBy("subject", "predicate", "object").sum("change")
    assert {tuple(map(str, r[:3])) for r in output.collect() if r[3]} == {
        tuple(term.n3() for term in triple) for triple in query.reasoner.materialization()
    }


def test_checkpoints_that_do_not_fit_are_refused(spark, tmp_path):
    stream = Stream(spark, tmp_path)
    stream.folder.write([row(1)])
    stream.follow()
    older = (stream.checkpoint / "reasoner").read_bytes()
    stream.folder.write([row(2)])
    batch = stream.follow().batch
    assert batch == 1
    other = Ontology.from_rules(RULES[:1])
    with pytest.raises(CheckpointMismatchError) as raised:
        stream.follow(ontology=other)
    assert raised.value.saved in str(raised.value) and raised.value.given in str(raised.value)
    assert raised.value.saved != raised.value.given
    with pytest.raises(CheckpointMismatchError, match="background"):
        stream.follow(background=[member(A, EX.b)])
    with pytest.raises(OptionError, match=r"window=Window\(range=7.* is invalid: .*range=5.* began"):
        stream.follow(window=Window(7))
    assert stream.follow(window=Window(5, slide=1)).batch == 1, "the same window, where time is an integer"
    with pytest.raises(OptionError, match=r"repair='off' .*'exact', with which the stream in .* began"):
        stream.follow(repair="off")
    newer = (stream.checkpoint / "reasoner").read_bytes()
    (stream.checkpoint / "reasoner").write_bytes(older)
    with pytest.raises(CheckpointError, match="it is an older copy; restore the newer one"):
        stream.follow()
    (stream.checkpoint / "reasoner").unlink()
    with pytest.raises(
        CheckpointError, match=r"reasoner: it is missing, but .*restore the file, or start again"
    ):
        stream.follow()
    (stream.checkpoint / "reasoner").write_bytes(newer[:-1])
    with pytest.raises(CheckpointError, match="reasoner"):
        stream.follow()
    (stream.checkpoint / "reasoner").write_bytes(newer)
    shutil.move(stream.checkpoint / "spark", tmp_path / "elsewhere")
    with pytest.raises(CheckpointError, match="spark: it has no batch 1"):
        stream.follow()
    shutil.move(tmp_path / "elsewhere", stream.checkpoint / "spark")
    with pytest.raises(CheckpointError, match="it is a file; a stream's checkpoint is a folder"):
        stream.follow(checkpoint=stream.checkpoint / "reasoner")
    with pytest.raises(OptionError, match="output"):
        stream.follow(output=stream.checkpoint / "reasoner")
    assert stream.follow().reasoner.timestamps == (1, 2)


def test_interpretations_made_with_something_else_are_refused_and_tables_need_to_say_what_is_derived():
    reasoner = StreamReasoner(ONTOLOGY, Window(5))
    reasoner.push(1, [member(A, EX.a)])
    before = state_of(reasoner)
    foreign = [
        Foundation.of(Ontology.from_rules(RULES[:1])),
        Foundation.of(ONTOLOGY, [member(A, EX.b)]),
        Foundation.of(ONTOLOGY, unique_names=False),
    ]
    for foundation in foreign:
        made = ABoxMaterializer(foundation).materialize([member(A, EX.c)])
        with pytest.raises(
            ForeignInterpretationError, match="the same ontology, background, unique_names and"
        ):
            reasoner.push_materialized(2, made)
    terms = {"subject": [EX.c.n3()], "predicate": [TYPE], "object": [A.n3()]}
    for more in ({}, {"derived": ["no"]}, {"derived": pa.array([None], pa.bool_())}):
        with pytest.raises(InvalidTripleError, match="exactly one column derived of booleans"):
            reasoner.push_materialized(2, pa.table({**terms, **more}))
    with pytest.raises(LateABoxError):
        reasoner.push_materialized(0, pa.table({**terms, "derived": [False]}))
    assert state_of(reasoner) == before
    twice = {name: values * 3 for name, values in terms.items()}
    reasoner.push_materialized(2, pa.table({**twice, "derived": [True, False, False]}))
    assert member(A, EX.c) in {triple for _, triple in reasoner.assertions()}
