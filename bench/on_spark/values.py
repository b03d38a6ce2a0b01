"""Values on Spark: `materialize_aboxes` with rules on values (see `bench.closing`), and `melt`.

The wide table that is melted has ten columns of numbers, so that a row makes ten triples.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench import closing
from bench.measuring import SEED, Figure, check, figure
from bench.on_spark.processes import run_job

EX = closing.EX
COLUMNS = [f"gas{number}" for number in range(10)]
MAPPING = {
    "prefixes": {"ex": EX},
    "time": {"column": "at", "unit": "number"},
    "melt": {"columns": COLUMNS},
    "mappings": {"air": {"s": "ex:$(place)", "po": [["ex:$(variable)", "$(value)", "xsd:decimal"]]}},
}
MELTED = "melt"


def measure(quick: bool) -> Iterator[Figure]:
    """Yield seconds per job on one core, and melted rows per second."""
    aboxes, rows, rounds = (1_000, 20_000, 2) if quick else (30_000, 500_000, 5)
    samples = run_job(__name__, aboxes=aboxes, rows=rows, rounds=rounds)
    melted = samples.pop(MELTED)
    yield from closing.figures(f"values on Spark, {aboxes:,} ABoxes", samples, "s")
    workload = f"melt on Spark, {rows:,} rows of {len(COLUMNS)} columns"
    yield figure(workload, "local[1]", [rows / each / 1e6 for each in melted], "M rows/s")


# -- job in a process of its own -----------------------------------------------------------------------------


def job(aboxes: int, rows: int, rounds: int) -> dict[str, list[float]]:
    """Return wall seconds of each method, without its first run."""
    from pyspark.sql import functions as f

    from bench.on_spark.materialize import JAVA
    from pantarhei.spark import materialize_aboxes, melt, session

    spark, table = session("local[1]", conf=JAVA), closing.readings(aboxes)
    readings = spark.createDataFrame(table).coalesce(1).cache()
    wide = spark.createDataFrame(_wide(rows)).coalesce(1).cache()
    readings.count(), wide.count()
    length = f.sum(f.length("object"))  # Spark omits unread columns from a job that only counts

    def close(kind: str, ontology: Any) -> Callable[[], None]:
        def work() -> None:
            made = materialize_aboxes(readings, ontology, clustered=True)
            found = made.agg(f.sum(f.col("derived").cast("int")), length).collect()[0][0]
            check(f"what follows from {kind}", found, closing.expected(kind, table))

        return work

    def melted() -> None:
        found = melt(wide, MAPPING).agg(f.count(f.lit(1)), length).collect()[0][0]
        check("triples", found, rows * len(COLUMNS))

    ways = {kind: close(kind, ontology) for kind, ontology in closing.ontologies().items()}
    ways[MELTED] = melted
    samples: dict[str, list[float]] = {way: [] for way in ways}
    for turn in range(rounds + 1):
        for way, work in ways.items():
            begun = time.perf_counter()
            work()
            if turn:
                samples[way].append(time.perf_counter() - begun)
    spark.stop()
    return samples


def _wide(rows: int) -> Any:
    import pandas as pd

    tenths = np.random.default_rng(SEED).integers(0, 1000, (rows, len(COLUMNS))) / 10
    frame = pd.DataFrame(tenths, columns=COLUMNS)
    frame.insert(0, "place", [f"p{number % 1000}" for number in range(rows)])
    frame.insert(0, "at", np.arange(rows) // 1000)
    return frame
