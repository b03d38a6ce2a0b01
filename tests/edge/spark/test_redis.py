"""Redis Streams in Spark, with a server that the tests start: same rows on replay, no loss in silence."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time

import pytest
from pyspark.errors import PySparkException

from pantarhei.errors import OptionError, StreamError
from pantarhei.io.redis_stream import RedisStream
from pantarhei.model.time import TimeKind
from pantarhei.spark import versions
from pantarhei.spark.sources.file_source import register
from pantarhei.spark.sources.redis_source import RedisOptions, RedisStreamReader
from pantarhei.spark.versions import ReadAllAvailable, ReadMaxRows

redis = pytest.importorskip("redis", reason="the package redis is not installed")
SERVER = shutil.which("redis-server")
needs_server = pytest.mark.skipif(SERVER is None, reason="redis-server is not on PATH")
NQUADS = '_:o <urn:p> "1" <urn:at:7> .\n_:o <urn:p> "2" <urn:at:7> .\n'


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = str(tmp_path_factory.mktemp("redis"))
    server = subprocess.Popen(
        [SERVER, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder],
        stdout=subprocess.DEVNULL,
    )
    client = redis.Redis(port=port)
    while server.poll() is None:
        try:
            client.ping()
            break
        except redis.ConnectionError:
            time.sleep(0.05)
    yield f"redis://127.0.0.1:{port}/0"
    client.close()
    server.terminate()
    server.wait()


@pytest.fixture
def client(url):
    with redis.Redis.from_url(url) as client:
        client.flushall()
        yield client


def assertion(at, object_="<urn:c>"):
    return {"timestamp": str(at), "subject": f"<urn:s{at}>", "predicate": "<urn:p>", "object": object_}


def add(client, begin, end):
    for number in range(begin, end):
        client.xadd("readings", assertion(number // 2), id=f"{number + 1}-0")


# positions


def reader_of(url, **given):
    return RedisStreamReader(
        RedisOptions.of({"path": "readings", "url": url, **given}), TimeKind.INTEGER, None
    )


def ids(url, partitions):
    stream = RedisStream(url, "readings")
    return [id_ for part in partitions for id_, _ in stream.between(part.start, part.end, part.count)]


@needs_server
def test_positions_go_through_a_stream_a_few_entries_at_a_time(url, client):
    reader = reader_of(url)
    begin = reader.initialOffset()
    assert reader.latestOffset(begin, ReadAllAvailable()) == begin == {"id": "0-0", "added": 0}
    add(client, 0, 5)
    middle = reader.latestOffset(begin, ReadMaxRows(2))
    reader.prepareForTriggerAvailableNow()
    add(client, 5, 7)
    end = reader.latestOffset(middle, ReadAllAvailable())
    assert (middle, end) == ({"id": "2-0", "added": 2}, {"id": "5-0", "added": 5})
    assert reader.latestOffset(end, ReadMaxRows(2)) == end
    for one in (reader, reader_of(url)):
        assert ids(url, one.partitions(begin, middle)) == ["1-0", "2-0"]
        assert ids(url, one.partitions(middle, end)) == ["3-0", "4-0", "5-0"]
        assert one.partitions(end, end) == []
    assert reader_of(url, startingId="$").initialOffset() == {"id": "7-0", "added": 7}
    assert reader_of(url, startingId="4").initialOffset() == {"id": "4", "added": 4}


@needs_server
@pytest.mark.parametrize("has_limits", [False, True])
def test_the_number_of_entries_of_a_batch_is_limited_where_spark_has_limits(url, has_limits, monkeypatch):
    monkeypatch.setattr(versions, "HAS_LIMITS", has_limits)
    assert reader_of(url).getDefaultReadLimit() == ReadAllAvailable()
    if has_limits:
        assert reader_of(url, maxEntriesPerTrigger="2").getDefaultReadLimit() == ReadMaxRows(2)
    else:
        with pytest.raises(
            OptionError, match=r"maxEntriesPerTrigger=2 is invalid: expected Spark 4\.2 or new"
        ):
            reader_of(url, maxEntriesPerTrigger="2")


@needs_server
@pytest.mark.parametrize("start", ["0-0", "2", "$"])
def test_a_spark_that_passes_no_start_reads_each_entry_once(url, client, start):
    add(client, 0, 3)
    reader = reader_of(url, startingId=start)
    end = reader.latestOffset()  # Spark before 4.2 calls initialOffset afterwards
    add(client, 3, 5)
    first = ids(url, reader.partitions(reader.initialOffset(), end))
    assert first == {"0-0": ["1-0", "2-0", "3-0"], "2": ["3-0"], "$": []}[start]
    for one in (reader, reader_of(url, startingId=start)):
        assert ids(url, one.partitions(end, one.latestOffset())) == ["4-0", "5-0"]
    client.xtrim("readings", maxlen=1, approximate=False)
    with pytest.raises(StreamError, match="expected 2 entries after entry 3-0, but found 1"):
        ids(url, reader.partitions(end, reader.latestOffset()))


@needs_server
def test_entries_may_be_trimmed_when_they_have_been_read_and_not_before(url, client):
    add(client, 0, 10)
    reader = reader_of(url)
    begin = reader.initialOffset()
    middle = reader.latestOffset(begin, ReadMaxRows(5))
    end = reader.latestOffset(middle, ReadAllAvailable())
    client.xtrim("readings", maxlen=5, approximate=False)
    assert ids(url, reader.partitions(middle, end)) == ["6-0", "7-0", "8-0", "9-0", "10-0"]
    assert reader.latestOffset(middle, ReadAllAvailable()) == end
    assert reader_of(url).initialOffset() == {"id": "0-0", "added": 5}
    with pytest.raises(StreamError, match="expected 5 entries after entry 0-0, but found 0"):
        ids(url, reader.partitions(begin, middle))

    client.xtrim("readings", maxlen=3, approximate=False)
    for limit in (ReadAllAvailable(), ReadMaxRows(2)):
        with pytest.raises(StreamError, match="expected 5 entries after entry 5-0, but found 3"):
            reader.latestOffset(middle, limit)


@needs_server
def test_entries_deleted_in_the_middle_and_streams_made_anew_are_noticed(url, client):
    add(client, 0, 10)
    reader = reader_of(url)
    middle = reader.latestOffset(reader.initialOffset(), ReadMaxRows(5))
    end = reader.latestOffset(middle, ReadAllAvailable())
    client.xdel("readings", "8-0")
    with pytest.raises(StreamError, match="expected 5 entries after entry 5-0, but found 4"):
        ids(url, reader.partitions(middle, end))
    client.delete("readings")
    with pytest.raises(StreamError, match="created again"):
        reader.latestOffset(middle, ReadAllAvailable())
    add(client, 20, 30)
    with pytest.raises(StreamError, match="created again"):
        reader.latestOffset(middle, ReadAllAvailable())


# through Spark


@pytest.mark.long
@needs_server
def test_a_stream_from_redis_has_every_row_once_across_stops(spark, url, client, tmp_path):
    register(spark)
    given = {"url": url}
    with pytest.raises(PySparkException, match=r"the stream has no entry yet\. Pass it: timestampType=long"):
        spark.read.format("pantarhei-redis").options(**given).load("readings")
    add(client, 0, 25)
    client.xadd("readings", {"nquads": NQUADS.replace("at:7", "at:13")}, id="100-0")
    batches = {}

    def collect(frame, batch_id):
        batches[batch_id] = [tuple(row) for row in frame.collect()]

    def run_once():
        frame = (
            spark.readStream.format("pantarhei-redis")
            .options(**given, **({"maxEntriesPerTrigger": 20} if versions.HAS_LIMITS else {}))
            .load("readings")
        )
        writer = frame.writeStream.foreachBatch(collect).option(
            "checkpointLocation", str(tmp_path / "checkpoint")
        )
        assert writer.trigger(availableNow=True).start().awaitTermination(120)

    def in_one_batch():
        return [
            tuple(row)
            for row in spark.read.format("pantarhei-redis").options(**given).load("readings").collect()
        ]

    run_once()
    assert [len(rows) for rows in batches.values()] == ([20, 7] if versions.HAS_LIMITS else [27])
    assert [row for rows in batches.values() for row in rows] == in_one_batch()
    assert in_one_batch()[0] == (0, "<urn:s0>", "<urn:p>", "<urn:c>")

    last = max(batches)
    before = batches[last]
    (tmp_path / "checkpoint" / "commits" / str(last)).unlink()  # as if the step had been interrupted
    (tmp_path / "checkpoint" / "commits" / f".{last}.crc").unlink(missing_ok=True)
    client.xadd("readings", assertion(14), id="101-0")
    run_once()
    assert batches[last] == before
    assert [row for _, rows in sorted(batches.items()) for row in rows] == in_one_batch()
