"""`python -m bench.on_spark`: measure, print and store the results in bench/results."""

from __future__ import annotations

from bench.command import Workloads, main
from bench.on_spark import driver, latency, materialize, shards, values

WORKLOADS: Workloads = {
    "materialize": materialize.measure,
    "driver": driver.measure,
    "latency": latency.measure,
    "shards": shards.measure,
    "values": values.measure,
}

if __name__ == "__main__":
    main("python -m bench.on_spark", WORKLOADS, ("pyspark",))
