"""Rows of a stream that are not pushed: each is a dead letter once, with reason and columns of the user."""

import json
import random

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F

from counts import cases
from pantarhei import Ontology, OptionError, Window
from pantarhei.spark import reason_stream, shard_stream
from spark_streams import NOW, TEXTS, Folder

TYPE, A = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<urn:A>"
CARRY = ["topic", "offset"]
SCHEMA = f"timestamp long, {TEXTS}, topic string, offset int"
TABLE = "time string, thing string, topic string, offset int"
ONTOLOGY = Ontology.from_rules([])
MAPPING = {
    "time": {"column": "time", "unit": "number"},
    "mappings": {"it": {"s": "$(thing)", "po": [["a", "urn:A"]]}},
}


class Letters:
    """Dead letters by batch; a batch that comes again replaces its letters."""

    def __init__(self):
        self.batches = {}

    def __call__(self, df, batch):
        assert df.columns == ["kind", "reason", "timestamp", "subject", "predicate", "object", *CARRY]
        self.batches[batch] = df.collect()

    @property
    def rows(self):
        return [row for batch in sorted(self.batches) for row in self.batches[batch]]


class Stream:
    """A stream of rows with numbers as offsets, of a table that is mapped if `mapped`."""

    def __init__(self, spark, path, mapped=False, **options):
        self.spark, self.path, self.mapped, self.options = spark, path, mapped, options
        self.folder, self.letters = Folder(path / "in"), Letters()
        self.sent, self.pushed, self.refused = {}, set(), set()

    def write(self, *rows):
        """Write a file; a row is a time and a subject, either of which may be invalid."""
        lines = []
        for at, name in rows:
            offset = len(self.sent)
            thing = name if name in (None, "no term") else f"urn:{name}{offset}"
            self.sent[offset] = at, thing
            if self.mapped:
                row = {"time": None if at is None else str(at), "thing": thing}
            else:
                subject = thing if name in (None, "no term") else f"<{thing}>"
                row = {"timestamp": at, "subject": subject, "predicate": TYPE, "object": A}
            lines.append({**row, "topic": "t", "offset": offset})
        self.folder.write_text("\n".join(map(json.dumps, lines)), "json")

    def follow(self, **options):
        how = {"mapping": MAPPING} if self.mapped else {}
        if "max_ahead" in self.options:
            how["on_ahead"] = lambda late: self.refused.update(late.abox["subject"].to_pylist())
        query = reason_stream(
            self.folder.stream(self.spark, TABLE if self.mapped else SCHEMA),
            ONTOLOGY,
            Window(10**6),
            on_error="skip",
            on_update=lambda update, _: self.pushed.update(str(s) for s, _, _ in update.delta.added),
            checkpoint=self.path / "state",
            trigger=NOW,
            **{"dead_letters": self.letters, "carry": CARRY, **how, **self.options, **options},
        )
        query.await_termination()
        return query


@pytest.mark.parametrize("mapped", [False, pytest.param(True, marks=pytest.mark.long)])
def test_each_kind_of_row_is_a_dead_letter_with_the_users_columns(spark, tmp_path, mapped):
    stream = Stream(spark, tmp_path, mapped, max_ahead=20)
    stream.write((1, "a"), (2, "b"), ("noon", "x") if mapped else (2, "no term"), (None, "c"))
    stream.write((1, "late"), (1, "late"), (100, "ahead"), (3, "c"))
    first = stream.follow()
    assert sorted(stream.letters.batches) == [0, 1], "100 may still be right"
    stream.write((4, "c"))
    query = stream.follow()  # another process has the row at 100, and its offset
    assert [(row.kind, row.timestamp, row.topic, row.offset) for row in stream.letters.rows] == [
        ("invalid", None if mapped else 2, "t", 2),
        ("invalid", None, "t", 3),
        ("late", 1, "t", 4),
        ("late", 1, "t", 5),
        ("ahead", 100, "t", 6),
    ]
    reasons = [row.reason for row in stream.letters.rows]
    if mapped:
        assert "(time=noon, thing=urn:x2)" in reasons[0]
        assert {row.subject for row in stream.letters.rows[:2]} == {None}
    else:
        assert reasons[0].startswith("column subject: not a term in N-Triples syntax")
        assert reasons[1] == "column timestamp: it is null"
    assert reasons[2].startswith("the ABox at 1 is later than allowed_lateness=0 permits")
    assert reasons[4].startswith("the ABox at 100 is further ahead than max_ahead=20 permits")
    counts = query.counts
    assert (first.counts.skipped, counts.late, counts.ahead, counts.aboxes) == (2, 2, 1, 4)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(cases(2, 6, 60)))
