"""Batches are recorded in Spark's checkpoint, and a thread pushes rows when none arrive."""

import json
import random
import threading
import time
from types import SimpleNamespace

import pytest
from py4j.protocol import Py4JError

from pantarhei.errors import CheckpointError, FileSystemError, StreamError
from pantarhei.spark.file_system import LocalFolder
from pantarhei.spark.shards.flush import (
    FlushingRun,
    completed_batch,
    has_completed,
    last_batch,
    movable_source,
    next_watermark,
    record_batch,
    restore_positions,
)
from pantarhei.spark.shards.stream_totals import Totals

NOT_JSON = ["shard-0:49590338271490256608", "a=1", "{"]
POSITIONS = ["-", "-", "17", '{"logOffset":3}', '{"topic":{"0":12}}', '"text"', "-5", *NOT_JSON]


class Checkpoint:
    """Spark's checkpoint folder, with two batches that have ended."""

    def __init__(self, path, positions, batches=2):
        self.folder = LocalFolder(path)
        for name in ("offsets", "commits"):
            (self.folder / name).make()
        for batch in range(batches):
            self.write("offsets", batch, {"batchWatermarkMs": 7}, *positions)
            self.write("commits", batch, {"nextBatchWatermarkMs": 9})

    def write(self, name, batch, about, *others):
        (self.folder / name).write_text(str(batch), "\n".join(["v1", json.dumps(about), *others]))

    def positions(self, batch):
        return (self.folder / "offsets").read_text(str(batch)).split("\n")[2:]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("ended", [True, False])
def test_one_source_has_another_position_in_a_batch_until_positions_are_restored(tmp_path, seed, ended):
    choose = random.Random(seed)
    positions = [choose.choice(POSITIONS) for _ in range(choose.choice((1, 2, 2, 3)))]
    checkpoint = Checkpoint(tmp_path, positions)
    if set(positions) <= set(NOT_JSON):
        with pytest.raises(CheckpointError, match="not JSON"):
            movable_source(checkpoint.folder)
        return
    source, number = movable_source(checkpoint.folder)
    assert number == len(positions) and positions[source] not in NOT_JSON
    record_batch(checkpoint.folder, moved=source)
    moved = checkpoint.positions(2)
    assert [place for place in range(number) if moved[place] != positions[place]] == [source]
    assert json.loads(moved[source])
    if ended:
        checkpoint.write("commits", 2, {})
    restore_positions(checkpoint.folder)
    assert checkpoint.positions(2) == positions and has_completed(checkpoint.folder) is ended


def test_positions_of_another_batch_are_left_as_they_are(tmp_path):
    checkpoint = Checkpoint(tmp_path, ["-", "5"])
    restore_positions(checkpoint.folder)
    record_batch(checkpoint.folder, watermark=3)
    assert checkpoint.positions(2) == ["-", "5"] and last_batch(checkpoint.folder) == 2
    with pytest.raises(StreamError, match="has not ended"):
        next_watermark(checkpoint.folder)


def test_a_stream_without_batches_has_nothing_to_restore(tmp_path):
    checkpoint = Checkpoint(tmp_path, [], batches=0)
    restore_positions(checkpoint.folder)
    assert last_batch(checkpoint.folder) is None and not has_completed(checkpoint.folder)
    with pytest.raises(StreamError, match="no batch yet"):
        completed_batch(checkpoint.folder)


class Query:
    """Query of Spark whose batch ends at once; each look at it may fail."""

    def __init__(self, failures):
        self.failures, self.active, self.looks = failures, True, 0

    @property
    def isActive(self):
        return self.active

    @property
    def status(self):
        self.looks += 1
        if self.failures:
            raise self.failures.pop()
        return {"isTriggerActive": False, "isDataAvailable": False}

    def stop(self):
        self.active = False

    def awaitTermination(self, seconds=None):
        return not self.active


