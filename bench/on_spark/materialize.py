"""`materialize_aboxes` over 10 million rows: rows a second on one core and on two, and without Spark.

1,000 timestamps of 10,000 readings each are Parquet files of whole timestamps. The result goes to an
aggregate in Java that looks at every cell, and whose answer is checked. "As it is" Spark shuffles the rows,
since files promise nothing; "clustered" it is told that it need not. The identity is the same plan with a
function that gives back what it gets: what is left over is Spark's. Without Spark, the same task gets the
same files from pyarrow.
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
from bench.on_spark.processes import CpuSeconds, apart
from bench.on_spark.sensors import SCHEMA, Sensors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

DEVICES = 5_000  # two rows each a second
FILES = 16
# Both of Java's compilers: with the quick one alone, which sessions on one machine have by default for the
# sake of short jobs, Java takes twice the time for rows by the million.
JAVA = {"spark.driver.extraJavaOptions": "-XX:+UseSerialGC"}
BATCH = 10_000  # rows that Spark gives a worker at once, by default
_WRITTEN = pa.schema(
    [
        *SCHEMA,
        pa.field("derived", pa.bool_()),
        pa.field("conflicts", pa.list_(pa.int32())),
        pa.field("skipped", pa.int32()),
    ]
)
NAMES = ("subject", "predicate", "object")

AS_IT_IS, CLUSTERED, IDENTITY, ALONE = "as it is", "clustered", "identity, clustered", "without Spark"
IDENTITY_SHUFFLED = "identity, as it is"


def measure(quick: bool) -> Iterator[Figure]:
    """Rows a second."""
    seconds, rounds = (100, 1) if quick else (1000, 2)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        write_files(Path(folder), seconds)
        told = [
            apart(__name__, folder=folder, seconds=seconds, cores=cores, rounds=rounds) for cores in (0, 1, 2)
        ]
    rows = seconds * Sensors(DEVICES).rows
    alone, one, two = (each["samples"] for each in told)
    for each in told[1:]:
        check("answers of the first tenth", each["tenth"], told[0]["tenth"])
        for way, answer in each["answers"].items():
            check(f"answers {way}", answer, told[0]["answers"][ALONE])
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
    for each, cores in zip(told[1:], (1, 2), strict=True):
        for way, used in each["cpu"].items():
            for kind, values in used.items():
                taken = [1e6 * value / rows for value in values]
                yield figure(where, f"local[{cores}], {way}: CPU of {kind}", taken, "µs a row")
    facts, derived = told[0]["answers"][ALONE][:2]
    yield Figure(where, "facts written", facts / 1e6, "M")
    yield Figure(where, "of them derived", derived / 1e6, "M")


def write_files(folder: Path, seconds: int) -> None:
    """The readings as Parquet files, each of whole timestamps."""
    sensors, bounds = Sensors(DEVICES), [round(i * seconds / FILES) for i in range(FILES + 1)]
    for number in range(FILES):
        with pq.ParquetWriter(
            folder / f"part-{number:02}.parquet", sensors.strings(range(1)).schema, store_schema=False
        ) as writer:
            for second in range(bounds[number], bounds[number + 1], 10):
                some = range(second, min(second + 10, bounds[number + 1]))
                writer.write_table(sensors.strings(some))


# -- in a process of its own -------------------------------------------------------------------------------


def job(folder: str, seconds: int, cores: int, rounds: int) -> dict[str, Any]:
    """Seconds, CPU seconds and answers for each way; of Spark's on `cores` cores, 0 without Spark."""
    return _on_spark(folder, seconds, cores, rounds) if cores else _alone(folder, seconds, rounds)


def _alone(folder: str, seconds: int, rounds: int) -> dict[str, Any]:
    from pantarhei.interpretation.foundation import Foundation
    from pantarhei.spark.materialize import FactWriter
    from pantarhei.spark.worker import MaterializeTask

    pa.set_cpu_count(1)
    sensors = Sensors(DEVICES)
    foundation = Foundation.of(sensors.ontology, sensors.background)
    writing = FactWriter(_WRITTEN, False)
    task = MaterializeTask(_Here(foundation), foundation.digest, writing, "raise")
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


class _Here:
    """A broadcast value in the same process."""

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
    for way in (CLUSTERED, IDENTITY):  # the plans are met once before they are measured
        ways[way]().agg(*sums).collect() if seconds <= 100 else ways[way]().limit(1).collect()
    samples: dict[str, list[float]] = {way: [] for way in ways}
    cpu = {way: {"driver": [], "java": [], "workers": []} for way in ways}
    for _ in range(rounds):
        for way, made in ways.items():
            asked = sums if way.startswith("identity") else _with_derived(sums)
            with _timed(samples[way], cpu[way]):
                found = made().agg(*asked).collect()
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