def test_no_row_is_lost_or_handed_out_twice(spark, tmp_path, seed):
    draw = random.Random(seed)
    options = draw.choice([{}, {"max_ahead": 6}, {"max_ahead": 4, "clock": lambda: 12}])
    lateness, mapped = draw.choice([None, 2]), draw.random() < 0.4
    stream = Stream(spark, tmp_path, mapped, allowed_lateness=lateness, **options)
    fails = draw.randint(0, 6)
    to_files = draw.random() < 0.5
    for batch in range(6):
        invalid = [(None, "x"), ("noon", "x") if mapped else (batch, "no term")]
        times = (max(0, 2 * batch + draw.choice([-5, -2, 0, 0, 1, 1, 15])) for _ in range(draw.randint(1, 6)))
        stream.write(*(draw.choice(invalid) if draw.random() < 0.15 else (at, "x") for at in times))
        if draw.random() < 0.5:
            continue
        for attempt in range(2):

            def sink(rows, number, attempt=attempt):
                if number == fails and attempt == 0:
                    raise RuntimeError("once")

            try:
                how = {"dead_letters": tmp_path / "dead"} if to_files else {}
                stream.follow(sink=sink, **how)
                break
            except StreamingQueryException as failure:
                assert "once" in str(failure)
    query = stream.follow(**({"dead_letters": tmp_path / "dead"} if to_files else {}))
    held_back = set(stream.refused)
    query.flush()
    of_flush = {text.strip("<>") for text in stream.refused - held_back}
    if to_files and any((tmp_path / "dead").iterdir()):
        letters = spark.read.parquet(str(tmp_path / "dead")).collect()
    else:
        letters = stream.letters.rows
    offsets = [row.offset for row in letters]
    assert len(offsets) == len(set(offsets))
    of_letters = {stream.sent[offset] for offset in offsets}
    valid = {thing for at, thing in stream.sent.values() if type(at) is int and thing.startswith("urn:")}
    invalid = {row.offset for row in letters if row.kind == "invalid"}
    assert invalid == {
        offset for offset, (at, thing) in stream.sent.items() if type(at) is not int or thing not in valid
    }
    refused = {thing for _, thing in of_letters} & valid - {stream.sent[offset][1] for offset in invalid}
    assert stream.pushed | refused | of_flush == valid
    assert not stream.pushed & refused and not of_flush & (stream.pushed | refused)
    counts = query.counts
    assert (len(invalid), sum(row.kind == "late" for row in letters)) == (counts.skipped, counts.late)


@pytest.mark.long
def test_rows_held_back_without_dead_letters_are_handed_out_as_their_triples(spark, tmp_path):
    stream, found = Stream(spark, tmp_path, max_ahead=20), []
    stream.write((1, "a"), (100, "ahead"), (100, "ahead"))
    stream.write((2, "b"))
    stream.write((200, "ahead"), (200, "ahead"))
    stream.follow(dead_letters=None, carry=None)
    stream.write((200, "ahead"))
    stream.follow()
    stream.write((3, "c"))
    stream.follow(carry=["topic"], dead_letters=lambda rows, _: found.extend(rows.collect()))
    assert [(row.kind, row.timestamp) for row in found] == [("ahead", 200)] * 3
    assert sorted(str(row.topic) for row in found) == ["None", "None", "t"]


def test_options_that_do_not_fit_are_refused(spark, tmp_path):
    df = Folder(tmp_path / "in").stream(spark, f"{SCHEMA}, reason string, tags map<string,int>")

    def attempt(**options):
        return reason_stream(df, ONTOLOGY, Window(5), **options)

    for options, said in [
        ({"carry": ["offset"]}, "dead_letters"),
        (
            {"dead_letters": print, "carry": "offset"},
            "carry='offset' .* a list of some of timestamp",
        ),
        ({"dead_letters": print, "carry": ["partition"]}, r"carry=\['partition'\]"),
        ({"dead_letters": print, "carry": ["reason"]}, r'df.withColumnRenamed\("reason", "other"\)'),
        ({"dead_letters": print, "carry": ["offset", "offset"]}, "a column offset already"),
        ({"dead_letters": 5}, "dead_letters=5 .* a function of a DataFrame .* or a folder"),
        ({"dead_letters": tmp_path / "x", "output": tmp_path / "x"}, "another folder than output"),
        ({"dead_letters": tmp_path / "y", "carry": ["tags"], "output_format": "csv"}, "output_format='csv'"),
    ]:
        with pytest.raises(OptionError, match=said):
            attempt(**options)
    late = df.withColumn("At", F.lit(1))
    with pytest.raises(OptionError, match=r'a column at already; .*withColumnRenamed\("At", "other"\)'):
        shard_stream(late, ONTOLOGY, Window(5), carry=["At"])
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "batch-0000000000.parquet").touch()
    with pytest.raises(OptionError, match=r"dead_letters=.* a folder without files of another"):
        attempt(dead_letters=tmp_path / "used")


