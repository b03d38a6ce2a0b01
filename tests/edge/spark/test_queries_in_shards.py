"""Registered queries of a sharded stream: each gets what it gets of a stream that is not sharded."""

import random
from collections import Counter

import pytest
from pyspark.sql.types import IntegerType, LongType, StringType

from pantarhei import Ontology, OptionError, Window, load_rules
from pantarhei.errors import CheckpointMismatchError, NotKeyLocalQueryError
from pantarhei.model.rule import Rule
from pantarhei.spark import Registration, reason_stream, shard_stream
from spark_streams import NOW, Folder, rows_of
from strategies import EX, A, B, C, R, is_a, member, x

RULES = [Rule("sub", (is_a(A, x),), is_a(B, x)), Rule("apart", (is_a(A, x), is_a(C, x)), None)]
ONTOLOGY = Ontology.from_rules(RULES)
NAMES = [EX[f"n{number}"] for number in range(9)]
MEMBERS = f"SELECT ?x {{ ?x a <{B}> }}"
MANY = f"SELECT ?x (COUNT(?y) AS ?many) {{ ?x a <{B}> ; <{R}> ?y }} GROUP BY ?x"
QUERIES = {
    "members": MEMBERS,
    "short": Registration(MEMBERS, Window(2)),
    "many": Registration(MANY, Window(6, 3, closed="right"), "close"),
    "came": Registration(MANY, Window(4, 2, closed="left"), ("close", "change"), "istream"),
    "all": Registration(f"SELECT ?y {{ ?x <{R}> ?y }}", Window(4, 4), ("close", "non-empty"), "rstream"),
}
CLOSING = ("many", "came", "all")


def readings(seed, first, last):
    choose = random.Random(seed)
    for at in range(first, last):
        told = [
            member(choose.choice((A, A, B, C)), choose.choice(NAMES)) for _ in range(choose.choice((0, 2, 4)))
        ]
        told += [(choose.choice(NAMES), R, choose.choice(NAMES)) for _ in range(choose.choice((0, 3)))]
        yield at, told


def follow(stream, **options):
    options = {"queries": QUERIES, "types": {"many": "integer"}, **options}
    reason_stream(stream, ONTOLOGY, Window(8), trigger=NOW, **options).await_termination()


def written(spark, folder, name):
    """What there is of each row at each time, and the types of the columns."""
    frame = spark.read.parquet(str(folder / name))
    sums = Counter()
    for _, at, start, end, *terms, change in frame.collect():
        sums[at, start, end, *terms] += change
    return Counter({row: change for row, change in sums.items() if change}), frame.dtypes


def of_rows(reports):
    """The changes of each row, whenever they were told."""
    sums = Counter()
    for (_, _, _, *terms), change in reports.items():
        sums[tuple(terms)] += change
    return {row: change for row, change in sums.items() if change}


@pytest.mark.long
def test_the_folders_of_queries_get_the_reports_of_one_reasoner_across_a_failure_and_a_restart(
    spark, tmp_path
):
    folder, sunk = Folder(tmp_path / "in"), []
    folder.write(rows_of(readings(1, 1, 6)))
    folder.write(rows_of(readings(2, 6, 13)))
    sharded = {
        "shard_by": "subject",
        "shards": 4,
        "checkpoint": tmp_path / "checkpoint",
        "output": tmp_path / "sharded",
    }

    def sink(rows, batch):
        if batch == 1 and len(sunk) == 1:
            sunk.append(None)
            raise ZeroDivisionError
        sunk.append((batch, [tuple(row) for row in rows.collect()]))

    with pytest.raises(Exception, match="ZeroDivisionError"):
        follow(folder.stream(spark), sink={"many": sink}, **sharded)
    folder.write(rows_of([*readings(3, 12, 24), (24, [member(EX.Last, NAMES[0])])]))
    follow(folder.stream(spark), sink={"many": sink}, **sharded)
    follow(folder.stream(spark), output=tmp_path / "whole")

    for name in QUERIES:
        (found, columns), (expected, of_whole) = (
            written(spark, tmp_path / each, name) for each in ("sharded", "whole")
        )
        assert columns == of_whole
        assert (found == expected) if name in CLOSING else (of_rows(found) == of_rows(expected))
        assert len(found) > 5
    batches = dict(each for each in sunk if each is not None)
    files = spark.read.parquet(str(tmp_path / "sharded" / "many"))
    assert Counter(map(tuple, files.collect())) == Counter(row for rows in batches.values() for row in rows)
    with pytest.raises(CheckpointMismatchError, match="queries"):
        folder.write(rows_of([(25, [member(A, name) for name in NAMES])]))
        follow(folder.stream(spark), **{**sharded, "queries": {**QUERIES, "members": MANY}})


@pytest.mark.long
def test_shard_stream_has_the_answers_of_all_queries_with_their_names(spark, tmp_path):
    folder, found = Folder(tmp_path / "in"), []
    folder.write(rows_of([(1, [member(A, NAMES[0]), (NAMES[0], R, NAMES[1])]), (5, [member(A, NAMES[2])])]))
    queries = {"members": MEMBERS, "many": QUERIES["many"]}
    changes = shard_stream(folder.stream(spark), ONTOLOGY, Window(8), queries=queries, shards=2)
    assert [(field.name, field.dataType) for field in changes.schema] == [
        ("shard", IntegerType()),
        ("at", LongType()),
        *((name, StringType()) for name in ("query", "value1", "value2")),
        ("change", IntegerType()),
    ]
    writer = changes.writeStream.foreachBatch(lambda rows, _: found.extend(rows.collect()))
    writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(
        **NOW
    ).start().awaitTermination()
    one = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
    assert sorted(tuple(row)[1:] for row in found) == [
        (1, "members", NAMES[0].n3(), None, 1),
        (3, "many", NAMES[0].n3(), one, 1),
        (5, "members", NAMES[2].n3(), None, 1),
    ]


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"queries": {"a": f"{MEMBERS} LIMIT 3"}}, NotKeyLocalQueryError, "the query 'a'.*LIMIT"),
        ({"queries": {"a": f"ASK {{ ?x a <{B}> }}"}}, NotKeyLocalQueryError, "the query 'a'.*ASK"),
        (
            {"queries": {"a": Registration(MEMBERS, on="non-empty")}},
            OptionError,
            r"queries\['a'\]=.*shard_by",
        ),
        ({"queries": {"a": Registration(MEMBERS, on="close")}}, OptionError, "a Window with a slide"),
        ({"queries": {"a": Registration(MEMBERS, Window(9))}}, OptionError, "range of 9 or more"),
        ({"queries": {"a": "SELECT ?end { ?end a ?c }"}}, OptionError, r"queries\['a'\]=\?end"),
        ({"query": MEMBERS}, OptionError, "query and queries exclude each other; .* Omit queries="),
        ({"temporal": load_rules("hot(X) :- :A(X).", prefixes={"": str(EX)})}, OptionError, "temporal"),
        ({"types": {"who": "name"}}, OptionError, "types=who"),
        (
            {"sink": None},
            OptionError,
            "With shard_by a sink or output receives the changes of the shards. Pass it: sink=",
        ),
    ],
)
def test_what_shards_cannot_report_is_refused_before_anything_runs(spark, tmp_path, options, error, said):
    stream = Folder(tmp_path / "in").stream(spark)
    options = {"queries": {"a": MEMBERS}, "sink": print, "types": None, **options}
    with pytest.raises(error, match=said):
        follow(stream, shard_by="subject", shards=2, **options)
