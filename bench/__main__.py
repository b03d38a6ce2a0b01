"""`python -m bench`: measure, show, and keep the results in bench/results."""

from __future__ import annotations

from bench import building, growth, loading, readings, repairs, slides, thresholds, ticks
from bench.command import Workloads, main

WORKLOADS: Workloads = {
    "readings": readings.measure,
    "repairs": repairs.measure,
    "slides": slides.measure,
    "growth": growth.measure,
    "ticks": ticks.measure,
    "thresholds": thresholds.measure,
    "building": building.measure,
    "loading": loading.measure,
}

if __name__ == "__main__":
    main("python -m bench", WORKLOADS)