CARRIED = {
    "number": "tinyint", "amount": "decimal(10,2)", "raw": "binary", "day": "date", "noted": "timestamp",
    "local": "timestamp_ntz", "tags": "map<string,timestamp>", "place": "struct<a: int, b: array<double>>",
}  # fmt: skip
VALUES = {
    "number": 7, "amount": 1.25, "raw": "AQI=", "day": "2026-01-31", "noted": "2026-01-31T10:00:00Z",
    "local": "2026-01-31T10:00:00", "tags": {"x": "2026-01-31T10:00:00Z"}, "place": {"a": 1, "b": [0.5]},
}  # fmt: skip
CARRIED_SCHEMA = f"timestamp long, {TEXTS}, " + ", ".join(f"{name} {of}" for name, of in CARRIED.items())


def write_carrying(folder, *timed):
    rows = (dict(zip(("timestamp", "subject"), each, strict=True)) for each in timed)
    folder.write_text(
        "\n".join(json.dumps({"predicate": TYPE, "object": A, **row, **VALUES}) for row in rows), "json"
    )


@pytest.mark.long
def test_carried_columns_of_any_type_are_written(spark, tmp_path):
    folder, found = Folder(tmp_path / "in"), []
    write_carrying(folder, (None, "<urn:a>"))
    df = folder.stream(spark, CARRIED_SCHEMA)
    given = spark.read.schema(df.schema).json(str(folder.path)).select(*CARRIED)
    lines, files = tmp_path / "lines", tmp_path / "files"
    for target, format in [
        (lambda rows, _: found.extend(rows.select(*CARRIED).collect()), "parquet"),
        (lines, "ndjson"),
        (files, "parquet"),
    ]:
        reason_stream(
            df, ONTOLOGY, Window(5), on_error="skip", dead_letters=target, carry=list(CARRIED),
            output_format=format, trigger=NOW,
        ).await_termination()  # fmt: skip
    assert found == given.collect()
    assert spark.read.parquet(str(files)).select(*CARRIED).collect() == found
    (line,) = (lines / "batch-0000000000.ndjson").read_text().splitlines()
    assert '"raw": "AQI="' in line and '"place": {"a": 1, "b": [0.5]}' in line


@pytest.mark.long
@pytest.mark.parametrize("zone, large", [("UTC", "false"), ("America/New_York", "true")])
@pytest.mark.parametrize("way", ["driver", "shards", "shard_stream"])
def test_carried_columns_of_any_type_arrive_whatever_the_session_is(spark, tmp_path, way, zone, large):
    present = F.array(F.struct(F.lit("k").alias("key"), F.lit(b"v").alias("value")))  # never null
    settings = {"spark.sql.session.timeZone": zone, "spark.sql.execution.arrow.useLargeVarTypes": large}
    before = {name: spark.conf.get(name) for name in settings}
    folder, found = Folder(tmp_path / "in"), []
    names = [*CARRIED, "text", "headers"]

    def add(rows, batch):
        letters = rows.where("kind IS NOT NULL")
        found.extend((row.kind, tuple(row[name] for name in names)) for row in letters.collect())

    def with_present(rows):
        return rows.withColumn("text", F.lit("x")).withColumn("headers", present)

    def follow():
        df = with_present(folder.stream(spark, CARRIED_SCHEMA))
        options = {"allowed_lateness": 2, "on_error": "skip", "carry": names}
        if way == "shard_stream":
            shards = shard_stream(df, ONTOLOGY, Window(9), shards=2, **options)
            writer = shards.writeStream.foreachBatch(add).trigger(**NOW)
            writer.option("checkpointLocation", str(tmp_path / "state")).start().awaitTermination()
            return
        if way == "shards":
            options |= {"shard_by": "subject", "shards": 2, "sink": lambda rows, batch: rows.collect()}
        reason_stream(
            df, ONTOLOGY, Window(9), dead_letters=add, checkpoint=tmp_path / "state", trigger=NOW, **options
        ).await_termination()

    try:
        for name, value in settings.items():
            spark.conf.set(name, value)
        write_carrying(folder, (10, "<urn:a>"), (12, "<urn:b>"), (11, "no term"), (None, "<urn:a>"))
        follow()
        write_carrying(folder, (3, "<urn:b>"), (14, "<urn:a>"))  # others are held back
        follow()
        given = with_present(spark.read.schema(CARRIED_SCHEMA).json(str(folder.path))).select(names)
        expected = tuple(given.first())
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)
    assert sorted(kind for kind, _ in found) == ["invalid", "invalid", "late"]
    assert all(values == expected for _, values in found)
