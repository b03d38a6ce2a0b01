"""`materialize_aboxes` over 10 million rows: rows per second on one and two cores, and without Spark.

1,000 timestamps of 10,000 readings each are stored in Parquet files of whole timestamps. The result is
consumed by an aggregate in Java that reads every cell and is checked. "Read by workers": the default for such
files. The other ways let Spark read, as it must read all other DataFrames. "Shuffled": Spark brings the rows
of each timestamp together. "Clustered": the shuffle is declared unnecessary. "Identity": `mapInArrow` over
the same files and columns with a function that returns its batches, which is the least that a user of Spark
pays for Python; "identity, shuffled" also brings timestamps together and sorts them. Without Spark, pyarrow
passes the same files to the same task.

CPU seconds are those of Java and of the Python workers apart, by rounds in which the ways take turns.
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

BY_WORKERS, SHUFFLED, CLUSTERED, ALONE = "read by workers", "shuffled", "clustered", "without Spark"
IDENTITY, IDENTITY_SHUFFLED = "identity", "identity, shuffled"
# By way, the identity that does what Spark does for it.
IDENTITIES = {BY_WORKERS: IDENTITY, CLUSTERED: IDENTITY, SHUFFLED: IDENTITY_SHUFFLED}


def measure(quick: bool) -> Iterator[Figure]:
    """Yield rows per second."""
    seconds, rounds = (100, 3) if quick else (1000, 3)
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
            least = 0.5 if (name, way) == ("local[2]", SHUFFLED) else None
            rates = [rows / each / 1e6 for each in taken]
            yield figure(where, f"{name}, {way}", rates, "M rows/s", at_least=least)
    for way in (BY_WORKERS, SHUFFLED, CLUSTERED):
        times = ratios(one[way], two[way])
        yield figure(where, f"local[2] : local[1], {way}", times, "times", at_least=1.6)
    for each, name in zip(output[1:], ("local[1]", "local[2]"), strict=True):
        for way, used in each["cpu"].items():
            for kind, values in used.items():
                taken = [1e6 * value / rows for value in values]
                yield figure(where, f"{name}, {way}: CPU of {kind}", taken, "µs a row")
        cpu = {way: list(map(sum, zip(*used.values(), strict=True))) for way, used in each["cpu"].items()}
        for way, identity in IDENTITIES.items():
            times = ratios(cpu[way], cpu[identity])
            most = 1.1 if way == BY_WORKERS else None
            yield figure(where, f"{name}, {way} : {identity}, CPU", times, "times", at_most=most)
        for way in IDENTITIES:
            times = ratios(cpu[way], output[0]["cpu"][ALONE])
            yield figure(where, f"{name}, {way} : {ALONE}, CPU", times, "times")
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
    taken, used = list[float](), list[float]()
    for _ in range(rounds):
        begun, before, answer = time.perf_counter(), time.process_time(), [0] * 5
        for batch in task(_batches(folder, seconds)):
            answer = [a + b for a, b in zip(answer, _sums(batch), strict=True)]
        taken.append(time.perf_counter() - begun)
        used.append(time.process_time() - before)
    return {"samples": {ALONE: taken}, "cpu": {ALONE: used}, "answers": {ALONE: answer}, "tenth": tenth}


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
    # Spark reads a DataFrame with a filter; this one omits nothing.
    other = df.where("predicate <> ''")

    def aboxes(given: DataFrame, clustered: bool | None) -> Callable[[], DataFrame]:
        return lambda: materialize_aboxes(given, sensors.ontology, clustered=clustered, **known)

    ways: dict[str, Callable[[], DataFrame]] = {
        BY_WORKERS: aboxes(df, None),
        SHUFFLED: aboxes(other, False),
        CLUSTERED: aboxes(other, True),
        IDENTITY: lambda: df.mapInArrow(_identity, df.schema),
        IDENTITY_SHUFFLED: lambda: by_timestamp(df, False, None).mapInArrow(_identity, df.schema),
    }
    sums = [f.count(f.lit(1)), *(f.sum(f.length(name)) for name in NAMES)]
    answers: dict[str, list[int]] = {}
    early = df.where((f.unix_seconds("timestamp") - f.lit(int(START.timestamp()))) < seconds // 10)
    crc = f.sum(f.crc32(f.concat_ws(" ", *NAMES)))
    tenth = materialize_aboxes(early, sensors.ontology, **known).agg(*_with_derived(sums), crc).collect()
    samples: dict[str, list[float]] = {way: [] for way in ways}
    cpu = {way: {"driver": [], "java": [], "workers": []} for way in ways}
    for _ in range(rounds + 1):
        for way, plan in ways.items():
            aggregates = sums if way.startswith("identity") else _with_derived(sums)
            with _timed(samples[way], cpu[way]):
                found = plan().agg(*aggregates).collect()
            if not way.startswith("identity"):
                answers[way] = list(found[0])
    spark.stop()
    # In the first round Java compiles.
    samples = {way: taken[1:] for way, taken in samples.items()}
    cpu = {way: {kind: taken[1:] for kind, taken in used.items()} for way, used in cpu.items()}
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
