"""Files of timestamped graphs in Spark: the rows that `read_stream` reads, in batches and as a stream."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from rdflib import BNode, Literal, URIRef

from pantarhei.io import read_stream
from pantarhei.rdf.ntriples import parse_term
from pantarhei.spark.sources.file_source import register
from pantarhei.spark.versions import HAS_LIMITS

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="module")
def source(spark):
    register(spark)
    return spark


def batch(spark, path, **options):
    return spark.read.format("pantarhei").options(**options).load(str(path))


def stream(spark, path, **options):
    return spark.readStream.format("pantarhei").options(**options).load(str(path))


def rows_of(frame):
    return [tuple(row) for row in frame.collect()]


def expected(path, **options):
    """What `read_stream` reads, terms as values; datetimes as Spark gives them back, local and naive."""
    rows = [(abox.at, *triple) for abox in read_stream(str(path), **options) for triple in abox.triples]
    return [(local(at), *map(shown, terms)) for at, *terms in rows]


def found(rows):
    return [(at, *(shown(parse_term(term)) for term in terms)) for at, *terms in rows]


def local(at):
    return at.astimezone().replace(tzinfo=None) if isinstance(at, datetime) else at


def shown(term):
    assert isinstance(term, URIRef | BNode | Literal)
    extra = (str(term.datatype), (term.language or "").lower()) if isinstance(term, Literal) else ()
    return type(term), str(term), *extra


def quads(begin, end, object_='"reading {}"'):
    return "".join(
        f"_:b{at % 3} <urn:x:value> {object_.format(at)} <urn:at:{at // 4}> .\n" for at in range(begin, end)
    )


# batches


@pytest.mark.parametrize(
    ("name", "type_"),
    [("building/sample.nq", "timestamp"), ("pedals/stream.trig", "bigint"), ("reactor/stream.trig", None)],
)
def test_a_batch_has_what_read_stream_reads(source, name, type_):
    path = EXAMPLES / name
    frame = batch(source, path)
    columns = dict(frame.dtypes)
    assert list(columns) == ["timestamp", "subject", "predicate", "object"]
    assert type_ in (None, columns.pop("timestamp")) and set(columns.values()) >= {"string"}
    assert found(rows_of(frame)) == expected(path)


def test_a_folder_is_read_file_by_file_with_exact_times_and_literals_as_written(source, tmp_path):
    text = (
        '<urn:a> <urn:b> "01"^^<http://www.w3.org/2001/XMLSchema#integer> '
        "<urn:at:2026-01-31T10:00:00.123456Z> .\n"
        r'_:x <urn:b> "line\nbreak \"é\""@en <urn:at:2026-01-31T11:00:00.123457+01:00> .' + "\n"
    )
    (tmp_path / "b.nq").write_text(text)
    (tmp_path / "a.trig").write_text("<urn:at:2026-01-31T10:00:00Z> { <urn:a> <urn:b> 1.50 , [] }")
    frame = batch(source, tmp_path, time="graph")
    assert frame.rdd.getNumPartitions() == 2
    rows = rows_of(frame)
    assert found(rows) == [
        row for name in ("a.trig", "b.nq") for row in expected(tmp_path / name, time="graph")
    ]
    assert rows[0][3] == '"1.50"^^<http://www.w3.org/2001/XMLSchema#decimal>'
    micros = frame.selectExpr("unix_micros(timestamp) % 1000000 AS part")
    assert [row.part for row in micros.collect()] == [0, 0, 123456, 123457]


def test_a_file_read_in_parts_has_the_rows_of_the_whole(source, tmp_path):
    path = tmp_path / "a.nq"
    path.write_text(
        quads(0, 4000).replace("_:", "urn:").replace("urn:b", "<urn:b").replace(" <urn:x:v", "> <urn:x:v")
    )
    whole = batch(source, path, time="graph", splitSize=0)
    parts = batch(source, path, time="graph", splitSize="50k")
    assert (whole.rdd.getNumPartitions(), parts.rdd.getNumPartitions() > 2) == (1, True)
    assert rows_of(parts) == rows_of(whole)
    assert found(rows_of(whole)) == expected(path)


def test_numbers_are_long_or_double_and_the_type_can_be_chosen(source, tmp_path):
    path = tmp_path / "a.nq"
    path.write_text("<urn:a> <urn:b> <urn:c> <urn:at:0.5> .\n")
    assert batch(source, path).dtypes[0] == ("timestamp", "double")
    given = "timestamp double, subject string, predicate string, object string"
    assert rows_of(source.read.format("pantarhei").schema(given).load(str(path)))[0][0] == 0.5
    empty = tmp_path / "empty"
    empty.mkdir()
    assert rows_of(batch(source, empty, timestampType="timestamp")) == []


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (None, {}, r"No such file.*a\.nq"),
        (
            "<urn:a> <urn:b> <urn:c> <urn:at:1> .\n<urn:a> oops .\n",
            {"timestampType": "long"},
            r"a\.nq, line 2: ",
        ),
        (quads(0, 40) + quads(0, 1).replace("at:0", "at:0.5"), {}, r"a\.nq, line 41: .*timestampType"),
        ("", {}, r"The type of the times cannot be inferred.* Pass it: timestampType=long"),
        (quads(0, 9), {"timestampType": "date"}, "expected long, double, timestamp"),
        (quads(0, 9), {"onError": "skip"}, "one of the options .*on_error"),
    ],
)
def test_what_is_wrong_is_an_error_that_says_where(source, tmp_path, text, options, message):
    if text is not None:
        (tmp_path / "a.nq").write_text(text)
    with pytest.raises(PySparkException, match=f"(?s){message}"):
        batch(source, tmp_path / "a.nq", **options).collect()


@pytest.mark.long
def test_what_is_wrong_can_be_skipped_and_the_log_has_the_count(source, tmp_path):
    if not hasattr(source.tvf, "python_worker_logs"):
        pytest.skip("Spark has the log of Python workers as a table from 4.1 on")
    (tmp_path / "a.nq").write_text(
        quads(0, 40) + "oops\n" + quads(0, 1).replace("at:0", "at:0.5") + quads(80, 90)
    )
    source.conf.set("spark.sql.pyspark.worker.logging.enabled", "true")
    try:
        frame = batch(source, tmp_path / "a.nq", on_error="skip")
        assert len(rows_of(frame)) == 50
        logged = source.tvf.python_worker_logs().where("logger = 'pantarhei.spark.sources.source'").collect()
    finally:
        source.conf.set("spark.sql.pyspark.worker.logging.enabled", "false")
    (message,) = [row.msg for row in logged if str(tmp_path) in row.msg]
    assert "2 skipped: line 41: " in message and "; line 42: " in message


# streams


class Sink:
    """Collects a stream's batches by their id, so that one that comes again replaces itself."""

    def __init__(self):
        self.batches = {}

    def __call__(self, frame, batch_id):
        self.batches[batch_id] = rows_of(frame)

    def rows(self):
        return [row for _, rows in sorted(self.batches.items()) for row in rows]


