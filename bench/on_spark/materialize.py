"""`materialize_aboxes` over 10 million rows: rows per second on one and two cores, and without Spark.

1,000 timestamps of 10,000 readings each are stored in Parquet files of whole timestamps. The result is
consumed by an aggregate in Java that reads every cell and is checked. "As it is": Spark shuffles the rows,
since files guarantee no partitioning. "Clustered": the shuffle is declared unnecessary. Identity: the same
plan with the identity function, which measures Spark's own share. Without Spark, pyarrow passes the same
files to the same task.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bench.measuring import Figure, check, figure, ratios
from bench.on_spark.processes import CpuSeconds, run_job
from bench.on_spark.sensors import SCHEMA, Sensors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

DEVICES = 5_000  # two rows per second each
FILES = 16
# Both of Java's compilers: the quick one alone, the default of local sessions because their jobs are
# short, takes twice the time for millions of rows.
JAVA = {"spark.driver.extraJavaOptions": "-XX:+UseSerialGC"}
BATCH = 10_000  # Spark's default number of rows per batch sent to a worker
_WRITTEN = SCHEMA.append(pa.field("derived", pa.bool_()))
NAMES = ("subject", "predicate", "object")

AS_IT_IS, CLUSTERED, IDENTITY, ALONE = "as it is", "clustered", "identity, clustered", "without Spark"
IDENTITY_SHUFFLED = "identity, as it is"


def measure(quick: bool) -> Iterator[Figure]:
    """Yield rows per second."""
    seconds, rounds = (100, 1) if quick else (1000, 2)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        write_files(Path(folder), seconds)
        output = [
            run_job(__name__, folder=folder, seconds=seconds, cores=cores, rounds=rounds)
            for cores in (0, 1, 2)
        ]
    rows = seconds * Sensors(DEVICES).rows
    alone, one, two = (each["samples"] for each in output)
    for each in output[1:]:
        check("answers of the first tenth", each["tenth"], output[0]["tenth"])
        for way, answer in each["answers"].items():
            check(f"answers {way}", answer, output[0]["answers"][ALONE])
    where = f"{rows / 1e6:g} M rows"
    for name, samples in (("without Spark", alone), ("local[1]", one), ("local[2]", two)):
        for way, taken in samples.items():
            least = 0.5 if (name, way) == ("local[2]", AS_IT_IS) else None
            rates = [rows / each / 1e6 for each in taken]
            yield figure(where, f"{name}, {way}", rates, "M rows/s", at_least=least)
    for way in (AS_IT_IS, CLUSTERED):
        times = ratios(one[way], two[way])
        yield figure(where, f"local[2] : local[1], {way}", times, "times", at_least=1.6)
    for cores, samples in ((1, one), (2, two)):
        for way, identity in ((AS_IT_IS, IDENTITY_SHUFFLED), (CLUSTERED, IDENTITY)):
            share = [100 * each for each in ratios(samples[identity], samples[way])]
            yield figure(where, f"local[{cores}], {way}: of it Spark, by the identity", share, "%")
    for each, cores in zip(output[1:], (1, 2), strict=True):
        for way, used in each["cpu"].items():
            for kind, values in used.items():
                taken = [1e6 * value / rows for value in values]
                yield figure(where, f"local[{cores}], {way}: CPU of {kind}", taken, "µs a row")
    facts, derived = output[0]["answers"][ALONE][:2]
    yield Figure(where, "facts written", facts / 1e6, "M")
    yield Figure(where, "of them derived", derived / 1e6, "M")


def write_files(folder: Path, seconds: int) -> None:
    """Write the readings as Parquet files, each of whole timestamps."""
    sensors, bounds = Sensors(DEVICES), [round(i * seconds / FILES) for i in range(FILES + 1)]
    for number in range(FILES):
        with pq.ParquetWriter(
            folder / f"part-{number:02}.parquet", sensors.strings(range(1)).schema, store_schema=False
        ) as writer:
            for second in range(bounds[number], bounds[number + 1], 10):
                some = range(second, min(second + 10, bounds[number + 1]))
                writer.write_table(sensors.strings(some))


# -- job in a process of its own -----------------------------------------------------------------------------


def job(folder: str, seconds: int, cores: int, rounds: int) -> dict[str, Any]:
    """Return seconds, CPU seconds and answers for each method, on `cores` cores of Spark, or without Spark if
    0.
    """
    return _on_spark(folder, seconds, cores, rounds) if cores else _without_spark(folder, seconds, rounds)


def _without_spark(folder: str, seconds: int, rounds: int) -> dict[str, Any]:
    from pantarhei.interpretation.foundation import Foundation
    from pantarhei.spark.materialize import FactWriter
    from pantarhei.spark.worker import MaterializeTask

    pa.set_cpu_count(1)
    sensors = Sensors(DEVICES)
    foundation = Foundation.of(sensors.ontology, sensors.background)
    writing = FactWriter(_WRITTEN)
    task = MaterializeTask(_LocalBroadcast(foundation), foundation.digest, writing, "raise")
    tenth = [0, 0, 0, 0, 0, 0]
    for batch in task(_batches(folder, seconds // 10)):
        tenth = [a + b for a, b in zip(tenth, [*_sums(batch), _crc(batch)], strict=True)]
    taken = []
    for _ in range(rounds):
        begun, answer = time.perf_counter(), [0] * 5
        for batch in task(_batches(folder, seconds)):
            answer = [a + b for a, b in zip(answer, _sums(batch), strict=True)]
        taken.append(time.perf_counter() - begun)
    return {"samples": {ALONE: taken}, "answers": {ALONE: answer}, "tenth": tenth}


class _LocalBroadcast:
    """Broadcast value in the same process."""

    def __init__(self, foundation: Any) -> None:
        import pickle

        self.value = pickle.dumps(foundation)


def _batches(folder: str, seconds: int) -> Iterator[pa.RecordBatch]:
    left = seconds * Sensors(DEVICES).rows
    for path in sorted(Path(folder).iterdir()):
        for batch in pq.ParquetFile(path).iter_batches(BATCH, use_threads=False):
            yield batch.slice(0, left)
            left -= len(batch)
            if left <= 0:
                return


def _sums(batch: pa.RecordBatch) -> list[int]:
    lengths = [pc.sum(pc.utf8_length(batch.column(name))).as_py() for name in NAMES]
    return [len(batch), pc.sum(batch.column("derived")).as_py(), *lengths]


def _crc(batch: pa.RecordBatch) -> int:
    columns = [batch.column(name).to_pylist() for name in NAMES]
    return sum(crc32(" ".join(row).encode()) for row in zip(*columns, strict=True))


def _on_spark(folder: str, seconds: int, cores: int, rounds: int) -> dict[str, Any]:
    from pyspark.sql import functions as f

    from bench.on_spark.sensors import START
    from pantarhei.spark import materialize_aboxes, session
    from pantarhei.spark.materialize import by_timestamp

    spark, sensors = session(f"local[{cores}]", conf=JAVA), Sensors(DEVICES)
    df = spark.read.parquet(folder)
    known: dict[str, Any] = {"background": sensors.background}
    ways: dict[str, Callable[[], DataFrame]] = {
        AS_IT_IS: lambda: materialize_aboxes(df, sensors.ontology, **known),
        CLUSTERED: lambda: materialize_aboxes(df, sensors.ontology, clustered=True, **known),
        IDENTITY: lambda: by_timestamp(df, True, None).mapInArrow(_identity, df.schema),
        IDENTITY_SHUFFLED: lambda: by_timestamp(df, False, None).mapInArrow(_identity, df.schema),
    }
    sums = [f.count(f.lit(1)), *(f.sum(f.length(name)) for name in NAMES)]
    answers: dict[str, list[int]] = {}
    early = df.where((f.unix_seconds("timestamp") - f.lit(int(START.timestamp()))) < seconds // 10)
    crc = f.sum(f.crc32(f.concat_ws(" ", *NAMES)))
    tenth = materialize_aboxes(early, sensors.ontology, **known).agg(*_with_derived(sums), crc).collect()
    for way in (CLUSTERED, IDENTITY):  # each plan runs once before it is measured
        ways[way]().agg(*sums).collect() if seconds <= 100 else ways[way]().limit(1).collect()
    samples: dict[str, list[float]] = {way: [] for way in ways}
    cpu = {way: {"driver": [], "java": [], "workers": []} for way in ways}
    for _ in range(rounds):
        for way, plan in ways.items():
            aggregates = sums if way.startswith("identity") else _with_derived(sums)
            with _timed(samples[way], cpu[way]):
                found = plan().agg(*aggregates).collect()
            if not way.startswith("identity"):
                answers[way] = list(found[0])
    spark.stop()
    return {"samples": samples, "answers": answers, "tenth": list(tenth[0]), "cpu": cpu}


def _with_derived(sums: list[Any]) -> list[Any]:
    from pyspark.sql import functions as f

    return [sums[0], f.sum(f.col("derived").cast("int")), *sums[1:]]


def _identity(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return batches


@contextmanager
def _timed(samples: list[float], cpu: dict[str, list[float]]) -> Iterator[None]:
    before, begun = CpuSeconds.now(), time.perf_counter()
    yield
    samples.append(time.perf_counter() - begun)
    for kind, value in CpuSeconds.now().since(before)._asdict().items():
        cpu[kind].append(value)
