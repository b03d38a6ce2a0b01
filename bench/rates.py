"""Readings at rates from one to ten thousand per tick, changing and repeating.

Sensors, ontology and reports are those of `readings`. Each of the 10,000 sensors reports once in 10,000
readings,
and the window holds three reports of each at every rate: 30,000 readings in 3 to 30,000 ticks. Nemo gets such
a window with its background, as integers; its time does not depend on the rate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.cases import Case, NemoCase
from bench.dataset import TYPE, Dataset
from bench.engine import (
    ARROW_DICTIONARY,
    PREFIXES,
    SPACE,
    KernelLane,
    PushLane,
    Rows,
    check_facts,
    dictionary_table,
    ontology_of,
)
from bench.measuring import SEED, Figure, figure, fill, race
from bench.peers.pantarhei import facts_digest
from bench.peers.process import recomputation_times
from bench.readings import BACKGROUND, ONTOLOGY, SENSORS, Reports, expected

RATES = (1, 10, 100, 1_000, 10_000)
REPORTS = 3  # reports of each sensor in the window
LIMITS = {("changing", 1_000): 1.0, ("repeating", 1_000): 0.2, ("changing", 1): 10.0, ("repeating", 1): 10.0}
_ORDER = np.random.default_rng(SEED).permutation(SENSORS).tolist()


class Stream:
    """Readings of each tick, `rate` of them."""

    def __init__(self, rate: int, changing: bool) -> None:
        self.rate, self.changing = rate, changing
        self.period = SENSORS // rate  # ticks between two reports of one sensor
        self.width = REPORTS * self.period
        self._reports = Reports()

    def rows(self, tick: int) -> Rows:
        turn, group = divmod(tick, self.period)
        sensors = _ORDER[group * self.rate : (group + 1) * self.rate]
        return [self._reports.report(sensor, turn if self.changing else 0) for sensor in sensors]


def measure(quick: bool) -> Iterator[Figure]:
    """Yield microseconds per reading at each rate."""
    with TemporaryDirectory(prefix="bench-") as name:
        for variant in ("changing", "repeating"):
            for rate in RATES:
                yield from _rate(variant, rate, 2 if quick else 5)
            yield from _nemo_times(variant, Path(name), 1 if quick else 3)


def _rate(variant: str, rate: int, rounds: int) -> Iterator[Figure]:
    stream = Stream(rate, variant == "changing")
    # a sample is a whole window, since a repeated fact is renewed once in a window
    block = max(5, stream.period) if stream.changing else stream.width
    rows = lru_cache(maxsize=2 * stream.width)(stream.rows)
    ontology = ontology_of(ONTOLOGY)
    kernel = KernelLane(ontology, BACKGROUND, stream.width, rows)
    pushed = PushLane(ontology, BACKGROUND, stream.width, rows, ARROW_DICTIONARY, dictionary_table)
    start = stream.width + stream.period
    fill([kernel, pushed], range(start), warm=min(20, stream.period))
    for lane, length in ((kernel, block), (pushed, min(block, 1000))):
        seconds = race([lane], start, length, rounds)
        last = start + length * rounds
        check_facts(lane, expected(rows(tick) for tick in range(last - stream.width, last)))
        each = [1e6 * sample / rate for sample in seconds[lane.name]]
        limit = LIMITS.get((variant, rate)) if lane is kernel else None
        yield figure(
            f"rates, {variant}", f"{rate:,} a tick, {lane.name}", each, "µs a reading", at_most=limit
        )


def _nemo_times(variant: str, folder: Path, rounds: int) -> Iterator[Figure]:
    """Yield Nemo's times for a full window."""
    stream, workload = Stream(SENSORS, variant == "changing"), f"rates, {variant}"
    rows = list(dict.fromkeys(row for tick in range(stream.width) for row in stream.rows(tick)))
    path = folder / f"{variant}.ttl"
    path.write_text(PREFIXES + ONTOLOGY)
    case = Case(workload, path, dataset_of(rows + BACKGROUND), folder)
    job = replace(NemoCase(case).jobs()[1], name="the window anew, Nemo")
    kernel = KernelLane(case.ontology, BACKGROUND, stream.width, stream.rows)
    fill([kernel], range(stream.width))
    ours = facts_digest(kernel.vocabulary, kernel.model.facts(), case.files["individuals"])
    yield from recomputation_times(workload, [job], rounds, folder, list(ours))


def dataset_of(rows: Rows) -> Dataset:
    """Convert rows of local names to a data set."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    places = {name: place for place, name in enumerate(names)}
    terms = [TYPE if name == "a" else f"<{SPACE}{name}>" for name in names]
    return Dataset(terms, np.array([[places[name] for name in row] for row in rows], np.int64))