FAILURES = [
    FileSystemError("s3a://bucket/folder", "the server cannot be reached"),
    CheckpointError("s3a://bucket/folder", "it is damaged"),
    Py4JError("the answer is empty"),
    OSError("the connection was reset"),
    ValueError("no JSON"),
]
IDLE = "pantarhei-idle"


def idle_threads():
    return [each for each in threading.enumerate() if each.name == IDLE]


def wait_until(condition):
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("place", ["status", "offsets", "record"])
def test_a_failure_while_a_thread_looks_is_logged_once_and_tried_again(
    tmp_path, monkeypatch, caplog, seed, place
):
    choose = random.Random(seed)
    failures = choose.choices(FAILURES[:2] if place == "record" else FAILURES, k=choose.choice((1, 2, 5)))
    kinds, left = {type(each) for each in failures}, list(failures)
    checkpoint, started = Checkpoint(tmp_path, ["5"]), []
    totals = SimpleNamespace(now=Totals(batch=1, received=10, closed=4), last_rows=0.0)

    def failing(function):
        def call(*arguments):
            if left:
                raise left.pop()
            return function(*arguments)

        return call

    if place != "status":
        name = {"offsets": "has_completed", "record": "record_batch"}[place]
        function = {"offsets": has_completed, "record": record_batch}[place]
        monkeypatch.setattr(f"pantarhei.spark.shards.flush.{name}", failing(function))

    def start(trigger):
        started.append(trigger)
        if trigger is not None:  # the recorded batch
            totals.now = Totals(batch=2, received=10, closed=11)
            checkpoint.write("commits", 2, {})
        return Query(left if place == "status" else [])

    run = FlushingRun(start, None, checkpoint.folder, totals, idle_seconds=0.02)
    wait_until(lambda: totals.now.closed == 11 and started[-1] is None and len(started) > 1)
    assert run.is_active and not left and idle_threads()
    warned = [each for each in caplog.records if each.levelname == "WARNING"]
    assert len(warned) == len(kinds) and all("tried again" in each.getMessage() for each in warned)
    run.query.stop()  # Spark's own query, not the stream
    wait_until(lambda: not idle_threads())
    assert run.wait(1) and not run.is_active


@pytest.mark.parametrize("ends", ["stopped", "failed", "Java stopped"])
def test_the_thread_ends_with_its_query(tmp_path, monkeypatch, ends):
    def start(trigger):
        if trigger is not None:
            raise Py4JError("the batch failed")
        return Query([Py4JError("busy")] * 2)

    received = None if ends != "failed" else 10
    totals = SimpleNamespace(now=Totals(batch=1, received=received), last_rows=0.0)
    run = FlushingRun(start, None, Checkpoint(tmp_path, ["5"]).folder, totals, idle_seconds=0.02)
    if ends == "stopped":
        run.query.stop()
    elif ends == "Java stopped":

        def unreachable(query):
            raise Py4JError("Java has stopped")

        monkeypatch.setattr(Query, "isActive", property(unreachable))
    wait_until(lambda: not idle_threads())
    if ends == "failed":
        with pytest.raises(Py4JError, match="batch failed"):
            run.wait(1)


@pytest.mark.parametrize("seed", range(6))
def test_only_the_last_query_of_a_stream_is_flushed(tmp_path, seed):
    choose = random.Random(seed)
    checkpoint, started = Checkpoint(tmp_path, ["5"], batches=choose.randint(2, 5)), []
    known, last = choose.randint(0, 4), last_batch(checkpoint.folder)
    totals = SimpleNamespace(now=Totals(batch=known, received=10, closed=4), last_rows=0.0)

    def start(trigger):
        started.append(trigger)
        return Query([])

    run = FlushingRun(start, None, checkpoint.folder, totals)
    run.query.stop()
    if known == last:
        run.flush()
    else:
        with pytest.raises(StreamError, match="another query"):
            run.flush()
    assert (last_batch(checkpoint.folder), len(started)) == ((last + 1, 2) if known == last else (last, 1))
