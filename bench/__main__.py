"""`python -m bench`: measure, print and store the results in bench/results."""

from __future__ import annotations

from bench import (
    alarms,
    axioms,
    batch,
    building,
    closing,
    contradictions,
    explaining,
    growth,
    imars,
    ingest,
    loading,
    needed,
    queries,
    rates,
    readings,
    registered,
    repairs,
    service,
    slides,
    snapshots,
    soak,
    start,
    tables,
    temporal,
    texts,
    thresholds,
    ticks,
)
from bench.command import Workloads, main
from bench.report import PEERS

WORKLOADS: Workloads = {
    "batch": batch.measure,
    "imars": imars.measure,
    "rates": rates.measure,
    "contradictions": contradictions.measure,
    "growth": growth.measure,
    "axioms": axioms.measure,
    "readings": readings.measure,
    "repairs": repairs.measure,
    "slides": slides.measure,
    "ticks": ticks.measure,
    "queries": queries.measure,
    "registered": registered.measure,
    "temporal": temporal.measure,
    "texts": texts.measure,
    "needed": needed.measure,
    "explaining": explaining.measure,
    "thresholds": thresholds.measure,
    "closing": closing.measure,
    "building": building.measure,
    "loading": loading.measure,
    "ingest": ingest.measure,
    "tables": tables.measure,
    "start": start.measure,
    "snapshots": snapshots.measure,
    "service": service.measure,
    "alarms": alarms.measure,
    "soak": soak.measure,
}

if __name__ == "__main__":
    main("python -m bench", WORKLOADS, PEERS)