def run_once(frame, sink, checkpoint):
    """Read what is there, to the end."""
    writer = frame.writeStream.foreachBatch(sink).option("checkpointLocation", str(checkpoint))
    query = writer.trigger(availableNow=True).start()
    assert query.awaitTermination(120)


@pytest.mark.long
def test_a_stream_of_files_has_the_rows_of_the_batch_across_stops(source, tmp_path):
    folder, checkpoint, sink = tmp_path / "in", tmp_path / "checkpoint", Sink()
    folder.mkdir()
    for number in range(5):
        (folder / f"{number}.nq").write_text(quads(number * 40, number * 40 + 40))
    (folder / "_5.nq").write_text("unfinished")
    limits = {"maxFilesPerTrigger": 2} if HAS_LIMITS else {}
    run_once(stream(source, folder, **limits), sink, checkpoint)
    assert [len(rows) for rows in sink.batches.values()] == ([80, 80, 40] if HAS_LIMITS else [200])
    assert sink.rows() == rows_of(batch(source, folder))

    (folder / "_5.nq").write_text(quads(200, 240))
    (folder / "_5.nq").rename(folder / "5.nq")
    last = max(sink.batches)
    (checkpoint / "commits" / str(last)).unlink()  # as if the last step had been interrupted before its end
    (checkpoint / "commits" / f".{last}.crc").unlink(missing_ok=True)
    before = dict(sink.batches)
    run_once(stream(source, folder), sink, checkpoint)
    assert {number: sink.batches[number] for number in before} == before
    assert sink.rows() == rows_of(batch(source, folder))


@pytest.mark.long
def test_a_running_stream_takes_files_as_they_come_and_refuses_what_comes_too_late(source, tmp_path):
    folder, sink = tmp_path / "in", Sink()
    folder.mkdir()
    with pytest.raises(
        PySparkException, match=r"The type of the times cannot be inferred.* Pass it: timestampType=long"
    ):
        stream(source, folder)
    frame = stream(source, folder, timestampType="long")
    writer = frame.writeStream.foreachBatch(sink).option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.trigger(processingTime="100 milliseconds").start()
    try:
        for number in (1, 2):
            (tmp_path / "writing").write_text(quads(number * 40, number * 40 + 40))
            (tmp_path / "writing").rename(folder / f"{number}.nq")
            wait_until(lambda: query.exception() or len(sink.rows()) == number * 40)  # noqa: B023
        assert sink.rows() == rows_of(batch(source, folder))
        (folder / "15.nq").write_text(quads(0, 4))
        wait_until(lambda: query.exception())
        assert "15.nq was added after '2.nq' had been read" in str(query.exception())
    finally:
        query.stop()


def wait_until(condition):
    """Wait for a condition that will come true; the test's timeout is the limit."""
    while not condition():
        time.sleep(0.05)
