"""Latency of a micro-batch of 10,000 readings, from its file's arrival to the stored window, by
`reason_stream`.

Each file has one second of on_spark/sensors.py. A batch is timed from the renaming of its file until its
number is stored with the window, after the checkpoint was synced to disk. The window holds 61 seconds
(610,000 readings) or 6. Times are wall-clock times and include other work on the machine; the CPU time beside
them is that of all processes of the query.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from bench.measuring import Figure, check, figure
from bench.on_spark.processes import CpuSeconds, run_job
from bench.on_spark.sensors import SCHEMA, Sensors

DEVICES = 5_000
WARM = 12
COLUMNS = "timestamp timestamp, subject string, predicate string, object string"
STAGES = ("latestOffset", "walCommit", "addBatch", "commitOffsets")


def measure(quick: bool) -> Iterator[Figure]:
    """Yield milliseconds per batch."""
    batches = 8 if quick else 40
    for seconds in (60, 5):
        output = run_job(__name__, seconds=seconds, batches=batches)
        where = f"micro-batch, window of {(seconds + 1) * Sensors(DEVICES).rows:,}"
        limit = 400.0 if seconds == 60 else None
        yield figure(where, "arrival to saved window, median", output["latency"], "ms", at_most=limit)
        yield Figure(where, "arrival to saved window, maximum", max(output["latency"]), "ms")
        for stage, samples in output["stages"].items():
            yield figure(where, f"of it {stage}", samples, "ms")
        for kind, used in output["cpu"].items():
            yield Figure(where, f"CPU of {kind}", used, "ms")
        yield Figure(where, "size of the window's checkpoint", output["size"] / 1e6, "MB")


# -- job in a process of its own -----------------------------------------------------------------------------


def job(seconds: int, batches: int) -> dict[str, Any]:
    """Return the times of the batches after the warm-up in milliseconds, for a window of `seconds`."""
    import pantarhei as pr
    from pantarhei.spark import reason_stream, session

    spark, sensors = session("local[2]"), Sensors(DEVICES)
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    (folder / "in").mkdir()
    df = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
    window = pr.Window(range=f"PT{seconds}S", slide="PT1S")
    checkpoint = folder / "checkpoint"
    query = reason_stream(
        df, sensors.ontology, window, background=sensors.background, checkpoint=checkpoint, spark_partitions=1
    )
    latency, before = [], CpuSeconds.now()
    for number in range(WARM + batches):
        # the first file fills the window
        some = range(seconds) if not number else range(seconds + number - 1, seconds + number)
        pq.write_table(sensors.table(some).cast(SCHEMA), folder / "next.parquet", store_schema=False)
        if number == WARM:
            before = CpuSeconds.now()
        begun = time.perf_counter()
        (folder / "next.parquet").rename(folder / "in" / f"{number:06}.parquet")
        while query.batch < number:
            query.await_termination(timeout=0.001)
        latency.append(1000 * (time.perf_counter() - begun))
    used = CpuSeconds.now().since(before)
    query.process_all_available()
    check("timestamps in the window", len(query.reasoner.timestamps), seconds + 1)
    check("readings", query.counts.assertions, (seconds + WARM + batches - 1) * sensors.rows)
    progress = [each.durationMs for each in query.spark_query.recentProgress if each.numInputRows]
    stages = {name: [each.get(name, 0) for each in progress[-batches:]] for name in STAGES}
    size = (checkpoint / "reasoner").stat().st_size
    query.stop()
    spark.stop()
    shutil.rmtree(folder)
    return {
        "latency": latency[WARM:],
        "stages": stages,
        "cpu": {kind: 1000 * value / batches for kind, value in used._asdict().items()},
        "size": size,
    }
